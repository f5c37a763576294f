"""Failures are held against what is at fault, and the robot gets itself out."""

import math
from dataclasses import replace

import numpy as np
import pytest
from builders import Block, Room, candidate, canonical
from situations import Known
from verifier_rig import START, VerifierRig

from semantic_nav.contracts.core import Output
from semantic_nav.contracts.documents import Decision, Result, RobotPose, Verdict
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import UNKNOWN
from semantic_nav.contracts.vocabulary import ActOutcome, Code, Level, NavStatus
from semantic_nav.verify.checks.failure_cause import LEFT_M, Blame, blame_of
from semantic_nav.verify.checks.path_progress import PathProgress
from semantic_nav.verify.checks.stalls import RADIUS_M, stall_of
from semantic_nav.verify.driving.back_off import OdometryTrail, back_off_m
from semantic_nav.verify.effects import (
    AskPath,
    CancelNav,
    ClearCostmaps,
    SendBackUp,
    SendNav,
    SendSpin,
    StopNav,
)
from semantic_nav.verify.events import CostmapReceived, Deactivating, MapReceived, PathAnswered
from semantic_nav.verify.floor.localisation import Localisation

#: Where the robot gets stuck in these tests, a metre on its way.
STUCK = Pose2D(3.0, 3.0, 0.0)
FAR = Pose2D(6.5, 3.0, 0.0)


def free_room() -> Room:
    return Room(blocks=[])


def refilled(rig: VerifierRig) -> list[Output]:
    """Let the costmaps come again after they were cleared."""
    followed: list[Output] = []
    for _ in range(2):
        rig.clock.advance(0.6)
        rig.hear_pose()
        followed += rig.out
        followed += rig.hear(CostmapReceived(rig.room.costmap(rig.clock.now.clock_ns)))
    followed += rig.hear_pose()
    rig.out = followed
    return followed


def to_node(rig: VerifierRig, pose: Pose2D, name: str = 'n') -> None:
    """Have the robot sent to a remembered place, and Nav2 asked for the path."""
    rig.remember(candidate(name, pose))
    rig.try_(canonical('goto_node', node_id=name))


def stuck_on_the_way(rig: VerifierRig, code: int = 104, stuck: Pose2D = STUCK) -> None:
    """Drive to a far place and fail on the way there."""
    to_node(rig, FAR)
    rig.path()
    assert isinstance(rig.sent, SendNav)
    rig.accept()
    for share in np.linspace(0.0, 1.0, 11):
        rig.drive(Pose2D(START.x + (stuck.x - START.x) * share, stuck.y, 0.0), 0.2)
    rig.finish('aborted', code)
    rig.stand()


def kinds(outputs: list[Output]) -> list[type]:
    return [type(one.body if hasattr(one, 'body') else one) for one in outputs]


# What is at fault

@pytest.mark.parametrize(('status', 'code', 'near', 'far'), [
    ('aborted', 208, Blame.GOAL, Blame.GOAL), ('aborted', 204, Blame.GOAL, Blame.GOAL),
    ('succeeded', 0, Blame.GOAL, Blame.GOAL),
    ('aborted', 104, Blame.START, Blame.PLACE), ('aborted', 105, Blame.START, Blame.PLACE),
    ('aborted', 106, Blame.START, Blame.PLACE), ('aborted', 703, Blame.START, Blame.PLACE),
    ('aborted', 203, Blame.START, Blame.START), ('aborted', 205, Blame.START, Blame.START),
    ('aborted', 102, Blame.START, Blame.NOBODY),
    ('aborted', 0, Blame.NOBODY, Blame.NOBODY), ('aborted', 202, Blame.NOBODY, Blame.NOBODY),
    ('aborted', 207, Blame.NOBODY, Blame.NOBODY), ('aborted', 2, Blame.NOBODY, Blame.NOBODY),
    ('aborted', 9002, Blame.NOBODY, Blame.NOBODY), ('lost', 0, Blame.NOBODY, Blame.NOBODY),
    ('canceled', 208, Blame.NOBODY, Blame.NOBODY)])
def test_fault_follows_from_status_code_and_how_far_the_robot_got(
        status: str, code: int, near: Blame, far: Blame) -> None:
    assert blame_of(NavStatus(status), code, LEFT_M / 2) is near
    assert blame_of(NavStatus(status), code, LEFT_M * 2) is far


