"""The simulated robot as a process: topics, frames, stamps, motion, truth, its end."""

import io
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
import small_world
from cv_bridge import CvBridge
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from PIL import Image
from rcl_interfaces.srv import SetParameters
from rclpy.context import Context
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_profile_sensor_data
from rclpy.time import Time
from sensor_msgs.msg import CameraInfo, LaserScan
from sensor_msgs.msg import Image as ImageMessage
from tf2_ros import Buffer, TransformListener

from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav_sim.robot.camera import CAMERA_T_OPTICAL, CameraModel

OPTICAL = 'camera_color_optical_frame'
SENSORS = {'camera/image_raw': ImageMessage, 'camera/depth/image_raw': ImageMessage,
           'camera/camera_info': CameraInfo, 'scan': LaserScan, 'odom': Odometry}
LEFT = {'left/image_raw': ImageMessage, 'left/depth/image_raw': ImageMessage,
        'left/camera_info': CameraInfo}


def start(folder: Path, *parameters: str) -> subprocess.Popen[str]:
    arguments = [word for parameter in parameters for word in ('-p', parameter)]
    return subprocess.Popen(
        [sys.executable, '-m', 'semantic_nav_sim.robot_node', '--ros-args', *arguments],
        env={**os.environ, 'XDG_CACHE_HOME': str(folder / 'cache')}, text=True,
        stderr=subprocess.PIPE)


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = process.communicate(timeout=60)
    return process.returncode, said


class Listener(Node):
    """Keeps the newest message of each sensor it was told to listen to."""

    def __init__(self, context: Context) -> None:
        super().__init__('listener', context=context)
        self.newest: dict[str, Any] = {}
        self.counts: dict[str, int] = dict.fromkeys((*SENSORS, *LEFT), 0)
        self.commands = self.create_publisher(Twist, 'cmd_vel', 10)
        self.buffer = Buffer()
        self.tf = TransformListener(self.buffer, self)

    def listen(self, topic: str) -> None:
        def take(message: Any) -> None:
            self.newest[topic] = message
            self.counts[topic] += 1
        self.create_subscription({**SENSORS, **LEFT}[topic], topic, take,
                                 qos_profile_sensor_data)


class Robot:
    """A running robot with someone who listens."""

    def __init__(self, listener: Listener, executor: Executor, url: str,
                 process: subprocess.Popen[str]) -> None:
        self.listener, self.executor, self.url, self.process = listener, executor, url, process
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def until(self, condition: Callable[[], object], limit_s: float = 60.0) -> None:
        deadline_s = time.monotonic() + limit_s
        while not condition():
            assert time.monotonic() < deadline_s, 'the condition did not come true'
            assert self.process.poll() is None, 'the node died'
            self.executor.spin_once(timeout_sec=0.05)

    def ask(self, path: str, data: bytes | None = None) -> Any:
        request = urllib.request.Request(f'{self.url}/{path}', data)
        with self._opener.open(request, timeout=20) as reply:
            return json.load(reply)

    def answers(self) -> bool:
        try:
            return bool(self.ask('pose'))
        except (OSError, urllib.error.URLError):
            return False

    def drive(self, speed: float, turn: float) -> None:
        message = Twist()
        message.linear.x, message.angular.z = speed, turn
        self.listener.commands.publish(message)


@pytest.fixture(scope='module')
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp('robot')
    small_world.write_world(folder / 'small')
    return folder


@pytest.fixture(scope='module')
def robot(folder: Path, ros_domain: int) -> Iterator[Robot]:
    context = Context()
    rclpy.init(context=context)
    port = 20000 + ros_domain
    process = start(folder, f'world:={folder / "small"}', f'seed:={small_world.SEED_TABLE}',
                    f'truth_port:={port}', 'profile:=default+side_cameras')
    listener = Listener(context)
    executor = make_executor(context)
    executor.add_node(listener)
    robot = Robot(listener, executor, f'http://127.0.0.1:{port}', process)
    try:
        robot.until(robot.answers)
        yield robot
    finally:
        process.send_signal(signal.SIGINT)
        code, said = end(process)
        executor.shutdown()
        listener.destroy_node()
        rclpy.shutdown(context=context)
    assert code == 0, said


