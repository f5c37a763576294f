"""Floors, ceilings and walls with their openings, from a world's rooms and walls."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from semantic_nav_sim.world.assembly import Assembly, Collider, Visual
from semantic_nav_sim.world.description import (
    Block,
    Opening,
    Point2,
    Point3,
    Room,
    Wall,
    WorldDescription,
)
from semantic_nav_sim.world.library import LIBRARY
from semantic_nav_sim.world.meshes import Floats, Mesh, rectangle, rotation_x, rounded_box

FRAME_M = 0.07
SKIRTING_M = (0.016, 0.09)
EPSILON_M = 1e-6
#: Material of blocks that end below the ceiling, since their furniture is unknown.
LOW_BLOCK = 'grey_paint'


@dataclass(frozen=True, eq=False)
class LitSurface:
    """A rectangle of floor, ceiling or wall whose light is baked into its texture.

    Attributes:
        origin: the corner at the texture's lower left, shape (3,).
        u, v: edges of the whole rectangle, shape (3,); the visible side is that of u x v.
        patches: its visible parts: x0, y0, x1, y1 as shares of u and v.
        kind: 'floor', 'wall' or 'ceiling'.
        room: name of its room.
    """

    origin: Floats
    u: Floats
    v: Floats
    material: str
    kind: str
    room: str
    patches: tuple[tuple[float, float, float, float], ...] = ((0.0, 0.0, 1.0, 1.0),)

    @property
    def normal(self) -> Floats:
        """The unit normal, shape (3,)."""
        cross = np.cross(self.u, self.v)
        unit: Floats = cross / np.linalg.norm(cross)
        return unit

    def mesh(self) -> Mesh:
        """The patches as a mesh, with texture coordinates of the whole rectangle."""
        pieces = []
        for x0, y0, x1, y1 in self.patches:
            piece = rectangle(self.origin + x0 * self.u + y0 * self.v, (x1 - x0) * self.u,
                              (y1 - y0) * self.v)
            texcoords = piece.texcoords * (x1 - x0, y1 - y0) + (x0, y0)
            pieces.append(Mesh(piece.vertices, piece.normals, texcoords, piece.faces))
        return Mesh.joined(pieces)


@dataclass(frozen=True, eq=False)
class Pane:
    """A window's glass.

    Attributes:
        centre: shape (3,), in metres.
        half: half extents along the map's axes, shape (3,).
        inward: unit normal into the room, shape (3,).
        room: name of the room that it lights.
    """

    centre: Floats
    half: Floats
    inward: Floats
    room: str


@dataclass
class Structure:
    """The built shell.

    Attributes:
        surfaces: with baked light.
        trim: by room: skirting boards, frames, sills, jambs, views out of the windows.
        overhead: by room: objects under the ceiling.
        tops: upper sides of the walls, seen from above.
        colliders: of walls and panes.
        panes: of the windows.
    """

    surfaces: list[LitSurface] = field(default_factory=list)
    trim: dict[str, list[Visual]] = field(default_factory=dict)
    overhead: dict[str, list[Visual]] = field(default_factory=dict)
    tops: list[Visual] = field(default_factory=list)
    colliders: list[Collider] = field(default_factory=list)
    panes: list[Pane] = field(default_factory=list)

    def add_trim(self, room: Room, mesh: Mesh, material: str = 'white_paint') -> None:
        """Add a mesh in map coordinates."""
        self.trim.setdefault(room.name, []).append(Visual(mesh, material))


def build_structure(world: WorldDescription) -> Structure:
    """Build the shell of a world, in map coordinates."""
    built = Structure()
    for room in world.rooms:
        _add_floor_and_ceiling(built, world, room)
        for wall in world.walls:
            for side in (-1, 1):
                _add_wall_side(built, world, room, wall, side)
    for wall in world.walls:
        for (start, end), (low, high) in _solid_pieces(world, wall):
            middle = wall.point((start + end) / 2, wall.at, (low + high) / 2)
            size = wall.point(end - start, world.wall_thickness, high - low)
            built.colliders.append(Collider('box', np.array(size) / 2, np.array(middle),
                                            np.eye(3)))
            if high == world.wall_height:
                built.tops.append(Visual(_slab(middle, size, high), 'wall_top'))
        for opening in wall.openings:
            _add_opening(built, world, wall, opening)
    for block in world.blocks:
        _add_block(built, world, block)
    _add_lamps(built, world)
    return built


def _slab(middle: Point3, size: Point3, z: float) -> Mesh:
    return rectangle((middle[0] - size[0] / 2, middle[1] - size[1] / 2, z), (size[0], 0, 0),
                     (0, size[1], 0))


def _add_floor_and_ceiling(built: Structure, world: WorldDescription, room: Room) -> None:
    (x0, y0), (x1, y1) = room.low, room.high
    across, deep = np.array([x1 - x0, 0, 0]), np.array([0, y1 - y0, 0])
    built.surfaces.append(LitSurface(np.array([x0, y0, 0.0]), across, deep, room.floor, 'floor',
                                     room.name))
    built.surfaces.append(LitSurface(np.array([x0, y0, world.wall_height]), deep, across,
                                     room.ceiling, 'ceiling', room.name))


def _solid_pieces(world: WorldDescription, wall: Wall) -> Iterator[tuple[Point2, Point2]]:
    """Yield the boxes of a wall between, under and over its openings: (span, height)."""
    half = world.wall_thickness / 2
    start = wall.span[0] - half
    for opening in wall.openings:
        yield (start, opening.span[0]), (0.0, world.wall_height)
        low, high = opening.height
        if low > EPSILON_M:
            yield opening.span, (0.0, low)
        if high < world.wall_height - EPSILON_M:
            yield opening.span, (high, world.wall_height)
        start = opening.span[1]
    yield (start, wall.span[1] + half), (0.0, world.wall_height)


def _add_wall_side(built: Structure, world: WorldDescription, room: Room, wall: Wall,
                   side: int) -> None:
    """Add the face of a wall towards a room, if the wall is on the room's edge.

    Args:
        side: +1 if the room lies on the side of larger coordinates of the wall.
    """
    along, across = (0, 1) if wall.axis == 'x' else (1, 0)
    edge = room.low[across] if side > 0 else room.high[across]
    half = world.wall_thickness / 2
    start = max(wall.span[0], room.low[along]) + half
    end = min(wall.span[1], room.high[along]) - half
    if abs(edge - wall.at) > EPSILON_M or end - start < EPSILON_M:
        return
    height = world.wall_height
    # The direction of u is such that u x z points into the room.
    forward = side < 0 if wall.axis == 'x' else side > 0
    first, last = (start, end) if forward else (end, start)
    plane = wall.at + side * half
    origin = np.array(wall.point(first, plane))
    u = np.array(wall.point(last, plane)) - origin
    patches = []
    for (a, b), (low, high) in _solid_pieces(world, wall):
        a, b = max(a, start), min(b, end)
        if b - a < EPSILON_M:
            continue
        left, right = sorted(((a - first) / (last - first), (b - first) / (last - first)))
        patches.append((left, low / height, right, high / height))
        if low == 0.0:
            deep, high_m = SKIRTING_M
            board = rounded_box(wall.point(b - a, deep, high_m), 0.004)
            middle = wall.point((a + b) / 2, plane + side * deep / 2, high_m / 2)
            built.add_trim(room, board.moved(np.eye(3), middle))
    built.surfaces.append(LitSurface(origin, u, np.array([0, 0, height]), room.walls, 'wall',
                                     room.name, tuple(patches)))


def _add_opening(built: Structure, world: WorldDescription, wall: Wall, opening: Opening) -> None:
    """Add frame and reveals of an opening; for a window also bars, sill, pane and view."""
    half = world.wall_thickness / 2
    (start, end), (low, high) = opening.span, opening.height
    middle, width = (start + end) / 2, end - start
    side, room = _inner_side(world, wall, middle)

    def bar(size: Point3, along: float, across: float, z: float) -> None:
        mesh = rounded_box(wall.point(size[0], size[1], size[2]), 0.006)
        built.add_trim(room, mesh.moved(np.eye(3), wall.point(along, wall.at + across, z)))

    # Reveals are thin boards that line the hole.
    deep = 2 * half + 0.004
    for along in (start, end):
        bar((0.012, deep, high - low), along, 0, (low + high) / 2)
    for z in (low, high):
        if z > EPSILON_M:
            bar((width, deep, 0.012), middle, 0, z)
    if opening.kind != 'window':
        for along in (start - FRAME_M / 2, end + FRAME_M / 2):
            bar((FRAME_M, deep + 0.03, high), along, 0, high / 2)
        bar((width + 2 * FRAME_M, deep + 0.03, FRAME_M), middle, 0, high + FRAME_M / 2)
        return
    for along in (start + 0.025, middle, end - 0.025):
        bar((0.05, 0.05, high - low), along, 0, (low + high) / 2)
    for z in (low + 0.025, high - 0.025):
        bar((width, 0.05, 0.05), middle, 0, z)
    bar((width + 0.14, 0.24, 0.028), middle, side * (half + 0.01), low - 0.012)
    _add_pane(built, wall, opening, side, room)


def _add_pane(built: Structure, wall: Wall, opening: Opening, side: int, room: Room) -> None:
    (start, end), (low, high) = opening.span, opening.height
    first, last = (start, end) if (side < 0) == (wall.axis == 'x') else (end, start)
    plane = wall.at - side * 0.035
    view = rectangle(wall.point(first, plane, low), wall.point(last - first, 0.0),
                     (0, 0, high - low))
    built.add_trim(room, view, 'window_view')
    centre = np.array(wall.point((start + end) / 2, wall.at, (low + high) / 2))
    size = np.array(wall.point(end - start, 0.03, high - low)) / 2
    built.colliders.append(Collider('box', size, centre, np.eye(3), pane=True))
    built.panes.append(Pane(centre, size, np.array(wall.point(0.0, float(side))), room.name))


def _inner_side(world: WorldDescription, wall: Wall, along: float) -> tuple[int, Room]:
    """A side of the wall with a room at a position, and the room."""
    for side in (1, -1):
        x, y, _ = wall.point(along, wall.at + side * world.wall_thickness)
        room = world.room_at(x, y)
        if room is not None:
            return side, room
    raise ValueError(f'the wall along {wall.axis} at {wall.at} m borders no room at {along} m')


def _add_block(built: Structure, world: WorldDescription, block: Block) -> None:
    """Add a block as a solid with its sides and its top."""
    (x0, y0), (x1, y1), height = block.low, block.high, min(block.height, world.wall_height)
    middle, size = ((x0 + x1) / 2, (y0 + y1) / 2, height / 2), (x1 - x0, y1 - y0, height)
    built.colliders.append(Collider('box', np.array(size) / 2, np.array(middle), np.eye(3)))
    top = _slab(middle, size, height)
    full = height == world.wall_height
    if full:
        built.tops.append(Visual(top, 'wall_top'))
    room = world.room_at(middle[0], middle[1]) or world.rooms[0]
    up, wide, deep = (0.0, 0.0, height), (x1 - x0, 0.0, 0.0), (0.0, y1 - y0, 0.0)
    sides = [rectangle((x0, y0, 0.0), wide, up), rectangle((x1, y0, 0.0), deep, up),
             rectangle((x1, y1, 0.0), (x0 - x1, 0.0, 0.0), up),
             rectangle((x0, y1, 0.0), (0.0, y0 - y1, 0.0), up)]
    built.add_trim(room, Mesh.joined(sides if full else [*sides, top]),
                   room.walls if full else LOW_BLOCK)


def _add_lamps(built: Structure, world: WorldDescription) -> None:
    drawn = LIBRARY.build('ceiling lamp')
    for lamp in world.lamps:
        room = world.room_at(lamp.at[0], lamp.at[1])
        if room is None:
            continue
        at = np.array([lamp.at[0], lamp.at[1], world.wall_height])
        built.overhead.setdefault(room.name, []).extend(
            Visual(visual.mesh.moved(np.eye(3), at), visual.material) for visual in drawn.visuals)


def build_leaf(width: float, height: float, material: str) -> Assembly:
    """Build a door leaf that runs along x from its hinge at the origin."""
    leaf = Assembly()
    leaf.box((width, 0.04, height - 0.015), (width / 2, 0, height / 2), material, rounding=0.004)
    for low, high in ((0.10, 0.44), (0.52, 0.93)):
        for side in (-1, 1):
            leaf.box((width - 0.26, 0.012, (high - low) * height),
                     (width / 2, side * 0.02, (low + high) / 2 * height), material,
                     rounding=0.005, solid=False)
    for side in (-1, 1):
        leaf.cylinder(0.012, 0.05, (width - 0.07, side * 0.02, 1.0), 'steel', sides=12,
                      rotation=rotation_x(-side * math.pi / 2), solid=False)
        leaf.box((0.12, 0.016, 0.02), (width - 0.12, side * 0.07, 1.0), 'steel', solid=False)
    return leaf

