"""A built world: every object with its meshes, colliders and pose; and the stage for a seed."""

import math
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.usual_places import likelihood
from semantic_nav_sim.world.assembly import Assembly, Collider, Surface, Visual
from semantic_nav_sim.world.description import (
    Leaf,
    Opening,
    Point3,
    Spot,
    Wall,
    WorldDescription,
)
from semantic_nav_sim.world.library import LIBRARY
from semantic_nav_sim.world.meshes import Floats, rotation_z
from semantic_nav_sim.world.random_streams import stream
from semantic_nav_sim.world.structure import Structure, build_leaf, build_structure

#: The name of walls in place of an object's id.
WALL = 'wall'

@dataclass(frozen=True, slots=True)
class Placing:
    """The pose of an object's frame in the map: its origin in metres and its yaw."""

    position: Point3
    yaw_rad: float

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """The rotation as MuJoCo's quaternion: w, x, y, z."""
        return math.cos(self.yaw_rad / 2), 0.0, 0.0, math.sin(self.yaw_rad / 2)

    def apply(self, point: Point3 | Floats) -> Floats:
        """Transform a point from the object's frame to the map, shape (3,)."""
        moved: Floats = rotation_z(self.yaw_rad) @ np.asarray(point) + self.position
        return moved


#: Placing of people who do not walk: far below the floor, and beside it as seen from above.
_OUT_OF_SIGHT = Placing((-100.0, -100.0, -10.0), 0.0)
NOTHING_MOVED: Mapping[str, Placing] = MappingProxyType({})
#: Shirt, trousers and hair of each person.
_CLOTHES = (('red_fabric', 'navy_fabric', 'brown_hair'),
            ('green_fabric', 'beige_fabric', 'black_hair'),
            ('white_fabric', 'grey_fabric', 'grey_hair'))


@dataclass(frozen=True, eq=False)
class SceneObject:
    """One piece of furniture, small object or door leaf.

    Attributes:
        visuals, colliders, surfaces: in its own frame.
        low, high: corners of its bounding box in its own frame, shape (3,), metres.
        placing: of the object; its first alternative if it is placed by seed.
        movable: whether it can be carried away, and so is not part of the map.
        hinged: whether it can turn about its frame's z axis, like the leaf of a door.
    """

    id: str
    kind: str
    name: str
    colour: str
    visuals: tuple[Visual, ...]
    colliders: tuple[Collider, ...]
    surfaces: dict[str, Surface]
    low: Floats
    high: Floats
    placing: Placing
    movable: bool
    hinged: bool = False

    def map_colliders(self, placing: Placing) -> list[Collider]:
        """The colliders in the map frame."""
        rotation, position = rotation_z(placing.yaw_rad), np.array(placing.position)
        return [collider.moved(rotation, position) for collider in self.colliders]


@dataclass(frozen=True, eq=False)
class WorldScene:
    """A built world, which is the same for every seed.

    Attributes:
        objects: all objects of the world, by id.
        people: figures out of sight, for actors to move.
    """

    world: WorldDescription
    structure: Structure
    objects: dict[str, SceneObject]
    people: tuple[SceneObject, ...] = ()

    def fixed_colliders(self) -> list[Collider]:
        """The colliders of walls and furniture, in the map frame."""
        colliders = list(self.structure.colliders)
        for thing in self.objects.values():
            if not thing.movable:
                colliders += thing.map_colliders(thing.placing)
        return colliders


@dataclass(frozen=True)
class ObjectTruth:
    """The truth about one object in one run.

    Attributes:
        position: centre of its bounding box in the map frame, in metres.
        size: extents of that box along the object's own axes, in metres.
        yaw: direction of its front, in radians.
    """

    id: str
    name: str
    kind: str
    colour: str
    room: str
    position: Point3
    size: Point3
    yaw: float


