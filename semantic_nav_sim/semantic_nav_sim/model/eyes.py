"""Eyes that know the answer; `mistakes` takes from it what a vision model would not see.

`OracleEyes` shows the picture it was given to the simulator's truth server, which recognises its
own frames.
"""

from __future__ import annotations

import json
import logging
import urllib.request
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any, Protocol

from semantic_nav_sim.model.draws import view_of_camera, view_of_thing

_LOG = logging.getLogger(__name__)
_TIMEOUT_S = 3.0
_MAX_REPLY_BYTES = 4_000_000
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class SeenObject:
    """One object in the picture.

    Attributes:
        id: Identity in the simulated world, never told to a client.
        name: What the world calls it ('red mug'); goals are understood by it, and no reply
            holds it.
        kind: What it is ('mug').
        colour: Its colour, '' if it has none worth naming.
        box_px: x1, y1, x2, y2 in pixels of the picture.
        pixels: Area visible in the picture, or in the one that the camera took where that was
            enlarged [px²]: more pixels do not show more.
        distance_m: From the camera.
        share: How much of it is in view, 0..1; the rest is hidden or outside the picture.
        view: The cell from which it is seen, see `draws`.
        confidence: How sure the eyes are of it, 0..1; None where the profile says how sure the
            model claims to be.
        cut: The edge of the picture cuts it.
    """

    id: str
    name: str
    kind: str
    colour: str
    box_px: Box
    pixels: int
    distance_m: float = 0.0
    share: float = 1.0
    view: str = ''
    confidence: float | None = None
    # What is drawn for a picture goes by how a sight is told: that stays as it was.
    cut: bool = field(default=False, repr=False)


@dataclass(frozen=True)
class Sight:
    """What the eyes made of a picture.

    Attributes:
        recognised: False when the picture could not be made out at all.
        width_px, height_px: Size of the picture; 0 when unknown.
        room: What kind of room it seems to show, '' if nothing tells.
        objects: What is visible, largest first.
        view: The cell of the camera, see `draws`.
    """

    recognised: bool = False
    width_px: int = 0
    height_px: int = 0
    room: str = ''
    objects: tuple[SeenObject, ...] = ()
    view: str = ''


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
    """Read the truth server's answer; which room it is, nobody can see.

    Raises:
        KeyError, TypeError, ValueError: The answer has not the agreed form.
    """
    if not truth['found']:
        return Sight()
    width_px, height_px = int(truth['width']), int(truth['height'])
    if width_px <= 0 or height_px <= 0:
        raise ValueError(f'picture size {width_px}x{height_px}')
    camera = truth.get('camera') or {'width': width_px, 'height': height_px}
    enlarged = (max(1.0, width_px / int(camera['width']))
                * max(1.0, height_px / int(camera['height'])))
    objects = []
    for item in truth['objects']:
        distance_m = float(item.get('distance_m', 0.0))
        objects.append(SeenObject(
            id=str(item['id']), name=str(item['name']), kind=str(item['kind']),
            colour=str(item.get('colour') or ''), box_px=_box(item['box']),
            pixels=round(int(item['pixels']) / enlarged), distance_m=distance_m,
            share=float(item.get('share', 1.0)),
            view=view_of_thing(distance_m, float(item.get('from_rad', 0.0))),
            cut=bool(item.get('edge', False))))
    objects.sort(key=lambda seen: (-seen.pixels, seen.id))
    return Sight(
        recognised=True, width_px=width_px, height_px=height_px, objects=tuple(objects),
        view=view_of_camera(float(camera.get('x', 0.0)), float(camera.get('y', 0.0)),
                            float(camera.get('yaw', 0.0))))


def _box(raw: Any) -> Box:
    x1, y1, x2, y2 = (float(value) for value in raw)
    return (x1, y1, x2, y2)
