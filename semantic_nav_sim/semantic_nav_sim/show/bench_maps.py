"""Missions of a benchmark from above: floor plan, driven way, target."""

import base64
from collections.abc import Iterator, Sequence
from io import BytesIO

import numpy as np
from PIL import Image

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import LETHAL, UNKNOWN
from semantic_nav.show.house import House, Rectangle
from semantic_nav.show.mission_pictures import PAPER, MissionSketch, Overview, draw_map
from semantic_nav_sim.bench.optimal import walls_of
from semantic_nav_sim.bench.runs import Run
from semantic_nav_sim.world.floor_plan import floor_plan
from semantic_nav_sim.world.scene import WorldScene
from semantic_nav_sim.world.scene_cache import load_scene

_FLOOR, _FURNITURE, _WALL = (238, 238, 240), (176, 176, 182), (70, 70, 78)
#: Lines and discs of few colours: a picture takes some 10 kB.
_SHRINK, _COLOURS = 2, 32


def maps_of(runs: Sequence[Run]) -> Iterator[tuple[Run, Image.Image]]:
    """Yield runs with their maps, home by home; nothing is rendered in three dimensions.

    Raises:
        ConfigError: a world does not exist any more.
    """
    for world in dict.fromkeys(run.world for run in runs):
        scene = load_scene(world)
        plan, rooms = _plan_of(scene), _rooms_of(scene)
        for run in runs:
            if run.world == world:
                yield run, _map_of(run, plan, rooms)


def _plan_of(scene: WorldScene) -> Overview:
    """The plan of a home: floor, walls and furniture."""
    grid = floor_plan(scene)
    picture = np.empty((*grid.shape, 3), np.uint8)
    picture[:] = PAPER
    picture[grid.cells != UNKNOWN] = _FLOOR
    picture[grid.cells == LETHAL] = _FURNITURE
    picture[walls_of(scene, grid).cells == LETHAL] = _WALL
    return Overview(Image.fromarray(picture[::-1]), grid.origin_x_m, grid.origin_y_m,
                    grid.resolution_m)


def data_url(picture: Image.Image) -> str:
    """Encode a picture as a data URL for a page."""
    content = BytesIO()
    # Not the median cut, which leaves no colour to the few pixels of a short way.
    few = picture.quantize(_COLOURS, method=Image.Quantize.FASTOCTREE)
    few.save(content, 'PNG', optimize=True)
    return f'data:image/png;base64,{base64.b64encode(content.getvalue()).decode()}'


def _rooms_of(scene: WorldScene) -> House:
    return House(tuple(Rectangle(*room.low, *room.high, room.name)
                       for room in scene.world.rooms))


def _map_of(run: Run, plan: Overview, rooms: House) -> Image.Image:
    way = [Pose2D(x, y, 0.0) for x, y in run.driven]
    stands = Pose2D(*run.stands) if run.stands is not None else (way or [Pose2D(0, 0, 0)])[-1]
    sketch = MissionSketch(run.goal, '', [*way, stands], (), (), run.target, stands,
                           house=rooms)
    return draw_map(plan, sketch, legend=False).reduce(_SHRINK)
