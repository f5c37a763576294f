"""What the verifier wants watched and when; both shells obey it."""

from dataclasses import replace

from verifier_rig import VerifierRig

from semantic_nav.contracts.core import Report, Ticking
from semantic_nav.contracts.documents import Belief, Budgets, Document, RobotPose
from semantic_nav.contracts.vocabulary import Outcome, Phase, Status
from semantic_nav.verify.core import VerifierCore
from semantic_nav.verify.effects import WatchSurroundings
from semantic_nav.verify.events import Deactivating, PoseMissing

IDLE = WatchSurroundings(depth=False, costmap=False, pose_period_s=1.0, pose_kept_back_s=0.0)
ALERT = WatchSurroundings(depth=False, costmap=False, pose_period_s=0.2)
RESTING = replace(IDLE, pose_kept_back_s=60.0)
LOST = replace(ALERT, pose_kept_back_s=60.0)
WATCHFUL = WatchSurroundings(depth=True, costmap=True, pose_period_s=0.2)
FINISHED = Belief('find the mug', Status.VISIBLE, Phase.FINISHED, Outcome.CANCELLED, '', (), '',
                  '', '', Budgets(1.0, 900.0, 1, 120, 0.0, 300.0, 0, 20))


def test_little_is_watched_without_a_goal_and_everything_with_one() -> None:
    rig = VerifierRig(ready=False)
    assert WatchSurroundings() == IDLE, 'as shells begin'
    rig.hear_maps()
    assert rig.watched == LOST
    rig.hear_pose()
    assert rig.watched == ALERT, 'a robot that may move is watched until it stands'
    rig.stand(0.8)
    assert rig.watched == RESTING
    rig.begin()
    assert rig.watched == WATCHFUL
    rig.say(FINISHED)
    assert rig.watched == RESTING
    rig.begin('goal-s-2')
    assert rig.watched == WATCHFUL
    rig.hear(Deactivating())
    assert rig.watched == RESTING


def test_poses_of_a_robot_that_rests_are_not_needed() -> None:
    rig = VerifierRig(ready=False)
    rig.hear_pose()
    rig.stand()
    assert rig.watched == RESTING
    rig.begin()
    assert rig.watched == WATCHFUL
    rig.say(FINISHED)
    assert rig.watched == RESTING
    rig.drive(replace(rig.pose, x=rig.pose.x + 0.5))
    assert rig.watched == IDLE, 'somebody drives it'
    rig.stand()
    assert rig.watched == RESTING


def test_poses_are_needed_until_the_robot_is_seen_to_stand_after_a_drive() -> None:
    rig = VerifierRig()
    rig.approach_mug()
    rig.stop()
    rig.finish('canceled')
    rig.say(FINISHED)
    assert rig.watched == ALERT
    rig.stand()
    assert rig.watched == RESTING


def test_a_robot_that_is_nowhere_is_waited_for_only_after_a_stop() -> None:
    rig = VerifierRig(ready=False)
    rig.hear(PoseMissing('no TF'))
    assert rig.watched == LOST
    rig.stop(goal='')
    assert rig.watched == ALERT
    rig.clock.advance(9.9)
    rig.hear(PoseMissing('no TF'))
    assert rig.watched == ALERT
    rig.clock.advance(0.2)
    rig.hear(PoseMissing('no TF'))
    assert rig.watched == LOST


def test_a_robot_that_rests_is_looked_at_again_when_a_stop_asks_for_it() -> None:
    rig = VerifierRig(ready=False)
    rig.hear_pose()
    rig.stand()
    rig.clock.advance(30.0)
    rig.stop(goal='')
    assert rig.watched == ALERT, 'the pose is old'
    rig.clock.advance(0.2)
    said = rig.hear_pose()
    assert [one.body.stands for one in said if isinstance(one, Document)
            and isinstance(one.body, RobotPose)][-1]
    assert rig.watched == RESTING


def test_belief_alone_begins_a_goal_and_one_refused_at_once_does_not() -> None:
    """The first step may be a long time in coming, or may have been lost."""
    rig = VerifierRig(ready=False)
    rig.say(replace(FINISHED, phase=Phase.LOOKING, outcome=None))
    assert rig.watched == WATCHFUL
    rig.say(replace(FINISHED, outcome=Outcome.REFUSED), goal='goal-s-2')
    assert rig.watched == WATCHFUL


def test_verifier_that_becomes_active_again_takes_the_mission_up() -> None:
    """The belief is latched: it is heard again, and so is the next act."""
    rig = VerifierRig()
    rig.hear(Deactivating())
    rig.say(replace(FINISHED, phase=Phase.LOOKING, outcome=None))
    assert rig.watched == WATCHFUL
    rig.stand()
    hypothesis_id, observation = rig.see_mug()
    assert observation.track is not None
    rig.act(hypothesis_id)
    assert rig.asked


def test_ticks_are_wanted_while_an_act_is_under_way() -> None:
    rig = VerifierRig()
    assert rig.ticking is False
    rig.approach_mug()
    assert rig.ticking is True
    rig.finish()
    assert rig.ticking is True, 'until the robot stands'
    rig.stand()
    assert rig.ticking is False


def test_what_holds_is_said_once() -> None:
    rig = VerifierRig(ready=False)
    core = VerifierCore(rig.config, 's')
    said = core.handle(PoseMissing('no TF'), rig.clock.now)
    assert [type(one) for one in said] == [WatchSurroundings, Ticking, Report, Report]
    assert core.handle(PoseMissing('no TF'), rig.clock.now) == []


def test_what_is_dropped_is_reported() -> None:
    rig = VerifierRig()
    rig.begin('goal-s-2')
    before = rig.dropped
    rig.look(freeze=False, goal='goal-s-1')
    rig.stop(goal='goal-s-1')
    rig.finish(nav_goal_id='ab' * 16)
    assert rig.dropped == before + 3
