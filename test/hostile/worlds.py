"""Worlds for the hostile run: a room, what is known of it, a robot in it and what its camera sees.

Everything follows from a seed and a number.
"""

import math
import random
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from acts import Acts, Point3
from builders import Block, Room, base_T_CAMERA, inflated
from lenses import LENSES, picture_through, picture_without
from numpy.typing import NDArray
from second_checker import Facts, Lens
from shapes import Cells, Closed, Corners, KeptIn, KeptOut, Masked

from semantic_nav.contracts.camera import Distortion, Intrinsics
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.zones import Zone, ZoneKind

#: So many hypotheses share a world.
PER_WORLD = 40
CAMERA = Intrinsics(64, 48, 48.0, 48.0, 32.0, 24.0)
HALF_ANGLE_RAD = math.atan2(CAMERA.width_px / 2, CAMERA.fx)
LENS = Lens(base_T_CAMERA.translation[2], base_T_CAMERA.translation[0],
            (CAMERA.cy + 0.5) / CAMERA.fy, (CAMERA.height_px - 0.5 - CAMERA.cy) / CAMERA.fy,
            0.05 * CAMERA.width_px / CAMERA.fy)
#: A rectangle, a smaller one, one with a nose, an L and one with a bay at its back.
BODIES: tuple[Corners, ...] = (
    ((0.35, 0.25), (-0.35, 0.25), (-0.35, -0.25), (0.35, -0.25)),
    ((0.25, 0.2), (-0.25, 0.2), (-0.25, -0.2), (0.25, -0.2)),
    ((0.45, 0.0), (0.2, 0.3), (-0.3, 0.3), (-0.3, -0.3), (0.2, -0.3)),
    ((0.35, 0.25), (-0.25, 0.25), (-0.25, -0.25), (0.05, -0.25), (0.05, 0.05), (0.35, 0.05)),
    ((0.3, 0.3), (-0.4, 0.3), (-0.4, 0.12), (-0.15, 0.1), (-0.15, -0.1), (-0.4, -0.12),
     (-0.4, -0.3), (0.3, -0.3)))
#: So many places are tried for a robot, and turned a little at each.
_TRIES, _TURNS_RAD = 8, (0.1, -0.1)
#: What is closed: some polygons, all but some, a mask of Nav2, or several of these.
_CLOSED = ((),) * 5 + (('out',), ('out',), ('out', 'out'), ('in',), ('in', 'in'), ('mask',),
                       ('in', 'out'), ('in', 'in', 'mask'), ('out', 'mask'))


@dataclass
class World:
    """A room, what is known of it, and a robot in it.

    Attributes:
        things: that stand in it and in no map.
        map, costmap: as published, but for their stamps.
        zones, mask: what is closed.
        distortion: of the camera's lens; None for none.
        map_T_odom: where the localisation holds the odometry to be.
    """

    config: VerifierConfig
    room: Room
    things: list[Block]
    map: OccupancyGrid
    costmap: OccupancyGrid
    zones: tuple[Zone, ...]
    mask: OccupancyGrid | None
    footprint: Corners | None
    robot: Pose2D
    distortion: Distortion | None
    map_T_odom: Transform

    @cached_property
    def checker(self) -> Acts:
        """The checker of this world."""
        kept = tuple(one.corners for one in self.zones if one.kind is ZoneKind.KEEP_IN)
        closed: tuple[Closed, ...] = (
            *(KeptOut(one.corners) for one in self.zones if one.kind is ZoneKind.KEEP_OUT),
            *((KeptIn(kept),) if kept else ()),
            *((Masked(_cells(self.mask)),) if self.mask is not None else ()))
        return Acts(Facts(
            self.config, _cells(self.map), _cells(self.costmap), closed,
            self.config.keepout_margin_m, self.footprint, self.robot, LENS))

    @cached_property
    def map_T_camera(self) -> Transform:  # noqa: N802
        """Where the camera is."""
        return Transform.from_pose(self.robot) @ base_T_CAMERA

    @cached_property
    def camera(self) -> Intrinsics:
        """As it says of itself."""
        return replace(CAMERA, distortion=self.distortion)

    @cached_property
    def depth_mm(self) -> NDArray[np.uint16]:
        """What it measures."""
        if self.distortion is None:
            return self.room.depth(self.map_T_camera, CAMERA, self.things)
        # Much finer than its pixels, for each of them shows one place of many.
        fine = CAMERA.resized(CAMERA.width_px * 8, CAMERA.height_px * 8)
        return picture_through(self.distortion, CAMERA, self.room.depth(
            self.map_T_camera, fine, self.things), fine)

    @cached_property
    def points(self) -> list[list[Point3 | None]]:
        """Where each pixel of it without the lens is, row by row; None where none is measured."""
        rows = self.map_T_camera.matrix.tolist()
        return [[_placed(rows, u, v, depth / 1000.0) if depth else None
                 for u, depth in enumerate(line)] for v, line in enumerate(self.flat_mm)]

    @cached_property
    def flat_mm(self) -> list[list[int]]:
        """Depth without the lens."""
        depth_mm = self.depth_mm.tolist()
        return depth_mm if self.distortion is None else picture_without(
            self.distortion, CAMERA, depth_mm)