@pytest.mark.parametrize(('covered_m', 'blame'), [(0.0, Blame.START), (1.0, Blame.PLACE)])
def test_robot_that_got_nowhere_is_stuck_whatever_nav2_says(
        covered_m: float, blame: Blame) -> None:
    assert blame_of(NavStatus.CANCELED, 0, covered_m, stuck=True) is blame


@pytest.mark.parametrize('code', [0, 102])
def test_what_nobody_is_at_fault_for_may_be_tried_again_at_once(code: int) -> None:
    rig = VerifierRig()
    rig.approach_mug()
    goal = rig.sent.goal
    rig.finish('aborted', code)
    rig.stand()
    assert rig.result is not None and rig.result.outcome is ActOutcome.ABORTED
    rig.approach_mug()
    assert rig.sent.goal == goal


def test_goal_is_not_to_blame_where_nobody_knew_where_the_robot_was() -> None:
    rig = VerifierRig()
    rig.approach_mug()
    goal = rig.sent.goal
    rig.drive(goal)
    rig.clock.advance(3.0)
    rig.finish()
    rig.tick(10.0)
    assert rig.result is not None and rig.result.outcome is ActOutcome.ABORTED
    rig.drive(START, 1.0)
    rig.stand()
    rig.approach_mug()
    assert rig.sent.goal == goal


# How far the robot got

def corner(first_m: float = 2.0, then_m: float = 2.0) -> np.ndarray:
    ahead = [(x, 0.0) for x in np.arange(0.0, first_m, 0.05)]
    return np.array([*ahead, *((first_m, y) for y in np.arange(0.0, then_m, 0.05))])


def test_way_follows_the_robot_and_never_goes_back() -> None:
    way = PathProgress(corner())
    for x in (0.0, 0.5, 1.0):
        way = way.on(Pose2D(x, 0.1, 0.0))
        assert way.covered_m == pytest.approx(x)
    for robot in (Pose2D(0.4, 0.0, 0.0), Pose2D(1.0, 3.0, 0.0)):
        assert way.on(robot).covered_m == pytest.approx(1.0)
    assert way.point_at(1.48) == pytest.approx((2.0, 0.5))
    assert way.point_at(9.0) == pytest.approx((2.0, 1.95))


def test_way_that_comes_back_past_the_robot_is_not_cut_short() -> None:
    out = [(x, 0.0) for x in np.arange(0.0, 4.0, 0.05)]
    way = PathProgress(np.array([*out, *reversed(out)])).on(Pose2D(0.1, 0.0, 0.0))
    assert way.covered_m == pytest.approx(0.1)


def test_way_of_one_point_is_a_way() -> None:
    way = PathProgress(np.array([[1.0, 2.0]])).on(Pose2D(1.0, 2.0, 0.0))
    assert way.covered_m == 0.0 and way.point_at(0.4) == (1.0, 2.0)


def test_place_is_ahead_of_where_the_robot_got_to_though_nav2_backed_up() -> None:
    costmap = free_room().costmap(0)
    points = np.column_stack((np.arange(2.0, 6.5, 0.05), np.full(90, 3.0)))
    way = PathProgress(points).on(STUCK)
    stall = stall_of(way, Pose2D(2.6, 3.0, 1.5), costmap)
    assert STUCK.x < stall.x <= STUCK.x + 0.5 and stall.y == 3.0


def test_robot_that_took_another_way_is_stuck_where_it_is() -> None:
    way = PathProgress(np.column_stack((np.arange(2.0, 6.5, 0.05), np.full(90, 3.0))))
    stall = stall_of(way, Pose2D(2.5, 5.0, 0.0), free_room().costmap(0))
    assert (stall.x, stall.y) == (2.5, 5.0)


# Getting free

