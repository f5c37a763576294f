"""Rows of what was measured of Nav2 (jazzy, stock parameters) on the real actions.

The whole table is walked in test/unit/test_sim_navigator_table.py; here stand the rows to which
frames, states of goals, services and results of ROS add anything.
"""

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import pytest
import rclpy
from action_msgs.msg import GoalStatusArray
from action_msgs.srv import CancelGoal
from lifecycle_msgs.srv import GetState
from navigator_rig import (
    ABORTED,
    CANCELED,
    HOME,
    SUCCEEDED,
    Base,
    Goal,
    Operator,
    put_home,
    team_of,
    wait_until,
    write_map,
)
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default
from rclpy.time import Time

from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav_sim.navigator.geometry import wrap
from semantic_nav_sim.navigator.ros_lifecycle import Lifecycle
from semantic_nav_sim.running.goal_witness import GoalWitness

Team = tuple[Base, Operator]
FREE, DEEP, OUTSIDE = (1.5, 1.0), (1.7, -1.2), (9.0, 0.0)


@pytest.fixture(scope='module')
def map_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_map(tmp_path_factory.mktemp('map'))


@pytest.fixture(scope='module')
def ros(ros_domain: int) -> Iterator[None]:
    rclpy.init()
    yield
    rclpy.shutdown()


@pytest.fixture(scope='module')
def shared_team(ros: None, map_file: Path) -> Iterator[Team]:
    with team_of(map_file) as team:
        yield team


@pytest.fixture
def team(shared_team: Team) -> Team:
    put_home(shared_team[0])
    return shared_team


# ComputePathToPose: request, status and code, poses of the path, where it ends

@dataclass(frozen=True)
class PathRow:
    """One row: the error message is always empty, and there is a path only on success."""

    request: dict[str, object]
    end: tuple[int, int]
    poses: tuple[int, int] = (0, 0)


PATHS = {
    'free goal': PathRow({'goal': FREE}, (SUCCEEDED, 0), poses=(120, 180)),
    'start outside the map': PathRow({'goal': FREE, 'start': OUTSIDE}, (ABORTED, 203)),
    'unknown frame': PathRow({'goal': FREE, 'frame': 'moon'}, (ABORTED, 202)),
    'empty frame': PathRow({'goal': FREE, 'frame': ''}, (ABORTED, 202)),
    'goal on the robot': PathRow({'goal': (HOME.x, HOME.y)}, (SUCCEEDED, 0), poses=(1, 1))}


@pytest.mark.parametrize('row', PATHS)
def test_compute_path_to_pose(team: Team, row: str) -> None:
    expected = PATHS[row]
    goal = team[1].plan(**expected.request)
    assert goal.end() == expected.end
    assert goal.result.error_msg == ''
    assert goal.feedback == []
    path = goal.result.path.poses
    assert expected.poses[0] <= len(path) <= expected.poses[1]
    if path:
        end, (x, y) = path[-1].pose.position, expected.request['goal']
        assert math.hypot(end.x - x, end.y - y) <= 1e-6
    assert not team[0].commands, 'planning drives nowhere'


# NavigateToPose: what is done, how each goal ends, and what could be seen of it

def driving(base: Base) -> None:
    wait_until(lambda: base.moving and base.commands[-1][0] > 0.5)


def one(x: float, y: float, **request: object) -> Callable[[Base, Operator], list[Goal]]:
    return lambda base, operator: [operator.navigate(x, y, **request)]


def cancel(base: Base, operator: Operator) -> list[Goal]:
    goal = operator.navigate(2.0, 1.0)
    driving(base)
    assert goal.cancel() == CancelGoal.Response.ERROR_NONE
    return [goal]


def cancel_finished(base: Base, operator: Operator) -> list[Goal]:
    goal = operator.navigate(HOME.x, HOME.y)
    goal.end()
    assert goal.cancel() == CancelGoal.Response.ERROR_GOAL_TERMINATED
    return [goal]


def cancel_in_recovery(base: Base, operator: Operator) -> list[Goal]:
    goal = operator.navigate(*DEEP)
    wait_until(lambda: goal.feedback and goal.feedback[-1].number_of_recoveries)
    goal.cancel()
    return [goal]


def preempt(x: float, y: float) -> Callable[[Base, Operator], list[Goal]]:
    def act(base: Base, operator: Operator) -> list[Goal]:
        first = operator.navigate(1.0, 1.0)
        driving(base)
        base.commands.clear()
        second = operator.navigate(x, y)
        ended: list[Goal] = []
        for goal in (first, second):
            goal.tell_end(ended)
        wait_until(lambda: len(ended) == 2)
        assert ended == [first, second]
        return [first, second]
    return act


