"""The navigator on a small kinematic base: driving, recoveries, costmap, start and end."""

import contextlib
import math
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import rclpy
from depth_eye import Eye
from depth_views import CAMERA
from grid_scans import inverse, within
from nav2_msgs.action import BackUp, NavigateToPose, Spin
from nav2_msgs.srv import ClearEntireCostmap
from navigator_rig import (
    ABORTED,
    CANCELED,
    HOME,
    ODOM_IN_MAP,
    PATIENCE_S,
    SUCCEEDED,
    Base,
    Goal,
    Operator,
    first_goal,
    put_home,
    spinning,
    stamped,
    team_of,
    wait_until,
    write_map,
)
from rclpy.action import ActionClient
from rclpy.node import Node

from semantic_nav_sim.navigator.geometry import Pose, wrap


@pytest.fixture(scope='module')
def map_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_map(tmp_path_factory.mktemp('map'))


@pytest.fixture(scope='module')
def ros(ros_domain: int) -> Iterator[None]:
    rclpy.init()
    yield
    rclpy.shutdown()


@pytest.fixture(scope='module')
def team(ros: None, map_file: Path) -> Iterator[tuple[Base, Operator]]:
    with team_of(map_file) as team:
        yield team


@pytest.fixture
def base(team: tuple[Base, Operator]) -> Base:
    return put_home(team[0])


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


def test_late_transform_ends_the_drive(base: Base, operator: Operator) -> None:
    goal = operator.navigate(1.0, 0.0)
    wait_until(lambda: base.moving)
    base.silent = True
    assert goal.end() == (ABORTED, 102)
    wait_until(lambda: not base.moving)
    base.silent = False
    # Until a transform has come again it plans nothing.
    wait_until(lambda: operator.plan((1.0, 0.0)).end() != (ABORTED, 202))
    assert operator.navigate(1.0, 0.0).end() == (SUCCEEDED, 0)


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
    operator.call(operator.clear, ClearEntireCostmap.Request())
    wait_until(lambda: operator.cost_at(-0.62, 0.02) == 0)


def test_local_costmap_goes_with_the_robot_in_the_odom_frame(
        base: Base, operator: Operator) -> None:
    for pose in (HOME, Pose(0.0, 0.5, 0.5)):
        base.put(pose)
        base.post = (pose.x + 0.6, pose.y, 0.12)
        met = within(inverse(ODOM_IN_MAP), Pose(pose.x + 0.49, pose.y, 0.0))
        middle = within(inverse(ODOM_IN_MAP), pose)
        wait_until(lambda met=met: operator.local is not None
                   and operator.local_cost_at(met.x, met.y) == 100)
        assert operator.local.header.frame_id == 'odom'
        info = operator.local.info
        assert (info.origin.position.x + 1.5, info.origin.position.y + 1.5) == pytest.approx(
            (middle.x, middle.y), abs=0.06)


def test_local_costmap_waits_for_no_localisation(base: Base, operator: Operator) -> None:
    base.lost = True
    base.post = (HOME.x + 0.6, HOME.y, 0.12)
    met = within(inverse(ODOM_IN_MAP), Pose(HOME.x + 0.49, HOME.y, 0.0))
    wait_until(lambda: operator.local_cost_at(met.x, met.y) == 100)
    assert operator.cost_at(HOME.x + 0.49, HOME.y) != 100


@pytest.mark.parametrize(('camera', 'encoding', 'shrunk'), [
    ('camera', '16UC1', 1), ('camera', '16UC1', 2), ('left', '32FC1', 1)])
def test_local_costmap_marks_what_each_camera_shows_and_the_scan_does_not(
        ros: None, map_file: Path, camera: str, encoding: str, shrunk: int) -> None:
    top = within(inverse(ODOM_IN_MAP), Pose(HOME.x + 1.0, HOME.y, 0.0))
    with team_of(map_file, 'seeing', robot_profile='none+side_cameras') as (base, operator):
        wait_until(lambda: operator.local is not None)
        assert operator.local_cost_at(top.x, top.y) == 0
        with spinning(Eye(camera, base.get_name(), encoding, 'seeing', shrunk)):
            wait_until(lambda: operator.local_cost_at(top.x, top.y) == 100)
        assert operator.cost_at(HOME.x + 1.0, HOME.y) != 100


