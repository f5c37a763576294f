"""Obstacles from depth pictures in a window above the floor, as in Nav2's voxel layer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Transform
from semantic_nav_sim.mapper.sight import seen_through

# Number of voxels in each column.
_SLICES = 5
# Approximate number of columns and rows of a picture that are used. In the window the columns lie
# closer together than cells. A table top seen from the side is only a few rows high.
_COLUMNS, _ROWS = 80, 240
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class VoxelLayerConfig:
    """Limits of the points that count, named as Nav2's parameters.

    Attributes:
        min_obstacle_height, max_obstacle_height: Above the floor [m].
        obstacle_max_range: Largest distance from the camera of a point that marks [m].
        raytrace_max_range: Largest distance from the camera that is cleared [m].

    Raises:
        ConfigError: The minimum height is not below the maximum.
    """

    min_obstacle_height: float = 0.1
    max_obstacle_height: float = 1.0
    obstacle_max_range: float = 2.5
    raytrace_max_range: float = 3.0

    def __post_init__(self) -> None:
        """Reject an empty range of heights."""
        if self.min_obstacle_height >= self.max_obstacle_height:
            raise ConfigError(f'min_obstacle_height {self.min_obstacle_height:g} m is not below '
                              f'max_obstacle_height {self.max_obstacle_height:g} m')


@dataclass(frozen=True, eq=False)
class DepthPicture:
    """A depth picture in the frame of the grid.

    Attributes:
        camera: Name of the camera; empty for the first one.
        depth_mm: uint16[height, width], along the optical axis, 0 for no measurement.
        intrinsics: Of this picture.
        odom_T_camera: Of the optical frame.
    """

    camera: str
    depth_mm: NDArray[np.uint16]
    intrinsics: Intrinsics
    odom_T_camera: Transform

    def thinned(self) -> DepthPicture:
        """The picture with fewer rows and columns."""
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
        """The points of the picture in the odom frame, float[n, 3] [m]."""
        camera = self.intrinsics
        rows, cols = np.nonzero(self.depth_mm)
        deep = self.depth_mm[rows, cols] * 1e-3
        return self.odom_T_camera.apply(np.stack([
            (cols - camera.cx) / camera.fx * deep, (rows - camera.cy) / camera.fy * deep, deep],
            axis=1))


class VoxelLayer:
    """Voxels above a window in which something was seen, and not seen through since.

    Args:
        config: Limits of the points.
        shape: Rows and columns of the window.

    Attributes:
        marked: bool[rows, columns], cells with a marked voxel above.
    """

    def __init__(self, config: VoxelLayerConfig, shape: tuple[int, int]) -> None:
        self._config, self._shape = config, shape
        self._planes_m = np.linspace(config.min_obstacle_height, config.max_obstacle_height,
                                     _SLICES + 1)
        self._boxes = np.zeros((_SLICES, *shape), dtype=np.bool_)
        self.marked: NDArray[np.bool_] = np.zeros(shape, dtype=np.bool_)
        # The marking points of the newest picture of each camera.
        self._newest: dict[str, Floats] = {}

    def see(self, picture: DepthPicture, x: Floats, y: Floats) -> None:
        """Take in a picture: clear the voxels that it sees through, then mark its points.

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
        """Move with the window, by some rows and columns."""
        self._boxes = rolled(self._boxes, up, right, np.False_)
        self.marked = self._boxes.any(axis=0)

    def clear(self, x: Floats, y: Floats) -> None:
        """Clear all but the points of each camera's newest picture, which Nav2 keeps too."""
        self._boxes[:] = False
        self._mark(np.concatenate([np.zeros((0, 3)), *self._newest.values()]), x, y)

    def boxes_in(self, where: tuple[slice, slice]) -> NDArray[np.bool_]:
        """The voxels above a part of the window, bool[slices, rows, columns]."""
        return self._boxes[(slice(None), *where)].copy()

    def put_back(self, where: tuple[slice, slice], boxes: NDArray[np.bool_]) -> None:
        """Mark earlier voxels above a part of the window again."""
        self._boxes[(slice(None), *where)] |= boxes
        self.marked = self._boxes.any(axis=0)

    def clear_cells(self, where: tuple[slice, slice], cells: NDArray[np.bool_]) -> None:
        """Clear some cells of a part of the window."""
        self._boxes[(slice(None), *where)][:, cells] = False
        self.marked[where][cells] = False

    def _mark(self, points: Floats, x: Floats, y: Floats) -> None:
        slices, rows, cols = (np.searchsorted(edges, points[:, axis], 'right') - 1
                              for axis, edges in ((2, self._planes_m), (1, y), (0, x)))
        inside = (rows >= 0) & (rows < self._shape[0]) & (cols >= 0) & (cols < self._shape[1])
        self._boxes[slices[inside].clip(max=_SLICES - 1), rows[inside], cols[inside]] = True
        self.marked = self._boxes.any(axis=0)


def rolled(cells: NDArray[Any], up: int, right: int, empty: Any) -> NDArray[Any]:
    """The cells of a window after a move by some rows and columns.

    Args:
        cells: [..., rows, columns].
        up, right: Rows and columns of the move.
        empty: Value of new cells.
    """
    moved = np.full_like(cells, empty)
    rows, cols = cells.shape[-2:]
    if abs(up) < rows and abs(right) < cols:
        moved[..., _kept(rows, up), _kept(cols, right)] = (
            cells[..., _kept(rows, -up), _kept(cols, -right)])
    return moved


def _kept(count: int, shift: int) -> slice:
    """The slice of an axis that remains after a shift by some cells."""
    return slice(max(-shift, 0), count - max(shift, 0))
