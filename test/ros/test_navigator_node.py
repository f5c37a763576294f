"""The navigator on a small kinematic base: the rows of what was measured of Nav2."""

import contextlib
import math
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import rclpy
from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from geometry_msgs.msg import PoseStamped, TransformStamped, Twist
from map_msgs.msg import OccupancyGridUpdate
from nav2_msgs.action import BackUp, ComputePathToPose, NavigateToPose, Spin
from nav2_msgs.srv import ClearEntireCostmap
from nav_msgs.msg import OccupancyGrid, Odometry
from nav_msgs.msg import Path as PathMsg
from PIL import Image
from rclpy.action import ActionClient
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import LaserScan
from tf2_ros import TransformBroadcaster

from semantic_nav.sim.navigator.geometry import Pose, wrap
from semantic_nav.sim.navigator_node import NavigatorNode

SUCCEEDED, CANCELED, ABORTED = (
    GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED)
HOME = Pose(-2.0, 0.0, 0.0)
STATE = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
FAST = {'max_vel_x': 1.0, 'max_vel_theta': 2.0, 'number_of_retries': 2, 'recovery_pause_s': 0.1}


def wait_until(condition: Callable[[], object], limit_s: float = 30.0) -> None:
    deadline_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline_s, 'the condition did not come true'
        time.sleep(0.005)


class Base(Node):
    """Does what cmd_vel says; its scan sees a round post, if there is one, and nothing else."""

    def __init__(self, name: str = 'base_link', namespace: str = '') -> None:
        super().__init__(name, namespace=namespace)
        self._frame = name
        self.pose, self.stands, self.post, self.silent = HOME, False, None, False
        self.commands: list[tuple[float, float]] = []
        self._command, self._commanded_s = (0.0, 0.0), 0.0
        self._tf = TransformBroadcaster(self)
        self._odom = self.create_publisher(Odometry, 'odom', 10)
        self._scan = self.create_publisher(LaserScan, 'scan', qos_profile_sensor_data)
        self.create_subscription(Twist, 'cmd_vel', self._on_command, 10)
        self.create_timer(0.02, self._move)
        self.create_timer(0.1, self._look)

    def put(self, pose: Pose) -> None:
        self.pose, self.post, self.stands, self.silent = pose, None, False, False
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
        stamp = self.get_clock().now().to_msg()
        transform = TransformStamped(child_frame_id=self._frame)
        transform.header.frame_id, transform.header.stamp = 'map', stamp
        transform.transform.translation.x = self.pose.x
        transform.transform.translation.y = self.pose.y
        transform.transform.rotation.z = math.sin(self.pose.yaw / 2.0)
        transform.transform.rotation.w = math.cos(self.pose.yaw / 2.0)
        if not self.silent:
            self._tf.sendTransform(transform)
        odometry = Odometry()
        odometry.twist.twist.linear.x = linear
        self._odom.publish(odometry)

    def _look(self) -> None:
        scan = LaserScan(angle_min=-math.pi, angle_increment=math.pi / 90.0, range_max=10.0,
                         range_min=0.1)
        scan.header.frame_id = self._frame
        scan.header.stamp = self.get_clock().now().to_msg()
        scan.ranges = [math.inf] * 180
        if self.post is not None:
            x, y, radius = self.post
            away = self.pose.distance_m(x, y)
            bearing = wrap(math.atan2(y - self.pose.y, x - self.pose.x) - self.pose.yaw)
            for index in range(180):
                off = abs(wrap(-math.pi + index * math.pi / 90.0 - bearing))
                if off < math.asin(min(1.0, radius / away)):
                    scan.ranges[index] = away - radius
        self._scan.publish(scan)


class Goal:
    """One goal sent to an action, and all that came back."""

    def __init__(self, client: ActionClient, request: object,
                 answer_limit_s: float = 30.0) -> None:
        self.feedback: list[object] = []
        self._answer = client.send_goal_async(
            request, feedback_callback=lambda message: self.feedback.append(message.feedback))
        wait_until(self._answer.done, answer_limit_s)
        self.handle = self._answer.result()
        self.accepted = self.handle.accepted
        self._result = self.handle.get_result_async() if self.accepted else None

    @property
    def done(self) -> bool:
        return self._result.done()

    def end(self, limit_s: float = 30.0) -> tuple[int, int]:
        wait_until(self._result.done, limit_s)
        return self._result.result().status, self.result.error_code

    @property
    def result(self) -> object:
        return self._result.result().result

    def cancel(self) -> int:
        answer = self.handle.cancel_goal_async()
        wait_until(answer.done)
        return answer.result().return_code