def test_stuck_on_the_way_clears_backs_off_and_says_so() -> None:
    rig = VerifierRig(free_room())
    stuck_on_the_way(rig)
    assert rig.out == [ClearCostmaps(local=True)] and rig.result is None
    rig.stand(0.4)
    assert not rig.moving, 'not on the costmap of before'
    refilled(rig)
    told = [kind for kind in kinds(rig.out) if kind is not RobotPose]
    assert told == [Verdict, SendBackUp], 'announced before it is sent'
    assert rig.decision is not None and rig.code is Code.OK
    back = rig.sent
    assert isinstance(back, SendBackUp)
    assert back.distance_m == rig.decision.back_up_m == pytest.approx(0.4, abs=0.03)
    rig.accept()
    rig.drive(Pose2D(STUCK.x - 0.4, STUCK.y, 0.0))
    rig.finish()
    assert rig.result is None, 'not before it stands'
    rig.stand()
    assert rig.result is not None and rig.result.outcome is ActOutcome.ABORTED
    assert rig.result.nav_code == 104 and 'backed off 0.40 m' in rig.result.reason
    rig.stand(2.0)
    assert rig.bodies(Verdict) == [] and not rig.ticking


def got_free(rig: VerifierRig) -> Result:
    """Let the robot clear and back off; returns the result of the act."""
    refilled(rig)
    rig.accept()
    rig.drive(Pose2D(rig.pose.x - 0.4, rig.pose.y, rig.pose.yaw))
    rig.finish()
    rig.stand()
    assert rig.result is not None
    return rig.result


@pytest.mark.parametrize('code', [102, 104])
def test_start_is_at_fault_from_the_second_failure_on(code: int) -> None:
    rig = VerifierRig(free_room())
    for number, place in enumerate((FAR, Pose2D(6.5, 4.5, 0.0))):
        to_node(rig, place, f'n{number}')
        rig.path()
        rig.accept()
        rig.finish('aborted', code)
        rig.stand()
        assert (ClearCostmaps in kinds(rig.out)) == (number == 1)
        assert (rig.result is None) == (number == 1)
    got_free(rig)
    # The goals are not to blame, and the new place has no failures.
    to_node(rig, FAR, 'n0')
    rig.path()
    assert rig.code is Code.OK and isinstance(rig.sent, SendNav)
    rig.finish('aborted', code)
    rig.stand()
    assert rig.result is not None


def test_turns_that_are_blocked_are_the_start_s_fault_too() -> None:
    rig = VerifierRig(free_room())
    for number in range(2):
        rig.try_(canonical('rotate', rotate_rad=1.0))
        assert isinstance(rig.sent, SendSpin)
        rig.finish('aborted', 703)
        rig.stand()
        assert (ClearCostmaps in kinds(rig.out)) == (number == 1)


def test_failures_from_different_places_are_no_start_s_fault() -> None:
    rig = VerifierRig(free_room())
    for number, x in enumerate((2.0, 3.0)):
        rig.drive(Pose2D(x, 3.0, 0.0), 5.0)
        to_node(rig, FAR, f'n{number}')
        rig.path()
        rig.finish('aborted', 104)
        rig.stand()
        assert rig.result is not None


def test_drive_that_gets_nowhere_on_its_way_gets_free_too() -> None:
    rig = VerifierRig(free_room(), stuck_s=10.0)
    to_node(rig, FAR)
    rig.path()
    rig.accept()
    for share in np.linspace(0.0, 1.0, 11):
        rig.drive(Pose2D(2.0 + share, 3.0, 0.0), 0.2)
    while not rig.cancelled:
        rig.drive(rig.pose, 0.5)
    rig.finish('canceled')
    rig.stand()
    assert ClearCostmaps in kinds(rig.out)
    sent = len(rig.effects)
    reason = got_free(rig).reason
    assert 'nowhere' in reason and 'backed off 0.40 m' in reason
    assert not {StopNav, CancelNav} & set(map(type, rig.effects[sent:])), 'on its way back'


def test_way_back_that_is_not_free_is_not_driven_but_another_one() -> None:
    rig = VerifierRig(Room(blocks=[Block((2.4, 2.6), (2.8, 3.2), (0.0, 1.0))]),
                      Pose2D(3.0, 3.0, 0.0))
    to_node(rig, FAR)
    rig.path()
    for share in np.linspace(0.0, 1.0, 6):
        rig.drive(Pose2D(3.0 + 0.05 * share, 3.0, 0.0), 0.2)
    for _ in range(2):
        rig.finish('aborted', 104)
        rig.stand()
        to_node(rig, FAR)
        if rig.result is None and rig.decision is None:
            rig.path()
    rig.finish('aborted', 104)
    rig.stand()
    assert ClearCostmaps in kinds(rig.out)
    refilled(rig)
    assert isinstance(rig.sent, SendSpin), 'it turns its back to floor that is free'


