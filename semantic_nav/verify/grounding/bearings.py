"""Where a thing is that only pictures show: by bearings from several places, and what bounds each.

A box tells a direction. How far off the thing is follows from the floor on which it may stand, and
from what scanner and map show in that direction; surely only from looks of several places.
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

#: Pose and mount of the camera err about so from look to look.
_EYE_ERROR_M, _TURN_ERROR_RAD = 0.03, 0.01
#: A place that is less sure than this tells nobody how far off the thing is, in metres.
_SURE_M = 0.15
#: Two bearings meet somewhere, those of two things too: a third tells whether they are of one.
_EYES = 3
#: Looks from nearer to each other err in the same way, in metres.
_APART_M = 0.1
_MOST_RAYS = 12
#: They lead the same way if they differ by no more deviations.
_SAME_DIRECTION = 3.0
#: Bearings agree whose squared errors, in deviations, come to no more than this for each.
_MISFIT = 6.0
#: What bounds the range is wrong where the bearings have the thing so many deviations off.
_WRONG = 2.5
#: The floor under a box and an obstacle there are the same place within this, in metres.
_SAME_M = 0.3
#: How far behind what is met first the middle of a thing lies, and how much that varies, in m:
#: where it stands on the floor there, elsewhere on or behind it, and before it on the floor.
#: Fitted to views in generated homes.
_AT_IT_M, _ON_IT_M, _BEFORE_IT_M = (0.06, 0.12), (0.45, 0.8), (0.2, 0.5)
#: Where nothing bounds it, in metres.
_ANYWHERE_M = (3.0, 2.0)
#: What bounds nothing, in metres.
_UNBOUND_M = 10.0
#: One look alone has nothing farther off than this share of what is believed.
_FARTHEST = 0.9
_ROUNDS = 4
_Vector = NDArray[np.float64]


def direction_of(box: Box, intrinsics: Intrinsics, map_T_camera: Transform, *,
                 low: bool = False) -> _Vector:
    """Return the direction of a box's middle, or of its lower edge, as a unit vector."""
    u = (box[0] + box[2]) / 2000.0 * intrinsics.width_px - 0.5
    v = (box[3] if low else (box[1] + box[3]) / 2) / 1000.0 * intrinsics.height_px - 0.5
    ray = map_T_camera.matrix[:3, :3] @ np.array(
        [(u - intrinsics.cx) / intrinsics.fx, (v - intrinsics.cy) / intrinsics.fy, 1.0])
    unit: _Vector = ray / np.linalg.norm(ray)
    return unit


def ray_of(box: Box, intrinsics: Intrinsics, map_T_camera: Transform, met_m: float,
           config: VerifierConfig) -> Ray:
    """Return the direction of a box, and how far off its content may be.

    Args:
        box: per mille of the picture, without the lens.
        intrinsics: of the picture.
        map_T_camera: of the optical frame at its stamp; the floor is at the height 0.
        met_m: over the floor, from the camera to what scanner or map have in that direction first;
            infinite where they have nothing.
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
    """Return how far off something is over the floor, about, and the deviation of that.

    Args:
        floor_m: to where the floor is seen at the lower edge of its box.
        met_m: to what is met first in its direction.
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
    """Return the place of what a box shows, by its bearing and those of looks before.

    Args:
        box: per mille of the picture, without the lens.
        ray: of the box.
        others: of things that it may show again; those that agree first count.
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
    """Return some rays with another, in the place of those from where it was taken too.

    Returns:
        None where one of those leads elsewhere.
    """
    again = [one for one in rays if math.dist(one.eye, ray.eye) < _APART_M]
    if any(math.dist(one.towards, ray.towards)
           > _SAME_DIRECTION * math.hypot(one.error_rad, ray.error_rad) for one in again):
        return None
    return (*[one for one in rays if one not in again][1 - _MOST_RAYS:], ray)


def _triangulated(rays: Sequence[Ray]) -> tuple[_Vector, _Vector, Ray] | None:
    """Return where rays meet, the covariance of that, and the ray whose range counted.

    None where they do not meet.

    How far off the thing is by one look alone counts once, by the look that tells it best: looks
    at the same thing err in the same way there. Where the bearings contradict it, the next does,
    and at last none.
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
    """Return the place nearest to all rays, its covariance, and their squared errors."""
    eyes = np.array([ray.eye for ray in rays])
    towards = np.array([ray.towards for ray in rays])
    errors_rad = np.array([ray.error_rad for ray in rays])
    # Across a ray only it tells anything.
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
