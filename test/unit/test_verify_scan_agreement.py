"""Scans that contradict the map are the witness of a lost robot; what is new in a home is not."""

import math

import numpy as np
import pytest
from builders import canonical
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies import examples
from verifier_rig import VerifierRig

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import LETHAL, OccupancyGrid
from semantic_nav.contracts.vocabulary import Code, Level
from semantic_nav.verify.effects import CancelNav, RefineLocalisation
from semantic_nav.verify.events import ScanTaken, UncertaintyHeard
from semantic_nav.verify.floor.scan_agreement import (
    PLACES,
    ScanAgreement,
    contradiction,
    scan_report,
)

RESOLUTION_M = 0.05
IDENTITY = Transform.identity()
RIGHT = Pose2D(0.0, 0.0, 0.0)
BEARINGS = np.linspace(-math.pi, math.pi, 90, endpoint=False)


def home(*things: tuple[float, float, float, float]) -> OccupancyGrid:
    """Return two rooms of 4 by 4 and 3 by 4 m with a door between, and things in them."""
    cells = np.zeros((80, 144), np.int8)
    for x0, y0, x1, y1 in ((0, 0, 7.2, 0.1), (0, 3.9, 7.2, 4), (0, 0, 0.1, 4), (7.1, 0, 7.2, 4),
                           (4, 0, 4.1, 1.4), (4, 2.4, 4.1, 4), *things):
        rows, columns = (slice(round(low / RESOLUTION_M), round(high / RESOLUTION_M))
                         for low, high in ((y0, y1), (x0, x1)))
        cells[rows, columns] = LETHAL
    return OccupancyGrid(cells, RESOLUTION_M, 0.0, 0.0, 'map', 0)


CUPBOARD, TABLE = (0.1, 3.4, 1.2, 3.9), (5.2, 0.1, 6.2, 0.7)
MAP = home(CUPBOARD, TABLE)


def scan(grid: OccupancyGrid, x: float, y: float) -> ScanTaken:
    """Return what a scanner meets in a home, odometry and map being one."""
    steps = np.arange(1, 200) * RESOLUTION_M / 2
    across: NDArray[np.float64] = x + np.cos(BEARINGS)[:, None] * steps
    along = y + np.sin(BEARINGS)[:, None] * steps
    met = grid.values_at(across.ravel(), along.ravel()).reshape(across.shape) >= LETHAL
    first = met.argmax(axis=1)
    rays = np.arange(len(first))[met.any(axis=1)]
    return ScanTaken((x, y), tuple(zip(
        across[rays, first[rays]].tolist(), along[rays, first[rays]].tolist(), strict=True)))


def taken_off(grid: OccupancyGrid, x: float, y: float, by: Pose2D) -> ScanTaken:
    """Return what a scanner meets that is not at a place by its odometry, but off by so much."""
    true = scan(grid, x - by.x, y - by.y)
    return ScanTaken((x, y), tuple((end_x + by.x, end_y + by.y) for end_x, end_y in true.ends))


#: From one room through the door into the other.
WAY = [(0.8 + 0.45 * number, 1.9) for number in range(PLACES)]


def driven(grid: OccupancyGrid, off: Pose2D = RIGHT, *, before: ScanAgreement | None = None,
           way: list[tuple[float, float]] = WAY) -> ScanAgreement:
    """Return what the scans of a way through a home say of a robot that is off."""
    agreement = before or ScanAgreement()
    for x, y in way:
        agreement = agreement.after(scan(grid, x, y), Transform.from_pose(off), MAP)
    return agreement


def test_robot_in_its_place_agrees() -> None:
    agreement = driven(MAP)
    assert agreement.agrees and not agreement.words
    report = scan_report(agreement)
    assert report is not None and report.level is Level.OK


@given(st.floats(-math.pi, math.pi), st.floats(0.0, 0.2), st.floats(-0.167, 0.167))
@settings(max_examples=examples(40), deadline=None)
def test_errors_of_a_healthy_amcl_are_no_contradiction(bearing: float, far_m: float,
                                                       turn: float) -> None:
    # Turned about where the robot is, not about the corner of the map.
    x, y = WAY[-1]
    off = Transform.from_pose(Pose2D(
        x + far_m * math.cos(bearing), y + far_m * math.sin(bearing), turn)) @ (
        Transform((-x, -y, 0.0), (0.0, 0.0, 0.0, 1.0)))
    assert not driven(MAP, off.pose()).words