class Operator(Node):
    """Sends goals and listens."""

    def __init__(self) -> None:
        super().__init__('operator')
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


@pytest.fixture(scope='module')
def map_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A room of 6 m by 4 m around the origin, with a block of 1.5 m in the lower right."""
    folder = tmp_path_factory.mktemp('map')
    pixels = np.full((80, 120), 254, dtype=np.uint8)
    pixels[[0, -1], :] = pixels[:, [0, -1]] = 0
    pixels[49:79, 79:109] = 0
    Image.fromarray(pixels).save(folder / 'room.pgm')
    (folder / 'room.yaml').write_text(
        'image: room.pgm\nresolution: 0.05\norigin: [-3.0, -2.0, 0.0]\nnegate: 0\n'
        'occupied_thresh: 0.65\nfree_thresh: 0.25\n')
    return folder / 'room.yaml'


@pytest.fixture(scope='module')
def ros(ros_domain: int) -> Iterator[None]:
    rclpy.init()
    yield
    rclpy.shutdown()


@pytest.fixture(scope='module')
def team(ros: None, map_file: Path) -> Iterator[tuple[Base, Operator]]:
    base, operator = Base(), Operator()
    navigator = NavigatorNode(parameter_overrides=[
        Parameter(name, value=value) for name, value in {**FAST, 'map': str(map_file)}.items()])
    nodes = (base, operator, navigator)
    executor = SingleThreadedExecutor()
    for node in nodes:
        executor.add_node(node)
    thread = threading.Thread(target=executor.spin)
    thread.start()
    for client in operator.clients_of.values():
        wait_until(client.server_is_ready)
    # Goals are accepted from the first transform on.
    wait_until(lambda: operator.costmap is not None and operator.spin(0.0).accepted)
    yield base, operator
    executor.shutdown()
    thread.join()
    for node in nodes:
        node.destroy_node()


@pytest.fixture
def base(team: tuple[Base, Operator]) -> Base:
    team[0].put(HOME)
    # TF of the new place arrives before any goal is sent.
    time_of_move = team[0].get_clock().now()
    wait_until(lambda: team[0].get_clock().now() - time_of_move > Duration(seconds=0.1))
    return team[0]


@pytest.fixture
def operator(team: tuple[Base, Operator]) -> Operator:
    return team[1]


def test_drives_to_the_goal(base: Base, operator: Operator) -> None:
    operator.paths.clear()
    goal = operator.navigate(1.5, 1.0, 1.57)
    assert goal.end() == (SUCCEEDED, 0)
    assert base.pose.distance_m(1.5, 1.0) <= 0.27
    assert abs(wrap(base.pose.yaw - 1.57)) <= 0.27
    wait_until(lambda: not base.moving)
    assert max(linear for linear, _ in base.commands) <= 1.0
    end = operator.paths[-1].poses[-1].pose
    assert (end.position.x, end.position.y) == (1.5, 1.0)


def test_feedback_tells_how_far_it_is(base: Base, operator: Operator) -> None:
    goal = operator.navigate(1.5, 1.0)
    goal.end()
    distances = [feedback.distance_remaining for feedback in goal.feedback]
    last = goal.feedback[-1]
    assert distances[0] == 0.0
    assert max(distances) == pytest.approx(math.hypot(3.5, 1.0), rel=0.1)
    assert distances[-1] < 0.5
    assert last.number_of_recoveries == 0
    assert last.current_pose.header.frame_id == 'map'
    driven_s = last.navigation_time.sec + last.navigation_time.nanosec * 1e-9
    assert len(goal.feedback) >= 10.0 * driven_s


def test_goal_in_the_robots_frame(base: Base, operator: Operator) -> None:
    assert operator.navigate(1.0, 0.0, 0.0, 'base_link').end() == (SUCCEEDED, 0)
    assert base.pose.distance_m(-1.0, 0.0) <= 0.27


def test_goal_at_the_robot_succeeds_without_driving(base: Base, operator: Operator) -> None:
    assert operator.navigate(-2.0, 0.0).end() == (SUCCEEDED, 0)
    assert all(command == (0.0, 0.0) for command in base.commands)


def test_goal_a_little_inside_the_wall_ends_beside_it(base: Base, operator: Operator) -> None:
    base.put(Pose(0.0, -1.0, 0.0))
    assert operator.navigate(1.05, -1.2).end() == (SUCCEEDED, 0)
    assert base.pose.distance_m(1.05, -1.2) > 0.25


def test_goal_deep_in_the_wall_aborts_after_recoveries(base: Base, operator: Operator) -> None:
    goal = operator.navigate(1.7, -1.2)
    assert goal.end() == (ABORTED, 208)
    assert goal.feedback[-1].number_of_recoveries >= 3
    wait_until(lambda: not base.moving)


def test_goal_outside_the_map_aborts_at_once(base: Base, operator: Operator) -> None:
    goal = operator.navigate(9.0, 0.0)
    assert goal.end() == (ABORTED, 204)
    assert len(goal.feedback) <= 2


@pytest.mark.parametrize('bad', [{'frame': 'moon'}, {'frame': ''}, {'tree': 'no_such.xml'}])
def test_goal_that_cannot_be_read_is_accepted_then_aborted(
        base: Base, operator: Operator, bad: dict[str, str]) -> None:
    assert operator.navigate(1.0, 1.0, **bad).end() == (ABORTED, 0)


def test_cancel_stops_the_robot(base: Base, operator: Operator) -> None:
    goal = operator.navigate(2.0, 1.0)
    wait_until(lambda: base.moving)
    assert goal.cancel() == CancelGoal.Response.ERROR_NONE
    assert goal.end() == (CANCELED, 0)
    wait_until(lambda: not base.moving)
    assert goal.cancel() == CancelGoal.Response.ERROR_GOAL_TERMINATED


def test_late_transform_only_makes_it_wait(base: Base, operator: Operator) -> None:
    goal = operator.navigate(1.0, 0.0)
    wait_until(lambda: base.moving)
    base.silent = True
    wait_until(lambda: not base.moving)
    base.silent = False
    assert goal.end() == (SUCCEEDED, 0)


def test_cancel_counts_while_the_transform_is_late(base: Base, operator: Operator) -> None:
    goal = operator.navigate(1.0, 0.0)
    wait_until(lambda: base.moving)
    base.silent = True
    wait_until(lambda: not base.moving)
    goal.cancel()
    assert goal.end() == (CANCELED, 0)
    base.silent = False


def test_cancel_in_a_recovery_tells_the_planners_code(base: Base, operator: Operator) -> None:
    goal = operator.navigate(1.7, -1.2)
    wait_until(lambda: goal.feedback and goal.feedback[-1].number_of_recoveries)
    goal.cancel()
    assert goal.end() == (CANCELED, 208)


def test_new_goal_replaces_the_old_one_without_a_stop(base: Base, operator: Operator) -> None:
    first = operator.navigate(2.0, 1.0)
    wait_until(lambda: base.moving and base.commands[-1][0] > 0.5)
    count = len(base.commands)
    second = operator.navigate(1.0, 1.0)
    assert first.end() == (ABORTED, 0)
    assert second.end() == (SUCCEEDED, 0)
    wait_until(lambda: not base.moving)
    assert (0.0, 0.0) not in base.commands[count:-1]
    assert base.pose.distance_m(1.0, 1.0) <= 0.27


def test_new_goal_outside_the_map_ends_both(base: Base, operator: Operator) -> None:
    first = operator.navigate(2.0, 1.0)
    wait_until(lambda: base.moving)
    second = operator.navigate(9.0, 0.0)
    assert first.end() == (ABORTED, 0)
    assert second.end() == (ABORTED, 204)
    wait_until(lambda: not base.moving)


def test_new_goal_that_cannot_be_read_leaves_the_old_one(base: Base, operator: Operator) -> None:
    first = operator.navigate(-1.0, 0.0)
    assert operator.navigate(1.0, 1.0, frame='moon').end() == (ABORTED, 0)
    assert first.end() == (SUCCEEDED, 0)


@pytest.mark.parametrize(('request_', 'expected'), [
    ({'goal': (2.0, 1.0)}, (SUCCEEDED, 0)),
    ({'goal': (1.05, -1.2)}, (SUCCEEDED, 0)),
    ({'goal': (1.7, -1.2)}, (ABORTED, 208)),
    ({'goal': (9.0, 0.0)}, (ABORTED, 204)),
    ({'goal': (2.0, 1.0), 'start': (1.7, -1.2)}, (ABORTED, 208)),
    ({'goal': (2.0, 1.0), 'start': (9.0, 0.0)}, (ABORTED, 203)),
    ({'goal': (2.0, 1.0), 'planner': 'NoSuchPlanner'}, (ABORTED, 201)),
    ({'goal': (2.0, 1.0), 'frame': 'moon'}, (ABORTED, 202)),
    ({'goal': (2.0, 1.0), 'frame': ''}, (ABORTED, 202)),
])
def test_path_codes(base: Base, operator: Operator, request_: dict[str, object],
                    expected: tuple[int, int]) -> None:
    goal = operator.plan(**request_)
    assert goal.end() == expected
    assert goal.result.error_msg == ''
    assert bool(goal.result.path.poses) == (expected[0] == SUCCEEDED)


def test_path_leads_from_start_to_goal(base: Base, operator: Operator) -> None:
    goal = operator.plan((2.0, 0.5), start=(0.0, -1.5), planner='GridBased')
    goal.end()
    path = goal.result.path
    points = [(pose.pose.position.x, pose.pose.position.y) for pose in path.poses]
    assert path.header.frame_id == 'map'
    assert points[0] == (0.0, -1.5)
    assert points[-1] == (2.0, 0.5)
    assert not [(x, y) for x, y in points if 0.75 < x < 2.65 and y < -0.25]
    assert path.poses[-1].pose.orientation.z == pytest.approx(math.sin(0.25))


def test_path_to_the_robot_is_one_pose(base: Base, operator: Operator) -> None:
    goal = operator.plan((HOME.x, HOME.y))
    assert goal.end() == (SUCCEEDED, 0)
    assert len(goal.result.path.poses) == 1


@pytest.mark.parametrize('angle', [1.57, -0.8])
def test_spin_turns_by_the_angle(base: Base, operator: Operator, angle: float) -> None:
    goal = operator.spin(angle)
    assert goal.end() == (SUCCEEDED, 0)
    assert wrap(base.pose.yaw) == pytest.approx(angle, abs=0.15)
    assert goal.result.total_elapsed_time.sec < 10
    assert abs(goal.feedback[-1].angular_distance_traveled) == pytest.approx(abs(angle), abs=0.1)
    wait_until(lambda: not base.moving)


def test_spin_gives_up_and_can_be_canceled(base: Base, operator: Operator) -> None:
    base.stands = True
    assert operator.spin(1.57, 0.3).end() == (ABORTED, Spin.Result.TIMEOUT)
    goal = operator.spin(1.57)
    wait_until(lambda: base.moving)
    goal.cancel()
    assert goal.end() == (CANCELED, 0)
    wait_until(lambda: not base.moving)


def test_new_spin_aborts_the_one_in_hand(base: Base, operator: Operator) -> None:
    first = operator.spin(6.0)
    second = operator.spin(0.5)
    assert first.end() == (ABORTED, 0)
    assert second.end() == (SUCCEEDED, 0)


def test_back_up(base: Base, operator: Operator) -> None:
    assert operator.back_up(0.3).end() == (SUCCEEDED, 0)
    assert base.pose.x == pytest.approx(HOME.x - 0.3, abs=0.05)
    assert operator.back_up(0.3, 0.1).end() == (ABORTED, BackUp.Result.INVALID_INPUT)
    assert operator.back_up(1.0).end() == (ABORTED, BackUp.Result.COLLISION_AHEAD)
    assert base.pose.x > -3.0 + 0.22


def test_map_and_costmap(base: Base, operator: Operator) -> None:
    wait_until(lambda: operator.map is not None and operator.costmap is not None)
    assert (operator.map.info.width, operator.map.info.height) == (120, 80)
    assert operator.map.data[0] == 100
    assert operator.map.data[60] == 100
    assert operator.map.data[10 * 120 + 10] == 0
    assert operator.cost_at(1.7, -1.2) == 100
    assert operator.cost_at(0.85, -1.2) == 99
    assert 0 < operator.cost_at(0.7, -1.2) < 99
    assert operator.cost_at(0.0, 0.0) == 0


def test_scan_marks_and_clears_the_costmap(base: Base, operator: Operator) -> None:
    base.post = (-0.5, 0.0, 0.12)
    wait_until(lambda: operator.cost_at(-0.62, 0.02) == 100)
    assert len(operator.updates) > 0
    base.post = None
    wait_until(lambda: operator.cost_at(-0.62, 0.02) == 0)


def test_service_clears_the_costmap(base: Base, operator: Operator) -> None:
    base.post = (-0.5, 0.0, 0.12)
    wait_until(lambda: operator.cost_at(-0.62, 0.02) == 100)
    # Out of sight, so that no ray clears it.
    base.put(Pose(2.5, 1.5, 0.0))
    wait_until(operator.clear.service_is_ready)
    answer = operator.clear.call_async(ClearEntireCostmap.Request())
    wait_until(answer.done)
    wait_until(lambda: operator.cost_at(-0.62, 0.02) == 0)


def test_does_not_drive_into_what_the_scan_sees(base: Base, operator: Operator) -> None:
    base.post = (-0.5, 0.0, 0.15)
    track = []
    goal = operator.navigate(1.0, 0.0)
    wait_until(lambda: track.append(base.pose) or goal.done)
    assert goal.end() == (SUCCEEDED, 0)
    assert min(pose.distance_m(-0.5, 0.0) for pose in track) > 0.15 + 0.19


@contextlib.contextmanager
def process(map_file: Path, base_frame: str) -> Iterator[subprocess.Popen[str]]:
    """The navigator as a process of its own, in the namespace `process`."""
    running = subprocess.Popen(
        [sys.executable, '-m', 'semantic_nav.sim.navigator_node', '--ros-args', '-r',
         '__ns:=/process', '-p', f'map:={map_file}', '-p', f'base_frame:={base_frame}'],
        stderr=subprocess.PIPE, text=True)
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


@contextlib.contextmanager
def spinning(node: Node) -> Iterator[None]:
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin)
    thread.start()
    try:
        yield
    finally:
        executor.shutdown()
        thread.join()
        node.destroy_node()


def test_process_rejects_goals_until_it_knows_where_it_is(ros: None, map_file: Path) -> None:
    node = Node('impatient', namespace='process')
    with spinning(node), process(map_file, 'nowhere') as running:
        client = ActionClient(node, NavigateToPose, 'navigate_to_pose')
        wait_until(client.server_is_ready)
        assert not Goal(client, NavigateToPose.Goal(pose=stamped(1.0, 1.0))).accepted
        assert any('waiting for transform map to nowhere' in line for line in running.stderr)
        running.terminate()
        assert running.wait(10.0) == 0


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_process_stops_the_robot_before_it_ends(
        ros: None, map_file: Path, number: signal.Signals) -> None:
    base = Base(f'base_{number.name.lower()}', 'process')
    with spinning(base), process(map_file, base.get_name()) as running:
        client = ActionClient(base, NavigateToPose, 'navigate_to_pose')
        wait_until(client.server_is_ready)
        goals: list[Goal] = []

        def accepted() -> bool:
            # A server that has not discovered its client yet answers into the void.
            with contextlib.suppress(AssertionError):
                goals.append(Goal(client, NavigateToPose.Goal(pose=stamped(2.0, 1.0)), 3.0))
            return bool(goals) and goals[-1].accepted
        wait_until(accepted, 60.0)
        wait_until(lambda: base.moving)
        running.send_signal(number)
        assert goals[-1].end() == (ABORTED, 0)
        assert running.wait(10.0) == 0
        wait_until(lambda: not base.moving)


def test_process_without_a_usable_map_says_why(ros: None, tmp_path: Path) -> None:
    with process(tmp_path / 'no_map.yaml', 'base_link') as running:
        assert running.wait(20.0) == 1
        assert 'no_map.yaml' in running.stderr.read()
