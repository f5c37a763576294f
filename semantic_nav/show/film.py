"""What the robot saw, from its journal: a contact sheet, and a film of camera and map."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from semantic_nav.contracts.blobs import FolderBlobs
from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.codec import RecordCodec
from semantic_nav.contracts.documents import Document, Hypothesis
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OCCUPIED, OccupancyGrid
from semantic_nav.contracts.hypothesis import CanonicalHypothesis
from semantic_nav.contracts.whole_file import write_whole
from semantic_nav.journals import read_lines
from semantic_nav.show.mission_pictures import INK, PAPER, PATH, ROBOT, font, mark_box
from semantic_nav.verify.events import MapReceived, PoseResolved
from semantic_nav.vlm.events import PictureTaken

_PANE_PX = (480, 360)
_CAPTION_PX = 30
_FRAME_MS, _LAST_MS = 600, 3000
_COLUMNS = 5
_THUMB_PX = (256, 192)
_GREY = {'unknown': 176, 'free': 255, 'occupied': 60}


@dataclass(frozen=True)
class SeenLook:
    """One look, and what the robot knew then.

    Attributes:
        time_s: since the mission's first look.
        picture: as the model got it.
        proposal: what the model, or the fallback, made of it.
        grid: the map then; None before there was one.
        path: where the robot had been, in the map frame.
    """

    time_s: float
    picture: Image.Image
    proposal: CanonicalHypothesis
    grid: OccupancyGrid | None
    path: tuple[Pose2D, ...]


def seen_looks(journal: Path, blobs: Path) -> Iterator[SeenLook]:
    """Yield the looks of a mission in their order.

    Args:
        journal: of all nodes, merged.
        blobs: folder of the pictures and maps.

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
                answer.body.hypothesis,
                codec.decode(newest_map).grid if newest_map is not None else None, tuple(path))


def contact_sheet(looks: Sequence[SeenLook]) -> Image.Image:
    """Return all pictures of a mission, side by side, in their order."""
    width, height = _THUMB_PX[0] + 8, _THUMB_PX[1] + _CAPTION_PX
    rows = -(-len(looks) // _COLUMNS)
    sheet = Image.new('RGB', (width * min(_COLUMNS, len(looks)) + 8, height * rows + 8), PAPER)
    for index, look in enumerate(looks):
        row, column = divmod(index, _COLUMNS)
        sheet.paste(_captioned(look, _THUMB_PX), (8 + column * width, 8 + row * height))
    return sheet


def save_film(looks: Sequence[SeenLook], target: Path) -> None:
    """Write an animated GIF: the camera on the left, the map as it grows on the right.

    Raises:
        OSError: it cannot be written; there is no part of it then.
    """
    last = next((look.grid for look in reversed(looks) if look.grid is not None), None)
    frames = []
    for look in looks:
        frame = Image.new('RGB', (_PANE_PX[0] * 2 + 8, _PANE_PX[1] + _CAPTION_PX), PAPER)
        frame.paste(_captioned(look, _PANE_PX), (0, 0))
        if last is not None:
            frame.paste(_map_pane(look, last), (_PANE_PX[0] + 8, 0))
        # Other methods give the few pixels of the path and the box no colour of their own.
        frames.append(frame.quantize(128, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE))
    content = BytesIO()
    frames[0].save(content, 'GIF', save_all=True, append_images=frames[1:], loop=0,
                   duration=[_FRAME_MS] * (len(frames) - 1) + [_LAST_MS])
    write_whole(target, content.getvalue())


def _captioned(look: SeenLook, size: tuple[int, int]) -> Image.Image:
    image = Image.new('RGB', (size[0], size[1] + _CAPTION_PX), PAPER)
    picture = look.picture.resize(size, Image.Resampling.LANCZOS)
    if look.proposal.target_box is not None:
        mark_box(picture, look.proposal.target_box)
    image.paste(picture, (0, 0))
    proposal = look.proposal
    words = f'{look.time_s:.0f} s  {proposal.action.value}, {proposal.target_status.value}'
    ImageDraw.Draw(image).text((6, size[1] + 5), words, fill=INK, font=font(15))
    return image


def _map_pane(look: SeenLook, last: OccupancyGrid) -> Image.Image:
    """Return the map of a look, drawn where the last map of the mission will be."""
    rows, columns = last.shape
    scale = min(_PANE_PX[0] / columns, (_PANE_PX[1] + _CAPTION_PX) / rows)
    pane = Image.new('RGB', (_PANE_PX[0], _PANE_PX[1] + _CAPTION_PX), (_GREY['unknown'],) * 3)

    def pixel(x: float, y: float) -> tuple[float, float]:
        return ((x - last.origin_x_m) / last.resolution_m * scale,
                (rows - (y - last.origin_y_m) / last.resolution_m) * scale)

    if look.grid is not None:
        left, top = pixel(look.grid.origin_x_m,
                          look.grid.origin_y_m + look.grid.shape[0] * look.grid.resolution_m)
        height, width = (max(1, round(cells * scale)) for cells in look.grid.shape)
        pane.paste(_shades(look.grid).resize((width, height), Image.Resampling.BILINEAR),
                   (round(left), round(top)))
    draw = ImageDraw.Draw(pane)
    points = [pixel(pose.x, pose.y) for pose in look.path]
    if len(points) > 1:
        draw.line(points, fill=PATH, width=3, joint='curve')
    if look.path:
        _draw_robot(draw, look.path[-1], pixel)
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
