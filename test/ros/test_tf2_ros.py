"""tf2_ros, the real one or the stand-in."""

import math
import time
from collections.abc import Callable, Iterator

import pytest
import rclpy
from builtin_interfaces.msg import Time as TimeMsg
from geometry_msgs.msg import TransformStamped
from hypothesis import given
from hypothesis import strategies as st
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.time import Time
from tf2_msgs.msg import TF2Error
from tf2_msgs.srv import FrameGraph
from tf2_ros import (
    Buffer,
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    StaticTransformBroadcaster,
    TransformBroadcaster,
    TransformException,
    TransformListener,
)

LATEST = Time()


def transform(
    parent: str,
    child: str,
    stamp_s: float = 0.0,
    xyz: tuple[float, float, float] = (0.0, 0.0, 0.0),
    yaw: float = 0.0,
) -> TransformStamped:
    message = TransformStamped()
    message.header.frame_id = parent
    message.header.stamp = Time(nanoseconds=round(stamp_s * 1e9)).to_msg()
    message.child_frame_id = child
    translation, rotation = message.transform.translation, message.transform.rotation
    translation.x, translation.y, translation.z = xyz
    rotation.z, rotation.w = math.sin(yaw / 2), math.cos(yaw / 2)
    return message


def at(seconds: float) -> Time:
    return Time(nanoseconds=round(seconds * 1e9))


def yaw_of(message: TransformStamped) -> float:
    rotation = message.transform.rotation
    return 2 * math.atan2(rotation.z, rotation.w)


def xy_of(message: TransformStamped) -> tuple[float, float]:
    return message.transform.translation.x, message.transform.translation.y


@pytest.fixture
def buffer() -> Buffer:
    return Buffer()


@pytest.fixture
def robot(buffer: Buffer) -> Buffer:
    """Return a buffer with map -> odom -> base_link -> camera from 10 s to 12 s.

    The robot drives along x at 1 m/s and turns left at 1 rad/s; odom stands 5 m to the left of
    map; the camera sits 0.2 m in front, 1 m up.
    """
    buffer.set_transform_static(transform('base_link', 'camera', xyz=(0.2, 0.0, 1.0)), 'test')
    for tenth in range(21):
        stamp_s = 10 + tenth / 10
        buffer.set_transform(transform('map', 'odom', stamp_s, (0.0, 5.0, 0.0)), 'test')
        buffer.set_transform(
            transform('odom', 'base_link', stamp_s, (tenth / 10, 0.0, 0.0), tenth / 10), 'test'
        )
    return buffer


