"""Pairing of looks with depth: the nearest depth picture of the last second within a tolerance.

A robot without a depth camera pairs scans.
"""

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from typing import Generic, TypeVar

from semantic_nav.contracts.clock import NS_PER_S, nanoseconds, seconds
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.stamps import Stamps
from semantic_nav.verify.effects import FreezeLook
from semantic_nav.verify.events import LookFrozen, LookNotFrozen

_KEPT_NS = NS_PER_S
#: Number of depth pictures in a row with older stamps that shows a clock jump back. Fewer were
#: only overtaken on their way.
_OVERTAKEN = 3
_REASON_CHARS = 300

D = TypeVar('D')


@dataclass(frozen=True)
class _Open:
    """A look that is not frozen yet, and the deadline of its tries on the steady clock."""

    effect: FreezeLook
    deadline_ns: int


class DepthPairing(Generic[D]):
    """Non-blocking freezing of looks: each open look is tried again whenever data comes."""

    def __init__(self, tolerance_s: float, freeze: Callable[[FreezeLook, D], LookFrozen],
                 what: str = 'depth picture') -> None:
        """Start without depth.

        Args:
            tolerance_s: largest difference between the stamps of depth and picture.
            freeze: builds the frozen look; it raises LookupError with what is missing yet.
            what: name of the paired data in messages.
        """
        self._tolerance_ns, self._freeze, self._what = nanoseconds(tolerance_s), freeze, what
        #: In the order of their stamps.
        self._depths: list[tuple[int, D]] = []
        self._late = 0
        self._open: list[_Open] = []
        self._stamps = Stamps()

    def take(self, depth: D, stamp_ns: int, steady_ns: int) -> list[Event]:
        """Keep a depth picture, and return the events of the looks that end."""
        self._stamps.made_ns(stamp_ns, stamp_ns)
        behind_ns = self._depths[-1][0] - stamp_ns if self._depths else 0
        self._late = self._late + 1 if behind_ns > 0 else 0
        if behind_ns > _KEPT_NS or self._late >= _OVERTAKEN:
            self._depths.clear()  # The clock jumped back.
            self._late = 0
        insort(self._depths, (stamp_ns, depth), key=itemgetter(0))
        newest_ns = self._depths[-1][0]
        # A look whose transforms are late keeps its depth a little longer.
        wanted_ns = min((look.effect.stamp_ns for look in self._open), default=newest_ns)
        while newest_ns - self._depths[0][0] > _KEPT_NS and (
                len(self._depths) > 1 and self._depths[1][0] <= wanted_ns):
            self._depths.pop(0)
        return self.retry(steady_ns)

    def freeze(self, effect: FreezeLook, steady_ns: int) -> list[Event]:
        """Freeze a look now or within its wait, and return the events of the looks that end."""
        self._open.append(_Open(effect, steady_ns + nanoseconds(effect.wait_s)))
        return self.retry(steady_ns)

    def retry(self, steady_ns: int) -> list[Event]:
        """Try every open look again, and return the events of those that end."""
        tried = [(look, self._attempt(look, steady_ns)) for look in self._open]
        self._open = [look for look, event in tried if event is None]
        return [event for _, event in tried if event is not None]

    def clear(self) -> None:
        """Drop all depth and open looks."""
        self._depths.clear()
        self._open.clear()

    def _attempt(self, look: _Open, steady_ns: int) -> Event | None:
        try:
            return self._freeze(look.effect, self._nearest(look.effect.stamp_ns))
        except LookupError as error:
            if steady_ns < look.deadline_ns:
                return None
            return LookNotFrozen(look.effect.look_id, f'{error}'.strip('\'"')[:_REASON_CHARS])

    def _nearest(self, stamp_ns: int) -> D:
        if not stamp_ns:
            raise LookupError('the stamp of the picture is 0: let its driver stamp it')
        best = min(self._depths, key=lambda kept: abs(kept[0] - stamp_ns), default=None)
        if best is None:
            raise LookupError(f'no {self._what} came')
        off_ns = abs(best[0] - stamp_ns)
        if off_ns <= self._tolerance_ns:
            return best[1]
        if self._stamps.fault:
            raise LookupError(f'no {self._what} belongs to the picture: {self._stamps.words}')
        gap_ns = self._gap_ns(stamp_ns)
        if gap_ns:
            raise LookupError(
                f'the nearest {self._what}s are {seconds(gap_ns):.1f} s apart, one before and one '
                'after the picture: frames get lost, or few are sent; see network and rate (raw '
                'pictures over WiFi are too much), or raise depth_tolerance_s')
        late_ns = self._depths[-1][0] - stamp_ns
        if late_ns > _KEPT_NS:
            raise LookupError(
                f'the picture came {seconds(late_ns):.1f} s later than its {self._what}, which is '
                f'kept for {seconds(_KEPT_NS):.0f} s: see network, QoS and encoder of the '
                'picture, or let both streams use one clock')
        side = 'after' if best[0] > stamp_ns else 'before'
        raise LookupError(f'the nearest {self._what} is {seconds(off_ns):.2f} s {side} the '
                          'picture by their stamps: restart the camera, or let both streams '
                          'use one clock')

    def _gap_ns(self, stamp_ns: int) -> int:
        """Time between the neighbours before and after a stamp, in ns; 0 without both."""
        earlier = [kept for kept, _ in self._depths if kept <= stamp_ns]
        later = [kept for kept, _ in self._depths if kept > stamp_ns]
        return later[0] - earlier[-1] if earlier and later else 0
