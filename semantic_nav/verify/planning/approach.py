"""Plans of an approach: to a stand-off pose before the target, or to a better view of it."""

import math
from collections.abc import Sequence
from dataclasses import replace

from semantic_nav.contracts.documents import Point
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action, NavigationGoal
from semantic_nav.verify.checks.act_checks import doubted_still, grounded_near, named_pose
from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import InPicture, Rejection, StandOffs, Target, Turn
from semantic_nav.verify.planning.inspecting import beyond_blockage, inspection
from semantic_nav.verify.planning.legs import (
    leg_aside,
    look_from_elsewhere,
    second_glance,
    surer_look,
)
from semantic_nav.verify.planning.stand_off import stand_off_poses
from semantic_nav.verify.planning.target_rings import (
    NEARER_M,
    ON_LINE_RAD,
    SAME_SIDE_RAD,
    innermost_m,
    last_rings,
    leg_end_m,
    poses_aside,
    unfit_poses,
    usual_poses,
)
from semantic_nav.verify.same_place import SAME_PLACE_M, near_any
from semantic_nav.verify.tracking.findings import Proposal
from semantic_nav.verify.tracking.track import TargetTrack

#: Turns after which the picture may differ, in rad; about as much as a target may be off.
_OTHER_VIEWS_RAD = (0.25, 0.35)


def to_box(proposal: Proposal, situation: Situation) -> Plan | Rejection:
    """Plan to approach the target in the box of a look."""
    target, track = proposal.target, situation.findings.track
    assert target is not None
    position = target.position
    outside = first_rejection(situation, Target(*position[:2]))
    if outside is not None:
        return outside
    doubt = situation.findings.doubt_at(position, situation.config)
    if doubt is not None:
        return look_from_elsewhere(
            situation, position, proposal.camera, (*doubt.before, *doubt.since)) or (
            doubted_still(position))
    situation = situation.before(target.deep_m(situation.robot.x, situation.robot.y))
    if track is not None and track.distance_to(position) <= situation.config.track_merge_m:
        again = second_glance(track, situation)
        if again is not None:
            return again
        position = track.position
    return _to_target(situation, position, target.size_m, proposal.pose, proposal.camera,
                      provisional=target.provisional, vague_m=target.vague_m)


def to_named_pose(proposal: Proposal, goal: NavigationGoal,
                  situation: Situation) -> Plan | Rejection:
    """Plan to approach the grounded place nearest to a pose that the model names."""
    pose = named_pose(proposal, goal)
    near = grounded_near(proposal, pose, situation) if pose is not None else None
    assert near is not None
    return _to_target(situation, near, None, proposal.pose, proposal.camera, provisional=False)


def to_track(situation: Situation) -> Plan | Rejection:
    """Plan to approach a tracked target, or to view another face of it."""
    track = situation.findings.track
    assert track is not None
    situation = situation.before(track.deep_m)
    # A turn on the spot does not tell the distance of the target.
    anew = None if track.vague_m else (
        second_glance(track, situation) or _step_nearer(track, situation)
        or _look_anew(track, situation))
    return anew or _to_target(
        situation, track.position, track.size_m, Pose2D(*track.seen_from, 0.0), track.camera,
        provisional=not track.sure, vague_m=track.vague_m, elsewhere=True)


def _step_nearer(track: TargetTrack, situation: Situation) -> Plan | None:
    """Rest of the way to a target that is in view, but from beyond the stand-off distance.

    Nav2 stops short, and the pose has an error. The robot's place shows the target, and a pose
    nearer on the line of sight shows it too; another stand-off may not. A goal pose within Nav2's
    tolerance would move nothing. A step that did not help once is not tried again.
    """
    config, robot = situation.config, situation.robot
    x, y, height_m = track.position
    far_m = min(config.stand_off_last_m, robot.distance_to(x, y) - config.path_end_m)
    tries = sum(near_any(one, (robot,)) for one in situation.attempts.stand_offs)
    if not (situation.findings.sees_target and tries == 1
            and robot.distance_to(x, y) > config.stand_off_last_m):
        return None
    near_m = innermost_m(situation, track.camera, height_m, config.stand_off_far_m)
    goals: tuple[Pose2D, ...] = ()
    for reach_m in (config.stand_off_best_m, config.stand_off_far_m, far_m):
        goals = goals or stand_off_poses(situation, (x, y), (robot.x, robot.y), near_m,
                                         min(reach_m, far_m), situation.failed, ON_LINE_RAD)
    return Plan(Action.APPROACH, 'nearer, for it is seen from too far', target=track.position,
                goals=goals) if goals else None


