"""Markers of the memory for RViz."""

import heapq
from collections.abc import Iterable, Sequence

import numpy as np
from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.memory.events import ShowPlaces
from semantic_nav.memory.graph import MAX_SHOWN
from semantic_nav.memory.place import Edge, Place
from semantic_nav.nodes.ros.clock import to_stamp

_PLACE = ColorRGBA(r=0.95, g=0.65, b=0.1, a=0.9)
_WAY = ColorRGBA(r=0.95, g=0.65, b=0.1, a=0.5)
_NAME = ColorRGBA(r=1.0, g=1.0, b=1.0, a=1.0)
_ROOM = ColorRGBA(r=0.55, g=0.75, b=1.0, a=0.9)
_HEIGHT_M = 0.1
#: Largest distance of places of one kind in one room, in m.
_SAME_ROOM_M = 3.0


class PlaceMarkers:
    """Markers of places: a sphere and a name for each, a line for each way, and the rooms.

    Of more than MAX_SHOWN places those seen last are shown.
    """

    def __init__(self, frame_id: str) -> None:
        """Begin without places.

        Args:
            frame_id: frame of the places.
        """
        self._frame_id = frame_id
        self._places: dict[str, Place] = {}
        self._edges: dict[frozenset[str], Edge] = {}
        self._changed = True

    def take(self, news: ShowPlaces) -> None:
        """Add places and ways, or their newer versions."""
        self._changed = True
        self._places.update((place.id, place) for place in news.places)
        self._edges.update((frozenset((edge.from_id, edge.to_id)), edge) for edge in news.edges)
        for place in heapq.nsmallest(
                len(self._places) - MAX_SHOWN, self._places.values(),
                key=lambda place: (place.last_seen_calendar_ns, place.id)):
            del self._places[place.id]
        self._edges = {ends: edge for ends, edge in self._edges.items()
                       if ends <= self._places.keys()}

    def hide(self, place_id: str) -> None:
        """Remove a place."""
        if self._places.pop(place_id, None) is not None:
            self._changed = True
            self._edges = {ends: edge for ends, edge in self._edges.items()
                           if place_id not in ends}

    def changed(self, stamp_ns: int) -> MarkerArray | None:
        """All markers; None if nothing has changed since the last call.

        Args:
            stamp_ns: time on the ROS clock.
        """
        if not self._changed:
            return None
        self._changed = False
        markers = [Marker(action=Marker.DELETEALL)]
        for place in self._places.values():
            markers += [_sphere(place), _name(place)]
        markers += [_room(kind, poses) for kind, poses in rooms_of(self._places.values())]
        markers.append(_ways([(self._places[edge.from_id].pose, self._places[edge.to_id].pose)
                              for edge in self._edges.values()]))
        for number, marker in enumerate(markers):
            marker.header.frame_id = self._frame_id
            marker.header.stamp = to_stamp(stamp_ns)
            marker.id = number
        return MarkerArray(markers=markers)


def rooms_of(places: Iterable[Place]) -> list[tuple[str, list[Pose2D]]]:
    """Rooms by the model's names, each with the poses of places that lie together."""
    of_kind: dict[str, list[Pose2D]] = {}
    for place in places:
        if place.kind:
            of_kind.setdefault(place.kind, []).append(place.pose)
    rooms: dict[tuple[str, int], list[Pose2D]] = {}
    for kind, poses in of_kind.items():
        for pose, number in zip(poses, _groups(poses), strict=True):
            rooms.setdefault((kind, number), []).append(pose)
    return [(kind, poses) for (kind, _), poses in rooms.items()]


def _groups(poses: Sequence[Pose2D]) -> list[int]:
    """Group number of each pose: within a group each is near another."""
    # SciPy can do this, but takes the node 0.2 s and 34 MB to load.
    xy = np.array([(pose.x, pose.y) for pose in poses])
    near = np.linalg.norm(xy[:, None] - xy, axis=2) <= _SAME_ROOM_M
    groups = np.full(len(poses), -1)
    for number in range(len(poses)):
        if groups[number] < 0:
            group, larger = np.zeros_like(near[0]), near[number]
            while (group != larger).any():
                group, larger = larger, near[larger].any(axis=0)
            groups[group] = number
    return groups.tolist()


def _room(kind: str, poses: Sequence[Pose2D]) -> Marker:
    marker = Marker(ns='rooms', type=Marker.TEXT_VIEW_FACING, color=_ROOM, text=kind.upper())
    marker.scale.z = 0.35
    x, y = (sum(values) / len(poses) for values in zip(*((one.x, one.y) for one in poses),
                                                       strict=True))
    _set_position(marker, Pose2D(x, y, 0.0), 0.5)
    return marker


def _sphere(place: Place) -> Marker:
    # RViz shows no text of a sphere: the text is for the operator page.
    marker = Marker(ns='places', type=Marker.SPHERE, color=_PLACE,
                    text=f'{place.id}\n{place.name}')
    marker.scale.x = marker.scale.y = marker.scale.z = 0.15
    _set_position(marker, place.pose, _HEIGHT_M)
    return marker


def _name(place: Place) -> Marker:
    marker = Marker(ns='names', type=Marker.TEXT_VIEW_FACING, color=_NAME,
                    text=f'{place.name or place.kind or "place"} ({place.visits})\n'
                         f'{", ".join(place.tags[:3])}')
    marker.scale.z = 0.12
    _set_position(marker, place.pose, _HEIGHT_M + 0.25)
    return marker


def _ways(ends: Sequence[tuple[Pose2D, Pose2D]]) -> Marker:
    # An empty list of lines is an error in RViz.
    marker = Marker(ns='ways', type=Marker.LINE_LIST, color=_WAY,
                    action=Marker.ADD if ends else Marker.DELETE)
    marker.scale.x = 0.03
    marker.pose.orientation.w = 1.0
    marker.points = [Point(x=pose.x, y=pose.y, z=_HEIGHT_M) for pair in ends for pose in pair]
    return marker


def _set_position(marker: Marker, pose: Pose2D, z: float) -> None:
    marker.pose.position.x, marker.pose.position.y, marker.pose.position.z = pose.x, pose.y, z
    marker.pose.orientation.w = 1.0
