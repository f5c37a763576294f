"""Covariance of a place: when it is grounded, seen again, and moved with the map."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.documents import Covariance, Point
from semantic_nav.contracts.geometry import Transform
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.events import UncertaintyHeard

#: Error of the mean of the points against the middle of the object, as a share of their spread,
#: and its growth with the share of the box that shows something else.
#: These and the next three were fitted to views in generated homes.
_STRAYS, _STRAYS_HIDDEN = 0.125, 3.0
#: Share of the mean variance added in all directions, because a flat object is read only on the
#: side that faces the camera.
_STRAYS_ROUND = 0.3
#: Error of the middle of a box, in pixels.
_PIXEL_ERROR_PX = 1.5
#: Depth error that no mean over pixels removes, per metre of distance.
_DEPTH_ERROR = 0.003
#: Cap on the standard deviation of the localisation, in m.
_MOST_M = 100.0
_Matrix = NDArray[np.float64]


def of_grounding(points: _Matrix, shown: float | None, ray: _Matrix, focal_px: float,
                 config: VerifierConfig) -> Covariance:
    """Covariance of a place that is the mean of the points of an object, in m2.

    It includes the systematic errors of camera and depth, which no pixel shows.

    Args:
        points: of the object, in the map frame, shape (n, 3).
        shown: share of the box that they fill; None if the object may be at any of them.
        ray: from the camera to the place, in the map frame, in m.
        focal_px: of the camera.
        config: errors of camera and depth.
    """
    strays = 1.0 if shown is None else _STRAYS * (1.0 + _STRAYS_HIDDEN * (1.0 - shown))
    spread = np.cov(points.T, bias=True)
    all_round = np.trace(spread) / 3.0
    away_m = float(np.linalg.norm(ray))
    pixel_m = _PIXEL_ERROR_PX * away_m / focal_px
    camera_m = math.hypot(config.camera_error_m, config.camera_error_rad * away_m)
    return listed(strays**2 * spread + _DEPTH_ERROR**2 * np.outer(ray, ray)
                   + (strays**2 * _STRAYS_ROUND * all_round + pixel_m**2
                      + camera_m**2) * np.eye(3))


def with_pose(covariance: Covariance, offset: Sequence[float],
              pose: UncertaintyHeard) -> Covariance:
    """Covariance of a place with the uncertainty of the robot's pose added.

    Args:
        covariance: for an exact pose of the robot.
        offset: from the robot to the place, in the map frame, in m.
        pose: uncertainty that the localisation reports.
    """
    if not (pose.position_m or pose.yaw_rad):
        return covariance
    x, y, _ = offset
    aside = np.array([-y, x, 0.0])
    position_m, yaw_rad = min(pose.position_m, _MOST_M), min(pose.yaw_rad, math.pi)
    return listed(_matrix(covariance) + position_m**2 * np.diag([1.0, 1.0, 0.0])
                   + yaw_rad**2 * np.outer(aside, aside))


def fused(place: Point, covariance: Covariance, again: Point,
          its_covariance: Covariance) -> tuple[Point, Covariance]:
    """Place and covariance fused from two sightings by a Kalman update."""
    prior, new = _matrix(covariance), _matrix(its_covariance)
    gain = np.linalg.solve(prior + new, prior).T
    x, y, z = (np.array(place) + gain @ (np.array(again) - np.array(place))).tolist()
    return (x, y, z), listed(gain @ new)


def turned(covariance: Covariance, new_T_old: Transform) -> Covariance:
    """Covariance rotated into another frame."""
    turn = new_T_old.matrix[:3, :3]
    return listed(turn @ _matrix(covariance) @ turn.T)


def variance_m2(covariance: Covariance) -> float:
    """Mean squared distance to the true place, in m2."""
    return covariance[0] + covariance[4] + covariance[8]


def largest_deviation_m(covariance: Covariance) -> float:
    """Largest standard deviation in any direction, in m."""
    return math.sqrt(float(np.linalg.eigvalsh(_matrix(covariance))[-1]))


def _matrix(covariance: Covariance) -> _Matrix:
    return np.array(covariance).reshape(3, 3)


def listed(matrix: _Matrix) -> Covariance:
    """A matrix as nine values row by row, made exactly symmetric."""
    xx, xy, xz, _, yy, yz, _, _, zz = ((matrix + matrix.T) / 2.0).ravel().tolist()
    return (xx, xy, xz, xy, yy, yz, xz, yz, zz)