def _look_anew(track: TargetTrack, situation: Situation) -> Plan | None:
    """Short way to another stand-off, where the target is in view from one, or was missed.

    A target that was missed with a clear view of its place would be missed again from nearby. One
    that is out of the picture may be hidden, and is sought on the side from which it was seen. If
    no other pose on this side is reachable, the robot turns once. After a turn a model mostly
    repeats what it took for the target, but a target in a corner allows no other picture.
    """
    robot, attempts = situation.robot, situation.attempts
    sees = situation.findings.sees_target
    if not (near_any(robot, attempts.stand_offs) if sees else track.missed_from):
        return None
    goals = poses_aside(situation, track)
    if goals:
        return Plan(Action.APPROACH, 'to another stand-off, for another view', goals=goals,
                    target=track.position)
    if not sees or near_any(robot, attempts.turns):
        return None
    turn = next((turn for turn in _turns_past(track.position, robot)
                 if track.is_another_heading(
                     Pose2D(robot.x, robot.y, robot.yaw + turn), situation.config)),
                _turns_past(track.position, robot)[-1])
    return Plan(Action.APPROACH, 'turn for another view, for no other stand-off is near',
                turn_rad=turn, target=track.position, anew=True)


def _turns_past(target: Point, robot: Pose2D) -> tuple[float, ...]:
    """Turns past a target that keep it in the picture, in rad."""
    past = math.copysign(1.0, robot.bearing_to(*target[:2]))
    return tuple(past * angle for angle in _OTHER_VIEWS_RAD)


def _to_target(situation: Situation, target: Point, size_m: float | None,
               seen_from: Pose2D | None, camera: str, *, provisional: bool,
               vague_m: float = 0.0, elsewhere: bool = False) -> Plan | Rejection:
    """Plan to a stand-off pose, or to a better view of the target.

    Args:
        situation: with pose, map and costmap.
        target: its position in the map frame, in m.
        size_m: its approximate height; None where unknown.
        seen_from: pose of the robot at the sighting; None for its current pose.
        camera: name of the camera that saw it.
        provisional: the position is not sure yet.
        vague_m: standard deviation of its distance; 0 where that is known.
        elsewhere: leave out stand-offs from which it was looked at.
    """
    config, robot = situation.config, situation.robot
    x, y, height_m = target
    outside = first_rejection(situation, Target(x, y))
    if outside is not None:
        return outside
    distance_m = robot.distance_to(x, y)
    stand = seen_from or robot
    seen = (stand.x, stand.y)
    surer = leg_aside(situation, target, seen, camera, vague_m) if vague_m else None
    if surer is None and provisional:
        surer = surer_look(situation, target, seen, camera)
    if surer is not None:
        return surer
    far = provisional and distance_m > config.leg_stand_off_m
    hidden = None if far or size_m is None else first_rejection(
        situation, _in_picture(situation, camera, target, size_m))
    if hidden is not None:
        return hidden
    far_m, reason, leg = config.stand_off_far_m, 'to the stand-off', False
    near_m = innermost_m(situation, camera, height_m, far_m)
    failed = unfit_poses(situation)
    # Nothing hides the target from where it was seen; elsewhere a wall may, however near it is.
    # The robot may only drive out of closed floor.
    may_stay = (not elsewhere and robot.distance_to(*seen) < SAME_PLACE_M
                and distance_m <= config.stand_off_last_m
                and not situation.surroundings.keepout.on(robot))
    stay = Plan(Action.APPROACH, 'stay here, for no nearer pose is clear',
                turn_rad=robot.bearing_to(x, y), target=target)
    faces = may_stay and first_rejection(
        situation, Turn(robot, robot.bearing_to(x, y))) is None
    goals = usual_poses(situation, (x, y), seen, near_m, far_m, may_stay=faces)
    avoid: Sequence[Pose2D] = (*failed, *situation.attempts.stand_offs)
    if not goals and not elsewhere:
        goals = stand_off_poses(situation, (x, y), seen, near_m, far_m, failed)
        if not goals and faces:
            return stay
        avoid = failed
    for reach_m in last_rings(far_m, config.stand_off_last_m):
        goals = goals or stand_off_poses(
            situation, (x, y), seen, max(near_m, far_m), reach_m, avoid)
    if not goals and may_stay:
        # Without room to turn it gets free first.
        return stay
    if not goals and elsewhere:
        # An earlier stand-off differs from this one, and looks err now and then.
        goals = stand_off_poses(situation, (x, y), seen, near_m, config.stand_off_last_m,
                                (*failed, robot))
    again = _again(situation, target, seen, far_m) if elsewhere and not goals else None
    if again is not None:
        return again
    blocked = None
    if not goals and not situation.attempts.stand_offs:
        exploration = situation.exploration_now
        blocked = beyond_blockage((x, y), seen, near_m, config.stand_off_last_m, situation,
                                  exploration)
        inspected = inspection(Action.APPROACH, (blocked,) if blocked else (), situation,
                               exploration)
        if inspected is not None:
            return inspected
    if not goals:
        # The floor round the target may be unknown yet: from nearer the map grows.
        goals = _nearer_poses(situation, (x, y), seen, far_m)
        leg, reason = bool(goals), 'nearer, as far as the floor is known'
    rejection = first_rejection(situation, StandOffs(
        (x, y), config.stand_off_last_m, len(goals), blocked))
    if rejection is not None:
        return rejection if blocked is None else replace(
            rejection, exploration=replace(situation.exploration_now, inspected=()))
    return Plan(Action.APPROACH, reason, goals=goals, target=target, leg=leg)


