"""Another client of Nav2 drives the robot: it is yielded to, or refused."""

import random

import pytest
from builders import canonical
from verifier_rig import START, VerifierRig

from semantic_nav.contracts.core import Output
from semantic_nav.contracts.documents import Document, RobotPose
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import ActOutcome, Code
from semantic_nav.verify.config import REFUSE, YIELD
from semantic_nav.verify.driving.other_clients import new_goal_id
from semantic_nav.verify.effects import CancelNav, StopNav
from semantic_nav.verify.events import (
    BeliefLost,
    Deactivating,
    HoldHeard,
    NavGoalsAwaited,
    NavGoalsHeard,
    PoseMissing,
)

THEIRS = 'f' * 32
WORDS = 'another client drives the robot'


def driving(mode: str) -> VerifierRig:
    rig = VerifierRig(other_client=mode)
    rig.approach_mug()
    rig.hear(NavGoalsHeard((rig.sent_id,)))
    assert not rig.cancelled, 'a goal of its own'
    return rig


def preempt(rig: VerifierRig, order: str) -> list[Output]:
    """Let another client's goal take the place of the one in hand."""
    out: list[Output] = []
    for what in order.split():
        out += rig.hear(NavGoalsHeard((THEIRS,))) if what == 'status' else rig.finish('aborted')
        if what != order.split()[-1]:
            rig.clock.advance(0.05)
            out += rig.hear_pose()
    return out


def carried(rig: VerifierRig, seconds: float = 6.0) -> list[Output]:
    """Let the other client drive the robot about; returns what followed."""
    out: list[Output] = []
    for number in range(round(seconds / 0.2)):
        out += rig.drive(Pose2D(START.x + 0.05 * (number % 9), START.y, 0.0), 0.2)
    return out


def count(outputs: list[Output], kind: type) -> int:
    return sum(isinstance(one, kind) for one in outputs)


def stood(outputs: list[Output]) -> bool:
    """Tell whether it was said of the robot that it stands."""
    return any(isinstance(one, Document) and isinstance(one.body, RobotPose) and one.body.stands
               for one in outputs)


@pytest.mark.parametrize('order', ['status aborted', 'aborted status', 'status'])
def test_goal_of_another_client_is_yielded_to(order: str) -> None:
    rig = driving(YIELD)
    mine = rig.sent_id
    out = preempt(rig, order)
    if order == 'status':
        assert count(out, CancelNav) == 1, 'two would fight where it does not preempt'
        out += rig.finish('canceled', nav_goal_id=mine)
    followed = out + carried(rig)
    (result,) = [one.body.result for one in rig.documents
                 if getattr(one.body, 'result', None) is not None]
    assert result.outcome is ActOutcome.UNAVAILABLE and result.code is Code.HELD
    assert WORDS in result.reason
    assert not count(followed, StopNav), 'its drive is not ours to end'
    assert any(isinstance(one.body, RobotPose) and one.body.held == WORDS
               for one in rig.documents)


def test_nothing_begins_while_another_client_drives_and_then_it_does() -> None:
    rig = VerifierRig()
    rig.hear(NavGoalsHeard((THEIRS,)))
    refused = rig.try_(canonical('rotate', rotate_rad=1.0))
    assert refused is not None and refused.code is Code.HELD and refused.reason == WORDS
    carried(rig)
    rig.hear(NavGoalsHeard(()))
    rig.stand(0.6)
    assert rig.try_(canonical('rotate', rotate_rad=1.0)).code is Code.HELD, 'it may send another'
    rig.stand(1.0)
    assert rig.try_(canonical('rotate', rotate_rad=1.0)).code is Code.OK


@pytest.mark.parametrize('stage', ['halting', 'path'])
def test_act_that_has_not_driven_yet_is_refused_where_another_client_begins(stage: str) -> None:
    rig = VerifierRig()
    if stage == 'halting':
        # A goal ended without anybody knowing that the robot rests.
        rig.approach_mug()
        rig.drive(Pose2D(2.2, 3.0, 0.0))
        rig.finish('aborted', 105)
        rig.drive(Pose2D(2.3, 3.0, 0.0))
        rig.begin()
        rig.act(rig.see(canonical('rotate', rotate_rad=1.0))[0])
        assert rig.decision is None
        rig.hear(NavGoalsHeard((THEIRS,)))
    else:
        rig.act(rig.see_mug()[0])
        rig.hear(NavGoalsHeard((THEIRS,)))
        rig.path()
    assert rig.code is Code.HELD and not rig.moving


@pytest.mark.parametrize('ender', ['stop', 'pause topic', 'belief lost', 'deactivation'])
def test_no_stop_of_ours_ends_the_drive_of_another_client(ender: str) -> None:
    rig = driving(YIELD)
    preempt(rig, 'status aborted')
    carried(rig, 1.0)
    {'stop': rig.stop, 'pause topic': lambda: rig.hear(HoldHeard(True)),
     'belief lost': lambda: rig.hear(BeliefLost()),
     'deactivation': lambda: rig.hear(Deactivating())}[ender]()
    followed = [*rig.out, *carried(rig)]
    assert not count(followed, StopNav) and not count(followed, CancelNav)
    assert not stood(followed)


