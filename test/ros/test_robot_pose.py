"""The pose of the robot by TF, whatever TF says."""

import math

import pytest
from builders import Clock
from geometry_msgs.msg import TransformStamped
from rclpy.time import Time

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.clock import to_stamp
from semantic_nav.nodes.ros.judging_buffer import JudgingBuffer
from semantic_nav.nodes.ros.robot_pose import Frames, PoseSource
from semantic_nav.nodes.ros.transforms import transform
from semantic_nav.verify.events import PoseMissing, PoseResolved

FRAMES = Frames('map', 'odom', 'base_link')


class Listening:
    """A buffer, filled by hand, and what is told of the pose."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.buffer = JudgingBuffer()
        self.told: list[Level] = []
        self.words = ''
        self.pose = PoseSource(self.buffer, FRAMES, 1.0, lambda: self.clock.now.clock_ns,
                              self._tell)

    def _tell(self, level: Level, text: str) -> None:
        self.told.append(level)
        self.words = text

    def hear(self, ahead_s: float = 0.0, apart_s: float = 0.0, robot_x: float = 2.0,
             robot_w: float = 1.0, odom_x: float = 1.0) -> None:
        """Hear both transforms, the second one stamped a little later, or before."""
        stamp = self.clock.advance(0.02).clock_ns + round(ahead_s * NS_PER_S)
        for parent, child, x in (('map', 'odom', odom_x), ('odom', 'base_link', robot_x)):
            message = TransformStamped(child_frame_id=child)
            message.header.frame_id = parent
            message.header.stamp = to_stamp(stamp)
            message.transform.translation.x = x
            message.transform.rotation.w = robot_w if child == 'base_link' else 1.0
            try:
                self.buffer.set_transform(message, 'test')
            except ValueError:
                # Some versions of tf2 raise it, others log it.
                pass
            stamp += round(apart_s * NS_PER_S)


def test_newest_pose_is_told_with_the_correction_of_its_moment() -> None:
    tf = Listening()
    assert isinstance(tf.pose.resolve(), PoseMissing)
    tf.hear()
    found = tf.pose.resolve()
    assert isinstance(found, PoseResolved) and found.stamp_ns == tf.clock.now.clock_ns
    assert (found.map_T_base.pose().x, found.map_T_odom.pose().x) == (3.0, 1.0)
    assert tf.told == [Level.WARN, Level.OK]


@pytest.mark.parametrize('x', [math.inf, 1e300, -1e6])
def test_a_pose_that_cannot_be_is_missing_until_a_good_one_comes(x: float) -> None:
    tf = Listening()
    tf.hear(robot_x=x)
    assert isinstance(tf.pose.resolve(), PoseMissing)
    assert tf.told[-1] in (Level.WARN, Level.ERROR)
    tf.hear()
    assert isinstance(tf.pose.resolve(), PoseResolved)
    assert tf.told[-1] is Level.OK


@pytest.mark.parametrize('messages', [1, 2, 5])
def test_transforms_from_before_a_jump_are_forgotten_however_few_came(messages: int) -> None:
    """One message alone has no moment in common, yet it keeps out all that comes later."""
    tf = Listening()
    for _ in range(messages):
        tf.hear(ahead_s=100.0, apart_s=0.0001)
    for _ in range(3):
        tf.hear(apart_s=0.0001)
    assert isinstance(tf.pose.resolve(), PoseMissing)
    for _ in range(3):
        tf.hear(apart_s=0.0001)
    assert isinstance(tf.pose.resolve(), PoseResolved)
    assert tf.told == [Level.WARN, Level.OK]


@pytest.mark.parametrize('ahead_s', [1.0, 3.0])
def test_a_correction_may_be_stamped_ahead_as_amcl_stamps_it(ahead_s: float) -> None:
    tf = Listening()
    for _ in range(200):
        tf.hear(ahead_s, -ahead_s)
    found = tf.pose.resolve()
    assert isinstance(found, PoseResolved) and found.stamp_ns == tf.clock.now.clock_ns
    assert tf.told[-1] is Level.OK
    tf.hear(ahead_s + 10.0, -ahead_s - 10.0)
    assert isinstance(tf.pose.resolve(), PoseMissing)


def test_two_that_publish_one_transform_are_told_with_the_cure() -> None:
    tf = Listening()
    for robot_x in (2.0, 4.8, 2.0):
        tf.hear(robot_x=robot_x)
        assert isinstance(tf.pose.resolve(), PoseResolved)
    assert tf.told[-1] is Level.ERROR
    assert 'odom -> base_link: the odometry leapt by 2.8 m' in tf.words
    assert 'do two nodes publish it?' in tf.words
    for _ in range(300):
        tf.hear(robot_x=2.0)
        tf.pose.resolve()
    assert tf.told[-1] is Level.OK


def test_base_that_counts_anew_is_told_until_the_localisation_follows() -> None:
    tf = Listening()
    for number in range(600):
        tf.hear(robot_x=0.0 if number else 2.0)
        tf.pose.resolve()
    assert tf.told[-1] is Level.ERROR
    assert tf.words == (
        'odom -> base_link: the odometry began anew: it leapt by 2.0 m and 0.0 rad in 0.0 s, and '
        'the localisation has not followed: set the pose anew (2D Pose Estimate in RViz), or '
        'start the verifier again where it is right')
    for _ in range(300):
        tf.hear(robot_x=0.0, odom_x=2.8)
        tf.pose.resolve()
    assert tf.told[-1] is Level.OK


def test_two_that_publish_the_correction_are_told() -> None:
    tf = Listening()
    for number in range(10):
        tf.hear(odom_x=float(number % 2))
        tf.pose.resolve()
    assert tf.told[-1] is Level.ERROR
    assert 'map -> odom: the localisation leaps to and fro by 1.0 m' in tf.words
    assert 'do two nodes publish it? Let one alone do so' in tf.words


@pytest.mark.parametrize(('fields', 'words'), [
    ({'robot_w': 0.0}, 'its quaternion has the length 0, not 1'),
    ({'robot_w': 1.01}, 'its quaternion has the length 1.01, not 1'),
    ({'robot_x': math.nan}, 'its numbers are not finite')])
def test_a_transform_that_tf_refuses_is_named_while_it_is_waited_for(
        fields: dict[str, float], words: str) -> None:
    tf = Listening()
    tf.hear(**fields)
    assert isinstance(tf.pose.resolve(), PoseMissing)
    assert tf.words == ('waiting for TF map -> base_link; odom -> base_link is refused: '
                        f'{words}: mend who publishes it')
    tf.hear()
    assert isinstance(tf.pose.resolve(), PoseResolved) and tf.told[-1] is Level.OK


def test_a_transform_that_tf_refuses_after_good_ones_is_named_once_the_pose_is_old() -> None:
    """Odometry that turns to NaN (mrpt_navigation issue 120)."""
    tf = Listening()
    tf.hear()
    tf.pose.resolve()
    tf.hear(robot_x=math.nan)
    tf.pose.resolve()
    assert tf.words == 'known', 'one alone does no harm'
    tf.clock.advance(1.0)
    tf.hear(robot_x=math.nan)
    assert isinstance(tf.pose.resolve(), PoseResolved) and tf.told[-1] is Level.WARN
    assert tf.words == (
        'odom -> base_link is refused: its numbers are not finite: mend who publishes it')
    with pytest.raises(LookupError, match='^odom -> base_link is refused: .* behind the picture'):
        transform(tf.buffer, 'odom', 'base_link', Time(nanoseconds=tf.clock.now.clock_ns))
    tf.hear()
    tf.pose.resolve()
    assert tf.words == 'known'


def test_nothing_is_told_before_ros_time_has_begun() -> None:
    tf = Listening()
    tf.hear()
    tf.clock.jump(-tf.clock.now.clock_ns / NS_PER_S)
    missing = tf.pose.resolve()
    assert isinstance(missing, PoseMissing) and '/clock' in missing.reason
