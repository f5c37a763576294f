"""Where to look next."""

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from builders import Block, Room

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import FREE, OCCUPIED, UNKNOWN, OccupancyGrid
from semantic_nav.explore import viewpoints
from semantic_nav.explore.distance_field import distance_field
from semantic_nav.explore.sweeps import unlooked_worth
from semantic_nav.explore.viewpoints import ExploreSettings, Viewpoint, Worth, rank_viewpoints

SETTINGS = ExploreSettings()


def rank(room: Room, robot: Pose2D, looked: np.ndarray | None = None,
         dormant: tuple[Pose2D, ...] = (), hint: float | None = None,
         settings: ExploreSettings = SETTINGS) -> list[Viewpoint]:
    grid = room.map()
    cost = room.costmap(0)
    ways = distance_field((cost.cells >= 0) & (cost.cells < 99), grid.cell_of(robot.x, robot.y),
                          grid.resolution_m)
    if looked is None:
        looked = np.zeros(grid.shape, np.bool_)
    return list(rank_viewpoints(grid, ways, [unlooked_worth(grid, looked)], robot, dormant,
                                settings, hint))


def test_viewpoints_are_reachable_and_worth_the_way() -> None:
    found = rank(Room(blocks=[Block((4.0, 4.1), (0.0, 6.0))]), Pose2D(2.0, 3.0, 0.0))
    assert found
    for view in found:
        assert math.isfinite(view.way_m) and view.pose.x < 4.0
        assert view.gain_m2 >= SETTINGS.min_gain_m2
    assert [view.score for view in found] == sorted(
        (view.score for view in found), reverse=True)


def test_unseen_side_is_preferred() -> None:
    room = Room(10.0, 6.0)
    for west_seen in (True, False):
        looked = np.zeros(room.map().shape, np.bool_)
        looked[:, :100] = west_seen
        looked[:, 100:] = not west_seen
        best = rank(room, Pose2D(5.0, 3.0, math.pi / 2), looked)[0]
        assert (math.cos(best.pose.yaw) > 0) == west_seen


def test_unknown_room_behind_a_door_draws_the_robot() -> None:
    """All that is known was looked at; what lies behind the door is not known."""
    wall = [Block((5.0, 5.1), (0.0, 2.5)), Block((5.0, 5.1), (3.5, 6.0))]
    grid = Room(10.0, 6.0, wall).map()
    grid.cells[:, 102:] = UNKNOWN
    looked = grid.cells != UNKNOWN
    robot = Pose2D(1.0, 3.0, math.pi)
    ways = distance_field(grid.cells == 0, grid.cell_of(robot.x, robot.y), grid.resolution_m)
    best = next(rank_viewpoints(grid, ways, [unlooked_worth(grid, looked)], robot, (), SETTINGS))
    assert best.gain_m2 > 1.0
    assert abs(best.pose.bearing_to(5.5, 3.0)) < SETTINGS.half_angle_rad


@pytest.mark.parametrize('wall_m', [3.0, 3.05])
def test_wall_of_one_cell_hides_what_is_behind_it(wall_m: float) -> None:
    """Looks show nothing behind it: a view of that would be worth its way for ever."""
    room = Room()
    grid = room.map()
    wall, _ = grid.cell_of(1.0, wall_m)
    grid.cells[wall] = OCCUPIED
    grid.cells[wall + 1:] = UNKNOWN
    robot = Pose2D(2.0, 1.5, 0.0)
    ways = distance_field(grid.cells == FREE, grid.cell_of(robot.x, robot.y), grid.resolution_m)
    worths = [unlooked_worth(grid, grid.cells != UNKNOWN)]
    assert list(rank_viewpoints(grid, ways, worths, robot, (), SETTINGS)) == []


def test_nothing_is_left_when_all_was_looked_at() -> None:
    room = Room()
    looked = np.ones(room.map().shape, np.bool_)
    assert rank(room, Pose2D(2.0, 3.0, 0.0), looked) == []


def test_little_that_is_left_is_not_worth_the_way() -> None:
    room = Room()
    looked = np.ones(room.map().shape, np.bool_)
    looked[60:63, 60:63] = False
    assert rank(room, Pose2D(2.0, 3.0, 0.0), looked) == []
    looked[40:80, 40:80] = False
    assert rank(room, Pose2D(2.0, 3.0, 0.0), looked) != []


def test_room_that_cannot_be_reached_is_no_reason_to_go_on() -> None:
    room = Room(blocks=[Block((4.0, 5.0), (0.0, 6.0))])
    looked = np.zeros(room.map().shape, np.bool_)
    looked[:, :100] = True
    assert rank(room, Pose2D(2.0, 3.0, 0.0), looked) == []


@pytest.mark.slow
def test_dormant_viewpoints_are_left_out() -> None:
    room, robot = Room(), Pose2D(2.0, 3.0, 0.0)
    everything = rank(room, robot)
    first = everything[0].pose
    others = rank(room, robot, dormant=(first,))
    # Of the same position, other headings are left.
    assert {(view.pose.x, view.pose.y) for view in others} == {
        (view.pose.x, view.pose.y) for view in everything}
    for view in others:
        apart_m = view.pose.distance_to(first.x, first.y)
        apart_rad = abs(math.remainder(view.pose.yaw - first.yaw, math.tau))
        assert apart_m >= SETTINGS.dormant_m or apart_rad >= SETTINGS.dormant_rad
    assert rank(room, robot, dormant=tuple(view.pose for view in everything)) == []


