"""Checks of where the body of the robot comes; of a round one on its path alone."""

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import Goal, Path, Planned, Rejection, Turn
from semantic_nav.verify.floor.body import TURN_FIRST_RAD, Body, Met, headings_along

#: So far from its goal Nav2 calls the place reached (`xy_goal_tolerance`, stock), in metres.
_TOLERANCE_M = 0.25


def unknown_body(subject: Planned, situation: Situation) -> Rejection | None:
    """Refuse to begin where the outline of the robot is yet to be told."""
    del subject
    config = situation.config
    if config.footprint or config.robot_radius or not situation.surroundings.footprint_awaited:
        return None
    return Rejection(Code.MAP_UNAVAILABLE, 'the outline of the robot is unknown: none has come on '
                     'footprint_topic')


def body_blocked(subject: Goal, situation: Situation) -> Rejection | None:
    """Refuse a goal where some part of the body would be in something."""
    return _refused(Code.COLLISION_DETECTED, subject, situation)


def body_unseen(subject: Goal, situation: Situation) -> Rejection | None:
    """Refuse a goal where some part of the body would be over unknown floor."""
    return _refused(Code.UNKNOWN_SPACE, subject, situation)


def _refused(code: Code, goal: Goal, situation: Situation) -> Rejection | None:
    met = _met_at(situation.body, goal) if situation.body is not None else None
    if met is None or met.code is not code:
        return None
    return Rejection(code, f'at ({goal.x:.2f}, {goal.y:.2f}) the body of the robot would lie over '
                     f'{met.words}', goal.pose)


# Two checks ask one after the other; more would keep maps of before.
@lru_cache(maxsize=1)
def _met_at(body: Body, goal: Goal) -> Met | None:
    if goal.yaw is None:
        return body.met_at_any_heading(goal.x, goal.y)
    return body.met_at(goal.pose)


def no_room_to_turn(subject: Turn, situation: Situation) -> Rejection | None:
    """Refuse a turn on the spot that brings a corner into something."""
    if situation.body is None:
        return None
    met = situation.body.met_turning(subject.pose, subject.turn_rad)
    return None if met is None else Rejection(
        Code.COLLISION_DETECTED, f'the robot has no room to turn by {subject.turn_rad:.2f} rad: '
        f'its body would come over {met.words}', wedged=True, cramped=True)


def no_room_to_set_out(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse a path to which the robot cannot turn where it is."""
    headings = _headings(subject, situation)
    if headings is None:
        return None
    turn_rad = wrap_angle(float(headings[0]) - situation.robot.yaw)
    if abs(turn_rad) <= TURN_FIRST_RAD:
        return None
    return no_room_to_turn(Turn(situation.robot, turn_rad), situation)


def no_room_on_path(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse a path on which some part of the body would come over something."""
    met = situation.on_path.met_along(subject.answer.points)
    return None if met is None else Rejection(
        Code.PATH_INVALID, f'on the path to ({subject.goal.x:.2f}, {subject.goal.y:.2f}) the body '
        f'of the robot would come over {met.words}', subject.goal,
        unseen=(met.x, met.y) if met.code is Code.UNKNOWN_SPACE else None)


def no_room_at_end(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse a path at the end of which the robot cannot turn to the heading of its goal.

    Nav2 turns as soon as it is within its tolerance of the goal. Where the goal itself has room to
    turn round, that place must have it too, or the robot may not come out again.
    """
    if situation.body is None:
        return None
    goal = subject.goal
    roomy = situation.body.has_room(goal)
    for pose in _ends(subject, situation):
        met = situation.body.met_turning(
            pose, math.tau if roomy else wrap_angle(goal.yaw - pose.yaw))
        if met is not None:
            return Rejection(
                Code.PATH_INVALID, f'at ({pose.x:.2f}, {pose.y:.2f}) the robot has no room to '
                f'turn from its path to {goal.yaw:.2f} rad: its body would come over {met.words}',
                goal)
    return None


def _ends(subject: Path, situation: Situation) -> tuple[Pose2D, ...]:
    """Return where on its path the robot may begin to turn to the heading of its goal."""
    points, goal = subject.answer.points, subject.goal
    headings = _headings(subject, situation)
    if headings is None:
        return (replace(goal, yaw=situation.robot.yaw),)
    away = points - (goal.x, goal.y)
    near = np.flatnonzero((away * away).sum(axis=1) <= _TOLERANCE_M**2)
    first = int(near[0]) if len(near) else len(points) - 1
    x, y = points[first].tolist()
    return (Pose2D(x, y, float(headings[first])),
            replace(goal, yaw=float(headings[-1])))


def _headings(subject: Path, situation: Situation) -> NDArray[np.float64] | None:
    """Return the headings along a path; None where there are none, or nobody asks."""
    points = subject.answer.points
    return None if situation.body is None or len(points) < 2 else headings_along(points)
