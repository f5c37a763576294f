"""Health of a node on /diagnostics."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.clock import steady_timer

_PERIOD_S = 1.0
_PROCESS = 'process'
_STATM = Path('/proc/self/statm')
_PAGE_MB = os.sysconf('SC_PAGE_SIZE') / 1e6
_MS = 1000.0


class ProcessHealth:
    """Cost and load of the process between two readings; each reading resets them."""

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


@dataclass
class _Item:
    level: Level
    message: str
    values: dict[str, str] = field(default_factory=dict)


class Diagnostics:
    """Named statements, each published once a second and logged when it changes.

    Attributes:
        health: health of the process, published with the statements.
    """

    def __init__(self, node: Node) -> None:
        """Publish for a node."""
        self._node = node
        self._items: dict[str, _Item] = {}
        self.health = ProcessHealth()
        self._last_bad, self._last_bad_at = '', 0.0
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', qos.EVENTS)
        self._timer = steady_timer(node, _PERIOD_S, self._publish)

    def report(self, name: str, level: Level, message: str, **values: object) -> None:
        """Set the statement of this name; a change of level or message is logged once."""
        item = _Item(level, message, {key: str(value) for key, value in values.items()})
        before = self._items.get(name)
        self._items[name] = item
        if before is not None and (before.level, before.message) == (level, message):
            return
        text = f'{name}: {message}'
        if level is not Level.OK:
            self._last_bad, self._last_bad_at = text, time.monotonic()
        logger = self._node.get_logger()
        if level is Level.OK:
            logger.info(text)
        elif level is Level.WARN:
            logger.warning(text)
        else:
            logger.error(text)

    def clear(self, name: str) -> None:
        """Withdraw the statement of this name."""
        self._items.pop(name, None)

    def clear_all(self) -> None:
        """Withdraw all statements but that on the process."""
        self._items.clear()

    def _publish(self) -> None:
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        prefix = self._node.get_fully_qualified_name().lstrip('/')
        items = {**self._items, _PROCESS: self._process()}
        message.status = [
            DiagnosticStatus(
                level=bytes([item.level]), name=f'{prefix}: {name}', message=item.message,
                hardware_id='semantic_nav',
                values=[KeyValue(key=key, value=value) for key, value in item.values.items()])
            for name, item in items.items()]
        self._publisher.publish(message)

    def _process(self) -> _Item:
        """Cost of the process, and its last fault, also after that is over."""
        last = {} if not self._last_bad else {
            'last_error': self._last_bad,
            'last_error_age_s': f'{time.monotonic() - self._last_bad_at:.0f}'}
        return _Item(Level.OK, 'runs', {**self.health.figures(), **last})


def _resident_mb() -> float:
    """Resident memory of the process, in 10⁶ bytes; 0 if this is no Linux."""
    try:
        return int(_STATM.read_text().split()[1]) * _PAGE_MB
    except OSError:
        return 0.0
