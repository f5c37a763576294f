"""To a remembered place, at the viewpoint from which it was seen."""

import math

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.checks import first_rejection
from semantic_nav.verify.plan import Plan
from semantic_nav.verify.situation import Situation
from semantic_nav.verify.subjects import Goal, Node, NodeGoal, Rejection


def to_node(node_id: str, situation: Situation) -> Plan | Rejection:
    """Return the way to a candidate of this goal."""
    pose = viewpoint_of(node_id, situation)
    if isinstance(pose, Rejection):
        return pose
    return Plan(Action.GOTO_NODE, f'to the remembered place {node_id}', goals=(pose,),
                node_id=node_id)


def viewpoint_of(node_id: str, situation: Situation) -> Pose2D | Rejection:
    """Return where the robot would stand to visit a candidate, or why it would not go there."""
    rejection = first_rejection(situation, Node(node_id))
    node = situation.candidate(node_id)
    if rejection is not None or node is None:
        assert rejection is not None
        return rejection
    pose = clear_pose_near(node.pose, situation)
    if isinstance(pose, Rejection):
        return pose
    return first_rejection(situation, NodeGoal(node_id, pose)) or pose


def clear_pose_near(pose: Pose2D, situation: Situation) -> Pose2D | Rejection:
    """Return the pose, or the nearest clear one with the same heading, or why there is none."""
    rejection = first_rejection(situation, Goal.of(pose))
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
        if first_rejection(situation, Goal(x, y, pose.yaw)) is None:
            return Pose2D(x, y, pose.yaw)
    return rejection
