"""Simulated time: a queue of actions, ordered by time."""

import heapq
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from semantic_nav.contracts.clock import NS_PER_S, Now, nanoseconds

#: An arbitrary start, since no clock of a robot starts at 0.
_EPOCH_NS = 1_000 * NS_PER_S
#: 2026-01-01T00:00:00Z, so that no result depends on the day of the run.
_CALENDAR_NS = 1_767_225_600 * NS_PER_S

Action = Callable[[], object]


def _nobody() -> None:
    """Do nothing after an action."""


@dataclass
class Scheduler:
    """A queue of actions and the current time, which only this queue advances.

    Attributes:
        now_ns: time on the steady clock.
        clock_ahead_ns: offset of the ROS clock from it.
        follow: called after every action.
    """

    now_ns: int = _EPOCH_NS
    clock_ahead_ns: int = 0
    follow: Action = _nobody
    _entries: list[tuple[int, int, Action]] = field(default_factory=list)
    _counter: Iterator[int] = field(default_factory=itertools.count)

    @property
    def now(self) -> Now:
        """All three clocks."""
        return Now(self.clock_ns, self.now_ns, _CALENDAR_NS + self.now_ns)

    @property
    def clock_ns(self) -> int:
        """The ROS clock, which gives all stamps."""
        return self.now_ns + self.clock_ahead_ns

    @property
    def elapsed_s(self) -> float:
        """The simulated time since the beginning."""
        return (self.now_ns - _EPOCH_NS) / NS_PER_S

    def after(self, delay_s: float, action: Action) -> None:
        """Schedule an action after a delay. Actions of one moment run in order of scheduling."""
        moment = self.now_ns + nanoseconds(delay_s)
        heapq.heappush(self._entries, (moment, next(self._counter), action))

    def every(self, period_s: float, action: Action,
              wanted: Callable[[], bool] = lambda: True) -> None:
        """Schedule a periodic action while it is wanted, first after one period."""
        def again() -> None:
            if wanted():
                self.after(period_s, again)
                action()

        self.after(period_s, again)

    def run(self, done: Callable[[], bool], limit_s: float) -> bool:
        """Advance time until a condition holds; returns False if it does not within the limit."""
        end_ns = self.now_ns + nanoseconds(limit_s)
        while not done():
            if not self._entries or self._entries[0][0] > end_ns:
                self.now_ns = end_ns
                return done()
            self.now_ns, _, action = heapq.heappop(self._entries)
            action()
            self.follow()
        return True
