"""Driving: nothing is sent unannounced, nothing is believed of Nav2 that was not checked."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from builders import Block, Room, candidate, canonical
from verifier_rig import START, TABLE, VerifierRig

from semantic_nav.contracts.clock import nanoseconds
from semantic_nav.contracts.core import DocumentReceived
from semantic_nav.contracts.documents import Belief, Budgets, Document, RobotPose, Verdict
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.vocabulary import (
    ActOutcome,
    Code,
    NavStatus,
    Outcome,
    Phase,
    Source,
    Status,
)
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.verify.effects import (
    AskPath,
    CancelNav,
    ClearCostmaps,
    SendNav,
    SendSpin,
    StopNav,
)
from semantic_nav.verify.events import (
    BeliefLost,
    CostmapReceived,
    Deactivating,
    NavFinished,
    NavServersAwaited,
    NavServersHeard,
    PathAnswered,
    PoseResolved,
)
from semantic_nav.verify.same_place import SAME_PLACE_M

ROTATE = canonical('rotate', rotate_rad=1.0)


def driving(**config: object) -> VerifierRig:
    """Return a verifier that drives to the mug."""
    rig = VerifierRig(**config)
    rig.approach_mug()
    return rig


def ended(rig: VerifierRig) -> ActOutcome | None:
    return rig.result.outcome if rig.result is not None else None


# The path

def asking(**config: object) -> VerifierRig:
    """Return a verifier that has asked for a path to the first of several goals."""
    rig = VerifierRig(**config)
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    assert [type(one) for one in rig.out] == [AskPath]
    return rig


def test_path_that_ends_at_the_goal_is_driven() -> None:
    rig = asking()
    rig.path(off_m=0.29)
    assert rig.code is Code.OK and isinstance(rig.sent, SendNav)


def begun(rig: VerifierRig, beside_m: float) -> None:
    """Answer with a straight path that begins ahead of the robot."""
    goal = rig.asked.goal
    rig.hear(PathAnswered(rig.asked.request_id, NavStatus.SUCCEEDED, 0, np.linspace(
        (rig.pose.x + beside_m, rig.pose.y), (goal.x, goal.y), 20)))


def test_path_that_begins_near_the_robot_is_driven() -> None:
    rig = asking()
    begun(rig, 0.29)
    assert rig.code is Code.OK


def test_way_from_the_robot_to_its_path_is_checked_as_the_rest_is() -> None:
    low_wall = Block((2.6, 2.7), (1.5, 4.5), (0.0, 0.5))
    rig = asking(room=Room(blocks=[TABLE, low_wall]), path_end_m=5.0, path_tries=1)
    begun(rig, 1.1)
    assert rig.code is Code.PATH_INVALID and 'come over' in rig.decision.reason
    rig = asking(way_max_m=4.0, path_end_m=5.0, path_tries=1)
    begun(rig, -2.0)
    assert rig.code is Code.TOO_FAR


BAD_PATHS: dict[str, Callable[[VerifierRig], object]] = {
    'beside': lambda rig: rig.path(off_m=0.31),
    'aborted': lambda rig: rig.path(status='aborted', code=208),
    'canceled': lambda rig: rig.path(status='canceled'),
    'empty': lambda rig: rig.hear(PathAnswered(rig.asked.request_id, NavStatus.SUCCEEDED, 0,
                                               np.zeros((0, 2)))),
    'no number': lambda rig: rig.hear(PathAnswered(rig.asked.request_id, NavStatus.SUCCEEDED, 0,
                                                   np.full((3, 2), math.nan)))}


@pytest.mark.parametrize('elsewhere', [lambda rig: begun(rig, 0.31), lambda rig: rig.hear(
    PathAnswered(rig.asked.request_id, NavStatus.SUCCEEDED, 0,
                 np.array([(rig.asked.goal.x, rig.asked.goal.y)])))],
    ids=['begins elsewhere', 'is the goal alone'])
def test_path_from_elsewhere_is_refused_and_no_goal_is_to_blame(
        elsewhere: Callable[[VerifierRig], object]) -> None:
    """Nav2 and the pose do not agree where the robot is, as after a jump."""
    rig = asking()
    first = rig.asked.goal
    elsewhere(rig)
    assert rig.code is Code.POSE_UNAVAILABLE and 'beside the robot' in rig.decision.reason
    assert not rig.moving
    rig.act(rig.see_mug()[0])
    rig.path()
    assert rig.code is Code.OK and rig.sent.goal == first


@pytest.mark.parametrize('bad', BAD_PATHS)
def test_bad_path_leads_to_the_next_goal_and_at_last_to_a_refusal(bad: str) -> None:
    rig = asking()
    goals = []
    while rig.decision is None:
        goals.append(rig.asked.goal)
        BAD_PATHS[bad](rig)
        assert not rig.moving
    assert rig.code is Code.PATH_INVALID and rig.decision.goal == goals[-1]
    assert 2 <= len(goals) <= rig.config.path_tries
    for number, goal in enumerate(goals):
        for other in goals[:number]:
            assert goal.distance_to(other.x, other.y) >= 0.4, 'the same goal again'


def test_second_goal_is_driven_where_the_first_has_no_path() -> None:
    rig = asking()
    first = rig.asked.goal
    rig.path(off_m=0.6)
    rig.path()
    assert rig.code is Code.OK and rig.sent.goal != first


def test_exploring_goes_on_to_the_next_views_where_no_path_leads() -> None:
    rig = VerifierRig()
    rig.try_(canonical('explore', explore_bearing_rad=0.0), source=Source.FALLBACK)
    goals = []
    while rig.decision is None:
        goals.append(rig.asked.goal)
        rig.path(status='aborted', code=208)
    assert rig.code is Code.PATH_INVALID
    assert len(goals) == rig.config.path_tries > 1
    for number, goal in enumerate(goals):
        for other in goals[:number]:
            assert goal.distance_to(other.x, other.y) >= 0.4, 'the same goal again'


def test_number_of_tries_is_a_parameter() -> None:
    rig = asking(path_tries=1)
    rig.path(off_m=0.6)
    assert rig.code is Code.PATH_INVALID


@pytest.mark.parametrize(('status', 'words'), [
    ('unavailable', 'is not there'), ('timeout', 'path_timeout_s'),
    ('rejected', 'rejected the question; planner_server is inactive')])
def test_planner_that_does_not_answer_is_waited_for(status: str, words: str) -> None:
    rig = asking()
    rig.hear(NavServersHeard('planner_server is inactive'))
    rig.path(status=status)
    assert rig.code is Code.NAV_UNAVAILABLE and words in rig.decision.reason
    # Nothing is held against the goals.
    rig.see_mug()
    rig.act(rig.documents[-1].cause_id)
    assert rig.decision is None


def test_no_path_is_asked_for_before_the_drive_under_way_has_ended() -> None:
    """The planner would break off what it plans for that drive."""
    rig = driving()
    asked = rig.asked
    rig.act(track_id=rig.core._findings.track.id)
    assert rig.asked is asked and rig.cancelled == [rig.sent_id]
    rig.finish('canceled')
    rig.stand(2.0)
    assert rig.asked is not asked


def test_answer_to_another_question_is_dropped() -> None:
    rig = asking()
    rig.path(request_id='path-0')
    assert rig.out == []
    rig.path()
    assert rig.code is Code.OK
    rig.path()
    assert rig.out == []


def blocked_at(rig: VerifierRig, goal: Pose2D) -> None:
    grid = rig.room.costmap(rig.clock.now.clock_ns)
    row, column = grid.cell_of(goal.x, goal.y)
    grid.cells[row - 3:row + 4, column - 3:column + 4] = 99
    rig.hear(CostmapReceived(grid))


def test_robot_that_was_closed_in_while_the_planner_thought_looks_at_its_costmap_anew() -> None:
    rig = asking()
    grid = rig.room.costmap(rig.clock.now.clock_ns)
    row, column = grid.cell_of(rig.pose.x, rig.pose.y)
    grid.cells[row - 20:row + 21, column - 20:column + 21] = 99
    rig.hear(CostmapReceived(grid))
    rig.path()
    assert [type(one) for one in rig.out] == [ClearCostmaps] and not rig.moving


def test_goal_that_was_blocked_while_the_planner_thought_gives_way_to_the_next() -> None:
    rig = asking()
    goal = rig.asked.goal
    blocked_at(rig, goal)
    rig.path()
    assert not rig.moving
    assert rig.asked.goal.distance_to(goal.x, goal.y) >= 0.4
    rig.path()
    assert rig.code is Code.OK and rig.moving


def test_act_whose_goals_were_all_blocked_meanwhile_is_refused() -> None:
    rig = asking()
    while rig.decision is None:
        blocked_at(rig, rig.asked.goal)
        rig.path()
        assert not rig.moving
    assert rig.code is Code.COLLISION_DETECTED


@pytest.mark.parametrize('what', ['pose', 'costmap'])
def test_what_grew_old_while_the_planner_thought_is_refused(what: str) -> None:
    rig = asking()
    rig.clock.advance(6.0)
    if what == 'costmap':
        rig.hear_pose()
    rig.path()
    assert rig.code in (Code.POSE_UNAVAILABLE, Code.MAP_UNAVAILABLE) and not rig.moving


def test_act_that_could_not_start_in_time_is_stale() -> None:
    rig = VerifierRig()
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id, start_within_s=5.0)
    rig.drive(START, 5.5)
    if rig.decision is None:
        rig.path()
    assert rig.code is Code.STALE and not rig.moving


def test_planner_that_never_answers_ends_the_act() -> None:
    """Every act ends in a verdict, whatever becomes of the question."""
    rig = asking()
    for _ in range(100):
        rig.tick(0.5)
        if rig.decision is not None:
            break
    assert rig.code in (Code.STALE, Code.NAV_UNAVAILABLE)
    rig.path()
    assert rig.out == []


def test_unexpected_error_while_the_path_is_judged_is_a_refusal() -> None:
    rig = asking()
    rig.hear(PathAnswered(rig.asked.request_id, NavStatus.SUCCEEDED, 0, np.zeros(5)))
    assert rig.code is Code.PATH_INVALID and not rig.moving
    rig.path()
    assert rig.out == []


# The drive

def test_arrival() -> None:
    rig = driving()
    rig.drive(rig.sent.goal, 10.0)
    rig.finish()
    assert rig.out == [], 'not before it stands'
    rig.stand()
    assert ended(rig) is ActOutcome.ARRIVED
    assert rig.result.nav_status == 'succeeded' and rig.result.distance_left_m < 0.01
    rig.stand(3.0)
    assert rig.bodies(Verdict) == []
    assert not rig.ticking


def test_robot_that_does_not_face_the_target_turns_once() -> None:
    rig = driving()
    goal = rig.sent.goal
    rig.drive(Pose2D(goal.x, goal.y, goal.yaw + 0.5))
    rig.finish()
    assert rig.code is Code.OK, 'the turn is announced too'
    spin = rig.sent
    assert isinstance(spin, SendSpin) and spin.angle_rad == pytest.approx(-0.5, abs=0.05)
    rig.hear_pose(Pose2D(goal.x, goal.y, goal.yaw + 0.4))
    rig.finish()
    rig.stand()
    assert ended(rig) is ActOutcome.ARRIVED, 'it is not turned for ever'


def test_robot_whose_turn_to_the_target_is_not_taken_is_told_of_when_it_stands() -> None:
    """Nav2 said that it arrived, but it may roll on."""
    rig = driving()
    goal = rig.sent.goal
    rig.drive(Pose2D(goal.x, goal.y, goal.yaw + 0.5))
    rig.finish()
    assert isinstance(rig.sent, SendSpin)
    rig.accept(accepted=False, reason='rejected')
    assert rig.result is None
    rig.stand()
    assert ended(rig) is ActOutcome.UNAVAILABLE


def test_robot_does_not_turn_to_the_target_on_an_old_costmap() -> None:
    rig = driving()
    goal = rig.sent.goal
    rig.drive(Pose2D(goal.x, goal.y, goal.yaw + 0.5))
    rig.clock.advance(6.0)
    rig.hear_pose()
    rig.finish()
    rig.stand()
    assert not isinstance(rig.sent, SendSpin) and ended(rig) is ActOutcome.UNAVAILABLE


def test_succeeded_far_from_the_goal_is_a_failure() -> None:
    rig = driving()
    goal = rig.sent.goal
    rig.drive(Pose2D(goal.x - 0.6, goal.y, goal.yaw))
    rig.finish('succeeded')
    rig.stand()
    assert ended(rig) is ActOutcome.ABORTED
    assert rig.result.distance_left_m == pytest.approx(0.6, abs=0.01)
    assert 'succeeded' in rig.result.reason


def test_succeeded_within_nav2_s_tolerance_is_an_arrival() -> None:
    rig = driving()
    goal = rig.sent.goal
    back = Pose2D(goal.x - 0.24 * math.cos(goal.yaw), goal.y - 0.24 * math.sin(goal.yaw), goal.yaw)
    rig.drive(back)
    rig.finish()
    rig.stand()
    assert ended(rig) is ActOutcome.ARRIVED


def test_succeeded_where_the_pose_is_not_known_is_no_arrival() -> None:
    rig = driving()
    rig.drive(rig.sent.goal)
    rig.clock.advance(3.0)
    rig.finish()
    rig.tick(10.0)
    assert ended(rig) is ActOutcome.ABORTED and 'pose' in rig.result.reason


@pytest.mark.parametrize(('status', 'code'), [
    ('aborted', 0), ('aborted', 102), ('aborted', 208), ('canceled', 0), ('', 0)])
def test_any_other_end_is_a_failure(status: str, code: int) -> None:
    rig = driving()
    rig.drive(rig.sent.goal)
    rig.finish(status, code)
    rig.stand()
    assert ended(rig) is ActOutcome.ABORTED
    assert (rig.result.nav_status, rig.result.nav_code) == (status, code)


def test_result_waits_until_the_robot_stands() -> None:
    """Nav2 has said ABORTED while the robot drove on to the old goal."""
    rig = driving()
    rig.drive(Pose2D(2.5, 3.0, 0.0))
    rig.finish('aborted', 0)
    x = 2.5
    for _ in range(12):
        x += 0.05
        rig.clock.advance(0.2)
        rig.hear_pose(Pose2D(x, 3.0, 0.0))
        assert rig.bodies(Verdict) == []
    rig.stand(0.4)
    assert rig.bodies(Verdict) == []
    rig.stand(0.3)
    assert ended(rig) is ActOutcome.ABORTED


def stops(rig: VerifierRig) -> int:
    return sum(isinstance(one, StopNav) for one in rig.out)


def drift(rig: VerifierRig, seconds: float) -> None:
    """Let the robot go to and fro although nothing is driven."""
    followed = []
    for number in range(round(seconds / 0.2)):
        followed += rig.drive(Pose2D(2.5, 3.0 + 0.05 * (number % 2), 0.0), 0.2)
    rig.out = followed


def test_cancel_without_an_end_is_followed_by_a_stop_of_everything() -> None:
    rig = driving()
    rig.stop()
    assert rig.cancelled and stops(rig) == 0
    rig.tick(0.3)
    assert stops(rig) == 0, 'Nav2 may answer yet'
    rig.tick(0.2)
    assert stops(rig) == 1
    rig.tick(0.2)
    assert stops(rig) == 0, 'said again after a second'


@pytest.mark.parametrize(('status', 'code', 'stopped'), [
    ('succeeded', 0, False), ('aborted', 105, True), ('lost', 0, True), ('', 0, True)])
def test_what_did_not_succeed_is_stopped_altogether(status: str, code: int,
                                                    stopped: bool) -> None:
    rig = driving()
    rig.drive(rig.sent.goal)
    rig.finish(status, code)
    assert bool(stops(rig)) is stopped
    rig.stand()
    assert not stops(rig), 'a robot that stands need not be stopped again'


def test_robot_that_drives_on_after_the_abort_is_stopped_again_and_again() -> None:
    rig = driving()
    rig.finish('aborted', 0)
    drift(rig, 3.0)
    assert stops(rig) in (2, 3) and rig.bodies(Verdict) == []
    rig.stand()
    assert ended(rig) is ActOutcome.ABORTED


def test_nothing_is_sent_while_the_robot_drives_on_by_itself() -> None:
    rig = driving()
    rig.finish('aborted', 0)
    drift(rig, 4.2)
    assert ended(rig) is ActOutcome.ABORTED
    hypothesis_id, _ = rig.see(ROTATE)
    rig.act(hypothesis_id)
    assert stops(rig) == 1 and not rig.moving and rig.decision is None
    rig.stand()
    assert isinstance(rig.sent, SendSpin) and rig.code is Code.OK


def test_act_is_refused_where_the_robot_never_stands() -> None:
    rig = driving()
    rig.finish('aborted', 0)
    drift(rig, 4.2)
    hypothesis_id, _ = rig.see(ROTATE)
    rig.act(hypothesis_id)
    drift(rig, 4.2)
    assert rig.code is Code.NAV_UNAVAILABLE and stops(rig) >= 3 and not rig.moving
    rig.act(hypothesis_id)
    assert stops(rig) == 1, 'the next act waits again'
    rig.stand()
    assert rig.code is Code.OK


def test_stop_while_waiting_for_a_standstill_ends_the_act() -> None:
    rig = driving()
    rig.finish('aborted', 0)
    drift(rig, 4.2)
    hypothesis_id, _ = rig.see(ROTATE)
    rig.act(hypothesis_id)
    rig.stop()
    rig.stand()
    assert not rig.moving and rig.decision is None and not rig.ticking


def test_drive_that_a_look_ended_comes_to_rest_before_the_next_one() -> None:
    rig = driving()
    rig.begin()
    drift(rig, 0.4)
    hypothesis_id, _ = rig.see(ROTATE)
    rig.act(hypothesis_id)
    assert stops(rig) == 1 and not rig.moving
    rig.stand()
    assert rig.moving and rig.code is Code.OK


def test_turn_is_refused_where_the_costmap_grew_old_while_the_robot_came_to_rest() -> None:
    rig = driving()
    rig.begin()
    drift(rig, 0.4)
    hypothesis_id, _ = rig.see(ROTATE)
    rig.clock.advance(4.5)
    rig.hear_pose(Pose2D(2.6, 3.0, 0.0))
    rig.act(hypothesis_id)
    assert stops(rig) == 1 and rig.decision is None
    rig.stand(1.0)
    assert rig.code is Code.MAP_UNAVAILABLE and not rig.moving


def test_act_that_comes_before_the_standstill_waits_for_it() -> None:
    rig = driving()
    rig.finish('aborted', 0)
    drift(rig, 0.4)
    hypothesis_id, _ = rig.see(ROTATE)
    rig.act(hypothesis_id)
    assert stops(rig) == 1 and not rig.moving
    rig.stand()
    assert isinstance(rig.sent, SendSpin) and rig.code is Code.OK


def test_turning_robot_does_not_stand() -> None:
    rig = driving()
    rig.finish('aborted', 0)
    for number in range(10):
        rig.clock.advance(0.2)
        rig.hear_pose(Pose2D(2.0, 3.0, 0.1 * number))
        assert rig.bodies(Verdict) == []


def test_creeping_robot_does_not_stand() -> None:
    """Slower than the threshold between two poses, and yet it goes."""
    rig = driving()
    rig.finish('aborted', 0)
    for number in range(12):
        rig.clock.advance(0.2)
        rig.hear_pose(Pose2D(2.0 + 0.015 * number, 3.0, 0.0))
        assert rig.bodies(Verdict) == []


def test_silent_tf_does_not_prove_that_the_robot_stands() -> None:
    rig = driving()
    rig.drive(Pose2D(2.5, 3.0, 0.0))
    rig.finish('aborted', 0)
    waited = 0.0
    while not rig.bodies(Verdict):
        rig.tick(0.25)
        waited += 0.25
        assert waited < 10.0, 'the result never came'
    assert waited >= 2.0
    assert ended(rig) is ActOutcome.ABORTED


def test_robot_that_never_stands_is_given_up_after_some_time() -> None:
    rig = driving()
    rig.finish('aborted', 0)
    for number in range(25):
        rig.clock.advance(0.2)
        rig.hear_pose(Pose2D(2.0 + 0.1 * number, 3.0, 0.0))
        if rig.bodies(Verdict):
            break
    assert ended(rig) is ActOutcome.ABORTED and 3.8 <= 0.2 * (number + 1) <= 4.4


@pytest.mark.parametrize('reason', ['rejected', 'the server is not there'])
def test_goal_that_the_navigator_does_not_take_is_not_held_against_it(reason: str) -> None:
    rig = asking()
    rig.path()
    goal = rig.sent.goal
    rig.accept(False, reason)
    assert ended(rig) is ActOutcome.UNAVAILABLE and reason in rig.result.reason
    assert not stops(rig), 'nothing was sent that moves the robot'
    rig.accept(False, reason)
    assert rig.out == []
    rig.approach_mug()
    assert rig.sent.goal == goal


@pytest.mark.parametrize(('status', 'named'), [
    ('aborted', True), ('lost', True), ('canceled', False)])
def test_result_waits_for_the_servers_that_are_to_blame_and_names_them(
        status: str, named: bool) -> None:
    rig = driving()
    rig.hear(NavServersAwaited())
    rig.finish(status)
    rig.stand(2.0)
    assert rig.result is None, 'they are asked yet'
    rig.hear(NavServersHeard('planner_server does not answer'))
    rig.stand(0.4)
    assert rig.result.reason.endswith('; planner_server does not answer') is named


def test_servers_that_never_tell_hold_no_result_back_for_ever() -> None:
    rig = driving()
    rig.hear(NavServersAwaited())
    rig.finish('lost')
    rig.stand(rig.config.settle_max_s + 0.4)
    assert ended(rig) is ActOutcome.UNAVAILABLE


def test_goal_that_the_verifier_held_back_is_not_laid_to_the_navigator() -> None:
    rig = asking()
    rig.path()
    rig.accept(False, 'the journal cannot be written', held_back=True)
    assert ended(rig) is ActOutcome.UNAVAILABLE
    assert rig.result.reason == 'the verifier starts no drive: the journal cannot be written'
    assert not stops(rig)


def test_navigator_that_goes_away_is_not_held_against_the_goal() -> None:
    rig = asking()
    rig.path()
    goal = rig.sent.goal
    rig.finish('lost')
    rig.stand()
    assert ended(rig) is ActOutcome.UNAVAILABLE
    rig.approach_mug()
    assert rig.sent.goal == goal


def test_end_of_another_goal_changes_nothing() -> None:
    rig = driving()
    rig.finish('aborted', 0, nav_goal_id='ab' * 16)
    assert rig.out == []
    rig.drive(rig.sent.goal)
    rig.finish()
    rig.stand()
    assert ended(rig) is ActOutcome.ARRIVED


def test_second_end_of_a_goal_changes_nothing() -> None:
    rig = driving()
    rig.drive(rig.sent.goal)
    rig.finish()
    rig.finish('aborted', 105)
    rig.stand()
    assert ended(rig) is ActOutcome.ARRIVED
    rig.finish('aborted', 105)
    rig.stand()
    assert rig.bodies(Verdict) == []


# Cancelling

def test_stop_while_the_planner_thinks_drives_nowhere() -> None:
    rig = asking()
    rig.stop()
    rig.path()
    assert rig.out == [] and not rig.ticking


def test_stop_while_driving_cancels_and_the_result_follows_at_standstill() -> None:
    rig = driving()
    sent = rig.sent_id
    rig.stop()
    assert rig.cancelled == [sent]
    rig.hear_pose(Pose2D(2.6, 3.0, 0.0))
    # Nav2 has told 208 of a cancelled goal.
    rig.finish('canceled', 208)
    assert rig.out == []
    rig.stand()
    assert ended(rig) is ActOutcome.CANCELLED and rig.result.reason == 'enough'


def test_goal_that_succeeded_as_it_was_cancelled_is_cancelled() -> None:
    rig = driving()
    rig.stop()
    rig.drive(rig.sent.goal)
    rig.finish('succeeded')
    rig.stand()
    assert ended(rig) is ActOutcome.CANCELLED


def test_stop_during_the_turn_before_the_target_cancels_the_turn() -> None:
    rig = driving()
    goal = rig.sent.goal
    rig.drive(Pose2D(goal.x, goal.y, goal.yaw + 0.5))
    rig.finish()
    spin = rig.sent_id
    rig.stop()
    assert rig.cancelled == [spin]


def test_stop_twice_does_no_harm() -> None:
    rig = driving()
    sent = rig.sent_id
    rig.stop()
    rig.stop()
    assert rig.cancelled in ([], [sent])
    rig.finish('canceled')
    rig.stop()
    rig.stand()
    assert ended(rig) is ActOutcome.CANCELLED or rig.bodies(Verdict) == []


def test_stop_without_a_drive_does_nothing() -> None:
    rig = VerifierRig()
    rig.stop()
    assert not stops(rig) and not rig.cancelled
    assert [one.stands for one in rig.bodies(RobotPose)] == [True]


def test_stop_of_an_act_that_waits_goes_on_stopping_the_robot() -> None:
    rig = driving()
    rig.finish('aborted', 0)
    drift(rig, 4.2)
    hypothesis_id, _ = rig.see(ROTATE)
    rig.act(hypothesis_id)
    rig.stop()
    assert stops(rig) == 1
    drift(rig, 3.0)
    assert stops(rig) in (2, 3)
    rig.stand()
    drift(rig, 3.0)
    assert not stops(rig), 'a robot that stood is free to be driven by others'


def test_robot_that_ignores_the_cancel_of_a_new_look_is_stopped() -> None:
    rig = driving()
    rig.begin()
    drift(rig, 3.0)
    assert stops(rig) in (2, 3)
    drift(rig, 2.0)
    drift(rig, 3.0)
    assert not stops(rig), 'not for ever'


def test_new_verifier_stops_what_the_one_before_it_drives() -> None:
    rig = VerifierRig(ready=False)
    rig.hear_maps()
    drift(rig, 2.0)
    assert stops(rig) in (2, 3), 'though nobody asked for anything yet'
    rig.stop(goal='goal-s-0')
    assert stops(rig) == 1
    rig.begin()
    hypothesis_id, _ = rig.see(ROTATE)
    rig.act(hypothesis_id)
    assert stops(rig) == 1 and not rig.moving
    rig.stand()
    assert rig.moving and rig.code is Code.OK


def test_turn_ends_where_it_was_planned_to_though_the_robot_turned_meanwhile() -> None:
    rig = driving()
    rig.begin()
    drift(rig, 0.4)
    hypothesis_id, _ = rig.see(ROTATE)
    rig.act(hypothesis_id)
    yaw = rig.pose.yaw
    rig.hear_pose(Pose2D(rig.pose.x, rig.pose.y, yaw + 0.4))
    rig.stand()
    assert rig.sent.angle_rad == pytest.approx(0.6)


def test_turn_is_refused_where_the_pose_is_lost_meanwhile() -> None:
    rig = driving()
    rig.begin()
    drift(rig, 0.4)
    hypothesis_id, _ = rig.see(ROTATE)
    rig.act(hypothesis_id)
    rig.clock.advance(20.0)
    for late_s in (19.0, 18.8, 18.6, 18.4):
        # Old poses prove a standstill, but not where the robot is now.
        rig.hear(PoseResolved(rig.clock.now.clock_ns - nanoseconds(late_s),
                              Transform.from_pose(rig.pose), rig.map_T_odom))
    assert not rig.moving


def test_act_that_comes_twice_is_done_once() -> None:
    rig = VerifierRig()
    hypothesis_id, _ = rig.see(ROTATE)
    step = rig.act(hypothesis_id)
    assert rig.moving
    rig.hear(DocumentReceived(step))
    assert rig.out == []


def test_act_of_a_mission_that_ended_is_dropped() -> None:
    rig = VerifierRig()
    hypothesis_id, _ = rig.see(ROTATE)
    rig.say(Belief('find the mug', Status.VISIBLE, Phase.FINISHED, Outcome.CANCELLED, '', (), '',
                   '', '', Budgets(1.0, 900.0, 1, 120, 0.0, 300.0, 0, 20)))
    rig.act(hypothesis_id)
    assert not rig.moving and rig.bodies(Verdict) == []


def test_stop_of_another_goal_does_not_stop_this_one() -> None:
    rig = VerifierRig(ready=False)
    rig.begin('goal-s-0')
    rig.hear_maps()
    rig.hear_pose()
    rig.stand()
    rig.begin()
    rig.approach_mug()
    rig.stop(goal='goal-s-0')
    assert rig.out == [] and rig.ticking


def test_drive_budget_ends_a_drive() -> None:
    rig = VerifierRig()
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id, drive_budget_s=30.0)
    rig.path()
    rig.accept()
    sent = rig.sent_id
    rig.drive(Pose2D(2.5, 3.0, 0.0), 30.0)
    assert rig.cancelled == []
    rig.tick(0.25)
    assert rig.cancelled == [sent]
    rig.tick(0.25)
    assert rig.cancelled == [], 'once'
    rig.finish('canceled')
    rig.stand()
    assert ended(rig) is ActOutcome.CANCELLED and '30 s' in rig.result.reason


def test_pose_that_a_drive_did_not_reach_in_time_may_be_tried_again() -> None:
    """The robot got on, and is nearer now."""
    rig = VerifierRig()
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id, drive_budget_s=30.0)
    rig.path()
    rig.accept()
    tried = rig.sent.goal
    rig.drive(Pose2D(2.5, 3.0, 0.0), 31.0)
    rig.finish('canceled')
    rig.stand()
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    rig.path()
    assert rig.sent.goal.distance_to(tried.x, tried.y) < SAME_PLACE_M


def test_cancel_that_nobody_answers_ends_the_drive_after_some_time() -> None:
    rig = driving()
    rig.stop()
    rig.stand(4.8)
    assert stops(rig) == 5 and rig.result is None, 'what follows the path may have outlived it'
    rig.stand(0.4)
    assert stops(rig) == 1
    rig.stand()
    assert ended(rig) is ActOutcome.CANCELLED and 'did not end' in rig.result.reason
    rig.finish('canceled')
    assert rig.out == []


def test_drive_that_gets_nowhere_is_cancelled_and_not_held_against_the_pose() -> None:
    """Nav2 may have forgotten the goal, and never says so."""
    rig = driving(stuck_s=20.0)
    first, sent = rig.sent.goal, rig.sent_id
    for _ in range(99):
        rig.drive(rig.pose, 0.2)
        assert not rig.cancelled
    rig.drive(rig.pose, 0.3)
    assert rig.cancelled == [sent]
    rig.finish('canceled')
    rig.stand()
    assert ended(rig) is ActOutcome.CANCELLED and 'nowhere for 20 s' in rig.result.reason
    rig.drive(START, 1.0)
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    assert rig.asked.goal.distance_to(first.x, first.y) < 0.2


def test_slow_drive_gets_somewhere() -> None:
    rig = driving(stuck_s=20.0)
    for number in range(60):
        rig.drive(Pose2D(2.0 + 0.01 * number, 3.0, 0.0), 1.0)
        assert not rig.cancelled


def test_new_look_ends_a_drive_without_a_result() -> None:
    rig = driving()
    sent = rig.sent_id
    rig.begin()
    assert rig.cancelled == [sent]
    rig.finish('canceled')
    rig.stand()
    assert rig.bodies(Verdict) == []


def in_place_of_a_drive() -> tuple[VerifierRig, str]:
    """Return a robot that was to turn while it drove, and the goal of that drive."""
    rig = driving()
    sent = rig.sent_id
    hypothesis_id, _ = rig.see(ROTATE)
    rig.act(hypothesis_id)
    return rig, sent


def test_new_act_cancels_the_drive_before_it_and_waits_until_the_robot_stands() -> None:
    rig, sent = in_place_of_a_drive()
    assert isinstance(rig.out[0], CancelNav) and rig.cancelled == [sent]
    assert StopNav() in rig.out and not isinstance(rig.sent, SendSpin)
    rig.finish('canceled', nav_goal_id=sent)
    assert rig.out == []
    rig.stand()
    assert isinstance(rig.sent, SendSpin)


def test_robot_that_drives_on_in_spite_of_a_new_act_is_stopped_again() -> None:
    rig, _ = in_place_of_a_drive()
    for number in range(8):
        rig.drive(replace(rig.pose, x=rig.pose.x + 0.1 * (-1) ** number), 0.5)
    assert rig.effects.count(StopNav()) >= 3 and not isinstance(rig.sent, SendSpin)


def test_new_act_that_is_refused_ends_the_drive_before_it() -> None:
    rig = driving()
    sent = rig.sent_id
    rig.try_(canonical('goto_node', node_id='nowhere'))
    assert rig.code is Code.UNKNOWN_NODE and rig.cancelled == [sent]
    rig.drive(replace(rig.pose, x=rig.pose.x + 0.1), 1.5)
    assert StopNav() in rig.out, 'nobody has seen its end'


def test_new_goal_cancels_the_drive_of_the_old_one() -> None:
    rig = driving()
    sent = rig.sent_id
    rig.begin('goal-s-2')
    assert rig.cancelled == [sent]


@pytest.mark.parametrize('state', ['idle', 'asking', 'driving', 'settling'])
def test_deactivation_cancels_what_is_driven(state: str) -> None:
    rig = {'idle': VerifierRig, 'asking': asking}.get(state, driving)()
    if state == 'settling':
        rig.finish('aborted')
    rig.hear(Deactivating())
    assert bool(rig.cancelled) == (state == 'driving')
    # Whether the robot comes to rest is watched closely.
    closely = state in ('driving', 'settling')
    assert rig.watched is not None and not rig.ticking
    assert rig.watched.pose_period_s == (0.2 if closely else 1.0)
    assert not (rig.watched.depth or rig.watched.costmap)
    assert not (closely and rig.watched.pose_kept_back_s)
    if state == 'asking':
        rig.path()
        assert rig.out == []


def test_drive_ends_where_the_belief_is_lost() -> None:
    rig = driving()
    rig.hear(BeliefLost())
    assert rig.cancelled == [rig.sent_id]
    rig.finish('canceled')
    rig.stand()
    assert ended(rig) is ActOutcome.CANCELLED


def test_forged_step_of_another_belief_stops_no_mission_for_good() -> None:
    rig = driving()
    before = rig.sent_id
    rig.begin('goal-forged-1')
    assert rig.cancelled == [before], 'nobody can know which of the two lives'
    rig.finish('canceled')
    rig.stand(6.0)
    rig.hear_maps()
    rig.begin()
    rig.approach_mug()
    assert rig.sent_id != before


@pytest.mark.parametrize('make', [VerifierRig, asking])
def test_nothing_is_driven_after_the_belief_was_lost(make: Callable[[], VerifierRig]) -> None:
    rig = make()
    rig.hear(BeliefLost())
    assert rig.out == []
    if make is asking:
        rig.path()
        assert not rig.moving


# What was tried

def test_viewpoint_that_was_not_reached_is_not_explored_again_at_once() -> None:
    rig = VerifierRig()
    rig.try_(canonical('explore', explore_bearing_rad=0.0), source=Source.FALLBACK)
    if rig.code is None:
        rig.path()
    first = rig.decision.goal
    rig.finish('aborted', 208)
    rig.stand()
    rig.try_(canonical('explore', explore_bearing_rad=0.0), source=Source.FALLBACK)
    if rig.code is None:
        rig.path()
    second = rig.decision.goal
    assert second.distance_to(first.x, first.y) >= 0.4 or (
        abs(math.remainder(second.yaw - first.yaw, math.tau)) >= 0.4)


def test_stand_off_that_was_not_reached_is_tried_again_after_a_while() -> None:
    rig = driving()
    first = rig.sent.goal
    rig.finish('aborted', 208)
    rig.stand()
    for wait_s, again in ((1.0, False), (61.0, True)):
        rig.drive(START, wait_s)
        hypothesis_id, _ = rig.see_mug()
        rig.act(hypothesis_id)
        assert (rig.asked.goal.distance_to(first.x, first.y) < 0.2) == again


def test_node_is_driven_and_reported_with_its_action() -> None:
    rig = VerifierRig()
    rig.remember(candidate('n', Pose2D(6.5, 1.5, 2.0)))
    rig.try_(canonical('goto_node', node_id='n'))
    rig.path()
    rig.drive(Pose2D(6.5, 1.5, 2.0))
    rig.finish()
    rig.stand()
    (verdict,) = rig.bodies(Verdict)
    assert verdict.action == 'goto_node' and verdict.result.outcome is ActOutcome.ARRIVED


# The robot's own pose

def test_pose_is_published_seldom_while_the_robot_stands_and_soon_enough_to_be_trusted() -> None:
    rig = VerifierRig()
    followed = rig.stand(10.0)
    published = len([one for one in followed if isinstance(one.body, RobotPose)])
    assert 2 * 10.0 / MemoryConfig().pose_timeout_s - 1 <= published <= 12


def test_pose_is_published_twice_a_second_while_it_moves() -> None:
    rig = VerifierRig()
    poses = 0
    for number in range(50):
        rig.clock.advance(0.2)
        rig.hear_pose(Pose2D(2.0 + 0.06 * number, 3.0, 0.0))
        poses += rig.robot_pose is not None
    assert 15 <= poses <= 21


def test_jump_of_the_localisation_is_published_at_once_as_unhealthy() -> None:
    rig = VerifierRig()
    rig.clock.advance(0.1)
    odom_T_base = rig.map_T_odom.inverse() @ Transform.from_pose(rig.pose)
    moved = Transform.from_pose(Pose2D(1.0, 0.5, 0.0))
    rig.hear(PoseResolved(rig.clock.now.clock_ns, moved @ odom_T_base, moved))
    told = rig.robot_pose
    assert told is not None and not told.healthy
    assert told.jump_m == pytest.approx(math.hypot(1.0, 0.5), abs=1e-6)
    rig.clock.advance(0.95)
    rig.hear(PoseResolved(rig.clock.now.clock_ns, moved @ odom_T_base, moved))
    assert not rig.robot_pose.healthy, 'it settles'
    rig.clock.advance(13.0)
    rig.hear(PoseResolved(rig.clock.now.clock_ns, moved @ odom_T_base, moved))
    assert not rig.robot_pose.healthy, 'it may be taken back'
    rig.clock.advance(1.1)
    rig.hear(PoseResolved(rig.clock.now.clock_ns, moved @ odom_T_base, moved))
    assert rig.robot_pose.healthy and rig.robot_pose.jump_m < 1e-6


def test_pose_of_a_localisation_that_died_is_published_as_unhealthy() -> None:
    """TF tells the last pose that it knows for as long as the odometry lives."""
    rig = VerifierRig()
    map_T_base = Transform.from_pose(rig.pose)
    for age_s in (1.0, 3.0, -3.0):
        rig.clock.advance(1.0)
        stamp_ns = rig.clock.now.clock_ns - nanoseconds(age_s)
        rig.hear(PoseResolved(stamp_ns, map_T_base, rig.map_T_odom))
        assert rig.robot_pose.healthy == (age_s == 1.0) and rig.robot_pose.jump_m < 1e-6
        assert [one.stamp_ns for one in rig.out if isinstance(one, Document)] == [stamp_ns]
    rig.clock.advance(1.0)
    rig.hear_pose()
    assert rig.robot_pose.healthy


def test_driving_is_no_jump() -> None:
    rig = VerifierRig()
    for number in range(20):
        rig.clock.advance(1.0)
        rig.hear_pose(Pose2D(2.0 + 0.2 * number, 3.0, 0.3 * number))
        assert rig.robot_pose is None or rig.robot_pose.jump_m < 1e-6


def test_end_that_comes_before_the_acceptance_ends_the_drive() -> None:
    rig = VerifierRig()
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    rig.path()
    sent = rig.sent_id
    rig.hear(NavFinished(sent, 'aborted', 0))
    rig.accept()
    rig.stand()
    assert ended(rig) is ActOutcome.ABORTED