@dataclass(frozen=True, eq=False)
class Stage:
    """A scene with everything in its place for one seed.

    Attributes:
        placings: of all objects, by id.
        start: start pose of the robot.
    """

    scene: WorldScene
    seed: int
    placings: dict[str, Placing]
    start: Pose2D

    def truth(self, moved: Mapping[str, Placing] = NOTHING_MOVED) -> list[ObjectTruth]:
        """The truth about every object, then about the people who walk.

        Args:
            moved: placings of objects away from their places; people have no other placing.
        """
        return [*(self._truth_of(thing, moved[thing.id]) if thing.id in moved else truth
                  for thing, truth in zip(self.scene.objects.values(), self._in_place,
                                          strict=True)),
                *(self._truth_of(person, moved[person.id])
                  for person in self.scene.people if person.id in moved)]

    @cached_property
    def _in_place(self) -> tuple[ObjectTruth, ...]:
        """The truth about every object in its place."""
        return tuple(self._truth_of(thing, self.placings[thing.id])
                     for thing in self.scene.objects.values())

    def colliders(self, without: Collection[str] = ()) -> list[Collider]:
        """The colliders of all things in their places, in the map frame.

        Args:
            without: ids of objects that are left out.
        """
        return [collider for collider, _ in self.named_colliders(without)]

    def named_colliders(self, without: Collection[str] = ()) -> list[tuple[Collider, str]]:
        """The colliders, each with the id of its object, or 'wall' for walls."""
        named = [(collider, WALL) for collider in self.scene.structure.colliders]
        for thing in self.scene.objects.values():
            if thing.id not in without:
                named += [(collider, thing.id)
                          for collider in thing.map_colliders(self.placings[thing.id])]
        return named

    def _truth_of(self, thing: SceneObject, placing: Placing) -> ObjectTruth:
        x, y, z = (float(v) for v in placing.apply((thing.low + thing.high) / 2))
        dx, dy, dz = (float(v) for v in thing.high - thing.low)
        room = self.scene.world.room_at(x, y)
        return ObjectTruth(thing.id, thing.name, thing.kind, thing.colour,
                           room.name if room else '', (x, y, z), (dx, dy, dz), placing.yaw_rad)


def build_scene(world: WorldDescription) -> WorldScene:
    """Build a world.

    Raises:
        ConfigError: it asks for a recipe, a support surface or a place that does not exist.
    """
    objects: dict[str, SceneObject] = {}
    for wall in world.walls:
        for opening in wall.openings:
            if opening.leaf is not None:
                objects[opening.leaf.id] = _door(wall, opening, opening.leaf)
    for item in sorted(world.items, key=lambda item: item.movable):
        built = LIBRARY.build(item.recipe, item.size, item.material, item.trim, item.face,
                              zlib.crc32(item.id.encode()))
        spots = (item.spot,) if item.spot else world.placements.get(item.id, ())
        placings = [placing_on(objects, item.id, spot) for spot in spots]
        if item.at is not None:
            placings = [Placing(item.at, item.yaw_rad)]
        objects[item.id] = _object((item.id, item.kind, item.name, item.colour), built,
                                   placings[0], movable=item.movable)
    return WorldScene(world, build_structure(world), objects, tuple(
        _person(index, *clothes) for index, clothes in enumerate(_CLOTHES, start=1)))


