"""A stop is carried out by whoever hears it, and answered once the robot stands."""

from dataclasses import replace

import pytest
from builders import GOAL_ID
from verifier_rig import VerifierRig

from semantic_nav.contracts.core import DocumentReceived
from semantic_nav.contracts.documents import Document, RobotPose, Step
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import StepKind
from semantic_nav.verify.effects import CancelNav, StopNav, WatchSurroundings
from semantic_nav.verify.events import PoseMissing


def driving() -> VerifierRig:
    rig = VerifierRig()
    rig.approach_mug()
    return rig


def drift(rig: VerifierRig, seconds: float) -> list[object]:
    """Let the robot go to and fro although nothing is driven; returns what followed."""
    followed: list[object] = []
    for number in range(round(seconds / 0.2)):
        followed += rig.drive(Pose2D(2.5, 3.0 + 0.05 * (number % 2), 0.0), 0.2)
    return followed


def stop(rig: VerifierRig, goal: str = GOAL_ID) -> Document:
    return rig.say(Step(StepKind.STOP, 'find the mug', reason='enough'), goal=goal)


def standing(outputs: list[object]) -> list[str]:
    """Return the causes of the poses that say that the robot stands after a stop."""
    return [one.cause_id for one in outputs if isinstance(one, Document)
            and isinstance(one.body, RobotPose) and one.body.stands and one.cause_id]


def count(outputs: list[object], kind: type) -> int:
    return sum(isinstance(one, kind) for one in outputs)


def test_stop_of_a_robot_that_stands_is_answered_at_once() -> None:
    rig = VerifierRig()
    for _ in range(2):
        sent = stop(rig)
        assert standing(rig.out) == [sent.id] and not count(rig.out, StopNav)


def test_stop_of_a_drive_is_answered_when_the_robot_stands() -> None:
    rig = driving()
    sent = stop(rig)
    assert count(rig.out, CancelNav) == 1 and standing(rig.out) == []
    rig.finish('canceled')
    assert standing(rig.out) == []
    assert standing(drift(rig, 1.0)) == []
    assert standing(rig.stand(2.0)) == [sent.id], 'and once'


def test_stop_that_is_said_again_is_answered_again() -> None:
    """The answer may have been lost; what follows on a stop is cancelled again too."""
    rig = driving()
    sent = stop(rig)
    rig.hear(DocumentReceived(sent))
    assert count(rig.out, CancelNav) == 1
    rig.finish('canceled')
    assert standing(rig.stand(2.0)) == [sent.id]
    rig.hear(DocumentReceived(sent))
    assert standing(rig.out) == [sent.id]


def test_next_step_of_the_goal_takes_the_place_of_a_stop() -> None:
    rig = driving()
    stop(rig)
    rig.begin()
    assert standing(rig.stand(2.0)) == []


@pytest.mark.parametrize('lost', ['no TF', 'old TF'])
def test_robot_that_nobody_sees_is_not_said_to_stand(lost: str) -> None:
    rig = VerifierRig()
    if lost == 'no TF':
        rig.clock.advance(2.0)
        rig.hear(PoseMissing('no TF'))
    rig.clock.advance(2.0)
    stop(rig)
    assert standing(rig.out) == []
    sent = stop(rig)
    assert standing(rig.stand(1.0)) == [sent.id]


def test_stop_finds_a_robot_that_moves_though_nothing_is_driven() -> None:
    rig = VerifierRig()
    drift(rig, 2.0)
    stop(rig)
    assert count(rig.out, StopNav) == 1 and standing(rig.out) == []
    followed = drift(rig, 3.0)
    assert count(followed, StopNav) in (2, 3) and standing(followed) == []
    assert len(standing(rig.stand(1.0))) == 1


@pytest.mark.parametrize('goal', ['goal-s-2', 'goal-t-1'])
def test_stop_of_a_newer_goal_ends_the_drive_of_the_one_before(goal: str) -> None:
    """A belief that was started anew has a session of its own, and stops under a new goal."""
    rig = driving()
    sent = stop(rig, goal)
    assert count(rig.out, CancelNav) == 1
    followed = rig.stand(2.0)
    assert standing(followed) == [sent.id]
    rig.act('hypothesis-s-1')
    assert not rig.moving, 'the goal before is over'


def test_stop_of_an_earlier_belief_is_dropped() -> None:
    rig = VerifierRig()
    rig.begin('goal-t-1')
    before = rig.dropped
    stop(rig, GOAL_ID)
    assert rig.out == [] and rig.dropped == before + 1


def test_new_verifier_carries_a_stop_out() -> None:
    rig = VerifierRig(ready=False)
    sent = stop(rig)
    assert count(rig.out, StopNav) == 1
    drift(rig, 1.0)
    assert standing(rig.stand(1.0)) == [sent.id]


def test_new_verifier_stops_a_robot_that_moves_however_long_it_takes() -> None:
    rig = VerifierRig(ready=False)
    rig.hear_pose()
    assert rig.watched == WatchSurroundings(pose_period_s=0.2)
    assert 9 <= count(drift(rig, 10.0), StopNav) <= 11
    rig.stand(1.0)
    assert rig.watched.pose_period_s == WatchSurroundings().pose_period_s
    assert count(drift(rig, 5.0), StopNav) == 0, 'a robot that stood may be driven by others'


def test_new_verifier_leaves_a_robot_alone_that_stands() -> None:
    rig = VerifierRig(ready=False)
    assert count(rig.stand(5.0), StopNav) == 0


def test_pose_says_whether_the_robot_stands() -> None:
    rig = VerifierRig()
    said = [one.body.stands for one in rig.stand(2.0) if isinstance(one, Document)]
    assert said and all(said)
    rig.approach_mug()
    said = [one.body.stands for one in rig.stand(2.0) if isinstance(one, Document)]
    assert said and not any(said), 'a goal is on its way'


def test_what_is_watched_is_said_before_what_may_be_answered() -> None:
    rig = VerifierRig(ready=False)
    said = rig.core.handle(rig.resolved(), rig.clock.now)
    kinds = [type(one) for one in said]
    assert kinds.index(WatchSurroundings) < kinds.index(Document)


def test_stop_is_answered_under_its_own_goal() -> None:
    rig = VerifierRig()
    stop(rig, 'goal-s-3')
    (answer,) = [one for one in rig.out if isinstance(one, Document)]
    assert answer.goal_id == 'goal-s-3' and answer.body == replace(
        answer.body, healthy=True, jump_m=0.0, stands=True)
