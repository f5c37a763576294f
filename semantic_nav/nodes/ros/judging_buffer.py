"""A TF buffer that knows which transforms were refused, and why; tf2 only logs that."""

import math
from typing import Any

from geometry_msgs.msg import TransformStamped
from tf2_ros import Buffer

#: tf2 takes a quaternion whose squared length differs from 1 by less.
_QUATERNION = 0.01


class JudgingBuffer(Buffer):
    """Remembers what is wrong with the newest transform to each frame, until a good one comes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take what the buffer of tf2 takes; nothing is refused yet."""
        self._refused: dict[str, str] = {}
        super().__init__(*args, **kwargs)

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        """Take a transform, also one that tf2 will refuse."""
        fault = _fault_of(transform)
        if fault:
            self._refused[transform.child_frame_id] = fault
        else:
            self._refused.pop(transform.child_frame_id, None)
        super().set_transform(transform, authority)

    @property
    def refused(self) -> str:
        """What is refused, and why, in words; empty where nothing is."""
        return '; '.join(self._refused.values())


def _fault_of(message: TransformStamped) -> str:
    place, turn = message.transform.translation, message.transform.rotation
    which = f'{message.header.frame_id} -> {message.child_frame_id} is refused: its'
    values = (turn.x, turn.y, turn.z, turn.w)
    if not all(map(math.isfinite, (place.x, place.y, place.z, *values))):
        return f'{which} numbers are not finite'
    length = math.hypot(*values)
    return '' if abs(length**2 - 1.0) < _QUATERNION else (
        f'{which} quaternion has the length {length:.3g}, not 1')
