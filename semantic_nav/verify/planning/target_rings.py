"""Rings of stand-off poses round a target, and the sides from which it is visible."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from semantic_nav.contracts.documents import Point
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.grounding.grounding import PICTURE_MARGIN
from semantic_nav.verify.planning.stand_off import stand_off_poses
from semantic_nav.verify.tracking.track import TargetTrack

#: Angle round the target within which it is still in view: of last looks in simulated homes 60 of
#: 60 showed it within this, and none of 6 beyond 60 degrees.
SIGHT_SIDE_RAD = math.radians(40)
#: Angle round the target that is still the side on which it was seen, in rad.
SAME_SIDE_RAD = math.radians(100)
#: Angle round the target that is still on the line of sight, in rad.
ON_LINE_RAD = 0.4
#: Angle round the target by which Nav2 may stop short, in rad: a quarter of a metre at the nearest
#: stand-off.
_SHORT_RAD = 0.5
#: Longest way to another stand-off for another view, in m: some seconds of driving.
_NEAR_BY_M = 4.0
#: Least approach that makes a leg worth its way, in m.
NEARER_M = 0.5
#: Width that is left of the ring of stand-off poses round a low target, in m.
_RING_M = 0.1
_LAST_STEP_M = 0.05


@dataclass(frozen=True)
class SeenTarget:
    """A target to approach, as it was seen last.

    Attributes:
        position: its position in the map frame, in m.
        seen_from: x and y of the robot at the sighting.
        camera: name of the camera that saw it; empty where unknown.
        size_m: its approximate height; None where unknown.
        provisional: the position is not sure yet.
        vague_m: standard deviation of its distance; 0 where that is known.
    """

    position: Point
    seen_from: tuple[float, float]
    camera: str = ''
    size_m: float | None = None
    provisional: bool = False
    vague_m: float = 0.0

    @classmethod
    def of(cls, track: TargetTrack) -> Self:
        """The target of a track."""
        return cls(track.position, track.seen_from, track.camera, track.size_m,
                   provisional=not track.sure, vague_m=track.vague_m)

    @property
    def xy(self) -> tuple[float, float]:
        """Its position on the floor, in the map frame, in m."""
        return self.position[:2]

    @property
    def height_m(self) -> float:
        """Height of its middle over the floor."""
        return self.position[2]


def leg_end_m(situation: Situation, target: SeenTarget) -> float:
    """Largest distance from the target at which the end of a leg is worth its way, in m.

    Nav2 may call a goal pose reached without a move if the robot is that near already.
    """
    least_m = max(NEARER_M, situation.config.goal_reached_m)
    return situation.robot.distance_to(*target.xy) - least_m


def unfit_poses(situation: Situation) -> tuple[Pose2D, ...]:
    """Poses to leave out: not reached lately, or with the target hidden."""
    hidden = () if situation.findings.sees_target else situation.attempts.legs
    return (*situation.failed, *hidden)


def innermost_m(situation: Situation, target: SeenTarget, far_m: float | None = None) -> float:
    """Inner radius of the ring of stand-off poses, in m, for an outer one; None: the usual one.

    From too near, a low or high target is out of the picture, and no look would confirm it. To
    have it well in the picture is worth the way to the outer edge of the ring; to have it in the
    picture at all, the way beyond.
    """
    view, config = situation.camera_ahead(target.camera), situation.config
    if view is None:
        return config.stand_off_near_m
    far_m = config.stand_off_far_m if far_m is None else far_m
    well_m, just_m = (
        view.in_view_m(target.height_m, margin)[0] for margin in (PICTURE_MARGIN, 0.0))
    most_m = max(far_m, config.stand_off_last_m) - _RING_M
    return max(config.stand_off_near_m, min(well_m, max(just_m, far_m - _RING_M), most_m))


def narrowest_ring(situation: Situation, target: SeenTarget, near_m: float,
                   reaches_m: Iterable[float], avoid: Sequence[Pose2D],
                   side_rad: float = math.pi) -> tuple[Pose2D, ...]:
    """Poses of the first ring that has any; the rings share their inner radius.

    Args:
        situation, near_m, avoid, side_rad: see `stand_off_poses`.
        target: the target, with the side on which it was seen.
        reaches_m: outer radii, in the order of preference.
    """
    rings = (stand_off_poses(situation, target.xy, target.seen_from, near_m, reach_m, avoid,
                             side_rad) for reach_m in reaches_m)
    return next(filter(None, rings), ())


def drive_to(goals: tuple[Pose2D, ...], target: SeenTarget, reason: str, *,
             leg: bool = False) -> Plan | None:
    """Plan to drive to the first of these poses with a path; None without poses."""
    return Plan(Action.APPROACH, reason, goals=goals, target=target.position,
                leg=leg) if goals else None


def usual_poses(situation: Situation, target: SeenTarget, near_m: float, far_m: float,
                avoid: Sequence[Pose2D] = (), *, may_stay: bool) -> tuple[Pose2D, ...]:
    """Poses on the usual ring from which the target was not looked at yet.

    On the side from which it was seen they may lie beyond that ring, unless the robot may stay.
    """
    avoid = (*avoid, *unfit_poses(situation), *situation.attempts.stand_offs)
    config = situation.config
    usual_m = (config.stand_off_best_m, far_m)
    beyond_m = () if may_stay else last_rings(far_m, config.stand_off_last_m)
    # The farther round the target, the likelier something hides it.
    rings = [(side_rad, reach_m) for side_rad, reaches_m in (
        (SIGHT_SIDE_RAD, (*usual_m, *beyond_m)), (SAME_SIDE_RAD, usual_m), (math.pi, usual_m))
        for reach_m in reaches_m]
    tried = (stand_off_poses(situation, target.xy, target.seen_from, near_m, reach_m, avoid,
                             side_rad, roomy=roomy)
             for roomy in _room_first(situation) for side_rad, reach_m in rings)
    return next(filter(None, tried), ())


def poses_aside(situation: Situation, track: TargetTrack) -> tuple[Pose2D, ...]:
    """Stand-off poses near by from which a visible target shows another face."""
    config, robot, target = situation.config, situation.robot, SeenTarget.of(track)
    avoid = (*unfit_poses(situation), *situation.attempts.stand_offs, *track.views)
    near_m = innermost_m(situation, target)
    for roomy in _room_first(situation):
        for reach_m in (config.stand_off_best_m, config.stand_off_far_m, config.stand_off_last_m):
            poses = stand_off_poses(
                situation, target.xy, (robot.x, robot.y), near_m, reach_m, avoid, SAME_SIDE_RAD,
                from_rad=config.track_apart_rad + _SHORT_RAD, roomy=roomy)
            near = tuple(pose for pose in poses if situation.surroundings.way_is_within(
                pose.x, pose.y, _NEAR_BY_M))
            if near:
                return near
    return ()


def _room_first(situation: Situation) -> tuple[bool, ...]:
    """Values of `roomy` in the order in which poses are looked for.

    A robot that is not round gets into and out of a narrow place only straight.
    """
    return (False,) if situation.body is None else (True, False)


def last_rings(far_m: float, last_m: float) -> Iterator[float]:
    """Yield radii in m beyond the usual one, nearest first, because Nav2 may stop short."""
    for step in range(1, math.ceil((last_m - far_m) / _LAST_STEP_M) + 1):
        yield min(far_m + step * _LAST_STEP_M, last_m)
