"""Perfect sight on the true map, from the height of the robot's camera."""

import math

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D, wrap_angles
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav_sim.bench.optimal import walls_of
from semantic_nav_sim.robot.camera import CameraModel
from semantic_nav_sim.world.footprints import Footprints
from semantic_nav_sim.world.scene import WorldScene

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class TrueSight:
    """Sight that walls, and things higher than the camera, block; lower things do not.

    Things on or in something high are seen, but not those behind it. The camera's vertical field
    of view is ignored.
    """

    def __init__(self, scene: WorldScene, grid: OccupancyGrid, range_m: float,
                 camera: CameraModel | None = None) -> None:
        """Rasterise the things that block the view.

        Args:
            scene: the home, without movable things.
            grid: its floor plan, whose cells are used.
            range_m: range of sight.
            camera: of the robot.
        """
        camera = camera or CameraModel()
        self._grid, self._range_m, self._half_rad = grid, range_m, camera.hfov_rad / 2
        rows, columns = grid.shape
        xs, ys = grid.centres_of(np.arange(rows), np.arange(columns))
        eye_m = camera.mount[2]
        high = Footprints(scene.fixed_colliders(), eye_m, eye_m + grid.resolution_m)
        self._layers = (high.raster(xs, ys, grid.resolution_m / 2),
                        walls_of(scene, grid).cells > 0)

    def all_round(self, x: float, y: float, points: Floats) -> Mask:
        """Mask of the points, shape (n, 2), that a robot sees while it turns round, shape (n,)."""
        off = points - (x, y)
        near: Mask = np.hypot(*off.T) <= self._range_m
        steps = np.linspace(0.0, 1.0, 2 * math.ceil(
            self._range_m / self._grid.resolution_m) + 1)[:, None]
        rows, columns, _ = self._grid.cells_of(x + steps * off[near, 0], y + steps * off[near, 1])
        for layer in self._layers:
            met = layer[rows, columns]
            clear = ~(met[:-1] & ~met[1:]).any(axis=0)
            near[near.nonzero()[0][~clear]] = False
            rows, columns = rows[:, clear], columns[:, clear]
        return near

    def ahead(self, pose: Pose2D, points: Floats) -> Mask:
        """Mask of the points in its field of view, occluded or not, shape (n,)."""
        bearing = np.arctan2(points[:, 1] - pose.y, points[:, 0] - pose.x)
        within: Mask = np.abs(wrap_angles(bearing - pose.yaw)) <= self._half_rad
        return within

    def seen(self, pose: Pose2D, points: Floats) -> Mask:
        """Mask of the points that it sees, shape (n,)."""
        seen = self.ahead(pose, points)
        seen[seen] = self.all_round(pose.x, pose.y, points[seen])
        return seen
