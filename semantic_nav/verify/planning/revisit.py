"""Plans of a visit to a remembered place, at the viewpoint from which it was seen."""

import math

from semantic_nav.contracts.documents import ActRequest
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.checks.checks import first_rejection, passes
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import GoalPose, Rejection, RememberedPlace, VisitPose
from semantic_nav.verify.planning.target_rings import (
    SIGHT_SIDE_RAD,
    SeenTarget,
    innermost_m,
    narrowest_ring,
)
from semantic_nav.verify.tracking.findings import Proposal

#: Extent along the line of sight above which a thing is large, in m.
_SMALL_M = 0.3


def to_node(proposal: Proposal, act: ActRequest, situation: Situation) -> Plan | Rejection:
    """Plan to visit a candidate of this goal."""
    del act
    node_id = proposal.hypothesis.node_id or ''
    pose = viewpoint_of(node_id, situation)
    if isinstance(pose, Rejection):
        return pose
    nearer = _poses_before_found(node_id, situation)
    if nearer:
        return Plan(Action.GOTO_NODE, f'to what was found at the remembered place {node_id}',
                    goals=nearer, leg=True)
    return Plan(Action.GOTO_NODE, f'to the remembered place {node_id}', goals=(pose,),
                node_id=node_id)


def _poses_before_found(node_id: str, situation: Situation) -> tuple[Pose2D, ...]:
    """Poses before a thing that an earlier mission found from a place; empty if it was looked at.

    The nearest pose on the side from which it was found is as good as the place. It is tried once;
    then the place itself is visited. From elsewhere a look at a large thing shows another part,
    and may not tell it from its surroundings.
    """
    place = situation.candidate(node_id)
    if place is None or place.found_at is None or place.found_deep_m > _SMALL_M:
        return ()
    x, y, _ = place.found_at
    before = situation.before(place.found_deep_m)
    last_m = before.config.stand_off_last_m
    if any(leg.distance_to(x, y) <= last_m for leg in situation.attempts.legs) or any(
            eye.pose.distance_to(x, y) <= last_m
            and abs(eye.pose.bearing_to(x, y)) <= eye.half_angle_rad
            for eye in situation.findings.viewpoints):
        return ()
    target = SeenTarget(place.found_at, (place.pose.x, place.pose.y))
    reaches_m = before.config.stand_off_best_m, before.config.stand_off_far_m
    return narrowest_ring(before, target, innermost_m(before, target), reaches_m, before.failed,
                          SIGHT_SIDE_RAD)


def viewpoint_of(node_id: str, situation: Situation) -> Pose2D | Rejection:
    """Pose from which the robot would visit a candidate, or the rejection."""
    rejection = first_rejection(situation, RememberedPlace(node_id))
    place = situation.candidate(node_id)
    if rejection is not None or place is None:
        assert rejection is not None
        return rejection
    pose = clear_pose_near(place.pose, situation)
    if isinstance(pose, Rejection):
        return pose
    return first_rejection(situation, VisitPose(node_id, pose)) or pose


def clear_pose_near(pose: Pose2D, situation: Situation) -> Pose2D | Rejection:
    """The pose, or the nearest clear one with its heading, or the rejection."""
    rejection = first_rejection(situation, GoalPose.of(pose))
    if rejection is None:
        return pose
    if rejection.code in (Code.OUT_OF_MAP, Code.TOO_FAR):
        return rejection
    costmap = situation.surroundings.costmap
    assert costmap is not None
    (row, column), (height, width) = costmap.cell_of(pose.x, pose.y), costmap.shape
    reach = math.floor(situation.config.node_shift_m / costmap.resolution_m)
    offsets = sorted(
        ((down, right)
         for down in range(max(-reach, -row), min(reach + 1, height - row))
         for right in range(max(-reach, -column), min(reach + 1, width - column))
         if math.hypot(down, right) <= reach),
        key=lambda offset: (math.hypot(*offset), offset))
    for down, right in offsets:
        x, y = costmap.centre_of(row + down, column + right)
        if passes(situation, GoalPose(x, y, pose.yaw)):
            return Pose2D(x, y, pose.yaw)
    return rejection
