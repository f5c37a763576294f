"""What depth pictures tell of a window above the floor, as Nav2's voxel layer keeps it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Transform
from semantic_nav_sim.mapper.sight import seen_through

# Boxes in each column.
_SLICES = 5
# Of a picture so many columns and rows are looked at, about. In the window the columns lie closer
# together than cells; a table's top that is seen from the side is only a few rows high.
_COLUMNS, _ROWS = 80, 240
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class VoxelLayerConfig:
    """Which points of a picture count, named as Nav2's parameters.

    Attributes:
        min_obstacle_height, max_obstacle_height: Above the floor [m].
        obstacle_max_range: Points farther from the camera mark nothing [m].
        raytrace_max_range: And nothing farther is cleared [m].

    Raises:
        ConfigError: The heights are none.
    """

    min_obstacle_height: float = 0.1
    max_obstacle_height: float = 1.0
    obstacle_max_range: float = 2.5
    raytrace_max_range: float = 3.0

    def __post_init__(self) -> None:
        """Refuse heights between which nothing lies."""
        if self.min_obstacle_height >= self.max_obstacle_height:
            raise ConfigError(f'min_obstacle_height {self.min_obstacle_height:g} m is not below '
                              f'max_obstacle_height {self.max_obstacle_height:g} m')


@dataclass(frozen=True, eq=False)
class DepthPicture:
    """A depth picture in the frame of the grid.

    Attributes:
        camera: Name of the camera that took it; the first one has none.
        depth_mm: uint16[height, width], along the optical axis, 0 for none.
        intrinsics: Of this picture.
        odom_T_camera: From the optical frame.
    """

    camera: str
    depth_mm: NDArray[np.uint16]
    intrinsics: Intrinsics
    odom_T_camera: Transform

    def thinned(self) -> DepthPicture:
        """The same with fewer rows and columns."""
        camera = self.intrinsics
        down = max(1, round(camera.height_px / _ROWS))
        right = max(1, round(camera.width_px / _COLUMNS))
        row, col = down // 2, right // 2
        depth_mm = self.depth_mm[row::down, col::right]
        height, width = depth_mm.shape
        return replace(self, depth_mm=depth_mm, intrinsics=Intrinsics(
            width, height, camera.fx / right, camera.fy / down, (camera.cx - col) / right,
            (camera.cy - row) / down))

    def points(self) -> Floats:
        """What it shows, float[n, 3] [m]."""
        camera = self.intrinsics
        rows, cols = np.nonzero(self.depth_mm)
        deep = self.depth_mm[rows, cols] * 1e-3
        return self.odom_T_camera.apply(np.stack([
            (cols - camera.cx) / camera.fx * deep, (rows - camera.cy) / camera.fy * deep, deep],
            axis=1))


class VoxelLayer:
    """Boxes above the cells of a window in which something was met and not seen through since.

    Args:
        config: Which points count.
        shape: Rows and columns of the window.

    Attributes:
        marked: bool[rows, columns], the cells above which any box is one of them.
    """

    def __init__(self, config: VoxelLayerConfig, shape: tuple[int, int]) -> None:
        self._config, self._shape = config, shape
        self._planes_m = np.linspace(config.min_obstacle_height, config.max_obstacle_height,
                                     _SLICES + 1)
        self._boxes = np.zeros((_SLICES, *shape), dtype=np.bool_)
        self.marked: NDArray[np.bool_] = np.zeros(shape, dtype=np.bool_)
        # Of each camera the points of its newest picture that mark.
        self._newest: dict[str, Floats] = {}

    def see(self, picture: DepthPicture, x: Floats, y: Floats) -> None:
        """Take in a picture: clear what it sees through, then mark what it shows.

        Args:
            picture: In the frame of the window.
            x, y: Edges of the columns and of the rows [m].
        """
        picture, config = picture.thinned(), self._config
        self._boxes &= ~seen_through(
            picture.depth_mm, picture.intrinsics, picture.odom_T_camera, (self._planes_m, y, x),
            config.raytrace_max_range)
        points = picture.points()
        away_m = np.linalg.norm(points - picture.odom_T_camera.translation, axis=1)
        points = points[(away_m <= config.obstacle_max_range)
                        & (points[:, 2] >= config.min_obstacle_height)
                        & (points[:, 2] <= config.max_obstacle_height)]
        self._newest[picture.camera] = points
        self._mark(points, x, y)

    def roll(self, up: int, right: int) -> None:
        """Go with the window, so many rows and columns on."""
        self._boxes = rolled(self._boxes, up, right, np.False_)
        self.marked = self._boxes.any(axis=0)

    def clear(self, x: Floats, y: Floats) -> None:
        """Forget all but what the newest picture of each camera shows, which Nav2 keeps too."""
        self._boxes[:] = False
        self._mark(np.concatenate([np.zeros((0, 3)), *self._newest.values()]), x, y)

    def boxes_in(self, where: tuple[slice, slice]) -> NDArray[np.bool_]:
        """The boxes above a part of the window, bool[slices, rows, columns]."""
        return self._boxes[(slice(None), *where)].copy()

    def put_back(self, where: tuple[slice, slice], boxes: NDArray[np.bool_]) -> None:
        """Mark boxes above a part of the window that were marked before."""
        self._boxes[(slice(None), *where)] |= boxes
        self.marked = self._boxes.any(axis=0)

    def clear_cells(self, where: tuple[slice, slice], cells: NDArray[np.bool_]) -> None:
        """Forget some cells of a part of the window."""
        self._boxes[(slice(None), *where)][:, cells] = False
        self.marked[where][cells] = False

    def _mark(self, points: Floats, x: Floats, y: Floats) -> None:
        slices, rows, cols = (np.searchsorted(edges, points[:, axis], 'right') - 1
                              for axis, edges in ((2, self._planes_m), (1, y), (0, x)))
        inside = (rows >= 0) & (rows < self._shape[0]) & (cols >= 0) & (cols < self._shape[1])
        self._boxes[slices[inside].clip(max=_SLICES - 1), rows[inside], cols[inside]] = True
        self.marked = self._boxes.any(axis=0)


def rolled(cells: NDArray[Any], up: int, right: int, empty: Any) -> NDArray[Any]:
    """The cells of a window that has gone so many rows and columns on.

    Args:
        cells: [..., rows, columns].
        up, right: How far the window went.
        empty: What is new in it.
    """
    moved = np.full_like(cells, empty)
    rows, cols = cells.shape[-2:]
    if abs(up) < rows and abs(right) < cols:
        moved[..., _kept(rows, up), _kept(cols, right)] = (
            cells[..., _kept(rows, -up), _kept(cols, -right)])
    return moved


def _kept(count: int, shift: int) -> slice:
    """Return what is left of so many cells where a window has moved by some of them."""
    return slice(max(-shift, 0), count - max(shift, 0))