def pixels(message: ImageMessage) -> np.ndarray[Any, Any]:
    return np.asarray(CvBridge().imgmsg_to_cv2(message, 'passthrough'))


def test_nothing_is_drawn_before_someone_listens(robot: Robot) -> None:
    """Runs first: the listener has no subscription yet."""
    picture = io.BytesIO()
    Image.new('RGB', (64, 48)).save(picture, 'PNG')
    answer = robot.ask('seen', picture.getvalue())
    assert answer['similarity'] == 0.0 and not answer['found']


def floor_m(depth: ImageMessage, info: CameraInfo) -> float:
    """Return how high the lowest that a picture shows lies, by the matrix K of a camera_info."""
    rows, columns = np.nonzero(pixels(depth))
    deep = pixels(depth)[rows, columns] / 1000.0
    rays = np.stack([(columns - info.k[2]) / info.k[0], (rows - info.k[5]) / info.k[4],
                     np.ones(len(rows))], axis=1)
    camera = CameraModel()
    base_T_optical = camera.base_t_camera @ CAMERA_T_OPTICAL
    return float(np.percentile(base_T_optical.apply(rays * deep[:, None])[:, 2], 5))


@pytest.mark.parametrize('colour', [False, True], ids=['depth alone', 'with the picture'])
def test_depth_fits_the_camera_info_of_its_stamp(robot: Robot, colour: bool) -> None:
    """Without the picture's listener first: the module's other tests listen to it."""
    seen: dict[str, dict[int, Any]] = {'depth/image_raw': {}, 'camera_info': {}, 'image_raw': {}}
    topics = [*seen] if colour else ['depth/image_raw', 'camera_info']
    listeners = [robot.listener.create_subscription(
        SENSORS[f'camera/{topic}'], f'camera/{topic}',
        lambda message, topic=topic: seen[topic].update(
            {Time.from_msg(message.header.stamp).nanoseconds: message}),
        qos_profile_sensor_data) for topic in topics]
    both: set[int] = set()

    def enough() -> bool:
        both.update(set.intersection(*(set(seen[topic]) for topic in topics)))
        return len(both) > 3
    robot.until(enough)
    for stamp in both:
        depth, info = (seen[topic][stamp] for topic in ('depth/image_raw', 'camera_info'))
        assert (depth.width, depth.height) == (info.width, info.height)
        assert abs(floor_m(depth, info)) < 0.05
    for listener in listeners:
        robot.listener.destroy_subscription(listener)


def test_all_sensors_arrive_in_their_frames(robot: Robot) -> None:
    for topic in SENSORS:
        robot.listener.listen(topic)
    robot.until(lambda: all(robot.listener.counts[topic] > 3 for topic in SENSORS))
    newest = robot.listener.newest
    colour, depth = newest['camera/image_raw'], newest['camera/depth/image_raw']
    assert (colour.encoding, colour.width, colour.height) == ('rgb8', 640, 480)
    assert (depth.encoding, depth.width, depth.height) == ('16UC1', 640, 480)
    assert {colour.header.frame_id, depth.header.frame_id} == {OPTICAL}
    assert pixels(colour).shape == (480, 640, 3)
    assert 300 < np.median(pixels(depth)[pixels(depth) > 0]) < 4000
    info, camera = newest['camera/camera_info'], CameraModel()
    assert info.k[0] == info.k[4] == info.p[0] == pytest.approx(camera.focal_px)
    assert (info.k[2], info.k[5]) == camera.centre_px
    scan = newest['scan']
    assert len(scan.ranges) == 360 and scan.header.frame_id == 'laser'
    odom = newest['odom']
    assert (odom.header.frame_id, odom.child_frame_id) == ('odom', 'base_link')


def test_colour_depth_and_info_share_stamps(robot: Robot) -> None:
    newest = robot.listener.newest
    topics = ('camera/image_raw', 'camera/depth/image_raw', 'camera/camera_info')
    robot.until(lambda: len({Time.from_msg(newest[topic].header.stamp).nanoseconds
                             for topic in topics}) == 1)


