"""Simulated time: what is to be done, in the order of its moments."""

import heapq
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from semantic_nav.contracts.clock import NS_PER_S, Now, nanoseconds

#: Some moment, for no clock of a robot starts at 0.
_EPOCH_NS = 1_000 * NS_PER_S
#: 2026-01-01T00:00:00Z: nothing simulated depends on the day it is run.
_CALENDAR_NS = 1_767_225_600 * NS_PER_S

Action = Callable[[], object]


def _nobody() -> None:
    """Follow nothing."""


@dataclass
class Scheduler:
    """A queue of actions and the time of the one that runs; nothing else makes time pass.

    Attributes:
        now_ns: on the steady clock.
        clock_ahead_ns: how far the ROS clock is ahead of it.
        follow: is told of every action that was done.
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
        """The ROS clock, by which everything is stamped."""
        return self.now_ns + self.clock_ahead_ns

    @property
    def elapsed_s(self) -> float:
        """Simulated time since the beginning."""
        return (self.now_ns - _EPOCH_NS) / NS_PER_S

    def after(self, delay_s: float, action: Action) -> None:
        """Do something later; of two things of one moment the one that was asked for first."""
        moment = self.now_ns + nanoseconds(delay_s)
        heapq.heappush(self._entries, (moment, next(self._counter), action))

    def every(self, period_s: float, action: Action,
              wanted: Callable[[], bool] = lambda: True) -> None:
        """Do something now and then as long as it is wanted, the first time after one period."""
        def again() -> None:
            if wanted():
                self.after(period_s, again)
                action()

        self.after(period_s, again)

    def run(self, done: Callable[[], bool], limit_s: float) -> bool:
        """Let time pass until something holds; returns False if it does not within the limit."""
        end_ns = self.now_ns + nanoseconds(limit_s)
        while not done():
            if not self._entries or self._entries[0][0] > end_ns:
                self.now_ns = end_ns
                return done()
            self.now_ns, _, action = heapq.heappop(self._entries)
            action()
            self.follow()
        return True
