"""A round robot on Nav2's path: what it touches, and the unknown floor beside it."""

from dataclasses import replace

import numpy as np
import pytest
from builders import Block, Room
from hypothesis import given
from hypothesis import strategies as st
from situations import Known

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import INSCRIBED, LETHAL, OccupancyGrid
from semantic_nav.contracts.vocabulary import Code, NavStatus
from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.subjects import PLANNED, Path, Rejection
from semantic_nav.verify.events import PathAnswered
from semantic_nav.verify.floor.body import Met
from semantic_nav.verify.floor.round_body import RoundBody

START = Pose2D(1.0, 3.0, 0.0)
SQUARE = '[[0.2, 0.2], [0.2, -0.2], [-0.2, -0.2], [-0.2, 0.2]]'
#: The costmap of these rooms is inflated for it, in metres.
RADIUS_M = 0.22


def known(*blocks: Block, unknown: tuple[float, float, float, float] | None = None,
          robot: Pose2D = START, **config: object) -> Known:
    """Return a room in which nothing is known of a part."""
    config = {'robot_radius': RADIUS_M, **config}
    made = Known(Room(blocks=list(blocks)), robot, **config)
    if unknown is not None:
        x0, y0, x1, y1 = unknown
        for take in (made.take_map, made.take_costmap):
            grid = (made.surroundings.map if take == made.take_map
                    else made.surroundings.costmap)
            (top, left), (bottom, right) = grid.cell_of(x0, y0), grid.cell_of(x1, y1)
            cells = grid.cells.copy()
            cells[top:bottom, left:right] = -1
            take(replace(grid, cells=cells))
    return made


def close(made: Known, x0: float, y0: float, x1: float, y1: float) -> None:
    """Close floor as a keep-out filter does, after the inflation."""
    grid = made.surroundings.costmap
    (top, left), (bottom, right) = grid.cell_of(x0, y0), grid.cell_of(x1 - 1e-6, y1 - 1e-6)
    cells = grid.cells.copy()
    cells[top:bottom + 1, left:right + 1] = LETHAL
    made.take_costmap(replace(grid, cells=cells))


def judged(made: Known, *points: tuple[float, float]) -> Rejection | None:
    """Return what becomes of a path."""
    pieces = [(START.x, START.y), *points]
    fine = np.concatenate([np.linspace(a, b, 60)
                           for a, b in zip(pieces, pieces[1:], strict=False)])
    return first_rejection(made.situation, Path(
        Pose2D(*points[-1], 0.0), PathAnswered('path-1', NavStatus.SUCCEEDED, 0, fine)))


TABLE = Block((3.0, 4.0), (2.6, 3.4), (0.0, 0.8))
CHAIR = Block((3.0, 3.4), (4.5, 4.9), (0.0, 0.8))


@pytest.mark.parametrize('footprint', ['', SQUARE])
@pytest.mark.parametrize(('unknown', 'refused'), [
    ((3.0, 2.5, 3.6, 3.5), True), ((3.0, 3.1, 3.6, 3.6), True), ((3.0, 3.4, 3.6, 3.9), False),
    (None, False)])
def test_robot_of_any_shape_is_led_over_no_unknown_floor(
        footprint: str, unknown: tuple[float, float, float, float] | None, refused: bool) -> None:
    made = known(CHAIR, unknown=unknown, footprint=footprint)
    rejection = judged(made, (6.0, 3.0))
    assert (rejection is not None) is refused
    if rejection is not None:
        assert rejection.code is Code.PATH_INVALID and 'unknown floor at (' in rejection.reason


@pytest.mark.parametrize('footprint', ['', SQUARE])
def test_robot_of_any_shape_is_led_past_things_and_not_into_them(footprint: str) -> None:
    made = known(TABLE, footprint=footprint)
    rejection = judged(made, (6.0, 3.0))
    assert rejection is not None and rejection.code is Code.PATH_INVALID
    assert 'would come over something at (' in rejection.reason
    assert judged(made, (2.0, 4.2), (5.0, 4.2), (6.0, 3.0)) is None


def test_round_robot_gets_away_from_what_it_touches_and_from_what_is_unknown_under_it() -> None:
    beside = Block((0.9, 1.1), (3.15, 3.3), (0.0, 0.8))
    assert judged(known(beside), (6.0, 3.0)) is None
    assert judged(known(unknown=(0.9, 2.9, 1.1, 3.1)), (6.0, 3.0)) is None
    ahead = Block((1.3, 1.4), (2.9, 3.1), (0.0, 0.8))
    assert judged(known(beside, ahead), (6.0, 3.0)) is not None


