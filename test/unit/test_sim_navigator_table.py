"""Walks the table of what was measured of Nav2 (jazzy, stock parameters), row by row, without ROS.

A few of the rows stand in test/ros/test_navigator_table.py too, on the real actions.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from grid_scans import GridScans, room, within

from semantic_nav_sim.navigator.config import NavigatorConfig
from semantic_nav_sim.navigator.follower import is_wedged
from semantic_nav_sim.navigator.geometry import STOP, Pose, Velocity, wrap
from semantic_nav_sim.navigator.goals import (
    Action,
    BehaviorFeedback,
    CancelCode,
    Drive,
    Errand,
    GoalStatus,
    NavigationFeedback,
    Output,
    PlanMade,
    Result,
    RobotState,
)
from semantic_nav_sim.navigator.planner_server import PathRequest
from semantic_nav_sim.navigator.profile import GoalFaults, NavigatorProfile, PlannerFaults
from semantic_nav_sim.navigator.servers import Server, Servers

SUCCEEDED, CANCELED, ABORTED = GoalStatus.SUCCEEDED, GoalStatus.CANCELED, GoalStatus.ABORTED
HOME = Pose(-2.0, 0.0, 0.0)
FREE, DEEP, EDGE, OUTSIDE = (1.5, 1.0), (1.7, -1.2), (1.05, -1.2), (9.0, 0.0)
DT_S, PATIENCE_S = 0.05, 300.0
SCAN_EVERY = 2
#: Where odometry began to count.
MAP_IN_ODOM = Pose(0.73, -1.31, 0.4)
STOCK: dict[str, float] = {'max_vel_x': 0.5, 'max_vel_theta': 1.0, 'number_of_retries': 6,
                           'recovery_pause_s': 5.0}
FAST = {'max_vel_x': 1.0, 'max_vel_theta': 2.0, 'number_of_retries': 2, 'recovery_pause_s': 0.1}


class Robot:
    """The servers with a small kinematic base, in simulated time.

    Attributes:
        commands: what the base was told, a velocity for each command.
        stuck: it does not move, whatever it is told.
        late: its pose is too old to drive by.
        error: where its localisation takes the map's origin to be; no error at the usual one.
        scans: what it scans, which is the room.
        scanning: it does so, ten times a second.
    """

    def __init__(self, profile: NavigatorProfile | None = None, **config: float) -> None:
        settings = NavigatorConfig(**{**FAST, **config})
        self.servers = Servers(settings.navigation(), profile or NavigatorProfile(),
                               settings.local_costmap())
        self.servers.costmap = settings.costmap(room())
        self.error, self.scans = Pose(0.0, 0.0, 0.0), GridScans(room())
        self.now_s, self.pose, self.velocity = 100.0, HOME, STOP
        self.stuck, self.late, self.scanning = False, False, True
        self.commands: list[Velocity] = []
        self.outputs: list[Output] = []
        self._count = self._ticks = 0

    @property
    def state(self) -> RobotState:
        return RobotState(self.now_s, within(self.error, self.pose), self.odom, self.late)

    @property
    def odom(self) -> Pose:
        return within(MAP_IN_ODOM, self.pose)

    def put(self, pose: Pose) -> None:
        """Place it anew, where it looks about before anything is asked of it."""
        self.pose, self.velocity = pose, STOP
        self.scans.into(self.servers.local, self.pose, self.odom)

    def do(self, outputs: Iterable[Output]) -> None:
        for output in outputs:
            self.outputs.append(output)
            if isinstance(output, Drive):
                self.velocity = output.velocity
                self.commands.append(output.velocity)

    def send(self, action: Action, begin: Callable[[str], list[Output]]) -> str:
        """Send a goal; returns its id, '' if it was rejected."""
        if not self.servers.accepts(action, self.state):
            return ''
        self._count += 1
        goal_id = f'{action}-{self._count}'
        self.do(begin(goal_id))
        return goal_id

    def navigate(self, x: float, y: float, yaw: float = 0.0, *, frame: str = 'map',
                 tree: str = '') -> str:
        pose = Pose(x, y, yaw) if frame == 'map' else None
        return self.send(Action.NAVIGATE_TO_POSE,
                         lambda goal: self.servers.navigate(goal, pose, self.state, tree))

    def plan(self, goal: tuple[float, float], start: tuple[float, float] | None = None,
             frame: str = 'map', planner: str = '') -> str:
        def there() -> Pose | None:
            return Pose(*goal, 0.5) if frame == 'map' else None

        request = PathRequest(
            there, None if start is None else lambda: Pose(*start, 0.0), planner)
        return self.send(Action.COMPUTE_PATH_TO_POSE,
                         lambda goal_id: self.servers.compute_path(goal_id, request, self.state))

    def spin(self, angle: float, allowance_s: float = 10.0) -> str:
        return self.send(Action.SPIN, lambda goal: self.servers.spin(
            goal, angle, allowance_s, self.state))

    def back_up(self, distance: float, sideways: float = 0.0) -> str:
        return self.send(Action.BACKUP, lambda goal: self.servers.back_up(
            goal, (distance, sideways, 0.0), 0.3, 10.0, self.state))

    def step(self) -> None:
        self.now_s += DT_S
        if not self.stuck:
            self.pose = self.pose.moved(self.velocity.linear * DT_S, self.velocity.angular * DT_S)
        self._ticks += 1
        if self.scanning and self._ticks % SCAN_EVERY == 0:
            self.scans.into(self.servers.local, self.pose, self.odom)
        self.do(self.servers.feedback(self.state))
        self.do(self.servers.tick_planner(self.state))
        self.do(self.servers.tick(self.state))

    def until(self, condition: Callable[[], object]) -> None:
        end_s = self.now_s + PATIENCE_S
        while not condition():
            assert self.now_s < end_s, 'the condition did not come true'
            self.step()

    def end(self, goal_id: str) -> Result:
        self.until(lambda: self.result(goal_id))
        result = self.result(goal_id)
        assert result is not None
        return result

    def result(self, goal_id: str) -> Result | None:
        return next((one for one in self.outputs
                     if isinstance(one, Result) and one.goal_id == goal_id), None)

    def feedback(self, goal_id: str) -> list[NavigationFeedback]:
        return [one for one in self.outputs
                if isinstance(one, NavigationFeedback) and one.goal_id == goal_id]

    def until_driving(self) -> None:
        self.until(lambda: self.velocity.linear > 0.5)


# ComputePathToPose: request, status and code, poses of the path, where it ends

@dataclass(frozen=True)
class PathRow:
    """One row; there is a path only on success."""

    request: dict[str, object]
    end: tuple[GoalStatus, int]
    ends_off_m: tuple[float, float] = (0.0, 0.0)
    poses: tuple[int, int] = (0, 0)


PATHS = {
    'free goal': PathRow({'goal': FREE}, (SUCCEEDED, 0), poses=(120, 180)),
    'deep in a wall': PathRow({'goal': DEEP}, (ABORTED, 208)),
    '0.1 m inside a wall': PathRow({'goal': EDGE}, (SUCCEEDED, 0), (0.25, 0.8), (40, 180)),
    'goal outside the map': PathRow({'goal': OUTSIDE}, (ABORTED, 204)),
    'start in a wall': PathRow({'goal': FREE, 'start': DEEP}, (ABORTED, 208)),
    'start outside the map': PathRow({'goal': FREE, 'start': OUTSIDE}, (ABORTED, 203)),
    'unknown planner': PathRow({'goal': FREE, 'planner': 'NoSuchPlanner'}, (ABORTED, 201)),
    'unknown frame': PathRow({'goal': FREE, 'frame': 'moon'}, (ABORTED, 202)),
    'goal on the robot': PathRow({'goal': (HOME.x, HOME.y)}, (SUCCEEDED, 0), poses=(1, 1))}


@pytest.mark.parametrize('row', PATHS)
def test_compute_path_to_pose(row: str) -> None:
    expected, robot = PATHS[row], Robot()
    ended = robot.end(robot.plan(**expected.request))
    assert (ended.status, ended.code) == expected.end
    assert ended.plan is not None
    points = ended.plan.points
    assert expected.poses[0] <= len(points) <= expected.poses[1]
    if len(points):
        low_m, high_m = expected.ends_off_m
        assert low_m <= math.dist(points[-1], expected.request['goal']) <= high_m + 1e-6
    assert any(isinstance(one, PlanMade) for one in robot.outputs) == bool(len(points))
    assert not robot.commands, 'planning drives nowhere'


def test_an_unknown_frame_is_waited_for_a_moment_an_unknown_planner_is_not() -> None:
    robot = Robot()
    assert robot.end(robot.plan(FREE, planner='NoSuchPlanner')).elapsed_s == 0.0
    waited_s = robot.end(robot.plan(FREE, frame='moon')).elapsed_s
    assert waited_s == pytest.approx(0.3, abs=DT_S)


def test_a_path_can_be_cancelled_while_it_takes_its_time() -> None:
    robot = Robot(NavigatorProfile(PlannerFaults(delay_s=2.0)))
    goal = robot.plan(FREE)
    assert robot.servers.active and not robot.servers.driving
    assert robot.servers.goals.cancel(goal) is CancelCode.NONE
    assert robot.end(goal).status is CANCELED


# NavigateToPose: what is done, how each goal ends, and what could be seen of it

def one(x: float, y: float, **request: str) -> Callable[[Robot], list[str]]:
    return lambda robot: [robot.navigate(x, y, **request)]


def edge(robot: Robot) -> list[str]:
    robot.pose = Pose(0.0, -1.0, 0.0)
    return [robot.navigate(*EDGE)]


def cancel(robot: Robot) -> list[str]:
    goal = robot.navigate(2.0, 1.0)
    robot.until_driving()
    asked_s = robot.now_s
    assert robot.servers.goals.cancel(goal) is CancelCode.NONE
    robot.end(goal)
    assert robot.now_s - asked_s <= DT_S
    return [goal]


def cancel_finished(robot: Robot) -> list[str]:
    goal = robot.navigate(HOME.x, HOME.y)
    robot.end(goal)
    assert robot.servers.goals.cancel(goal) is CancelCode.GOAL_TERMINATED
    return [goal]


def cancel_in_recovery(robot: Robot) -> list[str]:
    goal = robot.navigate(*DEEP)
    robot.until(lambda: robot.feedback(goal) and robot.feedback(goal)[-1].recoveries)
    robot.servers.goals.cancel(goal)
    return [goal]


def preempt(x: float, y: float) -> Callable[[Robot], list[str]]:
    def act(robot: Robot) -> list[str]:
        first = robot.navigate(1.0, 1.0)
        robot.until_driving()
        robot.commands.clear()
        second = robot.navigate(x, y)
        assert robot.result(first) is not None, 'the first has ended before anything is driven'
        return [first, second]
    return act


def preempted_by_nowhere(robot: Robot) -> list[str]:
    first = robot.navigate(-1.0, 0.0)
    robot.until_driving()
    return [first, robot.navigate(*FREE, frame='moon')]


def pause(robot: Robot) -> list[str]:
    goal = robot.navigate(2.0, 1.0)
    robot.until_driving()
    robot.do(robot.servers.pause(True, robot.now_s))
    assert robot.velocity == STOP and robot.result(goal) is not None
    assert not (robot.navigate(1.0, 1.0) or robot.plan(FREE) or robot.spin(1.0)
                or robot.back_up(0.1))
    robot.do(robot.servers.pause(False, robot.now_s))
    return [goal, robot.navigate(robot.pose.x, robot.pose.y, robot.pose.yaw)]


def kill_planner(robot: Robot) -> list[str]:
    goal = robot.navigate(2.0, 1.0)
    robot.until_driving()
    robot.do(robot.servers.set_planner_alive(False, robot.now_s))
    assert robot.velocity == STOP and robot.result(goal) is not None
    assert not (robot.navigate(1.0, 1.0) or robot.plan(FREE))
    robot.do(robot.servers.set_planner_alive(True, robot.now_s))
    return [goal, robot.navigate(robot.pose.x, robot.pose.y, robot.pose.yaw)]


@dataclass(frozen=True)
class DriveRow:
    """One row; when its goals have ended the robot is told to stand, in every row.

    Attributes:
        act: sends goals, and does what else the row says.
        ends: status and code of each of them.
        recoveries: fewest and most that the first one told of.
        off_m: how far from this goal the robot ends, if that is told.
        drives: whether it is ever told to move; None where that does not matter.
        pauses: whether it may be told to stand before the end.
    """

    act: Callable[[Robot], list[str]]
    ends: tuple[tuple[GoalStatus, int], ...]
    recoveries: tuple[int, int] = (0, 0)
    goal: tuple[float, float] = FREE
    off_m: tuple[float, float] = (0.0, math.inf)
    drives: bool | None = True
    pauses: bool = True


DRIVES = {
    'success': DriveRow(one(*FREE), ((SUCCEEDED, 0),), off_m=(0.0, 0.25), pauses=False),
    'goal is the current pose': DriveRow(one(HOME.x, HOME.y), ((SUCCEEDED, 0),), drives=False),
    'deep in a wall': DriveRow(one(*DEEP), ((ABORTED, 208),), recoveries=(4, 7)),
    '0.1 m inside a wall': DriveRow(edge, ((SUCCEEDED, 0),), goal=EDGE, off_m=(0.25, 0.8)),
    'outside the map': DriveRow(one(*OUTSIDE), ((ABORTED, 204),), drives=False),
    'cancel while driving': DriveRow(cancel, ((CANCELED, 0),)),
    'cancel of a finished goal': DriveRow(cancel_finished, ((SUCCEEDED, 0),), drives=False),
    'cancel during a recovery': DriveRow(cancel_in_recovery, ((CANCELED, 208),),
                                         recoveries=(1, 7), drives=None),
    'preempted by a new goal': DriveRow(
        preempt(2.0, 1.5), ((ABORTED, 0), (SUCCEEDED, 0)), goal=(2.0, 1.5), off_m=(0.0, 0.25),
        pauses=False),
    'preempted by the same goal': DriveRow(
        preempt(1.0, 1.0), ((ABORTED, 0), (SUCCEEDED, 0)), goal=(1.0, 1.0), off_m=(0.0, 0.25),
        pauses=False),
    'preempted by a goal outside the map': DriveRow(
        preempt(*OUTSIDE), ((ABORTED, 0), (ABORTED, 204)), drives=None),
    'preempted by a goal in an unknown frame': DriveRow(
        preempted_by_nowhere, ((ABORTED, 0), (SUCCEEDED, 0)), goal=(-1.0, 0.0),
        off_m=(0.0, 0.25), pauses=False),
    'unknown frame': DriveRow(one(*FREE, frame='moon'), ((ABORTED, 0),), drives=False),
    'missing behaviour tree': DriveRow(one(*FREE, tree='no_such.xml'), ((ABORTED, 0),),
                                       drives=False),
    'lifecycle pause': DriveRow(pause, ((ABORTED, 0), (SUCCEEDED, 0)), drives=None),
    'planner server killed': DriveRow(kill_planner, ((ABORTED, 0), (SUCCEEDED, 0)))}


@pytest.mark.parametrize('row', DRIVES)
def test_navigate_to_pose(row: str) -> None:
    expected, robot = DRIVES[row], Robot()
    goals = expected.act(robot)
    ends = [robot.end(goal) for goal in goals]
    assert tuple((end.status, end.code) for end in ends) == expected.ends
    assert not robot.servers.active and robot.velocity == STOP
    told = [feedback.recoveries for feedback in robot.feedback(goals[0])] or [0]
    assert expected.recoveries[0] <= told[-1] <= expected.recoveries[1]
    assert expected.off_m[0] <= robot.pose.distance_m(*expected.goal) <= expected.off_m[1]
    moves = [command for command in robot.commands if command != STOP]
    assert expected.drives is None or bool(moves) == expected.drives
    if not expected.pauses:
        last = max(index for index, command in enumerate(robot.commands) if command != STOP)
        assert STOP not in robot.commands[1:last]
    if robot.feedback(goals[0]):
        assert robot.feedback(goals[0])[0].remaining_m == 0.0
        assert expected.ends[0] != (SUCCEEDED, 0) or abs(wrap(robot.pose.yaw)) <= 0.25


def test_a_running_tree_cannot_be_swapped(tmp_path: Path) -> None:
    robot, tree = Robot(), tmp_path / 'other.xml'
    tree.write_text('<root/>')
    first = robot.navigate(-1.0, 0.0)
    assert robot.end(robot.navigate(*FREE, tree=str(tree))).status is ABORTED
    assert robot.end(first).status is SUCCEEDED
    assert robot.end(robot.navigate(*FREE, tree=str(tree))).status is SUCCEEDED


def test_robot_that_is_physically_stuck() -> None:
    robot = Robot(number_of_retries=1, progress_s=1.0)
    robot.stuck = True
    goal = robot.navigate(*FREE)
    ended = robot.end(goal)
    assert (ended.status, ended.code) == (ABORTED, 105)
    # Two attempts, each once more on cleared costmaps, and clearing both as the recovery.
    assert robot.feedback(goal)[-1].recoveries in (3, 4)


def test_a_late_transform_ends_drives_and_turns_at_once() -> None:
    robot = Robot()
    drive = robot.navigate(1.0, 0.0)
    robot.until_driving()
    turn = robot.spin(1.0)
    robot.step()
    robot.late = True
    robot.step()
    assert (robot.end(drive).status, robot.end(drive).code) == (ABORTED, 102)
    assert (robot.end(turn).status, robot.end(turn).code) == (ABORTED, 702)
    assert robot.velocity == STOP and not robot.servers.active
    robot.late = False
    assert robot.end(robot.navigate(1.0, 0.0)).status is SUCCEEDED


def test_a_goal_deep_in_a_wall_takes_as_long_as_measured_and_commands_only_what_moves() -> None:
    robot = Robot(**STOCK)
    ended = robot.end(robot.navigate(*DEEP))
    assert (ended.status, ended.code, ended.recoveries) == (ABORTED, 208, 15)
    assert 18.0 < ended.elapsed_s < 25.0
    assert 40 <= len(robot.commands) <= 160
    assert all(one != STOP or other != STOP
               for one, other in pairwise(robot.commands))


def test_a_wedged_robot_goes_nowhere_and_the_start_is_at_fault() -> None:
    robot = Robot(**STOCK)
    robot.put(Pose(-2.84, 0.0, 0.0))
    ended = robot.end(robot.navigate(*FREE))
    assert (ended.status, ended.code) == (ABORTED, 104)
    assert 20.0 < ended.elapsed_s < 40.0
    assert (robot.end(robot.spin(1.0)).code, robot.end(robot.back_up(0.2)).code) == (703, 714)
    assert robot.pose == Pose(-2.84, 0.0, 0.0)


def test_a_localisation_that_errs_does_not_wedge_a_robot_that_stands_free() -> None:
    robot = Robot(**STOCK)
    # In the map it is in the wall's inflation, and would touch; its scans know better.
    robot.error = Pose(-0.3, 0.0, 0.0)
    robot.put(Pose(-2.6, 0.0, 0.0))
    costmap, believed = robot.servers.costmap, robot.state.pose
    assert costmap is not None and believed is not None and is_wedged(costmap, believed)
    assert robot.end(robot.spin(1.0)).status is SUCCEEDED
    assert robot.end(robot.spin(-1.0)).status is SUCCEEDED
    ended = robot.end(robot.navigate(*FREE))
    assert (ended.status, ended.code, ended.recoveries) == (SUCCEEDED, 0, 0)
    believed = robot.state.pose
    assert believed is not None and believed.distance_m(*FREE) <= 0.25


def test_a_localisation_that_errs_leads_into_no_wall() -> None:
    robot = Robot(**STOCK)
    robot.error = Pose(-0.5, 0.0, 0.0)
    robot.put(Pose(1.0, 1.0, 0.0))
    # Half a metre behind the wall on the right, where the map has it yet in the room.
    ended = robot.end(robot.navigate(2.7, 1.0))
    assert (ended.status, ended.code) == (ABORTED, 104)
    assert 2.3 < robot.pose.x < 2.95 - 0.2
    away_m = robot.scans.ranges(robot.pose)
    assert away_m.min() > 0.2
    assert robot.end(robot.navigate(0.0, 1.0)).status is SUCCEEDED, 'it got out again'


def test_a_jump_of_the_localisation_is_no_progress_and_no_obstacle() -> None:
    robot = Robot(progress_s=2.0, number_of_retries=0)
    robot.stuck = True
    goal = robot.navigate(*FREE)
    while not robot.result(goal):
        robot.error = Pose(0.8 * (int(robot.now_s) % 2), 0.0, 0.0)
        robot.step()
    ended = robot.end(goal)
    assert (ended.status, ended.code) == (ABORTED, 105)


def test_obstacle_that_only_scans_know_stops_behaviors_and_is_forgotten_on_request() -> None:
    robot = Robot(**STOCK)
    robot.put(Pose(-2.0, 0.0, 0.0))
    box = room()
    box.cells[36:44, 12:14] = 100
    robot.scans = GridScans(box)
    robot.put(robot.pose)
    assert robot.end(robot.back_up(0.3)).code == 714
    robot.scans, robot.scanning = GridScans(room()), False
    back = robot.back_up(0.3)
    robot.servers.local.clear()
    for _ in range(10):
        robot.step()
    assert robot.result(back) is None and robot.velocity == STOP, 'nobody knows what is there'
    robot.scanning = True
    assert robot.end(back).status is SUCCEEDED


def test_a_turn_and_a_drive_fight() -> None:
    robot = Robot(**STOCK)
    assert robot.end(robot.spin(1.57)).elapsed_s < 2.0
    drive = robot.navigate(2.0, 0.0, 1.57)
    robot.until(lambda: robot.velocity.linear > 0.4)
    turn = robot.end(robot.spin(1.57, 20.0))
    assert turn.status is SUCCEEDED and 5.0 < turn.elapsed_s < 12.0
    assert robot.end(drive).status is SUCCEEDED


def test_without_map_or_pose_nothing_is_accepted() -> None:
    robot = Robot()
    robot.servers.costmap = None
    assert not any(robot.servers.accepts(action, robot.state) for action in Action)
    robot = Robot()
    for lost in (RobotState(robot.now_s, None, HOME), RobotState(robot.now_s, HOME, None)):
        assert not any(robot.servers.accepts(action, lost) for action in Action)


# Spin and BackUp

def test_spin_and_back_up() -> None:
    robot = Robot()
    goal = robot.spin(-0.8)
    ended = robot.end(goal)
    assert (ended.status, ended.code) == (SUCCEEDED, 0)
    assert robot.pose.yaw == pytest.approx(-0.8, abs=0.1)
    told = [one.done for one in robot.outputs if isinstance(one, BehaviorFeedback)]
    assert abs(told[-1]) == pytest.approx(0.8, abs=0.1)
    robot.pose = HOME
    assert robot.end(robot.back_up(0.3)).status is SUCCEEDED
    assert robot.pose.x == pytest.approx(HOME.x - 0.3, abs=0.03)
    for goal, code in ((robot.back_up(0.3, 0.1), 713), (robot.spin(3.0, 0.2), 701)):
        ended = robot.end(goal)
        assert (ended.status, ended.code) == (ABORTED, code)
    assert robot.velocity == STOP


def test_a_new_spin_aborts_the_one_in_hand_and_a_cancel_ends_it() -> None:
    robot = Robot()
    first, second = robot.spin(6.0), robot.spin(3.0)
    ended = robot.result(first)
    assert ended is not None and (ended.status, ended.code) == (ABORTED, 0)
    robot.step()
    robot.servers.goals.cancel_all(Action.SPIN)
    assert robot.end(second).status is CANCELED


# Goals that bt_navigator gives to the other servers

def errands(robot: Robot, action: Action) -> list[list[GoalStatus]]:
    """Return the states of each goal of an action, in the order in which they began."""
    states: dict[str, list[GoalStatus]] = {}
    for told in robot.outputs:
        if isinstance(told, Errand) and told.action is action:
            states.setdefault(told.goal_id, []).append(told.status)
    return list(states.values())


EXECUTING = GoalStatus.EXECUTING


def test_each_replan_preempts_the_goal_of_the_follower() -> None:
    robot = Robot()
    ended = robot.end(robot.navigate(*FREE))
    *replaced, last = errands(robot, Action.FOLLOW_PATH)
    assert replaced == [[EXECUTING, ABORTED]] * len(replaced) and last == [EXECUTING, SUCCEEDED]
    assert len(replaced) == pytest.approx(ended.elapsed_s, abs=1.0), 'once a second'
    plans = [one for one in robot.outputs if isinstance(one, PlanMade)]
    assert len(plans) == len(replaced) + 1


@pytest.mark.parametrize(('end', 'status'), [
    (cancel, CANCELED), (pause, ABORTED), (kill_planner, ABORTED)])
def test_goal_of_the_follower_ends_with_the_drive(
        end: Callable[[Robot], list[str]], status: GoalStatus) -> None:
    robot = Robot()
    end(robot)
    assert errands(robot, Action.FOLLOW_PATH)[-1] == [EXECUTING, status] or (
        end is not cancel and [EXECUTING, status] in errands(robot, Action.FOLLOW_PATH))


def test_goal_of_the_follower_is_that_which_is_cancelled() -> None:
    robot = Robot()
    robot.navigate(2.0, 1.0)
    robot.until_driving()
    followed, outputs = robot.servers.cancel_following(robot.now_s)
    [ended] = [one for one in outputs if isinstance(one, Errand)]
    assert ended == Errand(followed, Action.FOLLOW_PATH, CANCELED)


def test_goal_of_the_follower_outlives_a_navigator_that_dies() -> None:
    robot = Robot()
    robot.navigate(2.0, 1.0)
    robot.until_driving()
    robot.servers.lose_navigator()
    robot.until(lambda: not robot.servers.driving)
    assert errands(robot, Action.FOLLOW_PATH)[-1] == [EXECUTING, SUCCEEDED]


def test_recoveries_are_goals_of_the_actions_that_carry_them_out() -> None:
    robot = Robot(number_of_retries=6)
    ended = robot.end(robot.navigate(*DEEP))
    assert (ended.status, ended.code) == (ABORTED, 208)
    for action in (Action.SPIN, Action.WAIT, Action.BACKUP):
        begun = errands(robot, action)
        assert begun and begun == [[EXECUTING, SUCCEEDED]] * len(begun)
    assert errands(robot, Action.FOLLOW_PATH) == []


def recovering(robot: Robot, action: Action) -> tuple[str, Errand]:
    """Return a goal that is not reached, and the recovery that it leads to."""
    goal, found = robot.navigate(*DEEP), []

    def begun() -> bool:
        found.extend(one for one in robot.outputs if isinstance(one, Errand)
                     and one.action is action)
        return bool(found)

    robot.until(begun)
    return goal, found[0]


def test_recovery_that_is_cancelled_has_done_its_part() -> None:
    robot = Robot()
    goal, spin = recovering(robot, Action.SPIN)
    assert robot.servers.goals.cancel(spin.goal_id) is CancelCode.NONE
    robot.step()
    assert errands(robot, Action.SPIN) == [[EXECUTING, CANCELED]]
    assert robot.result(goal) is None, 'the drive goes on'


def test_drive_that_is_cancelled_cancels_its_recovery() -> None:
    robot = Robot()
    goal, _ = recovering(robot, Action.SPIN)
    robot.servers.goals.cancel(goal)
    robot.end(goal)
    assert errands(robot, Action.SPIN) == [[EXECUTING, CANCELED]]
    assert isinstance([one for one in robot.outputs if isinstance(one, Errand | Result)][-1],
                      Result), 'the drive ends last'


# What goes wrong on request

def test_abort_of_an_overloaded_nav2_does_not_stop_the_robot() -> None:
    robot = Robot(NavigatorProfile(goals=GoalFaults(abort_every=2)))
    assert robot.end(robot.navigate(HOME.x, HOME.y)).status is SUCCEEDED
    goal = robot.navigate(2.0, 1.0)
    ended = robot.end(goal)
    assert (ended.status, ended.code) == (ABORTED, 0)
    assert ended.elapsed_s == pytest.approx(GoalFaults().abort_after_s, abs=DT_S)
    robot.until_driving()
    # The goal is over: only what follows the path can be cancelled.
    assert robot.servers.goals.cancel(goal) is CancelCode.GOAL_TERMINATED
    followed, outputs = robot.servers.cancel_following(robot.now_s)
    robot.do(outputs)
    assert followed and robot.velocity == STOP and not robot.servers.driving
    assert robot.servers.cancel_following(robot.now_s) == ('', [])
    # Left alone it gets there.
    robot.end(robot.navigate(robot.pose.x, robot.pose.y, robot.pose.yaw))
    assert robot.end(robot.navigate(2.0, 1.0)).status is ABORTED
    robot.until(lambda: not robot.servers.driving)
    assert robot.pose.distance_m(2.0, 1.0) <= 0.25


def test_a_goal_takes_over_from_one_that_only_seemed_to_end() -> None:
    robot = Robot(NavigatorProfile(goals=GoalFaults(abort_every=2, abort_after_s=0.5)))
    robot.end(robot.navigate(HOME.x, HOME.y))
    robot.end(robot.navigate(2.0, 1.0))
    assert robot.end(robot.navigate(-1.0, 0.0)).status is SUCCEEDED
    assert robot.pose.distance_m(-1.0, 0.0) <= 0.25


def test_following_can_be_cancelled_with_a_goal_in_hand() -> None:
    robot = Robot()
    goal = robot.navigate(2.0, 1.0)
    robot.until_driving()
    followed, outputs = robot.servers.cancel_following(robot.now_s)
    robot.do(outputs)
    ended = robot.result(goal)
    assert followed and robot.velocity == STOP
    assert ended is not None and (ended.status, ended.code) == (SUCCEEDED, 0)
    assert robot.pose.distance_m(2.0, 1.0) > 1.0, 'it says so wherever the robot stands'


def test_controller_of_a_navigator_that_died_drives_on() -> None:
    robot = Robot(NavigatorProfile(goals=GoalFaults(die_every=1, abort_after_s=0.5)))
    goal = robot.navigate(2.0, 1.0)
    robot.until_driving()
    robot.until(lambda: not robot.servers.driving)
    assert robot.result(goal) is None and robot.pose.distance_m(2.0, 1.0) <= 0.25
    told = [one for one in robot.outputs if isinstance(one, NavigationFeedback)]
    assert told and max(one.elapsed_s for one in told) <= 0.5 + DT_S
    assert robot.servers.goals.cancel(goal) is CancelCode.REJECTED


def test_what_a_dead_navigator_drove_is_stopped_by_the_follower_or_by_the_next_goal() -> None:
    for cure in ('follower', 'goal'):
        robot = Robot(NavigatorProfile(goals=GoalFaults(die_every=2, abort_after_s=0.5)))
        robot.end(robot.navigate(HOME.x, HOME.y))
        robot.navigate(2.0, 1.0)
        robot.until_driving()
        for _ in range(20):
            robot.step()
        if cure == 'follower':
            followed, outputs = robot.servers.cancel_following(robot.now_s)
            robot.do(outputs)
            assert followed and robot.velocity == STOP and not robot.servers.driving
        else:
            assert robot.end(robot.navigate(-1.0, 0.0)).status is SUCCEEDED
            assert robot.pose.distance_m(-1.0, 0.0) <= 0.3


def test_a_controller_that_hangs_takes_all_servers_with_it() -> None:
    robot = Robot(NavigatorProfile(goals=GoalFaults(hang_every=1, inactive_s=5.0)))
    goal = robot.navigate(2.0, 1.0)
    robot.until(lambda: robot.now_s >= 101.0)
    hung = robot.pose
    ended = robot.end(goal)
    assert (ended.status, ended.code) == (ABORTED, 0)
    assert ended.elapsed_s == pytest.approx(1.0 + 1.8, abs=2 * DT_S)
    assert 0.2 < robot.pose.distance_m(hung.x, hung.y) < 0.6, 'a base rolls on without commands'
    assert robot.servers.paused and robot.velocity == STOP
    assert not (robot.navigate(1.0, 1.0) or robot.plan(FREE) or robot.spin(1.0))
    robot.servers.recover(robot.now_s + 4.9)
    assert robot.servers.paused
    robot.servers.recover(robot.now_s + 5.1)
    assert robot.end(robot.plan(FREE)).status is SUCCEEDED


def test_a_planner_that_hangs_lets_the_robot_follow_its_path_first() -> None:
    robot = Robot(max_vel_x=0.4)
    goal = robot.navigate(2.0, 1.0)
    robot.until(lambda: robot.now_s >= 101.0)
    robot.servers.hang(Server.PLANNER, robot.now_s)
    hung, asked = robot.pose, robot.plan(FREE)
    ended = robot.end(goal)
    assert (ended.status, ended.code) == (ABORTED, 0)
    assert ended.elapsed_s == pytest.approx(1.0 + 1.8, abs=2 * DT_S)
    assert 0.5 < robot.pose.distance_m(hung.x, hung.y) < 0.8
    robot.until(lambda: robot.servers.paused and robot.velocity == STOP)
    assert asked and robot.result(asked) is None
    assert not (robot.navigate(1.0, 1.0) or robot.plan(FREE) or robot.spin(1.0))
    robot.servers.recover(robot.now_s + 1000.0)
    assert robot.servers.paused
    robot.servers.go_on(Server.PLANNER, robot.now_s)
    assert robot.end(robot.plan(FREE)).status is SUCCEEDED


def test_how_far_a_goal_is_can_be_told_at_any_moment() -> None:
    robot = Robot()
    assert not robot.servers.feedback(robot.state)
    goal = robot.navigate(2.0, 1.0)
    robot.until_driving()
    robot.now_s += DT_S / 5
    [told] = robot.servers.feedback(robot.state)
    assert isinstance(told, NavigationFeedback) and told.goal_id == goal
    assert told.elapsed_s == pytest.approx(robot.now_s - 100.0) and told.remaining_m > 1.0
    robot.end(goal)
    assert not robot.servers.feedback(robot.state)


def test_a_goal_that_is_replaced_while_the_planner_hangs_ends_too() -> None:
    robot = Robot()
    first = robot.navigate(-1.4, 0.0)
    robot.step()
    robot.servers.hang(Server.PLANNER, robot.now_s)
    second = robot.navigate(2.0, 1.0)
    assert [robot.end(goal).status for goal in (first, second)] == [ABORTED, ABORTED]


def test_an_idle_planner_that_hangs_takes_all_servers_with_it() -> None:
    robot = Robot()
    robot.servers.hang(Server.PLANNER, robot.now_s)
    assert not (robot.navigate(1.0, 1.0) or robot.plan(FREE))
    robot.servers.go_on(Server.PLANNER, robot.now_s)
    assert robot.end(robot.navigate(*FREE)).status is SUCCEEDED


def test_nothing_is_active_as_long_as_any_server_hangs() -> None:
    robot = Robot()
    for server in Server:
        robot.servers.hang(server, robot.now_s)
    robot.servers.pause(False, robot.now_s)
    assert robot.servers.paused, 'who hangs cannot be activated'
    robot.servers.go_on(Server.CONTROLLER, robot.now_s)
    assert not (robot.navigate(1.0, 1.0) or robot.plan(FREE))
    robot.servers.go_on(Server.PLANNER, robot.now_s)
    assert robot.end(robot.plan(FREE)).status is SUCCEEDED


def test_a_server_that_goes_on_before_its_bond_breaks_is_not_missed() -> None:
    for server in Server:
        robot = Robot()
        goal = robot.navigate(2.0, 1.0)
        robot.until_driving()
        robot.servers.hang(server, robot.now_s)
        robot.step()
        robot.servers.go_on(server, robot.now_s)
        assert robot.end(goal).status is SUCCEEDED


def test_dropped_goal_never_ends() -> None:
    robot = Robot(NavigatorProfile(goals=GoalFaults(drop_every=3)))
    for _ in range(2):
        assert robot.end(robot.navigate(HOME.x, HOME.y)).status is SUCCEEDED
    dropped = robot.navigate(*FREE)
    assert dropped
    assert robot.servers.goals.cancel(dropped) is CancelCode.REJECTED
    assert robot.end(robot.navigate(HOME.x, HOME.y)).status is SUCCEEDED
    assert robot.result(dropped) is None and robot.feedback(dropped) == []


def test_rejected_goals() -> None:
    robot = Robot(NavigatorProfile(goals=GoalFaults(rejected=True)))
    assert not robot.navigate(*FREE)
    assert robot.end(robot.plan(FREE)).status is SUCCEEDED
    assert robot.end(robot.spin(0.3)).status is SUCCEEDED


def test_dead_planner() -> None:
    robot = Robot(NavigatorProfile(PlannerFaults(alive=False)))
    assert not robot.navigate(*FREE) and not robot.plan(FREE)


def test_a_planner_that_dies_answers_nobody() -> None:
    robot = Robot(NavigatorProfile(PlannerFaults(delay_s=1.0)))
    waiting = robot.plan(FREE)
    robot.do(robot.servers.set_planner_alive(False, robot.now_s))
    for _ in range(100):
        robot.step()
    assert robot.result(waiting) is None


def test_no_feedback() -> None:
    robot = Robot(NavigatorProfile(goals=GoalFaults(feedback=False)))
    goal = robot.navigate(-1.0, 0.0)
    assert robot.end(goal).status is SUCCEEDED
    assert robot.feedback(goal) == []


def test_slow_planner() -> None:
    robot = Robot(NavigatorProfile(PlannerFaults(delay_s=0.7)))
    assert 0.7 <= robot.end(robot.plan(FREE)).elapsed_s + 1e-6 < 0.8
    goal = robot.navigate(-1.0, 0.0)
    began_s = robot.now_s
    robot.until(lambda: robot.velocity != STOP)
    assert robot.now_s - began_s == pytest.approx(0.7, abs=DT_S)
    assert robot.end(goal).status is SUCCEEDED


def test_a_cancel_of_nothing_says_so_and_ended_goals_are_forgotten_at_last() -> None:
    robot = Robot()
    assert robot.servers.goals.cancel('nobody') is CancelCode.UNKNOWN_GOAL_ID
    running = robot.navigate(2.0, 1.0)
    first, *_, last = [robot.plan(FREE) for _ in range(200)]
    assert robot.servers.goals.cancel(first) is CancelCode.UNKNOWN_GOAL_ID
    assert robot.servers.goals.cancel(last) is CancelCode.GOAL_TERMINATED
    assert robot.servers.goals.cancel(running) is CancelCode.NONE


def test_speed_limit_holds_for_the_goal_in_hand_and_for_those_to_come() -> None:
    robot = Robot()
    for limit, percentage, fastest in ((20.0, True, 0.2), (0.3, False, 0.3), (0.0, False, 1.0)):
        robot.pose, robot.velocity = HOME, STOP
        goal = robot.navigate(2.0, 1.0)
        robot.servers.limit_speed(limit, percentage=percentage)
        before = len(robot.commands)
        robot.end(goal)
        driven = max(one.linear for one in robot.commands[before:])
        assert driven == pytest.approx(fastest, rel=0.1)
        again = robot.navigate(HOME.x, HOME.y)
        before = len(robot.commands)
        robot.end(again)
        assert max(one.linear for one in robot.commands[before:]) <= fastest + 0.01
