"""What is at fault when a goal of Nav2 was not reached."""

from enum import Enum, auto

from semantic_nav.contracts.vocabulary import NavStatus

#: Result codes of the actions of Nav2 (nav2_msgs of jazzy, kilted and lyrical), by what they say.
#: Of lyrical: a server of Nav2 did not take the goal of another, or did not answer it.
REJECTED, UNANSWERED = 1, 2
#: With these, too, nobody knows why.
UNEXPLAINED = frozenset({0, REJECTED, UNANSWERED})
#: Servers that answer late or in no words, TF that is late, plugins that are not there: the same
#: goal may do well a moment later.
_OF_NAV2 = UNEXPLAINED | {101, 103, 107, 201, 202, 207, 702, 712, 9000, 9001, 9002}
#: The planner does not like the pose in which the robot is.
_OF_START = frozenset({203, 205})
#: The follower or a behaviour finds no way on: unknown, patience exceeded, no progress, no valid
#: control, a turn or a way back that takes too long or would hit something.
_STALLED = frozenset({100, 104, 105, 106, 701, 703, 711, 714})
#: TF that is late stops a robot for a moment; one that never gets away is stuck.
_TF_LATE = 102

#: A robot that got less far than this on its way has not left its start, in metres.
LEFT_M = 0.3


class Blame(Enum):
    """What a failure is held against."""

    #: The pose that was not reached.
    GOAL = auto()
    #: The place where the robot got stuck on its way.
    PLACE = auto()
    #: The place that the robot did not get away from.
    START = auto()
    #: Nav2 itself.
    NOBODY = auto()


def blame_of(status: NavStatus, code: int, covered_m: float, *, stuck: bool = False) -> Blame:
    """Return what is at fault.

    Args:
        status: how the goal of Nav2, or the question for a path, ended.
        code: Nav2's error code.
        covered_m: how far the robot got along its way, in m.
        stuck: it was cancelled, for the robot got nowhere.
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
