"""Furnishes a living room around a sofa and a television."""

from collections.abc import Collection

from semantic_nav_sim.world.generator.dining import dining_table
from semantic_nav_sim.world.generator.draft import Piece, Standing
from semantic_nav_sim.world.generator.furnisher import Furnisher
from semantic_nav_sim.world.generator.kitchen import kitchen_units
from semantic_nav_sim.world.generator.openings import NoPlan
from semantic_nav_sim.world.generator.shapes import Footprint, Side

# Distance of a sofa from its television.
VIEWING_M = (2.2, 3.7)


def furnish_living_room(room: Furnisher, kinds: Collection[str]) -> None:
    """Place a sofa before a television, then the other things of a living room.

    Without a kitchen, its units and the dining table are here.
    """
    alone = 'kitchen' not in kinds
    if alone:
        kitchen_units(room, big=False)
    sofa = _sofa_and_television(room)
    if sofa is not None:
        _around_sofa(room, sofa)
    for kind in ('armchair', 'coffee table', 'floor lamp'):
        if not room.draft.has(kind):
            room.wall(kind, score=room.corner)
    dining_table(room, must=alone, chance=0.4)
    shelf = room.wall('bookshelf', front=0.5, score=room.off_windows)
    room.wall('potted plant', score=room.bright_corner)
    if room.plot.floor.area > 21 and room.chance(0.3):
        room.wall('piano', front=0.6, score=room.off_windows)
    elif room.chance(0.6):
        room.wall('sideboard', front=0.5, score=room.mid_wall)
    if shelf is not None and room.chance(0.5):
        room.wall('bookshelf', front=0.5, score=room.near(shelf))
    room.dress_windows()
    room.heat()
    for _ in range(2 if room.chance(0.7) else 1):
        room.hang('picture', 1.3, score=room.mid_wall)
    if room.chance(0.5):
        room.hang('wall clock', 1.7)
    if room.chance(0.5):
        room.wall('potted plant', score=room.corner)


def _sofa_and_television(room: Furnisher) -> Standing | None:
    """Place a sofa and a television on opposite sides; the sofa may be away from the walls."""
    first, stand = room.draft.piece('sofa'), room.draft.piece('tv stand')
    if stand is None or first is None:
        for kind in ('sofa', 'tv stand'):
            if room.draft.wanted(kind):
                room.wall(kind, front=0.6, score=room.mid_wall, must=True)
        return None
    for size in sorted({first.size, first.kind.sizes[0]}, key=lambda size: -size[1]):
        facing = _facing(room, Piece(first.kind, first.finish, size), stand)
        if facing is not None:
            return facing
    raise NoPlan('no room for a sofa before a television')


def _facing(room: Furnisher, sofa: Piece, stand: Piece) -> Standing | None:
    """Place a sofa and the television stand opposite to each other, if they fit."""
    inner = room.occupancy.inner
    pairs: list[tuple[float, Footprint, Footprint]] = []
    for side in Side:
        spare = inner.depth(side) - sofa.room[0] - stand.room[0] - VIEWING_M[1]
        # If the room is deep, the sofa leaves its wall, with space for the robot behind it.
        gap = 0.03 if spare < 0.6 else max(0.8, spare)
        if inner.depth(side) - gap - sofa.room[0] - stand.room[0] < VIEWING_M[0]:
            continue
        for box in room.occupancy.places(side, sofa.room, gap=0.25):
            along = (box.x, box.y)[1 - side.across]
            seat = inner.against(side, along, sofa.room, gap)
            screen = inner.against(side.opposite, along, stand.room, 0.02)
            if room.occupancy.fits(seat) and room.occupancy.fits(screen):
                score = room.mid_wall(seat) + (0.6 if gap < 0.1 else 0.0)
                pairs.append((score + 0.8 * float(room.rng.random()), seat, screen))
    for _, seat, screen in sorted(pairs, key=lambda pair: -pair[0])[:12]:
        if room.occupancy.take([seat, screen]):
            room.stand(stand, screen)
            return room.stand(sofa, seat)
    return None


def _around_sofa(room: Furnisher, sofa: Standing) -> None:
    """Group table, rug, armchair, lamp and side table around a sofa."""
    box, yaw = sofa.box, sofa.box.yaw_rad
    front = box.depth / 2
    first = room.draft.piece('coffee table')
    centre = box.point(front + 0.75, 0)
    tables = [] if first is None else [
        Piece(first.kind, first.finish, size) for size in (first.size, *first.kind.sizes)]
    for piece, gap in ((piece, gap) for gap in (0.36, 0.45, 0.30) for piece in tables):
        spot = box.point(front + gap + piece.size[0] / 2, 0)
        if room.at('coffee table', *spot, yaw, piece=piece):
            centre = spot
            break
    room.rug(*centre, yaw)
    flip = 1 if room.chance(0.5) else -1
    for count, left in enumerate((flip, -flip)):
        if count and not room.chance(0.35):
            continue
        for forward, aside, turn in ((0.55, 0.55, 1.9), (0.75, 0.75, 2.2), (0.2, 0.6, 1.2)):
            spot = box.point(front + forward, left * (box.width / 2 + aside))
            if room.at('armchair', *spot, yaw - left * turn):
                break
    for left, kind in zip((flip, -flip), ('side table', 'floor lamp'), strict=True):
        room.beside(sofa, kind, left, gap=0.08)
