"""Displays of the verifier: the accepted goal pose, and markers for RViz."""

from collections.abc import Iterable

from geometry_msgs.msg import PoseStamped
from rclpy.lifecycle import LifecycleNode
from visualization_msgs.msg import Marker, MarkerArray

from semantic_nav.contracts.documents import (
    Document,
    GroundedObject,
    Observation,
    RobotPose,
    Verdict,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.clock import to_stamp
from semantic_nav.nodes.ros.conversions import pose_stamped
from semantic_nav.nodes.ros.markers import (
    candidate_markers,
    observation_markers,
    search_markers,
    thing_markers,
    verdict_markers,
    zone_markers,
)
from semantic_nav.nodes.ros.names import PREFIX
from semantic_nav.verify.effects import ShowCandidates, ShowSearch
from semantic_nav.verify.zones import Zones

_TOPICS = ('verifier', 'verdict', 'candidates', 'search', 'things', 'zones')
#: Largest number of things kept: the newest.
_MOST = 200
#: Distance below which two things of one name are the same one, in m.
_SAME_M = 0.4


class SeenThings:
    """The newest sighting of each thing since the start, for people: no decision uses them."""

    def __init__(self) -> None:
        """Begin without things."""
        self._things: list[GroundedObject] = []

    def take(self, seen: Iterable[GroundedObject]) -> None:
        """Add things, or their new places."""
        for thing in seen:
            self._things = [one for one in self._things if not _same(one, thing)]
            self._things.append(thing)
        del self._things[:-_MOST]

    def newest(self) -> tuple[GroundedObject, ...]:
        """All things, the newest last."""
        return tuple(self._things)


class VerifierMarkers:
    """Publisher of `verified_goal` and `markers/*`, from the core's outputs only."""

    def __init__(self, node: LifecycleNode, map_frame: str) -> None:
        """Show nothing yet.

        Args:
            node: owns the publishers.
            map_frame: frame of all coordinates.
        """
        self._node, self._map_frame = node, map_frame
        self._robot: Pose2D | None = None
        self._things = SeenThings()
        self._goal = node.create_publisher(
            PoseStamped, f'{PREFIX}/verified_goal', qos.DISPLAY)
        self._markers = {topic: node.create_publisher(
            MarkerArray, f'{PREFIX}/markers/{topic}', qos.STATE) for topic in _TOPICS}

    def follow(self, document: Document) -> None:
        """Show decisions and observations."""
        body = document.body
        if isinstance(body, RobotPose):
            self._robot = body.pose
        elif isinstance(body, Observation):
            self._publish('verifier', observation_markers(body), document.stamp_ns)
            self._things.take(body.objects)
            self._publish('things', thing_markers(self._things.newest()), document.stamp_ns)
        elif isinstance(body, Verdict):
            decision = body.decision
            # A refusal may name a pose too, which is the refused one.
            if decision is not None and decision.code is Code.OK and decision.goal is not None:
                self._goal.publish(pose_stamped(
                    decision.goal, self._map_frame, document.stamp_ns))
            self._publish('verdict', verdict_markers(body, self._robot), document.stamp_ns)

    def show_candidates(self, effect: ShowCandidates) -> None:
        """Show the stand-off poses before a target, with the verdict on each."""
        self._publish('candidates', candidate_markers(effect))

    def show_search(self, effect: ShowSearch) -> None:
        """Show where the target may still be, and the next viewpoints."""
        self._publish('search', search_markers(effect))

    def show_zones(self, zones: Zones) -> None:
        """Show the zones where the robot must not be, or must be slow."""
        self._publish('zones', zone_markers(zones))

    def destroy(self) -> None:
        """Destroy the publishers."""
        for publisher in (self._goal, *self._markers.values()):
            self._node.destroy_publisher(publisher)

    def _publish(self, topic: str, markers: list[Marker], stamp_ns: int | None = None) -> None:
        stamp = (self._node.get_clock().now().to_msg() if stamp_ns is None
                 else to_stamp(stamp_ns))
        shown = [Marker(action=Marker.DELETEALL), *markers]
        for number, marker in enumerate(shown):
            marker.header.frame_id, marker.header.stamp = self._map_frame, stamp
            marker.id = number
        self._markers[topic].publish(MarkerArray(markers=shown))


def _same(one: GroundedObject, other: GroundedObject) -> bool:
    (x, y, _), (other_x, other_y, _) = one.position, other.position
    return one.name == other.name and (
        (x - other_x)**2 + (y - other_y)**2 <= _SAME_M * _SAME_M)
