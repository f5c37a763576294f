"""Markers of the verifier for RViz."""

import math
import textwrap
from collections.abc import Iterable

import numpy as np
from geometry_msgs.msg import Point, Quaternion
from scipy.spatial.transform import Rotation
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from semantic_nav.contracts.documents import Cone, GroundedObject, Observation, Verdict
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.explore.likely_squares import SQUARE_M
from semantic_nav.nodes.ros.conversions import quaternion_of
from semantic_nav.verify.effects import ShowCandidates, ShowSearch
from semantic_nav.verify.zones import Zone, ZoneKind, Zones

_SEEN = ColorRGBA(r=0.2, g=0.6, b=1.0, a=0.9)
_TARGET = ColorRGBA(r=0.9, g=0.1, b=0.1, a=0.9)
_NEUTRAL = ColorRGBA(r=0.6, g=0.6, b=0.6, a=0.8)
_WHITE = ColorRGBA(r=1.0, g=1.0, b=1.0, a=1.0)
_ACCEPTED = ColorRGBA(r=0.15, g=0.7, b=0.25, a=0.9)
_REFUSED = ColorRGBA(r=0.9, g=0.3, b=0.1, a=0.9)
_ZONES = {ZoneKind.KEEP_OUT: ColorRGBA(r=0.9, g=0.1, b=0.1, a=0.8),
          ZoneKind.KEEP_IN: ColorRGBA(r=0.1, g=0.6, b=0.3, a=0.8),
          ZoneKind.SPEED: ColorRGBA(r=0.95, g=0.65, b=0.1, a=0.8)}
#: Colours by the check that refuses a pose.
_OF_CODE = {Code.OK: _ACCEPTED, Code.KEEPOUT: _ZONES[ZoneKind.KEEP_OUT],
            Code.COLLISION_DETECTED: ColorRGBA(r=0.9, g=0.45, b=0.0, a=0.8),
            Code.UNKNOWN_SPACE: ColorRGBA(r=0.45, g=0.45, b=0.5, a=0.8),
            Code.OUT_OF_MAP: ColorRGBA(r=0.1, g=0.1, b=0.1, a=0.8),
            Code.UNREACHABLE: ColorRGBA(r=0.5, g=0.2, b=0.7, a=0.8),
            Code.TOO_FAR: ColorRGBA(r=0.2, g=0.3, b=0.8, a=0.8)}
_ARC_POINTS = 12
#: Standard deviations in the half axis of an ellipsoid, and least axis that can be seen, in m.
_SIGMAS, _LEAST_M = 2.0, 0.02
_LINE_CHARS, _MOST_LINES = 48, 4


def observation_markers(observation: Observation) -> list[Marker]:
    """View cone, grounded objects with their covariance, and target."""
    markers = [] if observation.cone is None else [_cone(observation.cone)]
    for item in observation.objects:
        color = _TARGET if item.is_target else _NEUTRAL
        markers += [_sphere(item.position, color, 0.1), _covariance(item, color),
                    _text(item.position, item.name)]
    if observation.track is not None:
        markers.append(_sphere(observation.track.position, _TARGET, 0.25))
    return markers


def verdict_markers(verdict: Verdict, robot: Pose2D | None) -> list[Marker]:
    """Goal pose that was accepted or refused, and the verdict in words.

    Args:
        verdict: verdict on an act.
        robot: pose of the robot, for words without a goal pose; None if unknown.
    """
    decision, result = verdict.decision, verdict.result
    goal = decision.goal if decision is not None else None
    at = goal or robot
    markers = []
    color = _ACCEPTED if decision is None or decision.code is Code.OK else _REFUSED
    if goal is not None:
        markers.append(_arrow(goal, color))
    if at is not None:
        words = (f'{decision.code.value}, {verdict.action}: {decision.reason}'
                 if decision is not None else
                 f'{result.outcome.value}: {result.reason}' if result is not None else '')
        lines = textwrap.wrap(words, _LINE_CHARS, max_lines=_MOST_LINES)
        markers.append(_text((at.x, at.y, 0.3), '\n'.join(lines), 'verdict', color))
    return markers


def candidate_markers(effect: ShowCandidates) -> list[Marker]:
    """Poses round a target, one list of points for each check, with the check's name."""
    markers = []
    for code in dict.fromkeys(candidate.code for candidate in effect.candidates):
        poses = [one.pose for one in effect.candidates if one.code is code]
        color = _OF_CODE.get(code, _REFUSED)
        points = Marker(ns=code.value, type=Marker.POINTS, color=color)
        points.scale.x = points.scale.y = 0.05
        points.pose.orientation.w = 1.0
        points.points = [Point(x=pose.x, y=pose.y, z=0.03) for pose in poses]
        markers += [points, _text((poses[0].x, poses[0].y, 0.05), code.value, code.value, color)]
    return markers


