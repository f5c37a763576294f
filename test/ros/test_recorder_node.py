"""The recorder over real DDS: what it wrote, read back from the file."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
import yaml
from diagnostic_msgs.msg import DiagnosticArray
from executors import shut_down
from nav2_msgs.msg import SpeedLimit
from rclpy.context import Context
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message
from recordings import Recorded, read
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.nodes.recorder import RecorderNode
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav.nodes.ros.clock import to_stamp

PATIENCE_S = 90.0
PICTURE = Image(height=1, width=4, step=4, encoding='mono8', data=b'mug!')


class Rig:
    """A robot that speaks, and a recorder."""

    def __init__(self, context: Context, folder: Path) -> None:
        self.context, self._folder = context, folder
        self.executor = make_executor(context)
        self.nodes: list[Node] = []
        self.robot = self.add(Node('robot', context=context, namespace='robot'))

    def add(self, node: Any) -> Any:
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def record(self, **parameters: Any) -> RecorderNode:
        return self.add(RecorderNode(
            context=self.context, namespace='robot', parameter_overrides=[
                Parameter(name, value=value) for name, value in {
                    'journal_dir': str(self._folder), 'keep_free_mb': 0, **parameters}.items()]))

    def recorded(self) -> Recorded:
        path, = self._folder.glob('*/recorder.mcap')
        return read(path)

    def until(self, condition: Callable[[], object]) -> None:
        deadline_s = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline_s, 'the condition did not come true'
            self.executor.spin_once(timeout_sec=0.05)


@pytest.fixture
def rig(ros_domain: int, tmp_path: Path) -> Iterator[Rig]:
    context = Context()
    rclpy.init(context=context)
    made = Rig(context, tmp_path)
    yield made
    shut_down(made.executor)
    for node in made.nodes:
        node.destroy_node()
    rclpy.shutdown(context=context)


def test_each_message_is_recorded_as_it_was_said(rig: Rig) -> None:
    publish = rig.robot.create_publisher
    belief = publish(String, 'semantic_nav/belief', qos.STATE)
    belief.publish(String(data='said before anybody listened'))
    for _ in range(2):
        publish(TFMessage, '/tf_static', qos.STATE).publish(TFMessage())
    picture = publish(Image, 'camera/image_raw', qos.IMAGES)
    unwanted = [publish(String, '/other/semantic_nav/belief', qos.STATE),
                publish(SpeedLimit, 'speed_limit', qos.STATE),
                publish(String, 'secret', qos.STATE)]
    for one, message in zip(unwanted, (String(), SpeedLimit(), String()), strict=True):
        one.publish(message)
    rig.record(left_out='secret', picture_period_s=0.0)

    def all_there() -> bool:
        picture.publish(PICTURE)
        found = rig.recorded()
        return all(found.of(topic) for topic in (
            '/robot/semantic_nav/belief', '/robot/camera/image_raw')) and (
                len(found.of('/tf_static')) == 2)
    rig.until(all_there)
    found = rig.recorded()
    assert not {one.topic_name for one in unwanted} & set(found.channels)
    said, = found.of('/robot/semantic_nav/belief')
    assert deserialize_message(said, String).data == 'said before anybody listened'
    assert deserialize_message(found.of('/robot/camera/image_raw')[-1], Image) == PICTURE

    kind = found.schemas['sensor_msgs/msg/Image']
    channel = found.channels['/robot/camera/image_raw']
    assert (found.profile, kind.encoding, channel.message_encoding) == ('ros2', 'ros2msg', 'cdr')
    assert channel.schema_id == kind.id
    assert [line for line in kind.data.decode().splitlines() if line.startswith('MSG: ')] == [
        'MSG: std_msgs/Header', 'MSG: builtin_interfaces/Time']
    offered, = yaml.safe_load(channel.metadata['offered_qos_profiles'])
    assert (offered['reliability'], offered['durability'], offered['deadline']) == (
        'best_effort', 'volatile', {'sec': 9223372036, 'nsec': 854775807})
    latched, = yaml.safe_load(
        found.channels['/robot/semantic_nav/belief'].metadata['offered_qos_profiles'])
    assert (latched['reliability'], latched['durability']) == ('reliable', 'transient_local')


def test_it_is_recorded_when_it_came_by_the_clock_of_ros(rig: Rig) -> None:
    recorder = rig.record(use_sim_time=True)
    clock = rig.robot.create_publisher(Clock, '/clock', 10)
    now_ns = 1234 * NS_PER_S

    def clock_is_read() -> bool:
        clock.publish(Clock(clock=to_stamp(now_ns)))
        return recorder.get_clock().now().nanoseconds == now_ns
    rig.until(clock_is_read)
    rig.robot.create_publisher(String, 'goal', qos.STATE).publish(String(data='find the mug'))
    rig.until(lambda: rig.recorded().of('/robot/goal'))
    message, = rig.recorded().messages['/robot/goal']
    assert message.log_time == message.publish_time == now_ns


def test_a_writer_that_promises_less_is_heard_too(rig: Rig) -> None:
    reliable = rig.robot.create_publisher(String, 'words', qos.EVENTS)
    rig.record()
    rig.until(lambda: rig.recorded().of('/robot/words') or reliable.publish(String(data='heard')))
    lossy = rig.robot.create_publisher(String, 'words', qos.IMAGES)
    rig.until(lambda: b'lossy' in b''.join(rig.recorded().of('/robot/words'))
              or lossy.publish(String(data='lossy')))


def test_of_pictures_one_in_a_period_is_recorded(rig: Rig) -> None:
    pictures = rig.robot.create_publisher(Image, 'image_raw', qos.EVENTS)
    infos = rig.robot.create_publisher(CameraInfo, 'camera_info', qos.EVENTS)
    rig.record(picture_period_s=3600.0)

    def ten_came() -> bool:
        pictures.publish(PICTURE)
        infos.publish(CameraInfo())
        return len(rig.recorded().of('/robot/camera_info')) >= 10
    rig.until(ten_came)
    rig.until(lambda: rig.recorded().of('/robot/image_raw'))
    assert len(rig.recorded().of('/robot/image_raw')) == 1


def test_one_that_has_its_size_says_so_and_listens_no_more(rig: Rig) -> None:
    pictures = rig.robot.create_publisher(Image, 'image_raw', qos.EVENTS)
    said: list[str] = []
    rig.robot.create_subscription(DiagnosticArray, '/diagnostics', lambda message: said.extend(
        one.message for one in message.status if one.name == 'robot/recorder: recording'), 10)
    rig.record(max_mb=1, picture_period_s=0.0)
    noise = Image(data=os.urandom(200_000))
    rig.until(lambda: pictures.get_subscription_count() == 1)
    rig.until(lambda: pictures.get_subscription_count() == 0 or pictures.publish(noise))
    rig.until(lambda: said and said[-1].endswith('recorder.mcap has ended: it has 1 MB'))
    assert rig.recorded().whole


@pytest.mark.parametrize('number', [signal.SIGKILL, signal.SIGINT])
def test_what_the_process_took_outlives_it(rig: Rig, tmp_path: Path,
                                           number: signal.Signals) -> None:
    rig.robot.create_publisher(String, 'goal', qos.STATE).publish(String(data='find the mug'))
    process = subprocess.Popen(
        [sys.executable, '-m', 'semantic_nav.nodes.recorder', '--ros-args', '-p',
         f'journal_dir:={tmp_path}', '-p', 'keep_free_mb:=0'])
    try:
        rig.until(lambda: list(tmp_path.glob('*/recorder.mcap')))
        rig.until(lambda: rig.recorded().of('/robot/goal'))
        assert process.poll() is None
        process.send_signal(number)
        code = process.wait(60)
    finally:
        process.kill()
    found = rig.recorded()
    said, = found.of('/robot/goal')
    assert deserialize_message(said, String).data == 'find the mug'
    assert (code, found.whole) == ((0, True) if number is signal.SIGINT else (-number, False))