@given(st.lists(st.tuples(st.floats(0.3, 6.5), st.floats(0.3, 3.4), st.floats(0.1, 0.6)),
                max_size=6))
@settings(max_examples=examples(40), deadline=None)
def test_what_is_new_in_a_home_is_no_contradiction(
        crates: list[tuple[float, float, float]]) -> None:
    there = home(CUPBOARD, TABLE, *((x, y, x + size, y + size) for x, y, size in crates))
    assert not driven(there).words


def test_what_has_gone_from_a_home_is_no_contradiction() -> None:
    assert not driven(home()).words
    mapped, gone = home((1.5, 0.6, 3.5, 1.2)), home()
    assert all(contradiction(scan(gone, x, y), IDENTITY, mapped)[1] == 0 for x, y in WAY)


@pytest.mark.parametrize('off', [
    Pose2D(1.0, 0.0, 0.0), Pose2D(0.0, 1.0, 0.0), Pose2D(-0.7, 0.7, 0.0),
    Pose2D(3.0, 0.0, 1.57), Pose2D(0.0, 0.0, 0.35)], ids=str)
def test_lost_robot_contradicts(off: Pose2D) -> None:
    agreement = driven(MAP, off)
    assert '2D Pose Estimate' in agreement.words
    report = scan_report(agreement)
    assert report is not None and report.level is Level.WARN


def test_few_places_say_nothing() -> None:
    lost = Pose2D(0.0, 1.0, 0.0)
    assert driven(MAP, lost, way=WAY[:-1]).share is None
    still = driven(MAP, lost, way=[WAY[0]] * 3 * PLACES)
    assert still.share is None and not still.words
    assert scan_report(ScanAgreement()) is None