def _placed(rows: list[list[float]], u: int, v: int, depth_m: float) -> Point3:
    at = ((u - CAMERA.cx) / CAMERA.fx * depth_m, (v - CAMERA.cy) / CAMERA.fy * depth_m, depth_m)
    x, y, z = (sum(row[axis] * at[axis] for axis in range(3)) + row[3] for row in rows[:3])
    return x, y, z


def _cells(grid: OccupancyGrid) -> Cells:
    return Cells(grid.cells.tolist(), grid.resolution_m, (grid.origin_x_m, grid.origin_y_m))


def draw_world(seed: int, number: int) -> World:
    """Return the world of a hypothesis."""
    rng = random.Random(f'world {seed} {number // PER_WORLD}')
    width_m, depth_m = rng.randint(30, 70) / 10, rng.randint(30, 60) / 10
    blocks = [_block(rng, width_m, depth_m) for _ in range(rng.randint(0, 4))]
    if rng.random() < 0.3:
        # A wall across: what lies behind it is out of reach, or to be reached past its end.
        at = rng.randint(10, round(width_m * 10) - 10) / 10
        end = rng.choice((depth_m, depth_m - 1))
        blocks.append(Block((at, at + 0.1), (0.0, end)))
    body = rng.choice(BODIES) if rng.random() < 0.3 else None
    room = Room(width_m, depth_m, blocks, resolution_m=0.1)
    things = [_thing(rng, room) for _ in range(rng.randint(2, 5))]
    grid = room.map()
    costmap = inflated(Room(width_m, depth_m, [*blocks, *(
        _block(rng, width_m, depth_m) for _ in range(rng.randint(0, 1)))],
        resolution_m=0.1).map())
    for _ in range(rng.choice((0, 0, 1, 2))):
        _forget(rng, rng.choice(((grid,), (costmap,), (grid, costmap))))
    if rng.random() < 0.2:
        costmap = _cropped(rng, costmap)
    config = VerifierConfig(
        path_tries=rng.choice((1, 3)), clear_cost=rng.choice((80, 80, 50)),
        way_max_m=rng.choice((100.0, 100.0, 3.2123)),
        footprint='' if body is None else str([list(one) for one in body]))
    closed = rng.choice(_CLOSED)
    zones = tuple(_zone(rng, kind, index, width_m, depth_m)
                  for index, kind in enumerate(closed) if kind != 'mask')
    world = World(
        config, room, things, grid, costmap, zones,
        _mask(rng, grid) if 'mask' in closed else None, body, Pose2D(1.0, 1.0, 0.0),
        rng.choice(LENSES) if rng.random() < 0.25 else None,
        Transform.from_pose(Pose2D(rng.uniform(-9, 9), rng.uniform(-9, 9), rng.uniform(-3, 3)))
        if rng.random() < 0.3 else Transform.identity())
    world = replace(world, robot=_robot(rng, world), config=replace(
        config, robot_radius=rng.choice((0.0, 0.22, 0.3)), glimpse_m=rng.choice((2.0, 100.0))))
    for _ in range(_TRIES):
        if not _scrapes(world):
            break
        world = replace(world, robot=_robot(rng, world))
    return world


def _scrapes(world: World) -> bool:
    """Tell whether a body lies so near to an edge that nobody can tell whether it may turn.

    Of most acts in such a world the second checker has no opinion: it tells nothing.
    """
    return world.footprint is not None and None in (
        world.checker.body_turns(world.robot, turn_rad) for turn_rad in _TURNS_RAD)


def _block(rng: random.Random, width_m: float, depth_m: float) -> Block:
    x, y = (rng.randint(0, round(length_m * 10) - 4) / 10 for length_m in (width_m, depth_m))
    return Block((x, x + rng.randint(2, 15) / 10), (y, y + rng.randint(2, 15) / 10),
                 (0.0, rng.choice((0.4, 0.75, 1.2, 2.5))))