def _in_picture(situation: Situation, camera: str, target: Point, size_m: float) -> InPicture:
    """Distances at which part of a target is in the picture, by its height."""
    x, y, height_m = target
    view = situation.camera_ahead(camera)
    spans = [(0.0, math.inf)] if view is None else [
        view.in_view_m(height_m + part * size_m) for part in (-0.5, 0.0, 0.5)]
    return InPicture((x, y), height_m, min(span[0] for span in spans),
                     max(span[1] for span in spans))


def _again(situation: Situation, target: Point, seen: tuple[float, float],
           far_m: float) -> Plan | None:
    """Another look at a target from farther off, or else a turn; None after both.

    At the only stand-off a look may have overlooked the target, or something hides it from there
    alone.
    """
    config, attempts, robot = situation.config, situation.attempts, situation.robot
    if not near_any(robot, attempts.stand_offs):
        return None
    tried = (robot, *attempts.stand_offs, *attempts.legs, *situation.failed)
    goals = stand_off_poses(situation, target[:2], seen, max(far_m, config.stand_off_last_m),
                            config.leg_stand_off_m, tried, SAME_SIDE_RAD)
    if goals:
        return Plan(Action.APPROACH, 'from farther off, for another look',
                    goals=goals, target=target, leg=True)
    if near_any(robot, attempts.turns):
        return None
    return Plan(Action.APPROACH, 'turn, for another look', turn_rad=_turns_past(target, robot)[-1],
                target=target, anew=True)


def _nearer_poses(situation: Situation, target: tuple[float, float], seen: tuple[float, float],
                  far_m: float) -> tuple[Pose2D, ...]:
    """Poses on the line of sight to the target, well nearer to it than the robot is."""
    costmap = situation.surroundings.costmap
    assert costmap is not None
    first_m = max(far_m, situation.config.stand_off_last_m)
    avoid = (*situation.failed, *situation.attempts.legs)
    # No two poses on the costmap lie farther apart than its diagonal.
    limit_m = min(leg_end_m(situation, target), first_m + costmap.diagonal_m)
    for ring in range(max(0, math.ceil((limit_m - first_m) / NEARER_M))):
        inner_m = first_m + ring * NEARER_M
        outer_m = min(inner_m + NEARER_M, limit_m)
        poses = stand_off_poses(situation, target, seen, inner_m, outer_m, avoid, ON_LINE_RAD,
                                seen_over=True)
        if poses:
            return poses
    return ()
