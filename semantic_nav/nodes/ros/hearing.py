"""Subscriptions to topics of others, with whatever QoS and type they are offered."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.core_node import CoreNode

#: Period of the check for publishers, in s.
_LOOK_S = 0.25
#: Time within which a message comes by the second of two subscriptions too; a later equal message
#: is a new one. In s.
_COPY_S = 1.0
#: Cures for a topic that comes as the first type where the second is heard.
_CURES = {
    ('sensor_msgs/msg/PointCloud2', 'sensor_msgs/msg/Image'):
        'name the topic of the pictures of depth, not of its points',
    **{(packed, 'sensor_msgs/msg/Image'):
       'name the topic of the raw pictures, or of compressed ones, or republish them '
       '(image_transport)' for packed in (
           'ffmpeg_image_transport_msgs/msg/FFMPEGPacket', 'theora_image_transport/msg/Packet')},
    ('sensor_msgs/msg/PointCloud2', 'sensor_msgs/msg/LaserScan'):
        'run pointcloud_to_laserscan, and name its topic',
    ('nav2_msgs/msg/Costmap', 'nav_msgs/msg/OccupancyGrid'):
        'name the topic without _raw',
    ('geometry_msgs/msg/Polygon', 'geometry_msgs/msg/PolygonStamped'):
        'name published_footprint of a costmap',
}
_CURE = 'name another topic, or convert it'
#: Types in which pictures come, the likelier one first.
PICTURES = (Image, CompressedImage)
#: One type, or several of which the published one is heard.
Kinds = type | tuple[type, ...]
#: Endings of image_transport's compressed topics, for topics that nobody publishes yet.
_COMPRESSED = ('/compressed', '/compressedDepth')


class Hearing:
    """Subscription to a topic of others, with the strongest QoS that its publishers allow.

    Of several types the published one is heard. A publisher that is transient local is heard so,
    also beside others that are volatile: then there are two subscriptions, and a message that
    comes by both is taken once.
    """

    def __init__(self, node: Node, kind: Kinds, topic: str, take: Callable[[Any], None],
                 wish: QoSProfile = qos.STATE) -> None:
        """Begin to listen.

        Args:
            node: owns the subscriptions.
            kind: type of the messages, or several types.
            topic: remappable name of the topic.
            take: takes the messages.
            wish: strongest QoS profile to ask for.
        """
        self._node, self._kinds, self._topic = node, _kinds(kind), topic
        self._take, self._wish = take, wish
        compressed = self._kinds == PICTURES and self._name.endswith(_COMPRESSED)
        self._kind = self._kinds[-1 if compressed else 0]
        self._subscriptions: list[tuple[type, QoSProfile, Any]] = []
        # Recent messages that only one of two subscriptions has brought, with their times.
        self._brought: dict[bool, deque[tuple[float, Any]]] = {
            strong: deque(maxlen=wish.depth) for strong in (False, True)}
        self.adapt()

    def adapt(self) -> None:
        """Look up the publishers, and subscribe so that all of them are heard."""
        writers = self._node.get_publishers_info_by_topic(self._name)
        types = {one.topic_type for one in writers}
        # If none of our types is published, the last one may come again.
        self._kind = next((kind for kind in self._kinds if _name_of(kind) in types), self._kind)
        wanted = [(self._kind, profile) for profile in _needed(self._wish, [
            one.qos_profile for one in writers if one.topic_type == _name_of(self._kind)])]
        for *how, subscription in self._subscriptions:
            if tuple(how) not in wanted:
                self._node.destroy_subscription(subscription)
        kept = [one for one in self._subscriptions if one[:2] in wanted]
        there = [one[:2] for one in kept]
        made = [(*how, self._subscribe(*how)) for how in wanted if how not in there]
        # A subscription that could not be made is tried again.
        self._subscriptions = kept + [one for one in made if one[2] is not None]

    def destroy(self) -> None:
        """Stop listening."""
        for _, _, subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._subscriptions.clear()

    def _subscribe(self, kind: type, profile: QoSProfile) -> Any:
        """A subscription; None if the middleware refuses it.

        In one process a topic has one type: if another node of it uses another, the middleware
        refuses.
        """
        try:
            # No event may come while a subscription is destroyed (see `Lasting`), and it is
            # destroyed when writers do not fit, which is such an event.
            return self._node.create_subscription(
                kind, self._topic, partial(self._take_once, profile == self._wish), profile,
                event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=False))
        except rclpy_implementation.RCLError as error:
            self._node.get_logger().warning(
                f'{self._name} cannot be heard as {_name_of(kind)}: {error}',
                throttle_duration_sec=60.0)
            return None

    def _take_once(self, strong: bool, message: Any) -> None:
        """Take a message, unless the other subscription brought it already.

        Messages are compared, because the events executor of rclpy 7.1 cannot tell their writers:
        it fails at callbacks that want the message info.
        """
        others, now_s = self._brought[not strong], time.monotonic()
        while others and now_s - others[0][0] > _COPY_S:
            others.popleft()
        copy = next((one for one in others if one[1] == message), None)
        if copy is not None:
            others.remove(copy)
            return
        if len(self._subscriptions) > 1:
            self._brought[strong].append((now_s, message))
        self._take(message)

    @property
    def _name(self) -> str:
        return self._node.resolve_topic_name(self._topic)


def _needed(wish: QoSProfile, writers: Sequence[QoSProfile]) -> list[QoSProfile]:
    """QoS profiles by which all writers are heard, with none that fits nobody."""
    fit = [one for one in writers if qos.weakest(wish, [one]) == wish]
    needed = [wish] if fit or not writers else []
    return needed if len(fit) == len(writers) else [*needed, qos.weakest(wish, writers)]


def wish_for(kind: Kinds) -> QoSProfile:
    """Strongest QoS profile to ask of a sensor: a calibration may be latched."""
    return qos.STATE if kind is CameraInfo else qos.IMAGES


def hear(node: CoreNode, kind: Kinds, topic: str, take: Callable[[Any], None],
         wish: QoSProfile = qos.STATE) -> None:
    """Hear a topic of others until the deactivation of a node; see `Hearing`."""
    hearing = Hearing(node, kind, topic, take, wish)
    node.undo_with(lambda _: hearing.destroy(), None)
    node.steady_timer(_LOOK_S, hearing.adapt)


class Topics:
    """Check before any mission that topics are published, and as the types that a node hears."""

    def __init__(self, node: Node, heard: Sequence[tuple[Kinds, str]]) -> None:
        """Begin without a look at the topics.

        Args:
            node: node that hears them at times.
            heard: type, or types, and topic of each; an empty topic if the robot has none.
        """
        self._node = node
        self._heard = [([_name_of(one) for one in _kinds(kind)], topic)
                       for kind, topic in heard if topic]

    def state(self) -> tuple[Level, str]:
        """State of the topics: those of another type, those that nobody publishes."""
        faults, silent = [], []
        for kinds, topic in self._heard:
            name = self._node.resolve_topic_name(topic)
            writers = self._node.get_publishers_info_by_topic(name)
            if not writers:
                silent.append(name)
            faults += sorted({misfit_of_types(name, one.node_name, one.topic_type, kinds[0])
                              for one in writers if one.topic_type not in kinds})
        if faults:
            return Level.ERROR, '; '.join(faults)
        if silent:
            return Level.WARN, f'nobody publishes {", ".join(silent)}'
        return Level.OK, 'each is published as it is heard'


def why_silent(node: Node, topic: str) -> str:
    """Reason why nothing has come on a topic, in words: nobody publishes it, or it is lost."""
    name = node.resolve_topic_name(topic)
    writers = sorted({one.node_name for one in node.get_publishers_info_by_topic(name)})
    if not writers:
        return f'nobody publishes {name}'
    return (f'{", ".join(writers)} publishes {name}, and nothing arrives: see whether it sends '
            'anything, and runs as another user, in another container '
            '(FASTDDS_BUILTIN_TRANSPORTS=UDPv4 for both) or behind a firewall')


def misfit_of_types(topic: str, writer: str, theirs: str, ours: str) -> str:
    """Fault of a topic that comes as another type, in words, with the cure."""
    cure = _CURES.get((theirs, ours), _CURE)
    return f'{topic} comes as {theirs} of {writer}, and {ours} is heard: {cure}'


def _kinds(kind: Kinds) -> tuple[type, ...]:
    return kind if isinstance(kind, tuple) else (kind,)


def _name_of(kind: type) -> str:
    package, _, _ = kind.__module__.partition('.')
    return f'{package}/msg/{kind.__name__}'
