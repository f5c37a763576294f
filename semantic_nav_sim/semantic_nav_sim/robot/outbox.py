"""The link between a sensor and its readers, with losses and delays."""

import threading
from collections import deque
from typing import Generic, TypeVar

from semantic_nav.contracts.clock import nanoseconds
from semantic_nav_sim.robot.profile import Delivery
from semantic_nav_sim.world.random_streams import stream

T = TypeVar('T')


class Outbox(Generic[T]):
    """Queue of measurements until their delivery, in order. Thread-safe."""

    def __init__(self, seed: int, sensor: str, delivery: Delivery) -> None:
        """Start empty.

        Args:
            seed: of the run.
            sensor: name of the source, which has a random stream of its own.
            delivery: losses and delays.
        """
        self._rng = stream(seed, f'delivery of {sensor}')
        self._delivery = delivery
        self._held: deque[tuple[int, T]] = deque()
        self._lock = threading.Lock()

    def put(self, item: T, now_ns: int) -> int | None:
        """Accept a measurement of now; returns its time of arrival, None if it is lost."""
        with self._lock:
            lost = float(self._rng.random()) < self._delivery.dropped
            due_ns = now_ns + nanoseconds(float(self._rng.uniform(*self._delivery.late_s)))
            if lost:
                return None
            due_ns = max(due_ns, self._held[-1][0]) if self._held else due_ns
            self._held.append((due_ns, item))
            return due_ns

    def due(self, now_ns: int) -> list[T]:
        """Remove and return the measurements due by now, the oldest first."""
        items: list[T] = []
        with self._lock:
            while self._held and self._held[0][0] <= now_ns:
                items.append(self._held.popleft()[1])
        return items
