"""The library of materials, from materials.yaml: texture, tile size, gloss and emission."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.world.meshes import Floats, Mesh
from semantic_nav_sim.world.pictures import PICTURES, Picture
from semantic_nav_sim.world.sources import table_beside
from semantic_nav_sim.world.textures import PATTERNS


@dataclass(frozen=True)
class Material:
    """Appearance of a surface.

    Attributes:
        draw: function that draws the texture, shape (rows, columns, 3), float 0 to 255.
        tile_m: edge of the texture on the surface in metres; None: fitted to the surface.
        gloss: specular and shininess of MuJoCo's lighting, 0 to 1.
        emission: light of its own, 0 to 1.
    """

    draw: Picture
    tile_m: float | None
    gloss: tuple[float, float] = (0.03, 0.1)
    emission: float = 0.0

    def texture(self) -> NDArray[np.uint8]:
        """The texture, shape (rows, columns, 3), top row first."""
        return np.clip(self.draw(), 0, 255).astype(np.uint8)

    def tiles(self, mesh: Mesh) -> Floats:
        """Texture coordinates of a mesh in tiles, shape (n, 2)."""
        return mesh.texcoords if self.tile_m is None else mesh.texcoords / self.tile_m

    @property
    def roughness(self) -> float:
        """The roughness for physically based rendering, 0 to 1."""
        return 1 - self.gloss[1] * 0.7

    @property
    def glows(self) -> bool:
        """Tell whether other simulators should show it as bright without any light."""
        return self.emission > 0.5


_table = cache(partial(table_beside, __file__))


def _patterned(pattern: str, rgb: Sequence[int], rgb2: Sequence[int] | None = None, *,
               seed: int, tile_m: float | None = None, **look: Any) -> Material:
    """A material of a pattern in given colours.

    Raises:
        ConfigError: there is no such pattern.
    """
    if pattern not in PATTERNS:
        raise ConfigError(f'no pattern {pattern!r}: known are {", ".join(sorted(PATTERNS))}')
    return Material(partial(PATTERNS[pattern], rgb, rgb2, seed),
                    tile_m or _table()['usual_tile_m'][pattern], **look)


def _pictured(name: str, picture: str | None = None, emission: float = 0.0,
              **drawn: Any) -> Material:
    """A material with a fitted picture, of its own name or another one."""
    # Pillow accepts colours only as tuples.
    drawn = {key: tuple(value) if isinstance(value, list) else value
             for key, value in drawn.items()}
    return Material(partial(PICTURES[picture or name], **drawn), None, emission=emission)


class Materials:
    """The library together with a world's own materials."""

    def __init__(self, own: Mapping[str, Mapping[str, Any]]) -> None:
        """Add a world's own materials to the library: pattern, rgb, rgb2, tile_m."""
        self._materials = {
            **{name: _patterned(**entry) for name, entry in _table()['materials'].items()},
            **{name: _pictured(name, **entry) for name, entry in _table()['pictures'].items()},
            **{name: _patterned(**entry, seed=100 + index)
               for index, (name, entry) in enumerate(sorted(own.items()))}}

    def __getitem__(self, name: str) -> Material:
        """A material by name.

        Raises:
            ConfigError: there is no such material.
        """
        if name not in self._materials:
            raise ConfigError(f'no material {name!r}: known are '
                              f'{", ".join(sorted(self._materials))}')
        return self._materials[name]