def test_local_costmap_takes_camera_info_at_its_word(ros: None, map_file: Path) -> None:
    """As the real one does: it is marked beside the thing where camera_info is of another size."""
    free = within(inverse(ODOM_IN_MAP), Pose(HOME.x + 1.35, HOME.y + 0.2, 0.0))
    with team_of(map_file, 'misled') as (base, operator), spinning(
            Eye('camera', base.get_name(), namespace='misled', shrunk=2, told=CAMERA)):
        wait_until(lambda: operator.local is not None
                   and operator.local_cost_at(free.x, free.y) == 100)


def test_robot_without_depth_listens_to_no_camera(ros: None, map_file: Path) -> None:
    with team_of(map_file, 'blind', robot_profile='none+no_depth') as (_, operator):
        assert not operator.count_subscribers('camera/depth/image_raw')


def test_outline_is_told_in_the_frame_of_each_costmap(base: Base, operator: Operator) -> None:
    for which, frame, place in (('global', 'map', HOME),
                                ('local', 'odom', within(inverse(ODOM_IN_MAP), HOME))):
        operator.footprints[which].clear()
        wait_until(lambda which=which: operator.footprints[which])
        told = operator.footprints[which][-1]
        assert told.header.frame_id == frame
        middle = np.mean([(point.x, point.y) for point in told.polygon.points], axis=0)
        assert middle == pytest.approx((place.x, place.y), abs=0.02)


def test_services_clear_one_costmap_each(base: Base, operator: Operator) -> None:
    base.post = (-1.5, 0.0, 0.12)
    met = within(inverse(ODOM_IN_MAP), Pose(-1.61, 0.0, 0.0))
    wait_until(lambda: operator.cost_at(-1.61, 0.0) == 100
               and operator.local_cost_at(met.x, met.y) == 100)
    # No ray clears it and none marks it anew.
    base.silent = True
    wait_until(lambda: not operator.navigate(0.0, 0.0).accepted)
    operator.call(operator.clear_local, ClearEntireCostmap.Request())
    wait_until(lambda: operator.local_cost_at(met.x, met.y) == 0)
    assert operator.cost_at(-1.61, 0.0) == 100
    operator.call(operator.clear, ClearEntireCostmap.Request())
    wait_until(lambda: operator.cost_at(-1.61, 0.0) == 0)


def test_a_localisation_that_errs_does_not_wedge_the_robot(base: Base, operator: Operator) -> None:
    base.put(Pose(-2.6, 0.0, 0.0))
    base.error = Pose(-0.3, 0.0, 0.0)
    wait_until(lambda: operator.back_up(0.03).end() == (SUCCEEDED, 0))
    assert operator.navigate(1.0, 0.0).end() == (SUCCEEDED, 0)
    assert base.pose.distance_m(1.3, 0.0) <= 0.27


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
        [sys.executable, '-m', 'semantic_nav_sim.navigator_node', '--ros-args', '-r',
         '__ns:=/process', '-p', f'map:={map_file}', '-p', f'base_frame:={base_frame}'],
        stderr=subprocess.PIPE, text=True)
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


def test_process_rejects_goals_until_it_knows_where_it_is(ros: None, map_file: Path) -> None:
    node = Node('impatient', namespace='process')
    with spinning(node), process(map_file, 'nowhere') as running:
        client = ActionClient(node, NavigateToPose, 'navigate_to_pose')
        wait_until(client.server_is_ready)
        assert not first_goal(client, NavigateToPose.Goal(pose=stamped(1.0, 1.0))).accepted
        assert any('waiting for transform map to nowhere, transform odom to nowhere' in line
                   for line in running.stderr)
        running.terminate()
        assert running.wait(PATIENCE_S) == 0


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_process_stops_the_robot_before_it_ends(
        ros: None, map_file: Path, number: signal.Signals) -> None:
    base = Base(f'base_{number.name.lower()}', 'process')
    with spinning(base), process(map_file, base.get_name()) as running:
        client = ActionClient(base, NavigateToPose, 'navigate_to_pose')
        wait_until(client.server_is_ready)
        goals: list[Goal] = []

        def accepted() -> bool:
            goals.append(first_goal(client, NavigateToPose.Goal(pose=stamped(2.0, 1.0))))
            return goals[-1].accepted
        # It knows where it is only once the first transforms have come.
        wait_until(accepted)
        goal = goals[-1]
        wait_until(lambda: base.moving)
        running.send_signal(number)
        assert goal.end() == (ABORTED, 0)
        assert running.wait(PATIENCE_S) == 0
        wait_until(lambda: not base.moving)


def test_process_without_a_usable_map_says_why(ros: None, tmp_path: Path) -> None:
    with process(tmp_path / 'no_map.yaml', 'base_link') as running:
        assert running.wait(PATIENCE_S) == 1
        assert 'no_map.yaml' in running.stderr.read()
