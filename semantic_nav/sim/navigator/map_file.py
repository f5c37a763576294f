"""Maps as map_server keeps them: a YAML file beside an image."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from PIL import Image

FREE, OCCUPIED, UNKNOWN = 0, 100, -1


class MapError(ValueError):
    """A map that cannot be used, with the reason."""


@dataclass(frozen=True)
class OccupancyMap:
    """An occupancy grid.

    Attributes:
        cells: int8[height, width], row 0 at the smallest y: 0 free, 100 occupied, -1 unknown.
        resolution_m: Edge of a cell [m].
        origin_x, origin_y: Outer corner of cell (0, 0) in the global frame [m].
    """

    cells: NDArray[np.int8]
    resolution_m: float
    origin_x: float
    origin_y: float


def load_map(path: Path | str) -> OccupancyMap:
    """Read a map in trinary mode.

    Args:
        path: The YAML file; its image is looked for beside it.

    Raises:
        MapError: A file is missing or unreadable, a field is missing, or the map is rotated.
    """
    path = Path(path)
    try:
        fields = yaml.safe_load(path.read_text(encoding='utf-8'))
        if not isinstance(fields, dict):
            raise MapError(f'{path}: not a map, the file holds no fields')
        return _read(path, fields)
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, MapError):
            raise
        reason = f'no field {error}' if isinstance(error, KeyError) else str(error)
        raise MapError(f'{path}: {reason}') from error


def _read(path: Path, fields: dict[str, Any]) -> OccupancyMap:
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
    return OccupancyMap(np.ascontiguousarray(cells[::-1]), resolution_m, x, y)
