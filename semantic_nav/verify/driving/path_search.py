"""Evaluation of the planner's answer for the act under way."""

from dataclasses import replace

import numpy as np

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.checks.attempts import Failure
from semantic_nav.verify.checks.checks import first_rejection, passes
from semantic_nav.verify.checks.failure_cause import LEFT_M, Blame, blame_of
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE, PLANNED, ActStart, GoalPose, Path, Rejection
from semantic_nav.verify.driving.drive import Drive
from semantic_nav.verify.events import PathAnswered
from semantic_nav.verify.floor.surroundings import Surroundings
from semantic_nav.verify.same_place import near_any

#: Codes against a goal pose or its path, not for a missing part: another goal pose may do.
_OF_A_POSE = frozenset({Code.PATH_INVALID, Code.KEEPOUT, Code.COLLISION_DETECTED,
                        Code.REPEATED_FAILURE, Code.TOO_FAR})
#: Distance from which the robot looks at unknown floor on its path, in m.
_LOOK_FROM_M = 0.8


def path_of(answer: PathAnswered, drive: Drive, around: Surroundings) -> Path:
    """The planner's answer for the goal pose of an act, with its path from the robot on.

    The planner begins in the cell of the robot. To a path that begins farther away the robot would
    drive straight, so that piece is checked with the rest.
    """
    assert drive.goal is not None
    robot, costmap = around.robot.pose, around.costmap
    path = Path(drive.goal, answer, drive.plan.past_stall)
    if robot is None or costmap is None or not len(answer.points):
        return path
    x, y = answer.points[0].tolist()
    beside_m = robot.distance_to(x, y)
    if beside_m > costmap.resolution_m:
        answer = replace(answer, points=np.concatenate(([(robot.x, robot.y)], answer.points)))
    return replace(path, answer=answer, beside_m=beside_m)


def rejection_of(path: Path, drive: Drive, situation: Situation) -> Rejection | None:
    """Rejection of the goal pose of an act, by its path and the situation; None for none."""
    return first_rejection(situation, ActStart(drive.act, drive.began_ns), HERE, PLANNED,
                           GoalPose.of(path.goal), path)


def another_may_do(rejection: Rejection, drive: Drive) -> bool:
    """Tell whether another goal pose of the plan may do better, and go on to it."""
    drive.tries += 1
    return rejection.code in _OF_A_POSE and drive.tries < len(drive.plan.goals)


def failures(answer: PathAnswered, rejection: Rejection, drive: Drive,
             now: Now) -> tuple[Failure, ...]:
    """Failures of the goal poses of a plan, none of which has a path."""
    blamed = blame_of(answer.status, answer.code, LEFT_M) is Blame.GOAL
    # Nav2 would drive past a stall, over closed floor or too far, though another way is known.
    if (rejection.code is Code.PATH_INVALID and blamed) or (
            rejection.code in (Code.REPEATED_FAILURE, Code.KEEPOUT, Code.TOO_FAR)):
        return tuple(Failure(now.steady_ns, goal) for goal in drive.plan.goals)
    return ()


def leg_to_unseen(path: Path, rejection: Rejection, drive: Drive,
                  situation: Situation) -> Plan | None:
    """Leg up to the unknown floor that alone forbids the path to a target.

    From there the map grows, while a look from the current pose would show nothing new. None where
    the robot is there already, was there for this target, or may not stand there.
    """
    plan, robot = drive.plan, situation.robot
    if rejection.unseen is None or plan.target is None:
        return None
    points = path.answer.points
    beyond = np.hypot(*(points - rejection.unseen).T) < _LOOK_FROM_M
    x, y = points[max(0, int(np.argmax(beyond)) - 1) if beyond.any() else -1].tolist()
    goal = Pose2D(x, y, Pose2D(x, y, 0.0).bearing_to(*plan.target[:2]))
    if near_any(goal, (robot, *plan.goals, *situation.attempts.legs)) or (
            # This also keeps a robot on closed floor from more of it.
            not passes(situation, GoalPose.of(goal))):
        return None
    return Plan(plan.action, 'to a view of unknown floor on the way at ({:.1f}, {:.1f})'.format(
        *rejection.unseen), goals=(goal,), target=plan.target, leg=True)