def test_round_robot_leaves_what_it_touches_aslant_and_does_not_follow_it() -> None:
    wall = known(Block((0.0, 6.0), (3.15, 3.3), (0.0, 0.8)))
    assert judged(wall, (1.35, 2.88), (6.0, 2.8)) is None
    rejection = judged(wall, (6.0, 3.0))
    assert rejection is not None and 'would come over something at (1.5' in rejection.reason


def test_path_is_no_longer_than_a_way_may_be() -> None:
    made = known(way_max_m=8.0)
    assert judged(made, (6.0, 3.0)) is None
    rejection = judged(made, (2.0, 1.0), (5.0, 1.0), (6.0, 3.0), (5.0, 5.0))
    assert rejection is not None and rejection.code is Code.TOO_FAR
    assert rejection.reason == 'the path to (5.00, 5.00) is 10 m long'


@pytest.mark.parametrize('shut', [None, (2.0, 2.0, 2.1, 2.1), (2.6, 3.0, 3.6, 3.05)])
def test_how_wide_a_robot_is_no_costmap_tells(
        shut: tuple[float, float, float, float] | None) -> None:
    """Of a filter after the inflation, or far from everything, it would tell nothing."""
    unknown = (3.0, 3.1, 3.6, 3.6)
    for radius_m, x in ((RADIUS_M, 3.0), (0.0, None)):
        made = known(unknown=unknown, robot_radius=radius_m)
        if shut is not None:
            close(made, *shut)
        rejection = judged(made, (2.0, 3.0), (4.0, 3.0))
        if shut is not None and shut[1] == 3.0:
            assert rejection is not None and 'over something at (' in rejection.reason
        elif x is None:
            assert rejection is None, 'only its middle is known'
        else:
            assert rejection is not None and 'unknown floor at (' in rejection.reason


def test_robot_of_unknown_width_is_led_over_no_unknown_floor_and_into_nothing() -> None:
    for blocks, unknown in (((), (3.0, 2.5, 3.6, 3.5)), ((TABLE,), None)):
        rejection = judged(known(*blocks, unknown=unknown, robot_radius=0.0), (6.0, 3.0))
        assert rejection is not None and rejection.code is Code.PATH_INVALID


@pytest.mark.parametrize(('deep', 'refused'), [(-1, False), (0, False), (1, True), (3, True)])
def test_path_may_cut_a_corner_of_what_it_must_keep_off_by_one_cell(
        deep: int, refused: bool) -> None:
    """NavFn smooths its paths between the cells that it may pass."""
    made = known(TABLE)
    costmap = made.surroundings.costmap
    row, column = costmap.cell_of(3.5, 3.0)
    edge = int(np.flatnonzero(costmap.cells[row:, column] < INSCRIBED)[0]) + row - 1
    _, y = costmap.centre_of(edge - deep, column)
    assert (costmap.value_at(3.5, y) >= INSCRIBED) is (deep >= 0)
    assert (judged(made, (2.0, 4.2), (3.2, y), (3.8, y), (5.0, 4.2), (6.0, 3.0))
            is not None) is refused


@pytest.mark.parametrize(('long_m', 'refused'), [(0.6, False), (3.0, True)])
def test_path_cuts_corners_and_does_not_follow_a_thing_that_the_robot_touches(
        long_m: float, refused: bool) -> None:
    made = known(Block((2.0, 5.6), (2.6, 3.4), (0.0, 0.8)))
    costmap = made.surroundings.costmap
    row, column = costmap.cell_of(3.5, 3.0)
    edge = int(np.flatnonzero(costmap.cells[row:, column] < INSCRIBED)[0]) + row - 1
    _, y = costmap.centre_of(edge, column)
    assert (judged(made, (1.5, 4.2), (2.3, 4.2), (2.4, y), (2.4 + long_m, y), (5.6, 4.2))
            is not None) is refused


def test_path_of_a_robot_beside_a_board_does_not_lead_through_it() -> None:
    """What it touches now it leaves behind, and does not go over."""
    for thick_m in (0.05, 0.1):
        made = known(Block((1.12, 1.12 + thick_m), (2.0, 4.0), (0.0, 0.8)))
        rejection = judged(made, (4.0, 3.0))
        assert rejection is not None and 'would come over something at (1.' in rejection.reason
        assert judged(made, (0.7, 3.0), (0.7, 4.6), (4.0, 4.6)) is None


@pytest.mark.parametrize('thick_m', [0.05, 0.1, 0.5])
@pytest.mark.parametrize('inflated', [True, False])
def test_path_through_a_wall_is_refused_however_thin_it_is(thick_m: float,
                                                           inflated: bool) -> None:
    made = known(*[Block((3.5, 3.5 + thick_m), (0.0, 6.0), (0.0, 2.0))] * inflated)
    if not inflated:
        close(made, 3.5, 0.0, 3.5 + thick_m, 6.0)
    rejection = judged(made, (6.0, 3.0))
    assert rejection is not None and 'would come over something at (3.' in rejection.reason


