"""Likely places of a kind of thing in a home, by the habits of the home generator.

They follow from the knowledge of a person about the home, its furniture and those habits, not
from the true places.
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

#: Spacing of the points of a surface, and the largest gap to a wall of things on the floor, in
#: metres.
_SPACING_M = 0.2
_ASIDE_M = 0.3

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LikelyPlaces:
    """Points of the map, shape (n, 2), and the chance of each, shape (n,), with sum 1."""

    points: Floats
    chances: Floats


def habit_of(goal: str, *, on_floor: bool = False) -> Habit:
    """The habit of the thing that a goal names.

    Args:
        goal: in words.
        on_floor: for a thing without a habit: on the floor of any room, like furniture, instead of
            on any furniture.
    """
    words = f' {goal.lower()} '
    named = [habit for habit in (*ROAMING, *HABITS) if f' {habit.kind} ' in words
             and (habit.word is None or f' {habit.word} ' in words)]
    return max(named, key=lambda habit: len(habit.kind),
               default=Habit('', (FLOOR,) if on_floor else ()))


def places_of(habit: Habit, scene: WorldScene, open_cells: NDArray[np.bool_],
              grid: OccupancyGrid) -> LikelyPlaces:
    """The likely places of a thing.

    Args:
        habit: of its kind; without supports it may be on any furniture.
        scene: the home.
        open_cells: mask of the cells where the robot's centre can be, shape as the map's.
        grid: floor plan of the home.
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
    """The rooms of a habit. Things that roam are never in the hall."""
    return [room for room in scene.world.rooms if (
        room.kind in habit.rooms if habit.rooms else habit not in ROAMING or room.kind != HALL)]


def _shares(rooms: Sequence[str], places: int) -> list[float]:
    """The chance of each place, given its room.

    First one place is drawn in each room, up to `places` in all. The missing ones are drawn from
    the other places. The thing is at one of those drawn.
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
    """Points on furniture within a robot's reach, shape (n, 2)."""
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
    """Points of a room's floor beside walls and furniture, shape (n, 2)."""
    gap_m = ndimage.distance_transform_edt(grid.free) * grid.resolution_m
    step = round(_SPACING_M / grid.resolution_m)
    beside = np.zeros_like(open_cells)
    beside[::step, ::step] = (grid.free & (gap_m <= _ASIDE_M))[::step, ::step]
    points = np.stack(grid.centres_of(*np.nonzero(beside)), axis=1)
    kept: Floats = points[[room.contains(x, y) for x, y in points]]
    return kept
