"""The simulated robot as a ROS node: sensors and transforms out, velocities in."""

import os
import threading
import time

from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.exceptions import InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import CameraInfo, Image, LaserScan
from tf2_ros import StaticTransformBroadcaster, TransformBroadcaster

from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.share import share_path
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA
from semantic_nav.nodes.ros import parameters, qos
from semantic_nav.nodes.ros.camera_topics import CameraTopics
from semantic_nav_sim import ros_main
from semantic_nav_sim.loopback_server import LoopbackServer
from semantic_nav_sim.ports import check_port
from semantic_nav_sim.profile_files import robot_choice
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot import ros_messages as messages
from semantic_nav_sim.robot.base import Drive
from semantic_nav_sim.robot.body import Depth, Frame
from semantic_nav_sim.robot.camera import CAMERA_T_OPTICAL, CameraModel
from semantic_nav_sim.robot.config import RobotConfig
from semantic_nav_sim.robot.frame_memory import FrameMemory
from semantic_nav_sim.robot.frames import compose
from semantic_nav_sim.robot.outbox import Outbox
from semantic_nav_sim.robot.profile import Delivery, RobotProfile
from semantic_nav_sim.robot.shape import shape_of
from semantic_nav_sim.robot.simulation import Simulation
from semantic_nav_sim.robot.truth import Truth
from semantic_nav_sim.robot.truth_server import serve_truth

MAP_FRAME = 'map'
#: Data that may fall silent, by the names in the parameter `silent`.
SENSORS = ('camera', 'depth', 'scan', 'odom', 'tf', 'localisation')
_DELIVERY_PERIOD_S = 0.02
FAST_DDS_CHOICES = ('FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE',
                    'FASTDDS_BUILTIN_TRANSPORTS')


class _CameraPublishers:
    """The publishers of one camera, and the pictures on their way.

    Attributes:
        camera: name of the camera; empty for the first one.
        link, optical: its frames.
        image, depth, info: publishers.
        pictures: delayed ones.
    """

    def __init__(self, node: Node, camera: str, seed: int, delivery: Delivery,
                 frame_prefix: str) -> None:
        self.camera, topics = camera, CameraTopics.named(camera or DEFAULT_CAMERA)
        self.link = f'{frame_prefix}{topics.name}_link'
        self.optical = f'{frame_prefix}{topics.name}_color_optical_frame'
        self.image = node.create_publisher(Image, topics.image, qos.IMAGES)
        self.depth = node.create_publisher(Image, topics.depth, qos.IMAGES)
        self.info = node.create_publisher(CameraInfo, topics.info, qos.IMAGES)
        self.pictures = Outbox[Depth](seed, f'pictures {camera}'.strip(), delivery)


