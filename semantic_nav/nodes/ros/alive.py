"""Signs of life: a node gives them, and hears those of others, so a dead node is noticed.

They are given in the thread that runs the core: a core that hangs gives none. A node that hears
an earlier node of its name stands by, and steps in when that one ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from rclpy.event_handler import (
    QoSLivelinessChangedInfo,
    SubscriptionEventCallbacks,
    UnsupportedEventTypeError,
)
from rclpy.subscription import Subscription
from std_msgs.msg import String

from semantic_nav.contracts.signs_of_life import BEAT_S, LOST_AFTER, Sign, SignsHeard
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.clock import read_clocks, steady_timer

if TYPE_CHECKING:
    from semantic_nav.nodes.ros.core_node import CoreNode

_TOPIC = 'semantic_nav/alive'


class Watch:
    """Watch over the nodes of one name: counts their signs of life from its creation on."""

    def __init__(self, node: CoreNode, name: str, lost: Callable[[], None] | None = None) -> None:
        """Begin with no sign heard.

        Args:
            node: the watching node.
            name: name of the watched nodes.
            lost: called when the node in charge falls silent; None if the signs alone count.
        """
        self.heard = SignsHeard()
        self._lost = lost
        self._since: float | None = None
        self._topic: _Topic = node.lasting.get((_Topic, name), lambda: _Topic(node, name))
        self._topic.watches.append(self)

    @property
    def lost_s(self) -> float:
        """Time since the node in charge was lost, in s; 0 if it is heard, or never was."""
        return 0.0 if self._since is None else time.monotonic() - self._since

    @property
    def session(self) -> str:
        """Session of the node in charge; empty if none is heard."""
        sign = self.heard.in_charge
        return '' if sign is None else sign.session

    def take(self, sign: Sign) -> None:
        """Take a sign of life."""
        self.heard.take(sign)
        if not sign.aside:
            self._since = None

    def beat(self) -> None:
        """Count a beat of the watching node."""
        if self.heard.beat():
            self._lose()

    def nobody(self) -> None:
        """Take the middleware's report that no living node of this name is left."""
        if self._lost is not None and self.heard.lose_all():
            self._lose()

    def _lose(self) -> None:
        if self.heard.in_charge is None:
            self._since = time.monotonic()
        if self._lost is not None:
            self._lost()

    def close(self) -> None:
        """Stop watching."""
        self._topic.watches.remove(self)


class _Topic:
    """Subscription to the signs of one name, kept until the node is destroyed."""

    def __init__(self, node: CoreNode, name: str) -> None:
        self.watches: list[Watch] = []
        self._node, self._name = node, name
        try:
            self._subscription = self._subscribe(SubscriptionEventCallbacks(
                liveliness=node.guarded(self._changed)))
        except UnsupportedEventTypeError:
            # The event only serves to notice sooner that a node ended in order.
            self._subscription = self._subscribe(None)

    def _subscribe(self, events: SubscriptionEventCallbacks | None) -> Subscription:
        return self._node.create_subscription(
            String, f'{_TOPIC}/{self._name}', self._take, qos.ALIVE, event_callbacks=events)

    def _take(self, message: String) -> None:
        sign = Sign.of(message.data)
        if sign is not None:
            for watch in tuple(self.watches):
                watch.take(sign)

    def _changed(self, info: QoSLivelinessChangedInfo) -> None:
        if info.alive_count == 0 and info.alive_count_change < 0:
            for watch in tuple(self.watches):
                watch.nobody()

    def destroy(self) -> None:
        self._node.destroy_subscription(self._subscription)


class Life:
    """Signs of life of a node, from its activation to its deactivation."""

    def __init__(self, node: CoreNode, session: str) -> None:
        """Begin to give signs."""
        self._node, self._name = node, str(node.get_name())
        self._sign = Sign(read_clocks(node).calendar_ns, session)
        self._watches: list[Watch] = []
        self._own = Watch(node, self._name)
        self._publisher = node.create_publisher(String, f'{_TOPIC}/{self._name}', qos.ALIVE)
        self._beats, self._beat_at = 0, time.monotonic()
        self._alone_since: float | None = None
        self._timer = steady_timer(node, BEAT_S, self._beat)
        self._give()

    @property
    def heard(self) -> bool:
        """Tell whether the node hears its own signs."""
        return self._own.heard.hears(self._sign.session)

    @property
    def deaf(self) -> bool:
        """Tell whether the node fails to hear its own signs, and so may hear no other node's."""
        return self._beats > LOST_AFTER and not self.heard

    @property
    def alone_s(self) -> float:
        """Time for which the node has heard itself, and no other of its name in charge, in s."""
        return 0.0 if self._alone_since is None else time.monotonic() - self._alone_since

    @property
    def unheard(self) -> bool:
        """Tell whether another node of its name is announced and unheard: dead, or soon heard."""
        return self._node.count_publishers(self._publisher.topic_name) > (
            1 + len(self._own.heard.others(self._sign.session)))

    def watch(self, name: str, lost: Callable[[], None] = lambda: None) -> Watch:
        """Watch over the nodes of a name, until the deactivation of the node."""
        watch = Watch(self._node, name, lost)
        self._watches.append(watch)
        self._node.undo_with(self._unwatch, watch)
        return watch

    def _unwatch(self, watch: Watch) -> None:
        self._watches.remove(watch)
        watch.close()

    def _give(self) -> None:
        self._publisher.publish(String(data=self._sign.text))

    def _beat(self) -> None:
        # rclpy's events executor may call a destroyed timer once more.
        if self._timer not in self._node.timers:
            return
        self._beats += 1
        before, self._beat_at = self._beat_at, time.monotonic()
        if self._beat_at - before > (LOST_AFTER - 1) * BEAT_S:
            # Others may have lost this node: one that stepped in meanwhile stays in charge.
            self._sign = replace(self._sign, since_ns=read_clocks(self._node).calendar_ns)
        self._give()
        for watch in (self._own, *self._watches):
            watch.beat()
        self._find_place()

    def _find_place(self) -> None:
        others, sign = self._own.heard.others(self._sign.session), self._sign
        if not self.heard or any(not one.aside for one in others):
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = time.monotonic()
        if sign.aside:
            # Of several nodes that stand by, the first steps in.
            if not any(not one.aside or one < sign for one in others):
                self._sign = Sign(read_clocks(self._node).calendar_ns, self._node.step_in())
        elif any(not one.aside and one < sign for one in others):
            self._sign = replace(sign, aside=True)
            self._node.stand_aside()
        self._tell(bool(others))

    def _tell(self, others: bool) -> None:
        name, report = self._name, self._node.diagnostics.report
        if self._sign.aside:
            report('alive', Level.ERROR, f'another {name} is there, and was there first: this one '
                   'stands by until that one ends; end one of the two')
        elif others:
            report('alive', Level.ERROR, f'another {name} is there, in this namespace and ROS '
                   'domain, and stands by: end one of the two')
        elif self.heard:
            report('alive', Level.OK, f'the only {name}')
        elif self.deaf:
            report('alive', Level.ERROR, f'{name} does not hear its own sign of life, so it may '
                   'hear nobody: nothing is driven; see whether this middleware delivers messages '
                   'on this machine')

    def close(self) -> None:
        """Stop giving signs."""
        self._node.destroy_timer(self._timer)
        self._node.destroy_publisher(self._publisher)
        self._own.close()
