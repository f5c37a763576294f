"""The mapper: walls where they are, the unknown left alone, growth, tables, its pace."""

import math
from dataclasses import replace

import numpy as np
import pytest
import small_world
from depth_views import BODY, CAMERA, INTRINSICS, TABLE, Thing, seen_by_camera
from scipy.ndimage import distance_transform_edt

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import FREE, LETHAL, UNKNOWN, OccupancyGrid
from semantic_nav_sim.mapper.config import MapperConfig
from semantic_nav_sim.mapper.mapper import Mapper
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.camera import CAMERA_T_OPTICAL
from semantic_nav_sim.robot.lidar import Lidar
from semantic_nav_sim.robot.lidar_model import LidarModel
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.world.floor_plan import floor_plan
from semantic_nav_sim.world.loading import world_from
from semantic_nav_sim.world.mujoco_model import compile_solids
from semantic_nav_sim.world.scene import build_scene, stage

SCENE = build_scene(world_from(small_world.document()))
STAGE = stage(SCENE, small_world.SEED_TABLE)
TRUTH = floor_plan(SCENE)
BEAMS = LidarModel()


def tour() -> list[Pose2D]:
    """Return poses in the den, most of the way round and about."""
    return [Pose2D(1.3 + 0.5 * math.cos(turn), 1.4 + 0.5 * math.sin(turn), turn)
            for turn in np.linspace(0.0, 6.0, 40)]


def mapped(poses: list[Pose2D], seed: int = 0,
           errors: tuple[float, float] = (0.02, 0.008)) -> Mapper:
    """Return a mapper that took a scan at each pose, believed with errors in m and rad."""
    lidar = Lidar(compile_solids(SCENE, SCENE.objects.values()), STAGE, seed,
                  load_profile(RobotProfile).scan)
    mapper, rng = Mapper(), np.random.default_rng(seed)
    for second, pose in enumerate(poses):
        x, y, yaw = rng.normal(0.0, (errors[0], errors[0], errors[1])) if second else (0, 0, 0)
        believed = Pose2D(pose.x + x, pose.y + y, pose.yaw + yaw)
        mapper.integrate(lidar.scan(pose), lidar.model, believed, second * NS_PER_S)
    return mapper


def laid_over(grid: OccupancyGrid, truth: OccupancyGrid) -> np.ndarray:
    """Return the cells of a grid in the places of another one's cells."""
    cells = np.full(truth.shape, UNKNOWN, np.int8)
    for row, column in np.ndindex(*truth.shape):
        value = grid.value_at(*truth.centre_of(row, column))
        cells[row, column] = UNKNOWN if value is None else value
    return cells


def all_around(range_m: float) -> np.ndarray:
    return np.full(BEAMS.rays, range_m, np.float32)


def look(mapper: Mapper, base: Pose2D, table: Thing | None,
         second: int) -> bool:
    map_T_camera = Transform.from_pose(base) @ CAMERA.base_t_camera @ CAMERA_T_OPTICAL
    return mapper.integrate_depth(seen_by_camera(base, table), INTRINSICS, map_T_camera,
                                  second * NS_PER_S)


def under_table(mapper: Mapper) -> np.ndarray:
    """Return the cells under the table before the camera, a cell off its edges."""
    grid = mapper.grid(0)
    row, first = grid.cell_of(TABLE[0], 0.0)
    _, last = grid.cell_of(TABLE[1], 0.0)
    return grid.cells[row - 3:row + 4, first + 1:last - 1]


def body(mapper: Mapper) -> np.ndarray:
    """Return the cells where somebody stands before the camera."""
    grid = mapper.grid(0)
    row, first = grid.cell_of(BODY[0], 0.0)
    return grid.cells[row - 3:row + 4, first:first + 4]


def test_nothing_is_known_at_the_start() -> None:
    mapper = Mapper()
    assert mapper.empty and mapper.grid(7).shape == (0, 0)


