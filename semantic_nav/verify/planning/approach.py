"""Plans of an approach: to a stand-off pose before the target, or to a better view of it."""

import math
from collections.abc import Sequence
from dataclasses import replace

from semantic_nav.contracts.documents import ActRequest, Point
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.verify.checks.act_checks import doubted_still, grounded_near, named_pose
from semantic_nav.verify.checks.checks import first_rejection, passes
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import InPicture, Rejection, StandOffs, Target, Turn
from semantic_nav.verify.grounding.grounding import Grounded
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
    SeenTarget,
    drive_to,
    innermost_m,
    last_rings,
    leg_end_m,
    narrowest_ring,
    poses_aside,
    unfit_poses,
    usual_poses,
)
from semantic_nav.verify.same_place import SAME_PLACE_M, near_any
from semantic_nav.verify.tracking.findings import Proposal
from semantic_nav.verify.tracking.track import TargetTrack

#: Turns after which the picture may differ, in rad; about as much as a target may be off.
_OTHER_VIEWS_RAD = (0.25, 0.35)


def to_target(proposal: Proposal, act: ActRequest, situation: Situation) -> Plan | Rejection:
    """Plan to approach the target in the box of a look, or near a pose that the model names."""
    del act
    stand, goal = proposal.pose or situation.robot, proposal.hypothesis.navigation_goal
    seen_from = stand.x, stand.y
    if goal is not None:
        near = grounded_near(proposal, named_pose(proposal, goal), situation)
        assert near is not None
        return _to_target(SeenTarget(near, seen_from, proposal.camera), situation)
    grounded = proposal.target
    assert grounded is not None
    return _to_box(grounded, SeenTarget(
        grounded.position, seen_from, proposal.camera, grounded.size_m,
        provisional=grounded.provisional, vague_m=grounded.vague_m), situation)


def _to_box(grounded: Grounded, target: SeenTarget, situation: Situation) -> Plan | Rejection:
    """Plan to approach the target in a box, which may be rejected or tracked already."""
    track = situation.findings.track
    outside = first_rejection(situation, Target(*target.xy))
    if outside is not None:
        return outside
    doubt = situation.findings.doubt_at(target.position, situation.config)
    if doubt is not None:
        return look_from_elsewhere(situation, target, (*doubt.before, *doubt.since)) or (
            doubted_still(target.position))
    situation = situation.before(grounded.deep_m(situation.robot.x, situation.robot.y))
    if track is not None and track.distance_to(target.position) <= situation.config.track_merge_m:
        return second_glance(track, situation) or _to_target(
            replace(target, position=track.position), situation)
    return _to_target(target, situation)


def to_track(situation: Situation) -> Plan | Rejection:
    """Plan to approach a tracked target, or to view another face of it."""
    track = situation.findings.track
    assert track is not None
    situation = situation.before(track.deep_m)
    # A turn on the spot does not tell the distance of the target.
    anew = None if track.vague_m else (
        second_glance(track, situation) or _step_nearer(track, situation)
        or _look_anew(track, situation))
    return anew or _to_target(SeenTarget.of(track), situation, elsewhere=True)


def _step_nearer(track: TargetTrack, situation: Situation) -> Plan | None:
    """Rest of the way to a target that is in view, but from beyond the stand-off distance.

    Nav2 stops short, and the pose has an error. The robot's place shows the target, and a pose
    nearer on the line of sight shows it too; another stand-off may not. A goal pose within Nav2's
    tolerance would move nothing. A step that did not help once is not tried again.
    """
    config, robot = situation.config, situation.robot
    target = replace(SeenTarget.of(track), seen_from=(robot.x, robot.y))
    away_m = robot.distance_to(*target.xy)
    tries = sum(near_any(one, (robot,)) for one in situation.attempts.stand_offs)
    if not (situation.findings.sees_target and tries == 1 and away_m > config.stand_off_last_m):
        return None
    far_m = min(config.stand_off_last_m, away_m - config.path_end_m)
    reaches_m = (min(reach_m, far_m) for reach_m in (
        config.stand_off_best_m, config.stand_off_far_m, far_m))
    goals = narrowest_ring(situation, target, innermost_m(situation, target), reaches_m,
                           situation.failed, ON_LINE_RAD)
    return drive_to(goals, target, 'nearer, for it is seen from too far')


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
    aside = drive_to(poses_aside(situation, track), SeenTarget.of(track),
                     'to another stand-off, for another view')
    if aside is not None or not sees or near_any(robot, attempts.turns):
        return aside
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


def _to_target(target: SeenTarget, situation: Situation, *,
               elsewhere: bool = False) -> Plan | Rejection:
    """Plan to a stand-off pose, or to a better view of the target.

    Args:
        target: the target.
        situation: with pose, map and costmap.
        elsewhere: leave out stand-offs from which it was looked at.
    """
    return (first_rejection(situation, Target(*target.xy))
            or _surer_view(target, situation)
            or _out_of_picture(target, situation)
            or (_other_stand_off if elsewhere else _stand_off)(target, situation)
            or _without_stand_off(target, situation))


def _surer_view(target: SeenTarget, situation: Situation) -> Plan | None:
    """Leg to a view that makes the position surer; None where it is sure, or none is left."""
    aside = leg_aside(situation, target) if target.vague_m else None
    return aside or (surer_look(situation, target) if target.provisional else None)