def search_markers(effect: ShowSearch) -> list[Marker]:
    """Squares where the target may be, redder where it is likelier, and the next viewpoints."""
    squares = Marker(ns='likely', type=Marker.CUBE_LIST,
                     action=Marker.ADD if effect.squares else Marker.DELETE)
    squares.scale.x = squares.scale.y = 0.9 * SQUARE_M
    squares.scale.z = 0.01
    squares.pose.orientation.w = 1.0
    squares.points = [Point(x=one.x, y=one.y, z=-0.01) for one in effect.squares]
    squares.colors = [ColorRGBA(r=1.0, g=1.0 - one.share, b=0.2, a=0.1 + 0.5 * one.share)
                      for one in effect.squares]
    views = [_arrow(view, _SEEN if number else _ACCEPTED, 'view')
             for number, view in enumerate(effect.views)]
    return [squares, *views]


def thing_markers(things: Iterable[GroundedObject]) -> list[Marker]:
    """A dot and the name of each thing."""
    return [marker for thing in things for marker in (
        _sphere(thing.position, _NEUTRAL, 0.08, 'things'),
        _text(thing.position, thing.name, 'thing names'))]


def zone_markers(zones: Zones) -> list[Marker]:
    """Border and names of each zone."""
    return [marker for zone in zones.zones for marker in (_border(zone), _zone_name(zone))]


def _border(zone: Zone) -> Marker:
    marker = Marker(ns=zone.kind.value, type=Marker.LINE_STRIP, color=_ZONES[zone.kind])
    marker.scale.x = 0.05
    marker.pose.orientation.w = 1.0
    marker.points = [Point(x=x, y=y, z=0.02) for x, y in (*zone.corners, zone.corners[0])]
    return marker


def _zone_name(zone: Zone) -> Marker:
    x, y = (sum(values) / len(zone.corners) for values in zip(*zone.corners, strict=True))
    limit = zone.limit
    words = '' if limit is None else (
        f'\n{limit.value:g} %' if limit.percentage else f'\n{limit.value:g} m/s')
    return _text((x, y, 0.0), ' / '.join(zone.names) + words, zone.kind.value, _ZONES[zone.kind])


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


def _covariance(item: GroundedObject, color: ColorRGBA) -> Marker:
    """Ellipsoid of a position's covariance; old journals have only standard deviations."""
    marker = Marker(ns='covariance', type=Marker.SPHERE,
                    color=ColorRGBA(r=color.r, g=color.g, b=color.b, a=0.25))
    covariance = np.diag(np.square(item.sigma_m)) if item.covariance is None else (
        np.array(item.covariance).reshape(3, 3))
    squared, axes = np.linalg.eigh(covariance)
    # The eigenvectors may form a mirrored frame, which is no rotation.
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    marker.scale.x, marker.scale.y, marker.scale.z = np.maximum(
        2 * _SIGMAS * np.sqrt(np.maximum(squared, 0.0)), _LEAST_M).tolist()
    _place(marker, item.position, 0.0)
    x, y, z, w = Rotation.from_matrix(axes).as_quat().tolist()
    marker.pose.orientation = Quaternion(x=x, y=y, z=z, w=w)
    return marker


def _arrow(goal: Pose2D, color: ColorRGBA, ns: str = 'goal') -> Marker:
    marker = Marker(ns=ns, type=Marker.ARROW, color=color)
    marker.scale.x, marker.scale.y, marker.scale.z = 0.4, 0.06, 0.06
    _place(marker, (goal.x, goal.y, 0.0), 0.05)
    marker.pose.orientation = quaternion_of(goal.yaw)
    return marker


def _sphere(position: tuple[float, float, float], color: ColorRGBA, size_m: float,
            ns: str = 'seen') -> Marker:
    marker = Marker(ns=ns, type=Marker.SPHERE, color=color)
    marker.scale.x = marker.scale.y = marker.scale.z = size_m
    _place(marker, position, 0.0)
    return marker


def _text(position: tuple[float, float, float], text: str, ns: str = 'names',
          color: ColorRGBA = _WHITE) -> Marker:
    marker = Marker(ns=ns, type=Marker.TEXT_VIEW_FACING, text=text, color=color)
    marker.scale.z = 0.12
    _place(marker, position, 0.15)
    return marker


def _place(marker: Marker, position: tuple[float, float, float], above_m: float) -> None:
    marker.pose.position.x, marker.pose.position.y = position[0], position[1]
    marker.pose.position.z = position[2] + above_m
    marker.pose.orientation.w = 1.0