@pytest.mark.parametrize('errors', [(0.02, 0.008), (0.06, 0.03)])
def test_walls_appear_within_two_cells_of_the_truth(errors: tuple[float, float]) -> None:
    grid = mapped(tour(), errors=errors).grid(5)
    cells = laid_over(grid, TRUTH)
    # The scan meets the table's legs, not its top; it meets nothing that hangs on a wall.
    away = distance_transform_edt(TRUTH.cells != LETHAL)
    assert (cells == LETHAL).sum() > 150
    assert (away[cells == LETHAL] == 0).mean() > 0.98
    for x, y in ((1.0, 0.06), (1.0, 2.94), (0.06, 1.5)):
        row, column = TRUTH.cell_of(x, y)
        assert LETHAL in cells[row - 2:row + 3, column - 2:column + 3]
    assert grid.value_at(1.3, 1.4) == FREE
    assert (grid.frame_id, grid.stamp_ns) == ('map', 5)
    assert set(np.unique(grid.cells)) == {UNKNOWN, FREE, LETHAL}


def test_what_lies_behind_a_wall_stays_unknown() -> None:
    grid = mapped(tour()).grid(0)
    # Of the store room only what the door lets through is seen.
    assert grid.value_at(4.5, 1.45) == FREE
    assert grid.value_at(3.5, 0.3) == UNKNOWN
    assert grid.value_at(1.0, -0.3) in (None, UNKNOWN)


def test_a_scan_that_is_unlike_the_map_is_left_out_until_it_has_been_so_for_long() -> None:
    mapper = mapped(tour())
    before = mapper.grid(0).cells
    lidar = Lidar(compile_solids(SCENE, SCENE.objects.values()), STAGE, 0,
                  load_profile(RobotProfile).scan)
    scan = lidar.scan(Pose2D(1.3, 1.4, 0.0))

    def see(yaw: float, second: float) -> bool:
        return mapper.integrate(scan, lidar.model, Pose2D(1.3, 1.4, yaw),
                                round(second * NS_PER_S))

    # Too little for a jump of the place.
    assert not see(0.5, 41.0) and not mapper.wants_depth(Pose2D(1.3, 1.4, 0.5), 42 * NS_PER_S)
    assert np.array_equal(mapper.grid(0).cells, before)
    assert see(0.0, 43.0) and mapper.wants_depth(Pose2D(1.3, 1.4, 0.0), 44 * NS_PER_S)
    assert not see(0.5, 45.0) and not see(0.5, 59.0)
    assert see(0.5, 60.5), 'so it was the truth'


def test_nothing_is_taken_in_while_the_pose_has_jumped() -> None:
    mapper, here, there = Mapper(), Pose2D(0.0, 0.0, 0.0), Pose2D(0.8, 0.0, 0.0)
    scans = [(here, 0.0), (there, 0.2), (there, 10.0), (here, 10.2)]
    taken = [mapper.integrate(all_around(1.0), BEAMS, pose, round(at_s * NS_PER_S))
             for pose, at_s in scans[:3]]
    assert taken == [True, False, False]
    assert not mapper.wants_depth(there, 10 * NS_PER_S)
    back, at_s = scans[3]
    assert mapper.integrate(all_around(1.0), BEAMS, back, round(at_s * NS_PER_S))
    assert mapper.wants_depth(back, 11 * NS_PER_S)


def test_map_that_grows_creeps_by_fractions_of_a_cell() -> None:
    mapper = Mapper()
    mapper.integrate(all_around(1.0), BEAMS, Pose2D(0.5, 0.5, 0.0), 0)
    before = mapper.grid(0)
    mapper.integrate(all_around(1.0), BEAMS, Pose2D(-6.02, 9.0, 0.0), 60 * NS_PER_S)
    after = mapper.grid(0)
    shift = (before.origin_x_m - after.origin_x_m) / mapper.config.resolution
    assert shift > 100 and abs(shift - round(shift)) > 0.1
    assert (before.cells == FREE).any() and (before.cells == LETHAL).any()
    assert np.array_equal(laid_over(after.on_lattice_of(before), before), before.cells)
    assert after.value_at(-6.0, 9.0) == FREE


def test_the_same_scans_give_the_same_map() -> None:
    first, second = mapped(tour(), 3).grid(0), mapped(tour(), 3).grid(0)
    assert first.same_frame(second) and np.array_equal(first.cells, second.cells)


