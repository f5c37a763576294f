"""Closed floor and speed zones."""

import math
from itertools import groupby

import numpy as np
import pytest
import shapely
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.polygon import Corners
from semantic_nav.verify.floor.keepout import Keepout, MaskedFloor
from semantic_nav.verify.zones import ClosedFloor, SpeedLimit, Zone, ZoneKind, Zones

SQUARE: Corners = ((0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0))


points_of = st.lists(st.tuples(st.floats(-3, 5), st.floats(-3, 5)), min_size=2, max_size=4)


def longest_run(those: NDArray[np.bool_]) -> int:
    """Return how many in a row are so at most."""
    return max((sum(1 for _ in run) for so, run in groupby(those) if so), default=0)


@given(points_of, st.integers(0, 39), st.integers(0, 39), st.sampled_from((0.0, 0.25)))
def test_piece_of_a_way_meets_a_mask_where_any_point_of_it_does(
        corners: list[tuple[float, float]], row: int, column: int, margin_m: float) -> None:
    cells = np.zeros((40, 40), np.int8)
    cells[row, column] = 100
    floor = MaskedFloor(OccupancyGrid(cells, 0.05, 0.0, 0.0, 'map', 0))
    points = np.array(corners)
    found = floor.meets(points, margin_m)
    for number, (start, end) in enumerate(zip(points, points[1:], strict=False)):
        fine = start + (end - start) * np.linspace(0.0, 1.0, 2000)[:, None]
        held = floor.holds(fine[:, 0], fine[:, 1], margin_m)
        # What it only brushes nobody need see, nor several corners that it brushes in turn.
        if longest_run(held) / 2000 * math.dist(start, end) >= 0.03:
            assert found[number]
        low = np.array([column, row]) * 0.05
        off = np.maximum(np.maximum(low - fine, fine - low - 0.05), 0.0)
        # From cell to cell it may be farther than from point to cell.
        if np.hypot(*off.T).min() > margin_m + 0.01 + (0.05 * math.sqrt(2.0) if margin_m else 0):
            assert not found[number]


def corners_strategy() -> st.SearchStrategy[Corners]:
    """Return stars: their edges do not cross."""
    @st.composite
    def star(draw: st.DrawFn) -> Corners:
        count = draw(st.integers(3, 8))
        x, y = draw(st.floats(-4, 4)), draw(st.floats(-4, 4))
        turns = [(number + draw(st.floats(0.1, 0.9))) / count for number in range(count)]
        reaches = [draw(st.floats(0.3, 4)) for _ in range(count)]
        return tuple((x + reach * math.cos(math.tau * turn), y + reach * math.sin(math.tau * turn))
                     for turn, reach in zip(turns, reaches, strict=True))
    return star()


POINTS = st.lists(st.tuples(st.floats(-8, 8), st.floats(-8, 8)), min_size=1, max_size=12)


def keep_out(corners: Corners = SQUARE, name: str = 'nursery') -> Zone:
    return Zone((name,), ZoneKind.KEEP_OUT, corners)


def keep_in(corners: Corners, name: str = 'ground floor') -> Zone:
    return Zone((name,), ZoneKind.KEEP_IN, corners)


def rectangle(x0: float, y0: float, x1: float, y1: float) -> Corners:
    return ((x0, y0), (x1, y0), (x1, y1), (x0, y1))


@given(st.lists(corners_strategy(), min_size=1, max_size=3),
       st.lists(corners_strategy(), max_size=2), POINTS, st.floats(0, 0.5))
def test_no_way_that_is_let_through_touches_closed_floor(
        out: list[Corners], kept: list[Corners], points: list[tuple[float, float]],
        margin_m: float) -> None:
    closed = [shapely.Polygon(corners) for corners in out]
    room = [shapely.Polygon(corners) for corners in kept]
    assume(all(shape.is_valid for shape in (*closed, *room)))
    keepout = Keepout(margin_m, Zones((*map(keep_out, out), *map(keep_in, kept))))
    way = shapely.LineString(points) if len(points) > 1 else shapely.Point(points[0])
    nearest_m = min(shape.distance(way) for shape in closed)
    if room:
        beyond = shapely.box(-50, -50, 50, 50).difference(shapely.union_all(room))
        nearest_m = min(nearest_m, beyond.distance(way))
    start = points[0]
    if keepout.at(*start):
        return
    found = keepout.entered_by(np.array(points))
    if abs(nearest_m - margin_m) > 1e-3:
        assert bool(found) == (nearest_m <= margin_m)


@pytest.mark.parametrize('apart_m', [0.0, 4e-7])
def test_neighbouring_keep_in_zones_leave_the_way_between_them_open(apart_m: float) -> None:
    keepout = Keepout(0.25, Zones((keep_in(rectangle(0, 0, 3, 3)),
                                   keep_in(rectangle(3 + apart_m, 0, 6, 3), 'store'))))
    assert keepout.at(3.0, 1.5) == ''
    assert keepout.entered_by(np.array([(1.0, 1.5), (5.0, 1.5)])) == ''
    words = "what lies outside of the zone 'ground floor' and the zone 'store'"
    assert keepout.at(3.0, 2.8) == keepout.at(7.0, 1.0) == words
    assert keepout.entered_by(np.array([(1.0, 1.5), (1.0, 4.5)])) == words


