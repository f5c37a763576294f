"""The robot's view, from its journal: a contact sheet, and a film of camera and map."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from semantic_nav.client.words import what_came
from semantic_nav.contracts.blobs import FolderBlobs
from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.codec import RecordCodec
from semantic_nav.contracts.documents import Document, Hypothesis
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OCCUPIED, UNKNOWN, OccupancyGrid
from semantic_nav.contracts.hypothesis import CanonicalHypothesis
from semantic_nav.contracts.vocabulary import ModelAnswer
from semantic_nav.contracts.whole_file import write_whole
from semantic_nav.journal.files import read_lines
from semantic_nav.show.mission_pictures import INK, PAPER, PATH, ROBOT, font, mark_box
from semantic_nav.verify.events import MapReceived, PoseResolved
from semantic_nav.vlm.events import PictureTaken

_PANE_PX = (480, 360)
_CAPTION_PX = 30
#: Time that a look is shown, a pose between two looks, and the last look.
_LOOK_MS, _MOVE_MS, _LAST_MS = 700, 100, 3000
#: Number of poses between two pictures of the robot's way, and the most such pictures.
_POSES, _MOST_MOVES = 2, 200
#: Least motion for a new picture of the way.
_MOVED_M, _MOVED_RAD = 0.02, 0.05
#: Margin around the known part of the map, in cells.
_MARGIN = 10
_COLUMNS = 5
_THUMB_PX = (256, 192)
_GREY = {'unknown': 176, 'free': 255, 'occupied': 60}
_LEGEND = (('its way', PATH), *((name, (_GREY[shade],) * 3) for name, shade in (
    ('free', 'free'), ('occupied', 'occupied'), ('not seen yet', 'unknown'))))


@dataclass(frozen=True)
class SeenLook:
    """One look, with the robot's knowledge at that time.

    Attributes:
        time_s: since the first look of the mission.
        picture: as sent to the model.
        proposal: of the model, or of the fallback.
        answer: result of the model call.
        grid: map at that time; None before the first map.
        path: earlier poses of the robot, in the map frame.
    """

    time_s: float
    picture: Image.Image
    proposal: CanonicalHypothesis
    answer: ModelAnswer
    grid: OccupancyGrid | None
    path: tuple[Pose2D, ...]


def seen_looks(journal: Path, blobs: Path) -> Iterator[SeenLook]:
    """Yield the looks of a mission in order.

    Args:
        journal: of all nodes, merged.
        blobs: folder of pictures and maps.

    Raises:
        ContractError: the journal or a blob cannot be read.
    """
    codec = RecordCodec((PictureTaken, MapReceived, PoseResolved), FolderBlobs(blobs))
    pictures: dict[int, Any] = {}
    newest_map: Any = None
    path: list[Pose2D] = []
    first_ns: int | None = None
    for line in read_lines(journal):
        event = line.get('event', {})
        match event.get('type'):
            case 'PictureTaken':
                pictures[event['stamp_ns']] = event
            case 'MapReceived':
                newest_map = event
            case 'PoseResolved':
                path.append(codec.decode(event).map_T_base.pose())
        for output in line.get('outputs', ()):
            if output['type'] != 'Document' or output['schema'] != 'hypothesis':
                continue
            answer: Document = codec.decode(output)
            taken = pictures.pop(answer.stamp_ns, None)
            if taken is None or not isinstance(answer.body, Hypothesis):
                continue
            first_ns = answer.stamp_ns if first_ns is None else first_ns
            yield SeenLook(
                seconds(answer.stamp_ns - first_ns),
                Image.open(BytesIO(codec.decode(taken).jpeg)).convert('RGB'),
                answer.body.hypothesis, answer.body.meta.vlm_answer,
                codec.decode(newest_map).grid if newest_map is not None else None, tuple(path))


def contact_sheet(looks: Sequence[SeenLook]) -> Image.Image:
    """All pictures of a mission, side by side, in order."""
    width, height = _THUMB_PX[0] + 8, _THUMB_PX[1] + _CAPTION_PX
    rows = -(-len(looks) // _COLUMNS)
    sheet = Image.new('RGB', (width * min(_COLUMNS, len(looks)) + 8, height * rows + 8), PAPER)
    for index, look in enumerate(looks):
        row, column = divmod(index, _COLUMNS)
        sheet.paste(_captioned(look, _THUMB_PX), (8 + column * width, 8 + row * height))
    return sheet


def save_film(looks: Sequence[SeenLook], target: Path) -> None:
    """Write an animated GIF: the last look on the left, the growing map and way on the right.

    Raises:
        OSError: it cannot be written; no partial file is left.
    """
    last = next((look.grid for look in reversed(looks) if look.grid is not None), None)
    frames, lasts_ms = [], []
    for look, last_ms in _moments(looks):
        frame = Image.new('RGB', (_PANE_PX[0] * 2 + 8, _PANE_PX[1] + _CAPTION_PX), PAPER)
        frame.paste(_captioned(look, _PANE_PX), (0, 0))
        if last is not None:
            frame.paste(_map_pane(look, last), (_PANE_PX[0] + 8, 0))
        # Other methods give the few pixels of the path and the box no colour of their own.
        frames.append(frame.quantize(128, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))
        lasts_ms.append(last_ms)
    content = BytesIO()
    frames[0].save(content, 'GIF', save_all=True, append_images=frames[1:], loop=0,
                   duration=lasts_ms)
    write_whole(target, content.getvalue())


def _moments(looks: Sequence[SeenLook]) -> Iterator[tuple[SeenLook, int]]:
    """Yield each look, and the robot's way to the next, with the time that each is shown [ms]."""
    stride = max(_POSES, math.ceil(len(looks[-1].path) / _MOST_MOVES))
    for look, following in pairwise(looks):
        yield look, _LOOK_MS
        shown = look.path[-1] if look.path else None
        for end in range(len(look.path) + stride, len(following.path), stride):
            here = following.path[end - 1]
            if shown is None or here.moved_from(shown, _MOVED_M, _MOVED_RAD):
                shown = here
                yield replace(look, path=following.path[:end]), _MOVE_MS
    yield looks[-1], _LAST_MS