def test_a_ray_without_return_clears_only_the_shorter_range() -> None:
    mapper = Mapper()
    mapper.integrate(all_around(np.inf), BEAMS, Pose2D(0.0, 0.0, 0.0), 0)
    grid = mapper.grid(0)
    assert grid.value_at(2.8, 0.0) == FREE
    assert grid.value_at(3.2, 0.0) in (UNKNOWN, None)
    assert LETHAL not in grid.cells


def test_a_measurement_that_failed_tells_nothing() -> None:
    mapper = Mapper()
    for ranges in (np.nan, 0.05, -np.inf):
        mapper.integrate(all_around(ranges), BEAMS, Pose2D(0.0, 0.0, 0.0), 0)
    assert (mapper.grid(0).cells == UNKNOWN).all()


def test_what_goes_away_is_cleared_but_not_by_one_scan() -> None:
    mapper, here = Mapper(), Pose2D(0.0, 0.0, 0.0)
    for second in range(0, 20, 2):
        mapper.integrate(all_around(1.02), BEAMS, here, second * NS_PER_S)
    mapper.integrate(all_around(2.0), BEAMS, here, 20 * NS_PER_S)
    assert mapper.grid(0).value_at(1.02, 0.0) == LETHAL
    for second in range(22, 60, 2):
        mapper.integrate(all_around(2.0), BEAMS, here, second * NS_PER_S)
    assert mapper.grid(0).value_at(1.02, 0.0) == FREE


