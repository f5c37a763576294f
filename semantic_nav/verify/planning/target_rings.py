"""The rings round a target on which the robot may stand, and the sides from which it shows."""

import math
from collections.abc import Iterator, Sequence

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.grounding.grounding import PICTURE_MARGIN
from semantic_nav.verify.planning.stand_off import stand_off_poses
from semantic_nav.verify.tracking.track import TargetTrack

#: So far round the target it is still in view: of last looks in simulated homes 60 of 60 showed it
#: within this, and none of 6 beyond 60 degrees.
SIGHT_SIDE_RAD = math.radians(40)
#: How far round the target is still the side from which it was seen, in radians.
SAME_SIDE_RAD = math.radians(100)
#: How far round the target the way there may lead aside from the line of sight, in radians.
ON_LINE_RAD = 0.4
#: Nav2 stops a quarter of a metre short: round the nearest stand-off about so far, in radians.
_SHORT_RAD = 0.5
#: Longest way to another stand-off for another view, in metres: some seconds.
_NEAR_BY_M = 4.0
#: A leg is worth its way when it brings the robot nearer by this much, in metres.
NEARER_M = 0.5
#: Width that is left of the ring of stand-off poses round something low, in metres.
_RING_M = 0.1
_LAST_STEP_M = 0.05


def leg_end_m(situation: Situation, target: Sequence[float]) -> float:
    """Return how near to a target a leg must lead to be worth its way.

    Nav2 may call a goal reached without a move where the robot is so near to it already.
    """
    least_m = max(NEARER_M, situation.config.goal_reached_m)
    return situation.robot.distance_to(target[0], target[1]) - least_m


def unfit_poses(situation: Situation) -> tuple[Pose2D, ...]:
    """Return the poses that do not do: not reached lately, or something hides the target there."""
    hidden = () if situation.findings.sees_target else situation.attempts.legs
    return (*situation.failed, *hidden)


def innermost_m(situation: Situation, camera: str, height_m: float, far_m: float) -> float:
    """Return the inner radius of the ring of stand-off poses.

    From too near, what stands low or hangs high is out of the picture, and no look would confirm
    it. That it lies well in it is worth the way to the outer edge of the ring, that it lies in it
    at all the way beyond.
    """
    view, config = situation.camera_ahead(camera), situation.config
    if view is None:
        return config.stand_off_near_m
    well_m, just_m = (view.in_view_m(height_m, margin)[0] for margin in (PICTURE_MARGIN, 0.0))
    most_m = max(far_m, config.stand_off_last_m) - _RING_M
    return max(config.stand_off_near_m, min(well_m, max(just_m, far_m - _RING_M), most_m))


def usual_poses(situation: Situation, target: tuple[float, float], seen: tuple[float, float],
                 near_m: float, far_m: float, avoid: Sequence[Pose2D] = (), *,
                 may_stay: bool) -> tuple[Pose2D, ...]:
    """Return the poses on the usual ring from which the target was not looked at yet.

    On the side from which it was seen also beyond that ring, unless the robot may stay there.
    """
    avoid = (*avoid, *unfit_poses(situation), *situation.attempts.stand_offs)
    config = situation.config
    usual_m = (config.stand_off_best_m, far_m)
    beyond_m = () if may_stay else last_rings(far_m, config.stand_off_last_m)
    # From another side something may hide the target, the surer the farther round.
    rings = [(side_rad, reach_m) for side_rad, reaches_m in (
        (SIGHT_SIDE_RAD, (*usual_m, *beyond_m)), (SAME_SIDE_RAD, usual_m), (math.pi, usual_m))
        for reach_m in reaches_m]
    # A robot that is not round comes into a narrow place and out of it straight only.
    for roomy in (False,) if situation.body is None else (True, False):
        for side_rad, reach_m in rings:
            poses = stand_off_poses(situation, target, seen, near_m, reach_m, avoid, side_rad,
                                    roomy=roomy)
            if poses:
                return poses
    return ()


def poses_aside(situation: Situation, track: TargetTrack) -> tuple[Pose2D, ...]:
    """Return stand-off poses near by from which a target that is seen shows another face."""
    config, robot = situation.config, situation.robot
    x, y, height_m = track.position
    avoid = (*unfit_poses(situation), *situation.attempts.stand_offs, *track.views)
    near_m = innermost_m(situation, track.camera, height_m, config.stand_off_far_m)
    for roomy in (False,) if situation.body is None else (True, False):
        for reach_m in (config.stand_off_best_m, config.stand_off_far_m, config.stand_off_last_m):
            poses = stand_off_poses(
                situation, (x, y), (robot.x, robot.y), near_m, reach_m, avoid, SAME_SIDE_RAD,
                from_rad=config.track_apart_rad + _SHORT_RAD, roomy=roomy)
            near = tuple(pose for pose in poses if situation.surroundings.way_is_within(
                pose.x, pose.y, _NEAR_BY_M))
            if near:
                return near
    return ()


def last_rings(far_m: float, last_m: float) -> Iterator[float]:
    """Yield radii beyond the usual one, for Nav2 may stop short: the nearer, the better."""
    for step in range(1, math.ceil((last_m - far_m) / _LAST_STEP_M) + 1):
        yield min(far_m + step * _LAST_STEP_M, last_m)
