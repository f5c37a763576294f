"""Closed zones: no goal, no path, no turn and no way back leads onto them; a way leads out."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely
from builders import Room, candidate, canonical
from hypothesis import given
from hypothesis import strategies as st
from situations import Known
from verifier_rig import TABLE, VerifierRig

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import UNKNOWN, OccupancyGrid
from semantic_nav.contracts.vocabulary import ActOutcome, Code, NavStatus
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.goal_checks import no_view
from semantic_nav.verify.checks.subjects import GoalPose, Path, Views
from semantic_nav.verify.checks.zone_checks import closed_path
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.driving.back_off import OdometryTrail, back_off_m
from semantic_nav.verify.effects import AskPath, LimitSpeed, SendNav
from semantic_nav.verify.events import (
    FootprintHeard,
    KeepoutAwaited,
    KeepoutMissing,
    KeepoutReceived,
    PathAnswered,
    ZonesReceived,
)
from semantic_nav.verify.floor.keepout import Keepout
from semantic_nav.verify.floor.surroundings import Surroundings
from semantic_nav.verify.zones import SpeedLimit, Zone, ZoneKind, Zones

NURSERY = "the zone 'nursery'"


def rectangle(x0: float, y0: float, x1: float, y1: float) -> tuple[tuple[float, float], ...]:
    return ((x0, y0), (x1, y0), (x1, y1), (x0, y1))


def closed(*at: float, name: str = 'nursery', kind: ZoneKind = ZoneKind.KEEP_OUT) -> Zones:
    return Zones((Zone((name,), kind, rectangle(*at)),))


def slow(*at: float, speed: float = 0.2) -> Zones:
    return Zones((Zone(('hall',), ZoneKind.SPEED, rectangle(*at), SpeedLimit(speed)),))


def rig_with(zones: Zones, pose: Pose2D | None = None, room: Room | None = None,
             **config: Any) -> VerifierRig:
    rig = VerifierRig(room, **({} if pose is None else {'pose': pose}), ready=False, **config)
    rig.hear(ZonesReceived(zones))
    rig.hear_maps()
    rig.hear_pose()
    rig.stand()
    rig.begin()
    return rig


def known_with(zones: Zones, **fields: Any) -> Known:
    known = Known(**fields)
    known.surroundings = known.surroundings.closing(Keepout(0.25, zones))
    return known


# Goals

@given(st.floats(0.3, 7.7), st.floats(0.3, 5.7))
def test_no_accepted_goal_touches_a_closed_polygon(x: float, y: float) -> None:
    known = known_with(closed(3.0, 1.0, 5.0, 4.0))
    away_m = shapely.box(3.0, 1.0, 5.0, 4.0).distance(shapely.Point(x, y))
    rejection = first_rejection(known.situation, GoalPose(x, y))
    if rejection is None:
        assert away_m > 0.25
    elif rejection.code is Code.KEEPOUT:
        assert away_m <= 0.25


def test_refusal_of_a_goal_names_the_zone() -> None:
    rejection = first_rejection(known_with(closed(3, 1, 5, 4)).situation, GoalPose(4.0, 2.0))
    assert rejection is not None
    assert rejection.reason == f'(4.00, 2.00) is closed: {NURSERY}'


@pytest.mark.parametrize(('margin_m', 'kept_m'), [(0.1, 0.2), (0.3, 0.3)])
def test_middle_keeps_away_by_the_inner_radius_of_a_footprint_at_least(
        margin_m: float, kept_m: float) -> None:
    oblong = '[[0.5, 0.2], [0.5, -0.2], [-0.5, -0.2], [-0.5, 0.2]]'
    assert VerifierConfig(zone_margin_m=margin_m).keepout_margin_m == margin_m
    assert VerifierConfig(footprint=oblong, zone_margin_m=margin_m).keepout_margin_m == (
        pytest.approx(kept_m))


def test_margin_follows_the_outline_that_nav2_tells() -> None:
    rig = rig_with(closed(3.0, 4.0, 5.0, 5.0), zone_margin_m=0.25)
    near = canonical('goto_node', node_id='place-1')
    large = ((0.5, 0.4), (0.5, -0.4), (-0.5, -0.4), (-0.5, 0.4))
    small = tuple((0.4 * x, 0.4 * y) for x, y in large)
    for corners, refused in ((None, False), (small, False), (large, True), (small, True)):
        if corners is not None:
            rig.hear(FootprintHeard(corners))
        rig.remember(candidate('place-1', Pose2D(2.7, 4.5, 0.0)))
        rig.act(rig.see(near)[0])
        assert (rig.asked.goal == Pose2D(2.7, 4.5, 0.0)) is not refused


def test_outside_of_keep_in_zones_is_closed() -> None:
    known = known_with(closed(1, 1, 5, 5, kind=ZoneKind.KEEP_IN))
    assert first_rejection(known.situation, GoalPose(3.0, 3.0)) is None
    rejection = first_rejection(known.situation, GoalPose(6.0, 3.0))
    assert rejection is not None and rejection.code is Code.KEEPOUT


def test_ways_lead_round_closed_floor() -> None:
    open_m = Known().surroundings.way_to(6.0, 3.0)
    known = known_with(closed(3.0, 1.0, 5.0, 5.0)).surroundings
    assert np.isinf(known.way_to(4.0, 3.0))
    assert open_m + 1.0 < known.way_to(6.0, 3.0) < np.inf
    # From wall to wall nothing is left.
    assert np.isinf(known_with(closed(3.0, -1.0, 5.0, 7.0)).surroundings.way_to(6.0, 3.0))


@pytest.mark.parametrize('robot_x', [2.85, 2.5])
def test_robot_beside_a_zone_finds_no_way_through_it(robot_x: float) -> None:
    known = known_with(closed(3.0, -1.0, 5.0, 7.0), robot=Pose2D(robot_x, 3.0, 0.0)).surroundings
    assert np.isinf(known.way_to(6.0, 3.0)) and known.way_to(1.0, 3.0) < 2.0


def test_floor_behind_places_where_the_robot_got_stuck_stays_closed() -> None:
    known = known_with(closed(3.0, 1.0, 5.0, 4.0)).surroundings
    assert known.costmap is not None and known.map is not None
    for changed in (known.avoiding(known.costmap), known.opened(np.ones(known.map.shape, bool))):
        assert np.isinf(changed.way_to(4.0, 2.0))


# Remembered places, stand-offs and views

def test_remembered_place_in_a_zone_is_not_visited() -> None:
    rig = rig_with(closed(5.0, 0.0, 8.0, 6.0))
    rig.remember(candidate('place-1', Pose2D(6.5, 3.0, 0.0)))
    decision = rig.try_(canonical('goto_node', node_id='place-1'))
    assert decision is not None and decision.code is Code.KEEPOUT


def test_stand_off_lies_outside_of_the_zone() -> None:
    # All on the side from which the mug was seen.
    rig = rig_with(closed(3.0, 1.5, 3.8, 4.5))
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    goal = rig.asked.goal
    assert Keepout(0.25, closed(3.0, 1.5, 3.8, 4.5)).at(goal.x, goal.y) == ''


def test_target_that_only_a_zone_is_near_is_unreachable_and_the_zone_named() -> None:
    rig = rig_with(closed(2.6, 1.0, 7.0, 5.0))
    decision = rig.try_(canonical('approach', seen='visible', target_box=rig.box()))
    assert decision is not None and decision.code is Code.UNREACHABLE
    assert NURSERY in decision.reason


def test_views_lie_outside_of_the_zone() -> None:
    rig = rig_with(closed(4.5, 0.0, 8.0, 6.0), room=Room())
    for _ in range(6):
        rig.act(rig.see(canonical('explore'))[0])
        if rig.code is not None and rig.code is not Code.OK:
            break
        asked = [one for one in rig.out if isinstance(one, AskPath)]
        if asked:
            assert asked[0].goal.x < 4.25
            rig.path()
        if rig.moving:
            rig.drive(rig.announced[rig.sent_id])
            rig.finish()
            rig.stand(1.2)


# What was not looked at

def all_looked_at(known: Known, but: tuple[float, float, float, float] | None = None) -> Any:
    situation = known.situation
    grid = situation.surroundings.map
    assert grid is not None
    looked = np.ones(grid.shape, np.bool_)
    if but is not None:
        (top, left), (bottom, right) = grid.cell_of(but[0], but[1]), grid.cell_of(but[2], but[3])
        looked[top:bottom, left:right] = False
    none = GoalCoverage.none(grid)
    coverage = replace(none, in_range=replace(none.in_range, looked=looked))
    return replace(situation, findings=replace(situation.findings, coverage=coverage))


def test_answer_names_the_zone_that_was_not_looked_at() -> None:
    known = known_with(closed(3.0, 1.0, 5.0, 4.0))
    rejection = no_view(Views(0), all_looked_at(known, (3.0, 1.0, 5.0, 4.0)))
    assert rejection is not None and rejection.code is Code.NOTHING_LEFT
    assert rejection.reason == ('100% of the reachable floor was looked at, and no other view '
                                f'shows 0.75 m² of unseen floor; {NURSERY} was not looked at')


def test_what_was_seen_of_a_zone_counts() -> None:
    known = known_with(closed(3.0, 1.0, 5.0, 4.0))
    half = no_view(Views(0), all_looked_at(known, (3.0, 1.0, 4.0, 4.0)))
    assert half is not None and half.reason.endswith(f'; of {NURSERY} 50% was looked at')
    whole = no_view(Views(0), all_looked_at(known))
    assert whole is not None and NURSERY not in whole.reason


def test_zone_over_furniture_alone_is_not_named() -> None:
    known = known_with(closed(4.1, 2.7, 4.7, 3.3), room=Room(blocks=[TABLE]))
    rejection = no_view(Views(0), all_looked_at(known, (3.0, 1.0, 5.0, 4.0)))
    assert rejection is not None and NURSERY not in rejection.reason


def test_zone_over_floor_that_nobody_knows_is_named() -> None:
    known = known_with(closed(3.0, 1.0, 5.0, 4.0))
    grid = known.surroundings.map
    assert grid is not None
    (top, left), (bottom, right) = grid.cell_of(2.9, 0.9), grid.cell_of(5.1, 4.1)
    cells = grid.cells.copy()
    cells[top:bottom, left:right] = UNKNOWN
    known.take_map(replace(grid, cells=cells))
    rejection = no_view(Views(0), all_looked_at(known))
    assert rejection is not None and rejection.reason.endswith(f'; {NURSERY} was not looked at')


@pytest.mark.parametrize(('count', 'told'), [(4, 4), (5, 3), (9, 3)])
def test_of_many_zones_some_are_named_and_the_rest_counted(count: int, told: int) -> None:
    zones = Zones(tuple(
        Zone((f'room {number}',), ZoneKind.KEEP_OUT,
             rectangle(1.0 + 0.5 * number, 1.0, 1.4 + 0.5 * number, 2.0))
        for number in range(count)))
    rejection = no_view(Views(0), all_looked_at(known_with(zones), (0.5, 0.5, 7.5, 2.5)))
    assert rejection is not None and rejection.reason.count("the zone 'room") == told
    assert (f'; {count - told} more zones were not looked at' in rejection.reason) is (
        count > told)


# Paths

def path(*points: tuple[float, float]) -> Path:
    goal = Pose2D(*points[-1], 0.0)
    return Path(goal, PathAnswered('path-1', NavStatus.SUCCEEDED, 0, np.array(points)))


@given(st.lists(st.tuples(st.floats(0.5, 7.5), st.floats(0.5, 5.5)), min_size=1, max_size=6))
def test_no_accepted_path_touches_a_closed_polygon(points: list[tuple[float, float]]) -> None:
    known = known_with(closed(3.0, 1.0, 5.0, 4.0))
    subject = path((2.0, 3.0), *points)
    rejection = closed_path(subject, known.situation)
    away_m = shapely.box(3.0, 1.0, 5.0, 4.0).distance(
        shapely.LineString([(2.0, 3.0), *points]))
    assert rejection is None or rejection.code is Code.KEEPOUT
    if abs(away_m - 0.25) > 1e-6:
        assert (rejection is None) == (away_m > 0.25)


def test_path_through_a_zone_of_which_nav2_knows_nothing_is_refused() -> None:
    rig = rig_with(closed(2.4, 2.0, 2.8, 4.0))
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    while rig.code is None:
        rig.path()
    assert rig.code is Code.KEEPOUT and not rig.moving
    assert rig.decision is not None and NURSERY in rig.decision.reason
    x, y = rig.decision.goal.x, rig.decision.goal.y
    assert rig.decision.reason == (
        f"Nav2's path to ({x:.2f}, {y:.2f}) leads onto closed floor, {NURSERY}, or too near to "
        'it: give Nav2 the same zone as a keep-out filter mask')
    asked = [one.goal for one in rig.effects if isinstance(one, AskPath)]
    assert len(asked) > 1, 'another pose may do'
    rig.act(hypothesis_id)
    goal = rig.asked.goal
    assert all(goal.distance_to(one.x, one.y) > 0.3 for one in asked), 'none of these again'


def test_path_onto_what_nav2_s_own_mask_closes_needs_no_advice() -> None:
    cells = np.zeros((60, 80), np.int8)
    cells[20:40, 30:40] = 100
    known = Known()
    known.surroundings = known.surroundings.closing(
        Keepout(0.25, mask=OccupancyGrid(cells, 0.1, 0.0, 0.0, 'map', 0)))
    rejection = first_rejection(known.situation, path((2.0, 3.0), (5.0, 3.0)))
    assert rejection is not None and rejection.code is Code.KEEPOUT
    assert rejection.reason == (
        "Nav2's path to (5.00, 3.00) leads onto closed floor, what the keep-out mask closes, or "
        'too near to it')


# On closed floor

def test_robot_on_closed_floor_only_drives_out_of_it() -> None:
    rig = rig_with(closed(0.0, 0.0, 3.0, 6.0))
    turn = rig.try_(canonical('rotate', rotate_rad=1.0))
    assert turn is not None and turn.code is Code.KEEPOUT and NURSERY in turn.reason
    hypothesis_id, _ = rig.see(canonical('explore'))
    rig.act(hypothesis_id)
    assert rig.code is None and rig.asked.goal.x > 3.25
    rig.path()
    assert rig.moving
    # On its way out nothing stops it, and what it has left it does not come back to.
    rig.drive(Pose2D(2.8, 3.0, 0.0))
    assert not rig.cancelled
    rig.drive(Pose2D(3.4, 3.0, 0.0))
    assert not rig.cancelled
    rig.drive(Pose2D(2.9, 3.0, 0.0))
    assert rig.cancelled == [rig.sent_id]


def test_robot_before_its_target_does_not_stay_on_closed_floor() -> None:
    rig = rig_with(closed(2.0, 2.33, 6.0, 6.0), pose=Pose2D(3.2, 3.0, 0.0))
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    assert rig.code is None and rig.asked.goal.y < 2.33


# On the way

def test_robot_that_comes_onto_closed_floor_is_stopped() -> None:
    rig = rig_with(closed(1.0, 4.0, 3.0, 5.0))
    rig.approach_mug()
    goal_id = rig.sent_id
    rig.drive(Pose2D(2.4, 3.8, 0.0))
    assert not rig.cancelled
    rig.drive(Pose2D(2.4, 4.1, 0.0))
    assert rig.cancelled == [goal_id]
    rig.finish('canceled')
    rig.stand(1.0)
    (result,) = [one.body.result for one in rig.documents
                 if getattr(one.body, 'result', None) is not None]
    assert (result.outcome, result.code) == (ActOutcome.UNAVAILABLE, Code.KEEPOUT)
    assert NURSERY in result.reason


@pytest.mark.parametrize('drawn', ['zone', 'mask'])
def test_robot_that_crossed_a_thin_zone_between_two_poses_is_stopped(drawn: str) -> None:
    thin = (2.0, 3.3, 3.0, 3.35)
    rig = rig_with(closed(*thin) if drawn == 'zone' else Zones())
    if drawn == 'mask':
        rig.hear(KeepoutReceived(mask(rig, *thin)))
    rig.approach_mug()
    rig.drive(Pose2D(2.4, 3.2, 0.0), 0.2)
    assert not rig.cancelled
    rig.drive(Pose2D(2.4, 3.6, 0.0), 0.2)
    assert rig.cancelled == [rig.sent_id]


def test_robot_that_leaves_a_zone_by_its_border_may_not_cross_it_again() -> None:
    rig = rig_with(closed(1.0, 2.5, 2.2, 3.5))
    rig.approach_mug()
    for x in (2.1, 2.3, 2.6):
        rig.drive(Pose2D(x, 3.0, 0.0), 0.2)
        rig.tick(0.1)
        assert not rig.cancelled, x
    rig.drive(Pose2D(2.0, 3.0, 0.0), 0.2)
    assert rig.cancelled == [rig.sent_id]


@pytest.mark.parametrize(('zone', 'free'), [
    ((0.5, 2.5, 1.4, 3.5), False), ((0.5, 2.5, 1.7, 3.5), False), ((0.5, 4.0, 1.7, 5.0), True)])
def test_robot_backs_off_onto_no_closed_floor(zone: tuple[float, ...], free: bool) -> None:
    known = known_with(closed(*zone))
    assert (back_off_m(known.situation, OdometryTrail()) is not None) is free


def test_robot_backs_off_over_no_closed_floor() -> None:
    for zone, free in (((1.4, 2.5, 1.5, 3.5), False), ((1.4, 4.0, 1.5, 5.0), True)):
        known = known_with(closed(*zone), back_off_m=1.0)
        assert (back_off_m(known.situation, OdometryTrail()) is not None) is free


def test_robot_backs_off_over_no_wall_of_a_mask_one_cell_thin() -> None:
    rig = VerifierRig()
    for x, free in ((1.5, False), (2.6, True)):
        known = Known(back_off_m=1.0, zone_margin_m=0.0)
        known.surroundings = known.surroundings.closing(
            Keepout(0.0, mask=mask(rig, x, 2.0, x + 0.05, 4.0)))
        assert (back_off_m(known.situation, OdometryTrail()) is not None) is free


def test_robot_backs_off_out_of_a_zone() -> None:
    known = known_with(closed(1.9, 2.5, 3.0, 3.5))
    assert back_off_m(known.situation, OdometryTrail()) is not None


# The mask of Nav2

def mask(rig: VerifierRig, *at: float) -> OccupancyGrid:
    grid = rig.room.map(rig.clock.now.clock_ns)
    cells = np.zeros_like(grid.cells)
    (top, left), (bottom, right) = grid.cell_of(at[0], at[1]), grid.cell_of(at[2], at[3])
    cells[top:bottom, left:right] = 100
    return replace(grid, cells=cells)


def test_nothing_is_driven_before_the_mask_has_come() -> None:
    rig = VerifierRig()
    rig.hear(KeepoutAwaited())
    refused = rig.try_(canonical('rotate', rotate_rad=1.0))
    assert refused is not None and refused.code is Code.MAP_UNAVAILABLE
    rig.hear(KeepoutMissing('it has no cells'))
    refused = rig.try_(canonical('rotate', rotate_rad=1.0))
    assert refused is not None and refused.reason.endswith('it has no cells')
    rig.hear(KeepoutReceived(mask(rig, 6.0, 0.0, 8.0, 6.0)))
    rig.approach_mug()


def test_drive_ends_where_a_new_mask_closes_its_place() -> None:
    rig = VerifierRig()
    rig.approach_mug()
    rig.hear(KeepoutReceived(mask(rig, 1.5, 2.5, 2.5, 3.5)))
    assert rig.cancelled == [rig.sent_id]
    rig.finish('canceled')
    rig.stand(1.0)
    rig.hear(KeepoutMissing('another one is broken'))
    refused = rig.try_(canonical('rotate', rotate_rad=1.0))
    assert refused is not None and refused.code is Code.KEEPOUT


def test_mask_that_cannot_be_true_is_none() -> None:
    rig = VerifierRig()
    rig.hear(KeepoutAwaited())
    rig.hear(KeepoutReceived(replace(mask(rig, 1.0, 1.0, 2.0, 2.0), resolution_m=0.0)))
    refused = rig.try_(canonical('explore'))
    assert refused is not None and refused.code is Code.MAP_UNAVAILABLE


def test_costmap_that_says_the_same_again_keeps_its_floor() -> None:
    known = known_with(closed(3.0, 1.0, 5.0, 4.0))
    floor = known.surroundings.floor
    known.refresh()
    assert known.surroundings.floor is floor
    assert Surroundings().closing(Keepout()).floor is None


# Speed zones

def test_limit_is_told_where_the_robot_comes_into_a_speed_zone_and_leaves_it() -> None:
    rig = rig_with(slow(2.5, 2.0, 3.0, 4.0))
    limits = [one.limit for one in rig.effects if isinstance(one, LimitSpeed)]
    assert limits == [SpeedLimit(0.0)]
    for x, told in ((2.4, []), (2.6, [SpeedLimit(0.2)]), (2.8, []), (3.1, [SpeedLimit(0.0)])):
        rig.drive(Pose2D(x, 3.0, 0.0))
        assert [one.limit for one in rig.out if isinstance(one, LimitSpeed)] == told, x


def test_limit_is_told_again_when_the_zones_come_again() -> None:
    zones = slow(1.0, 2.0, 3.0, 4.0)
    rig = rig_with(zones)
    rig.hear(ZonesReceived(zones))
    assert [one.limit for one in rig.out if isinstance(one, LimitSpeed)] == [SpeedLimit(0.2)]


def test_limit_is_told_again_before_each_drive() -> None:
    rig = rig_with(slow(1.0, 2.0, 3.0, 4.0))
    rig.act(rig.see_mug()[0])
    rig.path()
    told = [one for one in rig.out if isinstance(one, LimitSpeed | SendNav)]
    assert told == [LimitSpeed(SpeedLimit(0.2)), rig.sent]


def test_nothing_is_told_of_speed_without_speed_zones() -> None:
    rig = rig_with(closed(6.0, 0.0, 8.0, 6.0))
    rig.drive(Pose2D(2.6, 3.0, 0.0))
    assert not [one for one in rig.effects if isinstance(one, LimitSpeed)]
