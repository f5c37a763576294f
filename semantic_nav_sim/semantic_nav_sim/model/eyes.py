"""Eyes with access to the truth; `mistakes` removes what a vision model would not see.

`OracleEyes` sends a picture to the simulator's truth server, which recognises its own frames.
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
        id: Identity in the simulated world, never sent to a client.
        name: Its name in the world ('red mug'); goals are matched with it, and no reply holds it.
        kind: Its kind ('mug').
        colour: Its colour, '' if none is known.
        box_px: x1, y1, x2, y2 in pixels of the picture.
        pixels: Visible area, in the camera's own picture if the given one was enlarged, since more
            pixels do not show more [px²].
        distance_m: From the camera.
        share: Visible share, 0..1; the rest is occluded or outside the picture.
        view: Cell from which it is seen, see `draws`.
        confidence: Confidence of the eyes, 0..1; None if the profile gives the model's stated one.
        cut: Whether the edge of the picture cuts it.
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
    # Not in repr: random numbers depend on the repr of a sight, which must not change.
    cut: bool = field(default=False, repr=False)


@dataclass(frozen=True)
class Sight:
    """The objects that the eyes saw in a picture.

    Attributes:
        recognised: False if nothing of the picture was recognised.
        width_px, height_px: Size of the picture; 0 if unknown.
        room: Apparent kind of the room, '' without a clue.
        objects: Visible objects, largest first.
        view: Cell of the camera, see `draws`.
    """

    recognised: bool = False
    width_px: int = 0
    height_px: int = 0
    room: str = ''
    objects: tuple[SeenObject, ...] = ()
    view: str = ''


class Eyes(Protocol):
    """Source of the true content of a picture."""

    def look(self, picture: bytes) -> Sight:
        """The visible content of an encoded picture; empty if it is not recognised."""


class OracleEyes:
    """Eyes that ask the simulator for the content of a picture.

    Args:
        url: Base URL of the truth server, which answers `POST /seen`; '' for blind eyes.
    """

    def __init__(self, url: str) -> None:
        self._url = url.rstrip('/') + '/seen' if url else ''
        # A proxy of the environment must not be used between two local processes.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def look(self, picture: bytes) -> Sight:
        """The visible content of an encoded picture; empty if it is not recognised."""
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
    """Read the truth server's answer, without the room, which no eye can see.

    Raises:
        KeyError, TypeError, ValueError: The answer has another form.
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