@pytest.mark.parametrize('hint', [0.0, 1.5, -1.5, 3.0])
def test_hint_draws_towards_its_direction(hint: float) -> None:
    room, robot = Room(10.0, 10.0), Pose2D(5.0, 5.0, 0.7)
    best = rank(room, robot, hint=hint)[0]
    off = (robot.bearing_to(best.pose.x, best.pose.y) if best.way_m > 0.3
           else best.pose.yaw - robot.yaw)
    assert abs(math.remainder(off - hint, math.tau)) < math.pi / 2


def test_same_question_has_the_same_answer() -> None:
    room, robot = Room(blocks=[Block((3.0, 4.0), (2.0, 4.0))]), Pose2D(2.0, 3.0, 0.3)
    assert rank(room, robot) == rank(room, robot)


@pytest.mark.parametrize('robot', [Pose2D(-3.0, 2.0, 0.0), Pose2D(1e5, 1e5, 0.0)])
def test_robot_beside_the_map(robot: Pose2D) -> None:
    grid = Room().map()
    ways = np.full(grid.shape, np.inf, np.float32)
    worths = [Worth(np.ones(grid.shape))]
    assert list(rank_viewpoints(grid, ways, worths, robot, (), SETTINGS)) == []


@pytest.mark.parametrize('resolution_m', [0.025, 0.2, 1.0, 5.0])
def test_any_resolution(resolution_m: float) -> None:
    cells = np.zeros((12, 15), np.int8)
    grid = OccupancyGrid(cells, resolution_m, 0.0, 0.0, 'map', 0)
    robot = Pose2D(*grid.centre_of(5, 5), 0.0)
    ways = distance_field(cells == 0, (5, 5), resolution_m)
    for view in rank_viewpoints(grid, ways, [Worth(np.ones(cells.shape))], robot, (), SETTINGS):
        assert grid.contains(*grid.cell_of(view.pose.x, view.pose.y))


@pytest.mark.slow
def test_large_map_does_not_fill_the_memory() -> None:
    """The rays of all positions are not cast at once: a hall of 50 m by 50 m took 1.4 GB."""
    grid = OccupancyGrid(np.zeros((300, 300), np.int8), 0.05, 0.0, 0.0, 'map', 0)
    ways = np.ones(grid.shape, np.float32)
    tracemalloc.start()
    list(rank_viewpoints(grid, ways, [Worth(np.ones(grid.shape))], Pose2D(7.0, 7.0, 0.0), (),
                         SETTINGS))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6


def test_of_a_large_hall_the_near_is_tried_closely_and_the_far_sparsely() -> None:
    hall = OccupancyGrid(np.zeros((600, 600), np.int8), 0.1, 0.0, 0.0, 'map', 0)
    robot = Pose2D(30.0, 30.0, 0.0)
    ways = distance_field(hall.cells == 0, hall.cell_of(robot.x, robot.y), hall.resolution_m)
    found = rank_viewpoints(hall, ways, [unlooked_worth(hall, np.zeros(hall.shape, np.bool_))],
                            robot, (), SETTINGS)
    tried = {(view.pose.x, view.pose.y) for view in found}
    assert 2000 < len(tried) < 4500
    near = [place for place in tried if robot.distance_to(*place) < 8.0]
    far = [place for place in tried if robot.distance_to(*place) > 20.0]
    assert len(near) == pytest.approx(math.pi * 8.0**2 * 4, rel=0.05)
    assert max(x for x, _ in far) > 58.0 and len(far) > 500


def test_what_is_worth_a_look_is_found_wherever_it_lies() -> None:
    """Views that show nothing are left out before they are computed."""
    room = Room(20.0, 6.0)
    for at in (9.0, 19.9):
        looked = np.ones(room.map().shape, np.bool_)
        looked[:, round(at / 0.05) - 1:] = False
        found = rank(room, Pose2D(10.0, 3.0, 0.0), looked,
                     settings=replace(SETTINGS, min_gain_m2=1e-9))
        assert found and all(view.pose.x > at - SETTINGS.range_m - 0.05 for view in found)
        assert min(view.pose.x for view in found) < at - SETTINGS.range_m + 0.7


def test_of_a_large_hall_no_nook_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    hall = OccupancyGrid(np.zeros((600, 600), np.int8), 0.1, 0.0, 0.0, 'map', 0)
    looked = np.ones(hall.shape, np.bool_)
    looked[583:595, 540:590] = False
    robot = Pose2D(1.0, 1.0, 0.0)
    ways = distance_field(hall.cells == 0, hall.cell_of(robot.x, robot.y), hall.resolution_m)
    found = []
    for fine in (2000, 1_000_000):
        monkeypatch.setattr(viewpoints, '_FINE', fine)
        found.append(list(rank_viewpoints(hall, ways, [unlooked_worth(hall, looked)], robot, (),
                                          SETTINGS)))
    assert found[0] and found[0] == found[1]
