"""What depth pictures tell the local costmap: what scans pass under, until it is seen through."""

import math

import numpy as np
import pytest
from depth_views import BODY, CAMERA, INTRINSICS, TABLE, Thing, seen_by_camera

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav_sim.navigator.behaviors import BackUp, State
from semantic_nav_sim.navigator.costmap import LETHAL
from semantic_nav_sim.navigator.follower import is_clear, is_wedged
from semantic_nav_sim.navigator.geometry import Pose, Velocity
from semantic_nav_sim.navigator.rolling_costmap import RollingCostmap
from semantic_nav_sim.navigator.voxel_layer import DepthPicture, VoxelLayerConfig
from semantic_nav_sim.robot.camera import CAMERA_T_OPTICAL

BEARINGS = np.linspace(-math.pi, math.pi, 360, endpoint=False)
AHEAD = Velocity(0.4, 0.0)


def make(depth: VoxelLayerConfig | None = None) -> RollingCostmap:
    return RollingCostmap(0.22, 0.7, 3.0, depth=depth)


def scan(costmap: RollingCostmap, x: float = 0.0, range_m: float = math.inf) -> None:
    """Nothing stands as high as the scanner, which turns with the robot's middle."""
    pose = Pose(x, 0.0, 0.0)
    costmap.see(pose, pose, BEARINGS, np.full(360, range_m), 0.1, 8.0)


def look(costmap: RollingCostmap, x: float, thing: Thing | None = TABLE, yaw: float = 0.0,
         camera: str = '') -> None:
    base = Pose2D(x, 0.0, yaw)
    costmap.see_depth(DepthPicture(
        camera, seen_by_camera(base, thing), INTRINSICS,
        Transform.from_pose(base) @ CAMERA.base_t_camera @ CAMERA_T_OPTICAL))


def table(costmap: RollingCostmap) -> np.ndarray:
    """Costs in the middle of the table, as far as it reaches into the window."""
    (row, first), (_, last) = (costmap.cell(x, 0.0) for x in (
        TABLE[0] + 0.05, min(TABLE[1], costmap.origin_x + 2.95) - 0.05))
    return costmap.cost[row - 3:row + 4, first:last]


def test_a_table_is_in_the_way_though_the_scan_passes_under_it() -> None:
    costmap, near = make(), Pose(1.0, 0.0, 0.0)
    scan(costmap, 0.6)
    assert is_clear(costmap, near, AHEAD, 1.0)
    look(costmap, 0.6)
    assert (table(costmap) == LETHAL).mean() > 0.9
    assert costmap.clearance_at(1.0, 0.0) > 0.4, 'the floor before it is free'
    scan(costmap, 0.65)
    assert (table(costmap) == LETHAL).mean() > 0.9, 'no scan clears it'
    assert not is_clear(costmap, near, AHEAD, 1.0)


def test_what_was_seen_before_is_known_to_a_robot_that_backs_up_to_it() -> None:
    costmap = make()
    scan(costmap, 0.9)
    look(costmap, 0.9)
    # It turned round, and the camera looks at the other wall.
    look(costmap, 0.9, None, math.pi)
    back_up = BackUp(costmap, 0.0, Pose(1.0, 0.0, math.pi), (0.5, 0.0, 0.0), 0.15, 10.0)
    back_up.tick(0.0, Pose(1.2, 0.0, math.pi))
    assert back_up.state is State.FAILED


def test_what_is_seen_through_is_cleared() -> None:
    costmap = make()
    scan(costmap, 0.5)
    look(costmap, 0.5, BODY)
    look(costmap, 0.5, TABLE)
    assert (costmap.cost == LETHAL).any()
    look(costmap, 0.3, None)
    assert not (costmap.cost == LETHAL).any()


@pytest.mark.parametrize('thing', [TABLE, (1.5, 2.3, 0.15, 0.15)])
def test_what_is_seen_past_above_and_below_stays(thing: Thing) -> None:
    costmap = make()
    scan(costmap, 0.8)
    look(costmap, 0.5, thing)
    for x in np.linspace(0.5, 1.2, 30):
        look(costmap, x, thing)
        assert (table(costmap) == LETHAL).mean() > 0.9


@pytest.mark.parametrize('config', [
    VoxelLayerConfig(max_obstacle_height=0.7), VoxelLayerConfig(min_obstacle_height=0.8),
    VoxelLayerConfig(obstacle_max_range=0.8)])
def test_only_what_is_within_heights_and_range_marks(config: VoxelLayerConfig) -> None:
    costmap = make(config)
    scan(costmap, 0.6)
    look(costmap, 0.6, (1.5, 2.3, 0.75, 0.0))
    assert not (costmap.cost == LETHAL).any()


def test_nothing_farther_than_the_range_is_cleared() -> None:
    costmap = make(VoxelLayerConfig(raytrace_max_range=0.9))
    scan(costmap, 0.5)
    look(costmap, 0.5)
    look(costmap, 0.5, None)
    assert (table(costmap) == LETHAL).mean() > 0.9


def test_clear_leaves_what_the_newest_picture_of_each_camera_shows() -> None:
    costmap = make()
    scan(costmap, 0.9)
    look(costmap, 0.9, camera='left')
    look(costmap, 0.9, None, math.pi)
    costmap.clear()
    assert (table(costmap) == LETHAL).mean() > 0.9
    look(costmap, 0.9, None, math.pi, 'left')
    costmap.clear()
    assert not (costmap.cost == LETHAL).any()


def test_marks_stay_at_their_places_while_the_window_rolls() -> None:
    costmap = make()
    scan(costmap, 0.8)
    look(costmap, 0.8)
    before = table(costmap) == LETHAL
    costmap.follow(Pose(1.3, 0.4, 0.0))
    assert before.any()
    assert ((table(costmap) == LETHAL)[:, :before.shape[1]] == before).all()


def test_what_lies_under_the_robot_is_forgotten_and_what_it_touches_is_not() -> None:
    costmap = make()
    scan(costmap, 0.8)
    look(costmap, 0.8)
    scan(costmap, 1.3, math.nan)
    assert (table(costmap) == LETHAL).mean() > 0.9
    assert is_wedged(costmap, Pose(1.4, 0.0, 0.0))
    scan(costmap, 1.7, math.nan)
    assert costmap.clearance_at(1.7, 0.0) > 0.17
    assert (costmap.cost == LETHAL).any()


def test_heights_between_which_nothing_lies_are_refused() -> None:
    with pytest.raises(ConfigError, match='not below'):
        VoxelLayerConfig(min_obstacle_height=1.0, max_obstacle_height=0.5)


def test_a_recovery_keeps_what_stands_beside_the_robot() -> None:
    """No camera shows it from there, so that nothing would mark it again."""
    costmap = make()
    scan(costmap, 0.6)
    look(costmap, 0.6)
    look(costmap, 1.0, thing=None, yaw=math.pi)
    before = table(costmap).copy()
    assert (before == LETHAL).mean() > 0.9
    costmap.clear_except(Pose(TABLE[0] - 0.3, 0.0, math.pi), 2.0)
    assert (table(costmap) == before).all()
    costmap.clear_except(Pose(0.0, 0.0, math.pi), 0.5)
    assert not (table(costmap) == LETHAL).any()
