import math

import numpy as np
import pytest

from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav_sim.navigator.costmap import LETHAL, Costmap
from semantic_nav_sim.navigator.geometry import Pose
from semantic_nav_sim.navigator.planner import PlanCode, length_m, plan_path, resampled

RADIUS_M, TOLERANCE_M = 0.22, 0.5


def make(cells, inflation_m=0.45):
    return Costmap(OccupancyGrid(cells, 0.05, 0.0, 0.0, 'map', 0), RADIUS_M, inflation_m, 3.0)


@pytest.fixture(scope='module')
def house():
    """8 m by 6 m, a wall at x = 4 m with a door at y = 4.5 to 5.5 m, a block of 2 m by 2 m."""
    cells = np.zeros((120, 160), dtype=np.int8)
    cells[[0, -1], :] = cells[:, [0, -1]] = 100
    cells[:, 79:81] = 100
    cells[90:110, 79:81] = 0
    cells[20:60, 110:150] = 100
    return make(cells)


def plan(costmap, start, goal, tolerance_m=TOLERANCE_M):
    return plan_path(costmap, Pose(*start, 0.0), Pose(*goal, 1.0), tolerance_m)


def test_path_goes_through_the_door_and_touches_nothing(house):
    found = plan(house, (1.0, 1.0), (7.0, 5.0))
    assert found.code == PlanCode.NONE
    assert tuple(found.points[0]) == (1.0, 1.0)
    assert tuple(found.points[-1]) == (7.0, 5.0)
    assert found.end == Pose(7.0, 5.0, 1.0)
    assert min(house.clearance_at(x, y) for x, y in found.points) > RADIUS_M
    crossing = found.points[np.abs(found.points[:, 0] - 4.0) < 0.05]
    assert ((crossing[:, 1] > 4.5) & (crossing[:, 1] < 5.5)).all()


def test_path_is_dense_and_short(house):
    found = plan(house, (1.0, 1.0), (7.0, 5.0))
    steps = np.hypot(*np.diff(found.points, axis=0).T)
    assert steps.max() < 0.08
    by_the_door = math.dist((1.0, 1.0), (4.0, 4.8)) + math.dist((4.0, 4.8), (7.0, 5.0))
    assert length_m(found.points) < 1.05 * by_the_door


def test_path_in_the_open_is_straight(house):
    found = plan(house, (0.6, 1.0), (3.4, 2.2))
    assert length_m(found.points) == pytest.approx(math.dist((0.6, 1.0), (3.4, 2.2)), rel=0.01)


@pytest.mark.parametrize(('start', 'goal', 'code'), [
    ((9.0, 1.0), (1.0, 1.0), PlanCode.START_OUTSIDE_MAP),
    ((1.0, 1.0), (9.0, 1.0), PlanCode.GOAL_OUTSIDE_MAP),
    ((1.0, 1.0), (math.nan, 1.0), PlanCode.GOAL_OUTSIDE_MAP),
    ((1.0, 1.0), (6.5, 2.0), PlanCode.NO_VALID_PATH),
    ((6.5, 2.0), (1.0, 1.0), PlanCode.NO_VALID_PATH),
])
def test_failures_have_nav2s_codes(house, start, goal, code):
    found = plan(house, start, goal)
    assert (found.code, len(found.points)) == (code, 0)


def test_path_to_a_goal_just_inside_a_wall_ends_beside_it(house):
    found = plan(house, (5.0, 1.0), (5.6, 2.0))
    assert found.code == PlanCode.NONE
    away = math.hypot(found.end.x - 5.6, found.end.y - 2.0)
    assert 0.1 < away < 0.5
    assert house.clearance_at(found.end.x, found.end.y) > RADIUS_M
    assert plan(house, (5.0, 1.0), (5.6, 2.0), 0.1).code == PlanCode.NO_VALID_PATH


def test_goal_at_the_start_is_a_path_of_one_pose(house):
    found = plan(house, (1.0, 1.0), (1.01, 1.01))
    assert (found.code, len(found.points)) == (PlanCode.NONE, 1)


def test_closed_room_cannot_be_reached():
    cells = np.zeros((100, 100), dtype=np.int8)
    cells[:, 50] = 100
    assert plan(make(cells), (1.0, 1.0), (4.5, 1.0)).code == PlanCode.NO_VALID_PATH


def test_robot_too_close_to_a_wall_may_leave(house):
    found = plan(house, (0.18, 3.0), (2.0, 3.0))
    assert found.code == PlanCode.NONE
    assert house.cost[house.cell(0.18, 3.0)] < LETHAL


@pytest.mark.parametrize('goal', [(2.2, 1.5), (2.25, 1.75), (2.3, 1.9)])
def test_robot_too_close_to_a_corner_comes_no_closer_on_its_way_around_it(goal):
    cells = np.zeros((80, 80), dtype=np.int8)
    cells[:40, :40] = 100
    costmap, start = make(cells, inflation_m=0.7), (1.85, 2.16)
    found = plan(costmap, start, goal)
    assert found.code == PlanCode.NONE
    clearances = [costmap.clearance_at(x, y) for x, y in found.points]
    assert clearances[0] == min(clearances) < RADIUS_M
    free = next(index for index, one in enumerate(clearances) if one > RADIUS_M)
    assert length_m(found.points[:free + 1]) < 0.1
    assert min(clearances[free:]) > RADIUS_M


def test_no_way_leads_out_of_a_gap_that_is_narrower_than_the_robot():
    cells = np.zeros((80, 80), dtype=np.int8)
    cells[10:60, 30] = cells[10:60, 39] = 100
    inside, mouth = (1.75, 2.0), (1.75, 3.05)
    costmap = make(cells)
    assert 0.18 < costmap.clearance_at(*inside) < RADIUS_M
    assert plan(costmap, inside, (1.0, 3.5)).code == PlanCode.NO_VALID_PATH
    assert plan(costmap, mouth, (1.0, 3.5)).code == PlanCode.NONE


def test_unknown_space_is_passable_but_avoided():
    cells = np.zeros((60, 120), dtype=np.int8)
    cells[:, 50:60] = -1
    through = plan(make(cells), (1.0, 1.0), (5.0, 1.0))
    assert through.code == PlanCode.NONE
    cells[10:30, 50:60] = 0
    around = plan(make(cells), (1.0, 2.0), (5.0, 2.0))
    inside = around.points[(around.points[:, 0] > 2.5) & (around.points[:, 0] < 3.0)]
    assert (inside[:, 1] < 1.55).all()


def test_resampling_keeps_corners_and_ends():
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.52]])
    points = resampled(corners, 0.05)
    for corner in corners:
        assert (np.abs(points - corner).sum(axis=1) < 1e-12).any()
    assert length_m(points) == pytest.approx(1.52)
    assert length_m(points[:1]) == 0.0
