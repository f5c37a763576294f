"""What RViz shows of the memory."""

import heapq
from collections.abc import Iterable, Sequence

from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.memory.place import Edge, Place
from semantic_nav.nodes.ros.clock import to_stamp

#: More than these nobody can read.
_MAX_SHOWN = 500
_PLACE = ColorRGBA(r=0.95, g=0.65, b=0.1, a=0.9)
_WAY = ColorRGBA(r=0.95, g=0.65, b=0.1, a=0.5)
_NAME = ColorRGBA(r=1.0, g=1.0, b=1.0, a=1.0)
_HEIGHT_M = 0.1


def place_markers(places: Sequence[Place], edges: Iterable[Edge], frame_id: str,
                  stamp: int) -> MarkerArray:
    """Return a sphere and a name for each place, and a line for each way between two of them.

    Args:
        places: of which the 500 seen last are shown.
        edges: of which those between shown places are.
        frame_id: of the places.
        stamp: on the ROS clock, in ns.
    """
    shown = {place.id: place.pose for place in heapq.nlargest(
        _MAX_SHOWN, places, key=lambda place: (place.last_seen_calendar_ns, place.id))}
    markers = [Marker(action=Marker.DELETEALL)]
    for place in places:
        if place.id in shown:
            markers += [_sphere(place.pose), _name(place)]
    markers.append(_ways(
        [(shown[edge.from_id], shown[edge.to_id]) for edge in edges
         if edge.from_id in shown and edge.to_id in shown]))
    for number, marker in enumerate(markers):
        marker.header.frame_id = frame_id
        marker.header.stamp = to_stamp(stamp)
        marker.id = number
    return MarkerArray(markers=markers)


def _sphere(pose: Pose2D) -> Marker:
    marker = Marker(ns='places', type=Marker.SPHERE, color=_PLACE)
    marker.scale.x = marker.scale.y = marker.scale.z = 0.15
    _set_position(marker, pose, _HEIGHT_M)
    return marker


def _name(place: Place) -> Marker:
    marker = Marker(ns='names', type=Marker.TEXT_VIEW_FACING, color=_NAME,
                    text=f'{place.kind or "place"} ({place.visits})\n{", ".join(place.tags[:3])}')
    marker.scale.z = 0.12
    _set_position(marker, place.pose, _HEIGHT_M + 0.25)
    return marker


def _ways(ends: Sequence[tuple[Pose2D, Pose2D]]) -> Marker:
    # An empty list of lines would be an error in RViz.
    marker = Marker(ns='ways', type=Marker.LINE_LIST, color=_WAY,
                    action=Marker.ADD if ends else Marker.DELETE)
    marker.scale.x = 0.03
    marker.pose.orientation.w = 1.0
    marker.points = [Point(x=pose.x, y=pose.y, z=_HEIGHT_M) for pair in ends for pose in pair]
    return marker


def _set_position(marker: Marker, pose: Pose2D, z: float) -> None:
    marker.pose.position.x, marker.pose.position.y, marker.pose.position.z = pose.x, pose.y, z
    marker.pose.orientation.w = 1.0
