"""Furnishes the rooms behind doors: bedrooms, study, bathroom, utility room."""

import math
from collections.abc import Collection

from semantic_nav_sim.world.generator.draft import Piece, Standing
from semantic_nav_sim.world.generator.furnisher import Furnisher
from semantic_nav_sim.world.generator.openings import NoPlan


def furnish_bedroom(room: Furnisher, kinds: Collection[str]) -> None:
    """Place a double bed with its head to a wall, nightstands, wardrobe and dresser."""
    room.wall('wardrobe', front=0.5, score=lambda b: 1.5 * room.off_windows(b), must=True)
    bed = room.wall('bed', score=lambda b: 2 * room.mid_wall(b), must=True)
    _bedside(room, bed, must=True)
    if room.wall('dresser', front=0.45, score=room.mid_wall) is not None:
        room.hang('mirror', 1.05)
    if bed is not None:
        room.rug(*bed.box.point(0.35, 0.0), bed.box.yaw_rad)
        room.hang('picture', 1.35, score=room.near(bed))
    _comfort(room)


def furnish_guest_room(room: Furnisher, kinds: Collection[str]) -> None:
    """Place a bed for a guest, an armchair to read in, and a dresser."""
    bed = room.wall('single bed', score=room.corner, must=True)
    _bedside(room, bed, must=False)
    room.wall('dresser', front=0.5, score=room.mid_wall)
    room.wall('armchair', front=0.3, score=room.bright_corner)
    if bed is not None:
        room.rug(*bed.box.point(0.2, 0.4), bed.box.yaw_rad, scale=0.9)
    room.hang('picture', 1.35, score=room.mid_wall)
    _comfort(room)


def furnish_childs_room(room: Furnisher, kinds: Collection[str]) -> None:
    """Place a small bed, a desk, shelves and a chest for toys."""
    bed = room.wall('single bed', score=room.corner, must=True)
    _bedside(room, bed, must=False)
    _desk(room, 'chair', must=False)
    room.wall('toy chest', front=0.45, score=room.mid_wall, must=True)
    room.wall('bookshelf', front=0.45, score=room.off_windows)
    room.rug(*room.occupancy.roomiest()[0], room.choose_yaw())
    room.hang('picture', 1.2, score=room.mid_wall)
    if room.chance(0.6):
        room.wall('wardrobe', front=0.5, score=room.off_windows)
    _comfort(room)


def _bedside(room: Furnisher, bed: Standing | None, *, must: bool) -> None:
    """Place a nightstand at each side of a bed's head, if there is room."""
    stand = room.draft.piece('nightstand')
    if bed is None or stand is None:
        return
    sides = (1, -1) if room.chance(0.5) else (-1, 1)
    put = [room.beside(bed, 'nightstand', left, gap=0.03, piece=stand) for left in sides]
    if not any(put):
        room.wall('nightstand', score=room.near(bed), must=must)


def _comfort(room: Furnisher) -> None:
    """Add things common to most rooms: plant, curtains, a lamp, a radiator."""
    room.dress_windows()
    room.heat()
    if room.chance(0.5):
        room.wall('potted plant', score=room.bright_corner)
    if room.chance(0.35):
        room.wall('floor lamp', score=room.corner)


def _desk(room: Furnisher, chair: str, *, must: bool) -> None:
    """Place a desk at a wall, near the light, and a chair before it."""
    desk = room.wall('desk', front=0.75, score=room.by_window, must=must)
    if desk is None:
        return
    seat = room.draft.piece(chair)
    if seat is None:
        return
    aside = -0.15 * desk.box.width
    turn = float(room.rng.uniform(-0.5, 0.5))
    for ahead in (0.38, 0.46, 0.56):
        x, y = desk.box.point(desk.box.depth / 2 + ahead, aside)
        if room.at(chair, x, y, desk.box.yaw_rad + math.pi + turn, tuck=True, piece=seat):
            return


def furnish_study(room: Furnisher, kinds: Collection[str]) -> None:
    """Place a desk with its chair, shelves, a filing cabinet and a chair to read in."""
    _desk(room, 'office chair', must=True)
    shelf = room.wall('bookshelf', front=0.5, score=room.off_windows, must=True)
    room.wall('filing cabinet', front=0.4, score=room.corner)
    if shelf is not None and room.chance(0.5):
        room.wall('bookshelf', front=0.5, score=room.near(shelf))
    if room.wall('armchair', front=0.3, score=room.corner) is not None:
        room.wall('floor lamp', score=room.corner)
    room.rug(*room.occupancy.roomiest()[0], room.choose_yaw(), scale=0.9)
    room.hang('picture', 1.3, score=room.mid_wall)
    if room.chance(0.5):
        room.wall('cardboard box', score=room.corner)
    _comfort(room)


def furnish_bathroom(room: Furnisher, kinds: Collection[str]) -> None:
    """Place a bath or a shower, a toilet and a washbasin; the laundry without a utility room."""
    either = ['bathtub', 'shower'] if room.chance(0.55) else ['shower', 'bathtub']
    wet = [kind for kind in either if room.draft.wanted(kind)]
    if wet and not any(room.wall(kind, front=0.5, score=lambda b: room.corner(b) + 0.2
                                 * room.occupancy.near_door(b)) for kind in wet):
        raise NoPlan('no room for a bath or a shower')
    room.wall('toilet', front=0.5, score=lambda b: 0.3 * room.occupancy.near_door(b), must=True)
    basin = room.wall('washbasin', front=0.5, score=room.mid_wall, must=True)
    if 'utility room' not in kinds:
        room.wall('washing machine', front=0.4, score=room.corner, must=True)
    if basin is not None:
        room.hang('mirror', 1.15, over=basin)
    room.hang('towel rack', 0.85, score=room.mid_wall)
    room.rug(*room.occupancy.roomiest()[0], room.choose_yaw(), kind='bath mat')
    if room.chance(0.5):
        room.wall('trash can', score=room.corner)
    room.heat()


def furnish_utility_room(room: Furnisher, kinds: Collection[str]) -> None:
    """Place the machines side by side, and things without another place."""
    washer = room.wall('washing machine', front=0.5, score=room.corner, must=True)
    dryer: Piece | None = room.draft.piece('tumble dryer')
    if washer is not None and dryer is not None and not any(
            room.beside(washer, 'tumble dryer', left, gap=0.02, piece=dryer)
            for left in (1, -1)):
        room.wall('tumble dryer', front=0.5)
    room.wall('ironing board', score=room.mid_wall)
    room.hang('wall shelf', 1.35, score=room.mid_wall)
    room.wall('cardboard box', score=room.corner)
    if room.chance(0.5):
        room.wall('cardboard box', score=room.corner)
    room.wall('stool', score=room.corner)