@pytest.mark.parametrize('mode', [YIELD, REFUSE])
def test_robot_that_another_client_is_about_to_drive_is_not_said_to_stand(mode: str) -> None:
    """Its poses tell so only once it moves, and while nothing is driven they come seldom."""
    rig = VerifierRig(other_client=mode)
    rig.stand(2.0)
    rig.hear(NavGoalsHeard((THEIRS,)))
    rig.stop()
    assert not stood(rig.out)


@pytest.mark.parametrize('mode', [YIELD, REFUSE])
def test_stop_is_answered_when_the_other_client_has_arrived(mode: str) -> None:
    rig = driving(mode)
    preempt(rig, 'status aborted')
    rig.stop()
    assert not stood(rig.stand(2.0)), 'it may set out at any moment'
    rig.hear(NavGoalsHeard(()))
    assert stood(rig.stand(2.0))


def test_abort_without_a_code_that_nobody_explains_is_stopped_a_moment_later() -> None:
    rig = driving(YIELD)
    rig.drive(Pose2D(2.2, 3.0, 0.0), 0.2)
    assert not count(rig.finish('aborted'), StopNav)
    assert count(rig.drive(Pose2D(2.3, 3.0, 0.0), 0.2), StopNav) == 1


@pytest.mark.parametrize('order', ['status aborted', 'aborted status'])
def test_goal_of_another_client_is_refused_where_that_is_wanted(order: str) -> None:
    rig = driving(REFUSE)
    out = preempt(rig, order)
    assert count(out, StopNav) == 1
    rig.hear(NavGoalsHeard(()))
    rig.stand(2.0)
    assert rig.result.outcome is ActOutcome.UNAVAILABLE
    assert rig.result.code is Code.NAV_UNAVAILABLE
    assert 'another client sent a goal of its own, which was cancelled' in rig.result.reason
    assert rig.try_(canonical('rotate', rotate_rad=1.0)).code is Code.OK


def test_drive_that_took_the_place_of_anothers_has_an_end_of_its_own() -> None:
    rig = VerifierRig(other_client=REFUSE)
    rig.hear(NavGoalsHeard((THEIRS,)))
    rig.approach_mug()
    rig.clock.advance(0.1)
    rig.hear(NavGoalsHeard((rig.sent_id,)))
    rig.finish('aborted', 104)
    rig.stand(1.0)
    assert rig.result.outcome is ActOutcome.ABORTED and '(code 104)' in rig.result.reason


def test_robot_that_another_client_drives_is_stopped_before_an_act_where_it_is_refused() -> None:
    rig = VerifierRig(other_client=REFUSE)
    rig.hear(NavGoalsHeard((THEIRS,)))
    assert not count(carried(rig), StopNav), "without an act it is nobody's business"
    rig.act(rig.see(canonical('rotate', rotate_rad=1.0))[0])
    assert count(rig.out, StopNav) == 1 and not rig.moving
    rig.hear(NavGoalsHeard(()))
    rig.stand(2.0)
    assert rig.moving


def test_verifier_that_is_started_anew_tells_its_own_goal_from_those_of_others() -> None:
    for ours in (True, False):
        rig = VerifierRig(ready=False)
        rig.hear_maps()
        rig.hear(NavGoalsHeard((new_goal_id(random.Random(1)) if ours else THEIRS,)))
        assert bool(count(carried(rig, 2.0), StopNav)) is ours


def starting(mode: str = YIELD) -> VerifierRig:
    """Return a verifier that has heard of no goal yet, while the robot is driven."""
    rig = VerifierRig(ready=False, other_client=mode)
    rig.hear(NavGoalsAwaited())
    rig.hear_maps()
    return rig


def test_nothing_is_stopped_before_it_is_heard_whose_goal_drives_the_robot() -> None:
    rig = starting()
    rig.stop()
    assert not [*rig.effects, *(out for out in carried(rig, 0.8) if isinstance(out, StopNav))]
    rig.hear(NavGoalsHeard((THEIRS,)))
    assert not count([*rig.out, *carried(rig, 3.0)], StopNav)


@pytest.mark.parametrize('heard', [(), (new_goal_id(random.Random(1)),), None])
def test_what_no_other_client_drives_is_stopped_as_soon_as_that_is_known(
        heard: tuple[str, ...] | None) -> None:
    rig = starting()
    assert not count(carried(rig, 0.6), StopNav)
    if heard is not None:
        rig.hear(NavGoalsHeard(heard))
        assert count([*rig.out, *carried(rig, 0.2)], StopNav) == 1
    else:
        # Where Nav2 never had a goal it says nothing.
        assert not count(carried(rig, 0.2), StopNav)
        assert count(carried(rig, 0.4), StopNav) == 1


