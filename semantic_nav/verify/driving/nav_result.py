"""Evaluation of the end of a Nav2 goal."""

from dataclasses import replace

from semantic_nav.contracts.core import Report
from semantic_nav.contracts.documents import Result
from semantic_nav.contracts.vocabulary import ActOutcome, Level, NavStatus
from semantic_nav.verify.checks.act_checks import unknown_pose
from semantic_nav.verify.checks.checks import first_rejection, passes
from semantic_nav.verify.checks.failure_cause import UNANSWERED, UNEXPLAINED
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE, PLANNED, Turn
from semantic_nav.verify.driving.drive import Drive
from semantic_nav.verify.events import NavAnswered, NavFinished
from semantic_nav.verify.floor.nav2_clients import Clients
from semantic_nav.verify.floor.surroundings import Surroundings

#: Number of unexplained aborts in a row that is no accident.
_SILENT_ABORTS = 3


class SilentAborts:
    """Counter of the goals in a row that Nav2 aborted without a reason.

    Mostly its servers answer each other too late then.
    """

    def __init__(self) -> None:
        """Begin at zero."""
        self._count = 0

    def take(self, event: NavFinished, drive: Drive, clients: Clients) -> str:
        """Take the end of a goal; return advice on the last ones, empty for none."""
        silent = event.status is NavStatus.ABORTED and event.code in (0, UNANSWERED) and not (
            clients.have_driven_since(drive.began_ns))
        self._count = self._count + 1 if silent else 0
        return self._words if self._count >= _SILENT_ABORTS else ''

    def report(self) -> Report:
        """Report on the ends of drives, for /diagnostics."""
        if self._count < _SILENT_ABORTS:
            return Report('drives', Level.OK, 'Nav2 gives reasons where it aborts a goal')
        return Report('drives', Level.WARN, self._words, (('in_a_row', self._count),))

    @property
    def _words(self) -> str:
        return ('Nav2 aborts one goal after the other without a reason: set '
                'default_server_timeout of bt_navigator to 1000 (ms), and see whether the '
                'computer is overloaded')


def untaken(event: NavAnswered, surroundings: Surroundings) -> Result:
    """Result of a drive whose goal the navigator did not get."""
    if event.held_back:
        return Result(ActOutcome.UNAVAILABLE, f'the verifier starts no drive: {event.reason}')
    return Result(ActOutcome.UNAVAILABLE, surroundings.blamed(
        f'the navigator did not take the goal: {event.reason}'))


def blamed(result: Result | None, surroundings: Surroundings) -> Result | None:
    """Result of a drive; one without a reason gets the fault of Nav2's servers."""
    if result is None or result.nav_code not in UNEXPLAINED or result.nav_status not in (
            NavStatus.ABORTED, NavStatus.LOST):
        return result
    return replace(result, reason=surroundings.blamed(result.reason))


def result_of(event: NavFinished, drive: Drive, hint: str, situation: Situation) -> Result | None:
    """Judge the end of a Nav2 goal: its status first, then the pose of the robot.

    Args:
        event: the end of the goal.
        drive: drive of the goal.
        hint: advice to add; empty for none.
        situation: current situation.

    Returns:
        The result of the drive, or None where the robot is yet to turn to the target.
    """
    robot, config = situation.surroundings.robot.pose, situation.config
    left_m = drive.left_m(robot)
    if drive.cut is not None:
        return drive.cut.result(event.status, event.code, left_m)
    if event.status == NavStatus.LOST:
        return Result(ActOutcome.UNAVAILABLE, 'the navigator went away'
                      f'{": " if event.reason else ""}{event.reason}', event.status, event.code,
                      left_m)
    reason, lost = '', unknown_pose(HERE, situation)
    if event.status != NavStatus.SUCCEEDED:
        reason = (f'the navigator {event.status} the goal (code {event.code}), '
                  f'{left_m:.2f} m before it{"; " if hint else ""}{hint}')
    elif lost is not None:
        reason = f'the navigator says succeeded, but {lost.reason}'
    elif left_m > config.goal_reached_m:
        reason = ('the navigator says succeeded, but the robot stands '
                  f'{left_m:.2f} m beside the goal')
    if reason:
        return Result(ActOutcome.ABORTED, reason, event.status, event.code, left_m)
    turn_rad = drive.left_to_face_rad(robot)
    if turn_rad is None or abs(turn_rad) <= config.facing_rad:
        return drive.reached(event, left_m)
    unknown = first_rejection(situation, HERE, PLANNED)
    if unknown is None:
        may_turn = passes(situation, Turn(situation.robot, turn_rad))
        return None if may_turn else drive.reached(event, left_m)
    return Result(ActOutcome.UNAVAILABLE, f'not turned to the target: {unknown.reason}',
                  event.status, event.code, left_m, unknown.code)
