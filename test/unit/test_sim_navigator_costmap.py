import math

import numpy as np
import pytest
from scipy.ndimage import distance_transform_edt

from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav_sim.navigator.costmap import (
    FREE_SPACE,
    INSCRIBED,
    LETHAL,
    NO_INFORMATION,
    Costmap,
    Window,
)
from semantic_nav_sim.navigator.geometry import Pose
from semantic_nav_sim.navigator.inflation import Inflation

RES_M, RADIUS_M, INFLATION_M, SCALING = 0.05, 0.22, 0.45, 3.0
BEARINGS = np.linspace(-math.pi, math.pi, 360, endpoint=False)
HERE = Pose(0.0, 0.0, 0.3)


def grid(cells, x, y, resolution=RES_M):
    return OccupancyGrid(cells, resolution, x, y, 'map', 0)


def make(cells=None):
    """A grid of 8 m by 6 m around the origin, free unless told otherwise."""
    if cells is None:
        cells = np.zeros((120, 160), dtype=np.int8)
    return Costmap(grid(cells, -4.0, -3.0), RADIUS_M, INFLATION_M, SCALING)


def see(costmap, ranges, pose=HERE):
    costmap.see(pose, pose, BEARINGS, np.broadcast_to(np.asarray(ranges, float), 360), 0.1, 8.0)


def layers_agree(costmap):
    """Whether the windows that were recomputed give what a whole recomputation gives."""
    cost, clearance_m = costmap.cost.copy(), costmap.clearance_m.copy()
    costmap._inflate(costmap.everything, anew=True)
    return (np.array_equal(cost, costmap.cost)
            and np.allclose(clearance_m, costmap.clearance_m, atol=1e-6))


@pytest.mark.parametrize('share', [0.0, 0.001, 0.01, 0.3, 1.0])
@pytest.mark.parametrize('shape', [(1, 1), (3, 50), (50, 3), (40, 60)])
@pytest.mark.parametrize('resolution_m', [0.05, 0.02, 0.1])
def test_distances_are_those_of_a_distance_transform(share, shape, resolution_m):
    inflation = Inflation(RADIUS_M, INFLATION_M, SCALING, resolution_m)
    lethal = np.random.default_rng(11).random(shape) < share
    far_m = inflation.reach * resolution_m
    away_m = (distance_transform_edt(~lethal, sampling=resolution_m) if lethal.any()
              else np.full(shape, far_m))
    squares = inflation.squares(lethal)
    assert inflation.clearance_m[squares] == pytest.approx(np.minimum(away_m, far_m), abs=1e-6)
    assert ((inflation.cost[squares] == LETHAL) == lethal).all()


def test_inflation_follows_nav2s_formula():
    cells = np.zeros((120, 160), dtype=np.int8)
    cells[60, 80] = 100
    costmap = make(cells)
    for away in range(12):
        distance_m, cost = away * RES_M, int(costmap.cost[60, 80 + away])
        if away == 0:
            assert cost == LETHAL
        elif distance_m <= RADIUS_M:
            assert cost == INSCRIBED
        elif distance_m <= INFLATION_M:
            assert cost == int(252 * math.exp(-SCALING * (distance_m - RADIUS_M)))
        else:
            assert cost == FREE_SPACE
        assert costmap.clearance_at(*costmap.centre(60, 80 + away)) == pytest.approx(
            min(distance_m, INFLATION_M + RES_M), abs=1e-6)


def test_unknown_space_stays_unknown_unless_the_robot_would_touch():
    cells = np.full((120, 160), -1, dtype=np.int8)
    cells[60, 80] = 100
    costmap = make(cells)
    assert costmap.cost[60, 90] == NO_INFORMATION
    assert costmap.cost[60, 83] == INSCRIBED
    assert costmap.cost[60, 86] == NO_INFORMATION


def test_point_and_cell_are_inverse():
    costmap = make()
    assert costmap.cell(-4.0, -3.0) == (0, 0)
    assert costmap.cell(*costmap.centre(17, 93)) == (17, 93)
    for x, y in ((-4.01, 0.0), (4.0, 0.0), (0.0, 3.0), (math.nan, 0.0), (math.inf, 0.0)):
        assert costmap.cell(x, y) is None
        assert costmap.clearance_at(x, y) == 0.0


def test_scan_marks_what_is_near_and_not_what_is_far():
    costmap = make()
    see(costmap, 2.0)
    assert (costmap.cost == LETHAL).sum() > 100
    assert costmap.cost[costmap.cell(1.0, 0.0)] == FREE_SPACE
    far = make()
    see(far, 2.6)
    assert not (far.cost == LETHAL).any()


def test_rays_clear_what_is_gone_and_what_was_unknown():
    costmap = make(np.full((120, 160), -1, dtype=np.int8))
    see(costmap, 1.5)
    assert (costmap.cost == LETHAL).any()
    see(costmap, np.inf)
    assert not (costmap.cost == LETHAL).any()
    assert costmap.cost[costmap.cell(2.0, 0.0)] == FREE_SPACE
    assert costmap.cost[costmap.cell(3.5, 0.0)] == NO_INFORMATION


def test_rays_do_not_clear_the_static_map():
    cells = np.zeros((120, 160), dtype=np.int8)
    cells[:, 100] = 100
    costmap = make(cells)
    before = costmap.cost.copy()
    see(costmap, np.inf)
    assert np.array_equal(before, costmap.cost)