class TestLookup:
    def test_the_answer_names_frames_and_time(self, robot: Buffer) -> None:
        answer = robot.lookup_transform('map', 'base_link', at(11.0))
        assert answer.header.frame_id == 'map'
        assert answer.child_frame_id == 'base_link'
        assert answer.header.stamp == TimeMsg(sec=11)

    def test_a_chain(self, robot: Buffer) -> None:
        answer = robot.lookup_transform('map', 'camera', at(11.0))
        assert xy_of(answer) == pytest.approx((1 + 0.2 * math.cos(1), 5 + 0.2 * math.sin(1)))
        assert answer.transform.translation.z == pytest.approx(1.0)
        assert yaw_of(answer) == pytest.approx(1.0)

    def test_a_chain_the_other_way(self, robot: Buffer) -> None:
        answer = robot.lookup_transform('camera', 'map', at(11.0))
        # The map's origin, seen from a camera that is at (1.2, 5.17) and looks 1 rad to the left.
        dx, dy = -(1 + 0.2 * math.cos(1)), -(5 + 0.2 * math.sin(1))
        expected = (
            math.cos(1) * dx + math.sin(1) * dy,
            -math.sin(1) * dx + math.cos(1) * dy,
        )
        assert xy_of(answer) == pytest.approx(expected)
        assert yaw_of(answer) == pytest.approx(-1.0)

    def test_two_branches(self, robot: Buffer) -> None:
        robot.set_transform_static(transform('base_link', 'laser', xyz=(-0.3, 0.1, 0.2)), 'test')
        answer = robot.lookup_transform('laser', 'camera', LATEST)
        assert xy_of(answer) == pytest.approx((0.5, -0.1))
        assert answer.transform.translation.z == pytest.approx(0.8)

    def test_between_two_stamps(self, robot: Buffer) -> None:
        answer = robot.lookup_transform('odom', 'base_link', at(10.525))
        assert xy_of(answer) == pytest.approx((0.525, 0.0))
        assert yaw_of(answer) == pytest.approx(0.525)

    def test_rotation_goes_the_short_way_round(self, buffer: Buffer) -> None:
        buffer.set_transform(transform('a', 'b', 1.0, yaw=math.radians(170)), 'test')
        buffer.set_transform(transform('a', 'b', 2.0, yaw=math.radians(-170)), 'test')
        answer = buffer.lookup_transform('a', 'b', at(1.25))
        assert yaw_of(answer) == pytest.approx(math.radians(175))

    def test_samples_may_come_out_of_order(self, buffer: Buffer) -> None:
        for stamp_s in (1.0, 3.0, 2.0):
            buffer.set_transform(transform('a', 'b', stamp_s, (stamp_s**2, 0.0, 0.0)), 'test')
        assert xy_of(buffer.lookup_transform('a', 'b', at(2.5)))[0] == pytest.approx(6.5)

    def test_time_zero_is_the_latest_common_time(self, robot: Buffer) -> None:
        robot.set_transform(transform('map', 'odom', 12.05, (0.0, 6.0, 0.0)), 'test')
        answer = robot.lookup_transform('map', 'camera', LATEST)
        assert answer.header.stamp == at(12.0).to_msg()
        # odom at 12.0 precisely, not its newest.
        assert answer.transform.translation.y == pytest.approx(5 + 0.2 * math.sin(2))

    def test_static_transforms_hold_at_all_times(self, robot: Buffer) -> None:
        for time_of in (LATEST, at(1.0), at(1e6)):
            answer = robot.lookup_transform('base_link', 'camera', time_of)
            assert xy_of(answer) == pytest.approx((0.2, 0.0))

    def test_a_frame_in_itself(self, robot: Buffer) -> None:
        answer = robot.lookup_transform('base_link', 'base_link', at(11.0))
        assert xy_of(answer) == (0.0, 0.0)
        assert answer.transform.rotation.w == 1.0

    def test_message_times_are_taken_too(self, robot: Buffer) -> None:
        stamp = TimeMsg(sec=10, nanosec=500_000_000)
        assert xy_of(robot.lookup_transform('odom', 'base_link', stamp)) == pytest.approx((0.5, 0))

    def test_across_two_times(self, robot: Buffer) -> None:
        answer = robot.lookup_transform_full('base_link', at(12.0), 'base_link', at(11.0), 'odom')
        # One second before, it was 1 m back along odom's x, which is 2 rad to the right of it now.
        assert xy_of(answer) == pytest.approx((-math.cos(2), math.sin(2)))
        assert yaw_of(answer) == pytest.approx(-1.0)

    @given(
        x=st.floats(-100, 100),
        y=st.floats(-100, 100),
        yaw=st.floats(-math.pi, math.pi),
        ratio=st.floats(0, 1),
    )
    def test_there_and_back_is_nothing(self, x: float, y: float, yaw: float, ratio: float) -> None:
        buffer = Buffer()
        buffer.set_transform(transform('a', 'b', 1.0), 'test')
        buffer.set_transform(transform('a', 'b', 2.0, (x, y, 0.0), yaw), 'test')
        there = buffer.lookup_transform('a', 'b', at(1.0 + ratio))
        back = buffer.lookup_transform('b', 'a', at(1.0 + ratio))
        turn = yaw_of(there)
        returned = (
            there.transform.translation.x
            + math.cos(turn) * back.transform.translation.x
            - math.sin(turn) * back.transform.translation.y,
            there.transform.translation.y
            + math.sin(turn) * back.transform.translation.x
            + math.cos(turn) * back.transform.translation.y,
        )
        assert returned == pytest.approx((0.0, 0.0), abs=1e-9)
        assert math.remainder(turn + yaw_of(back), math.tau) == pytest.approx(0.0, abs=1e-9)


