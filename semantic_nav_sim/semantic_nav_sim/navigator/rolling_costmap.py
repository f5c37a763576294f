"""The local costmap: a window in the odom frame that follows the robot, filled by sensors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.footprint import Footprint
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.map_file import FREE
from semantic_nav_sim.navigator.costmap import (
    CLEAR_RANGE_M,
    FREE_SPACE,
    MARK_RANGE_M,
    NO_INFORMATION,
    Costmap,
    Window,
)
from semantic_nav_sim.navigator.geometry import Pose
from semantic_nav_sim.navigator.inflation import LETHAL
from semantic_nav_sim.navigator.rays import passed
from semantic_nav_sim.navigator.voxel_layer import (
    DepthPicture,
    VoxelLayer,
    VoxelLayerConfig,
    rolled,
)

#: Size and resolution of Nav2's stock local costmap [m].
SIZE_M, RESOLUTION_M = 3.0, 0.05
# Distance of the robot from the centre at which the window follows it without a scan [m].
_SLACK_M = 0.25


class RollingCostmap(Costmap):
    """Local costmap of controller and behaviors.

    It has no map. Cells that no sensor has seen are free, and so is everything beyond its edge, as
    in Nav2's collision checks. So it stays valid under localisation errors. Scans and depth
    pictures have a layer each, and neither clears the marks of the other: a scan passes under a
    table.

    Args:
        robot_radius_m, inflation_radius_m, cost_scaling, footprint: As in `Costmap`.
        depth: Limits of the depth layer; None for the defaults.

    Attributes:
        origin_x, origin_y: Of the current window, whole cells from the odom frame's origin [m].
    """

    _closed = False

    def __init__(self, robot_radius_m: float, inflation_radius_m: float, cost_scaling: float,
                 footprint: Footprint | None = None,
                 depth: VoxelLayerConfig | None = None) -> None:
        count = round(SIZE_M / RESOLUTION_M)
        self._voxels = VoxelLayer(depth or VoxelLayerConfig(), (count, count))
        self._row, self._col = -(count // 2), -(count // 2)
        empty = np.full((count, count), FREE, dtype=np.int8)
        super().__init__(
            OccupancyGrid(empty, RESOLUTION_M, self._col * RESOLUTION_M,
                          self._row * RESOLUTION_M, '', 0),
            robot_radius_m, inflation_radius_m, cost_scaling, footprint)

    def follow(self, robot: Pose) -> None:
        """Move the window if the robot gets near its edge, as Nav2 does at each update."""
        middle_m = 0.5 * SIZE_M
        if max(abs(robot.x - self.origin_x - middle_m),
               abs(robot.y - self.origin_y - middle_m)) > _SLACK_M and self._roll(robot):
            self._inflate(self.everything, anew=True)

    def see(self, sensor: Pose, robot: Pose, bearings_rad: NDArray[np.float64],
            ranges_m: NDArray[np.float64], range_min_m: float,
            range_max_m: float) -> None:
        """Take in a scan, after centring the window on the robot.

        Args:
            sensor: Pose of the sensor in the odom frame.
            robot: Pose of the robot in the odom frame.
            bearings_rad: float[n], bearing of each ray in the sensor's frame, evenly spaced [rad].
            ranges_m, range_min_m, range_max_m: As in `Costmap`.
        """
        self.current = self._has_scans = True
        moved = self._roll(robot)
        ranges = np.where(ranges_m >= range_min_m, np.minimum(ranges_m, CLEAR_RANGE_M), 0.0)
        rows, cols = self.shape
        x = self.origin_x + (np.arange(cols) + 0.5) * self.resolution_m
        y = self.origin_y + (np.arange(rows) + 0.5) * self.resolution_m
        free = passed(x, y, sensor, bearings_rad, ranges, self.resolution_m)
        self._obstacles[free] = FREE_SPACE
        # Before the marks, unlike in Nav2: an obstacle in contact must be marked, or the robot
        # would drive on, which was measured to end in 104.
        self._clear_footprint(robot)
        hit = (ranges > 0.0) & (ranges <= min(MARK_RANGE_M, range_max_m))
        angles = sensor.yaw + bearings_rad[hit]
        self._set(sensor.x + np.cos(angles) * ranges[hit],
                  sensor.y + np.sin(angles) * ranges[hit], LETHAL)
        self._inflate(self.everything, anew=moved)

    def see_depth(self, picture: DepthPicture) -> None:
        """Take in a depth picture in the odom frame."""
        self._voxels.see(picture, *self._edges)
        self._inflate(self.everything)

    def clear(self) -> None:
        """Clear every obstacle that the newest depth pictures do not show."""
        self._voxels.clear(*self._edges)
        super().clear()

    def clear_except(self, robot: Pose, reset_m: float) -> None:
        """Clear such obstacles outside a square round the robot."""
        kept = self.around(robot, 0.5 * reset_m).slices
        boxes = self._voxels.boxes_in(kept)
        super().clear_except(robot, reset_m)
        self._voxels.put_back(kept, boxes)
        self._inflate(self.everything)

    @property
    def _edges(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Edges of the columns and of the rows [m]."""
        rows, cols = self.shape
        return (self.origin_x + np.arange(cols + 1) * self.resolution_m,
                self.origin_y + np.arange(rows + 1) * self.resolution_m)

    def _sensed(self, window: Window) -> NDArray[np.uint8]:
        return np.where(self._voxels.marked[window.slices], np.uint8(LETHAL),
                        super()._sensed(window))

    def _clear_footprint(self, robot: Pose) -> None:
        super()._clear_footprint(robot)
        # Only the cells in which it is wedged: cameras do not see obstacles near enough to touch,
        # so nothing would mark them again.
        window = self._beneath(robot)
        self._voxels.clear_cells(window.slices, self._under(
            robot, window, 0.5 * self.resolution_m))

    def _roll(self, robot: Pose) -> bool:
        """Centre the window on the robot and keep the common cells; returns whether it moved."""
        rows, cols = self.shape
        row = round(robot.y / self.resolution_m) - rows // 2
        col = round(robot.x / self.resolution_m) - cols // 2
        up, right = row - self._row, col - self._col
        if not (up or right):
            return False
        self._obstacles = rolled(self._obstacles, up, right, NO_INFORMATION)
        self._voxels.roll(up, right)
        self._row, self._col = row, col
        self.origin_x, self.origin_y = col * self.resolution_m, row * self.resolution_m
        return True
