"""What the verifier knows of its surroundings, and when that is too little."""

from dataclasses import replace

import numpy as np
import pytest
from builders import Block, Room, inflated
from hypothesis import given, settings
from hypothesis import strategies as st
from situations import Known
from strategies import examples

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.stalls import Stall, closed_at
from semantic_nav.verify.checks.subjects import HERE, PLANNED, GoalPose, Rejection
from semantic_nav.verify.floor.localisation import Localisation
from semantic_nav.verify.floor.surroundings import Surroundings


def rejected(known: Known) -> Rejection | None:
    """Return what is wrong with what is known."""
    return first_rejection(known.situation, HERE, PLANNED)


def code(known: Known) -> Code | None:
    rejection = rejected(known)
    return rejection.code if rejection is not None else None


def rejected_at(known: Known, x: float, y: float) -> Rejection | None:
    """Return why the robot must not stand at a point."""
    return first_rejection(known.situation, GoalPose(x, y))


def test_nothing_is_rejected_where_all_is_known() -> None:
    assert code(Known()) is None


@pytest.mark.parametrize(('missing', 'code', 'words'), [
    ('pose', Code.POSE_UNAVAILABLE, 'no transform yet'),
    ('map', Code.MAP_UNAVAILABLE, 'no map'),
    ('costmap', Code.MAP_UNAVAILABLE, 'no global costmap')])
def test_missing_part_is_rejected(missing: str, code: Code, words: str) -> None:
    known = Known()
    known.surroundings = {
        'pose': replace(known.surroundings, robot=Localisation()),
        'map': replace(known.surroundings, map=None),
        'costmap': replace(known.surroundings, costmap=None, floor=None)}[missing]
    rejection = rejected(known)
    assert rejection is not None and rejection.code is code and words in rejection.reason


def test_pose_is_rejected_when_it_is_old() -> None:
    known = Known()
    known.clock.advance(1.0)
    assert code(known) is None
    known.clock.advance(0.01)
    assert code(known) is Code.POSE_UNAVAILABLE
    known.refresh()
    assert code(known) is None


def test_costmap_is_rejected_when_it_is_old() -> None:
    known = Known()
    known.clock.advance(5.0)
    known.refresh(costmap=False)
    assert code(known) is None
    known.clock.advance(0.01)
    known.refresh(costmap=False)
    assert code(known) is Code.MAP_UNAVAILABLE


def test_map_of_a_map_server_never_grows_old() -> None:
    known = Known()
    known.clock.advance(100_000.0)
    known.refresh(map_=False)
    assert code(known) is None


def test_live_map_is_rejected_when_it_is_old() -> None:
    known = Known(map_is_live=True)
    known.clock.advance(30.0)
    known.refresh(map_=False)
    assert code(known) is None
    known.clock.advance(0.01)
    known.refresh(map_=False)
    assert code(known) is Code.MAP_UNAVAILABLE


def test_time_that_jumps_back_leaves_nothing_believed() -> None:
    known = Known(map_is_live=True)
    known.clock.jump(-1000.0)
    assert code(known) is Code.POSE_UNAVAILABLE
    known.refresh(costmap=False, map_=False)
    assert code(known) is Code.MAP_UNAVAILABLE
    known.refresh(map_=False)
    assert code(known) is Code.MAP_UNAVAILABLE
    known.refresh()
    assert code(known) is None


def test_small_disagreement_of_clocks_is_borne() -> None:
    known = Known()
    known.clock.jump(-0.5)
    assert code(known) is None


def test_robot_inside_something_is_rejected() -> None:
    room = Room(blocks=[Block((1.0, 3.0), (2.0, 4.0))])
    assert code(Known(room)) is Code.MAP_UNAVAILABLE


def test_robot_a_little_inside_something_gets_out() -> None:
    """Localisation errs; the way then begins at the nearest clear cell."""
    room = Room(blocks=[Block((1.0, 2.1), (2.0, 4.0))])
    known = Known(room)
    assert code(known) is None
    assert known.surroundings.way_to(4.0, 3.0) == pytest.approx(4.0 - 2.35, abs=0.3)


@pytest.mark.parametrize('robot', [
    Pose2D(-5.0, 3.0, 0.0), Pose2D(2.0, 1e6, 0.0), Pose2D(-1e300, 0.0, 0.0)])
def test_robot_outside_the_map_is_rejected(robot: Pose2D) -> None:
    assert code(Known(robot=robot)) in (Code.MAP_UNAVAILABLE, Code.OUT_OF_MAP,
                                       Code.POSE_UNAVAILABLE)


# Points

