"""Cost and load of a node's process."""

import os
import time
from collections.abc import Callable
from pathlib import Path

_STATM = Path('/proc/self/statm')
_PAGE_MB = os.sysconf('SC_PAGE_SIZE') / 1e6
_MS = 1000.0


class ProcessHealth:
    """Counters between two readings; each reading resets them."""

    def __init__(self) -> None:
        """Begin to count."""
        #: Returns the number of events that wait for their thread.
        self.waiting: Callable[[], int] = lambda: 0
        self._read_at, self._cpu_s = time.monotonic(), time.process_time()
        self._events, self._longest_s = 0, 0.0

    def handled(self, took_s: float) -> None:
        """Count an event, and its duration."""
        self._events += 1
        self._longest_s = max(self._longest_s, took_s)

    def figures(self) -> dict[str, str]:
        """Share of a core, events and longest event since the last reading; memory.

        The share is the sum over all threads of the process.
        """
        now, cpu_s = time.monotonic(), time.process_time()
        passed_s = max(now - self._read_at, 1e-3)
        found = {'cpu_percent': f'{100.0 * (cpu_s - self._cpu_s) / passed_s:.1f}',
                 'memory_mb': f'{_resident_mb():.0f}',
                 'events_per_s': f'{self._events / passed_s:.1f}',
                 'longest_event_ms': f'{self._longest_s * _MS:.1f}',
                 'events_waiting': str(self.waiting())}
        self._read_at, self._cpu_s = now, cpu_s
        self._events, self._longest_s = 0, 0.0
        return found


def _resident_mb() -> float:
    """Resident memory of the process, in 10⁶ bytes; 0 if this is no Linux."""
    try:
        return int(_STATM.read_text().split()[1]) * _PAGE_MB
    except OSError:
        return 0.0
