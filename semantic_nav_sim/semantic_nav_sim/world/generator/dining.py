"""Furnishes a dining room, and places dining tables elsewhere."""

import math
from collections.abc import Collection

from semantic_nav_sim.world.generator.draft import Piece, Standing
from semantic_nav_sim.world.generator.furnisher import Furnisher
from semantic_nav_sim.world.generator.openings import NoPlan
from semantic_nav_sim.world.generator.shapes import Footprint


def dining_table(room: Furnisher, *, must: bool = True, chance: float = 1.0) -> None:
    """Place a table with chairs around it in the open, or against a wall.

    Args:
        room: the room to furnish.
        must: whether the table is required; otherwise there is one by chance.
        chance: probability of a table.

    Raises:
        NoPlan: it is required, and does not fit.
    """
    if (must or room.chance(chance)) and _table_and_chairs(room) is None \
            and must and room.draft.wanted('dining table'):
        raise NoPlan('no room for a dining table')


def _table_and_chairs(room: Furnisher) -> Standing | None:
    first = room.draft.piece('dining table')
    if first is None:
        return None
    inner = room.occupancy.inner
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
        roomy = [box for box in places if room.occupancy.fits(box.grown(0.62))]
        box = room.occupancy.best(roomy, room.by_window)
        if box is not None:
            table = room.stand(piece, box)
            room.chairs(table, 6 if size[1] > 1.6 else 4)
            if room.chance(0.3):
                room.rug(box.x, box.y, box.yaw_rad, scale=1.25)
            return table
    piece = Piece(first.kind, first.finish, sizes[-1])
    # Its long side is at the wall, with chairs at the other.
    box = room.occupancy.against(piece.room, score=room.by_window, front=0.5)
    if box is None:
        return None
    table = room.stand(piece, box)
    room.chairs(table, 3)
    return table


def furnish_dining_room(room: Furnisher, kinds: Collection[str]) -> None:
    """Place a long table in the middle and a sideboard along a wall."""
    dining_table(room)
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
