"""A navigator with a small kinematic base and an operator, for tests."""

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from builtin_interfaces.msg import Time as TimeMsg
from executors import shut_down, spun
from geometry_msgs.msg import PolygonStamped, PoseStamped, TransformStamped, Twist
from grid_scans import RANGE_MIN_M, GridScans, inverse, room, within
from map_msgs.msg import OccupancyGridUpdate
from nav2_msgs.action import BackUp, ComputePathToPose, NavigateToPose, Spin
from nav2_msgs.srv import ClearEntireCostmap
from nav_msgs.msg import OccupancyGrid, Odometry
from nav_msgs.msg import Path as PathMsg
from PIL import Image
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters
from rclpy.action import ActionClient
from rclpy.client import Client
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rclpy.time import Time
from sensor_msgs.msg import LaserScan
from tf2_ros import TransformBroadcaster

from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav_sim.navigator.geometry import Pose, wrap
from semantic_nav_sim.navigator_node import NavigatorNode

SUCCEEDED, CANCELED, ABORTED = (
    GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED)
HOME, NO_ERROR = Pose(-2.0, 0.0, 0.0), Pose(0.0, 0.0, 0.0)
#: Where odometry began to count.
ODOM_IN_MAP = Pose(0.73, -1.31, 0.4)
STATE = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
PATIENCE_S = 90.0
FAST = {'max_vel_x': 1.0, 'max_vel_theta': 2.0, 'number_of_retries': 2, 'recovery_pause_s': 0.1}


def wait_until(condition: Callable[[], object], limit_s: float = PATIENCE_S) -> None:
    deadline_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline_s, 'the condition did not come true'
        time.sleep(0.005)


class Base(Node):
    """Does what cmd_vel says; its scan sees the room, and a round post if there is one.

    Attributes:
        pose: where it is in the room.
        error: where its localisation takes the map's origin to be; no error at the usual one.
        lost: its localisation tells nothing.
    """

    def __init__(self, name: str = 'base_link', namespace: str = '') -> None:
        super().__init__(name, namespace=namespace)
        self._frame, self._scans = name, GridScans(room())
        self.pose, self.stands, self.post, self.silent = HOME, False, None, False
        self._jump: Pose | None = None
        self.error, self.lost = NO_ERROR, False
        self.commands: list[tuple[float, float]] = []
        self._command, self._commanded_s = (0.0, 0.0), 0.0
        self._tf = TransformBroadcaster(self)
        self._odom = self.create_publisher(Odometry, 'odom', 10)
        self._scan = self.create_publisher(LaserScan, 'scan', qos_profile_sensor_data)
        self.create_subscription(Twist, 'cmd_vel', self._on_command, 10)
        self.create_timer(0.02, self._move)
        self.create_timer(0.1, self._look)

    def put(self, pose: Pose) -> None:
        self.post, self.stands, self.silent = None, False, False
        self.error, self.lost = NO_ERROR, False
        self._jump = pose
        wait_until(lambda: self._jump is None)
        self.commands.clear()

    @property
    def moving(self) -> bool:
        return bool(self.commands) and self.commands[-1] != (0.0, 0.0)

    def _on_command(self, message: Twist) -> None:
        self._command = (message.linear.x, message.angular.z)
        self._commanded_s = time.monotonic()
        self.commands.append(self._command)

    def _move(self) -> None:
        # As a base does, it stands when nobody commands it any more.
        fresh = time.monotonic() - self._commanded_s < 0.5
        linear, angular = self._command if fresh and not self.stands else (0.0, 0.0)
        self.pose = self.pose.moved(linear * 0.02, angular * 0.02)
        now = self.get_clock().now()
        self._tell_pose(now)
        if self._jump is not None:
            # At once after the old place: between the two no scan is placed.
            self.pose, self._jump = self._jump, None
            self._tell_pose(now + Duration(nanoseconds=1))
        odometry = Odometry()
        odometry.twist.twist.linear.x = linear
        self._odom.publish(odometry)

    def _tell_pose(self, now: Time) -> None:
        if self.silent:
            return
        # That of the map is the older one, as with any localisation.
        stamp, odom_in_map = now.to_msg(), within(self.error, ODOM_IN_MAP)
        odom = within(inverse(ODOM_IN_MAP), self.pose)
        self._tf.sendTransform([transform('odom', self._frame, odom, stamp), *(
            [] if self.lost else [transform('map', 'odom', odom_in_map, stamp)])])

    def _look(self) -> None:
        scan = LaserScan(angle_min=-math.pi, angle_increment=math.pi / 90.0, range_max=10.0,
                         range_min=RANGE_MIN_M)
        scan.header.frame_id = self._frame
        scan.header.stamp = self.get_clock().now().to_msg()
        scan.ranges = self._scans.ranges(self.pose).tolist()
        if self.post is not None:
            x, y, radius = self.post
            away = self.pose.distance_m(x, y)
            bearing = wrap(math.atan2(y - self.pose.y, x - self.pose.x) - self.pose.yaw)
            for index in range(180):
                off = abs(wrap(-math.pi + index * math.pi / 90.0 - bearing))
                if off < math.asin(min(1.0, radius / away)):
                    scan.ranges[index] = min(scan.ranges[index], away - radius)
        self._scan.publish(scan)


