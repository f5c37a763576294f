"""Triangulation of objects without depth: bearings from several viewpoints, and bounds of each.

A box gives a bearing. Its range follows from the floor on which the object may stand and from
scanner and map in that direction. Only looks from several viewpoints make it sure.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.errors import GroundingError
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding.covariance import largest_deviation_m, listed
from semantic_nav.verify.grounding.grounding import EDGE, Grounded, edge_error, edge_m
from semantic_nav.verify.grounding.ray import Ray, middle_error_rad

#: Errors of pose and camera mount from look to look.
_EYE_ERROR_M, _TURN_ERROR_RAD = 0.03, 0.01
#: Standard deviation of a place above which its range counts as unknown, in m.
_SURE_M = 0.15
#: Least number of bearings that make a place sure. Even the bearings of two objects meet
#: somewhere; a third tells whether they are of one.
_EYES = 3
#: Distance below which two looks count as one viewpoint, in m, because their errors are alike.
_APART_M = 0.1
_MOST_RAYS = 12
#: Largest difference of two bearings from one viewpoint, in standard deviations.
_SAME_DIRECTION = 3.0
#: Largest mean squared error of bearings that agree, in units of their variance.
_MISFIT = 6.0
#: Difference between the range of a look and that by the bearings above which the former is
#: wrong, in standard deviations.
_WRONG = 2.5
#: Distance within which the floor under a box and an obstacle are one place, in m.
_SAME_M = 0.3
#: Distance from the first obstacle to the middle of the object behind it, and its deviation, in
#: m: for an object on the floor there, for one on or behind the obstacle, and for one on the floor
#: in front of it. Fitted to views in generated homes.
_AT_IT_M, _ON_IT_M, _BEFORE_IT_M = (0.06, 0.12), (0.45, 0.8), (0.2, 0.5)
#: Range and deviation if nothing bounds it, in m.
_ANYWHERE_M = (3.0, 2.0)
#: Deviation of a range that does not count, in m.
_UNBOUND_M = 10.0
#: Largest range by one look alone, as a share of the largest distance that is believed.
_FARTHEST = 0.9
_ROUNDS = 4
_Vector = NDArray[np.float64]


def direction_of(box: Box, intrinsics: Intrinsics, map_T_camera: Transform, *,
                 low: bool = False) -> _Vector:
    """Unit vector to the middle of a box, or to its lower edge, in the map frame."""
    u = (box[0] + box[2]) / 2000.0 * intrinsics.width_px - 0.5
    v = (box[3] if low else (box[1] + box[3]) / 2) / 1000.0 * intrinsics.height_px - 0.5
    ray = map_T_camera.matrix[:3, :3] @ np.array(
        [(u - intrinsics.cx) / intrinsics.fx, (v - intrinsics.cy) / intrinsics.fy, 1.0])
    unit: _Vector = ray / np.linalg.norm(ray)
    return unit


def ray_of(box: Box, intrinsics: Intrinsics, map_T_camera: Transform, met_m: float,
           config: VerifierConfig) -> Ray:
    """Bearing of a box, with the probable range of its content.

    Args:
        box: in per mille of the undistorted picture.
        intrinsics: of the picture.
        map_T_camera: of the optical frame at its stamp; the floor is at z = 0.
        met_m: distance over the floor from the camera to the first obstacle of scanner or map in
            that direction; infinite for none.
        config: distances that are believed.
    """
    towards, lower = (direction_of(box, intrinsics, map_T_camera, low=low)
                      for low in (False, True))
    eye = map_T_camera.translation
    floor_m = math.inf
    if box[3] <= 1000.0 - EDGE and lower[2] < 0.0 < eye[2]:
        floor_m = -eye[2] * math.hypot(lower[0], lower[1]) / float(lower[2])
    over_m, error_m = _range_m(floor_m, met_m)
    level = max(1e-3, math.hypot(towards[0], towards[1]))
    x, y, z = towards.tolist()
    return Ray(eye, (x, y, z), math.hypot(middle_error_rad(box, intrinsics), _TURN_ERROR_RAD),
               min(over_m / level, _FARTHEST * config.ground_max_m), error_m / level)


def _range_m(floor_m: float, met_m: float) -> tuple[float, float]:
    """Probable range over the floor, and its deviation, in m.

    Args:
        floor_m: distance of the floor at the lower edge of the box.
        met_m: distance of the first obstacle in its direction.
    """
    if math.isinf(floor_m) and math.isinf(met_m):
        return _ANYWHERE_M
    if abs(floor_m - met_m) <= _SAME_M:
        (behind_m, error_m), from_m = _AT_IT_M, met_m
    elif met_m < floor_m:
        (behind_m, error_m), from_m = _ON_IT_M, met_m
    else:
        (behind_m, error_m), from_m = _BEFORE_IT_M, floor_m
    return from_m + behind_m, error_m


def ground_ray(box: Box, ray: Ray, others: Iterable[tuple[Ray, ...]], intrinsics: Intrinsics,
               config: VerifierConfig) -> Grounded:
    """Place of the object in a box, by its bearing and those of earlier looks.

    Args:
        box: in per mille of the undistorted picture.
        ray: of the box.
        others: rays of objects that it may show again; the first that agree count.
        intrinsics: of the picture.
        config: distances that are believed.

    Raises:
        GroundingError: the place is nearer or farther than is believed.
    """
    for rays in others:
        together = _with_ray(rays, ray) if rays else None
        found = _triangulated(together) if together is not None else None
        if together is not None and found is not None:
            return _grounded(box, together, rays, *found, intrinsics, config)
    alone = (ray,)
    place, covariance, _ = _met(alone, ray)
    return _grounded(box, alone, (), place, covariance, ray, intrinsics, config)


def _grounded(box: Box, rays: tuple[Ray, ...], joined: tuple[Ray, ...], place: _Vector,
              covariance: _Vector, ranging: Ray, intrinsics: Intrinsics,
              config: VerifierConfig) -> Grounded:
    distance_m = float(np.linalg.norm(place - np.array(rays[-1].eye)))
    if not config.ground_min_m <= distance_m <= config.ground_max_m:
        raise GroundingError(f'by its bearing the box lies {distance_m:.3g} m off, and between '
                             f'{config.ground_min_m:g} and {config.ground_max_m:g} m are believed')
    told = listed(covariance)
    error_m = largest_deviation_m(told)
    unsure = error_m > _SURE_M or (len(rays) < _EYES and ranging.range_error_m > _SURE_M)
    size_m = edge_m(box, intrinsics, distance_m)
    x, y, z = place.tolist()
    extent_m = size_m / 4.0
    return Grounded((x, y, z), (extent_m, extent_m, extent_m), distance_m,
                    provisional=unsure or distance_m > config.ground_sure_m, size_m=size_m,
                    covariance=told, unclear=unsure,
                    size_error=math.hypot(edge_error(box), error_m / distance_m),
                    rays=rays, joined=joined)


def _with_ray(rays: Sequence[Ray], ray: Ray) -> tuple[Ray, ...] | None:
    """Rays with a new one, which replaces those from its viewpoint.

    Returns:
        None if one of those has another direction.
    """
    again = [one for one in rays if math.dist(one.eye, ray.eye) < _APART_M]
    if any(math.dist(one.towards, ray.towards)
           > _SAME_DIRECTION * math.hypot(one.error_rad, ray.error_rad) for one in again):
        return None
    return (*[one for one in rays if one not in again][1 - _MOST_RAYS:], ray)


def _triangulated(rays: Sequence[Ray]) -> tuple[_Vector, _Vector, Ray] | None:
    """Intersection of rays, its covariance, and the ray whose range counted; None if they miss.

    Only the most certain range of a single look counts, because the ranges of all looks at an
    object have the same error. If the bearings contradict it, the next is tried, and at last none.
    """
    eyes, towards = np.array([ray.eye for ray in rays]), np.array([ray.towards for ray in rays])
    for ranging in (*sorted(rays, key=lambda ray: ray.range_error_m),
                    replace(rays[-1], range_error_m=_UNBOUND_M)):
        place, covariance, misfit = _met(rays, ranging)
        off_m = (place - np.array(ranging.eye)) @ np.array(ranging.towards) - ranging.range_m
        ahead = ((place - eyes) * towards).sum(axis=1) > 0.0
        if ahead.all() and misfit <= _MISFIT * len(rays) and (
                abs(off_m) <= _WRONG * ranging.range_error_m):
            return place, covariance, ranging
    return None


def _met(rays: Sequence[Ray], ranging: Ray) -> tuple[_Vector, _Vector, float]:
    """Place nearest to all rays, its covariance, and the weighted sum of their squared errors."""
    eyes = np.array([ray.eye for ray in rays])
    towards = np.array([ray.towards for ray in rays])
    errors_rad = np.array([ray.error_rad for ray in rays])
    # A ray tells the place only across its direction.
    across = np.eye(3) - towards[:, :, None] * towards[:, None, :]
    along = np.array(ranging.towards)
    place = np.array(ranging.eye) + ranging.range_m * along
    start, certainty = place, 1.0 / ranging.range_error_m**2
    for _ in range(_ROUNDS):
        away_m = np.linalg.norm(place - eyes, axis=1)
        weights = 1.0 / ((errors_rad * away_m)**2 + _EYE_ERROR_M**2)
        pieces = weights[:, None, None] * across
        information = pieces.sum(axis=0) + certainty * np.outer(along, along)
        told = (pieces @ eyes[:, :, None]).sum(axis=0)[:, 0] + certainty * along * (along @ start)
        place = np.linalg.solve(information, told)
    off = (across @ (place - eyes)[:, :, None])[:, :, 0]
    return place, np.linalg.inv(information), float((weights * (off * off).sum(axis=1)).sum())
