"""How large what a look shows of a thing is."""

import math

from semantic_nav.contracts.documents import Point

#: Points spread evenly reach so many standard deviations to either side of their middle.
_REACH = math.sqrt(3.0)
#: What begins no more than this before its middle is not deep, in metres.
_SHALLOW_M = 0.2


def begins_before_m(sigma_m: Point, place: Point, x: float, y: float) -> float:
    """Return how much nearer than the middle of what is deep its front is; 0 of what is not.

    A robot stands before the front of a bed, and cannot come near to its middle.

    Args:
        sigma_m: standard deviations along x, y and z of what is seen of it, in metres.
        place: its middle, in the map frame.
        x, y: where the robot stands.
    """
    off_x, off_y = place[0] - x, place[1] - y
    away = math.hypot(off_x, off_y)
    along_m = math.hypot(sigma_m[0] * off_x, sigma_m[1] * off_y) / away if away else 0.0
    return max(0.0, _REACH * along_m - _SHALLOW_M)