def kill_planner(base: Base, operator: Operator) -> list[Goal]:
    goal = operator.navigate(2.0, 1.0)
    driving(base)
    assert operator.set('planner_alive', False).successful
    try:
        goal.end()
        assert not operator.navigate(1.0, 1.0).accepted
    finally:
        operator.set('planner_alive', True)
        wait_until(operator.clients_of['compute_path_to_pose'].server_is_ready)
    return [goal]


def until_all_is_inactive(name: str, *, by: bool) -> Callable[[Base, Operator], list[Goal]]:
    def act(base: Base, operator: Operator) -> list[Goal]:
        goal = operator.navigate(2.0, 1.0)
        driving(base)
        assert operator.set(name, by).successful
        try:
            goal.end()
            assert not operator.navigate(1.0, 1.0).accepted
            assert not operator.plan(FREE).accepted
            assert not operator.spin(1.0).accepted
        finally:
            operator.set(name, not by)
        again = operator.navigate(base.pose.x, base.pose.y, base.pose.yaw)
        return [goal, again]
    return act


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

    act: Callable[[Base, Operator], list[Goal]]
    ends: tuple[tuple[int, int], ...]
    recoveries: tuple[int, int] = (0, 0)
    goal: tuple[float, float] = FREE
    off_m: tuple[float, float] = (0.0, math.inf)
    drives: bool | None = True
    pauses: bool = True


DRIVES = {
    'success': DriveRow(one(*FREE), ((SUCCEEDED, 0),), off_m=(0.0, 0.27), pauses=False),
    'cancel while driving': DriveRow(cancel, ((CANCELED, 0),)),
    'cancel of a finished goal': DriveRow(cancel_finished, ((SUCCEEDED, 0),), drives=False),
    'cancel during a recovery': DriveRow(cancel_in_recovery, ((CANCELED, 208),),
                                         recoveries=(1, 7), drives=None),
    'preempted by a new goal': DriveRow(
        preempt(2.0, 1.5), ((ABORTED, 0), (SUCCEEDED, 0)), goal=(2.0, 1.5), off_m=(0.0, 0.27),
        pauses=False),
    'unknown frame': DriveRow(one(*FREE, frame='moon'), ((ABORTED, 0),), drives=False),
    'empty frame': DriveRow(one(*FREE, frame=''), ((ABORTED, 0),), drives=False),
    'lifecycle pause': DriveRow(
        until_all_is_inactive('paused', by=True), ((ABORTED, 0), (SUCCEEDED, 0)), drives=None),
    'controller server hangs': DriveRow(
        until_all_is_inactive('controller_alive', by=False), ((ABORTED, 0), (SUCCEEDED, 0)),
        drives=None),
    'planner server hangs': DriveRow(
        until_all_is_inactive('planner_answers', by=False), ((ABORTED, 0), (SUCCEEDED, 0)),
        drives=None),
    'planner server killed': DriveRow(kill_planner, ((ABORTED, 0),))}


@pytest.mark.parametrize('row', DRIVES)
def test_navigate_to_pose(team: Team, row: str) -> None:
    (base, operator), expected = team, DRIVES[row]
    goals = expected.act(base, operator)
    assert tuple(goal.end() for goal in goals) == expected.ends
    wait_until(lambda: not base.moving)
    told = [feedback.number_of_recoveries for feedback in goals[0].feedback] or [0]
    assert expected.recoveries[0] <= told[-1] <= expected.recoveries[1]
    assert expected.off_m[0] <= base.pose.distance_m(*expected.goal) <= expected.off_m[1]
    moves = [command for command in base.commands if command != (0.0, 0.0)]
    assert expected.drives is None or bool(moves) == expected.drives
    if not expected.pauses:
        last = max(index for index, command in enumerate(base.commands) if any(command))
        assert (0.0, 0.0) not in base.commands[1:last]
    if goals[0].feedback:
        assert goals[0].feedback[0].distance_remaining == 0.0
        assert expected.ends[0] != (SUCCEEDED, 0) or abs(wrap(base.pose.yaw)) <= 0.27


# Goals that bt_navigator gives to the other servers