def _captioned(look: SeenLook, size: tuple[int, int]) -> Image.Image:
    image = Image.new('RGB', (size[0], size[1] + _CAPTION_PX), PAPER)
    picture = look.picture.resize(size, Image.Resampling.LANCZOS)
    if look.proposal.target_box is not None:
        mark_box(picture, look.proposal.target_box)
    image.paste(picture, (0, 0))
    words = f'{look.time_s:.0f} s  {what_came(look.answer, look.proposal.target_status)}'
    ImageDraw.Draw(image).text((6, size[1] + 5), words, fill=INK, font=font(15))
    return image


def _map_pane(look: SeenLook, last: OccupancyGrid) -> Image.Image:
    """The map of a look, aligned with the last map of the mission."""
    known_rows, known_columns = (np.flatnonzero((last.cells != UNKNOWN).any(axis=axis))
                                 for axis in (1, 0))
    if not len(known_rows):
        known_rows, known_columns = (np.arange(count) for count in last.shape)
    low, left = known_rows[0] - _MARGIN, known_columns[0] - _MARGIN
    rows, columns = (ends[-1] + 1 + _MARGIN - first for ends, first in (
        (known_rows, low), (known_columns, left)))
    scale = min(_PANE_PX[0] / columns, _PANE_PX[1] / rows)
    aside, above = (0.5 * (_PANE_PX[0] - columns * scale), 0.5 * (_PANE_PX[1] - rows * scale))
    pane = Image.new('RGB', (_PANE_PX[0], _PANE_PX[1] + _CAPTION_PX), (_GREY['unknown'],) * 3)

    def pixel(x: float, y: float) -> tuple[float, float]:
        column, row = ((x - last.origin_x_m) / last.resolution_m - left,
                       (y - last.origin_y_m) / last.resolution_m - low)
        return aside + column * scale, above + (rows - row) * scale

    if look.grid is not None:
        west, north = pixel(look.grid.origin_x_m,
                          look.grid.origin_y_m + look.grid.shape[0] * look.grid.resolution_m)
        height, width = (max(1, round(cells * scale)) for cells in look.grid.shape)
        pane.paste(_shades(look.grid).resize((width, height), Image.Resampling.BILINEAR),
                   (round(west), round(north)))
    draw = ImageDraw.Draw(pane)
    points = [pixel(pose.x, pose.y) for pose in look.path]
    if len(points) > 1:
        draw.line(points, fill=PATH, width=3, joint='curve')
    if look.path:
        _draw_robot(draw, look.path[-1], pixel)
    draw.rectangle((0, _PANE_PX[1], *pane.size), fill=PAPER)
    u = 8.0
    for name, colour in _LEGEND:
        draw.rectangle((u, _PANE_PX[1] + 9, u + 12, _PANE_PX[1] + 21), fill=colour, outline=INK)
        draw.text((u + 18, _PANE_PX[1] + 5), name, fill=INK, font=font(15))
        u += 40 + draw.textlength(name, font=font(15))
    return pane


def _shades(grid: OccupancyGrid) -> Image.Image:
    shades = np.full(grid.shape, _GREY['unknown'], np.uint8)
    shades[grid.free] = _GREY['free']
    shades[grid.cells >= OCCUPIED] = _GREY['occupied']
    return Image.fromarray(np.ascontiguousarray(shades[::-1]))


def _draw_robot(draw: ImageDraw.ImageDraw, pose: Pose2D, pixel: Any) -> None:
    corners = ((0.35, 0.0), (-0.2, 0.2), (-0.2, -0.2))
    c, s = np.cos(pose.yaw), np.sin(pose.yaw)
    draw.polygon([pixel(pose.x + c * a - s * b, pose.y + s * a + c * b) for a, b in corners],
                 fill=ROBOT, outline=PAPER)
