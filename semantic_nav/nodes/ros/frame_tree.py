"""Frame tree of TF, by which a camera is checked to be mounted on the robot."""

import re

from tf2_ros import Buffer

from semantic_nav.nodes.ros.judging_buffer import JudgingBuffer
from semantic_nav.nodes.ros.robot_pose import Frames

#: A frame and its parent, as tf2 writes its tree.
_LINK = re.compile(r"^(\S+): *\n +parent: '?(.*?)'?$", re.MULTILINE)


def fault_of_tree(buffer: Buffer, frames: Frames, camera: str) -> str:
    """Fault in words of a camera that is not mounted on the robot; empty if TF has no way yet.

    If another node publishes the camera's place in the odometry, as its own odometry does, that
    counts instead of the mount, and drifts from the robot with each error.

    Args:
        buffer: TF buffer that a listener fills.
        frames: frames of the robot.
        camera: frame of the camera's pictures.
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
    """Frames between robot and camera that two nodes publish, in words; empty if none.

    Args:
        buffer: TF buffer that a listener fills.
        frames: frames of the robot.
        camera: frame of the camera's pictures.
    """
    if not isinstance(buffer, JudgingBuffer):
        return ''
    robot = _way_up(buffer, frames.base)
    return '; '.join(filter(None, (
        buffer.told_twice(frame) for frame in _way_up(buffer, camera) if frame not in robot)))


def _way_up(buffer: Buffer, frame: str) -> list[str]:
    """A frame and all its ancestors."""
    parents = dict(_LINK.findall(buffer.all_frames_as_yaml()))
    way: list[str] = []
    frame = frame.removeprefix('/')
    while frame and frame not in way:
        way.append(frame)
        frame = parents.get(frame, '')
    return way
