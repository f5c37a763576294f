"""The pose of a scan, from a match with the current map.

Gauss-Newton on the distance to the nearest obstacle, the likelihood field of Thrun, Burgard and
Fox (Probabilistic Robotics, 6.4), with the pose of the localisation as a prior.
"""

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D

Floats = NDArray[np.float64]

#: Distance from all obstacles, in metres, beyond which an end point is new and does not count.
_REACH_M = 0.4
#: Standard deviation of an end point from its obstacle, in metres.
_ERROR_M = 0.05
#: Number of end points with the information of one independent one.
_ALIKE = 10.0
#: Standard deviations of the localisation, in metres and radians.
_POSE_M, _POSE_RAD = 0.1, 0.04
#: Largest number of iterations, and the step, in metres or radians, below which they end.
_ROUNDS, _STILL = 6, 1e-4
#: Least number of end points near obstacles for a match.
_LEAST_ENDS = 20
#: End points on open floor at this distance from all obstacles, in metres, contradict the map.
#: With this share of them the pose is not believed.
_OFF_M, _OFF_SHARE = 0.25, 0.12


@dataclass(frozen=True)
class Match:
    """Result of matching a scan with the map.

    Attributes:
        pose: of the scanner, in the map frame.
        fits: whether the scan is consistent with the map near there.
    """

    pose: Pose2D
    fits: bool


class Obstacles:
    """The obstacles of a map, to match scans with."""

    def __init__(self, occupied: NDArray[np.bool_], free: NDArray[np.bool_],
                 corner: tuple[float, float], resolution_m: float) -> None:
        """Take in a map.

        Args:
            occupied: cells, shape (rows, columns).
            free: cells of open floor, in that shape.
            corner: x and y of the corner of the first cell, in the map frame.
            resolution_m: edge of a cell.
        """
        self._corner, self._resolution_m = corner, resolution_m
        self._free = free
        self._away_m = np.full(occupied.shape, np.inf)
        if occupied.any():
            away: NDArray[np.float32] = cv2.distanceTransform(
                (~occupied).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_5)
            self._away_m = away.astype(np.float64) * resolution_m

    def match(self, ends: Floats, told: Pose2D) -> Match:
        """Match the pose of the scanner, near that of the localisation.

        Args:
            ends: end points of the rays with a return, shape (n, 2), in metres, in the scanner's
                frame.
            told: pose of the scanner in the map frame, from the localisation.
        """
        pose = told
        if not np.isfinite(self._away_m).any():
            return Match(told, fits=True)
        for _ in range(_ROUNDS):
            step = self._step(ends, pose, told)
            if step is None:
                break
            by_x, by_y, by_yaw = step.tolist()
            pose = Pose2D(pose.x + by_x, pose.y + by_y, pose.yaw + by_yaw)
            if max(abs(by_x), abs(by_y), abs(by_yaw)) < _STILL:
                break
        return Match(pose, self._off_share(ends, pose) < _OFF_SHARE)

    def _step(self, ends: Floats, pose: Pose2D, told: Pose2D) -> Floats | None:
        """The step in x, y and yaw; None with too few end points near obstacles."""
        cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
        turned = ends @ np.array([[cos, sin], [-sin, cos]])
        away_m, slope = self._at(turned + (pose.x, pose.y))
        near = away_m < _REACH_M
        if np.count_nonzero(near) < _LEAST_ENDS:
            return None
        turned, away_m, slope = turned[near], away_m[near], slope[near]
        by_yaw = slope[:, 1] * turned[:, 0] - slope[:, 0] * turned[:, 1]
        rows = np.column_stack([slope, by_yaw])
        # Far from all obstacles an end point counts less (Geman-McClure).
        weights = (1.0 + (away_m / _ERROR_M) ** 2) ** -2 / (_ERROR_M**2 * _ALIKE)
        hold = np.array([_POSE_M, _POSE_M, _POSE_RAD]) ** -2
        gone = np.array([pose.x - told.x, pose.y - told.y, pose.yaw - told.yaw])
        normal = rows.T @ (rows * weights[:, None]) + np.diag(hold)
        step: Floats = -np.linalg.solve(normal, rows.T @ (weights * away_m) + hold * gone)
        return step

    def _at(self, points: Floats) -> tuple[Floats, Floats]:
        """The distances of points from obstacles, and their gradients, shape (n, 2)."""
        rows, columns = self._away_m.shape
        x, y = ((points[:, axis] - self._corner[axis]) / self._resolution_m - 0.5
                for axis in (0, 1))
        inside = (x >= 0) & (y >= 0) & (x < columns - 1) & (y < rows - 1)
        x, y = np.where(inside, x, 0.0), np.where(inside, y, 0.0)
        column, row = x.astype(np.int64), y.astype(np.int64)
        x, y = x - column, y - row
        a, b = self._away_m[row, column], self._away_m[row, column + 1]
        c, d = self._away_m[row + 1, column], self._away_m[row + 1, column + 1]
        away_m = (a * (1 - x) + b * x) * (1 - y) + (c * (1 - x) + d * x) * y
        slope = np.column_stack([(b - a) * (1 - y) + (d - c) * y,
                                 (c - a) * (1 - x) + (d - b) * x]) / self._resolution_m
        return np.where(inside, away_m, np.inf), slope

    def _off_share(self, ends: Floats, pose: Pose2D) -> float:
        """The share of end points on open floor, among those on a known part of the map."""
        cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
        points = ends @ np.array([[cos, sin], [-sin, cos]]) + (pose.x, pose.y)
        columns, rows = (np.floor((points[:, axis] - self._corner[axis])
                                  / self._resolution_m).astype(np.int64) for axis in (0, 1))
        inside = ((rows >= 0) & (columns >= 0) & (rows < self._free.shape[0])
                  & (columns < self._free.shape[1]))
        rows, columns = rows[inside], columns[inside]
        away_m = self._away_m[rows, columns]
        off = self._free[rows, columns] & (away_m > _OFF_M)
        known = off | (away_m <= _OFF_M)
        return float(np.count_nonzero(off)) / max(1, int(np.count_nonzero(known)))
