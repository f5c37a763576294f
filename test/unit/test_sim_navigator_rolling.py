"""The local costmap: it rolls, and knows what scans have told and nothing else."""

import math

import numpy as np
import pytest
from grid_scans import GridScans
from scipy.ndimage import distance_transform_edt

from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav_sim.navigator.costmap import FREE_SPACE, INSCRIBED, LETHAL
from semantic_nav_sim.navigator.follower import is_clear, is_wedged
from semantic_nav_sim.navigator.geometry import Pose, Velocity
from semantic_nav_sim.navigator.rays import passed
from semantic_nav_sim.navigator.rolling_costmap import RollingCostmap

RADIUS_M, CELL_M = 0.22, 0.05
BEARINGS = np.linspace(-math.pi, math.pi, 360, endpoint=False)
HERE = Pose(0.0, 0.0, 0.0)


def make() -> RollingCostmap:
    return RollingCostmap(RADIUS_M, 0.7, 3.0)


def see(costmap: RollingCostmap, ranges: object, pose: Pose = HERE) -> None:
    costmap.see(pose, pose, BEARINGS, np.broadcast_to(np.asarray(ranges, float), 360), 0.1, 8.0)


def post(pose: Pose, x: float, y: float, radius_m: float = 0.1) -> np.ndarray:
    """Ranges to a round post, infinite beside it."""
    away_m, bearing = pose.distance_m(x, y), math.atan2(y - pose.y, x - pose.x) - pose.yaw
    off = np.abs(np.remainder(BEARINGS - bearing + math.pi, math.tau) - math.pi)
    return np.where(off < math.asin(radius_m / away_m), away_m - radius_m, np.inf)


def lethal(costmap: RollingCostmap) -> set[tuple[int, int]]:
    """Lethal cells, counted from the origin of the odom frame."""
    row, col = (round(origin / CELL_M) for origin in (costmap.origin_y, costmap.origin_x))
    return {(row + cell[0], col + cell[1])
            for cell in np.argwhere(costmap.cost == LETHAL).tolist()}


def test_window_is_as_large_as_the_stock_one_and_unknown_is_free() -> None:
    costmap = make()
    assert costmap.shape == (60, 60) and costmap.current
    assert (costmap.cost == FREE_SPACE).all()
    assert costmap.clearance_at(9.0, 0.0) > 0.7, 'nothing is known beyond its edge'
    assert not costmap.lethal_at(np.array([[9.0, 0.0], [0.0, 0.0]])).any()


@pytest.mark.parametrize('yaw', [0.0, 1.1, -3.0])
def test_window_rolls_with_the_robot_and_keeps_its_cells(yaw: float) -> None:
    costmap, pose = make(), Pose(0.0, 0.0, yaw)
    see(costmap, post(pose, 1.0, 0.3), pose)
    before = lethal(costmap)
    assert before
    for x, y in ((0.013, 0.0), (0.4, -0.3), (0.9, -0.9)):
        costmap.follow(Pose(x, y, yaw))
        assert max(abs(costmap.origin_x + 1.5 - x), abs(costmap.origin_y + 1.5 - y)) < 0.3
        assert lethal(costmap) == before
        away_m = distance_transform_edt(costmap.cost != LETHAL, sampling=CELL_M)
        assert costmap.clearance_m == pytest.approx(np.minimum(away_m, 0.75), abs=1e-6)
    costmap.follow(Pose(-1.5, 0.0, yaw))
    assert not lethal(costmap), 'what the window has left is forgotten'
    costmap.follow(Pose(0.5, 0.0, yaw))
    assert not lethal(costmap)


def test_a_scan_puts_the_robot_in_the_middle() -> None:
    costmap = make()
    for x in np.arange(0.0, 4.0, 0.17):
        see(costmap, np.inf, Pose(x, -x, 0.5))
        assert (costmap.origin_x + 1.5, costmap.origin_y + 1.5) == pytest.approx(
            (x, -x), abs=0.5 * CELL_M + 1e-9)


def test_marks_left_by_a_person_are_cleared_by_rays() -> None:
    costmap = make()
    for y in np.arange(-1.2, 1.2, 0.08):
        see(costmap, post(HERE, 0.9, y, 0.18))
        assert costmap.clearance_at(0.9, y) < 0.25
        assert costmap.clearance_at(0.9, y - 0.9) > 0.3, 'where they were is free again'
    see(costmap, np.inf)
    assert not lethal(costmap)


