"""What RViz shows of the verifier."""

import math

from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from semantic_nav.contracts.documents import Cone, Observation
from semantic_nav.nodes.ros.clock import to_stamp

_SEEN = ColorRGBA(r=0.2, g=0.6, b=1.0, a=0.9)
_TARGET = ColorRGBA(r=0.9, g=0.1, b=0.1, a=0.9)
_NEUTRAL = ColorRGBA(r=0.6, g=0.6, b=0.6, a=0.8)
_ARC_POINTS = 12


def observation_markers(observation: Observation, frame_id: str, stamp: int) -> MarkerArray:
    """Return the view cone, the grounded objects and the target of a look."""
    markers = [Marker(action=Marker.DELETEALL)]
    if observation.cone is not None:
        markers.append(_cone(observation.cone))
    for item in observation.objects:
        markers.append(_sphere(item.position, _TARGET if item.is_target else _NEUTRAL, 0.1))
        markers.append(_text(item.position, item.name))
    if observation.track is not None:
        markers.append(_sphere(observation.track.position, _TARGET, 0.25))
    for number, marker in enumerate(markers):
        marker.header.frame_id = frame_id
        marker.header.stamp = to_stamp(stamp)
        marker.id = number
    return MarkerArray(markers=markers)


def _cone(cone: Cone) -> Marker:
    marker = Marker(ns='look', type=Marker.LINE_STRIP, color=_SEEN)
    marker.scale.x = 0.03
    eye = Point(x=cone.x, y=cone.y, z=0.05)
    angles = [cone.yaw + cone.half_angle_rad * (2 * i / _ARC_POINTS - 1)
              for i in range(_ARC_POINTS + 1)]
    arc = [Point(x=cone.x + cone.range_m * math.cos(a), y=cone.y + cone.range_m * math.sin(a),
                 z=0.05) for a in angles]
    marker.points = [eye, *arc, eye]
    return marker


def _sphere(position: tuple[float, float, float], color: ColorRGBA, size_m: float) -> Marker:
    marker = Marker(ns='seen', type=Marker.SPHERE, color=color)
    marker.scale.x = marker.scale.y = marker.scale.z = size_m
    _place(marker, position, 0.0)
    return marker


def _text(position: tuple[float, float, float], text: str) -> Marker:
    marker = Marker(ns='names', type=Marker.TEXT_VIEW_FACING, text=text,
                    color=ColorRGBA(r=1.0, g=1.0, b=1.0, a=1.0))
    marker.scale.z = 0.12
    _place(marker, position, 0.15)
    return marker


def _place(marker: Marker, position: tuple[float, float, float], above_m: float) -> None:
    marker.pose.position.x, marker.pose.position.y = position[0], position[1]
    marker.pose.position.z = position[2] + above_m
    marker.pose.orientation.w = 1.0