def _out_of_picture(target: SeenTarget, situation: Situation) -> Rejection | None:
    """Rejection of a target that no stand-off has in the picture, as far as its size is known."""
    x, y, height_m = target.position
    far = situation.robot.distance_to(x, y) > situation.config.leg_stand_off_m
    if target.size_m is None or (target.provisional and far):
        return None
    view = situation.camera_ahead(target.camera)
    spans = [(0.0, math.inf)] if view is None else [
        view.in_view_m(height_m + part * target.size_m) for part in (-0.5, 0.0, 0.5)]
    return first_rejection(situation, InPicture(
        (x, y), height_m, min(span[0] for span in spans), max(span[1] for span in spans)))


def _stand_off(target: SeenTarget, situation: Situation) -> Plan | None:
    """Drive to a stand-off, or a turn where the robot already is at one; None for neither."""
    config, robot, (x, y) = situation.config, situation.robot, target.xy
    # Nothing hides the target from where it was seen; elsewhere a wall may, however near it is.
    # The robot may only drive out of closed floor.
    may_stay = (robot.distance_to(*target.seen_from) < SAME_PLACE_M
                and robot.distance_to(x, y) <= config.stand_off_last_m
                and not situation.surroundings.keepout.on(robot))
    turn_rad = robot.bearing_to(x, y)
    may_turn = may_stay and passes(situation, Turn(robot, turn_rad))
    near_m, failed = innermost_m(situation, target), unfit_poses(situation)
    goals = (usual_poses(situation, target, near_m, config.stand_off_far_m, may_stay=may_turn)
             or narrowest_ring(situation, target, near_m, (config.stand_off_far_m,), failed))
    if not goals and not may_turn:
        goals = _beyond(target, situation, failed)
    if not goals and may_stay:
        # Without room to turn it gets free first.
        return Plan(Action.APPROACH, 'stay here, for no nearer pose is clear',
                    turn_rad=turn_rad, target=target.position)
    return drive_to(goals, target, 'to the stand-off')


def _other_stand_off(target: SeenTarget, situation: Situation) -> Plan | None:
    """Drive to a stand-off from which it was not looked at, or else another look."""
    config, failed = situation.config, unfit_poses(situation)
    near_m = innermost_m(situation, target)
    goals = (usual_poses(situation, target, near_m, config.stand_off_far_m, may_stay=False)
             or _beyond(target, situation, (*failed, *situation.attempts.stand_offs))
             # An earlier stand-off differs from this one, and looks err now and then.
             or narrowest_ring(situation, target, near_m, (config.stand_off_last_m,),
                               (*failed, situation.robot)))
    return drive_to(goals, target, 'to the stand-off') or _again(target, situation)


def _beyond(target: SeenTarget, situation: Situation,
            avoid: Sequence[Pose2D]) -> tuple[Pose2D, ...]:
    """Stand-off poses just beyond the usual ring."""
    far_m, last_m = situation.config.stand_off_far_m, situation.config.stand_off_last_m
    return narrowest_ring(situation, target, max(innermost_m(situation, target), far_m),
                          last_rings(far_m, last_m), avoid)


def _without_stand_off(target: SeenTarget, situation: Situation) -> Plan | Rejection:
    """Inspection of what blocks the way to the target, or a leg nearer to it, or its rejection."""
    last_m, blocked = situation.config.stand_off_last_m, None
    if not situation.attempts.stand_offs:
        exploration = situation.exploration_now
        blocked = beyond_blockage(target.xy, target.seen_from, innermost_m(situation, target),
                                  last_m, situation, exploration)
        inspected = inspection(Action.APPROACH, (blocked,) if blocked else (), situation,
                               exploration)
        if inspected is not None:
            return inspected
    # The floor round the target may be unknown yet: from nearer the map grows.
    nearer = drive_to(_nearer_poses(target, situation), target,
                      'nearer, as far as the floor is known', leg=True)
    if nearer is not None:
        return nearer
    rejection = first_rejection(situation, StandOffs(target.xy, last_m, 0, blocked))
    assert rejection is not None
    return rejection if blocked is None else replace(
        rejection, exploration=replace(situation.exploration_now, inspected=()))


def _again(target: SeenTarget, situation: Situation) -> Plan | None:
    """Another look at a target from farther off, or else a turn; None after both.

    At the only stand-off a look may have overlooked the target, or something hides it from there
    alone.
    """
    config, attempts, robot = situation.config, situation.attempts, situation.robot
    if not near_any(robot, attempts.stand_offs):
        return None
    tried = (robot, *attempts.stand_offs, *attempts.legs, *situation.failed)
    farther = drive_to(narrowest_ring(
        situation, target, max(config.stand_off_far_m, config.stand_off_last_m),
        (config.leg_stand_off_m,), tried, SAME_SIDE_RAD), target,
        'from farther off, for another look', leg=True)
    if farther is not None or near_any(robot, attempts.turns):
        return farther
    return Plan(Action.APPROACH, 'turn, for another look',
                turn_rad=_turns_past(target.position, robot)[-1], target=target.position,
                anew=True)


def _nearer_poses(target: SeenTarget, situation: Situation) -> tuple[Pose2D, ...]:
    """Poses on the line of sight to the target, well nearer to it than the robot is."""
    costmap, config = situation.surroundings.costmap, situation.config
    assert costmap is not None
    first_m = max(config.stand_off_far_m, config.stand_off_last_m)
    avoid = (*situation.failed, *situation.attempts.legs)
    # No two poses on the costmap lie farther apart than its diagonal.
    limit_m = min(leg_end_m(situation, target), first_m + costmap.diagonal_m)
    inner_m = (first_m + ring * NEARER_M
               for ring in range(max(0, math.ceil((limit_m - first_m) / NEARER_M))))
    rings = (stand_off_poses(situation, target.xy, target.seen_from, near_m,
                             min(near_m + NEARER_M, limit_m), avoid, ON_LINE_RAD, seen_over=True)
             for near_m in inner_m)
    return next(filter(None, rings), ())
