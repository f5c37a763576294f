"""What is remembered, from above: places, their names, and the ways between them."""

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

from semantic_nav.contracts.grid import UNKNOWN, OccupancyGrid
from semantic_nav.memory.place import Edge, Place
from semantic_nav.show.mission_pictures import INK, PAPER, font

_WAY, _PLACE, _UNSEEN = (230, 160, 60), (245, 150, 20), (205, 205, 205)
_LONGEST_PX, _MOST_PX_PER_M, _MARGIN_M = 1400, 120, 1.0
_WORDS = 3


def draw_memory(places: Sequence[Place], edges: Sequence[Edge],
                grid: OccupancyGrid | None = None) -> Image.Image:
    """Return a picture of places; one metre is as large as fits.

    Args:
        places: in the frame of the map.
        edges: ways between them.
        grid: the map beneath; None for white.
    """
    xs, ys = [place.pose.x for place in places], [place.pose.y for place in places]
    if grid is not None:
        rows, columns = np.nonzero(grid.cells != UNKNOWN)
        xs += grid.centres_of(rows, columns)[0].tolist()
        ys += grid.centres_of(rows, columns)[1].tolist()
    left, right = min(xs, default=0.0) - _MARGIN_M, max(xs, default=0.0) + _MARGIN_M
    bottom, top = min(ys, default=0.0) - _MARGIN_M, max(ys, default=0.0) + _MARGIN_M
    scale = min(_MOST_PX_PER_M, _LONGEST_PX / max(right - left, top - bottom))
    size = (round((right - left) * scale), round((top - bottom) * scale))
    image = Image.new('RGB', size, PAPER)
    if grid is not None:
        _paste(image, grid, left, top, scale)
    draw = ImageDraw.Draw(image)

    def point(x: float, y: float) -> tuple[float, float]:
        return (x - left) * scale, (top - y) * scale

    at = {place.id: point(place.pose.x, place.pose.y) for place in places}
    for edge in edges:
        if edge.from_id in at and edge.to_id in at:
            draw.line((at[edge.from_id], at[edge.to_id]), fill=_WAY, width=3)
    for place in places:
        u, v = at[place.id]
        draw.ellipse((u - 6, v - 6, u + 6, v + 6), fill=_PLACE, outline=INK)
    for place in places:
        words = '\n'.join(filter(None, (place.name or place.kind, ', '.join(
            place.tags[:_WORDS]))))
        u, v = at[place.id]
        draw.multiline_text((u, v - 10), words, fill=INK, font=font(13), anchor='md',
                            align='center', stroke_width=3, stroke_fill=PAPER)
    return image


def _paste(image: Image.Image, grid: OccupancyGrid, left: float, top: float,
           scale: float) -> None:
    percent = np.clip(grid.cells, 0, 100).astype(np.int16)
    grey = np.where(grid.cells == UNKNOWN, _UNSEEN[0], 250 - 2 * percent)
    side_px = grid.resolution_m * scale
    below = Image.fromarray(grey[::-1].astype(np.uint8)).resize(
        (round(grid.shape[1] * side_px), round(grid.shape[0] * side_px)),
        Image.Resampling.NEAREST)
    x, y = grid.centres_of(grid.shape[0] - 1, 0)
    half_m = grid.resolution_m / 2
    image.paste(below.convert('RGB'), (round((x - half_m - left) * scale),
                                       round((top - y - half_m) * scale)))
