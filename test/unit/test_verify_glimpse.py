"""A target seen once, from afar: it is looked at again before the robot goes to it."""

import math
from dataclasses import replace

import pytest
from builders import canonical
from verifier_rig import MUG, TABLE, Block, Room, VerifierRig

from semantic_nav.contracts.documents import Observation
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.vocabulary import ActOutcome
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.effects import SendSpin
from semantic_nav.verify.planning.exploring import _search

USUAL_M = VerifierConfig().glimpse_m
FAR = Pose2D(0.6, 3.0, 0.1)


def rig_of(*beside: Block, glimpse_m: float = USUAL_M, footprint: str = '') -> VerifierRig:
    """Return a verifier far from the mug."""
    return VerifierRig(Room(blocks=[TABLE, *beside]), FAR, glimpse_m=glimpse_m,
                       footprint=footprint)


def glimpsed(*beside: Block, glimpse_m: float = USUAL_M, footprint: str = '') -> VerifierRig:
    """Return a verifier that has seen the mug once, and is to go to it."""
    rig = rig_of(*beside, glimpse_m=glimpse_m, footprint=footprint)
    rig.act(rig.see_mug()[0])
    return rig


def turns(rig: VerifierRig) -> bool:
    """Tell whether the act in hand is a turn."""
    return isinstance(rig.effects[-1], SendSpin)


def turned(rig: VerifierRig) -> None:
    """Let the robot turn as it was told to."""
    assert isinstance(rig.sent, SendSpin)
    rig.drive(Pose2D(rig.pose.x, rig.pose.y, rig.pose.yaw + rig.sent.angle_rad))
    rig.accept()
    rig.finish()
    rig.stand()
    assert rig.result is not None and rig.result.outcome is ActOutcome.LEG_DONE


def miss(rig: VerifierRig) -> Observation:
    """Look without seeing it."""
    observation: Observation = rig.see(canonical('explore'))[1]
    return observation


def test_target_that_was_seen_once_from_afar_comes_to_the_other_half_of_the_picture() -> None:
    rig = glimpsed()
    before_rad = FAR.bearing_to(4.25, 3.0)
    turned(rig)
    after_rad = rig.pose.bearing_to(4.25, 3.0)
    assert before_rad * after_rad < 0 and abs(after_rad) == pytest.approx(0.3, abs=0.02)


def test_what_was_looked_at_from_near_by_is_no_glimpse() -> None:
    rig = VerifierRig(Room(blocks=[TABLE]), Pose2D(2.6, 3.0, 0.0), glimpse_m=USUAL_M)
    rig.see_mug()
    for y in (3.0, 2.2, 3.8):
        rig.drive(Pose2D(2.7, y, math.atan2(3.0 - y, 4.25 - 2.7)))
        rig.stand()
        track = miss(rig).track
    assert track is None and rig.core._findings.glimpsed == ()


def test_target_that_shows_again_is_gone_to() -> None:
    rig = glimpsed()
    turned(rig)
    rig.act(rig.see_mug()[0])
    assert not turns(rig) and rig.asked.goal.distance_to(4.25, 3.0) < 2.5


def test_target_that_does_not_show_again_was_none() -> None:
    rig = glimpsed()
    turned(rig)
    assert miss(rig).track is None


def test_place_of_a_target_that_did_not_show_again_is_worth_a_look_from_nearer() -> None:
    """Of things that are there, poor eyes see every other one from afar."""
    rig = glimpsed()
    turned(rig)
    likely = miss(rig).p_here
    findings = rig.core._findings
    (place,) = findings.glimpsed
    assert math.dist(place, (4.25, 3.0)) < 0.2 and place in findings.sighted
    unseen = rig_of()
    miss(unseen)
    turned_away = miss(unseen).p_here
    assert likely is not None and turned_away is not None and likely > turned_away
    moved_m = 0.5
    proposal = next(iter(findings.proposals.values()))
    assert place in _search(proposal, rig.core._situation(rig.clock.now)).unsettled
    there = findings.displaced(Transform.from_pose(Pose2D(moved_m, 0.0, 0.0)))
    assert there.glimpsed == (pytest.approx((place[0] + moved_m, place[1])),)


def test_target_that_was_seen_twice_is_not_given_up_for_one_miss() -> None:
    rig = glimpsed()
    turned(rig)
    rig.see_mug()
    assert miss(rig).track is not None