def transform(parent: str, child: str, pose: Pose, stamp: TimeMsg) -> TransformStamped:
    made = TransformStamped(child_frame_id=child)
    made.header.frame_id, made.header.stamp = parent, stamp
    made.transform.translation.x, made.transform.translation.y = pose.x, pose.y
    made.transform.rotation.z = math.sin(pose.yaw / 2.0)
    made.transform.rotation.w = math.cos(pose.yaw / 2.0)
    return made


class Goal:
    """One goal sent to an action, and all that came back."""

    def __init__(self, client: ActionClient, request: object,
                 answer_limit_s: float = PATIENCE_S) -> None:
        self.feedback: list[object] = []
        self._answer = client.send_goal_async(
            request, feedback_callback=lambda message: self.feedback.append(message.feedback))
        wait_until(self._answer.done, answer_limit_s)
        self.handle = self._answer.result()
        self.accepted = self.handle.accepted
        self._result = self.handle.get_result_async() if self.accepted else None

    def tell_end(self, ended: list['Goal']) -> None:
        """Put the goal into a list when it ends."""
        self._result.add_done_callback(lambda _: ended.append(self))

    @property
    def done(self) -> bool:
        return self._result.done()

    def end(self, limit_s: float = PATIENCE_S) -> tuple[int, int]:
        wait_until(self._result.done, limit_s)
        return self._result.result().status, self.result.error_code

    @property
    def result(self) -> object:
        return self._result.result().result

    def cancel(self) -> int:
        answer = self.handle.cancel_goal_async()
        wait_until(answer.done)
        self.canceling = bool(answer.result().goals_canceling)
        return answer.result().return_code


def first_goal(client: ActionClient, request: object) -> Goal:
    """A goal sent until it is answered: a server may know of it before it knows its client."""
    deadline_s = time.monotonic() + 60.0
    while True:
        try:
            return Goal(client, request, answer_limit_s=3.0)
        except AssertionError:
            if time.monotonic() > deadline_s:
                raise


