"""How uncertain a place is: where it was grounded, seen again, and moved with the map."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.documents import Covariance, Point
from semantic_nav.contracts.geometry import Transform
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.events import UncertaintyHeard

#: The middle of what was read strays from that of the thing by this share of its spread, and by
#: so much more of it as the box shows of something else: parts are hidden, or not of the thing.
#: These and the next three were fitted to views in generated homes.
_STRAYS, _STRAYS_HIDDEN = 0.125, 3.0
#: This share of the mean variance strays all round: what is flat was read where it faces the
#: camera.
_STRAYS_ROUND = 0.3
#: Error of the middle of a box, in pixels.
_PIXEL_ERROR_PX = 1.5
#: Error of a depth that no mean over pixels takes away, per metre.
_DEPTH_ERROR = 0.003
#: A localisation that is less sure than this says nothing, in metres.
_MOST_M = 100.0
_Matrix = NDArray[np.float64]


def of_grounding(points: _Matrix, shown: float | None, ray: _Matrix, focal_px: float,
                 config: VerifierConfig) -> Covariance:
    """Return the covariance of a place that is the mean of what was read of a thing.

    What no pixel of the box tells is part of it: by how much camera and depth are off.

    Args:
        points: what was read, in the map frame, shape (n, 3).
        shown: share of the box that they fill; None where the thing may be at any of them.
        ray: from the camera to the place, in the map frame, in metres.
        focal_px: of the camera.
        config: how far camera and depth err.
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
    """Return the covariance of a place in the map with what the localisation errs.

    Args:
        covariance: where the robot is where it is held to be.
        offset: from the robot to the place, in the map frame, in metres.
        pose: what the localisation says of itself.
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
    """Return the place that two sightings tell, and its covariance, as a Kalman filter does."""
    prior, new = _matrix(covariance), _matrix(its_covariance)
    gain = np.linalg.solve(prior + new, prior).T
    x, y, z = (np.array(place) + gain @ (np.array(again) - np.array(place))).tolist()
    return (x, y, z), listed(gain @ new)


def turned(covariance: Covariance, new_T_old: Transform) -> Covariance:
    """Return a covariance in a frame that is turned."""
    turn = new_T_old.matrix[:3, :3]
    return listed(turn @ _matrix(covariance) @ turn.T)


def variance_m2(covariance: Covariance) -> float:
    """Return the mean square of the distance to the true place."""
    return covariance[0] + covariance[4] + covariance[8]


def largest_deviation_m(covariance: Covariance) -> float:
    """Return the standard deviation in the direction in which it is largest."""
    return math.sqrt(float(np.linalg.eigvalsh(_matrix(covariance))[-1]))


def _matrix(covariance: Covariance) -> _Matrix:
    return np.array(covariance).reshape(3, 3)


def listed(matrix: _Matrix) -> Covariance:
    """Return a matrix row by row, symmetric to the bit."""
    xx, xy, xz, _, yy, yz, _, _, zz = ((matrix + matrix.T) / 2.0).ravel().tolist()
    return (xx, xy, xz, xy, yy, yz, xz, yz, zz)
