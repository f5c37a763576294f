"""What ends a drive early: something that must be known is not known any more, or it is late."""

from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE, UnderWay
from semantic_nav.verify.driving.drive import Cut, Drive, Stage


def cut_of(drive: Drive, stands: bool, situation: Situation) -> Cut | None:
    """Return why a drive that the navigator has in hand is to end now; None where it may go on.

    What must be known to begin must be known all the way: the checks of `Here` are the watchdogs,
    and those of `UnderWay`.

    Args:
        drive: under way.
        stands: the robot got nowhere for `stuck_s`.
        situation: of now.
    """
    now, missing = situation.now, first_rejection(
        situation, HERE, UnderWay(drive.leaving, drive.before))
    if missing is not None:
        return Cut(f'stopped on the way: {missing.reason}', now.steady_ns, missing.code,
                   jumped=missing.jumped)
    if drive.stage is Stage.BACKING_OFF:
        return None
    return drive.overdue(stands, now, situation.config.stuck_s)