def test_what_stood_behind_the_robot_before_the_clearing_may_stand_there_yet() -> None:
    """No sensor looks back: the costmap that was cleared stays empty there."""
    rig = VerifierRig(free_room())
    to_node(rig, FAR)
    rig.path()
    rig.accept()
    for share in np.linspace(0.0, 1.0, 11):
        rig.drive(Pose2D(2.0 + share, 3.0, 0.0), 0.2)
    grid = rig.room.costmap(rig.clock.now.clock_ns)
    row, column = grid.cell_of(2.6, 3.0)
    grid.cells[row - 2:row + 3, column - 1:column + 2] = 100
    rig.hear(CostmapReceived(grid))
    rig.finish('aborted', 104)
    rig.stand()
    assert kinds(rig.out) == [ClearCostmaps]
    refilled(rig)
    assert isinstance(rig.sent, SendSpin)


def test_costmap_that_does_not_come_again_keeps_the_robot_where_it_is() -> None:
    rig = VerifierRig(free_room(), costmap_max_age_s=2.0)
    stuck_on_the_way(rig)
    rig.stand(4.0)
    assert not rig.moving and rig.result is not None


def test_robot_backs_off_over_where_it_came_though_the_costmap_says_that_it_touches() -> None:
    rig = VerifierRig(free_room())
    stuck_on_the_way(rig)

    def narrow() -> None:
        grid = rig.room.costmap(rig.clock.now.clock_ns)
        row, column = grid.cell_of(2.5, 3.0)
        grid.cells[row - 3:row + 4, column - 4:column + 20] = 99
        rig.hear(CostmapReceived(grid))

    for _ in range(3):
        rig.clock.advance(0.6)
        narrow()
        rig.hear_pose()
        if rig.moving:
            break
    back = rig.sent
    assert isinstance(back, SendBackUp) and 0.6 < back.distance_m < 1.0


@pytest.mark.parametrize('value', [-1, 99, 100])
def test_robot_does_not_back_off_into_what_is_not_free(value: int) -> None:
    """Where it did not come along: it has turned since."""
    rig = VerifierRig(free_room())
    to_node(rig, FAR)
    rig.path()
    for share in np.linspace(0.0, 1.0, 11):
        rig.drive(Pose2D(2.0 + share, 3.0, 0.0), 0.2)
    rig.drive(Pose2D(3.0, 3.0, math.pi / 2), 0.2)
    rig.finish('aborted', 105)
    rig.stand()
    for _ in range(3):
        rig.clock.advance(0.6)
        grid = rig.room.costmap(rig.clock.now.clock_ns)
        row, column = grid.cell_of(3.0, 2.75)
        grid.cells[row, column - 3:column + 4] = value
        rig.hear(CostmapReceived(grid))
        rig.hear_pose()
    assert isinstance(rig.sent, SendSpin) and abs(rig.sent.angle_rad) >= math.radians(15)


def test_robot_does_not_back_off_over_floor_that_the_map_does_not_know() -> None:
    """The costmap may hold it for free: what it has not seen it may leave at 0."""
    known = Known(free_room(), Pose2D(3.0, 3.0, math.pi / 2))
    assert back_off_m(known.situation, OdometryTrail()) == known.config.back_off_m
    grid = known.room.map(0)
    row, column = grid.cell_of(3.0, 2.75)
    grid.cells[row, column - 3:column + 4] = UNKNOWN
    known.take_map(grid)
    assert back_off_m(known.situation, OdometryTrail()) is None


def test_way_that_the_robot_came_is_that_of_its_odometry() -> None:
    """A jump of the localisation moves where it came along in the map."""
    trail, jump = OdometryTrail(), Transform.from_pose(Pose2D(1.0, 0.0, 0.0))
    before = Localisation(Pose2D(2.0, 3.0, 0.0), jump)
    trail.see(before)
    assert trail.passes(2.0, 3.0, before) and not trail.passes(1.0, 3.0, before)
    after = Localisation(Pose2D(1.0, 3.0, 0.0), Transform.identity())
    for _ in range(2):
        assert trail.passes(1.0, 3.0, after) and not trail.passes(2.0, 3.0, after)
        trail.see(after)


