"""Checks of a world: things out of reach, in the way, unsupported or out of sight."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.grid import FREE, OccupancyGrid
from semantic_nav_sim.robot.camera import CameraModel
from semantic_nav_sim.world.floor_plan import RESOLUTION_M, floor_plan
from semantic_nav_sim.world.generator.catalogue import FURNITURE
from semantic_nav_sim.world.generator.openings import USUAL_WAYS, Ways
from semantic_nav_sim.world.meshes import Floats
from semantic_nav_sim.world.mujoco_model import (
    MOVABLE_SOLID,
    SOLID,
    add_collider,
    compile_solids,
)
from semantic_nav_sim.world.rays import RayCaster, collider_groups
from semantic_nav_sim.world.reading import world_from
from semantic_nav_sim.world.scene import Placing, SceneObject, WorldScene, build_scene, placing_on

# Part of the robot's clearance that the raster of a room may hide.
RASTER_M = 0.04
# Distance of a stand-off pose from the centre of its target.
STAND_OFF_M = (0.9, 1.2)
# Overlap that things may have without collision: they touch, or cloth gives.
TOUCH_M = 0.004
LYING_M = 0.02
# The leaf of a door is thicker than the gap at its hinge.
HINGE_M = 0.02
WALLS = 'the walls'
BESIDE_WALL_M = 0.09
SIGHT_M = 6.0
EYES = 60
_ALIKE = frozenset(kind.name for kind in FURNITURE.values() if kind.alike) | {'door'}


def check_world(document: dict[str, Any], ways: Ways = USUAL_WAYS) -> list[str]:
    """The problems of a world, one sentence each; empty if it is usable.

    Args:
        document: of the world, which should follow semantic_nav_sim/schema/world.schema.json.
        ways: ways of a robot into each room.
    """
    return list(problems(document, ways))


def ways_for(radius_m: float) -> Ways:
    """The ways of a home that was not built for a robot, but has room for this one."""
    gap_m = radius_m + RASTER_M - RESOLUTION_M / 2
    return replace(USUAL_WAYS, gap_m=gap_m, stand_m=gap_m)


def problems(document: dict[str, Any], ways: Ways = USUAL_WAYS) -> Iterator[str]:
    """Yield the problems of a world, the cheapest checks first.

    Args:
        document: of the world, which should follow semantic_nav_sim/schema/world.schema.json.
        ways: ways of a robot into each room.
    """
    try:
        scene = build_scene(world_from(document))
    except ConfigError as error:
        yield str(error)
        return
    yield from _names(scene)
    yield from _places(scene)
    yield from Reach(scene, ways.gap_m).starts_and_rooms()
    yield from _targets(scene, Reach(scene, ways.stand_m), ways)
    yield from _collisions(scene)


def _names(scene: WorldScene) -> Iterator[str]:
    """Yield names that several things share without belonging together."""
    counts = Counter((thing.name, thing.kind in _ALIKE) for thing in scene.objects.values())
    for (name, alike), count in counts.items():
        if count > 1 and not alike:
            yield f'{count} things are called {name!r}: nobody could tell which one is meant'


def _alternatives(scene: WorldScene) -> Iterator[tuple[SceneObject, Placing, str]]:
    """Yield every thing in each of its possible places, with words for the place."""
    for thing in scene.objects.values():
        spots = scene.world.placements.get(thing.id, ())
        if not spots:
            yield thing, thing.placing, thing.name
        for spot in spots:
            yield (thing, placing_on(scene.objects, thing.id, spot),
                   f'{thing.name} on {scene.objects[spot.support].name}')


def _places(scene: WorldScene) -> Iterator[str]:
    """Yield things that stand in no room, or on nothing."""
    supports = {item.id: item for item in scene.world.items}
    for thing, placing, words in _alternatives(scene):
        x, y, _ = placing.apply((thing.low + thing.high) / 2)
        room = scene.world.room_at(float(x), float(y))
        if room is None:
            yield f'{words}: stands in no room'
            continue
        item = supports.get(thing.id)
        if item is None or item.at is None:
            continue
        low = item.at[2]
        back = placing.apply((float(thing.low[0]), 0.0, 0.0))
        gap = min(abs(float(back[axis]) - edge) for axis in (0, 1)
                  for edge in (room.low[axis], room.high[axis]))
        if low > LYING_M and gap > scene.world.wall_thickness / 2 + BESIDE_WALL_M:
            yield f'{words}: hangs in the air, {gap:.2f} m from a wall'


def _collisions(scene: WorldScene) -> Iterator[str]:
    """Yield pairs of things whose colliders overlap, in any of their places."""
    model, owners = _everything(scene)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    low, high = _bounds(model, data)
    line = np.zeros(6)
    told = set()
    doors = {thing.name for thing in scene.objects.values() if thing.kind == 'door'}
    for i in range(model.ngeom):
        near = np.flatnonzero(np.all((low[i] < high - TOUCH_M) & (low < high[i] - TOUCH_M),
                                     axis=1))
        for j in near[near > i]:
            pair = tuple(sorted((owners[i], owners[int(j)])))
            if pair[0] == pair[1] or pair in told:
                continue
            depth = -mujoco.mj_geomDistance(model, data, i, int(j), 0.01, line)
            hinged = WALLS in pair and not doors.isdisjoint(pair)
            if depth > (HINGE_M if hinged else TOUCH_M):
                told.add(pair)
                yield f'{pair[0]} and {pair[1]} share {depth:.3f} m'


def _everything(scene: WorldScene) -> tuple[mujoco.MjModel, list[str]]:
    """Compile all colliders, of roaming things in all their places, with their owners."""
    spec = mujoco.MjSpec()
    solids = [(collider, WALLS) for collider in scene.structure.colliders]
    for thing, placing, words in _alternatives(scene):
        solids += [(collider, words) for collider in thing.map_colliders(placing)]
    for collider, _ in solids:
        add_collider(spec.worldbody, collider, SOLID)
    return spec.compile(), [words for _, words in solids]


def _bounds(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[Floats, Floats]:
    """The corners of all geoms' axis-aligned boxes in the map frame, shape (n, 3) each."""
    rotation = np.abs(data.geom_xmat.reshape(-1, 3, 3))
    half = np.einsum('nij,nj->ni', rotation, model.geom_aabb[:, 3:])
    return data.geom_xpos - half, data.geom_xpos + half


