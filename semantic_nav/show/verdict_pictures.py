"""Verdicts drawn on the map of their moment: robot, goal, path, zones, and the reason."""

import math
import textwrap
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

from semantic_nav.contracts.blobs import Blobs
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OCCUPIED, UNKNOWN, OccupancyGrid
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.journal.verdicts import Moment, ToldVerdict, kept
from semantic_nav.show.mission_pictures import INK, PAPER, PATH, ROBOT, font
from semantic_nav.verify.zones import ZoneKind

Colour = tuple[int, int, int]
_ACCEPTED: Colour = (30, 150, 70)
_REFUSED: Colour = (215, 50, 40)
_GREY: Colour = (120, 120, 126)
_UNKNOWN, _FREE, _WALL = (205, 205, 208), (250, 250, 250), (60, 60, 66)
_ZONES: dict[ZoneKind, Colour] = {
    ZoneKind.KEEP_OUT: _REFUSED, ZoneKind.KEEP_IN: _ACCEPTED, ZoneKind.SPEED: (230, 150, 20)}
#: Colour of a candidate by the code of the check that refuses it.
_OF_CODE: dict[Code, Colour] = {
    Code.OK: _ACCEPTED, Code.KEEPOUT: _REFUSED, Code.COLLISION_DETECTED: (235, 120, 0),
    Code.UNREACHABLE: (130, 60, 180), Code.UNKNOWN_SPACE: _GREY}
_MAP_PX = (360, 300)
_CAPTION_PX, _LINE_CHARS, _LINES = 96, 56, 4
_COLUMNS = 3
#: Margin round the drawn objects, and least width of the shown floor, in m.
_ROUND_M, _LEAST_M = 0.2, 4.0


class _Panel:
    """A picture of part of the floor, with coordinates in m."""

    def __init__(self, low: tuple[float, float], high: tuple[float, float]) -> None:
        self._scale = min(_MAP_PX[0] / (high[0] - low[0]), _MAP_PX[1] / (high[1] - low[1]))
        self._middle = ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2)
        self.image = Image.new('RGB', _MAP_PX, _UNKNOWN)
        self.draw = ImageDraw.Draw(self.image)

    def point(self, x: float, y: float) -> tuple[float, float]:
        return (_MAP_PX[0] / 2 + (x - self._middle[0]) * self._scale,
                _MAP_PX[1] / 2 - (y - self._middle[1]) * self._scale)

    def grid(self, grid: OccupancyGrid) -> None:
        shown = np.empty((*grid.shape, 3), np.uint8)
        shown[:] = _UNKNOWN
        shown[grid.free] = _FREE
        shown[grid.cells >= OCCUPIED] = _WALL
        height, width = grid.shape
        left, top = self.point(grid.origin_x_m, grid.origin_y_m + height * grid.resolution_m)
        size = (max(1, round(width * grid.resolution_m * self._scale)),
                max(1, round(height * grid.resolution_m * self._scale)))
        world = Image.fromarray(shown[::-1]).resize(size, Image.Resampling.NEAREST)
        self.image.paste(world, (round(left), round(top)))

    def arrow(self, pose: Pose2D, length_m: float, fill: Colour) -> None:
        cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
        corners = [(length_m, 0.0), (-0.6 * length_m, 0.6 * length_m),
                   (-0.6 * length_m, -0.6 * length_m)]
        self.draw.polygon([self.point(pose.x + a * cos - b * sin, pose.y + a * sin + b * cos)
                           for a, b in corners], fill=fill, outline=PAPER)

    def dot(self, x: float, y: float, fill: Colour) -> None:
        u, v = self.point(x, y)
        self.draw.ellipse((u - 2, v - 2, u + 2, v + 2), fill=fill)

    def cross(self, x: float, y: float, fill: Colour) -> None:
        u, v = self.point(x, y)
        for sign in (-1, 1):
            self.draw.line((u - 6, v - 6 * sign, u + 6, v + 6 * sign), fill=fill, width=3)


