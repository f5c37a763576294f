"""Subscriptions to the sensors while a goal is open, and the age of their data."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rclpy.node import Node

from semantic_nav.contracts.core import Event
from semantic_nav.contracts.stamps import Stamps
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.hearing import Hearing, Kinds, why_silent, wish_for
from semantic_nav.nodes.ros.scans import Judged
from semantic_nav.verify.events import SensorBlind, SensorHeard

#: Silence of a sensor after which it is reported, in s.
_WAIT_S = 3.0
#: Type or types of message, topic, name under which the core watches the sensor, and taker of the
#: messages; the topic is empty if the robot has none, the name if the core does not watch it.
Source = tuple[Kinds, str, str, Callable[[Any], None]]


class Sensors:
    """Subscriptions to sensors while they are wanted; `tell` reports the age of each."""

    def __init__(self, node: Node, feed: Callable[[Event], None],
                 report: Callable[..., None], sources: Sequence[Source],
                 judges: Mapping[str, Callable[[Any], Judged]] = MappingProxyType({}),
                 stamped: Callable[[str, int], None] = lambda topic, said_ns: None) -> None:
        """Begin without subscriptions.

        Args:
            node: owns the subscriptions.
            feed: takes the events.
            report: takes a statement on a sensor: its name, the level, words, figures by name.
            sources: the sensors.
            judges: judge the messages of a sensor, by its name. A sensor is blind if no message
                since the last call measured anything: a scanner may send its layers, or echoes, in
                turn.
            stamped: takes the topic and the stamp of each message as it arrives, in ns.
        """
        self._node, self._feed, self._report, self._sources = node, feed, report, sources
        self._judges, self._faults = judges, dict[str, str]()
        self._stamped = stamped
        self._stamps: defaultdict[str, Stamps] = defaultdict(Stamps)
        self._hearings: list[Hearing] = []
        # Messages of each sensor since the last call, the newest last; only that one without a
        # judge.
        self._came: defaultdict[str, list[Any]] = defaultdict(list)
        self._frames: defaultdict[str, set[str]] = defaultdict(set)
        self._heard: set[str] = set()
        self._count: Counter[str] = Counter()
        self._since_s = self._told_s = 0.0

    def listen(self, *, wanted: bool) -> None:
        """Start or stop listening."""
        if wanted == bool(self._hearings):
            return
        for hearing in self._hearings:
            hearing.destroy()
        self._came.clear()
        self._frames.clear()
        self._faults.clear()
        self._heard.clear()
        self._count.clear()
        self._since_s = self._told_s = time.monotonic()
        self._hearings = [
            Hearing(self._node, kind, topic,
                    lambda message, topic=topic, name=name, take=take: self._hear(
                        message, topic, name, take),
                    wish_for(kind))
            for kind, topic, name, take in self._sources if topic] if wanted else []

    def tell(self) -> None:
        """Feed the stamps that are new since the last call, and report silent sensors."""
        if not self._hearings:
            return
        for hearing in self._hearings:
            hearing.adapt()
        came, self._came = self._came, defaultdict(list)
        for name, messages in came.items():
            message, judged = self._judge(name, messages)
            blind, said_ns = judged.blind, stamp_ns(message.header.stamp)
            now_ns = self._node.get_clock().now().nanoseconds
            self._stamps[name].made_ns(said_ns, now_ns)
            self._faults[name] = (
                judged.fault or self._stamps[name].words or self._several_frames(name))
            # A message repeated with one stamp is no new measurement.
            made_ns = said_ns or now_ns
            self._feed(SensorHeard(name, made_ns) if blind is None else
                       SensorBlind(name, made_ns, blind.reason, blind.within_m))
        now_s = time.monotonic()
        waited, passed_s = now_s - self._since_s >= _WAIT_S, max(now_s - self._told_s, 1e-3)
        count, self._count, self._told_s = self._count, Counter(), now_s
        for _, topic, name, _ in self._sources:
            if self._faults.get(name):
                self._report(name, Level.WARN, self._faults[name])
            elif name in self._heard:
                self._report(name, Level.OK, 'heard', rate_hz=f'{count[name] / passed_s:.1f}')
            elif topic and name and waited:
                self._report(name, Level.WARN, f'nothing has come on {topic}, which is not '
                             f'watched until then: {why_silent(self._node, topic)}')

    def _judge(self, name: str, messages: Sequence[Any]) -> tuple[Any, Judged]:
        """Newest message without a fault, or else the newest, with its judgement."""
        if name not in self._judges:
            return messages[-1], Judged()
        judged = ((message, self._judges[name](message)) for message in reversed(messages))
        newest = next(judged)
        return next((one for one in (newest, *judged) if not one[1].fault), newest)

    def _several_frames(self, name: str) -> str:
        frames = sorted(self._frames[name])
        return '' if len(frames) < 2 else (
            f'messages of {len(frames)} frames come on one topic ({", ".join(frames)}): give each '
            'sensor its own; of layers or echoes of a scanner let its driver send one')

    def _hear(self, message: Any, topic: str, name: str, take: Callable[[Any], None]) -> None:
        self._stamped(self._node.resolve_topic_name(topic), stamp_ns(message.header.stamp))
        if name:
            self._heard.add(name)
            self._count[name] += 1
            if name not in self._judges:
                self._came[name].clear()
            self._came[name].append(message)
            self._frames[name].add(message.header.frame_id)
        take(message)