class TestErrors:
    @pytest.mark.parametrize('stamp_s', [9.99, 12.01])
    def test_outside_the_history(self, robot: Buffer, stamp_s: float) -> None:
        with pytest.raises(ExtrapolationException):
            robot.lookup_transform('map', 'base_link', at(stamp_s))
        assert not robot.can_transform('map', 'base_link', at(stamp_s))

    def test_a_single_sample_holds_at_its_time_only(self, buffer: Buffer) -> None:
        buffer.set_transform(transform('a', 'b', 1.0), 'test')
        assert buffer.can_transform('a', 'b', at(1.0))
        with pytest.raises(ExtrapolationException):
            buffer.lookup_transform('a', 'b', at(1.5))

    def test_the_history_is_as_long_as_asked(self) -> None:
        buffer = Buffer(cache_time=Duration(seconds=2))
        for stamp_s in range(1, 11):
            buffer.set_transform(transform('a', 'b', float(stamp_s)), 'test')
        assert buffer.can_transform('a', 'b', at(8.5))
        assert not buffer.can_transform('a', 'b', at(7.5))

    def test_an_unknown_frame(self, robot: Buffer) -> None:
        for target, source in (('map', 'nothing'), ('nothing', 'map')):
            with pytest.raises(LookupException, match='nothing'):
                robot.lookup_transform(target, source, LATEST)

    def test_two_trees(self, robot: Buffer) -> None:
        robot.set_transform(transform('other_map', 'other_base', 11.0), 'test')
        with pytest.raises(ConnectivityException):
            robot.lookup_transform('map', 'other_base', LATEST)

    @pytest.mark.parametrize('frame', ['', '/map'])
    def test_a_bad_name(self, robot: Buffer, frame: str) -> None:
        with pytest.raises(InvalidArgumentException):
            robot.lookup_transform(frame, 'odom', LATEST)

    def test_all_are_transform_exceptions(self) -> None:
        for error in (
            ConnectivityException,
            ExtrapolationException,
            InvalidArgumentException,
            LookupException,
        ):
            assert issubclass(error, TransformException)

    @pytest.mark.parametrize(
        'bad',
        [
            transform('b', 'b'),
            transform('', 'b'),
            transform('a', ''),
            transform('a', 'b', xyz=(math.nan, 0.0, 0.0)),
        ],
    )
    def test_nonsense_is_not_stored(self, buffer: Buffer, bad: TransformStamped) -> None:
        buffer.set_transform(bad, 'test')
        assert not buffer.can_transform('a', 'b', LATEST)

    def test_a_rotation_that_is_none_is_not_stored(self, buffer: Buffer) -> None:
        bad = transform('a', 'b')
        bad.transform.rotation.w = 0.0
        buffer.set_transform(bad, 'test')
        assert not buffer.can_transform('a', 'b', LATEST)

    def test_clear_forgets_all_but_static_transforms(self, robot: Buffer) -> None:
        robot.clear()
        assert not robot.can_transform('map', 'base_link', LATEST)
        assert robot.can_transform('base_link', 'camera', LATEST)

    def test_reasons_on_request(self, robot: Buffer) -> None:
        possible, reason = robot.can_transform('map', 'nothing', LATEST, return_debug_tuple=True)
        assert not possible
        assert 'nothing' in reason


class Rig:
    """Two nodes of one context, a sender and a receiver, and an executor to spin them."""

    def __init__(self, domain: int) -> None:
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.sender = self.node('sender')
        self.receiver = self.node('receiver')

    def node(self, name: str) -> Node:
        node = Node(name, context=self.context, namespace='robot')
        self.executor.add_node(node)
        return node

    def spin_until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 20
        while not condition():
            assert time.monotonic() < deadline, 'waited in vain'
            self.executor.spin_once(timeout_sec=0.05)


