"""The cameras of a robot besides its first one: their names, and the topics that follow."""

import re

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA

#: What a name may be: a token of a topic, no longer than a label in a document.
_NAME = re.compile('[A-Za-z][A-Za-z0-9_]{0,59}')


def names_of(text: str, first: str = '') -> tuple[str, ...]:
    """Return the names of the cameras besides the first one, in their order.

    Args:
        text: the parameter `other_cameras`, with commas.
        first: name of the first camera, where it is known.

    Raises:
        ConfigError: a name is no token of a topic, or that of another camera.
    """
    names = tuple(name.strip() for name in text.split(',')) if text.strip() else ()
    for index, name in enumerate(names):
        if not _NAME.fullmatch(name):
            raise ConfigError(f'parameter other_cameras = {text!r}: {name!r} is no name of a '
                              'camera, which begins with a letter and goes on with up to 59 '
                              'letters, digits and _')
        if name in (first, DEFAULT_CAMERA, *names[:index]):
            raise ConfigError(f'parameter other_cameras = {text!r}: there is another camera '
                              f'{name!r}')
    return names


def image_topic(name: str) -> str:
    """Return where the pictures of a camera come."""
    return f'{name}/image_raw'


def depth_topic(name: str) -> str:
    """Return where the depth of a camera comes."""
    return f'{name}/depth/image_raw'


def camera_info_topic(name: str) -> str:
    """Return where the intrinsics of a camera come."""
    return f'{name}/camera_info'