def test_a_scan_counts_after_some_way_or_turn_or_time() -> None:
    mapper, second = Mapper(), NS_PER_S

    def counts(pose: Pose2D, stamp_ns: int) -> bool:
        return mapper.integrate(all_around(1.0), BEAMS, pose, stamp_ns)
    assert counts(Pose2D(0.0, 0.0, 3.13), 0)
    assert not counts(Pose2D(0.05, 0.0, -3.13), second // 10)
    assert counts(Pose2D(0.12, 0.0, -3.13), second // 5)
    assert counts(Pose2D(0.12, 0.0, -2.9), second // 4)
    assert not counts(Pose2D(0.12, 0.0, -2.9), second)
    assert counts(Pose2D(0.12, 0.0, -2.9), 3 * second)
    # The clock jumped back.
    assert counts(Pose2D(0.12, 0.0, -2.9), second)


def test_a_table_top_is_an_obstacle_though_the_scan_passes_under_it() -> None:
    mapper = Mapper()
    for second in range(20):
        base = Pose2D(0.04 * second, 0.0, 0.0)
        look(mapper, base, TABLE, 2 * second)
        mapper.integrate(all_around(4.0), BEAMS, base, 2 * second * NS_PER_S)
    grid = mapper.grid(0)
    assert (under_table(mapper) == LETHAL).mean() > 0.95
    assert grid.value_at(1.2, 0.0) == FREE and grid.value_at(2.7, 0.0) == FREE


def test_a_table_that_was_carried_away_is_forgotten_when_it_is_seen_through() -> None:
    mapper = Mapper()
    for second in range(0, 6, 2):
        look(mapper, Pose2D(0.5, 0.0, 0.0), TABLE, second)
    assert (under_table(mapper) == LETHAL).mean() > 0.95
    for second in range(6, 26, 2):
        look(mapper, Pose2D(0.0, 0.0, 0.0), None, second)
    assert (under_table(mapper) == FREE).mean() > 0.95


def test_who_walked_by_is_forgotten_after_a_few_looks() -> None:
    mapper = Mapper()
    look(mapper, Pose2D(0.0, 0.0, 0.0), BODY, 0)
    assert (body(mapper) == LETHAL).any()
    for second in range(2, 8, 2):
        look(mapper, Pose2D(0.0, 0.0, 0.0), None, second)
    assert not (body(mapper) == LETHAL).any()


def test_what_the_scan_met_and_sees_through_is_gone_where_the_camera_does_not_look() -> None:
    mapper, here = Mapper(), Pose2D(0.0, 0.0, 0.0)
    for second in range(0, 10, 2):
        look(mapper, here, BODY, second)
        mapper.integrate(all_around(BODY[0] + 0.02), BEAMS, here, second * NS_PER_S)
    assert (body(mapper) == LETHAL).any()
    for second in range(10, 40, 2):
        mapper.integrate(all_around(4.0), BEAMS, here, second * NS_PER_S)
    assert not (body(mapper) == LETHAL).any()


def test_who_walks_where_the_floor_was_seen_leaves_no_mark_at_once() -> None:
    mapper = Mapper()
    for second in range(0, 10, 2):
        look(mapper, Pose2D(0.0, 0.0, 0.0), None, second)
    look(mapper, Pose2D(0.0, 0.0, 0.0), BODY, 10)
    assert (body(mapper) == FREE).any() and not (body(mapper) == LETHAL).any()


@pytest.mark.parametrize('thing', [TABLE, (1.5, 2.3, 0.10, 0.10)])
def test_what_is_seen_past_above_and_below_stays(thing: Thing) -> None:
    mapper = Mapper()
    for second in range(0, 6, 2):
        look(mapper, Pose2D(0.4, 0.0, 0.0), thing, second)
    before = under_table(mapper)
    # From farther away its cells are seen past, at a flat angle.
    for second, x in enumerate(np.linspace(0.3, -1.2, 40)):
        look(mapper, Pose2D(x, 0.01 * second, 0.0), thing, 10 + 2 * second)
    assert (before == LETHAL).mean() > 0.95
    assert (under_table(mapper) == LETHAL).mean() > 0.95


def test_what_hangs_above_the_robot_is_no_obstacle() -> None:
    mapper = Mapper()
    base = Pose2D(0.0, 0.0, 0.0)
    depth = np.full((CAMERA.height, CAMERA.width), 1500, np.uint16)
    # A camera turned up to the ceiling.
    map_T_camera = Transform((0.0, 0.0, 0.9), (0.0, 0.0, 0.0, 1.0))
    assert mapper.integrate_depth(depth, INTRINSICS, map_T_camera, 0)
    look(mapper, base, None, 10)
    assert LETHAL not in mapper.grid(0).cells


def test_depth_pictures_are_taken_in_at_most_twice_a_second() -> None:
    mapper = Mapper()
    taken = [mapper.integrate_depth(
        np.zeros((CAMERA.height, CAMERA.width), np.uint16), INTRINSICS,
        Transform.from_pose(Pose2D(0.2 * tick, 0.0, 0.0)) @ CAMERA.base_t_camera
        @ CAMERA_T_OPTICAL, tick * NS_PER_S // 10) for tick in range(20)]
    assert [tick for tick, did in enumerate(taken) if did] == [0, 5, 10, 15]


def test_each_camera_adds_its_picture_of_a_moment() -> None:
    """They look to several sides: none may keep another one's out of the map."""
    mapper, empty = Mapper(), np.zeros((CAMERA.height, CAMERA.width), np.uint16)
    taken: dict[str, list[int]] = {'left': [], '': [], 'right': []}
    for tick in range(15):
        base = Pose2D(0.2 * tick, 0.0, 0.0)
        assert mapper.wants_depth(base, tick * NS_PER_S // 10) == (tick % 5 == 0)
        for name, yaw_rad in (('left', 1.2), ('', 0.0), ('right', -1.2)):
            map_T_camera = (Transform.from_pose(base)
                            @ replace(CAMERA, yaw_rad=yaw_rad).base_t_camera @ CAMERA_T_OPTICAL)
            if mapper.integrate_depth(empty, INTRINSICS, map_T_camera, tick * NS_PER_S // 10,
                                      name):
                taken[name].append(tick)
    assert taken == dict.fromkeys(taken, [0, 5, 10])


def test_a_saved_map_is_gone_on_from() -> None:
    saved = mapped(tour()).grid(0)
    mapper = Mapper(MapperConfig(chunk_cells=7), saved)
    assert np.array_equal(laid_over(mapper.grid(0), saved), saved.cells)
    # The laser alone does not clear what may be a table's top.
    for second in range(40):
        mapper.integrate(all_around(8.0), BEAMS, Pose2D(1.3, 1.4, 0.0), 2 * second * NS_PER_S)
    after = laid_over(mapper.grid(0), saved)
    assert (after[saved.cells == LETHAL] == LETHAL).all()
    assert (after == FREE).sum() > (saved.cells == FREE).sum()
