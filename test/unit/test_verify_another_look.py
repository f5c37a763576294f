"""A target that the last look does not show, where there is no other stand-off."""

import math
from dataclasses import replace
from typing import Any

import pytest
from builders import Block, Room, canonical
from verifier_rig import TABLE, VerifierRig

from semantic_nav.contracts.documents import Track
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.vocabulary import ActOutcome, Code
from semantic_nav.verify.effects import AskPath, SendNav, SendSpin

TARGET = (4.25, 3.0)


def in_an_alcove(**config: Any) -> tuple[VerifierRig, Track]:
    """Return a robot before a table at the end of a narrow way, whose look misses the mug."""
    sides = [Block((2.5, 8.0), (0.0, 2.6)), Block((2.5, 8.0), (3.4, 6.0))]
    rig = VerifierRig(Room(blocks=[TABLE, *sides]), **config)
    rig.approach_mug()
    arrive(rig)
    _, observation = rig.see(canonical('explore'))
    assert observation.track is not None and observation.track.sure
    return rig, observation.track


def arrive(rig: VerifierRig) -> None:
    """Let the robot get to where it was sent, and let it face what it is to face."""
    while rig.result is None:
        sent = rig.sent
        rig.drive(sent.goal if isinstance(sent, SendNav) else Pose2D(
            rig.pose.x, rig.pose.y, rig.pose.yaw + sent.angle_rad))
        rig.finish()
        rig.stand()
        if rig.moving:
            rig.accept()


@pytest.mark.parametrize('beside_m', [-0.25, 0.25])
def test_target_that_a_look_missed_is_looked_for_from_another_side(beside_m: float) -> None:
    """Nav2 stops beside a stand-off: another one near by may lie where the robot stands."""
    rig = VerifierRig()
    rig.approach_mug()
    goal = rig.sent.goal
    beside = Pose2D(goal.x, goal.y + beside_m, 0.0)
    rig.drive(replace(beside, yaw=beside.bearing_to(*TARGET)))
    rig.finish()
    rig.stand()
    _, observation = rig.see(canonical('explore'))
    assert observation.track is not None
    rig.act(track_id=observation.track.id)
    before, after = (math.atan2(one.y - TARGET[1], one.x - TARGET[0])
                     for one in (rig.pose, rig.asked.goal))
    assert abs(wrap_angle(after - before)) > rig.config.track_apart_rad


def test_target_is_looked_at_from_farther_off() -> None:
    rig, track = in_an_alcove()
    rig.act(track_id=track.id)
    goal = rig.asked.goal
    assert 1.1 <= goal.distance_to(*TARGET) <= 2.0
    assert abs(goal.bearing_to(*TARGET)) < 0.1
    rig.path()
    rig.accept()
    arrive(rig)
    assert rig.result is not None and rig.result.outcome is ActOutcome.LEG_DONE


def test_stand_off_is_gone_to_again_where_the_target_is_seen_from_there() -> None:
    rig, track = in_an_alcove()
    before = rig.pose
    rig.act(track_id=track.id)
    rig.path()
    rig.accept()
    arrive(rig)
    hypothesis_id, observation = rig.see_mug()
    assert observation.track is not None and observation.track.views == 2
    rig.act(hypothesis_id)
    assert rig.asked.goal.distance_to(before.x, before.y) < 0.4


def test_robot_turns_where_there_is_no_such_place_and_only_once() -> None:
    rig, track = in_an_alcove(leg_stand_off_m=1.1)
    rig.act(track_id=track.id)
    assert isinstance(rig.sent, SendSpin) and abs(rig.sent.angle_rad) == pytest.approx(0.35)
    rig.accept()
    arrive(rig)
    rig.act(track_id=track.id)
    assert rig.code is Code.UNREACHABLE


def test_target_that_no_look_at_a_stand_off_missed_is_not_looked_at_from_farther_off() -> None:
    rig = VerifierRig(Room(blocks=[Block((2.5, 8.0), (0.0, 6.0), (0.0, 0.75))]))
    _, observation = rig.see_mug()
    assert observation.track is not None
    rig.act(track_id=observation.track.id)
    assert rig.code is Code.UNREACHABLE


def test_target_that_is_seen_from_too_far_is_gone_nearer_to() -> None:
    """Nav2 stopped short: what shows the target is the way on, not a turn or another side."""
    rig = VerifierRig()
    rig.approach_mug()
    goal = rig.sent.goal
    short_m = 1.15 - goal.distance_to(*TARGET)
    rig.drive(Pose2D(goal.x - short_m, goal.y, 0.0))
    rig.finish()
    rig.stand()
    _, observation = rig.see_mug()
    assert observation.track is not None
    asked = rig.asked
    rig.act(track_id=observation.track.id)
    assert rig.asked is not asked
    assert 0.55 <= rig.asked.goal.distance_to(*TARGET) <= rig.pose.distance_to(*TARGET) - 0.1


def test_stand_off_on_the_side_of_the_sight_goes_before_a_nearer_one_round_the_target() -> None:
    mug = Block((4.3, 4.4), (2.95, 3.05), (0.75, 0.87))
    rig = VerifierRig(Room(blocks=[Block((3.6, 4.8), (2.6, 3.4), (0.0, 0.75))]))
    rig.try_(canonical('approach', seen='visible', target_box=rig.box(mug)),
             depth=rig.depth((mug,)))
    goal = rig.asked.goal
    assert 0.9 < goal.distance_to(4.35, 3.0) <= 1.15
    assert goal.x < 3.6 and abs(goal.y - 3.0) < 0.7


def test_target_in_a_corner_is_looked_at_after_a_turn_and_that_counts() -> None:
    """There is one stand-off: what shows the target is not sought from elsewhere for ever."""
    rig = in_an_alcove(leg_stand_off_m=1.1)[0]
    _, observation = rig.see_mug()
    assert observation.track is not None
    views = observation.track.views
    rig.act(track_id=observation.track.id)
    assert isinstance(rig.sent, SendSpin)
    assert rig.decision is not None and 'no other stand-off' in rig.decision.reason
    rig.accept()
    arrive(rig)
    for _ in range(2):
        _, observation = rig.see_mug()
        assert observation.track is not None and observation.track.views == views + 1


@pytest.mark.parametrize(('fence_from_m', 'effect'), [(1.0, SendSpin), (2.7, AskPath)])
def test_another_view_is_not_worth_a_long_way(fence_from_m: float, effect: type) -> None:
    """To the next stand-off the robot must drive round the end of a fence."""
    rig = VerifierRig(Room(blocks=[TABLE, Block((2.5, 8.0), (0.0, 2.6)),
                                   Block((fence_from_m, 4.2), (3.3, 3.4))]))
    rig.approach_mug()
    arrive(rig)
    _, observation = rig.see_mug()
    assert observation.track is not None
    rig.act(track_id=observation.track.id)
    assert any(isinstance(one, effect) for one in rig.out)


def test_going_nearer_that_did_not_help_is_not_tried_again() -> None:
    rig = VerifierRig()
    rig.approach_mug()
    goal = rig.sent.goal
    rig.drive(Pose2D(goal.x - 1.15 + goal.distance_to(*TARGET), goal.y, 0.0))
    rig.finish()
    rig.stand()
    for reason in ('nearer', 'to another stand-off'):
        _, observation = rig.see_mug()
        assert observation.track is not None
        rig.act(track_id=observation.track.id)
        rig.path()
        assert rig.decision is not None and rig.decision.reason.startswith(reason)
        rig.accept()
        rig.finish()
        rig.stand()
