"""Eyes that know the answer and then forget some of it, as a vision model does.

`OracleEyes` shows the picture it was given to the simulator's truth server, which recognises its
own frames, and degrades what is really visible there by a noise profile.
"""

from __future__ import annotations

import json
import logging
import random
import urllib.request
from dataclasses import dataclass, replace
from http.client import HTTPException
from typing import Any

_LOG = logging.getLogger(__name__)
_TIMEOUT_S = 3.0
_MAX_REPLY_BYTES = 4_000_000
_PALETTE = ('red', 'green', 'blue', 'yellow', 'white', 'black', 'grey', 'brown')

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
    """

    id: str
    name: str
    kind: str
    colour: str
    box_px: Box
    pixels: int


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


@dataclass(frozen=True)
class NoiseProfile:
    """How badly the eyes see.

    Attributes:
        blind_px: Objects of fewer visible pixels are never seen [px²].
        sure_px: From this size on an object is missed with `miss` only [px²]; between the two
            the chance of seeing it grows linearly.
        miss: Probability of missing an object of any size.
        jitter: Standard deviation of each box edge, as a fraction of the box's size.
        jitter_px: The same, as a fixed part [px].
        confuse: Probability of taking an object for its look-alike in another colour.
    """

    blind_px: int = 0
    sure_px: int = 0
    miss: float = 0.0
    jitter: float = 0.0
    jitter_px: float = 0.0
    confuse: float = 0.0


NOISE: dict[str, NoiseProfile] = {
    'none': NoiseProfile(),
    'default': NoiseProfile(blind_px=40, sure_px=250, miss=0.02, jitter=0.02, jitter_px=1.0,
                            confuse=0.02),
}


class OracleEyes:
    """Ask the simulator what is in a picture, then degrade the answer.

    Args:
        url: Base URL of the truth server, which answers `POST /seen`; '' for blind eyes.
        profile: How badly to see.
    """

    def __init__(self, url: str, profile: NoiseProfile) -> None:
        self._url = url.rstrip('/') + '/seen' if url else ''
        self._profile = profile
        # A proxy of the environment has no business between two local processes.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def look(self, picture: bytes, rng: random.Random) -> Sight:
        """What is seen in an encoded picture; nothing if it cannot be made out."""
        if not self._url:
            return Sight()
        request = urllib.request.Request(
            self._url, data=picture, headers={'Content-Type': 'application/octet-stream'})
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as reply:
                sight = read_sight(json.loads(reply.read(_MAX_REPLY_BYTES)))
        except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
            _LOG.warning('the eyes see nothing, %s: %s', self._url, error)
            return Sight()
        return degrade(sight, self._profile, rng)


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
            pixels=int(item['pixels']))
        for item in truth['objects']]
    objects.sort(key=lambda seen: (-seen.pixels, seen.id))
    width_px, height_px = int(truth['width']), int(truth['height'])
    if width_px <= 0 or height_px <= 0:
        raise ValueError(f'picture size {width_px}x{height_px}')
    return Sight(
        recognised=True, width_px=width_px, height_px=height_px,
        room=str(truth.get('room') or ''), objects=tuple(objects))


def degrade(sight: Sight, profile: NoiseProfile, rng: random.Random) -> Sight:
    """Miss, blur and confuse what is in a sight by a noise profile."""
    seen = [
        _blurred(_confused(item, profile, rng), sight, profile, rng)
        for item in sight.objects if _noticed(item, profile, rng)]
    return replace(sight, objects=tuple(seen))


def _noticed(item: SeenObject, profile: NoiseProfile, rng: random.Random) -> bool:
    draw = rng.random()
    if item.pixels < profile.blind_px:
        return False
    chance = 1.0 - profile.miss
    if item.pixels < profile.sure_px:
        chance *= (item.pixels - profile.blind_px) / (profile.sure_px - profile.blind_px)
    return draw < chance


def _confused(item: SeenObject, profile: NoiseProfile, rng: random.Random) -> SeenObject:
    if not item.colour or rng.random() >= profile.confuse:
        return item
    colour = rng.choice([other for other in _PALETTE if other != item.colour])
    return replace(item, colour=colour, name=item.name.replace(item.colour, colour))


def _blurred(item: SeenObject, sight: Sight, profile: NoiseProfile,
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
