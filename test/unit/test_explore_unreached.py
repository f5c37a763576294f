"""What is known, was not looked at and is out of reach: it is told apart from nothing left."""

from dataclasses import replace

import numpy as np
import pytest
from builders import Block, Room, inflated

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.grid import UNKNOWN, OccupancyGrid
from semantic_nav.explore.coverage import Coverage, GoalCoverage
from semantic_nav.explore.distance_field import distance_field
from semantic_nav.explore.policy import Search
from semantic_nav.explore.sweeps import Sweeps
from semantic_nav.explore.unreached import Clearance, UnreachedPart, unreached_parts

#: Two rooms of 4 m, a wall between them with a door from y = 2.5 to 3.5.
WALL = [Block((4.0, 4.1), (0.0, 2.5)), Block((4.0, 4.1), (3.5, 6.0))]
DOOR = Block((4.0, 4.1), (2.5, 3.5))
OPEN, SHUT = Room(blocks=WALL), Room(blocks=[*WALL, DOOR])
LEFT, RIGHT = Pose2D(1.5, 3.0, 0.0), Pose2D(6.5, 3.0, 0.0)
POLICY = Sweeps(look_range_m=3.0, min_gain_m2=1.5)
CLEARANCE = Clearance(passing_m=0.22, standing_m=0.27)


def cells_of(grid: OccupancyGrid, x: tuple[float, float]) -> np.ndarray:
    """Return the cells between two lines across the map."""
    cells = np.zeros(grid.shape, np.bool_)
    cells[:, round(x[0] / grid.resolution_m):round(x[1] / grid.resolution_m)] = True
    return cells


def ways(costmap: OccupancyGrid, robot: Pose2D) -> np.ndarray:
    return distance_field((costmap.cells >= 0) & (costmap.cells < 99),
                          costmap.cell_of(robot.x, robot.y), costmap.resolution_m)


def parts(grid: OccupancyGrid, costmap: OccupancyGrid, looked: np.ndarray, *,
          reached: np.ndarray | None = None, robot: Pose2D = LEFT,
          postponed: tuple[Pose2D, ...] = (), closed: np.ndarray | None = None,
          policy: Sweeps = POLICY, **fields: object) -> tuple[UnreachedPart, ...]:
    seen = replace(Coverage.none(grid), looked=looked)
    coverage = replace(GoalCoverage.none(grid), in_range=seen, nearby=seen)
    way_m = ways(costmap, robot)
    search = Search(grid, way_m, coverage, robot, (), 0.6, None,
                    lambda pose: (costmap.value_at(pose.x, pose.y) or 0) <= 80, views_wanted=1)
    return unreached_parts(replace(search, **fields),
                           np.isfinite(way_m) if reached is None else reached, postponed,
                           CLEARANCE, policy, closed)


LOOKED_LEFT = cells_of(OPEN.map(), (0.0, 4.2))
ALL = cells_of(OPEN.map(), (0.0, 8.0))


def test_door_shut_in_the_costmap_alone_hides_a_room() -> None:
    (part,) = parts(OPEN.map(), SHUT.costmap(0), LOOKED_LEFT)
    assert part.view.x > 4.0 and 15.0 < part.area_m2 < 24.0
    assert part.blockage is not None
    x, y = part.blockage.at
    assert 3.6 <= x <= 4.4 and 2.5 < y < 3.5
    near, far = part.blockage.look_from
    assert near.x < 3.4 and far.x < 3.4
    assert near.distance_to(x, y) == pytest.approx(0.9, abs=0.2)
    assert 0.9 <= far.distance_to(x, y) <= 2.0
    assert all(abs(pose.bearing_to(x, y)) < 0.01 for pose in (near, far))
    assert 0.8 < abs(wrap_angle(far.yaw - near.yaw)) < 1.3, 'from another side'


def test_closed_floor_is_no_part() -> None:
    room = cells_of(OPEN.map(), (4.2, 8.0))
    assert parts(OPEN.map(), SHUT.costmap(0), LOOKED_LEFT, closed=room) == ()
    # A part of it may be open.
    (part,) = parts(OPEN.map(), SHUT.costmap(0), LOOKED_LEFT,
                    closed=cells_of(OPEN.map(), (6.0, 8.0)))
    assert part.view.x < 6.0


