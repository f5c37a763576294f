"""A jump of the localisation: the robot stands until it has settled, and the drive goes on."""

import math
from collections.abc import Callable

import pytest
from builders import candidate, canonical
from verifier_rig import VerifierRig

from semantic_nav.contracts.core import Output
from semantic_nav.contracts.documents import Document, Result, RobotPose, Verdict
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.vocabulary import ActOutcome, Code
from semantic_nav.verify.effects import AskPath, SendNav, SendSpin
from semantic_nav.verify.events import BeliefLost

#: What a jump adds to the correction of the odometry.
ASIDE = Transform.from_pose(Pose2D(0.1, 0.7, 0.3))
SIDEWAYS = Transform.from_pose(Pose2D(0.0, 0.7, 0.0))
DOUBT_S = 15.0


def jump(rig: VerifierRig, by: Transform) -> list[Output]:
    """Let the localisation displace the robot in the map; returns what followed."""
    rig.clock.advance(0.2)
    rig.map_T_odom = by @ rig.map_T_odom
    return rig.hear_pose((by @ Transform.from_pose(rig.pose)).pose())


def slide(rig: VerifierRig, *shares: float) -> None:
    """Let the localisation move in small steps; the last share of the jump aside is where to."""
    before = ASIDE.inverse() @ rig.map_T_odom
    for share in shares:
        there = Transform.from_pose(Pose2D(0.1 * share, 0.7 * share, 0.3 * share))
        rig.pose = (there @ before @ rig.map_T_odom.inverse()
                    @ Transform.from_pose(rig.pose)).pose()
        rig.map_T_odom = there @ before
        rig.stand(0.4)


def wait(rig: VerifierRig, seconds: float) -> list[Output]:
    """Let the robot stand so long while all is measured; returns what followed."""
    followed: list[Output] = []
    for _ in range(round(seconds / 0.2)):
        followed += rig.drive(rig.pose, 0.2)
    return followed


def results_of(outputs: list[Output]) -> list[Result]:
    return [one.body.result for one in outputs if isinstance(one, Document)
            and isinstance(one.body, Verdict) and one.body.result is not None]


def asked_of(outputs: list[Output]) -> list[Pose2D]:
    return [one.goal for one in outputs if isinstance(one, AskPath)]


def is_healthy(rig: VerifierRig, seconds: float) -> bool:
    """Tell what the verifier says of the pose after so many seconds."""
    told = [one.body for one in wait(rig, seconds) if isinstance(one, Document)
            and isinstance(one.body, RobotPose)]
    return bool(told[-1].healthy)


def approaching(**config: object) -> VerifierRig:
    rig = VerifierRig(**config)
    rig.approach_mug()
    return rig


def revisiting() -> VerifierRig:
    rig = VerifierRig()
    rig.remember(candidate('n', Pose2D(1.0, 1.0, 0.0)))
    rig.try_(canonical('goto_node', node_id='n'))
    rig.path()
    rig.accept()
    assert isinstance(rig.sent, SendNav)
    return rig


def cut_by_jump(rig: VerifierRig, by: Transform = ASIDE) -> str:
    """Let the localisation jump on the way, and Nav2 end the goal; returns its UUID."""
    goal_id = rig.sent_id
    jump(rig, by)
    assert rig.cancelled == [goal_id]
    rig.finish('canceled')
    return goal_id


def test_drive_goes_on_where_the_jump_is_taken_back() -> None:
    rig = approaching()
    goal, goal_id = rig.sent.goal, cut_by_jump(rig)
    followed = wait(rig, 3.0)
    assert results_of(followed) == [] and asked_of(followed) == []
    jump(rig, ASIDE.inverse())
    followed = wait(rig, 1.4)
    assert results_of(followed) == []
    assert asked_of(followed) == [goal]
    rig.path()
    assert rig.code is Code.OK and rig.sent.goal == goal and rig.sent_id != goal_id
    rig.accept()
    rig.drive(goal, 5.0)
    rig.finish()
    (result,) = results_of(wait(rig, 1.0))
    assert result.outcome is ActOutcome.ARRIVED


