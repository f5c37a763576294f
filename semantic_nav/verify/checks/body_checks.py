"""Collision checks of the robot's body; for a round robot on its path only."""

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import GoalPose, Path, Planned, Rejection, Turn
from semantic_nav.verify.floor.body import TURN_FIRST_RAD, Body, Met, headings_along

#: Nav2's tolerance of a goal position (`xy_goal_tolerance`, stock), in m.
_TOLERANCE_M = 0.25


def unknown_body(subject: Planned, situation: Situation) -> Rejection | None:
    """Refuse to begin while the footprint of the robot is still awaited."""
    del subject
    config = situation.config
    if config.footprint or config.robot_radius or not situation.surroundings.footprint_awaited:
        return None
    return Rejection(Code.MAP_UNAVAILABLE, 'the outline of the robot is unknown: none has come on '
                     'footprint_topic')


def body_blocked(subject: GoalPose, situation: Situation) -> Rejection | None:
    """Refuse a goal pose where part of the body would be in an obstacle."""
    return _refused(Code.COLLISION_DETECTED, subject, situation.body)


def body_unseen(subject: GoalPose, situation: Situation) -> Rejection | None:
    """Refuse a goal pose where part of the body would be over unknown floor."""
    return _refused(Code.UNKNOWN_SPACE, subject, situation.body)


def _refused(code: Code, goal: GoalPose, body: Body | None) -> Rejection | None:
    met = _met_at(body, goal) if body is not None else None
    if met is None or met.code is not code:
        return None
    return Rejection(code, f'at ({goal.x:.2f}, {goal.y:.2f}) the body of the robot would lie over '
                     f'{met.words}', goal.pose)


# Two checks ask for it in a row; a larger cache would keep old maps.
@lru_cache(maxsize=1)
def _met_at(body: Body, goal: GoalPose) -> Met | None:
    if goal.yaw is None:
        return body.met_at_any_heading(goal.x, goal.y)
    return body.met_at(goal.pose)


def no_room_to_turn(subject: Turn, situation: Situation) -> Rejection | None:
    """Refuse a turn on the spot for which the body has no room."""
    if situation.body is None:
        return None
    met = situation.body.met_turning(subject.pose, subject.turn_rad)
    return None if met is None else Rejection(
        Code.COLLISION_DETECTED, f'the robot has no room to turn by {subject.turn_rad:.2f} rad: '
        f'its body would come over {met.words}', wedged=True, cramped=True)


def no_room_to_set_out(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse a path onto which the robot has no room to turn."""
    headings = _headings(subject) if situation.body is not None else None
    if headings is None:
        return None
    turn_rad = wrap_angle(float(headings[0]) - situation.robot.yaw)
    if abs(turn_rad) <= TURN_FIRST_RAD:
        return None
    return no_room_to_turn(Turn(situation.robot, turn_rad), situation)


def no_room_on_path(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse a path on which the body would come over an obstacle or unknown floor."""
    met = situation.on_path.met_along(subject.answer.points)
    return None if met is None else Rejection(
        Code.PATH_INVALID, f'on the path to ({subject.goal.x:.2f}, {subject.goal.y:.2f}) the body '
        f'of the robot would come over {met.words}', subject.goal,
        unseen=(met.x, met.y) if met.code is Code.UNKNOWN_SPACE else None)


def no_room_at_end(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse a path at whose end the robot has no room to turn to the heading of its goal pose.

    Nav2 turns as soon as it is within its tolerance of the goal pose. Where the goal pose has room
    for a full turn, the place of that turn must have it too, or the robot may not get out again.
    """
    if situation.body is None:
        return None
    goal = subject.goal
    roomy = situation.body.has_room(goal)
    for pose in _ends(subject, situation.robot):
        met = situation.body.met_turning(
            pose, math.tau if roomy else wrap_angle(goal.yaw - pose.yaw))
        if met is not None:
            return Rejection(
                Code.PATH_INVALID, f'at ({pose.x:.2f}, {pose.y:.2f}) the robot has no room to '
                f'turn from its path to {goal.yaw:.2f} rad: its body would come over {met.words}',
                goal)
    return None


def _ends(subject: Path, robot: Pose2D) -> tuple[Pose2D, ...]:
    """Poses on the path at which the robot may begin to turn to the heading of its goal pose."""
    points, goal = subject.answer.points, subject.goal
    headings = _headings(subject)
    if headings is None:
        return (replace(goal, yaw=robot.yaw),)
    away = points - (goal.x, goal.y)
    near = np.flatnonzero((away * away).sum(axis=1) <= _TOLERANCE_M**2)
    first = int(near[0]) if len(near) else len(points) - 1
    x, y = points[first].tolist()
    return (Pose2D(x, y, float(headings[first])),
            replace(goal, yaw=float(headings[-1])))


def _headings(subject: Path) -> NDArray[np.float64] | None:
    """Headings along a path, in rad; None for fewer than two points."""
    points = subject.answer.points
    return None if len(points) < 2 else headings_along(points)