@pytest.mark.parametrize(('point', 'code'), [
    ((6.0, 3.0), None), ((0.05, 3.0), Code.COLLISION_DETECTED),
    ((0.2, 3.0), Code.COLLISION_DETECTED), ((4.5, 3.0), Code.COLLISION_DETECTED),
    ((-0.01, 3.0), Code.OUT_OF_MAP), ((8.01, 3.0), Code.OUT_OF_MAP),
    ((1e4, -1e4), Code.OUT_OF_MAP), ((7.5, 5.5), Code.UNKNOWN_SPACE),
    ((2.0, 5.5), Code.UNREACHABLE)])
def test_point_is_rejected_with_its_code(point: tuple[float, float], code: Code | None) -> None:
    # The wall ends short of the wall of the room: no round robot gets through there.
    room = Room(blocks=[Block((4.0, 5.0), (2.5, 3.5)), Block((0.0, 3.5), (4.8, 5.0)),
                        Block((3.3, 3.5), (5.0, 5.7))])
    known = Known(room)
    grid = room.map(known.clock.now.clock_ns)
    cells = grid.cells.copy()
    cells[100:, 140:] = -1
    grid = OccupancyGrid(cells, grid.resolution_m, 0.0, 0.0, 'map', grid.stamp_ns)
    known.take_map(grid)
    known.take_costmap(inflated(grid))
    rejection = rejected_at(known, *point)
    assert (rejection.code if rejection else None) is code
    if rejection is not None:
        assert rejection.reason and rejection.goal is not None


def test_point_unknown_to_either_grid_is_unknown() -> None:
    for which in ('map', 'costmap'):
        known = Known()
        grid = {'map': known.surroundings.map, 'costmap': known.surroundings.costmap}[which]
        grid.cells[60:70, 120:130] = -1
        rejection = rejected_at(known, 6.2, 3.2)
        assert rejection is not None and rejection.code is Code.UNKNOWN_SPACE, which


def test_clear_cost_is_a_limit() -> None:
    known = Known()
    for cost, code in ((80, None), (81, Code.COLLISION_DETECTED), (99, Code.COLLISION_DETECTED)):
        known.surroundings.costmap.cells[60, 120] = cost
        rejection = rejected_at(known, 6.02, 3.02)
        assert (rejection.code if rejection else None) is code, cost


def test_obstacle_of_the_costmap_alone_counts() -> None:
    """A person stands where the map is free."""
    known = Known()
    now = known.clock.advance(0.1)
    person = Room(blocks=[Block((5.5, 6.5), (2.5, 3.5))]).costmap(now.clock_ns)
    known.take_costmap(person)
    rejection = rejected_at(known, 6.0, 3.0)
    assert rejection is not None and rejection.code is Code.COLLISION_DETECTED


def test_obstacle_that_closes_the_way_is_seen_at_once() -> None:
    known = Known()
    assert rejected_at(known, 6.0, 3.0) is None
    closed = Room(blocks=[Block((4.0, 4.2), (0.0, 6.0))])
    known.take_costmap(closed.costmap(known.clock.now.clock_ns))
    rejection = rejected_at(known, 6.0, 3.0)
    assert rejection is not None and rejection.code is Code.UNREACHABLE
    known.refresh()
    assert rejected_at(known, 6.0, 3.0) is None


def test_way_follows_the_robot() -> None:
    known = Known()
    assert known.surroundings.way_to(6.0, 3.0) == pytest.approx(4.0, abs=0.1)
    known.stand(Pose2D(5.0, 3.0, 0.0))
    assert known.surroundings.way_to(6.0, 3.0) == pytest.approx(1.0, abs=0.1)


@settings(max_examples=examples(30))
@given(st.lists(st.tuples(st.floats(0.5, 7.5), st.floats(0.5, 5.5), st.booleans()),
                min_size=1, max_size=5),
       st.lists(st.tuples(st.floats(-1, 9), st.floats(-1, 7), st.floats(0.0, 12.0)), min_size=1,
                max_size=4))
def test_verdict_is_the_same_whatever_was_known_before(
        blocks: list[tuple[float, float, bool]],
        goals: list[tuple[float, float, float]]) -> None:
    """What was found of earlier floors and from earlier places is used, but changes no answer."""
    room = Room()
    known = Known(room)
    for x, y, drives in blocks:
        if drives:
            known.stand(Pose2D(x, y, 0.0))
        else:
            room.blocks.append(Block((x, x + 0.3), (y, y + 1.5)))
            known.take_costmap(room.costmap(0))
        anew = replace(known.surroundings, floor=None, costmap=None).with_costmap(
            known.surroundings.costmap)
        assert (known.surroundings.reach is None) == (anew.reach is None)
        if anew.reach is None:
            continue
        for goal_x, goal_y, most_m in goals:
            goal = (goal_x, goal_y)
            way_m = anew.way_to(*goal)
            for limit_m in (most_m, way_m - 0.05, way_m):
                assert known.surroundings.way_is_within(*goal, limit_m) == (
                    way_m <= limit_m and np.isfinite(way_m))
            assert known.surroundings.way_leads_to(*goal) == np.isfinite(way_m)
            if most_m > 6.0:
                assert known.surroundings.way_to(*goal) == way_m
        assert (known.surroundings.reachable_floor() == anew.reachable_floor()).all()


