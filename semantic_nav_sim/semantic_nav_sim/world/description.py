"""A world as data: rooms, walls, furniture, small objects, lights and start poses.

Lengths are in metres in the map frame: x east, y north, z up from the floor. Every object has its
own frame: x to its front, y to its left, z up, with the origin on the floor (or on its support)
under its centre. Sizes are extents along these axes.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from semantic_nav.contracts.geometry import Pose2D

Point2 = tuple[float, float]
Point3 = tuple[float, float, float]
Rgb = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Room:
    """A rectangle of floor up to the centre lines of its walls.

    Attributes:
        name: unique, in everyday words ('living room').
        kind: of the room; equal to the name for a room that is the only one of its kind.
        low, high: corners of the smallest and largest x and y, in metres.
        walls, floor, ceiling: names of materials.
    """

    name: str
    kind: str
    low: Point2
    high: Point2
    walls: str
    floor: str
    ceiling: str

    def contains(self, x: float, y: float) -> bool:
        """Tell whether a point of the floor lies in the room."""
        return self.low[0] <= x <= self.high[0] and self.low[1] <= y <= self.high[1]


@dataclass(frozen=True, slots=True)
class Leaf:
    """The fixed leaf of a door, hinged at one end of its opening."""

    id: str
    hinge: Literal['start', 'end']
    yaw_rad: float
    colour: str
    material: str


@dataclass(frozen=True, slots=True)
class Opening:
    """A hole in a wall: a door, an open passage or a window.

    Attributes:
        span: start and end along the wall's axis.
        height: lower and upper edge above the floor.
        leaf: the door's leaf; None for passages and windows.
    """

    kind: Literal['door', 'passage', 'window']
    span: Point2
    height: Point2
    leaf: Leaf | None = None


@dataclass(frozen=True, slots=True)
class Wall:
    """A straight wall along the x or the y axis.

    Attributes:
        axis: direction of the wall.
        at: coordinate of its centre line on the other axis.
        span: start and end along its axis.
    """

    axis: Literal['x', 'y']
    at: float
    span: Point2
    openings: tuple[Opening, ...]

    def point(self, along: float, across: float, z: float = 0.0) -> Point3:
        """The map point with some coordinates along and across the wall's axis."""
        return (along, across, z) if self.axis == 'x' else (across, along, z)


@dataclass(frozen=True, slots=True)
class Block:
    """A solid box on the floor: its corners of smallest and largest x and y, and its height."""

    low: Point2
    high: Point2
    height: float


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on a support: forward and left of its centre, in the support's frame."""

    support: str
    offset: Point2
    yaw_rad: float
    surface: str = 'top'


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of furniture or one small object.

    Attributes:
        id: unique, a lower-case identifier.
        kind: a plain noun ('sofa'); `recipe` names the recipe if it differs.
        name: in everyday words ('blue sofa').
        colour: word for its main colour.
        at: position of its frame's origin; None if it stands on a support.
        yaw_rad: direction of its front.
        size: extents along its axes; None for the recipe's own.
        material, trim, face: names of materials for its body, its details and its picture.
        spot: place on a support; None if it has a position or is placed by seed.
        movable: whether it is small enough to be carried away, and so not part of the map.
    """

    id: str
    kind: str
    name: str
    colour: str
    recipe: str
    at: Point3 | None
    yaw_rad: float
    size: Point3 | None
    material: str | None
    trim: str | None
    face: str | None
    spot: Spot | None
    movable: bool


@dataclass(frozen=True, slots=True)
class Lamp:
    """A ceiling lamp; power 1 suits a room of 15 m²."""

    at: Point3
    power: float


@dataclass(frozen=True, slots=True)
class Sun:
    """The direction to the sun, with the azimuth from x to y, and its strength (0 if overcast)."""

    azimuth_rad: float
    elevation_rad: float
    power: float

    @property
    def towards(self) -> Point3:
        """The unit vector to the sun."""
        flat = math.cos(self.elevation_rad)
        return (flat * math.cos(self.azimuth_rad), flat * math.sin(self.azimuth_rad),
                math.sin(self.elevation_rad))


@dataclass(frozen=True)
class WorldDescription:
    """A whole world, read and checked.

    Attributes:
        wall_height, wall_thickness: in metres.
        placements: possible spots of each object that is placed by seed.
        materials: of the world itself, each a pattern of the library in other colours.
        digest: SHA-256 of the document, in hexadecimal.
    """

    name: str
    wall_height: float
    wall_thickness: float
    rooms: tuple[Room, ...]
    walls: tuple[Wall, ...]
    blocks: tuple[Block, ...]
    items: tuple[Item, ...]
    placements: dict[str, tuple[Spot, ...]]
    lamps: tuple[Lamp, ...]
    sun: Sun
    materials: Mapping[str, Mapping[str, Any]]
    start_poses: tuple[Pose2D, ...]
    digest: str

    def room_at(self, x: float, y: float) -> Room | None:
        """The room that contains a point of the floor; None outside."""
        return next((room for room in self.rooms if room.contains(x, y)), None)

    @property
    def low(self) -> Point2:
        """The corner of the smallest x and y over all rooms."""
        return min(r.low[0] for r in self.rooms), min(r.low[1] for r in self.rooms)

    @property
    def high(self) -> Point2:
        """The corner of the largest x and y over all rooms."""
        return max(r.high[0] for r in self.rooms), max(r.high[1] for r in self.rooms)
