"""An occupancy grid map from laser scans and depth pictures, which are matched with it.

It knows no ROS and no clock. Log-odds after Moravec and Elfes; the scan's inverse sensor model is
that of Thrun, Burgard and Fox, Probabilistic Robotics, table 9.2, along each ray.
"""

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import FREE, LETHAL, OCCUPIED, OccupancyGrid
from semantic_nav_sim.mapper.config import MapperConfig
from semantic_nav_sim.mapper.displaced import Displaced
from semantic_nav_sim.mapper.extent import Cells, Extent
from semantic_nav_sim.mapper.layer import Layer, Mask
from semantic_nav_sim.mapper.pace import Pace
from semantic_nav_sim.mapper.scan_match import Obstacles
from semantic_nav_sim.mapper.sight import seen_through

MAP_FRAME = 'map'
#: Heights of obstacles; points below them are floor.
BAND_M = (0.05, 1.0)
FLOOR_M = -0.15
#: Planes between the slices of the band, in metres: a table hides nothing that is seen under it.
PLANES_M = np.linspace(*BAND_M, 6)
#: Number of points of a picture that are matched with the map.
_ENDS = 400
#: Beyond this distance, in metres, fewer points in a cell of a slice may be noise, which grows
#: with the square of the distance. They confirm an obstacle, but do not add one.
_SURE_M, _FAR_POINTS = 2.3, 2
Floats = NDArray[np.float64]


class Beams(Protocol):
    """The rays of a scanner, as `LidarModel` and sensor_msgs/LaserScan describe them."""

    @property
    def angle_min_rad(self) -> float:
        """The bearing of the first ray."""

    @property
    def step_rad(self) -> float:
        """The angle between two rays."""

    @property
    def range_min_m(self) -> float:
        """The least range of a return."""

    @property
    def range_max_m(self) -> float:
        """The largest range of a return."""