def test_door_shut_in_the_map_too_hides_what_is_free_in_the_map() -> None:
    (part,) = parts(SHUT.map(), SHUT.costmap(0), LOOKED_LEFT)
    assert part.view.x > 4.1
    assert part.blockage is None and part.way_m == np.inf, 'no way there was ever known'


def test_door_shut_in_the_map_too_is_where_the_way_led() -> None:
    before = np.isfinite(ways(OPEN.costmap(0), LEFT))
    (part,) = parts(SHUT.map(), SHUT.costmap(0), LOOKED_LEFT, reached=before)
    assert part.blockage is not None and 3.6 <= part.blockage.at[0] <= 4.4
    assert 2.0 < part.way_m < 9.0


def test_robot_that_came_too_near_to_something_knows_where_the_way_is_blocked() -> None:
    beside = Room(blocks=[*WALL, DOOR, Block((1.1, 1.4), (2.8, 3.2))])
    before = np.isfinite(ways(OPEN.costmap(0), LEFT))
    now_m = ways(beside.costmap(0), Pose2D(1.8, 3.0, 0.0))
    assert not np.isfinite(now_m[beside.map().cell_of(LEFT.x, LEFT.y)])
    (part,) = parts(beside.map(), beside.costmap(0), LOOKED_LEFT, reached=before, way_m=now_m)
    assert part.blockage is not None and 3.6 <= part.blockage.at[0] <= 4.4
    assert part.blockage.look_from


def test_opening_that_was_seen_counts_with_little_floor_behind_it() -> None:
    unknown = cells_of(OPEN.map(), (5.2, 8.0))
    open_, shut = (replace(room.map(), cells=np.where(unknown, UNKNOWN, room.map().cells)
                           .astype(np.int8)) for room in (OPEN, SHUT))
    before = np.isfinite(ways(inflated(open_), LEFT))
    looked = ~unknown
    (part,) = parts(shut, inflated(shut), looked, reached=before)
    assert 4.1 < part.view.x < 5.2


@pytest.mark.parametrize('costmap', [OPEN.costmap(0), SHUT.costmap(0)], ids=['open', 'shut'])
def test_nothing_is_left_where_all_was_looked_at(costmap: OccupancyGrid) -> None:
    assert parts(OPEN.map(), costmap, ALL) == ()


def test_what_is_in_reach_is_the_searchs_own_unless_it_was_left_out() -> None:
    assert parts(OPEN.map(), OPEN.costmap(0), LOOKED_LEFT) == ()
    (failed,) = parts(OPEN.map(), OPEN.costmap(0), LOOKED_LEFT, postponed=(RIGHT,))
    assert failed.blockage is None and failed.area_m2 < 10.0
    assert failed.view.distance_to(RIGHT.x, RIGHT.y) <= 0.5
    assert parts(OPEN.map(), OPEN.costmap(0), ALL, postponed=(RIGHT,)) == ()


def test_view_that_was_looked_from_is_not_named_again() -> None:
    (first,) = parts(OPEN.map(), SHUT.costmap(0), LOOKED_LEFT)
    (second,) = parts(OPEN.map(), SHUT.costmap(0), LOOKED_LEFT, done=(first.view,))
    assert second.view != first.view


def test_pose_in_the_wrong_room_leaves_the_right_one_unreached() -> None:
    """After a jump only what surrounds the wrong pose is in reach, and all of it was looked at."""
    before = np.isfinite(ways(OPEN.costmap(0), LEFT))
    looked_right = cells_of(OPEN.map(), (4.0, 8.0))
    (part,) = parts(SHUT.map(), SHUT.costmap(0), looked_right, reached=before, robot=RIGHT)
    assert part.view.x < 4.0 and part.area_m2 > 10.0


def test_pose_in_a_wall_is_no_ground_to_say_that_nothing_is_left() -> None:
    before = np.isfinite(ways(OPEN.costmap(0), LEFT))
    walled = replace(SHUT.costmap(0), cells=np.full(SHUT.map().shape, 100, np.int8))
    (part,) = parts(OPEN.map(), walled, LOOKED_LEFT, reached=before,
                    robot=Pose2D(0.05, 0.05, 0.0))
    assert part.blockage is None, 'nobody knows where the robot is'


