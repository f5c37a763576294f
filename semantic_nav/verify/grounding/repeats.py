"""A camera that shows the same again and again while the robot moves on: its driver hangs."""

import hashlib
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Transform
from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.grounding.unmeasured import is_blind

#: From such a turn, or way along its axis, on a camera shows something else, in radians and m. Of
#: what it passes sideways, a wall, a depth camera without noise shows the same.
_TURN_RAD, _AHEAD_M = 0.1, 0.1


def fingerprint_of(look: LookFrozen) -> str:
    """Return what is the same for equal measurements alone; empty where nothing was measured."""
    if look.scan is not None:
        ranges_m = look.scan.ranges_m
        return _digest(ranges_m) if np.isfinite(ranges_m).any() else ''
    return '' if is_blind(look.depth_mm) else _digest(look.depth_mm)


def _digest(values: NDArray[Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(values).data).hexdigest()


class Repeats:
    """Compares what a camera shows with what it showed before."""

    def __init__(self) -> None:
        """Have seen nothing."""
        self._first: tuple[str, Transform] | None = None

    def moved(self, content: str, odom_T_camera: Transform) -> str:
        """Return how far the camera has moved since it first showed this, in words.

        Args:
            content: the same for the same that is shown; empty where nobody can tell.
            odom_T_camera: of the camera, z ahead.

        Returns:
            Empty where it may well show the same.
        """
        if not content:
            return ''
        if self._first is None or self._first[0] != content:
            self._first = content, odom_T_camera
            return ''
        step = self._first[1].inverse() @ odom_T_camera
        turn_rad = 2.0 * math.acos(min(1.0, abs(step.rotation[3])))
        if turn_rad < _TURN_RAD and abs(step.translation[2]) < _AHEAD_M:
            return ''
        return f'{math.hypot(*step.translation):.1f} m and {math.degrees(turn_rad):.0f} degrees'
