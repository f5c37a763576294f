"""Eyes that know the answer and then forget some of it, as a vision model does.

`OracleEyes` shows the picture it was given to the simulator's truth server, which recognises its
own frames; `degrade` takes from what is really visible there what a profile says.
"""

from __future__ import annotations

import json
import logging
import random
import urllib.request
from dataclasses import dataclass, replace
from http.client import HTTPException
from typing import Any, Protocol

from semantic_nav.sim.model.profile import EyesProfile
from semantic_nav.sim.model.words import normalise

_LOG = logging.getLogger(__name__)
_TIMEOUT_S = 3.0
_MAX_REPLY_BYTES = 4_000_000
_PALETTE = ('red', 'green', 'blue', 'yellow', 'white', 'black', 'grey', 'brown')
#: Kinds that are taken for each other, as `normalise` spells them.
_ALIKE = (
    ('mug', 'bowl', 'cup', 'glass', 'vase'), ('bottle', 'candle', 'soap dispenser'),
    ('sofa', 'armchair', 'bed'), ('chair', 'stool', 'bench', 'office chair'),
    ('table', 'coffee table', 'dining table', 'side table', 'desk', 'console table'),
    ('fridge', 'wardrobe', 'washing machine'), ('bookshelf', 'cabinet', 'dresser', 'sideboard'),
    ('book', 'laptop', 'box', 'tablet'), ('tv', 'monitor', 'picture', 'mirror'),
    ('sink', 'bath', 'toilet'), ('plant', 'lamp', 'floor lamp'), ('ball', 'apple', 'orange'),
    ('backpack', 'cushion', 'basket', 'bin'))

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class SeenObject:
    """One object in the picture.

    Attributes:
        id: Identity in the simulated world, never told to a client.
        name: What a person would call it ('red mug').
        kind: What it is ('mug').
        colour: Its colour, '' if it has none worth naming.
        box_px: x1, y1, x2, y2 in pixels of the picture.
        pixels: Area visible [px²].
        distance_m: From the camera.
        share: How much of it is in view, 0..1; the rest is hidden or outside the picture.
    """

    id: str
    name: str
    kind: str
    colour: str
    box_px: Box
    pixels: int
    distance_m: float = 0.0
    share: float = 1.0


@dataclass(frozen=True)
class Sight:
    """What the eyes made of a picture.

    Attributes:
        recognised: False when the picture could not be made out at all.
        width_px, height_px: Size of the picture; 0 when unknown.
        room: Where the picture was taken, '' if unknown.
        objects: What is visible, largest first.
    """

    recognised: bool = False
    width_px: int = 0
    height_px: int = 0
    room: str = ''
    objects: tuple[SeenObject, ...] = ()


class Eyes(Protocol):
    """Whatever tells what a picture really shows."""

    def look(self, picture: bytes) -> Sight:
        """Return what is visible in an encoded picture; nothing if it cannot be made out."""


class OracleEyes:
    """Ask the simulator what is in a picture.

    Args:
        url: Base URL of the truth server, which answers `POST /seen`; '' for blind eyes.
    """

    def __init__(self, url: str) -> None:
        self._url = url.rstrip('/') + '/seen' if url else ''
        # A proxy of the environment has no business between two local processes.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def look(self, picture: bytes) -> Sight:
        """Return what is visible in an encoded picture; nothing if it cannot be made out."""
        if not self._url:
            return Sight()
        request = urllib.request.Request(
            self._url, data=picture, headers={'Content-Type': 'application/octet-stream'})
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as reply:
                return read_sight(json.loads(reply.read(_MAX_REPLY_BYTES)))
        except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
            _LOG.warning('the eyes see nothing, %s: %s', self._url, error)
            return Sight()


def read_sight(truth: dict[str, Any]) -> Sight:
    """Read the truth server's answer.

    Raises:
        KeyError, TypeError, ValueError: The answer has not the agreed form.
    """
    if not truth['found']:
        return Sight()
    objects = [
        SeenObject(
            id=str(item['id']), name=str(item['name']), kind=str(item['kind']),
            colour=str(item.get('colour') or ''), box_px=_box(item['box']),
            pixels=int(item['pixels']), distance_m=float(item.get('distance_m', 0.0)),
            share=float(item.get('share', 1.0)))
        for item in truth['objects']]
    objects.sort(key=lambda seen: (-seen.pixels, seen.id))
    width_px, height_px = int(truth['width']), int(truth['height'])
    if width_px <= 0 or height_px <= 0:
        raise ValueError(f'picture size {width_px}x{height_px}')
    return Sight(
        recognised=True, width_px=width_px, height_px=height_px,
        room=str(truth.get('room') or ''), objects=tuple(objects))


def degrade(sight: Sight, profile: EyesProfile, rng: random.Random) -> Sight:
    """Miss, blur and confuse what is in a sight."""
    seen = [
        _blurred(_recoloured(_mistaken(item, profile, rng), profile, rng), sight, profile, rng)
        for item in sight.objects if _noticed(item, profile, rng)]
    return replace(sight, objects=tuple(seen))


def _noticed(item: SeenObject, profile: EyesProfile, rng: random.Random) -> bool:
    chance = ((1.0 - profile.miss)
              * _rise(item.pixels, profile.blind_px, profile.sure_px)
              * (1.0 - _rise(item.distance_m, profile.sure_m, profile.blind_m))
              * _rise(item.share, profile.blind_share, profile.sure_share))
    return rng.random() < chance


def _rise(value: float, low: float, high: float) -> float:
    """Return 0 below `low`, 1 from `high` on, and the straight line between."""
    if value >= high:
        return 1.0
    return max(0.0, (value - low) / (high - low)) if value > low else 0.0


def _mistaken(item: SeenObject, profile: EyesProfile, rng: random.Random) -> SeenObject:
    own = normalise(item.kind)
    alike = [kind for group in _ALIKE if own in group for kind in group if kind != own]
    if rng.random() >= profile.look_alike or not alike:
        return item
    kind = rng.choice(alike)
    return replace(item, kind=kind, name=f'{item.colour} {kind}'.strip())


def _recoloured(item: SeenObject, profile: EyesProfile, rng: random.Random) -> SeenObject:
    if not item.colour or rng.random() >= profile.wrong_colour:
        return item
    colour = rng.choice([other for other in _PALETTE if other != item.colour])
    return replace(item, colour=colour, name=item.name.replace(item.colour, colour))


def _blurred(item: SeenObject, sight: Sight, profile: EyesProfile,
             rng: random.Random) -> SeenObject:
    x1, y1, x2, y2 = item.box_px
    sd_x = profile.jitter * (x2 - x1) + profile.jitter_px
    sd_y = profile.jitter * (y2 - y1) + profile.jitter_px
    xs = sorted(_clip(x + rng.gauss(0.0, sd_x), sight.width_px) for x in (x1, x2))
    ys = sorted(_clip(y + rng.gauss(0.0, sd_y), sight.height_px) for y in (y1, y2))
    return replace(item, box_px=(xs[0], ys[0], xs[1], ys[1]))


def _clip(value: float, limit: int) -> float:
    return min(max(value, 0.0), float(limit))


def _box(raw: Any) -> Box:
    x1, y1, x2, y2 = (float(value) for value in raw)
    return (x1, y1, x2, y2)
