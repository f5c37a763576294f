"""The apartment's floor plan: committed as it is made, and passable for the robot."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import FREE, LETHAL, UNKNOWN, OccupancyGrid
from semantic_nav.contracts.map_file import load_map, map_files
from semantic_nav.explore.distance_field import distance_field
from semantic_nav_sim.robot.camera import CameraModel
from semantic_nav_sim.world.floor_plan import floor_plan
from semantic_nav_sim.world.loading import load_world
from semantic_nav_sim.world.mujoco_model import MOVABLE_SOLID, SOLID, compile_solids
from semantic_nav_sim.world.rays import RayCaster, collider_groups
from semantic_nav_sim.world.scene import WorldScene, build_scene, placing_on
from semantic_nav_sim.world.world_files import world_file

ROBOT_RADIUS_M = 0.22


@pytest.fixture(scope='module')
def scene() -> WorldScene:
    return build_scene(load_world('apartment'))


@pytest.fixture(scope='module')
def grid(scene: WorldScene) -> OccupancyGrid:
    return floor_plan(scene)


@pytest.fixture(scope='module')
def passable(grid: OccupancyGrid) -> NDArray[np.int32]:
    """Label the connected places where the robot's middle can be; 0 elsewhere."""
    gap = ndimage.distance_transform_edt(grid.cells == FREE) * grid.resolution_m
    labels: NDArray[np.int32] = ndimage.label(gap > ROBOT_RADIUS_M + grid.resolution_m / 2)[0]
    return labels


def label_at(grid: OccupancyGrid, labels: NDArray[np.int32], pose: Pose2D) -> int:
    return int(labels[grid.cell_of(pose.x, pose.y)])


def test_the_committed_map_is_the_one_that_the_world_gives(grid: OccupancyGrid) -> None:
    for name, content in map_files(grid).items():
        assert world_file('apartment', name).read_bytes() == content, name


def test_the_map_reads_back_as_it_was(grid: OccupancyGrid) -> None:
    read = load_map(world_file('apartment', 'map.yaml'))
    assert np.array_equal(np.asarray(read.cells), grid.cells)


def test_the_map_shows_walls_rooms_and_the_unknown(grid: OccupancyGrid) -> None:
    assert grid.value_at(-0.3, 5.0) == UNKNOWN
    assert grid.value_at(0.0, 3.5) == LETHAL
    assert grid.value_at(1.8, 2.5) == FREE
    # A table's top counts, a rug and a mug do not.
    assert grid.value_at(7.75, 2.1) == LETHAL
    assert grid.value_at(2.75, 7.9) == FREE
    assert grid.value_at(0.4, 3.45) == FREE


def test_the_robot_can_go_from_every_start_to_every_room(
        scene: WorldScene, grid: OccupancyGrid, passable: NDArray[np.int32]) -> None:
    labels = {label_at(grid, passable, pose) for pose in scene.world.start_poses}
    assert len(labels) == 1 and 0 not in labels
    [main] = labels
    rows, columns = np.nonzero(passable == main)
    reached = {scene.world.room_at(*grid.centre_of(row, column))
               for row, column in zip(rows.tolist(), columns.tolist(), strict=True)}
    assert {room.name for room in scene.world.rooms} == {room.name for room in reached if room}


def test_no_way_is_much_shorter_through_a_gap_in_which_the_robot_gets_stuck(
        scene: WorldScene, grid: OccupancyGrid) -> None:
    gap = ndimage.distance_transform_edt(grid.cells == FREE) * grid.resolution_m
    for start in scene.world.start_poses:
        squeezing_m, at_ease_m = (
            distance_field(gap > radius_m + grid.resolution_m / 2, grid.cell_of(start.x, start.y),
                           grid.resolution_m) for radius_m in (0.2, 0.27))
        both = np.isfinite(squeezing_m) & np.isfinite(at_ease_m)
        assert (at_ease_m[both] - squeezing_m[both]).max() < 1.0, start


@pytest.mark.parametrize('name', ['red_mug', 'blue_mug'])
def test_each_place_of_a_mug_can_be_seen_from_close_by(
        scene: WorldScene, grid: OccupancyGrid, passable: NDArray[np.int32], name: str) -> None:
    camera = CameraModel()
    main = label_at(grid, passable, scene.world.start_poses[0])
    caster = RayCaster(compile_solids(scene, (
        thing for thing in scene.objects.values() if thing.id not in scene.world.placements)),
        collider_groups(SOLID, MOVABLE_SOLID))
    for spot in scene.world.placements[name]:
        x, y, z = placing_on(scene.objects, name, spot).position
        target = np.array([x, y, z + 0.06])
        rows, columns = np.nonzero(passable == main)
        seen = False
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            px, py = grid.centre_of(row, column)
            if math.hypot(px - x, py - y) > 0.9:
                continue
            eye = camera.position(Pose2D(px, py, math.atan2(y - py, x - px)))
            way = target - eye
            distance = float(np.linalg.norm(way))
            ranges, _ = caster.cast(eye, way[None] / distance, 5.0)
            seen = seen or ranges[0] > distance - 0.02
        assert seen, spot