@pytest.mark.parametrize(('points', 'comes_in'), [
    ([(1.0, 1.0), (5.0, 1.0)], False),
    ([(1.0, 1.0), (5.0, 1.0), (5.0, 3.0), (1.0, 1.5)], True),
    # Beside the zone it may go away, but not through.
    ([(-0.1, 1.0), (-2.0, 1.0)], False),
    ([(-0.1, 1.0), (3.0, 1.0)], True),
    ([(-0.1, 1.0), (-2.0, 1.0), (-0.1, 1.0)], True),
    ([(-1.0, 1.0), (-0.1, 1.0)], True),
    ([(-1.0, 1.0), (-1.0, 3.0)], False),
])
def test_robot_on_closed_floor_may_leave_it_once(
        points: list[tuple[float, float]], comes_in: bool) -> None:
    keepout = Keepout(0.25, Zones((keep_out(),)))
    assert bool(keepout.entered_by(np.array(points))) is comes_in


@given(st.tuples(st.floats(-1, 3), st.floats(-1, 3)), st.sampled_from([0.0, 1e-300, 1e-9, 1e-3]),
       st.booleans())
def test_way_of_no_length_is_as_near_as_its_ends(
        at: tuple[float, float], length_m: float, outside: bool) -> None:
    floor, (x, y) = ClosedFloor('', (SQUARE,), outside), at
    ends = np.array([(x, y), (x + length_m, y)])
    held = floor.holds(ends[:, 0], ends[:, 1], 0.25)
    assert held.any() <= floor.meets(ends, 0.25)[0] <= floor.holds(*ends[:1].T, 0.26)[0]


def test_closed_floor_is_that_where_the_middle_of_the_robot_is() -> None:
    keepout = Keepout(0.25, Zones((keep_out(), keep_out(rectangle(1, 1, 4, 4), 'office'))))
    assert keepout.on(Pose2D(1.5, 1.5, 0.0)) == {"the zone 'nursery'", "the zone 'office'"}
    assert keepout.on(Pose2D(-0.1, 1.0, 0.0)) == keepout.on(None) == frozenset()
    assert keepout.at(-0.1, 1.0) == "the zone 'nursery'"


def grid(resolution_m: float = 0.05) -> OccupancyGrid:
    size = round(8 / resolution_m)
    return OccupancyGrid(np.zeros((size, size), np.int8), resolution_m, -4.0, -4.0, 'map', 0)


@given(corners_strategy(), st.floats(0, 0.5), st.booleans())
def test_cells_are_those_whose_centres_are_closed(corners: Corners, margin_m: float,
                                                  kept: bool) -> None:
    assume(shapely.Polygon(corners).is_valid)
    keepout = Keepout(margin_m, Zones(((keep_in if kept else keep_out)(corners),)))
    over, coarse = keepout.over(grid(0.5)), grid(0.5)
    assert over is not None
    for row, column in np.ndindex(*coarse.shape):
        x, y = coarse.centre_of(row, column)
        assert over.near[row, column] == bool(keepout.at(x, y))
        assert over.on[row, column] == bool(keepout.on(Pose2D(x, y, 0.0)))


def test_mask_closes_its_cells_and_what_is_near_to_them() -> None:
    cells = np.zeros((40, 40), np.int8)
    cells[10:20, 10:20], cells[30, 30], cells[:, 0] = 100, 99, -1
    mask = OccupancyGrid(cells, 0.1, 0.0, 0.0, 'map', 0)
    keepout = Keepout(0.3, mask=mask)
    assert keepout.on(Pose2D(1.5, 1.5, 0.0)) == {'what the keep-out mask closes'}
    for x, y, closed in ((1.5, 2.2, True), (1.5, 2.6, False), (3.05, 3.05, False),
                         (0.05, 1.0, False), (9.0, 9.0, False)):
        assert bool(keepout.at(x, y)) is closed, (x, y)
    assert keepout.entered_by(np.linspace((0.5, 0.5), (3.0, 3.0), 60))
    assert not keepout.entered_by(np.linspace((0.5, 0.5), (3.0, 0.5), 60))
    over = keepout.over(grid(0.05))
    assert over is not None and over.on.sum() == 400


def test_closed_cells_at_the_rim_of_a_mask_keep_their_margin_beyond_it() -> None:
    cells = np.zeros((20, 20), np.int8)
    cells[5:15, -1] = 100
    keepout = Keepout(0.3, mask=OccupancyGrid(cells, 0.1, 1.0, 1.0, 'map', 0))
    for x, y, closed in ((3.05, 2.0, True), (3.35, 2.0, True), (3.45, 2.0, False),
                         (3.05, 1.25, True), (3.05, 0.9, False), (0.95, 2.0, False)):
        assert bool(keepout.at(x, y)) is closed, (x, y)
    assert not keepout.on(Pose2D(3.05, 2.0, 0.0))
    assert keepout.entered_by(np.array([(4.0, 0.5), (3.15, 2.0), (4.0, 3.5)]))
    assert not keepout.entered_by(np.array([(4.0, 0.5), (3.75, 2.0), (4.0, 3.5)]))
    over, fine = keepout.over(grid(0.05)), grid(0.05)
    assert over is not None and over.near[fine.cell_of(3.15, 2.0)]


def test_least_limit_holds_where_speed_zones_overlap() -> None:
    def slow(corners: Corners, speed: float) -> Zone:
        return Zone(('slow',), ZoneKind.SPEED, corners, SpeedLimit(speed))

    zones = Zones((slow(SQUARE, 0.3), slow(rectangle(1, 1, 3, 3), 0.2), keep_out()))
    assert [zones.limit_at(*at) for at in ((0.5, 0.5), (1.5, 1.5), (2.5, 2.5), (5, 5))] == [
        SpeedLimit(0.3), SpeedLimit(0.2), SpeedLimit(0.2), SpeedLimit(0.0)]
    assert Zones((keep_out(),)).limit_at(0.5, 0.5) is None


def test_nothing_is_closed_without_zones() -> None:
    assert Keepout(0.3).over(grid()) is None
    assert not Keepout(0.3).entered_by(np.array([(0.0, 0.0), (1.0, 1.0)]))
