"""Cameras of a robot besides the first one: their names, and the topics that follow from them."""

import re

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA

#: Valid name: a token of a topic, no longer than a label in a document.
_NAME = re.compile('[A-Za-z][A-Za-z0-9_]{0,59}')


def names_of(text: str, first: str = '') -> tuple[str, ...]:
    """Names of the cameras besides the first one, in their order.

    Args:
        text: the parameter `other_cameras`, comma-separated.
        first: name of the first camera, if known.

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
    """Topic of the pictures of a camera."""
    return f'{name}/image_raw'


def depth_topic(name: str) -> str:
    """Topic of the depth of a camera."""
    return f'{name}/depth/image_raw'


def camera_info_topic(name: str) -> str:
    """Topic of the intrinsics of a camera."""
    return f'{name}/camera_info'