def test_transforms_lead_from_the_map_to_the_picture(robot: Robot) -> None:
    newest, buffer = robot.listener.newest, robot.listener.buffer
    stamps: list[Time] = []

    def known() -> bool:
        # Of the first second the localisation says nothing.
        stamps.append(Time.from_msg(newest['camera/image_raw'].header.stamp))
        return bool(buffer.can_transform('map', OPTICAL, stamps[-1]))

    robot.until(known)
    stamp = stamps[-1]
    camera = buffer.lookup_transform('map', OPTICAL, stamp).transform.translation
    base = buffer.lookup_transform('map', 'base_link', stamp).transform
    pose = robot.ask('pose')
    assert (base.translation.x, base.translation.y) == pytest.approx((pose['x'], pose['y']),
                                                                     abs=0.1)
    assert camera.z == pytest.approx(CameraModel().mount[2])
    assert base.translation.z == 0
    # Optical frames look along z: a point ahead lies lower, for the camera looks down.
    matrix = buffer.lookup_transform('base_link', OPTICAL, Time()).transform.rotation
    x, y, z, w = matrix.x, matrix.y, matrix.z, matrix.w
    forward = (2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y))
    assert forward == pytest.approx((np.cos(CameraModel().pitch_rad), 0,
                                     -np.sin(CameraModel().pitch_rad)), abs=1e-6)
    laser = buffer.lookup_transform('base_link', 'laser', Time()).transform.translation
    assert 0.1 < laser.z < 0.4


def test_further_cameras_have_topics_and_frames_of_their_own(robot: Robot) -> None:
    for topic in LEFT:
        robot.listener.listen(topic)
    robot.until(lambda: all(robot.listener.counts[topic] > 3 for topic in LEFT))
    newest, frame = robot.listener.newest, 'left_color_optical_frame'
    assert {newest[topic].header.frame_id for topic in LEFT} == {frame}
    ahead, aside = pixels(newest['camera/image_raw']), pixels(newest['left/image_raw'])
    assert aside.shape == ahead.shape and np.abs(aside.astype(int) - ahead).mean() > 5.0
    turn = robot.listener.buffer.lookup_transform('base_link', frame, Time()).transform.rotation
    x, y, z, w = turn.x, turn.y, turn.z, turn.w
    assert np.arctan2(2 * (y * z - x * w), 2 * (x * z + y * w)) == pytest.approx(1.2, abs=1e-6)


def test_a_second_robot_names_the_busy_port_before_it_builds_its_world(robot: Robot,
                                                                       folder: Path) -> None:
    port = robot.url.rpartition(':')[2]
    code, said = end(start(folder, f'truth_port:={port}', 'world:=nowhere'))
    assert code == 1 and f'truth_port {port} cannot be had' in said


def test_the_localisation_stamps_its_correction_ahead_as_amcl_does(robot: Robot) -> None:
    correction, pose = (robot.listener.buffer.lookup_transform(parent, child, Time())
                        for parent, child in (('map', 'odom'), ('odom', 'base_link')))
    ahead = Time.from_msg(correction.header.stamp) - Time.from_msg(pose.header.stamp)
    assert ahead.nanoseconds / 1e9 == pytest.approx(1.0, abs=0.2)


def test_a_published_picture_is_recognised(robot: Robot) -> None:
    message = robot.listener.newest['camera/image_raw']
    content = io.BytesIO()
    Image.fromarray(pixels(message)).resize((644, 476)).save(content, 'JPEG', quality=80)
    answer = robot.ask('seen', content.getvalue())
    assert answer['found'] and (answer['width'], answer['height']) == (644, 476)
    assert answer['room'] == 'den'
    assert answer['objects'] and answer['age_s'] < 30


def test_the_robot_drives_and_stops_when_commands_stop(robot: Robot) -> None:
    before = robot.ask('pose')

    def turned() -> bool:
        robot.drive(0.1, 0.8)
        return abs(robot.ask('pose')['yaw'] - before['yaw']) > 0.3
    robot.until(turned)
    # No stop is sent: the watchdog has to do it.
    robot.until(lambda: robot.listener.newest['odom'].twist.twist.angular.z == 0.0)
    rest = robot.ask('pose')
    assert rest['distance_m'] > before['distance_m'] and rest['collisions'] == 0
    count = robot.listener.counts['odom']
    robot.until(lambda: robot.listener.counts['odom'] > count + 5)
    assert robot.ask('pose')['yaw'] == rest['yaw']
    odom = robot.listener.newest['odom'].pose.pose
    yaw = 2 * np.arctan2(odom.orientation.z, odom.orientation.w)
    assert yaw == pytest.approx(rest['yaw'] - before['yaw'], abs=0.15)