def test_what_rays_do_not_reach_stays() -> None:
    costmap = make()
    see(costmap, post(HERE, 1.2, 0.0))
    before = lethal(costmap)
    see(costmap, 0.8)
    assert before <= lethal(costmap)
    see(costmap, np.nan)
    see(costmap, 0.05)
    assert before <= lethal(costmap), 'failed measurements tell nothing'


def test_clear_forgets_all_and_it_is_not_current_before_the_next_scan() -> None:
    costmap = make()
    see(costmap, 1.0)
    costmap.clear()
    assert not lethal(costmap) and not costmap.current
    see(costmap, 1.0)
    assert lethal(costmap) and costmap.current


def test_inflation_is_that_of_the_global_one() -> None:
    costmap = make()
    see(costmap, post(HERE, 1.0, 0.0))
    row, col = costmap.cell(0.9, 0.0)
    assert costmap.cost[row, col] == LETHAL
    for cells in range(1, 14):
        distance_m = cells * CELL_M
        assert costmap.cost[row, col - cells] == (INSCRIBED if distance_m <= RADIUS_M else int(
            252 * math.exp(-3.0 * (distance_m - RADIUS_M))))


def test_what_stands_within_the_footprint_is_seen_and_what_stood_there_is_forgotten() -> None:
    costmap = make()
    see(costmap, post(HERE, 0.5, 0.0))
    assert lethal(costmap)
    on_it = Pose(0.4, 0.0, 0.0)
    see(costmap, np.nan, on_it)
    assert not lethal(costmap)
    see(costmap, post(on_it, 0.62, 0.0), on_it)
    assert is_wedged(costmap, on_it)


def test_a_robot_beside_a_wall_may_drive_along_it_and_not_into_it() -> None:
    cells = np.zeros((120, 120), dtype=np.int8)
    cells[:, 66] = 100
    scans, costmap = GridScans(OccupancyGrid(cells, CELL_M, -3.0, -3.0, 'map', 0)), make()
    along = Pose(0.0, 0.0, math.pi / 2.0)
    scans.into(costmap, along)
    assert not is_wedged(costmap, along)
    assert is_clear(costmap, along, Velocity(0.4, 0.0), 1.0)
    assert not is_clear(costmap, HERE, Velocity(0.4, 0.0), 1.0)
    nearer = Pose(0.15, 0.0, 0.0)
    scans.into(costmap, nearer)
    assert is_wedged(costmap, nearer), 'it touches the wall'


# Rays

@pytest.mark.parametrize(('first', 'last', 'rays'), [
    (-math.pi, math.pi * 179 / 180, 360), (-math.pi, math.pi, 361), (0.0, 6.2, 720),
    (-1.0, 1.0, 200), (0.3, 0.3, 1)])
def test_a_cell_is_free_where_a_ray_has_passed_by_its_middle(
        first: float, last: float, rays: int) -> None:
    rng = np.random.default_rng(rays)
    bearings, ranges = np.linspace(first, last, rays), rng.uniform(0.0, 3.0, rays)
    sensor = Pose(0.031, -0.022, 2.4)
    x = (np.arange(50) - 24.5) * CELL_M
    free = passed(x, x, sensor, bearings, ranges, CELL_M)
    away_m = np.hypot(x[None, :] - sensor.x, x[:, None] - sensor.y)
    to = np.arctan2(x[:, None] - sensor.y, x[None, :] - sensor.x)
    off = to[..., None] - sensor.yaw - bearings
    off = np.abs(np.remainder(off + math.pi, math.tau) - math.pi)
    nearest = off.argmin(axis=-1)
    aside_m = away_m * off.min(axis=-1)
    expected = (away_m < ranges[nearest] - CELL_M) & (aside_m <= 0.5 * CELL_M)
    # Where two rays are as near, either may be asked; the rest is a matter of rounding.
    ordered = np.sort(off, axis=-1)
    sure = (np.abs(away_m - ranges[nearest] + CELL_M) > 1e-4) & (
        np.abs(aside_m - 0.5 * CELL_M) > 1e-4) & (
        np.diff(ordered, axis=-1, append=10.0)[..., 0] > 1e-4)
    assert (free == expected)[sure].all()
    assert sure.mean() > 0.9 and expected.any()