def turning_to_back_off() -> VerifierRig:
    """Let a robot get stuck at its start, with something behind it, and turn its back to floor."""
    rig = VerifierRig(Room(blocks=[Block((2.4, 2.6), (2.8, 3.2), (0.0, 1.0))]),
                      Pose2D(3.0, 3.0, 0.0))
    for _ in range(2):
        to_node(rig, FAR)
        rig.path()
        rig.finish('aborted', 104)
        rig.stand()
    refilled(rig)
    assert isinstance(rig.sent, SendSpin)
    rig.accept()
    return rig


def test_robot_turns_its_back_to_floor_that_is_free_and_backs_off() -> None:
    rig = turning_to_back_off()
    turn_rad = rig.sent.angle_rad
    rig.drive(Pose2D(rig.pose.x, rig.pose.y, rig.pose.yaw + turn_rad))
    rig.finish()
    assert not rig.moving, 'it comes to rest before'
    refilled(rig)
    back = rig.sent
    assert isinstance(back, SendBackUp) and back.distance_m >= 0.4
    rig.accept()
    rig.drive(rig.announced[back.nav_goal_id])
    rig.finish()
    rig.stand()
    assert rig.result is not None and rig.result.outcome is ActOutcome.ABORTED
    assert 'backed off' in rig.result.reason


@pytest.mark.parametrize('status', ['aborted', 'canceled', 'lost'])
def test_turn_before_the_way_back_that_fails_ends_the_act(status: str) -> None:
    rig = turning_to_back_off()
    rig.finish(status, 703)
    rig.stand()
    assert rig.result is not None and rig.result.outcome is ActOutcome.ABORTED
    assert not any(isinstance(one, SendBackUp) for one in rig.effects)


def test_robot_turns_once_to_back_off() -> None:
    rig = turning_to_back_off()
    rig.finish()
    refilled(rig)
    assert rig.result is not None and isinstance(rig.sent, SendSpin), 'it did not turn at all'


def test_robot_that_was_told_to_stop_on_the_turn_does_not_back_off() -> None:
    rig = turning_to_back_off()
    rig.stop()
    rig.finish('canceled')
    rig.stand()
    assert not any(isinstance(one, SendBackUp) for one in rig.effects)


def test_robot_need_never_back_off() -> None:
    rig = VerifierRig(free_room(), back_off_m=0.0)
    stuck_on_the_way(rig)
    refilled(rig)
    assert not rig.moving and rig.result is not None


def test_navigator_that_does_not_take_the_way_back_ends_the_act() -> None:
    rig = VerifierRig(free_room())
    stuck_on_the_way(rig)
    refilled(rig)
    rig.accept(False, 'the server is not there')
    assert rig.result is not None and rig.result.outcome is ActOutcome.ABORTED
    assert not any(isinstance(one, StopNav) for one in rig.out)


@pytest.mark.parametrize('status', ['aborted', 'lost'])
def test_way_back_that_fails_ends_the_act_and_stops_the_robot(status: str) -> None:
    rig = VerifierRig(free_room())
    stuck_on_the_way(rig)
    refilled(rig)
    rig.accept()
    rig.finish(status, 714)
    assert StopNav in kinds(rig.out)
    rig.stand()
    assert rig.result is not None and rig.result.nav_code == 104


def test_way_back_that_never_ends_is_stopped() -> None:
    rig = VerifierRig(free_room())
    stuck_on_the_way(rig)
    refilled(rig)
    rig.accept()
    for _ in range(60):
        rig.drive(rig.pose, 0.5)
        if StopNav in kinds(rig.out):
            break
    rig.stand()
    assert rig.result is not None and rig.result.outcome is ActOutcome.ABORTED


# A stop comes before everything

@pytest.mark.parametrize('when', ['settling', 'clearing', 'backing off'])
def test_nothing_moves_after_a_stop(when: str) -> None:
    rig = VerifierRig(free_room())
    to_node(rig, FAR)
    rig.path()
    rig.accept()
    for share in np.linspace(0.0, 1.0, 11):
        rig.drive(Pose2D(2.0 + share, 3.0, 0.0), 0.2)
    rig.finish('aborted', 104)
    if when != 'settling':
        rig.stand()
    if when == 'backing off':
        refilled(rig)
        rig.accept()
    rig.stop()
    assert bool(rig.cancelled) == (when == 'backing off')
    if when == 'backing off':
        rig.finish('canceled')
    followed = [*rig.stand(), *refilled(rig), *rig.stand(3.0)]
    assert not {SendBackUp, ClearCostmaps, SendNav} & set(kinds(followed))
    outcomes = {one.body.result.outcome for one in followed
                if isinstance(getattr(one, 'body', None), Verdict) and one.body.result}
    assert outcomes <= {ActOutcome.CANCELLED if when == 'backing off' else ActOutcome.ABORTED}