def test_nothing_is_waited_for_where_another_client_is_refused() -> None:
    assert count(carried(starting(REFUSE), 0.6), StopNav) == 1


def test_stop_that_was_held_back_is_carried_out_without_a_pose_too() -> None:
    rig = starting()
    rig.stop()
    stops = 0
    for _ in range(8):
        rig.clock.advance(0.2)
        stops += count(rig.hear(PoseMissing('no transform')), StopNav)
    assert stops == 1


def test_what_a_navigator_said_before_an_earlier_deactivation_is_over() -> None:
    rig = VerifierRig()
    rig.hear(NavGoalsHeard((THEIRS,)))
    rig.hear(NavGoalsAwaited())
    rig.stand(1.2)
    assert rig.try_(canonical('rotate', rotate_rad=1.0)).code is Code.OK


def poses(rig: VerifierRig) -> list[RobotPose]:
    return [one.body for one in rig.documents if isinstance(one.body, RobotPose)]


def test_end_of_a_foreign_drive_is_told_without_a_pose_too() -> None:
    """Or belief would name the other client as long as nobody knows where the robot is."""
    rig = VerifierRig()
    rig.hear(NavGoalsHeard((THEIRS,)))
    carried(rig, 1.0)
    told = len(poses(rig))
    assert poses(rig)[-1].held == WORDS
    for number in range(12):
        if number == 6:
            rig.hear(NavGoalsHeard(()))
        assert len(poses(rig)) == told or number > 10
        rig.clock.advance(0.2)
        rig.hear(PoseMissing('no transform'))
    (pose,) = poses(rig)[told:]
    assert (pose.held, pose.healthy, pose.stands, pose.jump_m) == ('', False, False, 0.0)


def test_pause_topic_is_obeyed_without_a_pose_too_but_for_the_first() -> None:
    rig = VerifierRig(ready=False)
    rig.hear(HoldHeard(True))
    assert not poses(rig)
    rig = VerifierRig()
    told = len(poses(rig))
    rig.hear(PoseMissing('no transform'))
    for number, held in enumerate((True, False), start=1):
        rig.hear(HoldHeard(held))
        assert len(poses(rig)) == told + number and bool(poses(rig)[-1].held) is held


def test_uuids_of_a_verifier_are_as_long_as_any_and_differ() -> None:
    source = random.Random(2)
    ids = {new_goal_id(source) for _ in range(100)}
    assert len(ids) == 100 and {len(bytes.fromhex(one)) for one in ids} == {16}


def test_goal_of_the_verifier_before_is_cancelled_however_the_robot_stands() -> None:
    """Nav2 plans or waits for a moment, and drives on."""
    rig = VerifierRig(ready=False)
    rig.hear_maps()
    rig.hear(NavGoalsHeard((new_goal_id(random.Random(1)),)))
    followed = [out for _ in range(15) for out in rig.drive(rig.pose, 0.2)]
    assert count(followed, StopNav) >= 2 and rig.watched.pose_period_s < 1.0
    rig.hear(NavGoalsHeard(()))
    assert not [out for _ in range(15) for out in rig.drive(rig.pose, 0.2)
                if isinstance(out, StopNav)]


def test_standing_robot_is_watched_while_a_goal_of_the_verifier_before_is_in_hand() -> None:
    rig = VerifierRig(ready=False)
    rig.hear_maps()
    rig.hear(NavGoalsHeard(()))
    rig.stand(20.0)
    assert rig.watched.pose_period_s >= 1.0
    rig.hear(NavGoalsHeard((new_goal_id(random.Random(1)),)))
    rig.stand(20.0)
    assert rig.watched.pose_period_s < 1.0 and not rig.watched.pose_kept_back_s


def test_goal_of_the_verifier_before_is_cancelled_beside_what_another_client_drives() -> None:
    rig = VerifierRig()
    mine = new_goal_id(random.Random(1))
    rig.announced[mine] = START
    rig.hear(NavGoalsHeard((mine, THEIRS)))
    followed = carried(rig, 3.0)
    assert CancelNav(mine) in followed and not count(followed, StopNav)


def test_goal_that_is_cut_for_another_client_is_cancelled_until_it_has_ended() -> None:
    """A spin stands in no status that is heard, and a cancel may be lost."""
    rig = VerifierRig()
    rig.try_(canonical('rotate', rotate_rad=2.0))
    rig.accept()
    mine = rig.sent_id
    rig.hear(NavGoalsHeard((THEIRS,)))
    followed = carried(rig, 3.0)
    assert not count(followed, StopNav)
    assert sum(one == CancelNav(mine) for one in followed) >= 2
    rig.finish('canceled', nav_goal_id=mine)
    assert not count(carried(rig, 3.0), CancelNav)
