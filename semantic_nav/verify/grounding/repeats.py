"""Detection of a frozen camera: the picture stays equal while the robot moves."""

import hashlib
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Transform
from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.grounding.unmeasured import is_blind

#: Turn, and motion along its axis, from which on a camera must show something else, in rad and m.
#: Sideways along a wall a depth camera without noise may show equal depth.
_TURN_RAD, _AHEAD_M = 0.1, 0.1


def fingerprint_of(look: LookFrozen) -> str:
    """Hash of the depth or scan of a look; empty if nothing was measured."""
    if look.scan is not None:
        ranges_m = look.scan.ranges_m
        return _digest(ranges_m) if np.isfinite(ranges_m).any() else ''
    return '' if is_blind(look.depth_mm) else _digest(look.depth_mm)


def _digest(values: NDArray[Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(values).data).hexdigest()


class Repeats:
    """Comparison of the content of a camera with its earlier content."""

    def __init__(self) -> None:
        """Start without content."""
        self._first: tuple[str, Transform] | None = None

    def moved(self, content: str, odom_T_camera: Transform) -> str:
        """Motion of the camera since it first showed this content, for people.

        Args:
            content: fingerprint of the content; empty if unknown.
            odom_T_camera: of the camera, z ahead.

        Returns:
            Empty if the camera may still show equal content.
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
