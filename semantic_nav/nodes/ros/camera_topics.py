"""The cameras of a robot, in one list, and the topics of each."""

import re
from dataclasses import dataclass, replace
from typing import Self

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA

#: Valid name: a token of a topic, no longer than a label in a document.
_NAME = re.compile('[A-Za-z][A-Za-z0-9_]{0,59}')


@dataclass(frozen=True)
class CameraTopics:
    """A camera and its topics; a topic is empty where there is none, or nobody asks for it.

    Attributes:
        name: name of the camera in looks and observations.
        image: topic of its pictures.
        depth: topic of its depth.
        info: topic of the intrinsics of its pictures.
        depth_info: topic of the intrinsics of depth that is not registered to the pictures.
    """

    name: str
    image: str = ''
    depth: str = ''
    info: str = ''
    depth_info: str = ''

    @classmethod
    def named(cls, name: str) -> Self:
        """A camera whose topics follow from its name."""
        return cls(name, f'{name}/image_raw', f'{name}/depth/image_raw', f'{name}/camera_info')


def cameras_of(first: CameraTopics, others: str) -> tuple[CameraTopics, ...]:
    """All cameras of a robot, the first one first; if it has no depth, no other has.

    Args:
        first: the first camera, whose topics are parameters.
        others: the parameter `other_cameras`: names of the others, comma-separated.

    Raises:
        ConfigError: a name is no token of a topic, or that of another camera.
    """
    names = tuple(name.strip() for name in others.split(',')) if others.strip() else ()
    for index, name in enumerate(names):
        if not _NAME.fullmatch(name):
            raise ConfigError(f'parameter other_cameras = {others!r}: {name!r} is no name of a '
                              'camera, which begins with a letter and goes on with up to 59 '
                              'letters, digits and _')
        if name in (first.name, DEFAULT_CAMERA, *names[:index]):
            raise ConfigError(f'parameter other_cameras = {others!r}: there is another camera '
                              f'{name!r}')
    named = (CameraTopics.named(name) for name in names)
    return first, *(camera if first.depth else replace(camera, depth='') for camera in named)