@pytest.mark.parametrize('end', ['look', 'act', 'deactivation'])
def test_way_back_that_nobody_waits_for_any_more_is_cancelled(end: str) -> None:
    rig = VerifierRig(free_room())
    stuck_on_the_way(rig)
    refilled(rig)
    rig.accept()
    back = rig.sent_id
    if end == 'look':
        rig.begin()
    elif end == 'deactivation':
        rig.hear(Deactivating())
    else:
        rig.try_(canonical('rotate', rotate_rad=1.0))
        assert not rig.moving, 'not while the way back may still be driven'
    assert back in [one.nav_goal_id for one in rig.effects if isinstance(one, CancelNav)]


# Goals past the place

def path_by(rig: VerifierRig, *corners: tuple[float, float]) -> None:
    """Answer with a path over some corners."""
    goal = rig.asked.goal
    points = [(rig.pose.x, rig.pose.y), *corners, (goal.x, goal.y)]
    legs = [np.linspace(one, two, 40) for one, two in zip(points, points[1:], strict=False)]
    rig.hear(PathAnswered(rig.asked.request_id, NavStatus.SUCCEEDED, 0, np.concatenate(legs)))


def wall_with_a_gap() -> Room:
    """Return a room that a wall divides; there is one way through it, at y = 3."""
    return Room(blocks=[Block((3.2, 3.4), (0.0, 2.5), (0.0, 2.0)),
                        Block((3.2, 3.4), (3.5, 6.0), (0.0, 2.0))])


def test_goal_past_the_place_is_tried_once_more_where_no_other_way_is_known() -> None:
    rig = VerifierRig(wall_with_a_gap())
    stuck_on_the_way(rig)
    got_free(rig)
    to_node(rig, Pose2D(6.5, 4.5, 0.0), 'other')
    path_by(rig, (3.3, 3.0))
    assert rig.code is Code.OK, 'the costmap was cleared: once more'
    rig.accept()
    for share in np.linspace(0.0, 1.0, 11):
        rig.drive(Pose2D(2.6 + 0.4 * share, 3.0, 0.0), 0.2)
    rig.finish('aborted', 105)
    rig.stand()
    got_free(rig)
    for name, place in (('third', Pose2D(6.5, 1.5, 0.0)), ('n', FAR)):
        to_node(rig, place, name)
        path_by(rig, (3.3, 3.0))
        assert rig.code is Code.NAV_UNAVAILABLE, 'waited for, and not counted'
    # On this side of the wall everything is as before.
    to_node(rig, Pose2D(1.0, 5.0, 0.0), 'near')
    rig.path()
    assert rig.code is Code.OK


def test_place_is_forgotten_after_a_while() -> None:
    rig = VerifierRig(wall_with_a_gap())
    for _ in range(2):
        rig.drive(START, 3.0)
        stuck_on_the_way(rig)
        got_free(rig)
    rig.drive(START, 61.0)
    to_node(rig, FAR)
    path_by(rig, (3.3, 3.0))
    assert rig.code is Code.OK


def test_place_is_forgotten_when_more_floor_is_open_there() -> None:
    rig = VerifierRig(Room(blocks=[*wall_with_a_gap().blocks,
                                   Block((3.0, 3.8), (3.25, 3.4), (0.0, 1.0))]))
    for _ in range(2):
        rig.drive(START, 3.0)
        stuck_on_the_way(rig)
        got_free(rig)
    rig.room = wall_with_a_gap()
    rig.drive(START, 3.0)
    to_node(rig, FAR)
    path_by(rig, (3.3, 3.0))
    assert rig.code is Code.OK


def test_path_past_the_place_is_refused_where_another_way_is_known() -> None:
    rig = VerifierRig(free_room())
    stuck_on_the_way(rig)
    got_free(rig)
    to_node(rig, FAR)
    rig.path()
    assert rig.code is Code.REPEATED_FAILURE, 'Nav2 would drive into it again'
    to_node(rig, Pose2D(6.5, 1.5, 0.0), 'other')
    path_by(rig, (2.6, 1.5))
    assert rig.code is Code.OK


