"""Furnishes the rooms of the day: living room, kitchen, dining room, hall."""

import math

from semantic_nav.sim.world.generator.draft import Piece, Standing
from semantic_nav.sim.world.generator.furnisher import Furnisher
from semantic_nav.sim.world.generator.openings import NoPlan
from semantic_nav.sim.world.generator.shapes import Footprint, Side

UNIT_GAP_M = 0.012
CUPBOARD_HEIGHT_M = 1.45
# How far a sofa stands from its television.
VIEWING_M = (2.2, 3.7)


def furnish_living_room(room: Furnisher, *, kitchenette: bool, dining: bool) -> None:
    """Put a sofa before a television, then what makes a living room of it.

    Args:
        room: to furnish.
        kitchenette: there is no kitchen, so one stands here.
        dining: there is no other place to eat.

    Raises:
        NoPlan: what must be there does not fit.
    """
    if kitchenette:
        _kitchen_units(room, big=False)
    sofa = _sofa_and_television(room)
    if sofa is not None:
        _around_sofa(room, sofa)
    for kind in ('armchair', 'coffee table', 'floor lamp'):
        if not room.draft.has(kind):
            room.wall(kind, score=room.corner)
    if (dining or room.chance(0.4)) and _dining_table(room) is None and dining:
        raise NoPlan('no room for a dining table')
    shelf = room.wall('bookshelf', front=0.5, score=room.off_windows)
    room.wall('potted plant', score=lambda b: room.corner(b) + room.by_window(b))
    if room.plot.floor.area > 21 and room.chance(0.3):
        room.wall('piano', front=0.6, score=room.off_windows)
    elif room.chance(0.6):
        room.wall('sideboard', front=0.5, score=room.mid_wall)
    if shelf is not None and room.chance(0.5):
        room.wall('bookshelf', front=0.5, score=lambda b: -math.hypot(
            b.x - shelf.box.x, b.y - shelf.box.y))
    room.dress_windows()
    room.heat()
    for _ in range(2 if room.chance(0.7) else 1):
        room.hang('picture', 1.3, score=room.mid_wall)
    if room.chance(0.5):
        room.hang('wall clock', 1.7)
    if room.chance(0.5):
        room.wall('potted plant', score=room.corner)


def _sofa_and_television(room: Furnisher) -> Standing | None:
    """Stand a sofa and a television on opposite sides; the sofa may stand free in the room."""
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
    """Stand a sofa and what carries the television opposite to each other, if they fit."""
    inner = room.canvas.inner
    pairs: list[tuple[float, Footprint, Footprint]] = []
    for side in Side:
        spare = inner.depth(side) - sofa.room[0] - stand.room[0] - VIEWING_M[1]
        # Far apart, the sofa leaves its wall, and the robot room behind it.
        gap = 0.03 if spare < 0.6 else max(0.8, spare)
        if inner.depth(side) - gap - sofa.room[0] - stand.room[0] < VIEWING_M[0]:
            continue
        for box in room.canvas.places(side, sofa.room, gap=0.25):
            along = (box.x, box.y)[1 - side.across]
            seat = inner.against(side, along, sofa.room, gap)
            screen = inner.against(side.opposite, along, stand.room, 0.02)
            if room.canvas.fits(seat) and room.canvas.fits(screen):
                score = room.mid_wall(seat) + (0.6 if gap < 0.1 else 0.0)
                pairs.append((score + 0.8 * float(room.rng.random()), seat, screen))
    for _, seat, screen in sorted(pairs, key=lambda pair: -pair[0])[:12]:
        if room.canvas.take([seat, screen]):
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


def furnish_kitchen(room: Furnisher, *, dining: bool) -> None:
    """Line up the kitchen's units along walls, and put a table where it fits.

    Raises:
        NoPlan: what must be there does not fit.
    """
    _kitchen_units(room, big=True)
    if (dining or room.chance(0.7)) and _dining_table(room) is None and dining:
        raise NoPlan('no room for a dining table')
    room.wall('trash can', score=room.corner, must=True)
    room.wall('sideboard', front=0.5, score=room.mid_wall)
    room.hang('wall clock', 1.7, score=room.mid_wall)
    room.hang('wall shelf', 1.35, score=room.mid_wall)
    if room.chance(0.6):
        room.wall('potted plant', score=lambda b: room.corner(b) + room.by_window(b))
    if room.chance(0.5):
        room.hang('picture', 1.35, score=room.mid_wall)
    room.heat()
    if room.chance(0.4):
        room.dress_windows()


def _kitchen_units(room: Furnisher, *, big: bool) -> None:
    """Stand refrigerator, counter, stove and dishwasher in one row, cupboards above."""
    kinds = [kind for kind in ('refrigerator', 'kitchen counter', 'stove', 'dishwasher')
             if room.draft.wanted(kind)]
    chosen = {kind: room.draft.piece(kind) for kind in kinds}
    counter = chosen.get('kitchen counter')
    rows = [(split, dishwasher, width) for split in (False, True)
            for dishwasher in (True, False) for width in ((2.3, 1.9, 1.6) if big else (1.6,))]
    for split, dishwasher, width in rows:
        row = [Piece(piece.kind, piece.finish,
                     (0.60, width, 0.90) if piece is counter else piece.size)
               for kind, piece in chosen.items() if piece is not None
               and not (kind == 'dishwasher' and not dishwasher)
               and not (kind == 'refrigerator' and split)]
        boxes = _row(room, row)
        if boxes:
            units = [room.stand(piece, box) for piece, box in zip(row, boxes, strict=True)]
            _cupboards(room, units)
            if split:
                room.wall('refrigerator', front=0.4, score=room.corner, must=True)
            return
    raise NoPlan(f'no wall for the units of a kitchen in the {room.plot.name}')