def stage(scene: WorldScene, seed: int, moved: float = 0.0, *, usual: bool = False) -> Stage:
    """Put everything in its place for one seed; a seed determines the stage.

    If possible, the robot does not start in a room with an object that was placed by the seed: it
    would have nothing to search for.

    Args:
        scene: the home.
        seed: of the places, and of the start.
        moved: share of the objects placed by the seed that now lie elsewhere, as after some time.
            The start pose does not change.
        usual: whether such objects lie at each of their places as often as in reality, see
            `usual_places`; otherwise all places are equally likely.
    """
    world = scene.world
    placings = {thing.id: thing.placing for thing in scene.objects.values()}
    taken = set()
    for name, spots in world.placements.items():
        weights = [_weight(scene, name, spot) if usual else 1.0 for spot in spots]
        choice = _drawn(stream(seed, f'placement of {name}'), weights)
        placings[name] = placing_on(scene.objects, name, spots[choice])
        taken.add(world.room_at(*placings[name].position[:2]))
        others = (*spots[:choice], *spots[choice + 1:])
        if others and stream(seed, f'move of {name}').random() < moved:
            spot = others[_drawn(stream(seed, f'new place of {name}'),
                                 weights[:choice] + weights[choice + 1:])]
            placings[name] = placing_on(scene.objects, name, spot)
    starts = [pose for pose in world.start_poses if world.room_at(pose.x, pose.y) not in taken]
    starts = starts or list(world.start_poses)
    start = starts[int(stream(seed, 'start pose').integers(len(starts)))]
    return Stage(scene, seed, placings, start)


def _weight(scene: WorldScene, name: str, spot: Spot) -> float:
    """Unnormalised probability of a thing on a spot."""
    room = scene.world.room_at(*placing_on(scene.objects, name, spot).position[:2])
    return likelihood(scene.objects[name].kind, room.kind if room else '',
                      scene.objects[spot.support].kind)


def _drawn(rng: np.random.Generator, weights: Sequence[float]) -> int:
    """Draw an index with given weights."""
    if min(weights) == max(weights):
        return int(rng.integers(len(weights)))
    return int(np.searchsorted(np.cumsum(weights), rng.random() * sum(weights), 'right'))


def placing_on(objects: dict[str, SceneObject], name: str, spot: Spot) -> Placing:
    """The placing of an object on a spot.

    Raises:
        ConfigError: the support has no such surface, or the spot lies beside it.
    """
    support = objects[spot.support]
    surface = support.surfaces.get(spot.surface)
    if surface is None:
        raise ConfigError(f'{name}: {spot.support} has no surface {spot.surface!r}: it has '
                          f'{", ".join(sorted(support.surfaces)) or "none"}')
    if any(abs(offset) > extent / 2
           for offset, extent in zip(spot.offset, surface.extents, strict=True)):
        raise ConfigError(f'{name}: {spot.offset} m lies beside the surface {spot.surface!r} of '
                          f'{spot.support}, which is {surface.extents} m')
    x, y, z = surface.middle
    at = support.placing.apply((x + spot.offset[0], y + spot.offset[1], z))
    return Placing((float(at[0]), float(at[1]), float(at[2])),
                   support.placing.yaw_rad + spot.yaw_rad)


def _object(named: tuple[str, str, str, str], built: Assembly, placing: Placing, *,
            movable: bool = False, hinged: bool = False) -> SceneObject:
    """Make an object with a given id, kind, name and colour."""
    vertices = np.vstack([visual.mesh.vertices for visual in built.visuals])
    return SceneObject(*named, tuple(built.visuals), tuple(built.colliders), built.surfaces,
                       vertices.min(axis=0), vertices.max(axis=0), placing, movable, hinged)


def _door(wall: Wall, opening: Opening, leaf: Leaf) -> SceneObject:
    start, end = opening.span
    built = build_leaf(end - start - 0.02, opening.height[1], leaf.material)
    hinge = wall.point(start + 0.012 if leaf.hinge == 'start' else end - 0.012, wall.at)
    return _object((leaf.id, 'door', leaf.id.replace('_', ' '), leaf.colour), built,
                   Placing(hinge, math.remainder(leaf.yaw_rad, math.tau)), hinged=True)


def _person(index: int, shirt: str, trousers: str, hair: str) -> SceneObject:
    return _object((f'person_{index}', 'person', 'person', shirt.split('_')[0]),
                   LIBRARY.build('person', None, shirt, trousers, hair), _OUT_OF_SIGHT,
                   movable=True)