def test_what_lies_outside_of_a_grid_is_unknown() -> None:
    bare = OccupancyGrid(np.zeros((100, 100), np.int8), 0.05, 0.0, 0.0, 'map', 0)
    for end in ((-0.5, 3.0), (1e7, -1e7), (4.9, 3.0), (1.0, 8.0)):
        met = RoundBody(bare, bare, START, RADIUS_M).met_along(np.array([(1.0, 3.0), end]))
        assert met is not None and met.code is Code.UNKNOWN_SPACE
    assert RoundBody(bare, bare, START, RADIUS_M).met_along(
        np.array([(1.0, 3.0), (4.7, 3.0)])) is None


def test_path_off_a_grid_beside_the_robot_is_met() -> None:
    """What lies under the robot now it may leave, but not far out."""
    bare = OccupancyGrid(np.zeros((80, 80), np.int8), 0.05, 0.0, 0.0, 'map', 0)
    robot = Pose2D(2.0, 0.1, 0.0)
    for radius_m in (0.0, RADIUS_M):
        met = RoundBody(bare, bare, robot, radius_m).met_along(
            np.array([(2.0, 0.1), (2.0, -8.0), (2.0, 0.1), (3.0, 3.0)]))
        assert met is not None and met.code is Code.UNKNOWN_SPACE and -0.5 < met.y < 0.0


def test_round_robot_is_a_disc() -> None:
    cells = np.zeros((100, 100), np.int8)
    cells[64:, 84:] = -1
    grid = OccupancyGrid(cells, 0.05, 0.0, 0.0, 'map', 0)
    for end_m, met in ((4.02, False), (4.17, True)):
        assert (RoundBody(grid, grid, START, RADIUS_M).met_along(
            np.array([(1.0, 3.0), (end_m, 3.0)])) is not None) is met


def test_the_nearer_to_the_beginning_is_told_of_map_and_costmap() -> None:
    free = np.zeros((100, 100), np.int8)
    grids = []
    for column in (50, 40):
        cells = free.copy()
        cells[63:70, column] = -1
        grids.append(OccupancyGrid(cells, 0.05, 0.0, 0.0, 'map', 0))
    for one, other in (grids, grids[::-1]):
        met = RoundBody(one, other, START, RADIUS_M).met_along(np.array([(1.0, 3.0), (4.0, 3.0)]))
        assert met == Met(pytest.approx(2.025), pytest.approx(3.175), Code.UNKNOWN_SPACE)


def test_path_of_a_planner_that_gave_up_is_none() -> None:
    points = np.array([(1.0, 3.0), (2.0, 3.0)])
    for status, code in ((NavStatus.SUCCEEDED, None), (NavStatus.ABORTED, Code.PATH_INVALID)):
        rejection = first_rejection(known().situation, Path(
            Pose2D(2.0, 3.0, 0.0), PathAnswered('path-1', status, 0, points)))
        assert (rejection.code if rejection is not None else None) is code


def test_robot_that_stands_in_something_follows_the_path_that_leads_out() -> None:
    made = known(Block((0.95, 1.05), (2.95, 3.05)))
    assert made.situation.surroundings.stands_in_something
    assert judged(made, (3.0, 3.0)) is None
    stuck = first_rejection(made.situation, Path(
        Pose2D(3.0, 3.0, 0.0), PathAnswered('path-1', NavStatus.ABORTED, 208, np.zeros((0, 2)))))
    assert stuck is not None and stuck.code is Code.MAP_UNAVAILABLE and stuck.wedged


def test_robot_that_its_costmap_does_not_hold_is_told_how_far_outside_it_stands() -> None:
    stuck = first_rejection(known(robot=Pose2D(10.5, 3.0, 0.0)).situation, PLANNED)
    assert stuck is not None and stuck.code is Code.MAP_UNAVAILABLE
    assert 'which stands 2.5 m outside the costmap' in stuck.reason


@given(st.floats(0.0, 0.6), st.floats(0.3, 0.6))
def test_unknown_floor_counts_from_as_near_as_the_robot_is_wide(away_m: float,
                                                                wide_m: float) -> None:
    made = known(CHAIR, unknown=(3.0, 3.0 + away_m, 3.0 + wide_m, 3.9 + away_m))
    around = made.surroundings
    met = RoundBody(around.map, around.costmap, START, RADIUS_M).met_along(
        np.array([(1.0, 3.0), (6.0, 3.0)]))
    # To a cell, of which the middle counts.
    if away_m <= RADIUS_M - 0.1:
        assert met is not None and met.code is Code.UNKNOWN_SPACE
    if away_m >= RADIUS_M + 0.05:
        assert met is None
