"""The tree of frames tells whether a camera hangs on the robot, and who publishes it twice."""

import pytest
from geometry_msgs.msg import TransformStamped
from rclpy.time import Time
from tf2_ros import Buffer

from semantic_nav.nodes.ros.frame_tree import doubt_of_tree, fault_of_tree
from semantic_nav.nodes.ros.judging_buffer import JudgingBuffer
from semantic_nav.nodes.ros.robot_pose import Frames

FRAMES = Frames('map', 'odom', 'base_link')


class AsRos(Buffer):
    """A buffer that writes its tree as the one in C++ does."""

    def all_frames_as_yaml(self) -> str:
        return ''.join(
            f"{child}: \n  parent: '{parent}'\n  broadcaster: 'default_authority'\n"
            '  rate: 10000.000\n  most_recent_transform: 0.000\n'
            for child, parent in (('base_link', 'odom'), ('camera', 'odom'), ('odom', 'map')))


def test_tree_is_read_as_tf2_writes_it() -> None:
    assert "'camera' on 'odom'" in fault_of_tree(AsRos(), FRAMES, '/camera')
    assert not fault_of_tree(Buffer(), FRAMES, 'camera')


def told(buffer: Buffer, parent: str, child: str, x: float, number: int) -> None:
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id, message.header.stamp = parent, Time(nanoseconds=number).to_msg()
    message.transform.translation.x, message.transform.rotation.w = x, 1.0
    buffer.set_transform(message, 'test')


@pytest.mark.parametrize(('places', 'words'), [
    ([('base_link', 0.1), ('mast', 0.1)], "on 'base_link' and on 'mast'"),
    ([('base_link', 0.1)] * 4 + [('base_link', 0.4)], "two places on 'base_link'"),
    ([('base_link', 0.1)], ''), ([('base_link', 0.1), ('base_link', 0.12)], ''),
    # An arm goes to and fro, without a leap.
    ([('base_link', 0.02 * step) for step in (*range(20), *range(20, 0, -1))], '')])
def test_frame_that_two_nodes_publish_is_named(places: list[tuple[str, float]],
                                               words: str) -> None:
    buffer, number = JudgingBuffer(), 1
    for parent, child in (('odom', 'base_link'), ('base_link', 'mast'), ('link', 'camera')):
        told(buffer, parent, child, 0.0, number)
    for _ in range(4):
        for parent, x in places:
            number += 1
            told(buffer, parent, 'link', x, number)
    doubt = doubt_of_tree(buffer, FRAMES, 'camera')
    assert (words in doubt and 'two nodes publish it' in doubt) if words else not doubt
    for _ in range(60):
        number += 1
        told(buffer, 'base_link', 'link', 0.1, number)
    assert not doubt_of_tree(buffer, FRAMES, 'camera')


def test_camera_that_is_moved_once_is_not_published_twice() -> None:
    buffer = JudgingBuffer()
    for number, x in enumerate((0.1, 0.1, 0.5, 0.5, 0.1, 0.1)):
        told(buffer, 'base_link', 'camera', x, number + 1)
    assert not doubt_of_tree(buffer, FRAMES, 'camera')