@pytest.fixture
def rig(ros_domain: int) -> Iterator[Rig]:
    rig = Rig(ros_domain)
    yield rig
    rig.executor.shutdown()
    rclpy.shutdown(context=rig.context)


class TestTopics:
    def test_listener_and_broadcaster(self, rig: Rig) -> None:
        buffer = Buffer()
        listener = TransformListener(buffer, rig.receiver)
        broadcaster = TransformBroadcaster(rig.sender)
        rig.spin_until(lambda: broadcaster.pub_tf.get_subscription_count() == 1)
        broadcaster.sendTransform(
            [transform('odom', 'base_link', 1.0), transform('map', 'odom', 1.0, (3.0, 0.0, 0.0))]
        )
        broadcaster.sendTransform(transform('base_link', 'camera', 1.0, (0.5, 0.0, 0.0)))
        rig.spin_until(lambda: buffer.can_transform('map', 'camera', at(1.0)))
        assert xy_of(buffer.lookup_transform('map', 'camera', at(1.0))) == (3.5, 0.0)
        listener.unregister()

    def test_static_transforms_reach_who_comes_late(self, rig: Rig) -> None:
        broadcaster = StaticTransformBroadcaster(rig.sender)
        broadcaster.sendTransform(transform('base_link', 'camera', xyz=(0.5, 0.0, 0.0)))
        broadcaster.sendTransform([transform('base_link', 'laser', xyz=(0.1, 0.0, 0.0))])
        buffer = Buffer()
        listener = TransformListener(buffer, rig.receiver)
        rig.spin_until(lambda: buffer.can_transform('camera', 'laser', LATEST))
        assert xy_of(buffer.lookup_transform('laser', 'camera', LATEST)) == (0.4, 0.0)
        listener.unregister()

    def test_waiting_while_another_thread_listens(self, rig: Rig) -> None:
        buffer = Buffer()
        own = Node('own', context=rig.context)
        listener = TransformListener(buffer, own, spin_thread=True)
        broadcaster = TransformBroadcaster(rig.sender)
        timer = rig.sender.create_timer(
            0.02, lambda: broadcaster.sendTransform(transform('a', 'b', 1.0))
        )
        rig.spin_until(lambda: buffer.can_transform('a', 'b', at(1.0), Duration(seconds=0.02)))
        timer.cancel()
        assert not buffer.can_transform('a', 'b', at(2.0), Duration(seconds=0.05))
        listener.unregister()

    def test_a_future_completes_when_the_transform_comes(self, buffer: Buffer) -> None:
        buffer.set_transform(transform('a', 'b', 1.0), 'test')
        future = buffer.wait_for_transform_async('a', 'b', at(1.5))
        assert not future.done()
        buffer.set_transform(transform('a', 'b', 2.0), 'test')
        assert future.done()
        assert buffer.wait_for_transform_async('a', 'b', at(1.5)).done()

    def test_the_tree_is_offered_as_yaml(self, rig: Rig) -> None:
        buffer = Buffer(node=rig.receiver)
        buffer.set_transform(transform('map', 'odom', 1.0), 'test')
        client = rig.sender.create_client(FrameGraph, 'tf2_frames')
        rig.spin_until(client.service_is_ready)
        future = client.call_async(FrameGraph.Request())
        rig.spin_until(future.done)
        yaml = pytest.importorskip('yaml')
        tree = yaml.safe_load(future.result().frame_yaml)
        assert tree['odom']['parent'] == 'map'


@pytest.mark.parametrize(
    ('name', 'code'),
    [
        ('NO_ERROR', 0),
        ('LOOKUP_ERROR', 1),
        ('CONNECTIVITY_ERROR', 2),
        ('EXTRAPOLATION_ERROR', 3),
        ('INVALID_ARGUMENT_ERROR', 4),
        ('TIMEOUT_ERROR', 5),
        ('TRANSFORM_ERROR', 6),
    ],
)
def test_error_codes(name: str, code: int) -> None:
    assert getattr(TF2Error, name) == code
