"""What was looked at."""

import math

import numpy as np
import pytest
from builders import CAMERA, Block, Room, base_T_CAMERA
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import OCCUPIED, UNKNOWN, OccupancyGrid
from semantic_nav.explore.coverage import Coverage, GoalCoverage
from semantic_nav.explore.surfaces import SeenSurfaces
from semantic_nav.verify.grounding.grounding import seen_surfaces


def grid_of(height: int, width: int, resolution_m: float = 0.1, x: float = 0.0, y: float = 0.0,
            ) -> OccupancyGrid:
    return OccupancyGrid(np.zeros((height, width), np.int8), resolution_m, x, y, 'map', 0)


def surfaces(points: list[tuple[float, float]], at: tuple[float, float] = (-100.0, -100.0),
             ) -> SeenSurfaces:
    return SeenSurfaces(*at, 0.0, 0.5, 3.0, np.array(points, float).reshape(-1, 2))


def look(room: Room, robot: Pose2D, coverage: Coverage, extra: tuple[Block, ...] = (),
         range_m: float = 3.0) -> Coverage:
    map_T_camera = Transform.from_pose(robot) @ base_T_CAMERA
    depth = room.depth(map_T_camera, CAMERA, extra)
    return coverage.after(seen_surfaces(depth, CAMERA, map_T_camera, range_m))


def test_nothing_is_looked_at_at_first() -> None:
    coverage = Coverage.none(grid_of(20, 30))
    assert not coverage.looked.any()
    everything = np.ones((20, 30), np.bool_)
    assert coverage.share_of(everything) == 0.0
    assert coverage.unlooked_m2(everything) == pytest.approx(6.0)


def test_share_and_area_count_the_cells_that_are_asked_about() -> None:
    coverage = Coverage.none(grid_of(10, 10))
    coverage.looked[:5] = True
    cells = np.zeros((10, 10), np.bool_)
    assert coverage.share_of(cells) == 0.0, 'of nothing, nothing was looked at'
    assert coverage.unlooked_m2(cells) == 0.0
    cells[4:8, 0] = True
    assert coverage.share_of(cells) == 0.25
    assert coverage.unlooked_m2(cells) == pytest.approx(0.03)


def test_cells_of_the_points_are_marked() -> None:
    coverage = Coverage.none(grid_of(10, 10, x=5.0, y=-2.0)).after(
        surfaces([(5.35, -1.75), (4.0, -1.75), (5.35, 90.0)]))
    assert coverage.looked[2, 3] and coverage.looked.sum() == 1


@settings(max_examples=examples(50))
@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), max_size=20),
       st.floats(-50, 50), st.floats(-50, 50))
def test_any_points_from_anywhere(points: list[tuple[float, float]], x: float, y: float) -> None:
    coverage = Coverage.none(grid_of(20, 20)).after(surfaces(points, (x, y)))
    assert coverage.looked.shape == (20, 20)


def test_floor_before_the_robot_is_looked_at_and_behind_it_is_not() -> None:
    room = Room()
    coverage = look(room, Pose2D(4.0, 3.0, 0.0), Coverage.none(room.map()))
    ahead, behind = coverage.looked[60, 125], coverage.looked[60, 30]
    assert ahead and not behind
    looked = np.argwhere(coverage.looked)
    for row, column in looked[::50]:
        x, y = room.map().centre_of(int(row), int(column))
        bearing = math.atan2(y - 3.0, x - 4.1)
        assert abs(bearing) <= math.atan2(80, 120) + 0.1
        assert math.hypot(x - 4.1, y - 3.0) <= 3.1


def test_floor_behind_something_is_not_looked_at() -> None:
    room = Room(blocks=[Block((5.0, 5.2), (2.0, 4.0))])
    coverage = look(room, Pose2D(4.0, 3.0, 0.0), Coverage.none(room.map()))
    assert not coverage.looked[50:70, 112:].any()


def test_person_in_the_way_hides_the_floor_though_no_map_knows_it() -> None:
    room = Room()
    nothing, robot = Coverage.none(room.map()), Pose2D(3.0, 3.0, 0.0)
    open_ = look(room, robot, nothing)
    hidden = look(room, robot, nothing, (Block((4.0, 4.3), (2.4, 3.6)),))
    assert hidden.looked.sum() < 0.6 * open_.looked.sum()


def test_looks_add_up() -> None:
    room = Room()
    coverage = Coverage.none(room.map())
    before = 0
    for turn in range(8):
        coverage = look(room, Pose2D(4.0, 3.0, turn * math.pi / 4), coverage)
        assert coverage.looked.sum() > before
        before = coverage.looked.sum()


def test_what_cannot_be_seen_from_anywhere_is_given_up() -> None:
    """Else exploring would never end."""
    room = Room()
    coverage = Coverage.none(room.map())
    box = (Block((4.5, 5.5), (2.5, 3.5), (0.0, 0.6)),)
    for _ in range(10):
        coverage = look(room, Pose2D(3.0, 3.0, 0.0), coverage, box)
    assert coverage.looked[60, 112], 'behind the box'


# A map that changes

@pytest.mark.parametrize(('dx', 'dy', 'more'), [
    (0.0, 0.0, 0), (-1.0, -0.5, 20), (0.3, 0.2, 0), (-0.2, 0.4, 5)])