def test_useless_ranges_are_ignored():
    costmap = make()
    see(costmap, np.nan)
    see(costmap, 0.05)
    assert not (costmap.cost == LETHAL).any()


def test_nothing_is_marked_under_the_robot():
    costmap = make()
    see(costmap, 0.15)
    assert not (costmap.cost == LETHAL).any()


def test_windows_give_what_the_whole_would():
    rng = np.random.default_rng(7)
    cells = (rng.random((120, 160)) < 0.02).astype(np.int8) * 100
    costmap = make(cells)
    for _ in range(10):
        pose = Pose(*rng.uniform((-4.5, -3.5, -3.0), (4.5, 3.5, 3.0)))
        see(costmap, rng.uniform(0.1, 4.0, 360), pose)
        assert layers_agree(costmap)


def test_clear_forgets_what_was_seen():
    costmap = make()
    before = costmap.cost.copy()
    see(costmap, 1.0)
    assert not np.array_equal(before, costmap.cost)
    costmap.clear()
    assert np.array_equal(before, costmap.cost)


def test_changes_are_told_once_and_hold_every_changed_cell():
    costmap = make()
    assert costmap.take_changed() == costmap.everything
    assert costmap.take_changed() is None
    before = costmap.cost.copy()
    see(costmap, 1.0, Pose(-1.0, 0.0, 0.0))
    see(costmap, 0.8, Pose(1.0, 0.0, 0.0))
    window = costmap.take_changed()
    outside = np.ones(costmap.shape, dtype=bool)
    outside[window.slices] = False
    assert not (before != costmap.cost)[outside].any()
    assert (before != costmap.cost).any()
    see(costmap, 0.8, Pose(1.0, 0.0, 0.0))
    assert costmap.take_changed() is None


def test_the_same_map_again_changes_nothing():
    costmap = make()
    see(costmap, 1.0)
    costmap.take_changed()
    costmap.set_map(grid(np.zeros((120, 160), dtype=np.int8), -4.0, -3.0))
    assert costmap.take_changed() is None


def test_new_map_of_the_same_grid_keeps_obstacles():
    costmap = make()
    see(costmap, 1.0)
    marked = (costmap.cost == LETHAL).sum()
    cells = np.zeros((120, 160), dtype=np.int8)
    cells[0, 0] = 100
    costmap.set_map(grid(cells, -4.0, -3.0))
    assert (costmap.cost == LETHAL).sum() == marked + 1


def test_a_map_that_grows_keeps_obstacles_and_tells_that_all_changed():
    costmap = make()
    see(costmap, 1.0)
    places = [costmap.centre(*cell) for cell in np.argwhere(costmap.cost == LETHAL)]
    # 40 cells more to the west and 20 to the south, some more elsewhere.
    cells = np.full((180, 240), -1, dtype=np.int8)
    costmap.set_map(grid(cells, -6.0, -4.0))
    assert costmap.shape == costmap.cost.shape == costmap.clearance_m.shape == (180, 240)
    assert {costmap.cell(*place) for place in places} == {
        tuple(cell) for cell in np.argwhere(costmap.cost == LETHAL).tolist()}
    assert costmap.take_changed() == costmap.everything
    assert layers_agree(costmap)


def test_a_map_that_shrinks_keeps_what_is_left_of_the_obstacles():
    costmap = make()
    see(costmap, 1.0)
    here = costmap.cell(1.0, 0.0)
    assert (costmap.cost[here[0] - 2:here[0] + 3, here[1] - 2:here[1] + 3] == LETHAL).any()
    costmap.set_map(grid(np.zeros((40, 60), dtype=np.int8), 0.0, -1.0))
    lethal = np.argwhere(costmap.cost == LETHAL)
    assert len(lethal)
    for x, y in (costmap.centre(*cell) for cell in lethal):
        assert math.hypot(x, y) == pytest.approx(1.0, abs=0.08)
    assert costmap.take_changed() == costmap.everything


@pytest.mark.parametrize(('resolution', 'x'), [(RES_M, -4.02), (0.1, -4.0), (RES_M, 90.0)])
def test_a_map_of_other_cells_forgets_obstacles(resolution, x):
    costmap = make()
    see(costmap, 1.0)
    costmap.set_map(grid(np.zeros((130, 170), dtype=np.int8), x, -3.0, resolution))
    assert costmap.shape == costmap.cost.shape == (130, 170)
    assert not (costmap.cost == LETHAL).any()


def test_window_outside_the_grid_is_empty():
    costmap = make()
    assert costmap.around(Pose(50.0, 50.0, 0.0)).size == 0
    assert costmap.around(Pose(-50.0, 0.0, 0.0)).size == 0
    assert Window(2, 4, 3, 5).union(Window(0, 1, 4, 9)) == Window(0, 4, 3, 9)


def test_somebody_who_walks_by_appears_and_leaves_no_trace():
    costmap, radius_m = make(), 0.18
    before = costmap.cost.copy()
    for y in np.arange(-2.0, 2.0, 0.08):
        away_m, bearing = math.hypot(1.2, y), math.atan2(y, 1.2) - HERE.yaw
        off = np.abs(np.remainder(BEARINGS - bearing + math.pi, math.tau) - math.pi)
        see(costmap, np.where(off < math.asin(radius_m / away_m), away_m - radius_m, np.inf))
        assert costmap.clearance_at(1.2, y) < 0.25
        assert costmap.clearance_at(1.2, y - 0.9) > 0.3, 'where they were is free again'
    see(costmap, np.inf)
    assert np.array_equal(costmap.cost, before)
