"""The library of materials: texture, size of its tile, gloss and glow."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.sim.world.description import MaterialSpec, Rgb
from semantic_nav.sim.world.pictures import PICTURES, Picture
from semantic_nav.sim.world.textures import PATTERNS


@dataclass(frozen=True)
class Material:
    """How a surface looks.

    Attributes:
        draw: makes the texture, shape (rows, columns, 3), float 0 to 255.
        tile_m: edge of the texture on the surface in metres; None: fitted to the surface.
        specular, shininess: of MuJoCo's lighting, 0 to 1.
        emission: how much it glows by itself, 0 to 1.
    """

    draw: Picture
    tile_m: float | None
    specular: float = 0.03
    shininess: float = 0.1
    emission: float = 0.0

    def texture(self) -> NDArray[np.uint8]:
        """Return the texture, shape (rows, columns, 3), top row first."""
        return np.clip(self.draw(), 0, 255).astype(np.uint8)


USUAL_TILE_M = {'plain': 0.5, 'plaster': 1.6, 'fabric': 0.22, 'stripes': 0.4, 'carpet': 1.0,
                'leather': 0.5, 'wood': 0.9, 'planks': 1.2, 'tiles': 1.0, 'brushed': 0.6,
                'marble': 1.0, 'wicker': 0.12, 'foliage': 0.3}


def material(pattern: str, rgb: Rgb, rgb2: Rgb | None = None, *, seed: int = 0,
             tile_m: float | None = None, specular: float = 0.03,
             shininess: float = 0.1) -> Material:
    """Return a material of a pattern in given colours.

    Raises:
        ConfigError: there is no such pattern.
    """
    if pattern not in PATTERNS:
        raise ConfigError(f'no pattern {pattern!r}: known are {", ".join(sorted(PATTERNS))}')
    return Material(partial(PATTERNS[pattern], rgb, rgb2, seed),
                    tile_m or USUAL_TILE_M[pattern], specular, shininess)


def _picture(name: str, emission: float = 0.0) -> Material:
    return Material(PICTURES[name], None, emission=emission)


def _glossy(rgb: Rgb, seed: int, pattern: str = 'plain') -> Material:
    return material(pattern, rgb, seed=seed, specular=0.5, shininess=0.7)


_LIBRARY: dict[str, Material] = {
    # Walls, floors, ceilings.
    'wall_white': material('plaster', (232, 229, 222), seed=1),
    'wall_cream': material('plaster', (238, 226, 200), seed=2),
    'wall_green': material('plaster', (204, 216, 196), seed=3),
    'wall_blue': material('plaster', (196, 210, 224), seed=4),
    'wall_clay': material('plaster', (226, 204, 188), seed=5),
    'wall_tiles': material('tiles', (216, 230, 232), (244, 244, 242), seed=6, tile_m=0.8),
    'ceiling_white': material('plaster', (242, 242, 240), seed=7),
    'oak_planks': material('planks', (206, 164, 116), (160, 116, 74), seed=11),
    'walnut_planks': material('planks', (142, 98, 66), (92, 60, 40), seed=12),
    'kitchen_tiles': material('tiles', (206, 200, 190), (150, 146, 140), seed=13, tile_m=1.6),
    'slate_tiles': material('tiles', (124, 138, 146), (196, 196, 194), seed=14, tile_m=1.2),
    'grey_carpet': material('carpet', (172, 166, 158), seed=15),
    # Wood and boards.
    'oak': material('wood', (204, 160, 112), seed=21),
    'walnut': material('wood', (128, 86, 56), seed=22),
    'pine': material('wood', (230, 198, 150), (202, 164, 112), seed=23),
    'door_wood': material('wood', (188, 142, 96), seed=24),
    'white_paint': material('plain', (236, 235, 230), seed=25, specular=0.1, shininess=0.3),
    'grey_paint': material('plain', (150, 156, 160), seed=26, specular=0.1, shininess=0.3),
    'black_wood': material('wood', (62, 58, 56), (40, 37, 36), seed=81),
    'blue_paint': material('plain', (96, 124, 150), seed=82, specular=0.1, shininess=0.3),
    'green_paint': material('plain', (116, 140, 116), seed=83, specular=0.1, shininess=0.3),
    'cardboard': material('plaster', (184, 146, 102), seed=27, tile_m=0.5),
    'wicker': material('wicker', (186, 142, 92), seed=28),
    # Cloth and leather.
    'blue_fabric': material('fabric', (74, 96, 132), seed=31),
    'grey_fabric': material('fabric', (132, 132, 134), seed=32),
    'white_fabric': material('fabric', (230, 228, 222), seed=33),
    'teal_fabric': material('fabric', (78, 128, 134), seed=34),
    'orange_fabric': material('fabric', (220, 124, 52), seed=35),
    'yellow_fabric': material('fabric', (226, 188, 72), seed=36),
    'green_fabric': material('fabric', (92, 128, 84), seed=37),
    'red_fabric': material('fabric', (176, 40, 40), seed=43),
    'navy_fabric': material('fabric', (44, 66, 128), seed=38),
    'beige_fabric': material('fabric', (214, 198, 168), seed=39),
    'pink_fabric': material('fabric', (222, 150, 160), seed=84),
    'purple_fabric': material('fabric', (112, 82, 142), seed=85),
    'teddy': material('carpet', (158, 108, 66), seed=86, tile_m=0.3),
    'striped_fabric': material('stripes', (92, 128, 160), seed=40),
    'brown_leather': material('leather', (150, 96, 58), seed=41, specular=0.15, shininess=0.3),
    'black_leather': material('leather', (38, 38, 42), seed=42, specular=0.2, shininess=0.3),
    # Metal, stone, china, plastic.
    'steel': _glossy((188, 191, 196), 51, 'brushed'),
    'black_metal': material('plain', (34, 34, 37), seed=52, specular=0.3, shininess=0.4),
    'marble': material('marble', (212, 210, 206), seed=53, specular=0.4, shininess=0.6),
    'black_stone': material('marble', (58, 58, 62), (96, 96, 98), seed=87, specular=0.4,
                            shininess=0.6),
    'brass': _glossy((190, 150, 80), 88, 'brushed'),
    'ceramic': _glossy((246, 246, 244), 54),
    'terracotta': material('plaster', (178, 100, 70), seed=55, tile_m=0.5),
    'soil': material('carpet', (72, 54, 40), seed=56, tile_m=0.3),
    'glass': material('plain', (206, 222, 226), seed=57, specular=0.8, shininess=0.9),
    'green_glass': material('plain', (44, 112, 70), seed=58, specular=0.8, shininess=0.9),
    'brown_glass': material('plain', (104, 62, 32), seed=89, specular=0.8, shininess=0.9),
    'mirror': Material(partial(PATTERNS['brushed'], (196, 208, 216), None, 59), 2.0, 0.7, 0.9,
                       0.12),
    'leaf': material('foliage', (72, 128, 58), seed=61),
    'dark_leaf': material('foliage', (44, 92, 52), seed=90),
    'pale_leaf': material('foliage', (122, 158, 84), seed=91),
    'red_glaze': _glossy((204, 28, 30), 62),
    'yellow_glaze': _glossy((236, 196, 52), 92),
    'orange_glaze': _glossy((232, 120, 34), 93),
    'pink_glaze': _glossy((232, 140, 164), 94),
    'purple_glaze': _glossy((120, 70, 150), 95),
    'black_glaze': _glossy((34, 34, 38), 96),
    'blue_glaze': _glossy((38, 78, 186), 63),
    'green_glaze': _glossy((58, 140, 82), 64),
    'white_plastic': material('plain', (238, 238, 236), seed=65, specular=0.2, shininess=0.4),
    'yellow_plastic': material('plain', (238, 192, 40), seed=74, specular=0.2, shininess=0.4),
    'grey_plastic': material('plain', (96, 98, 102), seed=66, specular=0.2, shininess=0.4),
    'black_plastic': material('plain', (30, 30, 33), seed=67, specular=0.2, shininess=0.4),
    'red_skin': material('plain', (190, 40, 34), seed=68, specular=0.2, shininess=0.4),
    'orange_skin': material('plaster', (236, 136, 38), seed=69, tile_m=0.3),
    'green_skin': material('plain', (134, 172, 60), seed=70, specular=0.2, shininess=0.4),
    'skin': material('plain', (222, 172, 140), seed=75),
    'brown_hair': material('fabric', (82, 56, 38), seed=76),
    'grey_hair': material('fabric', (168, 166, 160), seed=77),
    'black_hair': material('fabric', (34, 30, 30), seed=78),
    'lampshade': Material(partial(PATTERNS['fabric'], (250, 236, 204), None, 71), 0.22,
                          emission=0.55),
    'lamp_glow': Material(partial(PATTERNS['plain'], (255, 248, 232), None, 72), 0.5,
                          emission=0.9),
    'wall_top': material('plain', (70, 72, 78), seed=73),
    # Fitted pictures.
    **{name: _picture(name) for name in PICTURES},
    'window_view': _picture('window_view', emission=1.0),
    'desktop_screen': _picture('desktop_screen', emission=0.7),
    'television_screen': _picture('television_screen', emission=0.2),
    'digital_clock': _picture('digital_clock', emission=0.7),
}


class Materials:
    """The library together with a world's own materials."""

    def __init__(self, own: Mapping[str, MaterialSpec]) -> None:
        self._materials = dict(_LIBRARY)
        for index, (name, spec) in enumerate(sorted(own.items())):
            self._materials[name] = material(spec.pattern, spec.rgb, spec.rgb2,
                                             seed=100 + index, tile_m=spec.tile_m)

    def __getitem__(self, name: str) -> Material:
        """Return a material by name.

        Raises:
            ConfigError: there is no such material.
        """
        if name not in self._materials:
            raise ConfigError(f'no material {name!r}: known are '
                              f'{", ".join(sorted(self._materials))}')
        return self._materials[name]
