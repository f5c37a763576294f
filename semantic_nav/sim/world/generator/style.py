"""The taste of one home: woods, cloths, walls, floors, doors and the weather."""

import math

import numpy as np

from semantic_nav.sim.world.description import Rgb
from semantic_nav.sim.world.generator.draft import Json, pick
from semantic_nav.sim.world.generator.kinds import CLOTHS

_WALLS: tuple[Rgb, ...] = (
    (238, 226, 200), (232, 229, 222), (204, 216, 196), (196, 210, 224), (226, 204, 188),
    (216, 214, 206), (228, 214, 214), (206, 214, 208), (236, 222, 184), (190, 204, 206),
    (222, 206, 176), (214, 204, 222))
_WET_WALLS: tuple[tuple[Rgb, Rgb], ...] = (
    ((216, 230, 232), (244, 244, 242)), ((236, 236, 230), (196, 200, 202)),
    ((200, 218, 206), (240, 242, 238)), ((224, 212, 196), (246, 242, 236)),
    ((186, 204, 218), (238, 240, 242)))
_WOODEN: tuple[tuple[Rgb, Rgb], ...] = (
    ((206, 164, 116), (160, 116, 74)), ((142, 98, 66), (92, 60, 40)),
    ((222, 192, 152), (182, 148, 108)), ((176, 132, 92), (128, 90, 58)),
    ((188, 176, 160), (146, 134, 120)))
_TILED: tuple[tuple[Rgb, Rgb], ...] = (
    ((206, 200, 190), (150, 146, 140)), ((124, 138, 146), (196, 196, 194)),
    ((186, 150, 122), (210, 200, 188)), ((228, 226, 220), (176, 176, 172)),
    ((104, 108, 112), (160, 160, 158)))
_CARPETS: tuple[Rgb, ...] = ((172, 166, 158), (150, 158, 170), (186, 168, 150), (160, 172, 156))
_WET = ('bathroom',)
_STONE = ('bathroom', 'kitchen', 'utility room')
_SOFT = ('bedroom', "child's room", 'guest room')


class Style:
    """What one home prefers.

    Attributes:
        theme: by kind of thing the words of the looks that are liked; 'wood' for all others.
        door, front_door: colour and material.
        materials: of this home's own, for walls and floors.
        sun: as in the world's document.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        woods = rng.permutation(['oak', 'walnut', 'pine', 'white', 'black', 'grey'])[:2]
        liked = tuple(str(word) for word in woods)
        self.theme = {
            'wood': (*liked, 'silver', 'white'),
            'chair': (liked[0] if liked[0] != 'grey' else 'oak',),
            'curtain': tuple(str(word) for word in rng.permutation(sorted(CLOTHS))[:3]),
        }
        self.door = pick(rng, (
            {'colour': 'white', 'material': 'white_paint'},
            {'colour': 'brown', 'material': 'door_wood'},
            {'colour': 'brown', 'material': 'walnut'},
            {'colour': 'beige', 'material': 'pine'}))
        self.front_door = pick(rng, (
            {'colour': 'brown', 'material': 'walnut'},
            {'colour': 'green', 'material': 'green_paint'},
            {'colour': 'blue', 'material': 'blue_paint'},
            {'colour': 'grey', 'material': 'grey_paint'}))
        self.materials: dict[str, Json] = {}
        self._boards = pick(rng, _WOODEN)
        self._tint = pick(rng, _WALLS)
        overcast = rng.random() < 0.2
        self.sun: Json = {
            'azimuth_deg': round(math.degrees(float(rng.uniform(-math.pi, math.pi))), 1),
            'elevation_deg': round(float(rng.uniform(24, 52)), 1),
            'power': 0 if overcast else round(float(rng.uniform(0.6, 1.1)), 2)}

    def surfaces(self, kind: str) -> tuple[str, str]:
        """Return the names of the materials of a room's walls and floor, made for it."""
        rng = self._rng
        if kind in _WET:
            rgb, joint = pick(rng, _WET_WALLS)
            walls = self._material('tiles', rgb, joint, pick(rng, (0.6, 0.8, 1.0)))
        else:
            rgb = self._tint if rng.random() < 0.35 else pick(rng, _WALLS)
            walls = self._material('plaster', rgb)
        if kind in _STONE:
            rgb, joint = pick(rng, _TILED)
            floor = self._material('tiles', rgb, joint, pick(rng, (1.0, 1.2, 1.6)))
        elif kind in _SOFT and rng.random() < 0.35:
            floor = self._material('carpet', pick(rng, _CARPETS))
        else:
            floor = self._material('planks', *self._boards)
        return walls, floor

    def _material(self, pattern: str, rgb: Rgb, rgb2: Rgb | None = None,
                  tile_m: float | None = None) -> str:
        """Return the name of a material of this home, the same for the same look."""
        entry: Json = {'pattern': pattern, 'rgb': list(rgb)}
        if rgb2 is not None:
            entry['rgb2'] = list(rgb2)
        if tile_m is not None:
            entry['tile_m'] = tile_m
        for name, known in self.materials.items():
            if known == entry:
                return name
        name = f'{pattern}_{len(self.materials) + 1}'
        self.materials[name] = entry
        return name