def test_parameters_are_checked_and_told(folder: Path, ros_domain: int) -> None:
    code, said = end(start(folder, 'camera_rate:=0.0'))
    assert code == 1 and 'camera_rate' in said
    code, said = end(start(folder, 'world:=castle'))
    assert code == 1 and 'known are apartment' in said
    code, said = end(start(folder, 'world:=castle', 'silent:=nose'))
    assert code == 1 and 'silent: some of camera' in said


def test_the_prefix_stands_before_the_frames_and_sigterm_ends_it(
        folder: Path, ros_domain: int) -> None:
    context = Context()
    rclpy.init(context=context)
    listener = Listener(context)
    executor = make_executor(context)
    executor.add_node(listener)
    process = start(folder, f'world:={folder / "small"}', 'frame_prefix:=r1/',
                    'width:=320', 'height:=240')
    robot = Robot(listener, executor, '', process)
    try:
        listener.listen('camera/camera_info')
        robot.until(lambda: any(
            message.header.frame_id == f'r1/{OPTICAL}' and message.width == 320
            for message in listener.newest.values()))
        robot.until(lambda: listener.buffer.can_transform('map', f'r1/{OPTICAL}', Time()))
    finally:
        process.terminate()
        code, said = end(process)
        executor.shutdown()
        listener.destroy_node()
        rclpy.shutdown(context=context)
    assert code == 0, said


def told(robot: Robot, name: str, value: object) -> bool:
    """Set a parameter of the simulated robot; returns whether it took it."""
    client = robot.listener.create_client(SetParameters, 'sim_robot/set_parameters')
    robot.until(client.service_is_ready)
    future = client.call_async(SetParameters.Request(
        parameters=[Parameter(name, value=value).to_parameter_msg()]))
    robot.until(future.done)
    (result,) = future.result().results
    return bool(result.successful)


def test_sensors_fall_silent_and_speak_again(robot: Robot) -> None:
    listener = robot.listener
    for topic in ('scan', 'odom'):
        listener.listen(topic)

    def silence(what: str) -> bool:
        return told(robot, 'silent', what)

    robot.until(lambda: listener.counts['scan'] and listener.counts['odom'])
    assert not silence('nose') and silence('scan')
    settled = listener.counts['odom'] + 10  # what was under way has come
    robot.until(lambda: listener.counts['odom'] > settled)
    before = dict(listener.counts)
    robot.until(lambda: listener.counts['odom'] > before['odom'] + 30)
    assert listener.counts['scan'] == before['scan']
    assert silence('')
    robot.until(lambda: listener.counts['scan'] > before['scan'] + 3)


def test_another_localises_where_the_simulated_one_is_silent(robot: Robot) -> None:
    buffer = robot.listener.buffer

    def newest_ns(parent: str, child: str) -> int:
        found = buffer.lookup_transform(parent, child, Time())
        return int(Time.from_msg(found.header.stamp).nanoseconds)

    robot.until(lambda: buffer.can_transform('map', 'odom', Time()))
    assert told(robot, 'silent', 'localisation')
    # What was under way has come two seconds of odometry later.
    settled_ns = newest_ns('odom', 'base_link') + 2_000_000_000
    robot.until(lambda: newest_ns('odom', 'base_link') > settled_ns)
    assert newest_ns('map', 'odom') < settled_ns
    assert told(robot, 'silent', '')
    robot.until(lambda: newest_ns('map', 'odom') > settled_ns + 1_000_000_000)


def test_localisation_jumps_and_comes_back(robot: Robot) -> None:
    def held_to_be_m() -> float:
        found = robot.listener.buffer.lookup_transform('map', 'base_link', Time())
        return found.transform.translation.x - robot.ask('pose')['x']

    robot.until(lambda: robot.listener.buffer.can_transform('map', 'base_link', Time()))
    before_m = held_to_be_m()
    assert told(robot, 'jump_m', 1.5)
    robot.until(lambda: abs(held_to_be_m() - before_m - 1.5) < 0.05)
    assert told(robot, 'jump_m', 0.0)
    robot.until(lambda: abs(held_to_be_m() - before_m) < 0.05)
