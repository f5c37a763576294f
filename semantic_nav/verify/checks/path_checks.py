"""Checks of the planner's answer, and of the standstill before Nav2 gets a goal pose."""

from collections.abc import Sequence

import numpy as np

from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Code, NavStatus
from semantic_nav.verify.checks.failure_cause import LEFT_M, Blame, blame_of
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.stalls import Stall
from semantic_nav.verify.checks.subjects import Halting, Path, Rejection

#: Words for a planner that gave no answer.
_SILENT = {NavStatus.UNAVAILABLE: 'is not there',
           NavStatus.TIMEOUT: 'did not answer in time (path_timeout_s)',
           NavStatus.REJECTED: 'rejected the question'}


def robot_moving(subject: Halting, situation: Situation) -> Rejection | None:
    """Refuse to drive a robot that something else still moves."""
    waited_s = seconds(situation.now.steady_ns - subject.since_ns)
    if waited_s < situation.config.settle_max_s:
        return None
    return Rejection(Code.NAV_UNAVAILABLE,
                     'the robot does not stand still, though nothing is to drive it')


def no_planner(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse a goal pose for which the planner gave no answer."""
    status = subject.answer.status
    if status not in _SILENT:
        return None
    return Rejection(Code.NAV_UNAVAILABLE, situation.surroundings.blamed(
        f'no path to {_words_of(subject.goal)}: the planner {_SILENT[status]}'))


def no_way_out(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse to plan from inside an obstacle, out of which the planner finds no path."""
    answer = subject.answer
    if not situation.surroundings.stands_in_something or (
            blame_of(answer.status, answer.code, LEFT_M) is Blame.NOBODY) or len(answer.points):
        return None
    return Rejection(Code.MAP_UNAVAILABLE, 'by its pose the robot stands in something: '
                     f'no path leads out, {answer.status}, code {answer.code}', wedged=True)


def no_path(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse a goal pose to which the planner found no path."""
    del situation
    answer = subject.answer
    if answer.status == NavStatus.SUCCEEDED and len(answer.points):
        return None
    return Rejection(Code.PATH_INVALID, f'no path to {_words_of(subject.goal)}: {answer.status}, '
                     f'code {answer.code}', subject.goal)


def path_from_elsewhere(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse a path that does not begin at the robot: Nav2 and the pose disagree."""
    # A path of NaN passes here and is refused for its end.
    if not subject.beside_m > situation.config.path_end_m:
        return None
    return Rejection(Code.POSE_UNAVAILABLE, f'the path to {_words_of(subject.goal)} begins '
                     f'{subject.beside_m:.2f} m beside the robot', subject.goal)


def path_beside(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse a path that does not end at its goal pose."""
    most_m = situation.config.path_end_m
    # The planner reports success for a path that ends elsewhere within its tolerance.
    x, y = (float(v) for v in subject.answer.points[-1])
    off_m = subject.goal.distance_to(x, y)
    if off_m <= most_m:
        return None
    return Rejection(Code.PATH_INVALID, f'the path to {_words_of(subject.goal)} ends '
                     f'{off_m:.2f} m beside it', subject.goal)


def long_path(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse a path that is too long; Nav2 may not know a shorter one."""
    steps = np.diff(subject.answer.points, axis=0)
    length_m = float(np.sqrt((steps * steps).sum(axis=1)).sum())
    if length_m <= situation.config.way_max_m:
        return None
    return Rejection(Code.TOO_FAR, f'the path to {_words_of(subject.goal)} is {length_m:.0f} m '
                     'long', subject.goal)


def stalled_way(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse a path past a place where the robot got stuck lately, if a way round it is known."""
    stalls = _entered(subject, situation.stalls)
    if subject.past_stall or not stalls:
        return None
    return Rejection(Code.REPEATED_FAILURE, f'the path to {_words_of(subject.goal)} leads past '
                     f'{_place_of(stalls)}, where the robot got stuck', subject.goal)


def stalled_twice(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse the only way for a while after a second failure: the obstacle may go away.

    After the first failure it is tried again at once, because the costmaps were cleared.
    """
    stalls = _entered(subject, situation.stalls)
    if len(stalls) <= 1:
        return None
    return Rejection(Code.NAV_UNAVAILABLE, f'the only way to {_words_of(subject.goal)} leads past '
                     f'{_place_of(stalls)}, where the robot got stuck {len(stalls)} times',
                     subject.goal)


def _entered(subject: Path, stalls: Sequence[Stall]) -> list[Stall]:
    return [stall for stall in stalls if stall.entered_by(subject.answer.points)]


def _place_of(stalls: list[Stall]) -> str:
    return f'({stalls[-1].x:.2f}, {stalls[-1].y:.2f})'


def _words_of(goal: Pose2D) -> str:
    return f'({goal.x:.2f}, {goal.y:.2f})'