class Statuses:
    """What the status topics of actions told of each goal, in order, by action and UUID."""

    def __init__(self, operator: Operator, *actions: str) -> None:
        self.of: dict[str, dict[str, list[int]]] = {action: {} for action in actions}
        self._began = operator.get_clock().now()
        for action in actions:
            operator.create_subscription(GoalStatusArray, f'{action}/_action/status',
                                         partial(self._take, action),
                                         qos_profile_action_status_default)

    def _take(self, action: str, message: GoalStatusArray) -> None:
        for one in message.status_list:
            # A topic tells of older goals too.
            if Time.from_msg(one.goal_info.stamp) < self._began:
                continue
            told = self.of[action].setdefault(bytes(one.goal_info.goal_id.uuid).hex(), [])
            if one.status not in told:
                told.append(one.status)

    def ends(self, action: str) -> list[int]:
        return [told[-1] for told in self.of[action].values()]


def test_path_is_followed_by_goals_that_each_replan_preempts(team: Team) -> None:
    operator = team[1]
    seen = Statuses(operator, 'follow_path')
    assert operator.navigate(*FREE).end() == (SUCCEEDED, 0)
    wait_until(lambda: SUCCEEDED in seen.ends('follow_path'))
    *replaced, last = seen.ends('follow_path')
    assert last == SUCCEEDED and replaced and set(replaced) == {ABORTED}


def test_following_that_is_cancelled_names_its_goal(team: Team) -> None:
    base, operator = team
    seen = Statuses(operator, 'follow_path')
    goal = operator.navigate(2.0, 1.0)
    driving(base)
    answer = operator.call(operator.cancel_following, CancelGoal.Request())
    assert goal.end() == (SUCCEEDED, 0)
    [info] = answer.goals_canceling
    wait_until(lambda: CANCELED in seen.ends('follow_path'))
    assert seen.of['follow_path'][bytes(info.goal_id.uuid).hex()][-1] == CANCELED


def test_recoveries_are_goals_that_everybody_sees_and_may_cancel(
        ros: None, map_file: Path) -> None:
    with team_of(map_file, 'recovering', number_of_retries=4) as (base, operator):
        put_home(base)
        seen = Statuses(operator, 'spin', 'wait', 'backup')
        witness = GoalWitness(operator)
        cancel_all = operator.create_client(CancelGoal, 'spin/_action/cancel_goal')
        # A turn of a base that stands is still under way when the cancel comes.
        base.stands = True
        goal = operator.navigate(*DEEP)
        wait_until(lambda: operator.call(cancel_all, CancelGoal.Request()).goals_canceling)
        base.stands = False
        assert goal.end() == (ABORTED, 208)
        for action, end in (('spin', CANCELED), ('wait', SUCCEEDED), ('backup', SUCCEEDED)):
            wait_until(lambda action=action, end=end: end in seen.ends(action))
        wait_until(lambda: {*seen.of['spin'], *seen.of['backup']} <= witness.in_drive)


# What goes wrong on request

def faulty(map_file: Path, profile: str) -> contextlib.AbstractContextManager[Team]:
    return team_of(map_file, profile, profile=profile)


def test_abort_of_an_overloaded_nav2_does_not_stop_the_robot(ros: None, map_file: Path) -> None:
    with faulty(map_file, 'spurious_abort_0') as (base, operator):
        put_home(base)
        assert operator.navigate(HOME.x, HOME.y).end() == (SUCCEEDED, 0)
        goal = operator.navigate(2.0, 1.0)
        assert goal.end() == (ABORTED, 0)
        base.commands.clear()
        wait_until(lambda: base.moving)
        # The goal is over: only what follows the path can be cancelled.
        assert goal.cancel() == CancelGoal.Response.ERROR_GOAL_TERMINATED
        answer = operator.call(operator.cancel_following, CancelGoal.Request())
        assert answer.return_code == CancelGoal.Response.ERROR_NONE
        assert len(answer.goals_canceling) == 1
        wait_until(lambda: not base.moving)
        answer = operator.call(operator.cancel_following, CancelGoal.Request())
        assert answer.return_code == CancelGoal.Response.ERROR_NONE
        assert not answer.goals_canceling
        # Left alone it gets there.
        operator.navigate(base.pose.x, base.pose.y, base.pose.yaw).end()
        assert operator.navigate(2.0, 1.0).end() == (ABORTED, 0)
        wait_until(lambda: base.pose.distance_m(2.0, 1.0) <= 0.27)


