"""The path from a sensor to its readers in simulated time."""

from collections.abc import Callable
from typing import Generic, TypeVar

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.robot.outbox import Outbox

T = TypeVar('T')


class SensorLink(Generic[T]):
    """Delivers each measurement to its reader when it is due, except for lost ones.

    Attributes:
        silent: whether the sensor gives nothing.
    """

    def __init__(self, scheduler: Scheduler, outbox: Outbox[T],
                 reader: Callable[[T], None]) -> None:
        """Start empty.

        Args:
            scheduler: gives the time.
            outbox: decides what is lost, and the delay of the rest.
            reader: takes the measurements in order.
        """
        self._scheduler, self._outbox, self._reader = scheduler, outbox, reader
        self.silent = False

    def send(self, item: T) -> bool:
        """Send a measurement of now; returns whether it is on its way or delivered."""
        if self.silent:
            return False
        now_ns = self._scheduler.now_ns
        due_ns = self._outbox.put(item, now_ns)
        if due_ns is None:
            return False
        if due_ns <= now_ns:
            self._deliver()
        else:
            self._scheduler.after((due_ns - now_ns) / NS_PER_S, self._deliver)
        return True

    def _deliver(self) -> None:
        for item in self._outbox.due(self._scheduler.now_ns):
            self._reader(item)
