"""Depth pixels without a measurement for which the driver fills in a number."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.grounding.look_rays import rays_of

#: The largest number a pixel can hold: many drivers fill it in for no measurement.
NOT_MEASURED = np.iinfo(np.uint16).max
#: Depth below the floor from which on a point cannot be seen, in m, and share of all pixels with
#: the farthest number there from which on it was filled in.
_BELOW_M, _FILLED = 0.5, 0.02
#: Share of measured pixels below which a depth camera is blind.
_LEAST_MEASURED = 0.02
#: Share of too near pixels from which on a depth camera is doubted.
_NEAR = 0.25


def measured(look: LookFrozen, nearest_m: float = 0.0) -> LookFrozen:
    """A look with 0 in each depth pixel without a measurement.

    Drivers fill in the largest number, or the farthest that the camera measures. The latter cannot
    be seen where the floor of TF lies in front of it. Time-of-flight cameras give a few
    centimetres for no measurement (depthai-core 994).

    Args:
        look: as it was frozen.
        nearest_m: distance below which depth is not believed.
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
    """Tell whether a depth picture measured nothing or nearly nothing."""
    return int(np.count_nonzero(depth_mm)) < _LEAST_MEASURED * depth_mm.size


def fault_of_blind(look: LookFrozen) -> str:
    """Fault of a depth camera that measured nearly nothing, for people; empty for none."""
    if not is_blind(look.depth_mm):
        return ''
    return (f'{np.count_nonzero(look.depth_mm)} of {look.depth_mm.size} pixels of depth measured '
            'anything: see whether the lens is covered, its projector runs, and something stands '
            'nearer than it measures')


def doubt_of_near(look: LookFrozen, nearest_m: float) -> str:
    """Doubt about depth that is mostly nearer than is believed, for people; empty for none."""
    if look.near < _NEAR:
        return ''
    return (f'the depth is nearer than {nearest_m:g} m for {look.near:.0%} of the picture, which '
            'counts as not measured: see whether something is on the lens or before it, and the '
            'unit, range mode and (time of flight) phase unwrapping of its driver')
