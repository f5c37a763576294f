"""The tree of frames that TF tells: whether a camera hangs on the robot."""

import re

from tf2_ros import Buffer

from semantic_nav.nodes.ros.judging_buffer import JudgingBuffer
from semantic_nav.nodes.ros.robot_pose import Frames

#: A frame and its parent, as tf2 writes its tree.
_LINK = re.compile(r"^(\S+): *\n +parent: '?(.*?)'?$", re.MULTILINE)


def fault_of_tree(buffer: Buffer, frames: Frames, camera: str) -> str:
    """Return on what else than the robot a camera hangs, in words; empty where TF has no way yet.

    Where something else publishes its place in the odometry, as its own odometry does, it counts
    in the place of the mount, and leaves the robot with each error.

    Args:
        buffer: that a listener fills.
        frames: of the robot.
        camera: frame of its pictures.
    """
    way, base = _way_up(buffer, camera), _way_up(buffer, frames.base)
    fixed = {frames.map, frames.odom} - {frames.base}
    if set(base).difference(fixed).intersection(way):
        return ''
    return next((
        f'TF has {child!r} on {parent!r}, and not on the robot ({frames.base!r}): another node '
        'publishes its place, as the odometry of a camera does; let it publish no TF (publish_tf '
        'of its driver), and robot_state_publisher or static_transform_publisher alone tell where '
        'the camera sits' for child, parent in zip(way, way[1:], strict=False)
        if parent in fixed), '')


def doubt_of_tree(buffer: Buffer, frames: Frames, camera: str) -> str:
    """Return which frames between robot and camera two nodes publish, in words, or nothing.

    Args:
        buffer: that a listener fills.
        frames: of the robot.
        camera: frame of its pictures.
    """
    if not isinstance(buffer, JudgingBuffer):
        return ''
    robot = _way_up(buffer, frames.base)
    return '; '.join(filter(None, (
        buffer.told_twice(frame) for frame in _way_up(buffer, camera) if frame not in robot)))


def _way_up(buffer: Buffer, frame: str) -> list[str]:
    """Return a frame and all above it."""
    parents = dict(_LINK.findall(buffer.all_frames_as_yaml()))
    way: list[str] = []
    frame = frame.removeprefix('/')
    while frame and frame not in way:
        way.append(frame)
        frame = parents.get(frame, '')
    return way
