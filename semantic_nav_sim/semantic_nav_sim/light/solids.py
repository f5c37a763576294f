"""The boxes and cylinders of a stage, for rays.

Stands in for the meshes that the full body renders: a thing is the boxes and cylinders of its
colliders, or its bounding box if it has none. Trim, lamps and soft parts have no shape of their
own here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import shapely

from semantic_nav_sim.world.assembly import Collider
from semantic_nav_sim.world.footprints import outline_of
from semantic_nav_sim.world.meshes import Floats, rotation_z
from semantic_nav_sim.world.scene import Placing, SceneObject, Stage

#: Least half extent of a solid, so that no ray slips through.
_LEAST_HALF_M = 0.002
_CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


@dataclass(frozen=True, eq=False)
class Solid:
    """One box, or one cylinder about its z axis.

    Attributes:
        owner: index of its object in the stage's order of objects and people, -1 for a wall.
        half: half extents along its axes in metres; of a cylinder radius, radius, half height.
        position: of its centre in the map, shape (3,).
        rotation: of its axes, shape (3, 3).
    """

    owner: int
    shape: Literal['box', 'cylinder']
    half: Floats
    position: Floats
    rotation: Floats

    @classmethod
    def of(cls, collider: Collider, owner: int) -> Self:
        """A collider in the map frame as a solid."""
        return cls(owner, collider.shape, np.maximum(collider.size, _LEAST_HALF_M),
                   collider.position, collider.rotation)


@dataclass(frozen=True, eq=False)
class Solids:
    """Some solids, and their bounding boxes.

    Attributes:
        each: the n solids.
        corners: of each bounding box, in the map, shape (n, 8, 3).
    """

    each: tuple[Solid, ...]
    corners: Floats

    @classmethod
    def of(cls, each: tuple[Solid, ...]) -> Self:
        """Compute the corners."""
        return cls(each, np.array([
            (_CORNERS * solid.half) @ solid.rotation.T + solid.position
            for solid in each]).reshape(-1, 8, 3))

    def with_more(self, more: 'Solids') -> 'Solids':
        """These solids and more."""
        if not more.each:
            return self
        return Solids(self.each + more.each, np.concatenate([self.corners, more.corners]))


class StageSolids:
    """All solids of one stage, with those that move."""

    def __init__(self, stage: Stage, height_m: float, moving: frozenset[str]) -> None:
        """Project all solids that do not move.

        Args:
            stage: the world for a seed.
            height_m: of the lidar's scan plane.
            moving: ids of the door leaves that turn.
        """
        self._things: dict[str, tuple[SceneObject, int]] = {
            thing.id: (thing, index) for index, thing in enumerate(
                [*stage.scene.objects.values(), *stage.scene.people])}
        self._height_m = height_m
        shell = stage.scene.structure.colliders
        still = [(thing, index, stage.placings[name])
                 for name, (thing, index) in self._things.items()
                 if name in stage.placings and name not in moving]
        self._fixed = Solids.of((
            *(Solid.of(collider, -1) for collider in shell),
            *(solid for thing, index, placing in still
              for solid in _solids_of(thing, index, placing))))
        self._fixed_edges = _edges([
            *shell, *(collider for thing, _, placing in still
                      for collider in thing.map_colliders(placing))], height_m)
        self._moved: Mapping[str, Placing] = {}
        self._solids, self._segments = self._fixed, self._fixed_edges

    def solids(self, moved: Mapping[str, Placing]) -> Solids:
        """The solids that the camera sees.

        Args:
            moved: placings of moved objects.
        """
        self._take(moved)
        return self._solids

    def edges(self, moved: Mapping[str, Placing]) -> Floats:
        """The outlines in the lidar's plane as edges, shape (n, 4): from x, y, to x, y.

        Each outline is in counterclockwise order.

        Args:
            moved: placings of moved objects.
        """
        self._take(moved)
        return self._segments

    def _take(self, moved: Mapping[str, Placing]) -> None:
        if moved == self._moved:
            return
        self._moved = dict(moved)
        placed = [(*self._things[name], placing) for name, placing in moved.items()]
        self._solids = self._fixed.with_more(Solids.of(tuple(
            solid for thing, index, placing in placed
            for solid in _solids_of(thing, index, placing))))
        self._segments = np.concatenate([self._fixed_edges, _edges(
            [collider for thing, _, placing in placed
             for collider in thing.map_colliders(placing)], self._height_m)])


def _solids_of(thing: SceneObject, index: int, placing: Placing) -> Iterator[Solid]:
    colliders = thing.map_colliders(placing)
    if not colliders:
        turn = rotation_z(placing.yaw_rad)
        colliders = [Collider('box', (thing.high - thing.low) / 2,
                              placing.apply((thing.low + thing.high) / 2), turn)]
    return (Solid.of(collider, index) for collider in colliders)


def _edges(colliders: list[Collider], height_m: float) -> Floats:
    """The edges of the outlines of those colliders that reach to a height."""
    rings = []
    for collider in colliders:
        outline = outline_of(collider, height_m, height_m)
        if outline is not None:
            # Normalised outlines are in clockwise order.
            ring = shapely.get_coordinates(shapely.normalize(outline))[::-1]
            rings.append(np.concatenate([ring[:-1], ring[1:]], axis=1))
    return np.concatenate(rings) if rings else np.empty((0, 4))
