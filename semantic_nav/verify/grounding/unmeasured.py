"""Pixels of depth that measured nothing, though their driver fills a number in."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.grounding.look_rays import rays_of

#: The largest number a pixel can hold: many drivers fill it in for no measurement.
NOT_MEASURED = np.iinfo(np.uint16).max
#: What lies so far below the floor nobody sees, in m; the farthest number was filled in where so
#: many pixels show it there, as a share of them all.
_BELOW_M, _FILLED = 0.5, 0.02
#: A depth camera of which a smaller share of pixels measures anything is blind.
_LEAST_MEASURED = 0.02
#: One that has so large a share of them too near is doubted.
_NEAR = 0.25


def measured(look: LookFrozen, nearest_m: float = 0.0) -> LookFrozen:
    """Return a look with 0 in each pixel of its depth that measured nothing.

    Drivers fill in the largest number, or the farthest that the camera measures. Where TF has the
    floor before it, that distance cannot be seen. Time-of-flight cameras tell a few centimetres
    where they measured nothing (depthai-core 994).

    Args:
        look: as it was frozen.
        nearest_m: what is nearer is not believed.
    """
    depth = look.depth_mm
    if not depth.size:
        return look
    part, rays, eye_m = rays_of(look)
    filled = [NOT_MEASURED]
    farthest = np.max(part, initial=0, where=part != NOT_MEASURED)
    below = eye_m + rays[..., 2] * part / 1e3 < -_BELOW_M
    if farthest and np.count_nonzero(below & (part == farthest)) >= _FILLED * part.size:
        filled.append(int(farthest))
    near = (depth > 0) & (depth < nearest_m * 1e3)
    spoilt = near | np.isin(depth, filled)
    return replace(look, depth_mm=np.where(spoilt, np.uint16(0), depth),
                   near=max(look.near, float(np.mean(near)))) if spoilt.any() else look


def is_blind(depth_mm: NDArray[np.uint16]) -> bool:
    """Whether a depth picture measured nothing, or nearly nothing."""
    return int(np.count_nonzero(depth_mm)) < _LEAST_MEASURED * depth_mm.size


def fault_of_blind(look: LookFrozen) -> str:
    """Return that the depth camera measured nothing, or nearly nothing, in words; else empty."""
    if not is_blind(look.depth_mm):
        return ''
    return (f'{np.count_nonzero(look.depth_mm)} of {look.depth_mm.size} pixels of depth measured '
            'anything: see whether the lens is covered, its projector runs, and something stands '
            'nearer than it measures')


def doubt_of_near(look: LookFrozen, nearest_m: float) -> str:
    """Return that much of the depth is nearer than is believed, in words; else empty."""
    if look.near < _NEAR:
        return ''
    return (f'the depth is nearer than {nearest_m:g} m for {look.near:.0%} of the picture, which '
            'counts as not measured: see whether something is on the lens or before it, and the '
            'unit, range mode and (time of flight) phase unwrapping of its driver')
