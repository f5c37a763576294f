"""A robot without a depth camera: bearings, scans and the map tell where things are."""

import math

import numpy as np
import pytest
from builders import CAMERA, Block, Room, base_T_CAMERA, box_of, canonical, look_request
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples
from verifier_rig import MUG, START, VerifierRig

from semantic_nav.contracts.documents import (
    Document,
    Observation,
    RejectedTarget,
    Step,
    Verdict,
)
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.vocabulary import ActOutcome, StepKind
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.effects import SendNav
from semantic_nav.verify.grounding.bearings import ground_ray, ray_of
from semantic_nav.verify.grounding.ray import Ray

CONFIG = VerifierConfig()
EXPLORE = canonical('explore')
TRUE = (4.25, 3.0, 0.81)
#: In the room there is a crate on the floor, which the scanner sees.
CRATE = Block((4.0, 4.3), (2.85, 3.15), (0.0, 0.3))
#: Poses before the table, from which the mug is seen under other angles.
ASIDE = (Pose2D(2.3, 1.6, 0.62), Pose2D(2.6, 4.4, -0.7), Pose2D(3.1, 3.0, 0.0))


def rig_without_depth(room: Room | None = None, pose: Pose2D = START) -> VerifierRig:
    rig = VerifierRig(room, pose)
    rig.scanned = True
    return rig


def see(rig: VerifierRig, pose: Pose2D, block: Block = MUG) -> Observation:
    rig.drive(pose)
    rig.stand()
    return rig.see(canonical('approach', seen='visible', target_box=rig.box(block)))[1]


def outcome_of(rig: VerifierRig, hypothesis_id: str) -> ActOutcome:
    """Let the robot do what an act leads to."""
    rig.act(hypothesis_id)
    rig.path()
    rig.accept()
    assert isinstance(rig.sent, SendNav)
    rig.drive(rig.sent.goal)
    rig.finish()
    said = list(rig.out)
    said += rig.stand()
    (result,) = (one.body.result for one in said if isinstance(one, Document)
                 and isinstance(one.body, Verdict) and one.body.result is not None)
    return result.outcome


def off_m(place: tuple[float, float, float], true: tuple[float, float, float] = TRUE) -> float:
    return math.dist(place, true)


def test_one_look_tells_the_direction_and_not_how_far() -> None:
    rig = rig_without_depth()
    observation = see(rig, START)
    (target,) = observation.objects
    assert target.provisional and target.unclear
    assert observation.track is not None and not observation.track.sure
    assert observation.track.views == 0, 'no look that arrives'
    x, y, z = target.position
    assert abs(y - 3.0) < 0.02, 'straight ahead'
    error = np.subtract(target.position, TRUE)
    covariance = np.array(target.covariance).reshape(3, 3)
    assert error @ np.linalg.solve(covariance, error) < 7.8
    assert covariance[0, 0] > 0.5**2 and covariance[1, 1] < 0.1**2


def test_looks_from_elsewhere_tell_where_it_is() -> None:
    rig = rig_without_depth()
    see(rig, START)
    for pose in ASIDE:
        observation = see(rig, pose)
    track = observation.track
    assert track is not None and track.sure and track.hits == 4
    assert track.views == 3, 'all of them are views of one thing now; any two meet'
    assert off_m(track.position) < 0.08
    (target,) = observation.objects
    assert not target.unclear and off_m(target.position) < 0.08
    assert target.distance_m == pytest.approx(1.07, abs=0.1)


def test_two_bearings_meet_but_only_a_third_makes_them_sure() -> None:
    rig = rig_without_depth()
    for pose, unclear in zip(ASIDE, (True, True, False), strict=True):
        (target,) = see(rig, pose).objects
        assert target.unclear is unclear
        if pose == ASIDE[1]:
            deviation = np.linalg.eigvalsh(np.reshape(target.covariance, (3, 3)))[-1]**0.5
            assert deviation < 0.15, 'they meet at a sharp point'


def test_what_stands_on_the_floor_where_the_scanner_meets_it_is_there() -> None:
    rig = rig_without_depth(Room(blocks=[CRATE]), Pose2D(1.0, 3.0, 0.0))
    (target,) = see(rig, rig.pose, CRATE).objects
    assert not target.unclear and not target.provisional
    assert off_m(target.position, (4.05, 3.0, 0.15)) < 0.15


def test_turning_on_the_spot_makes_nothing_surer() -> None:
    rig = rig_without_depth()
    first = see(rig, START).objects[0]
    again = see(rig, Pose2D(START.x, START.y, 0.2)).objects[0]
    assert again.unclear and np.trace(np.reshape(again.covariance, (3, 3))) == pytest.approx(
        np.trace(np.reshape(first.covariance, (3, 3))), rel=0.1)
    assert rig.documents[-1].body.track.hits == 2, 'but it is the same thing'


def test_something_else_in_another_direction_is_not_the_target() -> None:
    rig = rig_without_depth()
    track = see(rig, START).track
    other = Block((4.2, 4.3), (1.45, 1.55), (0.75, 0.87))
    elsewhere = see(rig, START, other).track
    assert track is not None and elsewhere is not None and elsewhere.id != track.id


def test_vague_target_is_gone_to_in_legs() -> None:
    rig = rig_without_depth()
    hypothesis_id, _ = rig.see_mug()
    assert outcome_of(rig, hypothesis_id) is ActOutcome.LEG_DONE


