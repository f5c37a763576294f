"""The style of one home: woods, cloths, walls, floors, doors and the weather."""

import math
from typing import Any

import numpy as np

from semantic_nav_sim.world.description import Rgb
from semantic_nav_sim.world.generator.catalogue import CLOTHS
from semantic_nav_sim.world.generator.draft import Json, pick
from semantic_nav_sim.world.sources import table_beside

_COLOURS: dict[str, list[Any]] = table_beside(__file__)
_WET = ('bathroom',)
_STONE = ('bathroom', 'kitchen', 'utility room')
_SOFT = ('bedroom', "child's room", 'guest room')


class Style:
    """The preferences of one home.

    Attributes:
        theme: preferred words for looks, by kind of thing; 'wood' for all others.
        door, front_door: colour and material.
        materials: of this home, for walls and floors.
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
        self.door: dict[str, str] = pick(rng, _COLOURS['doors'])
        self.front_door: dict[str, str] = pick(rng, _COLOURS['front_doors'])
        self.materials: dict[str, Json] = {}
        self._boards = pick(rng, _COLOURS['wooden_floors'])
        self._tint = pick(rng, _COLOURS['walls'])
        overcast = rng.random() < 0.2
        self.sun: Json = {
            'azimuth_deg': round(math.degrees(float(rng.uniform(-math.pi, math.pi))), 1),
            'elevation_deg': round(float(rng.uniform(24, 52)), 1),
            'power': 0 if overcast else round(float(rng.uniform(0.6, 1.1)), 2)}

    def surfaces(self, kind: str) -> tuple[str, str]:
        """Make the materials of a room's walls and floor; returns their names."""
        rng = self._rng
        if kind in _WET:
            rgb, joint = pick(rng, _COLOURS['wet_walls'])
            walls = self._material('tiles', rgb, joint, pick(rng, (0.6, 0.8, 1.0)))
        else:
            rgb = self._tint if rng.random() < 0.35 else pick(rng, _COLOURS['walls'])
            walls = self._material('plaster', rgb)
        if kind in _STONE:
            rgb, joint = pick(rng, _COLOURS['tiled_floors'])
            floor = self._material('tiles', rgb, joint, pick(rng, (1.0, 1.2, 1.6)))
        elif kind in _SOFT and rng.random() < 0.35:
            floor = self._material('carpet', pick(rng, _COLOURS['carpets']))
        else:
            floor = self._material('planks', *self._boards)
        return walls, floor

    def _material(self, pattern: str, rgb: Rgb, rgb2: Rgb | None = None,
                  tile_m: float | None = None) -> str:
        """The name of a material of this home; equal looks share one."""
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