@pytest.mark.parametrize('bearing', [0.0, 0.3, -0.3])
def test_exploring_looks_elsewhere_before_it_goes_past_the_place(bearing: float) -> None:
    rig = VerifierRig(wall_with_a_gap())
    stuck_on_the_way(rig)
    got_free(rig)
    rig.try_(canonical('explore', explore_bearing_rad=bearing))
    goal = rig.asked.goal if rig.code is None else rig.decision.goal
    assert goal.x < 3.2, 'this side is not looked at yet'


def test_robot_at_the_place_may_leave_it() -> None:
    rig = VerifierRig(free_room(), back_off_m=0.0)
    stuck_on_the_way(rig)
    refilled(rig)
    stall = rig.core._driver.attempts.failures[-1].stall
    assert stall is not None
    rig.drive(Pose2D(stall.x + RADIUS_M / 4, stall.y, 0.0))
    to_node(rig, Pose2D(6.5, 3.0, 0.0))
    rig.path()
    assert rig.code is Code.OK


# A robot that is in its own way

def closed_round(rig: VerifierRig) -> None:
    """Let the costmap say that the robot touches something wherever it goes."""
    grid = rig.room.costmap(rig.clock.now.clock_ns)
    row, column = grid.cell_of(rig.pose.x, rig.pose.y)
    cells = grid.cells.copy()
    cells[max(0, row - 14):row + 15, max(0, column - 14):column + 15] = 100
    rig.hear(CostmapReceived(replace(grid, cells=cells)))


def test_robot_without_a_clear_cell_near_waits_as_for_a_missing_map() -> None:
    rig = VerifierRig(free_room())
    closed_round(rig)
    rig.try_(canonical('rotate', rotate_rad=1.0))
    assert kinds(rig.out) == [ClearCostmaps] and rig.decision is None
    rig.clock.advance(1.1)
    closed_round(rig)
    rig.hear_pose()
    assert not rig.moving and rig.code is Code.MAP_UNAVAILABLE, 'nothing is free behind it'
    refilled(rig)
    rig.try_(canonical('rotate', rotate_rad=1.0))
    assert rig.code is Code.OK and rig.moving


def test_robot_that_was_in_its_own_way_only_by_the_old_costmap_does_not_back_off() -> None:
    rig = VerifierRig(free_room())
    closed_round(rig)
    rig.try_(canonical('rotate', rotate_rad=1.0))
    refilled(rig)
    assert not rig.moving and rig.code is Code.MAP_UNAVAILABLE


def test_robot_in_a_gap_that_is_too_narrow_by_the_costmap_backs_out_of_it() -> None:
    rig = VerifierRig(free_room(), Pose2D(1.5, 3.0, 0.0))
    for share in np.linspace(0.0, 1.0, 11):
        rig.drive(Pose2D(1.5 + share, 3.0, 0.0), 0.2)
    rig.stand()

    def narrow() -> None:
        grid = rig.room.costmap(rig.clock.now.clock_ns)
        row, column = grid.cell_of(rig.pose.x, rig.pose.y)
        cells = grid.cells.copy()
        cells[row - 14:row + 15, column - 12:column + 20] = 99
        rig.hear(CostmapReceived(replace(grid, cells=cells)))

    narrow()
    rig.try_(canonical('rotate', rotate_rad=1.0))
    rig.clock.advance(1.1)
    narrow()
    rig.hear_pose()
    back = rig.sent
    assert isinstance(back, SendBackUp) and 0.5 < back.distance_m <= 1.0
    rig.accept()
    rig.drive(Pose2D(rig.pose.x - back.distance_m, 3.0, 0.0))
    rig.finish()
    rig.stand()
    # As Nav2 that does not take a goal: it is no bad proposal, and not counted as one.
    assert rig.result is not None and rig.result.outcome is ActOutcome.UNAVAILABLE