def test_carried_robot_contradicts_after_some_places() -> None:
    """Of what it scanned before, its odometry tells the wrong place."""
    agreement = driven(MAP)
    for x, y in WAY[:PLACES // 2]:
        agreement = agreement.after(taken_off(MAP, x, y, Pose2D(-1.5, 0.0, 0.0)), IDENTITY, MAP)
    assert agreement.words


def test_pose_that_is_given_from_far_off_is_judged_by_new_places_alone() -> None:
    agreement = driven(MAP, Pose2D(1.0, 0.0, 0.0)).corrected(IDENTITY, MAP)
    assert agreement == ScanAgreement()


def test_pose_that_is_given_from_near_is_judged_at_once() -> None:
    agreement = driven(MAP, Pose2D(0.4, 0.0, 0.0))
    before = agreement.share
    after = agreement.corrected(IDENTITY, MAP)
    assert before is not None and after.share is not None
    assert after.share < before and after.agrees


def test_robot_that_stands_can_clear_itself() -> None:
    off = Pose2D(0.0, 1.0, 0.0)
    agreement = driven(MAP, off)
    assert agreement.words
    # It is put where it believed to be, so neither odometry nor localisation tell anything.
    put = taken_off(MAP, *WAY[-1], Pose2D(0.0, -1.0, 0.0))
    assert not agreement.after(put, Transform.from_pose(off), MAP).words


def test_scan_without_rays_or_beyond_the_map_tells_nothing() -> None:
    assert contradiction(ScanTaken((1.0, 1.0), ()), IDENTITY, MAP) == (0, 0)
    away = Transform.from_pose(Pose2D(500.0, 0.0, 0.0))
    assert contradiction(scan(MAP, 1.0, 1.0), away, MAP) == (0, 0)
    assert driven(MAP, Pose2D(500.0, 0.0, 0.0)).share is None


@given(st.floats(-math.pi, math.pi), st.floats(-50.0, 50.0), st.floats(-50.0, 50.0))
@settings(max_examples=examples(40), deadline=None)
def test_frame_of_the_odometry_does_not_matter(yaw: float, x: float, y: float) -> None:
    odom_T_map = Transform.from_pose(Pose2D(x, y, yaw))
    one = scan(MAP, 2.0, 1.9)
    points = odom_T_map.apply(np.array([(*point, 0.0) for point in (one.at, *one.ends)]))
    (at_x, at_y, _), *ends = points.tolist()
    moved = ScanTaken((at_x, at_y), tuple((a, b) for a, b, _ in ends))
    towards, against = contradiction(moved, odom_T_map.inverse(), MAP)
    assert towards >= 80 and against == 0


# The core

#: Along the wall of the rig's room.
ALONG = [(1.0 + 0.4 * number, 1.0) for number in range(PLACES)]
#: Where the robot is not, by as much.
ASTRAY, IN_PLACE = Pose2D(0.0, -1.5, 0.0), RIGHT


def scans_of(rig: VerifierRig, by: Pose2D, places: int = PLACES) -> None:
    """Let the robot scan at some places, being off by so much."""
    assert rig.map is not None
    for x, y in ALONG[:places]:
        rig.hear(taken_off(rig.map, x, y, by))


def test_lost_robot_is_not_driven_and_places_nothing() -> None:
    rig = VerifierRig()
    scans_of(rig, ASTRAY)
    assert rig.told['scan on map'][0] is Level.WARN
    decision = rig.try_(canonical('rotate', rotate_rad=1.0))
    assert decision is not None and decision.code is Code.POSE_UNAVAILABLE
    assert 'give it its pose' in decision.reason
    observed = rig.see(canonical('explore'))[1]
    assert observed.pose is None and 'contradict the map' in observed.ungrounded_reason
    rig.stand(1.0)
    assert rig.robot_pose is not None and not rig.robot_pose.healthy


def test_drive_of_a_robot_that_is_found_to_be_lost_is_cut() -> None:
    rig = VerifierRig()
    rig.approach_mug()
    scans_of(rig, IN_PLACE)
    assert not any(isinstance(effect, CancelNav) for effect in rig.effects)
    scans_of(rig, ASTRAY)
    assert CancelNav(rig.sent_id) in rig.effects


def test_pose_that_is_given_lets_it_drive() -> None:
    rig = VerifierRig(jump_settle_s=0.2, jump_doubt_s=0.2, costmap_max_age_s=60.0)
    scans_of(rig, ASTRAY)
    rig.map_T_odom = Transform.from_pose(Pose2D(0.0, 1.5, 0.0))
    rig.hear_pose(Pose2D(rig.pose.x, rig.pose.y + 1.5, rig.pose.yaw))
    rig.stand(6.0)
    scans_of(rig, IN_PLACE, 1)
    assert rig.told['scan on map'][0] is Level.OK
    decision = rig.try_(canonical('rotate', rotate_rad=1.0))
    assert decision is not None and decision.code is Code.OK


@pytest.mark.parametrize(('by', 'config'), [
    (IN_PLACE, {}), (ASTRAY, {'map_is_live': True})], ids=['in place', 'live map'])
def test_robot_in_its_place_or_on_a_live_map_is_driven(by: Pose2D,
                                                       config: dict[str, bool]) -> None:
    rig = VerifierRig(**config)
    scans_of(rig, by)
    decision = rig.try_(canonical('rotate', rotate_rad=1.0))
    assert decision is not None and decision.code is Code.OK
    assert (rig.told.get('scan on map') is None) is bool(config)


def test_scans_that_agree_are_told_where_the_covariance_refuses() -> None:
    rig = VerifierRig()
    rig.hear(UncertaintyHeard(2.0, 0.1))
    for places, told in ((PLACES - 1, False), (PLACES, True)):
        scans_of(rig, IN_PLACE, places)
        decision = rig.try_(canonical('rotate', rotate_rad=1.0))
        assert decision is not None and decision.code is Code.POSE_UNAVAILABLE
        assert ('its scans fit the map' in decision.reason) is told


def test_another_map_is_judged_by_new_places_alone() -> None:
    rig = VerifierRig()
    scans_of(rig, ASTRAY)
    rig.hear_maps()
    scans_of(rig, IN_PLACE, 1)
    assert rig.told['scan on map'][0] is Level.OK


def test_localisation_takes_in_more_scans_where_only_they_refuse() -> None:
    rig = VerifierRig(costmap_max_age_s=60.0)
    scans_of(rig, IN_PLACE)
    rig.stand(2.0)
    assert RefineLocalisation() not in rig.effects
    scans_of(rig, ASTRAY)
    rig.stand(20.0)
    assert rig.effects.count(RefineLocalisation()) == 10


def test_long_rays_are_left_out_for_a_turn_moves_their_ends_too_far() -> None:
    away = ScanTaken((1.0, 1.0), ((-3.9, 1.0), (-4.1, 1.0)))
    assert contradiction(away, IDENTITY, MAP) == (1, 1)
