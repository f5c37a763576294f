"""Extent of an object along the view."""

import math

from semantic_nav.contracts.documents import Point

#: Half width of a uniform distribution, in standard deviations.
_REACH = math.sqrt(3.0)
#: Distance from front to middle up to which an object is not deep, in m.
_SHALLOW_M = 0.2


def begins_before_m(sigma_m: Point, place: Point, x: float, y: float) -> float:
    """Distance from the front of an object to its middle beyond `_SHALLOW_M`; 0 for a shallow one.

    A robot stands at the front of a bed and cannot come near to its middle.

    Args:
        sigma_m: standard deviations of its seen points along x, y and z, in m.
        place: its middle, in the map frame.
        x, y: position of the robot.
    """
    off_x, off_y = place[0] - x, place[1] - y
    away = math.hypot(off_x, off_y)
    along_m = math.hypot(sigma_m[0] * off_x, sigma_m[1] * off_y) / away if away else 0.0
    return max(0.0, _REACH * along_m - _SHALLOW_M)