def come_upon(rig: VerifierRig, beyond_m: float = 0.0) -> None:
    """Let map and costmap hold that something stands under the robot, and so far behind it."""
    grid, cost = (make(rig.clock.now.clock_ns) for make in (rig.room.map, rig.room.costmap))
    cells, costs = grid.cells.copy(), cost.cells.copy()
    row, column = cost.cell_of(rig.pose.x, rig.pose.y)
    costs[row - 5:row + 6, column - 5:column + 6] = 99
    for x in (rig.pose.x, rig.pose.x - beyond_m):
        cells[grid.cell_of(x, rig.pose.y)] = costs[cost.cell_of(x, rig.pose.y)] = 100
    rig.hear(MapReceived(replace(grid, cells=cells)))
    rig.hear(CostmapReceived(replace(cost, cells=costs)))


def driven_forward() -> VerifierRig:
    rig = VerifierRig(free_room(), Pose2D(1.5, 3.0, 0.0))
    for share in np.linspace(0.0, 1.0, 21):
        rig.drive(Pose2D(1.5 + share, 3.0, 0.0), 0.2)
    rig.stand()
    return rig


def test_robot_that_stands_in_something_by_the_map_backs_off_the_way_it_came() -> None:
    rig = driven_forward()
    come_upon(rig)
    to_node(rig, FAR)
    rig.path(status='aborted', code=208)
    assert kinds(rig.out) == [ClearCostmaps]
    rig.clock.advance(1.1)
    come_upon(rig)
    rig.hear_pose()
    assert isinstance(rig.sent, SendBackUp) and rig.sent.distance_m == pytest.approx(0.4, abs=0.03)


@pytest.mark.parametrize('of_map', [True, False])
def test_robot_that_is_in_a_wall_beside_its_middle_backs_off(of_map: bool) -> None:
    """A localisation that is off by a little has it there; Nav2's planner finds no way out."""
    rig = driven_forward()

    def hear() -> None:
        grid = (rig.room.map if of_map else rig.room.costmap)(rig.clock.now.clock_ns)
        cells = grid.cells.copy()
        cells[grid.cell_of(rig.pose.x, rig.pose.y + 0.09)] = 100
        rig.hear((MapReceived if of_map else CostmapReceived)(replace(grid, cells=cells)))

    hear()
    to_node(rig, FAR)
    rig.path(status='aborted', code=208)
    assert kinds(rig.out) == [ClearCostmaps]
    rig.clock.advance(1.1)
    if of_map:
        rig.hear(CostmapReceived(rig.room.costmap(rig.clock.now.clock_ns)))
    hear()
    rig.hear_pose()
    assert isinstance(rig.sent, SendBackUp)


def test_robot_does_not_back_off_into_what_stands_behind_it_though_something_is_under_it() -> None:
    rig = driven_forward()
    come_upon(rig, 0.2)
    to_node(rig, FAR)
    rig.path(status='aborted', code=208)
    rig.clock.advance(1.1)
    come_upon(rig, 0.2)
    rig.hear_pose()
    assert not any(isinstance(one, SendBackUp) for one in rig.effects)


def test_stop_while_the_costmaps_are_cleared_ends_the_act() -> None:
    rig = VerifierRig(free_room())
    closed_round(rig)
    rig.try_(canonical('rotate', rotate_rad=1.0))
    rig.stop()
    refilled(rig)
    assert rig.bodies(Verdict) == [] and not rig.moving and not rig.ticking


# Aborts without a reason

# 2: to lyrical's Nav2, a server that did not answer.
@pytest.mark.parametrize('code', [0, 2])
def test_aborts_without_a_reason_in_a_row_name_the_parameter_of_nav2(code: int) -> None:
    rig = VerifierRig()
    for number in range(4):
        rig.approach_mug()
        rig.finish('aborted', code)
        rig.stand()
        assert rig.result is not None
        assert ('default_server_timeout' in rig.result.reason) == (number >= 2)
        level, text = rig.told['drives']
        assert (level is Level.WARN) == ('default_server_timeout' in text) == (number >= 2)
    rig.approach_mug()
    rig.drive(rig.sent.goal, 5.0)
    rig.finish()
    rig.stand()
    assert rig.told['drives'][0] is Level.OK


def test_path_that_the_planner_cannot_judge_is_not_held_against_the_goal() -> None:
    rig = VerifierRig()
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    goal = rig.asked.goal
    decision: Decision | None = None
    while decision is None:
        rig.path(status='aborted', code=202)
        decision = rig.decision
    assert decision.code is Code.PATH_INVALID
    rig.act(rig.see_mug()[0])
    assert isinstance(rig.out[-1], AskPath) and rig.asked.goal == goal
