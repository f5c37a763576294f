"""A base that is not round: costmap, follower and behaviors see its corners."""

import math

import numpy as np
import pytest

from semantic_nav.contracts.footprint import footprint_of
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav_sim.navigator.behaviors import BackUp, BackUpCode, Spin, SpinCode, State
from semantic_nav_sim.navigator.config import NavigatorConfig
from semantic_nav_sim.navigator.costmap import Costmap
from semantic_nav_sim.navigator.follower import can_turn, is_clear, is_wedged
from semantic_nav_sim.navigator.footprint import covered
from semantic_nav_sim.navigator.geometry import STOP, Pose, Velocity
from semantic_nav_sim.navigator.goals import GoalStatus, RobotState
from semantic_nav_sim.navigator.inflation import INSCRIBED, LETHAL
from semantic_nav_sim.navigator.navigation import Navigation, NavigationConfig

TEXT = '[[0.37, 0.27], [0.37, -0.27], [-0.37, -0.27], [-0.37, 0.27]]'
HERE = Pose(0.0, 0.0, 0.0)


def costmap_of(*walls: tuple[slice, slice], text: str = TEXT) -> Costmap:
    """Free floor of 6 m by 6 m with its middle at the origin, and walls in it."""
    cells = np.zeros((120, 120), dtype=np.int8)
    for wall in walls:
        cells[wall] = 100
    return NavigatorConfig(footprint=text).costmap(
        OccupancyGrid(cells, 0.05, -3.0, -3.0, 'map', 0))


def column(x: float) -> tuple[slice, slice]:
    index = math.floor((x + 3.0) / 0.05)
    return slice(0, 120), slice(index, index + 1)


def test_inflation_is_by_the_inscribed_radius() -> None:
    costmap = costmap_of(column(0.0))
    assert costmap.robot_radius_m == pytest.approx(0.27)
    middle = 60
    for cells in range(12):
        cost = costmap.cost[60, middle + cells]
        assert (cost == LETHAL) == (cells == 0)
        assert (cost == INSCRIBED) == (0 < cells * 0.05 <= 0.27)


def test_footprint_is_cleared_by_its_shape() -> None:
    costmap = costmap_of()
    bearings = np.linspace(-math.pi, math.pi, 720, endpoint=False)
    ranges = np.full(720, 0.4)
    costmap.see(Pose(0.0, 0.0, 0.0), HERE, bearings, ranges, 0.1, 10.0)
    assert costmap.cost[costmap.cell(0.0, 0.4)] == LETHAL, 'beside it'
    costmap.see(Pose(0.0, 0.0, 0.0), HERE, bearings, np.full(720, 0.3), 0.1, 10.0)
    assert costmap.cost[costmap.cell(0.3, 0.0)] != LETHAL, 'under its nose'
    assert costmap.cost[costmap.cell(0.0, 0.3)] == LETHAL


def test_beside_a_wall_it_drives_along_but_does_not_turn() -> None:
    costmap, along = costmap_of(column(0.35)), Pose(0.0, 0.0, math.pi / 2)
    assert not is_wedged(costmap, along)
    assert is_clear(costmap, along, Velocity(0.3, 0.0), 1.0)
    assert not can_turn(costmap, along, 1.0, 1.5, 1.0)
    assert not is_clear(costmap, HERE, Velocity(0.3, 0.0), 1.0)
    assert is_wedged(costmap_of(column(0.3)), HERE)
    round_ = costmap_of(column(0.35), text='')
    assert can_turn(round_, along, 1.0, 1.5, 1.0)


def test_where_it_touches_something_it_may_move_away() -> None:
    # The outline is in the wall's cells, though not half a cell deep.
    costmap, along = costmap_of(column(0.25)), Pose(0.0, 0.0, math.pi / 2)
    assert not is_wedged(costmap, along)
    assert not is_clear(costmap, along, Velocity(0.3, 0.0), 1.0)
    away = Pose(0.0, 0.0, math.pi)
    assert is_clear(costmap_of(column(0.35)), away, Velocity(0.3, 0.0), 1.0)


def test_spin_is_refused_where_a_corner_would_hit() -> None:
    spin = Spin(costmap_of(column(0.35)), 0.0, Pose(0.0, 0.0, math.pi / 2), 1.57, 10.0)
    assert spin.tick(0.0, Pose(0.0, 0.0, math.pi / 2)) == STOP
    assert (spin.state, spin.code) == (State.FAILED, SpinCode.COLLISION_AHEAD)
    spin = Spin(costmap_of(column(0.5)), 0.0, HERE, 1.57, 10.0)
    assert spin.tick(0.0, HERE).angular > 0.0


def test_back_up_is_refused_where_its_tail_would_hit() -> None:
    costmap = costmap_of(column(-0.6))
    back = BackUp(costmap, 0.0, HERE, (0.4, 0.0, 0.0), 0.15, 10.0)
    back.tick(0.0, HERE)
    assert back.code == BackUpCode.COLLISION_AHEAD
    back = BackUp(costmap, 0.0, HERE, (0.1, 0.0, 0.0), 0.15, 10.0)
    assert back.tick(0.0, HERE).linear < 0.0


@pytest.mark.parametrize('goal', [Pose(2.0, 0.0, 0.0), Pose(2.0, 1.5, 2.0)])
def test_goal_is_reached_through_a_door_without_a_touch(goal: Pose) -> None:
    wall = column(0.0)[1]
    costmap = costmap_of((slice(0, 48), wall), (slice(73, 120), wall))
    navigation = Navigation(NavigationConfig(), costmap, costmap, goal)
    pose, now_s = Pose(-2.0, -1.5, 1.5), 0.0
    body = footprint_of(TEXT)
    assert body is not None
    x, y = np.meshgrid(*(-3.0 + (np.arange(120) + 0.5) * 0.05,) * 2)
    while navigation.status is GoalStatus.EXECUTING:
        assert now_s < 120.0
        velocity = navigation.tick(RobotState(now_s, pose, pose))
        pose = pose.moved(velocity.linear * 0.05, velocity.angular * 0.05)
        now_s += 0.05
        assert not (costmap.cost[covered(body, pose, x, y)] == LETHAL).any(), pose
    assert navigation.status is GoalStatus.SUCCEEDED
    assert pose.distance_m(goal.x, goal.y) <= 0.25
