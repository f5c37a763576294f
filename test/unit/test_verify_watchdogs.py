"""What must be known to begin a drive must be known all the way."""

import pytest
from verifier_rig import VerifierRig

from semantic_nav.contracts.vocabulary import ActOutcome, Code
from semantic_nav.verify.events import CancelNav, CostmapMissing, PoseMissing, SendBackUp


def driving(**config: object) -> VerifierRig:
    rig = VerifierRig(**config)
    rig.approach_mug()
    return rig


def told(rig: VerifierRig) -> None:
    """Let Nav2 end the cancelled goal, and the robot stand as far as anybody knows."""
    rig.finish('canceled')
    for _ in range(30):
        if rig.result is not None:
            return
        rig.tick()


def test_drive_is_cancelled_when_the_pose_gets_old() -> None:
    rig = driving(pose_max_age_s=1.0)
    goal_id = rig.sent_id
    rig.tick(0.9)
    assert rig.cancelled == []
    rig.hear(PoseMissing('TF is silent'))
    rig.tick(0.2)
    assert rig.cancelled == [goal_id]
    told(rig)
    assert rig.result is not None
    assert (rig.result.outcome, rig.result.code) == (
        ActOutcome.UNAVAILABLE, Code.POSE_UNAVAILABLE)
    assert rig.result.reason == 'stopped on the way: the pose is 1.1 s old: TF is silent'


def test_drive_is_cancelled_when_the_costmap_gets_old() -> None:
    rig = driving(costmap_max_age_s=5.0)
    goal_id = rig.sent_id
    rig.stand(4.0)
    assert not [one for one in rig.out if isinstance(one, CancelNav)]
    rig.hear(CostmapMissing('it has no cells'))
    followed = rig.stand(1.4)
    assert CancelNav(goal_id) in followed
    rig.finish('canceled')
    rig.stand(1.0)
    (result,) = [one.body.result for one in rig.documents[-3:]
                 if getattr(one.body, 'result', None) is not None]
    assert (result.outcome, result.code) == (ActOutcome.UNAVAILABLE, Code.MAP_UNAVAILABLE)
    assert 'costmap' in result.reason and 'it has no cells' in result.reason


@pytest.mark.parametrize('live', [False, True])
def test_drive_is_cancelled_when_a_live_map_gets_old(live: bool) -> None:
    rig = driving(map_is_live=live, map_max_age_s=3.0)
    for _ in range(4):
        rig.drive(rig.pose, 1.0)
    cancelled = [one for one in rig.effects if isinstance(one, CancelNav)]
    assert bool(cancelled) is live


def test_goal_that_ends_although_nobody_hears_it_is_told_with_the_code() -> None:
    rig = driving(cancel_max_s=2.0)
    rig.tick(1.1)
    assert rig.cancelled
    rig.tick(2.1)
    for _ in range(30):
        if rig.result is not None:
            break
        rig.tick()
    assert rig.result is not None and rig.result.code is Code.POSE_UNAVAILABLE
    assert 'did not end the goal' in rig.result.reason


def test_drive_that_somebody_cancels_has_no_code() -> None:
    rig = driving()
    rig.stop()
    rig.finish('canceled')
    rig.stand()
    (result,) = [one.body.result for one in rig.documents
                 if getattr(one.body, 'result', None) is not None]
    assert (result.outcome, result.code) == (ActOutcome.CANCELLED, None)


def test_nothing_is_held_against_the_goal_of_a_drive_that_was_cut_short() -> None:
    rig = driving()
    goal = rig.sent.goal
    rig.tick(1.1)
    told(rig)
    rig.drive(rig.pose)
    rig.stand()
    rig.approach_mug()
    assert rig.sent.goal == goal


def test_way_back_is_cut_short_too() -> None:
    rig = driving(stuck_s=2.0)
    rig.drive(type(rig.pose)(2.6, 3.0, 0.0))
    rig.finish('aborted', 105)
    for _ in range(30):
        rig.drive(rig.pose, 0.25)
        if isinstance(rig.sent, SendBackUp):
            break
    assert isinstance(rig.sent, SendBackUp)
    rig.tick(1.1)
    assert rig.cancelled == [rig.sent_id]
