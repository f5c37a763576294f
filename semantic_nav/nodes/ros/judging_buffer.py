"""TF buffer that knows the transforms that were refused, or have two publishers, unlike tf2."""

import math
from dataclasses import dataclass
from typing import Any

from geometry_msgs.msg import TransformStamped
from tf2_ros import Buffer

#: Largest difference of a quaternion's squared length from 1 that tf2 accepts.
_QUATERNION = 0.01
#: Least shift that counts as a leap, in m: nothing moves so far and back in two messages.
_LEAP_M = 0.05
#: Number of leaps to and fro that tells two publishers, and most messages between two leaps.
_LEAPS, _BETWEEN = 3, 50


@dataclass(frozen=True)
class _Told:
    """The newest two transforms to a frame.

    Attributes:
        parent, place: parent and translation of the newest, in m.
        parent_before, place_before: those of the one before.
        leaps: number of times that a transform equalled the one before the last, but not the last.
        since: number of messages since the last leap.
    """

    parent: str
    place: tuple[float, float, float]
    parent_before: str = ''
    place_before: tuple[float, float, float] = (math.inf, math.inf, math.inf)
    leaps: int = 0
    since: int = 0

    def after(self, parent: str, place: tuple[float, float, float]) -> '_Told':
        """State with the next transform."""
        back = _same(parent, place, self.parent_before, self.place_before)
        leapt = back and not _same(parent, place, self.parent, self.place)
        since = 0 if leapt else self.since + 1
        return _Told(parent, place, self.parent, self.place,
                     self.leaps + leapt if since <= _BETWEEN else 0, since)


class JudgingBuffer(Buffer):
    """TF buffer with the fault of the newest transform to each frame, until a good one comes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take the arguments of tf2's buffer; nothing is refused yet."""
        self._refused: dict[str, str] = {}
        self._told: dict[str, _Told] = {}
        super().__init__(*args, **kwargs)

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        """Store a transform, also one that tf2 will refuse."""
        child, fault = transform.child_frame_id.removeprefix('/'), _fault_of(transform)
        if fault:
            self._refused[child] = fault
        else:
            self._refused.pop(child, None)
            parent, at = transform.header.frame_id, transform.transform.translation
            place, told = (at.x, at.y, at.z), self._told.get(child)
            self._told[child] = told.after(parent, place) if told else _Told(parent, place)
        super().set_transform(transform, authority)

    @property
    def refused(self) -> str:
        """Refused transforms, with reason and cure, in words; empty if there are none."""
        return f'{"; ".join(self._refused.values())}: mend who publishes it' if (
            self._refused) else ''

    def told_twice(self, frame: str) -> str:
        """The two places between which a frame leaps, in words; empty if it does not leap."""
        told = self._told.get(frame)
        if told is None or told.leaps < _LEAPS:
            return ''
        parents = sorted({told.parent, told.parent_before})
        where = f'on {parents[0]!r} and on {parents[1]!r}' if len(parents) == 2 else (
            f'at two places on {told.parent!r}')
        return f'TF has {frame!r} by turns {where}: two nodes publish it; let one alone do so'


def refused_by(buffer: Buffer) -> str:
    """Transforms that a buffer refuses, as `JudgingBuffer.refused`; empty for a buffer of tf2."""
    return buffer.refused if isinstance(buffer, JudgingBuffer) else ''


def _same(parent: str, place: tuple[float, float, float], other_parent: str,
          other_place: tuple[float, float, float]) -> bool:
    return parent == other_parent and math.dist(place, other_place) < _LEAP_M


def _fault_of(message: TransformStamped) -> str:
    place, turn = message.transform.translation, message.transform.rotation
    which = f'{message.header.frame_id} -> {message.child_frame_id} is refused: its'
    values = (turn.x, turn.y, turn.z, turn.w)
    if not all(map(math.isfinite, (place.x, place.y, place.z, *values))):
        return f'{which} numbers are not finite'
    length = math.hypot(*values)
    return '' if abs(length**2 - 1.0) < _QUATERNION else (
        f'{which} quaternion has the length {length:.3g}, not 1')
