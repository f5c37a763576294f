"""Labels: the objects that a goal in free words refers to, as given by its author."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shapely import LineString, MultiPoint
from shapely.geometry.base import BaseGeometry

from semantic_nav_sim.judge import outline_of
from semantic_nav_sim.world.description import Room, WorldDescription

#: The `near` of windows, which are openings and no objects.
WINDOW = 'window'
#: A window lies in the wall of its room: this far outside the floor it still counts as inside.
_WALL_M = 0.3

Json = dict[str, Any]


@dataclass(frozen=True)
class Label:
    """Conditions on a target. Any object that meets all will do; kinds or names are needed.

    Attributes:
        kinds, names: its kind or its name is one of them.
        colours, rooms: its colour is one of them, and so is the kind of its room; empty for any.
        near: 'window', or a kind of object; one must be within `within_m` in the same room.
        within_m: from outline to outline on the floor.
    """

    kinds: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    colours: tuple[str, ...] = ()
    rooms: tuple[str, ...] = ()
    near: str = ''
    within_m: float = 2.0


def fitting(label: Label, objects: Sequence[Json], world: WorldDescription) -> list[Json]:
    """The objects of a world that meet a label.

    Args:
        label: the conditions.
        objects: all of them, as the truth server describes them.
        world: of the objects.
    """
    rooms = {room.name: room for room in world.rooms}
    return [item for item in objects
            if (item['kind'] in label.kinds or item['name'] in label.names)
            and (not label.colours or item['colour'] in label.colours)
            and (room := rooms.get(item['room'])) is not None
            and (not label.rooms or room.kind in label.rooms)
            and (not label.near or _is_near(item, label, objects, world, room))]


def _is_near(item: Json, label: Label, objects: Sequence[Json], world: WorldDescription,
             room: Room) -> bool:
    others = (_windows(world, room) if label.near == WINDOW else
              [_outline(other) for other in objects if other['kind'] == label.near
               and other['room'] == room.name and other['id'] != item['id']])
    return any(_outline(item).distance(other) <= label.within_m for other in others)


def _outline(item: Json) -> BaseGeometry:
    return MultiPoint(outline_of(item)).convex_hull


def _windows(world: WorldDescription, room: Room) -> list[BaseGeometry]:
    found = []
    for wall in world.walls:
        for opening in wall.openings:
            ends = [wall.point(along, wall.at)[:2] for along in opening.span]
            x, y = (sum(values) / 2 for values in zip(*ends, strict=True))
            if opening.kind == WINDOW and (
                    room.low[0] - _WALL_M <= x <= room.high[0] + _WALL_M
                    and room.low[1] - _WALL_M <= y <= room.high[1] + _WALL_M):
                found.append(LineString(ends))
    return found
