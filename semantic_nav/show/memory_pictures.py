"""The memory from above: places, their names, and the ways between them."""

from collections.abc import Sequence
from itertools import islice, product
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import UNKNOWN, OccupancyGrid
from semantic_nav.memory.place import Edge, Place
from semantic_nav.show.mission_pictures import INK, PAPER, font, places_in_words, spots_of

_WAY, _PLACE, _UNSEEN = (230, 160, 60), (245, 150, 20), (205, 205, 205)
_LONGEST_PX, _MOST_PX_PER_M, _MARGIN_M = 1400, 120, 1.0
_WORDS = 3
#: Height below the picture; longest distance of a label from its spot; margin of a label; in px.
_FOOTER_PX, _FARTHEST_PX, _EDGE_PX = 48, 120, 6


def draw_memory(places: Sequence[Place], edges: Sequence[Edge],
                grid: OccupancyGrid | None = None) -> Image.Image:
    """A picture of places, at the largest scale that fits.

    Args:
        places: in the map frame; those whose dots would overlap share one.
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
    width, height = round((right - left) * scale), round((top - bottom) * scale)
    image = Image.new('RGB', (width, height + _FOOTER_PX), PAPER)
    if grid is not None:
        image.paste(_UNSEEN, (0, 0, width, height))
        _paste(image, grid, left, top, scale)
    draw = ImageDraw.Draw(image)

    spots = spots_of([place.pose for place in places])

    def point(spot: Pose2D) -> tuple[float, float]:
        return (spot.x - left) * scale, (top - spot.y) * scale

    seen_from: dict[Pose2D, list[Place]] = {spot: [] for spot in spots}
    for place in places:
        x, y = place.pose.x, place.pose.y
        seen_from[min(spots, key=lambda spot: spot.distance_to(x, y))].append(place)
    at = {place.id: point(spot) for spot, here in seen_from.items() for place in here}
    for edge in edges:
        if edge.from_id in at and edge.to_id in at:
            draw.line((at[edge.from_id], at[edge.to_id]), fill=_WAY, width=3)
    taken: list[tuple[float, ...]] = []
    for u, v in map(point, spots):
        draw.ellipse((u - 7, v - 7, u + 7, v + 7), fill=_PLACE, outline=INK)
        taken.append((u - 7, v - 7, u + 7, v + 7))
    for spot, here in seen_from.items():
        _label(draw, width, point(spot), here, taken)
    draw.rectangle((0, height, width, height + _FOOTER_PX), fill=PAPER)
    draw.text((12, height + 14), f'{places_in_words([place.pose for place in places])}, '
              f'{len(edges)} ways', fill=INK, font=font(15))
    draw.line((width - 12 - scale, height + 14, width - 12, height + 14), fill=INK, width=3)
    draw.text((width - 12 - scale / 2, height + 20), '1 m', fill=INK, font=font(13), anchor='ma')
    return image


def _label(draw: ImageDraw.ImageDraw, width: float, at: tuple[float, float],
           places: Sequence[Place], taken: list[tuple[float, ...]]) -> None:
    """Write the names of a spot's places and things, on free paper if there is some nearby."""
    names = dict.fromkeys(place.name or place.kind for place in places)
    things = dict.fromkeys(tag for place in places for tag in place.tags[:_WORDS])
    words = '\n'.join(filter(None, (', '.join(filter(None, names)),
                                    ', '.join(islice(things, _WORDS)))))
    u, v = at
    options: dict[str, Any] = {'font': font(13), 'align': 'center', 'stroke_width': 3}
    left, _, right, _ = draw.multiline_textbbox((0, 0), words, anchor='md', **options)
    u = min(max(u, _EDGE_PX - left), width - _EDGE_PX - right)
    for below, anchor in product(range(0, _FARTHEST_PX, 12), ('md', 'ma')):
        here = (u, v - 10 - below if anchor == 'md' else v + 10 + below)
        box = draw.multiline_textbbox(here, words, anchor=anchor, **options)
        if not any(box[0] < right and left < box[2] and box[1] < bottom and top < box[3]
                   for left, top, right, bottom in taken):
            break
    taken.append(box)
    draw.multiline_text(here, words, fill=INK, anchor=anchor, stroke_fill=PAPER, **options)


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