def _row(room: Furnisher, pieces: list[Piece]) -> list[Footprint]:
    """Return the places of pieces side by side along one wall, taken; none if it cannot be."""
    total = sum(piece.size[1] + UNIT_GAP_M for piece in pieces)
    inner = room.canvas.inner
    tries = []
    for side in Side:
        spare = inner.length(side) - total - 0.04
        if spare < 0:
            continue
        for start in sorted({0.02, 0.02 + spare / 2, 0.02 + spare}):
            for turn in (1, -1):
                tries.append((float(room.rng.random()) + (start != 0.02 + spare / 2),
                              side, start, turn))
    for _, side, start, turn in sorted(tries, key=lambda each: -each[0]):
        along = inner.start(side) + start
        boxes = []
        for piece in pieces[::turn]:
            width = piece.size[1]
            boxes.append(inner.against(side, along + width / 2, (
                piece.size[0] + 0.02, width, piece.size[2]), 0.0))
            along += width + UNIT_GAP_M
        if room.canvas.take(boxes):
            return boxes[::turn]
    return []


def _cupboards(room: Furnisher, units: list[Standing]) -> None:
    """Hang cupboards over counter and stove where no window is."""
    first = room.draft.piece('kitchen cabinet')
    if first is None:
        return
    word = next((unit.piece.finish.word for unit in units
                 if unit.piece.kind.name == 'kitchen counter'), '')
    finish = next((look for look in first.kind.finishes if look.word == word), first.finish)
    for unit in units:
        if unit.piece.kind.name not in ('kitchen counter', 'stove', 'dishwasher'):
            continue
        side = Side(round(math.degrees(unit.box.yaw_rad)) % 360)
        along = (unit.box.x, unit.box.y)[1 - side.across]
        parts = 2 if unit.box.width > 1.2 else 1
        width = unit.box.width / parts - 0.01
        for k in range(parts):
            size = (0.34, round(width, 2), 0.70)
            box = room.canvas.inner.against(
                side, along + (k - (parts - 1) / 2) * (width + 0.01), size, 0.002,
                CUPBOARD_HEIGHT_M)
            if room.canvas.put(box):
                room.stand(Piece(first.kind, finish, size), box)


def _dining_table(room: Furnisher) -> Standing | None:
    """Stand a table with chairs around it in the open, or against a wall."""
    first = room.draft.piece('dining table')
    if first is None:
        return None
    inner = room.canvas.inner
    sizes = sorted(first.kind.sizes, key=lambda size: -size[1])
    if room.plot.floor.area < 14:
        sizes = sizes[1:]
    for size in sizes:
        piece = Piece(first.kind, first.finish, size)
        depth, width, height = piece.room
        places = []
        for turn in (0.0, math.pi / 2):
            for i in range(2, 9):
                for j in range(2, 9):
                    x = inner.low[0] + inner.size[0] * i / 10
                    y = inner.low[1] + inner.size[1] * j / 10
                    places.append(Footprint(x, y, depth, width, turn, 0.0, height))
        roomy = [box for box in places if room.canvas.fits(box.grown(0.62))]
        box = room.canvas.best(roomy, room.by_window)
        if box is not None:
            table = room.stand(piece, box)
            room.chairs(table, 6 if size[1] > 1.6 else 4)
            if room.chance(0.3):
                room.rug(box.x, box.y, box.yaw_rad, scale=1.25)
            return table
    piece = Piece(first.kind, first.finish, sizes[-1])
    # Its long side stands at the wall, with chairs at the other.
    box = room.canvas.against(piece.room, score=room.by_window, front=0.5)
    if box is None:
        return None
    table = room.stand(piece, box)
    room.chairs(table, 3)
    return table


def furnish_dining_room(room: Furnisher) -> None:
    """Put a long table in the middle and a sideboard along a wall."""
    if room.draft.wanted('dining table') and _dining_table(room) is None:
        raise NoPlan('no room for a dining table')
    side = room.wall('sideboard', front=0.4, score=room.mid_wall)
    if side is not None:
        room.hang('picture', 1.3, over=side)
    room.wall('potted plant', score=room.corner)
    room.hang('picture', 1.3, score=room.mid_wall)
    if room.chance(0.5):
        room.hang('wall clock', 1.7)
    room.wall('floor lamp', score=room.corner)
    room.dress_windows()
    room.heat()


def furnish_hall(room: Furnisher, *, main: bool) -> None:
    """Line a hall with what one needs at the door; a corridor gets less."""
    if main:
        console = room.wall('console table', score=room.mid_wall, must=True)
        if console is not None:
            room.hang('mirror', 1.2, over=console)
        room.wall('coat rack', score=room.corner, must=True)
        room.wall('bench', score=room.mid_wall)
        room.wall('umbrella stand', score=room.corner)
    elif room.chance(0.6):
        room.wall(room.choose('potted plant', 'bookshelf'), score=room.corner)
    for _ in range(2 if main else 1):
        room.hang('picture', 1.35, score=room.mid_wall)
    _runner(room)


def _runner(room: Furnisher) -> None:
    """Lay a long narrow rug along a hall."""
    wide, deep = room.canvas.inner.size
    piece = room.draft.piece('rug')
    if piece is None or min(wide, deep) < 1.2:
        return
    long = min(0.55 * max(wide, deep), 3.4)
    size = (round(long, 2), 0.75, 0.006)
    x, y = room.canvas.inner.middle
    yaw = 0.0 if wide > deep else math.pi / 2
    room.stand(Piece(piece.kind, piece.finish, size),
               Footprint(x, y, size[0], size[1], yaw, 0.0, size[2]))
