"""Cause of a Nav2 goal that was not reached."""

from enum import Enum, auto

from semantic_nav.contracts.vocabulary import NavStatus

#: Result codes of the actions of Nav2 (nav2_msgs of jazzy, kilted and lyrical), by meaning. These
#: two are of lyrical: a server of Nav2 did not take the goal of another, or did not answer it.
REJECTED, UNANSWERED = 1, 2
#: Codes that tell no cause.
UNEXPLAINED = frozenset({0, REJECTED, UNANSWERED})
#: Faults of Nav2 itself: late or unexplained answers, late TF, missing plugins. The goal pose may
#: succeed a moment later.
_OF_NAV2 = UNEXPLAINED | {101, 103, 107, 201, 202, 207, 702, 712, 9000, 9001, 9002}
#: The planner refuses the start pose.
_OF_START = frozenset({203, 205})
#: The controller or a behaviour cannot go on: unknown, patience exceeded, no progress, no valid
#: control, a turn or a way back that takes too long or would hit something.
_STALLED = frozenset({100, 104, 105, 106, 701, 703, 711, 714})
#: Late TF stops a robot for a moment; a robot that never leaves its start is stuck.
_TF_LATE = 102

#: Distance along the way below which the robot has not left its start, in m.
LEFT_M = 0.3


class Blame(Enum):
    """Cause to which a failure is attributed."""

    #: The goal pose that was not reached.
    GOAL = auto()
    #: The place where the robot got stuck on its way.
    PLACE = auto()
    #: The start, which the robot did not leave.
    START = auto()
    #: Nav2 itself.
    NOBODY = auto()


def blame_of(status: NavStatus, code: int, covered_m: float, *, stuck: bool = False) -> Blame:
    """Cause of a failure.

    Args:
        status: final status of the Nav2 goal, or of the request for a path.
        code: Nav2's error code.
        covered_m: distance that the robot covered along its way.
        stuck: the goal was cancelled because the robot made no progress.
    """
    here = Blame.START if covered_m < LEFT_M else Blame.PLACE
    if stuck:
        return here
    if status is NavStatus.SUCCEEDED:
        return Blame.GOAL
    if status is not NavStatus.ABORTED or code in _OF_NAV2:
        return Blame.NOBODY
    if code == _TF_LATE:
        return Blame.START if here is Blame.START else Blame.NOBODY
    if code in _STALLED:
        return here
    return Blame.START if code in _OF_START else Blame.GOAL