class Reach:
    """The reachable floor of a world.

    Attributes:
        grid: floor plan of the world.
        points: cells that the robot's centre can reach from the first start, shape (n, 2), in
            metres.
    """

    def __init__(self, scene: WorldScene, gap_m: float = USUAL_WAYS.gap_m) -> None:
        """Compute the reachable floor.

        Args:
            scene: of the world.
            gap_m: clearance of the robot's centre, in a room's own raster.
        """
        self._scene = scene
        self.grid: OccupancyGrid = floor_plan(scene)
        free = self.grid.cells == FREE
        gap = ndimage.distance_transform_edt(free) * self.grid.resolution_m
        self._labels, _ = ndimage.label(
            gap > gap_m - RASTER_M + self.grid.resolution_m / 2)
        start = scene.world.start_poses[0]
        self._main = int(self._labels[self.grid.cell_of(start.x, start.y)])
        rows, columns = np.nonzero((self._labels == self._main) & (self._main > 0))
        self.points: NDArray[np.float64] = np.stack(self.grid.centres_of(rows, columns), 1)

    def starts_and_rooms(self) -> Iterator[str]:
        """Yield start poses and rooms that cannot be reached from the first start pose."""
        for pose in self._scene.world.start_poses:
            label = int(self._labels[self.grid.cell_of(pose.x, pose.y)])
            if label == 0 or label != self._main:
                yield f'the robot cannot leave the start pose ({pose.x:.2f}, {pose.y:.2f})'
        for room in self._scene.world.rooms:
            inside = ((self.points > room.low) & (self.points < room.high)).all(axis=1)
            if not inside.any():
                yield f'the {room.name} cannot be reached'


def _targets(scene: WorldScene, reach: Reach, ways: Ways) -> Iterator[str]:
    """Yield things that the robot cannot stand before, or cannot see from anywhere."""
    eye_m = CameraModel().mount[2]
    # A thing with several possible places hides nothing, since it may be elsewhere.
    fixed = [thing for thing in scene.objects.values() if thing.id not in scene.world.placements]
    model = compile_solids(scene, fixed)
    caster = RayCaster(model, collider_groups(SOLID, MOVABLE_SOLID))
    for thing in fixed:
        if thing.movable:
            mocap = model.body(thing.id).mocapid[0]
            caster.data.mocap_pos[mocap] = thing.placing.position
            caster.data.mocap_quat[mocap] = thing.placing.quaternion
    caster.update()
    bodies = {thing.id: model.body(thing.id).id for thing in fixed}
    for thing, placing, words in _alternatives(scene):
        middle = placing.apply((thing.low + thing.high) / 2)
        distance = np.hypot(*(reach.points - middle[:2]).T)
        far_m = STAND_OFF_M[1] + (
            0.0 if thing.id in scene.world.placements else ways.farther_m)
        if not ((STAND_OFF_M[0] < distance) & (distance < far_m)).any():
            yield f'{words}: the robot cannot stand before it'
            continue
        near = np.flatnonzero((distance < SIGHT_M) & (distance > 0.35))
        order = near[np.argsort(distance[near])]
        # Some from close by, the others from everywhere.
        eyes = np.concatenate([order[:EYES // 3], order[np.unique(
            np.linspace(0, len(order) - 1, EYES).astype(int))]])
        ends = np.column_stack([reach.points[eyes], np.full(len(eyes), eye_m)])
        body = bodies.get(thing.id, -1)
        if not any(_sees(caster, placing.apply(point), ends, body) for point in _marks(thing)):
            yield f'{words}: cannot be seen from anywhere'


def _marks(thing: SceneObject) -> Iterator[Floats]:
    """Yield points to look at, in the thing's frame: its centre, then points near its sides."""
    middle, half = (thing.low + thing.high) / 2, (thing.high - thing.low) / 2
    yield middle
    for axis in (1, 0):
        for share in (0.8, -0.8):
            mark = middle.copy()
            mark[axis] += share * half[axis]
            yield mark


def _sees(caster: RayCaster, point: Floats, eyes: Floats, body: int) -> bool:
    """Tell whether one of some eyes sees a point, with only the thing itself in between."""
    ways = eyes - point
    lengths = np.linalg.norm(ways, axis=1)
    ranges, _ = caster.cast(point, ways / lengths[:, None], SIGHT_M + 2.0, body)
    return bool((ranges >= lengths).any())
