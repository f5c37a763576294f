"""Outline of the robot from a Nav2 costmap, transformed back into the robot's frame."""

import math

from geometry_msgs.msg import PolygonStamped
from rclpy.time import Time
from tf2_ros import Buffer

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.nodes.ros.hearing import hear
from semantic_nav.nodes.ros.transforms import transform
from semantic_nav.verify.events import Corners, FootprintAwaited, FootprintHeard
from semantic_nav.verify.grounding.plausible import plausible

#: Largest shift of a corner for an outline that counts as unchanged, in m.
_SAME_M = 0.01
#: Longest wait for the transform of a message, and period of the lookups, in s.
_WAIT_S, _AGAIN_S = 1.0, 0.1


def corners_of(message: PolygonStamped, base_T_frame: Transform) -> Corners:
    """Corners of a polygon in base_link, in m.

    Args:
        message: polygon in a frame of its own.
        base_T_frame: transform at its stamp.
    """
    points = [(point.x, point.y, 0.0) for point in message.polygon.points]
    return tuple((round(x, 3), round(y, 3)) for x, y, _ in (
        (base_T_frame @ Transform(point, (0.0, 0.0, 0.0, 1.0))).translation for point in points))


class FootprintTopic:
    """Feed of the robot's outline when it changes, until the deactivation of the node."""

    def __init__(self, node: CoreNode, topic: str, buffer: Buffer, base_frame: str) -> None:
        """Begin to listen.

        Args:
            node: its core is fed.
            topic: topic of a costmap, as `global_costmap/published_footprint`.
            buffer: TF buffer for lookups.
            base_frame: frame of the robot.
        """
        self._node, self._topic = node, topic
        self._buffer, self._base_frame = buffer, base_frame
        self._pending: PolygonStamped | None = None
        self._fed: Corners = ()
        hear(node, PolygonStamped, topic, self._hear)
        node.steady_timer(_AGAIN_S, self._try_pending)
        self._report(Level.WARN, 'nothing has come')
        node.feed(FootprintAwaited())

    def _hear(self, message: PolygonStamped) -> None:
        self._pending = message
        self._try_pending()

    def _try_pending(self) -> None:
        """Read the newest message once TF has the transform of its stamp."""
        message = self._pending
        if message is None:
            return
        try:
            found = transform(self._buffer, self._base_frame, message.header.frame_id,
                              Time.from_msg(message.header.stamp))
        except LookupError:
            age_ns = self._node.get_clock().now().nanoseconds - stamp_ns(message.header.stamp)
            if age_ns > _WAIT_S * NS_PER_S:
                self._pending = None
                self._report(Level.WARN, 'no TF of the stamp of an outline')
            return
        self._pending = None
        corners = corners_of(message, found)
        if _is_same(corners, self._fed):
            return
        event = plausible(FootprintHeard(corners))
        if not isinstance(event, FootprintHeard):
            self._report(Level.ERROR, f'{len(corners)} corners are no outline of a robot')
            return
        self._fed = corners
        self._report(Level.OK, 'known')
        self._node.feed(event)

    def _report(self, level: Level, words: str) -> None:
        self._node.diagnostics.report('footprint', level, f'{self._topic}: {words}')


def _is_same(one: Corners, other: Corners) -> bool:
    return len(one) == len(other) > 0 and all(
        math.dist(a, b) <= _SAME_M for a, b in zip(one, other, strict=True))