def draw_verdicts(verdicts: Sequence[ToldVerdict], blobs: Blobs) -> Image.Image:
    """A sheet with a panel for each verdict; at least one must be given.

    Args:
        verdicts: in the order of the panels.
        blobs: store of maps and paths, if they were kept.
    """
    columns = min(_COLUMNS, len(verdicts))
    rows = math.ceil(len(verdicts) / columns)
    wide, high = _MAP_PX[0] + 8, _MAP_PX[1] + _CAPTION_PX + 8
    sheet = Image.new('RGB', (columns * wide, rows * high), PAPER)
    for number, verdict in enumerate(verdicts):
        at = (number % columns * wide + 4, number // columns * high + 4)
        sheet.paste(_map_of(verdict, blobs), at)
        _caption(ImageDraw.Draw(sheet), (at[0], at[1] + _MAP_PX[1] + 4), verdict)
    return sheet


def colour_of(verdict: ToldVerdict) -> Colour:
    """Green for an accepted act, red for a refused one, grey for a result."""
    if verdict.code is None:
        return _GREY
    return _ACCEPTED if verdict.code is Code.OK else _REFUSED


def _caption(draw: ImageDraw.ImageDraw, at: tuple[int, int], verdict: ToldVerdict) -> None:
    x, y = at
    draw.text((x, y), f'{verdict.after_s:.1f} s  {verdict.action}  {verdict.word}',
              fill=colour_of(verdict), font=font(14))
    lines = textwrap.wrap(verdict.reason, _LINE_CHARS, max_lines=_LINES)
    draw.text((x, y + 18), '\n'.join(lines), fill=INK, font=font(12))


def _map_of(verdict: ToldVerdict, blobs: Blobs) -> Image.Image:
    moment = verdict.at
    map_, path = kept(moment.map, blobs), kept(moment.path, blobs)
    panel = _Panel(*_bounds(verdict, None if map_ is None else map_.grid))
    if map_ is not None:
        panel.grid(map_.grid)
    for zone in moment.zones.zones:
        corners = [panel.point(x, y) for x, y in (*zone.corners, zone.corners[0])]
        panel.draw.line(corners, fill=_ZONES[zone.kind], width=2)
        panel.draw.text([sum(values) / len(values) for values in zip(*corners[:-1], strict=True)],
                        zone.names[0], fill=_ZONES[zone.kind], font=font(12), anchor='mm')
    if path is not None and len(path.points) > 1:
        panel.draw.line([panel.point(x, y) for x, y in path.points.tolist()], fill=PATH, width=2)
    _mark(panel, verdict, moment)
    return panel.image


def _mark(panel: _Panel, verdict: ToldVerdict, moment: Moment) -> None:
    for candidate in () if moment.candidates is None else moment.candidates.candidates:
        panel.dot(candidate.pose.x, candidate.pose.y, _OF_CODE.get(candidate.code, _GREY))
    if moment.robot is not None:
        panel.arrow(moment.robot, 0.22, ROBOT)
    if verdict.goal is not None and verdict.code is Code.OK:
        panel.arrow(verdict.goal, 0.18, colour_of(verdict))
    elif verdict.goal is not None:
        panel.cross(verdict.goal.x, verdict.goal.y, colour_of(verdict))


def _bounds(verdict: ToldVerdict, grid: OccupancyGrid | None,
            ) -> tuple[tuple[float, float], tuple[float, float]]:
    """Two corners of the shown floor: the known part of the map, robot, goal and zones."""
    points = [(pose.x, pose.y) for pose in (verdict.at.robot, verdict.goal) if pose is not None]
    if grid is not None and (grid.cells != UNKNOWN).any():
        rows, columns = np.nonzero(grid.cells != UNKNOWN)
        points += [grid.centre_of(int(rows.min()), int(columns.min())),
                   grid.centre_of(int(rows.max()), int(columns.max()))]
    else:
        points += [corner for zone in verdict.at.zones.zones for corner in zone.corners]
    xs, ys = zip(*(points or [(0.0, 0.0)]), strict=True)
    more_m = max(_LEAST_M - max(xs) + min(xs), 2 * _ROUND_M) / 2
    return (min(xs) - more_m, min(ys) - more_m), (max(xs) + more_m, max(ys) + more_m)