def test_leg_leads_aside_and_keeps_the_target_in_the_picture_wherever_it_is_on_its_line() -> None:
    rig = rig_without_depth(pose=Pose2D(1.0, 3.0, 0.0))
    hypothesis_id, observation = rig.see_mug()
    rig.act(hypothesis_id)
    (target,), goal = observation.objects, rig.asked.goal
    x, y, _ = target.position
    assert abs(math.atan2(goal.y - y, x - goal.x)) > 0.1
    deviation_m = math.sqrt(target.covariance[0])
    for off_m in (-2.0 * deviation_m, 2.0 * deviation_m):
        assert abs(goal.bearing_to(x + off_m, y)) < math.atan2(80, 120)


def test_near_by_it_is_not_said_to_be_reached_before_it_is_known_how_far_it_is() -> None:
    """Also from within the leg distance of where it seems to be."""
    rig = rig_without_depth(pose=Pose2D(2.9, 3.0, 0.0))
    hypothesis_id, observation = rig.see_mug()
    assert observation.track is not None and not observation.track.sure
    assert outcome_of(rig, hypothesis_id) is ActOutcome.LEG_DONE


def test_look_that_does_not_show_a_sure_target_counts_where_nothing_is_met_before_it() -> None:
    for passer, misses in (((), 1), ((Block((3.6, 3.8), (2.8, 3.2), (0.0, 1.7)),), 0)):
        room = Room(blocks=[])
        rig = rig_without_depth(room)
        lamp = Block((4.2, 4.3), (2.95, 3.05), (0.75, 0.87))
        for pose in (START, *ASIDE):
            see(rig, pose, lamp)
        assert rig.documents[-1].body.track.sure
        rig.passers = passer
        rig.see(canonical('explore', seen='not_visible'))
        track = rig.core._findings.track
        assert track is not None and len(track.missed_from) == misses


def test_what_was_rejected_is_known_again_by_its_bearing() -> None:
    rig = rig_without_depth()
    for pose in (START, *ASIDE):
        track = see(rig, pose).track
    assert track is not None
    rig.say(Step(StepKind.LOOK, 'find the mug', look=look_request(),
                 rejected=(RejectedTarget(track.id, track.position),)))
    again = see(rig, ASIDE[-1])
    assert again.track is None, 'no new track is made of it'


def test_target_stays_where_it_is_beside_the_robot_when_the_localisation_jumps() -> None:
    rig = rig_without_depth()
    for pose in (START, *ASIDE):
        see(rig, pose)
    jump = Transform.from_pose(Pose2D(0.6, -0.3, 0.3))
    before = rig.pose
    rig.map_T_odom = jump
    rig.hear_pose((jump @ Transform.from_pose(before)).pose())
    track = rig.core._findings.track
    assert track is not None
    np.testing.assert_allclose(track.position, jump.apply(np.array(TRUE)), atol=0.08)
    for ray in track.rays:
        towards = np.subtract(track.position, ray.eye)
        assert np.dot(towards / np.linalg.norm(towards), ray.towards) > 0.998


# What a look showed

def looked(rig: VerifierRig, x: float, y: float) -> bool:
    coverage = rig.core._findings.coverage
    assert coverage is not None
    row, column = rig.map.cell_of(x, y)
    return bool(coverage.in_range.looked[row, column])


def test_floor_is_looked_at_up_to_what_scanner_or_map_meet_first() -> None:
    rig = rig_without_depth(pose=Pose2D(1.5, 3.0, 0.0))
    rig.see(EXPLORE)
    assert looked(rig, 3.8, 3.0) and looked(rig, 4.02, 3.0)
    assert not looked(rig, 4.4, 3.0), 'behind the edge of the table'
    assert not looked(rig, 3.0, 3.0), 'below the picture'
    assert not looked(rig, 0.8, 3.0), 'behind the robot'


def test_whoever_stands_before_the_robot_hides_the_floor_behind() -> None:
    rig = rig_without_depth(Room())
    rig.passers = (Block((2.6, 2.9), (2.7, 3.3), (0.0, 1.7)),)
    for _ in range(3):
        rig.see(EXPLORE)
    assert not looked(rig, 4.2, 3.0)
    rig.passers = ()
    rig.see(EXPLORE)
    assert looked(rig, 4.2, 3.0)


# Bearings

def eye_at(x: float, y: float, target: tuple[float, float, float]) -> Transform:
    yaw = math.atan2(target[1] - y, target[0] - x)
    return Transform.from_pose(Pose2D(x, y, yaw)) @ base_T_CAMERA


@settings(max_examples=examples(100))
@given(st.floats(2.5, 4.0), st.sampled_from([-1, 1]), st.floats(0.7, 1.2), st.floats(0.7, 1.1),
       st.floats(0.3, 10.0))
def test_rays_from_several_places_meet_where_the_thing_is(
        away: float, side: int, aside: float, height: float, met_m: float) -> None:
    """Whatever scanner and map say of how far off it is."""
    target = (away, 0.0, height)
    thing = Block((away - 0.05, away + 0.05), (-0.05, 0.05), (height - 0.05, height + 0.05))
    rays: tuple[Ray, ...] = ()
    for x, y in ((0.0, 0.0), (0.6, side * aside), (away - 1.5, -side * aside)):
        map_T_camera = eye_at(x, y, target)
        box = box_of(map_T_camera, CAMERA, thing)
        place = ground_ray(box, ray_of(box, CAMERA, map_T_camera, met_m, CONFIG), (rays,), CAMERA,
                           CONFIG)
        rays = place.rays
    assert len(rays) == 3
    error = np.subtract(place.position, target)
    covariance = np.array(place.covariance).reshape(3, 3)
    assert error @ np.linalg.solve(covariance, error) < 7.8
    assert np.linalg.norm(error) < 0.25
