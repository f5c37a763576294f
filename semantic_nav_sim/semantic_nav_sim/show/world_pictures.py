"""Pictures of worlds: from above, and several worlds on one sheet with views at eye level."""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.robot.renderer import Renderer
from semantic_nav_sim.robot.studio import Studio
from semantic_nav_sim.world.description import Room
from semantic_nav_sim.world.generator.checks import Reach
from semantic_nav_sim.world.scene import WorldScene, stage
from semantic_nav_sim.world.scene_cache import load_scene

_PAPER = (255, 255, 255)
_INK = (40, 40, 44)
_TILE_PX = (400, 300)
_MARGIN_PX = 8
_TITLE_PX = 22
_VIEWS = 3
_COLUMNS = 2
#: Kinds of rooms, the most characteristic first.
_TELLING = ('living room', 'kitchen', 'bedroom', "child's room", 'study', 'bathroom',
            'dining room', 'guest room', 'utility room', 'hall')


def from_above(name: str) -> Image.Image:
    """A world from above, without its ceiling."""
    with _drawing(name) as (studio, renderer):
        return Image.fromarray(studio.submit(renderer.overview).result().picture)


def contact_sheet(seeds: Iterable[int], drawn: Callable[[str], None]) -> Image.Image:
    """The generated homes of some seeds on one sheet, a strip of pictures for each.

    Args:
        seeds: of the homes.
        drawn: called with the name of each home when it is drawn.
    """
    strips = []
    for seed in seeds:
        strips.append(_strip(seed))
        drawn(f'generated:{seed}')
    wide, high = strips[0].size
    rows = math.ceil(len(strips) / _COLUMNS)
    columns = min(_COLUMNS, len(strips))
    sheet = Image.new('RGB', (columns * wide, rows * high), _PAPER)
    for k, strip in enumerate(strips):
        sheet.paste(strip, (k // rows * wide, k % rows * high))
    return sheet


@contextmanager
def _drawing(name: str) -> Iterator[tuple[Studio, Renderer]]:
    studio = Studio(load_scene(name))
    try:
        yield studio, Renderer(studio, stage(studio.scene, 0))
    finally:
        studio.close()


def _strip(seed: int) -> Image.Image:
    """The strip of one home: from above, and from some places where the robot may stand."""
    with _drawing(f'generated:{seed}') as (studio, renderer):
        scene = studio.scene
        tiles = [Image.fromarray(studio.submit(renderer.overview).result().picture)]
        for room in _telling_rooms(scene, seed):
            view = studio.submit(partial(renderer.view, viewpoint(scene, room))).result()
            tiles.append(Image.fromarray(view.colour))
    wide, high = _TILE_PX
    strip = Image.new('RGB', ((_VIEWS + 1) * (wide + _MARGIN_PX), high + _MARGIN_PX + _TITLE_PX),
                      _PAPER)
    draw = ImageDraw.Draw(strip)
    rooms = len(scene.world.rooms)
    draw.text((4, 3), f'generated:{seed}, {rooms} rooms', fill=_INK,
              font=ImageFont.load_default(14))
    for k, tile in enumerate(tiles):
        if k == 0 and tile.height > tile.width:
            tile = tile.transpose(Image.Transpose.ROTATE_90)
        scale = min(wide / tile.width, high / tile.height)
        small = tile.resize((round(tile.width * scale), round(tile.height * scale)),
                            Image.Resampling.LANCZOS)
        strip.paste(small, (k * (wide + _MARGIN_PX), _TITLE_PX))
    return strip


def _telling_rooms(scene: WorldScene, seed: int) -> list[Room]:
    """The rooms to show: the living room, and others that vary with the seed."""
    rooms = sorted(scene.world.rooms, key=lambda room: _TELLING.index(room.kind))
    others = rooms[1:]
    shift = seed % len(others)
    return [rooms[0], *(others[shift:] + others[:shift])[:_VIEWS - 1]]


def viewpoint(scene: WorldScene, room: Room) -> Pose2D:
    """The pose that shows most of a room: far from its centre, and facing it."""
    points = Reach(scene).points
    inside = points[((points > room.low) & (points < room.high)).all(axis=1)]
    middle = (np.array(room.low) + room.high) / 2
    away = np.hypot(*(inside - middle).T)
    x, y = inside[int(np.argmax(away))]
    return Pose2D(float(x), float(y), math.atan2(middle[1] - y, middle[0] - x))