def test_way_that_is_too_long() -> None:
    known = Known(way_max_m=3.0)
    rejection = rejected_at(known, 6.0, 3.0)
    assert rejection is not None and rejection.code is Code.TOO_FAR
    assert rejected_at(known, 4.5, 3.0) is None


# Map and costmap that do not lie on each other

@pytest.mark.parametrize(('dx', 'dy', 'grow'), [(0.0, 0.0, 1), (-1.0, 0.5, 1), (0.0, 0.0, 2),
                                                (0.4, -0.3, 2)])
def test_ways_are_laid_over_a_map_of_another_frame(dx: float, dy: float, grow: int) -> None:
    """The costmap may be larger, shifted and finer than the map."""
    known = Known()
    costmap = known.surroundings.costmap
    fine = np.kron(costmap.cells, np.ones((grow, grow), np.int8))
    shifted = np.full((fine.shape[0] + 80, fine.shape[1] + 80), -1, np.int8)
    resolution_m = costmap.resolution_m / grow
    rows, columns = round(-dy / resolution_m) + 40, round(-dx / resolution_m) + 40
    shifted[rows:rows + fine.shape[0], columns:columns + fine.shape[1]] = fine
    known.take_costmap(OccupancyGrid(
        shifted, resolution_m, dx - 40 * resolution_m, dy - 40 * resolution_m, 'map',
        costmap.stamp_ns))
    assert code(known) is None
    ways = known.surroundings.distances_on_map()
    assert ways.shape == known.surroundings.map.shape
    for x, y in ((6.0, 3.0), (2.0, 5.0), (7.0, 1.0)):
        row, column = known.surroundings.map.cell_of(x, y)
        assert ways[row, column] == pytest.approx(known.surroundings.way_to(x, y), abs=0.15)
        assert rejected_at(known, x, y) is None
    assert not np.isfinite(ways[0]).any()
    floor = known.surroundings.reachable_floor()
    assert floor.sum() * 0.05**2 == pytest.approx(7.3 * 5.3, rel=0.1)


def test_costmap_smaller_than_the_map_reaches_only_so_far() -> None:
    known = Known()
    costmap = known.surroundings.costmap
    known.take_costmap(OccupancyGrid(
        costmap.cells[:, :80].copy(), costmap.resolution_m, 0.0, 0.0, 'map', costmap.stamp_ns))
    rejection = rejected_at(known, 6.0, 3.0)
    assert rejection is not None and rejection.code is Code.OUT_OF_MAP
    assert not np.isfinite(known.surroundings.distances_on_map()[:, 81:]).any()


def test_age_is_told_in_seconds() -> None:
    known = Known()
    known.clock.advance(7.0)
    rejection = rejected(known)
    assert rejection is not None and '7.0 s old' in rejection.reason
    assert known.surroundings.robot.stamp_ns == known.clock.now.clock_ns - 7 * NS_PER_S


def test_what_the_shortest_way_leads_to_past_a_stall_is_out_of_reach_though_a_way_round_is_known(
        ) -> None:
    """Nav2 knows nothing of the stall, and takes the near door."""
    room = Room(blocks=[Block((4.0, 4.1), (0.0, 2.5)), Block((4.0, 4.1), (3.5, 4.6)),
                        Block((4.0, 4.1), (5.6, 6.0))])
    costmap = room.costmap(0)
    known = Surroundings(Localisation(Pose2D(1.5, 3.0, 0.0)), room.map()).with_costmap(costmap)
    avoiding = known.avoiding(closed_at(costmap, [Stall(4.05, 3.0, 0.0)]))
    round_m = known.with_costmap(closed_at(costmap, [Stall(4.05, 3.0, 0.0)])).way_to(6.5, 2.0)
    assert known.way_to(6.5, 2.0) + 1.0 < round_m < 20.0, 'a way round is known'
    assert avoiding.way_to(6.5, 2.0) == np.inf
    assert avoiding.way_to(2.0, 5.0) == pytest.approx(known.way_to(2.0, 5.0), abs=0.3)
    assert avoiding.way_to(4.6, 5.3) < 10.0, 'behind the other door, and nearer by that'


def test_refused_pose_is_named_with_its_heading() -> None:
    rejection = first_rejection(Known().situation, GoalPose.of(Pose2D(0.05, 3.0, 1.2)))
    assert rejection is not None and rejection.goal == Pose2D(0.05, 3.0, 1.2)
    assert GoalPose(0.05, 3.0).pose == Pose2D(0.05, 3.0, 0.0)