class RobotNode(Node):
    """A base with a camera and a laser scanner in a simulated world.

    Parameters: those of `RobotConfig`, and two that may be set while the node runs. `silent` holds
    names of SENSORS that send nothing, with commas between. It counts for all cameras; `camera`
    includes depth, and `localisation` leaves map -> odom to another node. `jump_m` displaces the
    believed pose suddenly along x of the map.

    Subscribes: `cmd_vel` (geometry_msgs/Twist); a command holds for half a second. linear.y counts
    only for an omnidirectional base.

    Publishes: `camera/image_raw` (rgb8), `camera/depth/image_raw` (16UC1, millimetres, registered
    to colour, with its stamp) and `camera/camera_info` of both, each only while someone listens,
    also of each further camera of the profile, by its name; `scan`, `odom`; /tf: map (localisation
    with AMCL's manners, stamped ahead), odom, base_link; /tf_static: camera_link,
    camera_color_optical_frame, laser. Stamps are those of the node's clock, and true even if the
    profile delays a message.

    It also serves the truth over HTTP, to stand-ins and judges only (see `truth_server`).

    Raises:
        ConfigError: a parameter or the world is invalid, or this machine cannot render.
    """

    def __init__(self) -> None:
        super().__init__('sim_robot')
        parameters.declare(self, RobotConfig, read_only=True)
        self.config = config = parameters.read(self, RobotConfig)
        if config.truth_port:
            # Before the world is built, which may take a minute.
            check_port('truth_port', config.truth_port)
        self._silent: frozenset[str] = frozenset()
        self._jump_m = 0.0
        self.add_on_set_parameters_callback(self._on_parameters)
        self._declare_changing()
        camera = CameraModel(width=config.width, height=config.height)
        profile = load_profile(RobotProfile, robot_choice(config.profile, config.localiser))
        self.simulation = Simulation(
            config.world, config.seed, camera, profile=profile, drive=Drive(config.drive),
            people=config.people, moving_doors=config.moving_doors, shape=shape_of(config.shape),
            usual=config.usual_places)
        self._scans = Outbox[LaserScan](config.seed, 'scans', profile.scans)
        self._memory = FrameMemory()
        self._stopped = threading.Event()
        self._frames = {name: config.frame_prefix + name for name in (
            'odom', 'base_link', 'laser')}
        self._tf = TransformBroadcaster(self)
        self._static_tf = StaticTransformBroadcaster(self)
        self._odom = self.create_publisher(Odometry, 'odom', qos.EVENTS)
        self._scan = self.create_publisher(LaserScan, 'scan', qos.EVENTS)
        self._cameras = [_CameraPublishers(self, name, config.seed, profile.pictures,
                                       config.frame_prefix)
                         for name in ('', *profile.other_cameras)]
        self.create_subscription(Twist, 'cmd_vel', self._on_command, qos.EVENTS)
        self.simulation.step(self._now_ns())
        truth = Truth(self.simulation, self._memory, self._now_ns)
        # The first picture of each kind takes seconds, in which no transform could be sent.
        self.simulation.frame()
        truth.view()
        self._send_static_transforms()
        self.create_timer(1 / config.tf_rate, self._send_transforms)
        self.create_timer(1 / config.odom_rate, self._send_odometry)
        self.create_timer(1 / config.scan_rate, self._take_scan)
        if profile.pictures.late_s[1] > 0 or profile.scans.late_s[1] > 0:
            self.create_timer(_DELIVERY_PERIOD_S, self._deliver)
        self._truth: LoopbackServer | None = None
        if config.truth_port:
            self._truth = serve_truth(truth, self.simulation.overview, config.truth_port)
        self._camera_thread = threading.Thread(target=self._run_camera, name='camera')
        self._camera_thread.start()
        self.get_logger().info(
            f'world {config.world}, seed {config.seed}: the robot stands at '
            f'({self.simulation.stage.start.x:.2f}, {self.simulation.stage.start.y:.2f})')

    def close(self) -> None:
        """End the threads and stop rendering."""
        self._stopped.set()
        self._camera_thread.join()
        if self._truth is not None:
            self._truth.close()
        self.simulation.close()

    def _declare_changing(self) -> None:
        """Declare the parameters that may change while the node runs, and read their values."""
        try:
            self.declare_parameter('silent', '', ParameterDescriptor(
                description=f'what is silent: {", ".join(SENSORS)}, with commas between'))
            self.declare_parameter('jump_m', 0.0, ParameterDescriptor(
                description='how far off the localisation is, along x of the map, in m'))
        except InvalidParameterValueException as error:
            raise ConfigError(str(error)) from error

    def _on_parameters(self, changed: list[Parameter]) -> SetParametersResult:
        for parameter in changed:
            if parameter.name == 'silent':
                silent = frozenset(filter(None, str(parameter.value).split(',')))
                if not silent <= set(SENSORS):
                    return SetParametersResult(
                        successful=False, reason=f'silent: some of {", ".join(SENSORS)}')
                self._silent = silent
            elif parameter.name == 'jump_m':
                self._jump_m = float(parameter.value)
        return SetParametersResult(successful=True)

    def _now_ns(self) -> int:
        return int(self.get_clock().now().nanoseconds)

    def _on_command(self, message: Twist) -> None:
        self.simulation.command(message.linear.x, message.angular.z, self._now_ns(),
                                message.linear.y)

    def _send_static_transforms(self) -> None:
        stamp, frames = self._now_ns(), self._frames
        laser = Transform((0.0, 0.0, self.simulation.lidar.height_m), (0.0, 0.0, 0.0, 1.0))
        sent = [messages.transform(stamp, frames['base_link'], frames['laser'], laser)]
        for topics in self._cameras:
            mount = self.simulation.camera_of(topics.camera).base_t_camera
            sent += [messages.transform(stamp, frames['base_link'], topics.link, mount),
                     messages.transform(stamp, topics.link, topics.optical, CAMERA_T_OPTICAL)]
        self._static_tf.sendTransform(sent)

    def _send_transforms(self) -> None:
        now = self.simulation.step(self._now_ns())
        frames = self._frames
        if 'tf' in self._silent:
            return
        sent = [messages.transform(now.stamp_ns, frames['odom'], frames['base_link'], now.odom)]
        if 'localisation' not in self._silent:
            # Valid until the next one comes, as with AMCL.
            ahead_ns = now.stamp_ns + nanoseconds(self.config.transform_tolerance)
            held_to_be = compose(Pose2D(self._jump_m, 0.0, 0.0), now.map_t_odom)
            sent.append(messages.transform(ahead_ns, MAP_FRAME, frames['odom'], held_to_be))
        self._tf.sendTransform(sent)

    def _send_odometry(self) -> None:
        now = self.simulation.step(self._now_ns())
        if 'odom' in self._silent:
            return
        self._odom.publish(messages.odometry(now, self._frames['odom'], self._frames['base_link']))

    def _take_scan(self) -> None:
        now, ranges = self.simulation.scan()
        self._scans.put(messages.laser_scan(now.stamp_ns, self._frames['laser'], ranges,
                                            self.simulation.lidar), self._now_ns())
        self._deliver_scans()

    def _deliver(self) -> None:
        self._deliver_scans()
        self._deliver_pictures()

    def _deliver_scans(self) -> None:
        for scan in self._scans.due(self._now_ns()):
            if 'scan' not in self._silent:
                self._scan.publish(scan)

    def _run_camera(self) -> None:
        """Take pictures at the camera's rate, in a thread of its own, while someone listens."""
        period_s = 1 / self.config.camera_rate
        due_s = time.monotonic()
        while not self._stopped.wait(max(0.0, due_s - time.monotonic())):
            # A late picture does not speed up the next ones.
            due_s = max(due_s + period_s, time.monotonic())
            for topics in self._cameras:
                if topics.image.get_subscription_count():
                    picture: Depth = self.simulation.frame(topics.camera)
                elif (topics.depth.get_subscription_count()
                      or topics.info.get_subscription_count()):
                    picture = self.simulation.depth(topics.camera, whole=True).result()
                else:
                    continue
                topics.pictures.put(picture, self._now_ns())
            self._deliver_pictures()

    def _deliver_pictures(self) -> None:
        for topics in self._cameras:
            for picture in topics.pictures.due(self._now_ns()):
                self._send_picture(topics, picture)

    def _send_picture(self, topics: _CameraPublishers, picture: Depth) -> None:
        stamp, frame_id = picture.snapshot.stamp_ns, topics.optical
        if 'camera' in self._silent:
            return
        if isinstance(picture, Frame):
            # Remembered first, since a receiver of the picture may ask at once.
            self._memory.add(picture.colour, picture.snapshot, topics.camera)
            topics.image.publish(messages.image(stamp, frame_id, picture.colour))
        if topics.depth.get_subscription_count() and 'depth' not in self._silent:
            topics.depth.publish(messages.image(stamp, frame_id, picture.depth_mm))
        topics.info.publish(messages.camera_info(stamp, frame_id, picture.camera))


def _make_room_for_pictures() -> None:
    """Let Fast DDS carry whole pictures through shared memory, unless the user chose otherwise."""
    if not any(name in os.environ for name in FAST_DDS_CHOICES):
        # For Fast DDS 2, up to Jazzy, and for Fast DDS 3.
        for name in FAST_DDS_CHOICES[:2]:
            os.environ[name] = str(share_path('config', 'fastdds_pictures.xml'))


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; returns 0 then, 1 if it cannot start."""
    _make_room_for_pictures()
    return ros_main.run('sim_robot', RobotNode, args)


if __name__ == '__main__':
    raise SystemExit(main())