def test_dead_bt_navigator_answers_nothing_and_the_robot_drives_on(
        ros: None, map_file: Path) -> None:
    with team_of(map_file, 'headless') as (base, operator):
        put_home(base)
        lost = operator.navigate(2.0, 1.0)
        driving(base)
        assert operator.set('bt_navigator_alive', False).successful
        client = operator.clients_of['navigate_to_pose']
        assert client.server_is_ready(), 'nobody knows yet'
        unheard = lost.handle.cancel_goal_async()
        base.commands.clear()
        # What was told before, and is still under way, arrives meanwhile.
        wait_until(lambda: len(base.commands) >= 5)
        told = len(lost.feedback)
        wait_until(lambda: len(base.commands) >= 10)
        assert base.moving
        assert len(lost.feedback) == told and not unheard.done()
        answer = operator.call(operator.cancel_following, CancelGoal.Request())
        assert len(answer.goals_canceling) == 1
        wait_until(lambda: not base.moving)
        assert operator.set('bt_navigator_alive', True).successful
        assert operator.navigate(HOME.x, HOME.y).end() == (SUCCEEDED, 0)
        assert not lost.done and not unheard.done()


def test_servers_tell_their_state_unless_they_are_dead(ros: None, map_file: Path) -> None:
    with team_of(map_file, 'stately') as (_, operator):
        ask = {name: operator.create_client(GetState, f'{name}/get_state') for name in (
            'bt_navigator', 'planner_server', 'controller_server', 'behavior_server')}

        def states() -> set[str]:
            return {operator.call(client, GetState.Request()).current_state.label
                    for client in ask.values()}

        assert states() == {'active'}
        assert operator.set('paused', True).successful and states() == {'inactive'}
        assert operator.set('paused', False).successful
        assert operator.set('bt_navigator_alive', False).successful
        unheard = ask.pop('bt_navigator').call_async(GetState.Request())
        assert states() == {'active'} and not unheard.done()


def test_servers_tell_their_state_on_the_executor_of_the_process(ros_domain: int) -> None:
    """The events executor awaits no callback."""
    context = Context()
    context.init(domain_id=ros_domain)
    executor = make_executor(context)
    # In the namespace of nobody else: whoever serves `get_state` beside it would answer.
    node = Node('stately', namespace='stately', context=context)
    executor.add_node(node)
    lifecycle = Lifecycle(node, Mock(paused=False, hangs=lambda server: False))
    lifecycle.silent.add('bt_navigator')
    try:
        clients = {name: node.create_client(GetState, f'{name}/get_state')
                   for name in ('bt_navigator', 'planner_server')}
        end = time.monotonic() + 60.0
        while not all(client.service_is_ready() for client in clients.values()):
            assert time.monotonic() < end
            executor.spin_once(timeout_sec=0.1)
        asked = {name: client.call_async(GetState.Request()) for name, client in clients.items()}
        again = time.monotonic() + 5.0
        while not asked['planner_server'].done() and time.monotonic() < end:
            executor.spin_once(timeout_sec=0.1)
            if time.monotonic() > again:
                # Fast DDS drops a reply where the server has not yet met the reader of it.
                asked['planner_server'] = clients['planner_server'].call_async(GetState.Request())
                again += 5.0
        assert asked['planner_server'].result().current_state.label == 'active'
        assert not asked['bt_navigator'].done()
    finally:
        executor.shutdown()
        node.destroy_node()
        context.shutdown()


def test_dropped_goal_never_ends(ros: None, map_file: Path) -> None:
    with faulty(map_file, 'drops_goal') as (base, operator):
        put_home(base)
        for _ in range(2):
            assert operator.navigate(HOME.x, HOME.y).end() == (SUCCEEDED, 0)
        dropped = operator.navigate(*FREE)
        assert dropped.accepted
        dropped.cancel()
        assert not dropped.canceling
        assert operator.navigate(HOME.x, HOME.y).end() == (SUCCEEDED, 0)
        assert not dropped.done and dropped.feedback == []


def test_rejected_goals(ros: None, map_file: Path) -> None:
    with faulty(map_file, 'rejects') as (_, operator):
        assert not operator.navigate(*FREE).accepted
        assert operator.plan(FREE).end() == (SUCCEEDED, 0)


def test_dead_planner(ros: None, map_file: Path) -> None:
    with faulty(map_file, 'planner_dead') as (_, operator):
        assert not operator.navigate(*FREE).accepted
        assert not operator.clients_of['compute_path_to_pose'].server_is_ready()


def test_slow_planner(ros: None, map_file: Path, tmp_path: Path) -> None:
    profile = tmp_path / 'slow.yaml'
    profile.write_text('description: slow\nplanner: {delay_s: 0.7}\n')
    with team_of(map_file, 'slow', profile=str(profile)) as (base, operator):
        put_home(base)
        path = operator.plan(FREE)
        assert path.end() == (SUCCEEDED, 0)
        planned = path.result.planning_time
        assert planned.sec + planned.nanosec * 1e-9 >= 0.7
