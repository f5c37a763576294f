"""Legs towards a target of uncertain position: drives and turns to a better view of it."""

import math
from collections.abc import Sequence

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.explore.sight import APART_M
from semantic_nav.verify.checks.checks import passes
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import Turn
from semantic_nav.verify.planning.stand_off import stand_off_poses
from semantic_nav.verify.planning.target_rings import (
    ON_LINE_RAD,
    SAME_SIDE_RAD,
    SIGHT_SIDE_RAD,
    SeenTarget,
    drive_to,
    innermost_m,
    leg_end_m,
    narrowest_ring,
    unfit_poses,
    usual_poses,
)
from semantic_nav.verify.same_place import SAME_PLACE_M, near_any
from semantic_nav.verify.tracking.track import TargetTrack

#: Least distance of a pose aside, in standard deviations of the target's distance: from there the
#: target is still in the picture.
_IN_PICTURE = 2.5
#: Width of the ring in which a pose aside is looked for first, in m.
_BAND_M = 0.5
#: Angle of a target off the centre of the picture for a second glance, in rad, and the number of
#: glances from one place: a model may see something else in each picture.
_BESIDE_RAD, _MOST_GLANCES = 0.3, 3
#: Number of directions that are tried round a place.
_DIRECTIONS = 8


def second_glance(track: TargetTrack, situation: Situation) -> Plan | None:
    """Turn that brings a distant target, seen once, to the other half of the picture.

    A real target mostly shows again from the same place, and one that the model made up does not.
    The turn costs less than the drive. None if the robot has driven on since, has glanced often
    enough there, or has no room to turn.
    """
    robot, camera = situation.robot, situation.camera_ahead(track.camera)
    glances = sum(near_any(robot, (one,)) for one in situation.attempts.glances)
    if camera is None or glances >= _MOST_GLANCES or not track.is_glimpse(situation.config) or (
            not track.seen_near((robot.x, robot.y))):
        return None
    off_rad = wrap_angle(robot.bearing_to(*track.position[:2]) - camera.heading_rad)
    beside_rad = min(_BESIDE_RAD, camera.half_angle_rad / 2)
    turn_rad = wrap_angle(off_rad + math.copysign(beside_rad, off_rad))
    if not passes(situation, Turn(robot, turn_rad)):
        return None
    return Plan(Action.APPROACH, 'turn, to see whether it shows again', turn_rad=turn_rad,
                target=track.position, leg=True, glance=True)


def surer_look(situation: Situation, target: SeenTarget) -> Plan | None:
    """Leg or turn to a better view of the target; None if none is left.

    Another look from a pose that did not make the position sure would not help.
    """
    config, robot, legs = situation.config, situation.robot, situation.attempts.legs
    if robot.distance_to(*target.xy) > config.leg_stand_off_m:
        far_m = min(config.leg_stand_off_m, leg_end_m(situation, target))
        goals = usual_poses(situation, target, innermost_m(situation, target, far_m), far_m,
                            legs, may_stay=True)
        return drive_to(goals, target, 'nearer, for a surer look', leg=True)
    turn_rad = robot.bearing_to(*target.xy)
    turned = any(near_any(robot, (leg,)) and (
        abs(wrap_angle(robot.yaw + turn_rad - leg.yaw)) <= config.facing_rad) for leg in legs)
    if turned or abs(turn_rad) <= config.facing_rad:
        return None
    return Plan(Action.APPROACH, 'face it, for a surer look', turn_rad=turn_rad,
                target=target.position, leg=True)


def leg_aside(situation: Situation, target: SeenTarget) -> Plan | None:
    """Leg to a pose with another bearing to a target of vague distance; None if none is left.

    The pose lies aside of the line of sight, far enough that the target is in the picture; else
    nearer on that line.
    """
    config = situation.config
    tried = (*unfit_poses(situation), *situation.attempts.legs, *situation.attempts.stand_offs,
             situation.robot)
    near_m = max(innermost_m(situation, target, config.stand_off_last_m),
                 _IN_PICTURE * target.vague_m)
    band_m = near_m + _BAND_M
    aside = narrowest_ring(situation, target, near_m,
                           (band_m, max(config.leg_stand_off_m, band_m)),
                           (*tried, *_on_line(target)), SIGHT_SIDE_RAD)
    far_m = min(config.leg_stand_off_m, leg_end_m(situation, target))
    goals = aside or narrowest_ring(situation, target, innermost_m(situation, target, far_m),
                                    (far_m,), tried, ON_LINE_RAD)
    return drive_to(goals, target, 'for another bearing', leg=True)


def look_from_elsewhere(situation: Situation, target: SeenTarget,
                        known: Sequence[Pose2D]) -> Plan | None:
    """Leg to a view of the target from another place; None if none is left.

    Args:
        situation: one in which the robot stands where it sees the target.
        target: the target.
        known: poses from which it was seen.
    """
    robot, config = situation.robot, situation.config
    tried = (*unfit_poses(situation), *situation.attempts.legs, *(
        near for pose in known for near in _round(pose)))
    near_m = innermost_m(situation, target, config.stand_off_last_m)
    far_m = max(config.leg_stand_off_m, robot.distance_to(*target.xy))
    goals = next(filter(None, (
        stand_off_poses(situation, target.xy, (robot.x, robot.y), near_m, far_m, tried, side_rad)
        for side_rad in (SIGHT_SIDE_RAD, SAME_SIDE_RAD))), ())
    return drive_to(goals, target, 'to see from elsewhere what was doubted', leg=True)


def _round(place: Pose2D) -> tuple[Pose2D, ...]:
    """Poses at and round a place; a pose near none of them is another place for a look."""
    return (place, *(
        Pose2D(place.x + APART_M * math.cos(turn), place.y + APART_M * math.sin(turn), 0.0)
        for turn in (math.tau * step / _DIRECTIONS for step in range(_DIRECTIONS))))


def _on_line(target: SeenTarget) -> tuple[Pose2D, ...]:
    """Poses on the line of sight to a target, which all have one bearing to it."""
    (x, y), seen = target.xy, target.seen_from
    away_m = math.dist((x, y), seen)
    steps = range(1, math.ceil(away_m / SAME_PLACE_M))
    return tuple(Pose2D(x + (seen[0] - x) * share, y + (seen[1] - y) * share, 0.0)
                 for share in (step * SAME_PLACE_M / away_m for step in steps))
