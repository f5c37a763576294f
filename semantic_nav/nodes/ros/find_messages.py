"""Feedback and result of the action `find`, from the record of its mission."""

import math
from typing import Any

from geometry_msgs.msg import PoseStamped
from semantic_nav_msgs.action import Find

from semantic_nav.belief.mission_record import MissionRecord
from semantic_nav.contracts.documents import RobotPose
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.nodes.ros.clock import to_stamp
from semantic_nav.nodes.ros.conversions import pose_stamped


def result(record: MissionRecord, outcome: Outcome | None, reason: str) -> Any:
    """Result of a mission."""
    return Find.Result(
        outcome=Find.Result.ERROR if outcome is None else outcome.value, reason=reason,
        stands=record.stands, p_here=_p_here(record), evidence=record.evidence,
        goal_id=record.goal_id, robot_pose=_robot_pose(record), target_pose=_target_pose(record))


def feedback(record: MissionRecord, instead_of: MissionRecord) -> Any:
    """Feedback on a mission."""
    belief, ended = record.belief, instead_of.belief
    message = Find.Feedback(
        state='waiting', p_here=_p_here(record), robot_pose=_robot_pose(record),
        instead_of='' if ended is None else ended.goal_text,
        instead_of_goal_id=instead_of.goal_id)
    if belief is not None:
        message.state = belief.phase.value
        message.doing = '; '.join(filter(None, (belief.next_action, belief.reason)))
        message.question = belief.question
        message.time_s = belief.budgets.time_s
        message.distance_m = belief.budgets.distance_m
        message.model_calls = belief.budgets.model_calls
    return message


def _p_here(record: MissionRecord) -> float:
    known = record.belief.p_here if record.belief is not None else None
    return math.nan if known is None else known


def _robot_pose(record: MissionRecord) -> PoseStamped:
    document = record.robot
    if document is None or not isinstance(document.body, RobotPose):
        return PoseStamped()
    return pose_stamped(document.body.pose, document.frame_id, document.stamp_ns)


def _target_pose(record: MissionRecord) -> PoseStamped:
    message, track = PoseStamped(), record.target
    if track is not None and record.seen is not None:
        message.header.frame_id = record.seen.frame_id
        message.header.stamp = to_stamp(record.seen.stamp_ns)
        point = message.pose.position
        point.x, point.y, point.z = track.position
    return message
