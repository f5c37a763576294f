"""Furnishes a kitchen: its units in a row, cupboards above, a table."""

import math
from collections.abc import Collection

from semantic_nav_sim.world.generator.dining import dining_table
from semantic_nav_sim.world.generator.draft import Piece, Standing
from semantic_nav_sim.world.generator.furnisher import Furnisher
from semantic_nav_sim.world.generator.openings import NoPlan
from semantic_nav_sim.world.generator.shapes import Footprint, Side

UNIT_GAP_M = 0.012
CUPBOARD_HEIGHT_M = 1.45


def furnish_kitchen(room: Furnisher, kinds: Collection[str]) -> None:
    """Line up the kitchen's units along walls, and place a table if it fits."""
    kitchen_units(room, big=True)
    dining_table(room, must='dining room' not in kinds, chance=0.7)
    room.wall('trash can', score=room.corner, must=True)
    room.wall('sideboard', front=0.5, score=room.mid_wall)
    room.hang('wall clock', 1.7, score=room.mid_wall)
    room.hang('wall shelf', 1.35, score=room.mid_wall)
    if room.chance(0.6):
        room.wall('potted plant', score=room.bright_corner)
    if room.chance(0.5):
        room.hang('picture', 1.35, score=room.mid_wall)
    room.heat()
    if room.chance(0.4):
        room.dress_windows()


def kitchen_units(room: Furnisher, *, big: bool) -> None:
    """Place refrigerator, counter, stove and dishwasher in one row, with cupboards above."""
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
    """Occupied places of pieces side by side along one wall; empty if they do not fit."""
    total = sum(piece.size[1] + UNIT_GAP_M for piece in pieces)
    inner = room.occupancy.inner
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
        if room.occupancy.take(boxes):
            return boxes[::turn]
    return []


def _cupboards(room: Furnisher, units: list[Standing]) -> None:
    """Hang cupboards over counter and stove, except before windows."""
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
            box = room.occupancy.inner.against(
                side, along + (k - (parts - 1) / 2) * (width + 0.01), size, 0.002,
                CUPBOARD_HEIGHT_M)
            if room.occupancy.put(box):
                room.stand(Piece(first.kind, finish, size), box)