class Operator(Node):
    """Sends goals and listens."""

    def __init__(self, namespace: str = '') -> None:
        super().__init__('operator', namespace=namespace)
        self.clients_of = {name: ActionClient(self, action, name) for name, action in (
            ('navigate_to_pose', NavigateToPose), ('compute_path_to_pose', ComputePathToPose),
            ('spin', Spin), ('backup', BackUp))}
        self.map, self.costmap = None, None
        self.updates: list[OccupancyGridUpdate] = []
        self.paths: list[PathMsg] = []
        self.create_subscription(OccupancyGrid, 'map', self._on_map, STATE)
        self.create_subscription(OccupancyGrid, 'global_costmap/costmap', self._on_costmap, STATE)
        self.create_subscription(OccupancyGridUpdate, 'global_costmap/costmap_updates',
                                 self._on_update, 10)
        self.create_subscription(PathMsg, 'plan', self.paths.append, 10)
        self.clear = self.create_client(ClearEntireCostmap,
                                        'global_costmap/clear_entirely_global_costmap')
        self.clear_local = self.create_client(ClearEntireCostmap,
                                              'local_costmap/clear_entirely_local_costmap')
        self.local: OccupancyGrid | None = None
        self.create_subscription(OccupancyGrid, 'local_costmap/costmap', self._on_local, STATE)
        self.footprints: dict[str, list[PolygonStamped]] = {'global': [], 'local': []}
        for which, heard in self.footprints.items():
            self.create_subscription(
                PolygonStamped, f'{which}_costmap/published_footprint', heard.append, 1)
        self.cancel_following = self.create_client(CancelGoal, 'follow_path/_action/cancel_goal')
        self._set = self.create_client(SetParameters, 'sim_navigator/set_parameters')

    def call(self, client: Client, request: object) -> object:
        wait_until(client.service_is_ready)
        answer = client.call_async(request)
        wait_until(answer.done)
        return answer.result()

    def set(self, name: str, value: object) -> SetParametersResult:
        parameter = Parameter(name, value=value).to_parameter_msg()
        return self.call(self._set, SetParameters.Request(parameters=[parameter])).results[0]

    def navigate(self, x: float, y: float, yaw: float = 0.0, frame: str = 'map',
                 tree: str = '') -> Goal:
        request = NavigateToPose.Goal(pose=stamped(x, y, yaw, frame), behavior_tree=tree)
        return Goal(self.clients_of['navigate_to_pose'], request)

    def plan(self, goal: tuple[float, float], start: tuple[float, float] | None = None,
             frame: str = 'map', planner: str = '') -> Goal:
        request = ComputePathToPose.Goal(goal=stamped(*goal, 0.5, frame), planner_id=planner)
        if start is not None:
            request.start, request.use_start = stamped(*start), True
        return Goal(self.clients_of['compute_path_to_pose'], request)

    def spin(self, angle: float, allowance_s: float = 10.0) -> Goal:
        return Goal(self.clients_of['spin'], Spin.Goal(
            target_yaw=angle, time_allowance=Duration(seconds=allowance_s).to_msg()))

    def back_up(self, distance: float, sideways: float = 0.0) -> Goal:
        request = BackUp.Goal(speed=0.3, time_allowance=Duration(seconds=10.0).to_msg())
        request.target.x, request.target.y = distance, sideways
        return Goal(self.clients_of['backup'], request)

    def cost_at(self, x: float, y: float) -> int:
        """The newest cost, from the whole costmap and the updates."""
        info = self.costmap.info
        col = int((x - info.origin.position.x) / info.resolution)
        row = int((y - info.origin.position.y) / info.resolution)
        return int(self.costs[row, col])

    def local_cost_at(self, x: float, y: float) -> int:
        """The newest cost of the local costmap at a point of its own frame; -1 outside."""
        info = self.local.info
        col = math.floor((x - info.origin.position.x) / info.resolution)
        row = math.floor((y - info.origin.position.y) / info.resolution)
        inside = 0 <= col < info.width and 0 <= row < info.height
        return int(self.local.data[row * info.width + col]) if inside else -1

    def _on_local(self, message: OccupancyGrid) -> None:
        self.local = message

    def _on_map(self, message: OccupancyGrid) -> None:
        self.map = message

    def _on_costmap(self, message: OccupancyGrid) -> None:
        self.costs = np.array(message.data).reshape(message.info.height, message.info.width)
        self.costmap = message

    def _on_update(self, message: OccupancyGridUpdate) -> None:
        self.updates.append(message)
        if self.costmap is not None:
            rows, cols = slice(message.y, message.y + message.height), slice(
                message.x, message.x + message.width)
            self.costs[rows, cols] = np.array(message.data).reshape(message.height, message.width)


def stamped(x: float, y: float, yaw: float = 0.0, frame: str = 'map') -> PoseStamped:
    message = PoseStamped()
    message.header.frame_id = frame
    message.pose.position.x, message.pose.position.y = x, y
    message.pose.orientation.z = math.sin(yaw / 2.0)
    message.pose.orientation.w = math.cos(yaw / 2.0)
    return message


def write_map(folder: Path) -> Path:
    """Write the room as a map."""
    pixels = np.where(room().cells[::-1] == 100, 0, 254).astype(np.uint8)
    Image.fromarray(pixels).save(folder / 'room.pgm')
    (folder / 'room.yaml').write_text(
        'image: room.pgm\nresolution: 0.05\norigin: [-3.0, -2.0, 0.0]\nnegate: 0\n'
        'occupied_thresh: 0.65\nfree_thresh: 0.25\n')
    return folder / 'room.yaml'


@contextlib.contextmanager
def spinning(*nodes: Node) -> Iterator[None]:
    executor = make_executor()
    for node in nodes:
        executor.add_node(node)
    try:
        with spun(executor):
            yield
    finally:
        shut_down(executor)
        for node in nodes:
            node.destroy_node()


@contextlib.contextmanager
def team_of(map_file: Path, namespace: str = '', **parameters: object
            ) -> Iterator[tuple[Base, Operator]]:
    """A navigator with a base and an operator; a namespace keeps several of them apart."""
    base = Base(f'{namespace}_link' if namespace else 'base_link', namespace)
    operator = Operator(namespace)
    # The tests are about what is driven, not about transforms that a busy machine holds back.
    values = {**FAST, 'transform_tolerance_s': 3.0, 'map': str(map_file),
              'base_frame': base.get_name(), **parameters}
    navigator = NavigatorNode(namespace=namespace, parameter_overrides=[
        Parameter(name, value=value) for name, value in values.items()])
    with spinning(base, operator, navigator):
        for name in ('navigate_to_pose', 'spin'):
            wait_until(operator.clients_of[name].server_is_ready)
        # Goals are accepted from the first transform on.
        wait_until(lambda: operator.costmap is not None and operator.spin(0.0).accepted)
        yield base, operator


def put_home(base: Base) -> Base:
    """Put the base where it began, and wait until the navigator knows."""
    base.put(HOME)
    moved = base.get_clock().now()
    wait_until(lambda: base.get_clock().now() - moved > Duration(seconds=0.1))
    return base
