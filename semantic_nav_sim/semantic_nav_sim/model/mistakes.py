"""Mistakes of imperfect eyes: misses, confusions and inexact boxes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from semantic_nav_sim.model.draws import Draws
from semantic_nav_sim.model.eyes import Box, SeenObject, Sight
from semantic_nav_sim.model.kinds import ALIKE, NEAR_COLOURS, NEAR_ROOMS, ROOM_CLUES
from semantic_nav_sim.model.profile import Curve, EyesProfile
from semantic_nav_sim.model.words import normalise

_PALETTE = ('red', 'green', 'blue', 'yellow', 'white', 'black', 'grey', 'brown')
#: Share of wrong colours that are near ones.
_NEAR = 0.7


def degrade(sight: Sight, profile: EyesProfile, draws: Draws) -> Sight:
    """Miss, blur and confuse objects of a sight, and guess the room from the rest."""
    seen = tuple(
        _blurred(_recoloured(_mistaken(item, profile, draws), profile, draws), sight, profile,
                 draws)
        for item in sight.objects if _noticed(item, sight, profile, draws))
    room = guess_room(seen)
    if room and draws.uniform('wrong room', view=sight.view) < profile.wrong_room:
        room = draws.pick(NEAR_ROOMS[room], 'which room', view=sight.view)
    return replace(sight, objects=seen, room=room)


def guess_room(objects: Iterable[SeenObject]) -> str:
    """The kind of room that the visible objects suggest; '' without a clue."""
    votes = dict.fromkeys(ROOM_CLUES, 0.0)
    for item in objects:
        for room, clues in ROOM_CLUES.items():
            votes[room] += clues.get(item.kind, 0.0) * item.pixels ** 0.5
    best = max(votes, key=lambda room: votes[room])
    return best if votes[best] > 0.0 else ''


def alike(kind: str) -> tuple[str, ...]:
    """The other kinds that a kind is confused with."""
    own = normalise(kind)
    return tuple(other for group in ALIKE if own in group for other in group if other != own)


def _noticed(item: SeenObject, sight: Sight, profile: EyesProfile, draws: Draws) -> bool:
    x1, y1, x2, y2 = item.box_px
    area = (x2 - x1) * (y2 - y1) / (sight.width_px * sight.height_px)
    chance = ((1.0 - profile.miss)
              * _recall(profile.recall_by_area, area)
              * (_recall(profile.recall_cut, item.share) if item.cut else 1.0)
              * _rise(item.pixels, profile.blind_px, profile.sure_px)
              * (1.0 - _rise(item.distance_m, profile.sure_m, profile.blind_m))
              * _rise(item.share, profile.blind_share, profile.sure_share))
    return draws.uniform('noticed', item.id, item.view) < chance


def _rise(value: float, low: float, high: float) -> float:
    """Linear ramp: 0 up to `low`, 1 from `high` on."""
    if value >= high:
        return 1.0
    return max(0.0, (value - low) / (high - low)) if value > low else 0.0


def _recall(curve: Curve, value: float) -> float:
    """Value of a recall curve; 1 for an empty curve."""
    if not curve:
        return 1.0
    first, last = curve[0], curve[-1]
    if value <= first[0]:
        return first[1] * value / first[0]
    for (low, below), (high, above) in pairwise(curve):
        if value <= high:
            return below + (above - below) * math.log(value / low) / math.log(high / low)
    return last[1]


def _mistaken(item: SeenObject, profile: EyesProfile, draws: Draws) -> SeenObject:
    others = alike(item.kind)
    if not others or draws.uniform('look-alike', item.id, item.view) >= profile.look_alike:
        return item
    kind = draws.pick(others, 'which kind', item.id, item.view)
    return replace(item, kind=kind, name=f'{item.colour} {kind}'.strip())


def _recoloured(item: SeenObject, profile: EyesProfile, draws: Draws) -> SeenObject:
    if not item.colour or (
            draws.uniform('wrong colour', item.id, item.view) >= profile.wrong_colour):
        return item
    near = NEAR_COLOURS.get(item.colour, ())
    if not near or draws.uniform('far colour', item.id, item.view) >= _NEAR:
        near = tuple(other for other in _PALETTE if other != item.colour)
    colour = draws.pick(near, 'which colour', item.id, item.view)
    return replace(item, colour=colour, name=item.name.replace(item.colour, colour))


def _blurred(item: SeenObject, sight: Sight, profile: EyesProfile, draws: Draws) -> SeenObject:
    x1, y1, x2, y2 = item.box_px
    sd_x = profile.jitter * (x2 - x1) + profile.jitter_px
    sd_y = profile.jitter * (y2 - y1) + profile.jitter_px

    def moved(edge: str, at: float, deviation: float, limit: int) -> float:
        off = deviation * draws.normal(f'edge {edge}', item.id, item.view)
        return min(max(at + off, 0.0), float(limit))

    xs = sorted(moved(edge, x, sd_x, sight.width_px) for edge, x in (('x1', x1), ('x2', x2)))
    ys = sorted(moved(edge, y, sd_y, sight.height_px) for edge, y in (('y1', y1), ('y2', y2)))
    box: Box = (xs[0], ys[0], xs[1], ys[1])
    return replace(item, box_px=box)