def test_looked_at_places_stay_where_they_are_when_the_map_grows(dx: float, dy: float,
                                                                 more: int) -> None:
    coverage = Coverage.none(grid_of(20, 30)).after(surfaces([(1.55, 0.75), (2.95, 1.95)]))
    new = grid_of(20 + more, 30 + more, x=dx, y=dy)
    coverage = coverage.over(new)
    assert coverage.looked.shape == new.shape
    for point in ((1.55, 0.75), (2.95, 1.95)):
        cell = new.cell_of(*point)
        if new.contains(*cell):
            assert coverage.looked[cell]
    assert coverage.looked.sum() <= 2
    coverage = coverage.after(surfaces([(0.85, 0.85)]))
    assert coverage.looked[new.cell_of(0.85, 0.85)]


def test_same_map_again_changes_nothing() -> None:
    coverage = Coverage.none(grid_of(20, 30)).after(surfaces([(1.55, 0.75)]))
    coverage = coverage.over(grid_of(20, 30))
    assert coverage.looked.sum() == 1


def test_asking_or_looking_changes_no_coverage_that_was_there() -> None:
    """Whoever holds one may decide by it as long as he likes."""
    before = Coverage.none(grid_of(20, 30))
    after = before.after(surfaces([(1.55, 0.75)]))
    after.over(grid_of(40, 60)).after(surfaces([(0.85, 0.85)]))
    assert not before.looked.any() and not before.missed.any()
    assert after.looked.sum() == 1


def test_no_look_misses_what_lies_behind_a_wall_that_the_map_has_learnt() -> None:
    """On a map of before, all of this was unknown, which a look reaches into."""
    unknown, known = (grid_of(20, 40) for _ in range(2))
    unknown.cells[:, 12:] = UNKNOWN
    known.cells[:, 12:14] = OCCUPIED
    coverage = Coverage.none(unknown).over(known)
    assert coverage.grid is known
    for _ in range(2):
        coverage = coverage.after(surfaces([(1.25, 0.75)], at=(0.55, 0.75)))
    assert not coverage.looked[:, 20:].any() and not coverage.missed[:, 20:].any()


def test_what_looks_missed_counts_on_while_the_map_grows() -> None:
    """A map that SLAM makes changes its frame between any two looks, and a search is to end."""
    grid, seen = grid_of(20, 40), surfaces([(0.95, 0.75)], at=(0.55, 0.75))
    grid.cells[:, 30:] = UNKNOWN
    first = Coverage.none(grid).after(seen)
    assert first.missed[:, :30].any() and first.missed[:, 30:].any()
    grown = first.over(grid_of(25, 45, x=-0.23, y=-0.52))
    assert (grown.missed[5:25, 2:32] == first.missed[:, :30]).all()
    assert not grown.missed[:, 32:].any(), 'a wall may have been found before it'
    assert grown.after(seen).looked[5:25, 2:32].sum() > 100


def test_what_was_looked_at_from_nearby_is_kept_apart() -> None:
    coverage = GoalCoverage.none(grid_of(20, 40)).after(
        surfaces([(1.55, 0.75), (2.95, 0.75), (3.75, 0.75)], at=(0.55, 0.75)), 3.0)
    assert coverage.in_range.looked.sum() == 2
    assert coverage.nearby.looked.sum() == 1 and coverage.nearby.looked[7, 15]
    moved = coverage.over(grid_of(30, 40))
    assert moved.in_range.looked.shape == moved.nearby.looked.shape == (30, 40)
    assert moved.nearby.looked[7, 15]
    # Farther than a look counts it may have been seen all the same.
    keen, poor = moved.overlooked
    assert (keen.chance < 1.0).sum() == 3 and (poor.chance < 1.0).sum() == 3


def test_map_of_another_resolution_begins_anew() -> None:
    coverage = Coverage.none(grid_of(20, 30)).after(surfaces([(1.55, 0.75)]))
    coverage = coverage.over(grid_of(40, 60, 0.05))
    assert coverage.looked.shape == (40, 60) and not coverage.looked.any()


DOOR = Block((4.8, 4.9), (0.1, 5.9))


@pytest.mark.parametrize('looks', [1, 2, 5])
def test_what_is_behind_something_that_is_in_no_map_is_not_looked_at(looks: int) -> None:
    """A person before the camera, or a door that has closed, hides it for the moment only."""
    coverage = Coverage.none(Room().map())
    for _ in range(looks):
        coverage = look(Room(), Pose2D(3.0, 3.0, 0.0), coverage, extra=(DOOR,))
    behind = (slice(40, 80), slice(104, 120))
    assert coverage.looked[:, 90:100].any()
    assert not coverage.looked[behind].any() and not coverage.missed[behind].any()
    assert look(Room(), Pose2D(3.0, 3.0, 0.0), coverage).looked[behind].mean() > 0.6


def test_what_is_behind_something_in_the_map_counts_after_several_looks() -> None:
    low = Block((4.0, 4.4), (2.0, 4.0), (0.0, 0.7))
    room = Room(blocks=[low])
    coverage = Coverage.none(room.map())
    for _ in range(3):
        coverage = look(room, Pose2D(2.5, 3.0, 0.0), coverage)
    assert coverage.looked[40:80, 60:80].mean() > 0.5
    assert coverage.missed.any()
