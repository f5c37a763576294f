"""Where a thing of a kind may lie in a home, by the habits of the generator of homes.

Told by what a person who knows the home, its furniture and those habits would know: not by where
anything was put.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav_sim.world.description import Room
from semantic_nav_sim.world.generator.habits import (
    FLOOR,
    HABITS,
    ROAMING,
    Habit,
)
from semantic_nav_sim.world.generator.layout import HALL
from semantic_nav_sim.world.generator.object_placement import HIGHEST_M, REACH_M
from semantic_nav_sim.world.scene import SceneObject, WorldScene

#: Between the points by which a surface is told, and how far from a wall things on the floor lie.
_SPACING_M = 0.2
_ASIDE_M = 0.3

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LikelyPlaces:
    """Points of the map, shape (n, 2), and how likely the thing is there, shape (n,), sum 1."""

    points: Floats
    chances: Floats


def habit_of(goal: str, *, on_floor: bool = False) -> Habit:
    """Return how what a goal names is laid.

    Args:
        goal: in words.
        on_floor: where something of no habit stands: in any room, as furniture does, or on any
            furniture.
    """
    words = f' {goal.lower()} '
    named = [habit for habit in (*ROAMING, *HABITS) if f' {habit.kind} ' in words
             and (habit.word is None or f' {habit.word} ' in words)]
    return max(named, key=lambda habit: len(habit.kind),
               default=Habit('', (FLOOR,) if on_floor else ()))


def places_of(habit: Habit, scene: WorldScene, open_cells: NDArray[np.bool_],
              grid: OccupancyGrid) -> LikelyPlaces:
    """Return where a thing may lie.

    Args:
        habit: how things of its kind are laid; where it names no supports, on any furniture.
        scene: the home.
        open_cells: where the middle of a robot can be, shape as the map's.
        grid: its floor plan.
    """
    rooms = _rooms_of(habit, scene)
    reach_m = ndimage.distance_transform_edt(~open_cells) * grid.resolution_m
    if FLOOR in habit.supports:
        spots = [_floor_of(room, open_cells, grid) for room in rooms]
        shares = _shares([room.name for room in rooms], 1)
    else:
        carriers = [(room.name, thing) for thing in scene.objects.values()
                    if (thing.kind in habit.supports or not habit.supports)
                    and not thing.movable
                    and (room := scene.world.room_at(*thing.placing.position[:2])) in rooms
                    and room is not None]
        spots = [_surface_of(thing, habit.surface, reach_m, grid) for _, thing in carriers]
        shares = _shares([name for name, _ in carriers], habit.most if habit in ROAMING else 1)
    used = [(points, share) for points, share in zip(spots, shares, strict=True) if len(points)]
    points = np.concatenate([np.zeros((0, 2)), *(points for points, _ in used)])
    chances = np.concatenate([np.zeros(0), *(
        np.full(len(points), share / len(points)) for points, share in used)])
    return LikelyPlaces(points, chances / max(chances.sum(), 1e-9))


def _rooms_of(habit: Habit, scene: WorldScene) -> list[Room]:
    """Return the rooms of a habit: what roams is never in the hall."""
    return [room for room in scene.world.rooms if (
        room.kind in habit.rooms if habit.rooms else habit not in ROAMING or room.kind != HALL)]


def _shares(rooms: Sequence[str], places: int) -> list[float]:
    """Return how likely each of some places is to be the one, by the room that it is in.

    Of each room one is drawn, up to so many in all, then of the rest what is missing; one of those
    drawn is it.
    """
    count = {room: rooms.count(room) for room in rooms}
    first = min(places, len(count))
    left = min(places, len(rooms)) - first
    others = max(1, len(rooms) - len(count))
    drawn = [first / len(count) / count[room] for room in rooms]
    if left:
        drawn = [one + (1.0 - one) * left / others for one in drawn]
    return [one / (first + left) for one in drawn]


def _surface_of(thing: SceneObject, name: str | None, reach_m: Floats,
                grid: OccupancyGrid) -> Floats:
    """Return points on furniture within a robot's reach, shape (n, 2)."""
    surface = next((thing.surfaces[one] for one in ((name,) if name else ('top', 'left'))
                    if one in thing.surfaces), None)
    if surface is None or surface.middle[2] > HIGHEST_M:
        return np.zeros((0, 2))
    along, across = (np.linspace(-extent / 2, extent / 2, max(1, round(extent / _SPACING_M)) + 2)
                     [1:-1] for extent in surface.extents)
    points = np.array([thing.placing.apply((
        surface.middle[0] + x, surface.middle[1] + y, surface.middle[2]))[:2]
        for x in along for y in across])
    rows, columns, inside = grid.cells_of(*points.T)
    kept: Floats = points[inside & (reach_m[rows, columns] < REACH_M)]
    return kept


def _floor_of(room: Room, open_cells: NDArray[np.bool_], grid: OccupancyGrid) -> Floats:
    """Return points of a room's floor beside walls and furniture, shape (n, 2)."""
    gap_m = ndimage.distance_transform_edt(grid.free) * grid.resolution_m
    step = round(_SPACING_M / grid.resolution_m)
    beside = np.zeros_like(open_cells)
    beside[::step, ::step] = (grid.free & (gap_m <= _ASIDE_M))[::step, ::step]
    points = np.stack(grid.centres_of(*np.nonzero(beside)), axis=1)
    kept: Floats = points[[room.contains(x, y) for x, y in points]]
    return kept
