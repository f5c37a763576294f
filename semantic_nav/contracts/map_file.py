"""Maps as map_server keeps them: a YAML file beside an image."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from PIL import Image

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.whole_file import write_whole

FREE, OCCUPIED, UNKNOWN = 0, 100, -1
# Below 50/255 = 0.196, the occupancy of a pixel of 205 ('unknown').
FREE_THRESHOLD = 0.19
OCCUPIED_THRESHOLD = 0.65
_GREY = {FREE: 254, OCCUPIED: 0, UNKNOWN: 205}


class MapError(ConfigError):
    """A map cannot be used; the message gives the reason."""


def load_map(path: Path | str) -> OccupancyGrid:
    """Read a map in trinary mode.

    Args:
        path: The YAML file; its image path is relative to the file's folder.

    Returns:
        The grid: 0 free, 100 occupied, -1 unknown; frame 'map', stamp 0.

    Raises:
        MapError: A file is missing or unreadable, a field is missing, or the map is rotated.
    """
    # Resolved once: a link in the path may change before the image is read.
    path = Path(path).parent.resolve() / Path(path).name
    try:
        fields = yaml.safe_load(path.read_text(encoding='utf-8'))
        if not isinstance(fields, dict):
            raise MapError(f'{path}: not a map, the file holds no fields')
        return _read(path, fields)
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        reason = f'no field {error}' if isinstance(error, KeyError) else str(error)
        raise MapError(f'{path}: {reason}') from error


def _read(path: Path, fields: dict[str, Any]) -> OccupancyGrid:
    mode = fields.get('mode', 'trinary')
    if mode != 'trinary':
        raise MapError(f'{path}: mode {mode!r}, only trinary maps are read')
    x, y, yaw = (float(value) for value in fields['origin'])
    resolution_m = float(fields['resolution'])
    if not (math.isfinite(x) and math.isfinite(y) and yaw == 0.0 and resolution_m > 0.0):
        raise MapError(f'{path}: the origin must be finite and unrotated, the resolution positive')
    with Image.open(path.parent / fields['image']) as image:
        shade = np.asarray(image.convert('L'), dtype=np.float64) / 255.0
    occupancy = shade if fields['negate'] else 1.0 - shade
    cells = np.full(shade.shape, UNKNOWN, dtype=np.int8)
    cells[occupancy > float(fields['occupied_thresh'])] = OCCUPIED
    cells[occupancy < float(fields['free_thresh'])] = FREE
    return OccupancyGrid(np.ascontiguousarray(cells[::-1]), resolution_m, x, y, 'map', 0)


def map_files(grid: OccupancyGrid) -> dict[str, bytes]:
    """The contents of map.pgm and map.yaml for a map, by file name."""
    grey = np.full(grid.cells.shape, _GREY[UNKNOWN], np.uint8)
    for value, level in _GREY.items():
        grey[grid.cells == value] = level
    picture = io.BytesIO()
    # Pictures start at the top, grids at the smallest y.
    Image.fromarray(np.ascontiguousarray(grey[::-1])).save(picture, 'PPM')
    text = (f'image: map.pgm\nmode: trinary\nresolution: {grid.resolution_m}\n'
            f'origin: [{grid.origin_x_m}, {grid.origin_y_m}, 0]\nnegate: 0\n'
            f'occupied_thresh: {OCCUPIED_THRESHOLD}\nfree_thresh: {FREE_THRESHOLD}\n')
    return {'map.pgm': picture.getvalue(), 'map.yaml': text.encode()}


def save_map(grid: OccupancyGrid, folder: Path) -> None:
    """Write map.pgm and map.yaml into a folder, which is made if it does not exist.

    Raises:
        MapError: they cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in map_files(grid).items():
            # An abort in between leaves each file whole.
            write_whole(folder / name, content)
    except OSError as error:
        raise MapError(f'the map cannot be saved in {folder}: {error}') from error
