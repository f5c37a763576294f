"""Watchdogs of a drive, which end it where required data is missing or time is over."""

from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE, UnderWay
from semantic_nav.verify.driving.drive import Cut, Drive, DriveStage


def cut_of(drive: Drive, stands: bool, situation: Situation) -> Cut | None:
    """Early end that is due for a drive that the navigator has; None where it may go on.

    The data required to begin is required all the way: the watchdogs are the checks of `Here` and
    of `UnderWay`.

    Args:
        drive: drive under way.
        stands: the robot made no progress for `stuck_s`.
        situation: current situation.
    """
    now, missing = situation.now, first_rejection(
        situation, HERE, UnderWay(drive.leaving, drive.before))
    if missing is not None:
        return Cut(f'stopped on the way: {missing.reason}', now.steady_ns, missing.code,
                   jumped=missing.jumped)
    if drive.stage is DriveStage.BACKING_OFF:
        return None
    return drive.overdue(stands, now, situation.config.stuck_s)