def test_nothing_is_driven_while_a_jump_may_be_taken_back() -> None:
    rig = approaching()
    cut_by_jump(rig)
    followed = wait(rig, DOUBT_S - 1.0)
    assert results_of(followed) == []
    assert asked_of(followed) == []


def test_approach_ends_where_the_jump_stays_for_the_target_lies_elsewhere_now() -> None:
    rig = approaching()
    cut_by_jump(rig)
    (result,) = results_of(wait(rig, DOUBT_S + 0.6))
    assert (result.outcome, result.code) == (ActOutcome.UNAVAILABLE, Code.POSE_UNAVAILABLE)
    assert not isinstance(rig.effects[-1], AskPath)


def test_drive_to_a_place_of_the_map_goes_on_where_the_jump_stays() -> None:
    rig = revisiting()
    goal = rig.sent.goal
    cut_by_jump(rig)
    followed = wait(rig, DOUBT_S + 0.6)
    assert results_of(followed) == []
    assert asked_of(followed) == [goal]


def test_turn_ends_where_the_jump_stays_for_it_began_elsewhere() -> None:
    rig = VerifierRig()
    rig.try_(canonical('rotate', rotate_rad=1.5))
    rig.accept()
    cut_by_jump(rig)
    (result,) = results_of(wait(rig, DOUBT_S + 0.6))
    assert (result.outcome, result.code) == (ActOutcome.UNAVAILABLE, Code.POSE_UNAVAILABLE)


def test_turn_goes_on_by_what_is_left_of_it() -> None:
    rig = VerifierRig()
    rig.act(rig.see(canonical('rotate', rotate_rad=1.5))[0])
    rig.accept()
    rig.drive(Pose2D(rig.pose.x, rig.pose.y, 1.0))
    cut_by_jump(rig)
    wait(rig, 1.0)
    jump(rig, ASIDE.inverse())
    wait(rig, 1.4)
    assert isinstance(rig.sent, SendSpin)
    assert rig.sent.angle_rad == pytest.approx(0.5)


def test_drive_that_finds_no_way_on_ends_as_the_jump_ended_it() -> None:
    rig = approaching()
    cut_by_jump(rig)
    jump(rig, ASIDE.inverse())
    wait(rig, 2.0)
    while not results_of(rig.out):
        assert isinstance(rig.effects[-1], AskPath)
        rig.path(status='aborted', code=208)
    (result,) = results_of(rig.out)
    assert (result.outcome, result.code) == (ActOutcome.UNAVAILABLE, Code.POSE_UNAVAILABLE)


def test_drive_has_no_more_time_for_a_jump() -> None:
    rig = VerifierRig()
    rig.act(rig.see_mug()[0], drive_budget_s=3.0)
    rig.path()
    rig.accept()
    cut_by_jump(rig)
    (result,) = results_of(wait(rig, 3.0))
    assert result.code is Code.POSE_UNAVAILABLE


def test_stop_while_it_waits_ends_it() -> None:
    rig = approaching()
    cut_by_jump(rig)
    wait(rig, 1.0)
    rig.stop()
    jump(rig, ASIDE.inverse())
    followed = wait(rig, 3.0)
    assert asked_of(followed) == []


def test_what_else_fails_meanwhile_ends_it() -> None:
    rig = approaching()
    cut_by_jump(rig)
    wait(rig, 1.0)
    rig.clock.advance(6.0)
    (result,) = results_of(rig.hear_pose())
    assert result.code is Code.POSE_UNAVAILABLE


def test_jump_that_slides_back_is_taken_back() -> None:
    rig = VerifierRig()
    jump(rig, ASIDE)
    assert not is_healthy(rig, 2.0)
    slide(rig, 0.8, 0.6, 0.4, 0.2, 0.0)
    assert is_healthy(rig, 1.0)


def test_jump_back_is_taken_for_one_also_after_the_jump_was_believed() -> None:
    rig = VerifierRig()
    jump(rig, ASIDE)
    assert is_healthy(rig, DOUBT_S + 1.0)
    jump(rig, ASIDE.inverse())
    assert is_healthy(rig, 2.0)