def test_gap_too_narrow_for_the_robot_is_no_way() -> None:
    narrow = Room(blocks=[Block((4.0, 4.1), (0.0, 2.8)), Block((4.0, 4.1), (3.1, 6.0))])
    (part,) = parts(narrow.map(), narrow.costmap(0), LOOKED_LEFT)
    assert part.blockage is None and part.way_m == np.inf


def test_slivers_beside_furniture_are_no_parts() -> None:
    """The edge of what is clear wavers, and free cells too narrow to stand on mean nothing."""
    crack = Block((4.0, 7.9), (0.4, 6.0))
    room = Room(blocks=[crack, Block((4.0, 4.1), (0.0, 0.4))])
    assert parts(room.map(), room.costmap(0), LOOKED_LEFT) == ()


def nook(wide_m: float) -> tuple[UnreachedPart, ...]:
    """Return the parts of a room that was looked at but for a corner with something before it.

    Args:
        wide_m: edge of the corner, in metres.
    """
    edge = 6.0 - wide_m
    room = Room(blocks=[*WALL, DOOR, Block((0.0, wide_m + 0.1), (edge - 0.1, edge)),
                        Block((wide_m, wide_m + 0.1), (edge, 6.0))])
    grid, looked = room.map(), ALL.copy()
    looked[round(edge / grid.resolution_m):, :round(wide_m / grid.resolution_m)] = False
    return parts(grid, room.costmap(0), looked, robot=Pose2D(2.5, 2.0, 0.0),
                 policy=Sweeps(look_range_m=3.0, min_gain_m2=0.75))


def test_corner_that_furniture_closes_is_a_nook() -> None:
    (part,) = nook(1.4)
    assert part.is_nook and 0.5 < part.area_m2 < 1.0


def test_what_is_large_or_was_once_in_reach_is_no_nook() -> None:
    (large,) = nook(1.8)
    assert not large.is_nook
    (part,) = nook(1.4)
    assert not replace(part, way_m=3.0).is_nook


def test_parts_come_nearest_first() -> None:
    blocks = [Block((2.6, 2.7), (0.0, 6.0)), Block((5.3, 5.4), (0.0, 6.0))]
    room = Room(blocks=blocks)
    before = np.isfinite(ways(Room().costmap(0), LEFT))
    found = parts(room.map(), room.costmap(0), cells_of(room.map(), (0.0, 2.8)), reached=before)
    assert [2.7 < part.view.x < 5.3 for part in found] == [True, False]
    assert found[0].way_m < found[1].way_m


def test_margin_of_a_map_changes_nothing() -> None:
    grid, costmap = OPEN.map(), SHUT.costmap(0)

    def widened(of: OccupancyGrid) -> OccupancyGrid:
        return replace(of, cells=np.pad(of.cells, 40, constant_values=-1),
                       origin_x_m=-40 * of.resolution_m, origin_y_m=-40 * of.resolution_m)

    (part,) = parts(grid, costmap, LOOKED_LEFT)
    (same,) = parts(widened(grid), widened(costmap), np.pad(LOOKED_LEFT, 40))
    assert same.way_m == pytest.approx(part.way_m) and part.blockage is not None
    assert same.blockage is not None
    assert same.blockage.at == pytest.approx(part.blockage.at)
    assert same.area_m2 == part.area_m2


@pytest.mark.parametrize('at', [(3.0, 3.0), (10.0, 20.0), (12.33, 7.7), (20.1, 11.3)])
def test_door_of_a_large_building_is_looked_at_from_wherever_the_robot_is(
        at: tuple[float, float]) -> None:
    """Of so much floor ways are not exact."""
    wall = [Block((30.0, 30.1), (0.0, 20.0)), Block((30.0, 30.1), (21.0, 40.0))]
    opened = Room(40.0, 40.0, wall)
    shut = Room(40.0, 40.0, [*wall, Block((30.0, 30.1), (20.0, 21.0))])
    looked = cells_of(opened.map(), (0.0, 30.0))
    (part,) = parts(opened.map(), shut.costmap(0), looked, robot=Pose2D(*at, 0.0))
    assert part.blockage is not None and part.blockage.look_from
    assert part.blockage.at == pytest.approx((30.0, 20.5), abs=0.7)