def _thing(rng: random.Random, room: Room) -> Block:
    """Return something small: on a piece of furniture, on the floor, or high up."""
    below = rng.choice([None, *room.blocks])
    x, y = ((rng.uniform(0.2, room.width_m - 0.2), rng.uniform(0.2, room.depth_m - 0.2))
            if below is None else (rng.uniform(*below.x), rng.uniform(*below.y)))
    z = rng.choice((0.0, 0.5, 0.75, 1.0, 1.4)) if below is None else below.z[1]
    half_m, height_m = rng.uniform(0.1, 0.2), rng.uniform(0.2, 0.4)
    return Block((x - half_m, x + half_m), (y - half_m, y + half_m), (z, z + height_m))


def _forget(rng: random.Random, grids: tuple[OccupancyGrid, ...]) -> None:
    rows, columns = grids[0].shape
    row, column = rng.randrange(rows), rng.randrange(columns)
    down, right = rng.randint(3, 20), rng.randint(3, 20)
    for grid in grids:
        grid.cells[row:row + down, column:column + right] = -1


def _cropped(rng: random.Random, grid: OccupancyGrid) -> OccupancyGrid:
    rows, columns = grid.shape
    top, left = rng.randint(0, rows // 4), rng.randint(0, columns // 4)
    return replace(grid, cells=grid.cells[top:rows - rng.randint(0, rows // 4), left:].copy(),
                   origin_x_m=left * grid.resolution_m, origin_y_m=top * grid.resolution_m)


def _zone(rng: random.Random, kind: str, index: int, width_m: float, depth_m: float) -> Zone:
    if kind == 'out':
        return Zone((f'zone {index}',), ZoneKind.KEEP_OUT, _polygon(
            rng, rng.uniform(0, width_m), rng.uniform(0, depth_m), (0.2, 1.3)))
    x, y = rng.uniform(0.3, 0.7) * width_m, rng.uniform(0.3, 0.7) * depth_m
    return Zone((f'zone {index}',), ZoneKind.KEEP_IN, _polygon(rng, x, y, (1.2, 4.0)))


def _polygon(rng: random.Random, x: float, y: float, reach_m: tuple[float, float]) -> Corners:
    """Return a polygon about a point, convex or not."""
    count, turn = rng.randint(3, 6), rng.uniform(0, math.tau)
    return tuple((x + reach * math.cos(turn + math.tau * index / count),
                  y + reach * math.sin(turn + math.tau * index / count))
                 for index, reach in ((one, rng.uniform(*reach_m)) for one in range(count)))


def _mask(rng: random.Random, grid: OccupancyGrid) -> OccupancyGrid:
    """Return a keep-out mask: in the frame of the map, or finer or coarser and elsewhere."""
    mask = replace(grid, cells=np.zeros_like(grid.cells))
    if rng.random() < 0.5:
        edge_m = rng.choice((0.0613, 0.1217))
        shape = tuple(math.ceil(cells * grid.resolution_m * rng.uniform(0.5, 1.1) / edge_m)
                      for cells in grid.shape)
        mask = replace(grid, cells=np.zeros(shape, np.int8), resolution_m=edge_m,
                       origin_x_m=rng.uniform(-0.3, 1.0), origin_y_m=rng.uniform(-0.3, 1.0))
    height, width = mask.shape
    for value in (rng.choice((-1, 50, 99)), 100, 100):
        row, column = rng.randrange(height), rng.randrange(width)
        down, right = (math.ceil(rng.uniform(0.2, 1.2) / mask.resolution_m) for _ in 'yx')
        mask.cells[row:row + down, column:column + right] = value
    return mask


def _robot(rng: random.Random, world: World) -> Pose2D:
    """Return where it stands: mostly where it may, at times too near to something or in it."""
    wanted = rng.choice(('clear',) * 7 + ('tight', 'tight', 'any'))
    for _ in range(300):
        pose = Pose2D(rng.uniform(0.1, world.room.width_m - 0.1),
                      rng.uniform(0.1, world.room.depth_m - 0.1), rng.uniform(-3.1, 3.1))
        cost, value = (grid.value_at(pose.x, pose.y) for grid in (world.costmap, world.map))
        if rng.random() < 0.7:
            thing = rng.choice(world.things)
            pose = replace(pose, yaw=math.atan2(thing.y[0] - pose.y, thing.x[0] - pose.x)
                           + rng.uniform(-0.4, 0.4))
        if wanted == 'any' or (cost is not None and value == 0 and (
                0 <= cost <= 40 if wanted == 'clear' else 60 <= cost < 99)):
            return pose
    return Pose2D(world.room.width_m / 2 + 0.013, world.room.depth_m / 2 + 0.017, 0.3)