class Mapper:
    """Builds a map that grows with the seen area, as long as the robot's pose does not jump.

    Scans and pictures are placed where they match the map best near the given pose. A scan that
    fits nowhere there is not taken in. Loops are not closed.

    The map begins at the corner of the seen area, as slam_toolbox draws it. As this area grows,
    the map's origin moves by fractions of a cell, and its contents by up to half a cell.

    Laser and depth camera have a layer each, and a cell is occupied if it is so in either. The
    scan passes under a table whose top only the camera sees, and must not clear it. But an
    obstacle that the scan first met and now sees through is gone for the camera, too. The camera's
    layer has slices, so that seeing through below or above an obstacle does not clear it.

    Attributes:
        config: weights and limits.
    """

    def __init__(self, config: MapperConfig | None = None,
                 start: OccupancyGrid | None = None) -> None:
        """Start without a map, or with a saved one.

        Args:
            config: weights and limits; the resolution of a saved map has priority.
            start: map to go on from.
        """
        self.config = config = config or MapperConfig()
        self._resolution_m = config.resolution
        self._corner = (0.0, 0.0)
        self._extent = Extent()
        # The corners of the seen area: x and y of the first, and of the last.
        self._seen_m = np.array([[math.inf, math.inf], [-math.inf, -math.inf]])
        self._laser = Layer(config)
        # The floor, and the obstacles on it.
        self._depth = Layer(config, len(PLANES_M))
        self._displaced = Displaced()
        # The pose error according to the last scan.
        self._correction = Transform.identity()
        self._scan_pace = Pace(config.min_travel, config.min_turn, config.period)
        # One for each camera, since cameras show different parts of the home at one moment.
        self._depth_paces: dict[str, Pace] = {}
        if start is not None:
            self._go_on_from(start)

    @property
    def empty(self) -> bool:
        """Tell whether nothing was taken in yet."""
        return not self._extent.rows

    def integrate(self, ranges: NDArray[np.float32], beams: Beams, pose: Pose2D,
                  stamp_ns: int) -> bool:
        """Take in a scan, if it is due (see `Pace`).

        Args:
            ranges: shape (n,), metres; infinite for no return, NaN for no measurement.
            beams: the scanner.
            pose: believed, of the scanner in the map frame.
            stamp_ns: of the scan.

        Returns:
            Whether it was taken in.
        """
        self._displaced.see(pose, stamp_ns)
        if self._displaced.jumped or not self._scan_pace.due(pose, stamp_ns):
            return False
        self._scan_pace.passed(pose, stamp_ns)
        usable = np.asarray(ranges) >= beams.range_min_m
        bearings = beams.angle_min_rad + beams.step_rad * np.arange(len(ranges))[usable]
        measured = np.asarray(ranges, np.float64)[usable]
        returned = measured <= beams.range_max_m
        clear_m = np.where(returned, measured, self.config.no_return_range)
        met = returned & (measured <= self.config.laser_range)
        clear_m = np.minimum(clear_m, self.config.laser_range)
        match = self._obstacles().match(
            np.column_stack([np.cos(bearings), np.sin(bearings)])[met] * measured[met, None], pose)
        if not self._displaced.compare(match.fits, stamp_ns):
            return False
        self._correction = (Transform.from_pose(match.pose)
                            @ Transform.from_pose(pose).inverse())
        pose = match.pose
        bearings = pose.yaw + bearings
        cos, sin = np.cos(bearings), np.sin(bearings)
        # The cell of the pose ensures that there is at least one.
        ends = self._make_room(np.append(pose.x + cos * clear_m, pose.x),
                               np.append(pose.y + sin * clear_m, pose.y))
        seen = Extent.around(*ends)
        # The last cell before a return is not cleared: a ray along a wall would erase it.
        steps = np.arange(0.0, self.config.laser_range, self._resolution_m)
        through = steps < (clear_m - self._resolution_m)[:, None]
        passed = seen.mask(*self._cells(pose.x + (cos[:, None] * steps)[through],
                                        pose.y + (sin[:, None] * steps)[through]))
        ended = seen.mask(*self._cells(pose.x + (cos * clear_m)[met],
                                       pose.y + (sin * clear_m)[met]))
        (gone,) = self._laser.see(passed[None], ended[None], seen.within(self._extent))
        rows, columns = np.nonzero(gone)
        if rows.size:
            self._forget_around(rows + seen.row, columns + seen.column)
        return True

    def wants_depth(self, pose: Pose2D, stamp_ns: int, camera: str = '') -> bool:
        """Tell whether a depth picture from this pose and time would be taken in.

        Args:
            pose: of the camera in the map frame; its yaw is the viewing direction.
            stamp_ns: time of the picture.
            camera: name of the camera; empty for the first one.
        """
        return not self._displaced.now and self._pace_of(camera).due(pose, stamp_ns)

    def integrate_depth(self, depth_mm: NDArray[np.uint16], intrinsics: Intrinsics,
                        map_T_camera: Transform, stamp_ns: int, camera: str = '') -> bool:
        """Take in a depth picture, if it is due (see `Pace`).

        Points in BAND_M mark the slice of their cell, and slices that the picture sees through are
        cleared. Visible floor makes its cell free.

        Args:
            depth_mm: shape (height, width), along the optical axis, 0 for no measurement.
            intrinsics: of this picture.
            map_T_camera: believed, of the optical frame.
            stamp_ns: of the picture.
            camera: name of the camera; empty for the first one.

        Returns:
            Whether it was taken in.
        """
        # An optical frame looks along z.
        forward_x, forward_y = map_T_camera.matrix[:2, 2].tolist()
        pose = Pose2D(*map_T_camera.translation[:2], math.atan2(forward_y, forward_x))
        if not self.wants_depth(pose, stamp_ns, camera):
            return False
        self._pace_of(camera).passed(pose, stamp_ns)
        map_T_camera = self._matched(depth_mm, intrinsics, self._correction @ map_T_camera)
        points = self._points(depth_mm, intrinsics, map_T_camera)
        if not len(points):
            return True
        # With the camera's own cell the rectangle holds everything in between.
        rows, columns = self._make_room(np.append(points[:, 0], pose.x),
                                        np.append(points[:, 1], pose.y))
        seen = Extent.around(rows, columns)
        # The lowest slice is the floor, below the first plane.
        slices = np.digitize(points[:, 2], PLANES_M[:-1])
        far = np.hypot(points[:, 0] - pose.x, points[:, 1] - pose.y) > _SURE_M
        points_in = np.zeros((len(PLANES_M), *seen.shape), np.int32)
        np.add.at(points_in, (slices, rows[:-1] - seen.row, columns[:-1] - seen.column),
                  np.where(far, 1, _FAR_POINTS))
        hit = points_in > 0
        through = np.concatenate([hit[:1], seen_through(
            depth_mm, intrinsics, map_T_camera, (PLANES_M, *self._edges(seen)),
            self.config.depth_range)])
        hit[0] = False
        self._depth.see(through, hit, seen.within(self._extent), points_in >= _FAR_POINTS)
        return True

    def grid(self, stamp_ns: int) -> OccupancyGrid:
        """The current map: -1 unknown, 0 free, 100 occupied; frame 'map'."""
        # Occupied has priority over free, and free over unknown.
        cells = np.maximum(self._laser.cells, self._depth.cells)
        if self.empty:
            return OccupancyGrid(cells, self._resolution_m, 0.0, 0.0, MAP_FRAME, stamp_ns)
        corners_m = self._corners_m()
        (column, row), (column_end, row_end) = np.rint(
            (corners_m - self._corner) / self._resolution_m).astype(np.int64) - (
            self._extent.column, self._extent.row)
        return OccupancyGrid(cells[row:row_end, column:column_end], self._resolution_m,
                             *corners_m[0].tolist(), MAP_FRAME, stamp_ns)

    def _corners_m(self) -> Floats:
        """x and y of the first and the last corner: the seen area with a margin of one cell.

        Rounded to a tenth of a millimetre, since numpy's cosine depends on the processor.
        """
        return np.round(self._seen_m + ((-self._resolution_m,), (self._resolution_m,)), 4)

    def _pace_of(self, camera: str) -> Pace:
        config = self.config
        return self._depth_paces.setdefault(camera, Pace(
            config.min_travel, config.min_turn, config.period, config.depth_interval))

    def _matched(self, depth_mm: NDArray[np.uint16], intrinsics: Intrinsics,
                 map_T_camera: Transform) -> Transform:
        """The pose of a depth picture, matched by its points near the floor."""
        told = Pose2D(*map_T_camera.translation[:2], 0.0)
        points = self._points(depth_mm, intrinsics, map_T_camera)
        low = points[(points[:, 2] > PLANES_M[0]) & (points[:, 2] < PLANES_M[2])]
        ends = low[::max(1, len(low) // _ENDS), :2] - (told.x, told.y)
        matched = self._obstacles().match(ends, told).pose
        return (Transform.from_pose(matched) @ Transform.from_pose(told).inverse()) @ map_T_camera

    def _obstacles(self) -> Obstacles:
        """The obstacles to match scans with: those of the laser, and those of a saved map."""
        cells = self._laser.cells
        x, y = (corner + first * self._resolution_m for corner, first in zip(
            self._corner, (self._extent.column, self._extent.row), strict=True))
        return Obstacles(cells == LETHAL, cells == FREE, (x, y), self._resolution_m)

    def _points(self, depth_mm: NDArray[np.uint16], intrinsics: Intrinsics,
                map_T_camera: Transform) -> Floats:
        """The points of a depth picture from floor to top of the band, shape (n, 3), map."""
        # All rows: a table top seen from the side is only a few rows high.
        stride = self.config.depth_stride
        columns_mm = depth_mm[:, ::stride]
        rows, columns = np.nonzero(
            (columns_mm > 0) & (columns_mm <= self.config.depth_range * 1000))
        z = columns_mm[rows, columns] / 1000.0
        x = (columns * stride - intrinsics.cx) / intrinsics.fx * z
        y = (rows - intrinsics.cy) / intrinsics.fy * z
        points = map_T_camera.apply(np.stack([x, y, z], axis=1))
        inside: Mask = (points[:, 2] > FLOOR_M) & (points[:, 2] <= BAND_M[1])
        return points[inside]

    def _go_on_from(self, saved: OccupancyGrid) -> None:
        self._resolution_m = saved.resolution_m
        self._corner = saved.origin_x_m, saved.origin_y_m
        self._make_room(*(corner + np.array([1, cells - 1]) * self._resolution_m
                          for corner, cells in zip(self._corner, saved.shape[::-1], strict=True)))
        inner = Extent(0, 0, *saved.shape).within(self._extent)
        free, occupied = (np.zeros(self._extent.shape, bool) for _ in range(2))
        free[inner], occupied[inner] = saved.cells == FREE, saved.cells >= OCCUPIED
        # An obstacle of the saved map may be a table top, so only the camera may clear it.
        self._laser.hold_free(free)
        self._depth.hold_occupied(occupied)

    def _cells(self, x: Floats, y: Floats) -> tuple[Cells, Cells]:
        """The rows and columns of points in the lattice."""
        return (np.floor((y - self._corner[1]) / self._resolution_m).astype(np.int64),
                np.floor((x - self._corner[0]) / self._resolution_m).astype(np.int64))

    def _edges(self, extent: Extent) -> tuple[Floats, Floats]:
        """The y and x of the lines around the cells of an extent, in the map frame."""
        return (self._corner[1] + (extent.row + np.arange(extent.rows + 1)) * self._resolution_m,
                self._corner[0] + (extent.column + np.arange(extent.columns + 1))
                * self._resolution_m)

    def _forget_around(self, rows: Cells, columns: Cells) -> None:
        """Clear the camera's obstacles around cells that the scanner finds free.

        They went away as a whole, including the parts that the camera does not see now.
        """
        near = Extent.around(rows, columns).grown(1, self._extent)
        where = near.within(self._extent)
        went = binary_dilation(near.mask(rows, columns), np.ones((3, 3)))
        self._depth.forget(went & (self._laser.cells_in(where) == FREE), where)

    def _make_room(self, x: Floats, y: Floats) -> tuple[Cells, Cells]:
        """Grow for some seen points; returns their rows and columns."""
        self._seen_m = np.array([np.minimum(self._seen_m[0], (x.min(), y.min())),
                                 np.maximum(self._seen_m[1], (x.max(), y.max()))])
        extent = self._extent.holding(*self._cells(*self._corners_m().T), self.config.chunk_cells)
        if extent != self._extent:
            self._extent = extent
            self._laser.grow(extent)
            self._depth.grow(extent)
        return self._cells(x, y)
