"""Upright boxes on a floor, the sides of a room, and collisions of boxes."""

import math
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import shapely

from semantic_nav_sim.world.description import Point2, Point3

#: Overlap up to which boxes only touch.
TOUCH_M = 1e-6


@dataclass(frozen=True)
class Footprint:
    """An upright box, turned about z.

    Attributes:
        x, y: its centre in the map, in metres.
        depth, width: extents along its own x (to its front) and y.
        yaw_rad: direction of its front.
        low, high: its range of heights.
    """

    x: float
    y: float
    depth: float
    width: float
    yaw_rad: float
    low: float
    high: float

    def point(self, forward: float, left: float) -> Point2:
        """The map point at a distance forward and left of the centre."""
        c, s = math.cos(self.yaw_rad), math.sin(self.yaw_rad)
        return self.x + forward * c - left * s, self.y + forward * s + left * c

    def corners(self) -> list[Point2]:
        """The outline, counter-clockwise."""
        d, w = self.depth / 2, self.width / 2
        return [self.point(-d, -w), self.point(d, -w), self.point(d, w), self.point(-d, w)]

    def grown(self, by_m: float) -> 'Footprint':
        """The box with its four sides moved outwards."""
        return Footprint(self.x, self.y, self.depth + 2 * by_m, self.width + 2 * by_m,
                         self.yaw_rad, self.low, self.high)

    @cached_property
    def _core(self) -> shapely.Polygon:
        """The outline, slightly smaller, so that touching things share no space."""
        return shapely.Polygon(self.grown(-TOUCH_M / 2).corners())

    def meets(self, other: 'Footprint') -> bool:
        """Tell whether the two boxes share any space."""
        return (self.low < other.high and other.low < self.high
                and bool(shapely.intersects(self._core, other._core)))


class Side(Enum):
    """A side of a room; its value is the direction of things with their back to it, in degrees."""

    WEST = 0
    SOUTH = 90
    EAST = 180
    NORTH = 270

    @property
    def yaw_rad(self) -> float:
        """The direction from the wall into the room."""
        return math.radians(self.value)

    @property
    def across(self) -> int:
        """The axis perpendicular to the wall: 0 for x, 1 for y."""
        return 0 if self in (Side.WEST, Side.EAST) else 1

    @property
    def opposite(self) -> 'Side':
        """The wall on the other side of the room."""
        return Side((self.value + 180) % 360)


@dataclass(frozen=True, slots=True)
class Span:
    """A part of one side of a room: start and end along it, and its range of heights."""

    side: Side
    start: float
    end: float
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle along the map's axes, in metres."""

    low: Point2
    high: Point2

    @property
    def size(self) -> Point2:
        """The extents along x and y."""
        return self.high[0] - self.low[0], self.high[1] - self.low[1]

    @property
    def middle(self) -> Point2:
        """The centre."""
        return (self.low[0] + self.high[0]) / 2, (self.low[1] + self.high[1]) / 2

    @property
    def area(self) -> float:
        """The area in square metres."""
        return self.size[0] * self.size[1]

    def inset(self, by_m: float) -> 'Rectangle':
        """The rectangle with its sides moved inwards."""
        return Rectangle((self.low[0] + by_m, self.low[1] + by_m),
                         (self.high[0] - by_m, self.high[1] - by_m))

    def length(self, side: Side) -> float:
        """The length of a side."""
        return self.size[1 - side.across]

    def start(self, side: Side) -> float:
        """The smallest coordinate along a side."""
        return self.low[1 - side.across]

    def depth(self, side: Side) -> float:
        """The distance from a side to the opposite one."""
        return self.size[side.across]

    def against(self, side: Side, along: float, size: Point3, gap: float = 0.0,
                low: float = 0.0) -> Footprint:
        """The place of a box with its back to a side.

        Args:
            side: of the rectangle.
            along: coordinate of the box's centre along that side.
            size: depth, width and height.
            gap: between the side and the back of the box.
            low: height of its foot.
        """
        away = gap + size[0] / 2
        inner = self.low if side in (Side.WEST, Side.SOUTH) else self.high
        across = inner[side.across] + (away if inner is self.low else -away)
        x, y = (across, along) if side.across == 0 else (along, across)
        return Footprint(x, y, size[0], size[1], side.yaw_rad, low, low + size[2])

    def holds(self, box: Footprint, slack_m: float = 1e-6) -> bool:
        """Tell whether a box is inside."""
        return all(self.low[0] - slack_m <= x <= self.high[0] + slack_m
                   and self.low[1] - slack_m <= y <= self.high[1] + slack_m
                   for x, y in box.corners())