def test_look_is_not_placed_by_a_pose_that_may_be_taken_back() -> None:
    rig = VerifierRig()
    jump(rig, ASIDE)
    _, observed = rig.see_mug()
    assert observed.pose is None and observed.track is None
    assert 'jumped' in observed.ungrounded_reason
    wait(rig, DOUBT_S - 2.0)
    _, observed = rig.see_mug()
    assert observed.pose is None and observed.track is None, 'it may be taken back yet'
    wait(rig, 2.0)
    _, observed = rig.see_mug()
    assert observed.pose is not None and observed.track is not None


@pytest.mark.parametrize('stop', [
    lambda rig: rig.stop(), lambda rig: rig.hear(BeliefLost())], ids=['a stop', 'a lost belief'])
def test_drive_that_is_to_end_does_not_go_on_after_a_jump(
        stop: Callable[[VerifierRig], object]) -> None:
    """It comes between the cut, by the jump, and the end that Nav2 tells."""
    rig = approaching()
    jump(rig, ASIDE)
    stop(rig)
    rig.finish('canceled')
    wait(rig, 1.0)
    jump(rig, ASIDE.inverse())
    assert asked_of(wait(rig, 3.0)) == []


def test_target_comes_back_with_a_jump_that_slides_back() -> None:
    rig = VerifierRig()
    _, observed = rig.see_mug()
    jump(rig, ASIDE)
    slide(rig, 0.8, 0.6, 0.4, 0.2, 0.0)
    assert is_healthy(rig, 1.0)
    _, after = rig.see(canonical('explore'))
    # The last of the way back is too short to tell from what a localisation corrects anyway.
    assert math.dist(after.held.position, observed.track.position) < 0.3


def test_target_comes_back_with_a_jump_that_slides_and_jumps_back() -> None:
    rig = VerifierRig()
    _, observed = rig.see_mug()
    before = rig.map_T_odom
    jump(rig, ASIDE)
    slide(rig, 0.95, 0.9, 0.85)
    jump(rig, before @ rig.map_T_odom.inverse())
    assert is_healthy(rig, 2.0)
    _, after = rig.see(canonical('explore'))
    assert after.held.position == pytest.approx(observed.track.position, abs=0.02)


def test_target_stays_where_a_believed_localisation_corrects_itself() -> None:
    rig = VerifierRig()
    jump(rig, ASIDE)
    wait(rig, DOUBT_S + 1.0)
    _, observed = rig.see_mug()
    slide(rig, 0.9)
    _, after = rig.see(canonical('explore'))
    assert after.held.position == pytest.approx(observed.track.position)


def test_of_two_jumps_one_taken_back_leaves_the_pose_in_doubt() -> None:
    rig = approaching()
    cut_by_jump(rig, SIDEWAYS)
    wait(rig, 1.0)
    jump(rig, SIDEWAYS)
    wait(rig, 1.0)
    jump(rig, SIDEWAYS.inverse())
    assert asked_of(wait(rig, 3.0)) == []
    assert not is_healthy(rig, 1.0)


def test_drive_goes_on_where_two_jumps_are_taken_back_at_once() -> None:
    rig = approaching()
    goal = rig.sent.goal
    cut_by_jump(rig, SIDEWAYS)
    wait(rig, 1.0)
    jump(rig, SIDEWAYS)
    wait(rig, 1.0)
    jump(rig, (SIDEWAYS @ SIDEWAYS).inverse())
    assert asked_of(wait(rig, 1.4)) == [goal]


def test_jump_from_where_another_was_believed_may_be_taken_back_to_there() -> None:
    rig = VerifierRig()
    jump(rig, SIDEWAYS)
    assert is_healthy(rig, DOUBT_S + 1.0)
    jump(rig, SIDEWAYS)
    assert not is_healthy(rig, 2.0)
    jump(rig, SIDEWAYS.inverse())
    assert is_healthy(rig, 2.0)


def test_jump_that_slid_back_is_no_longer_doubted() -> None:
    rig = VerifierRig()
    jump(rig, ASIDE)
    slide(rig, 0.8, 0.6, 0.4, 0.2, 0.0)
    jump(rig, SIDEWAYS)
    assert not is_healthy(rig, 2.0)
    jump(rig, SIDEWAYS.inverse())
    assert is_healthy(rig, 2.0)
