"""Furnishes a hall with the things needed at the door."""

import math
from collections.abc import Collection

from semantic_nav_sim.world.generator.draft import Piece
from semantic_nav_sim.world.generator.furnisher import Furnisher
from semantic_nav_sim.world.generator.layout import HALL
from semantic_nav_sim.world.generator.shapes import Footprint


def furnish_hall(room: Furnisher, kinds: Collection[str]) -> None:
    """Line a hall with the things needed at the door; a corridor gets less."""
    main = room.plot.name == HALL
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
    wide, deep = room.occupancy.inner.size
    piece = room.draft.piece('rug')
    if piece is None or min(wide, deep) < 1.2:
        return
    long = min(0.55 * max(wide, deep), 3.4)
    size = (round(long, 2), 0.75, 0.006)
    x, y = room.occupancy.inner.middle
    yaw = 0.0 if wide > deep else math.pi / 2
    room.stand(Piece(piece.kind, piece.finish, size),
               Footprint(x, y, size[0], size[1], yaw, 0.0, size[2]))