def test_target_that_did_not_show_is_looked_for_before_all_else() -> None:
    """The stand-off may have had no sight of it, or the eyes have missed it."""
    rig = glimpsed()
    turned(rig)
    rig.see_mug()
    hypothesis, observation = rig.see(canonical('explore'))
    assert observation.track is not None
    rig.act(hypothesis)
    assert not turns(rig)
    goal = rig.asked.goal
    assert goal.distance_to(4.25, 3.0) < FAR.distance_to(4.25, 3.0) - 0.5
    assert abs(goal.bearing_to(4.25, 3.0)) < 0.3


def test_target_that_is_near_is_gone_to_at_once() -> None:
    rig = glimpsed(glimpse_m=math.dist((FAR.x, FAR.y), (4.25, 3.0)) + 0.1)
    assert rig.asked.goal.distance_to(4.25, 3.0) < 2.5


@pytest.mark.parametrize('beside', [(), (Block((1.3, 1.9), (2.5, 2.7), (0.0, 0.3)),)],
                         ids=['room', 'none'])
def test_robot_turns_only_where_it_has_room(beside: tuple[Block, ...]) -> None:
    rig = glimpsed(*beside, footprint='[[1.2, 0.2], [1.2, -0.2], [-0.2, -0.2], [-0.2, 0.2]]')
    assert turns(rig) is not bool(beside)


def test_target_that_is_tracked_is_looked_at_again_too() -> None:
    """As where the model proposes to explore although it draws a box."""
    rig = rig_of()
    _, observation = rig.see_mug()
    rig.act(track_id=observation.track.id)
    assert turns(rig)


def test_robot_that_has_driven_on_since_goes_to_it_at_once() -> None:
    rig = rig_of()
    hypothesis_id, _ = rig.see_mug()
    rig.drive(Pose2D(FAR.x + 0.5, FAR.y, 0.1))
    rig.stand()
    rig.act(hypothesis_id)
    assert not turns(rig)


def test_miss_from_elsewhere_is_one_of_several() -> None:
    rig = rig_of()
    rig.see_mug()
    rig.drive(Pose2D(FAR.x + 1.0, FAR.y, 0.1))
    rig.stand()
    assert miss(rig).track is not None


def test_target_seen_from_several_places_is_none_seen_once() -> None:
    """After a box that does not agree the row of sightings begins anew, the views stay."""
    rig = rig_of()
    for x in (0.6, 1.7):
        rig.drive(Pose2D(x, 3.0, 0.1))
        rig.stand()
        hypothesis_id, observation = rig.see_mug()
    track = rig.core._findings.track
    assert track is not None and track.is_founded and observation.track.views == 2
    rig.core._findings = replace(rig.core._findings, track=replace(track, hits=1))
    rig.act(hypothesis_id)
    assert not turns(rig)
    assert miss(rig).track is not None


def test_model_that_sees_it_here_and_there_is_followed_where_it_sees_it_again() -> None:
    """What gave way to a sighting elsewhere is held, and confirmed by the third picture."""
    rig, made = rig_of(), 0
    for number in range(8):
        block = Block((3.6, 3.7), (2.0, 2.1), (0.5, 0.6)) if number % 2 else MUG
        rig.act(rig.see(canonical('approach', seen='visible', target_box=rig.box(block)),
                        depth=rig.depth((block,)))[0])
        if not turns(rig):
            break
        made += 1
        turned(rig)
        rig.drive(FAR)
        rig.stand()
    assert made == 2


def test_camera_that_looks_aside_has_the_target_beside_its_middle() -> None:
    rig = rig_of()
    rig.base_T_camera = Transform.from_pose(Pose2D(0.0, 0.0, 0.4)) @ rig.base_T_camera
    rig.drive(Pose2D(FAR.x, FAR.y, FAR.yaw - 0.4))
    rig.stand()
    rig.act(rig.see_mug()[0])
    turned(rig)
    assert abs(rig.pose.bearing_to(4.25, 3.0) - 0.4) == pytest.approx(0.3, abs=0.02)


def test_target_without_depth_is_seen_from_elsewhere_instead() -> None:
    rig = rig_of()
    rig.scanned = True
    rig.act(rig.see_mug()[0])
    assert not turns(rig)
