"""What the end of a goal of Nav2 is worth."""

from semantic_nav.contracts.documents import Result
from semantic_nav.contracts.vocabulary import ActOutcome, NavStatus
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.events import NavFinished
from semantic_nav.verify.subjects import Rejection


def failure(event: NavFinished, left_m: float, lost: Rejection | None, cancelled_because: str,
            config: VerifierConfig) -> Result | None:
    """Judge how the navigator ended: its status first, then where the robot stands.

    Args:
        event: the end of the goal.
        left_m: distance from the robot to the goal, in m.
        lost: why nobody knows where the robot is.
        cancelled_because: empty if the goal was not to be cancelled.
        config: limits.

    Returns:
        The result, or None where the goal is reached.
    """
    if cancelled_because:
        return Result(ActOutcome.CANCELLED, cancelled_because, event.status, event.code, left_m)
    if event.status == NavStatus.LOST:
        return Result(ActOutcome.UNAVAILABLE, 'the navigator went away', event.status, event.code,
                      left_m)
    if event.status != NavStatus.SUCCEEDED:
        reason = (f'the navigator {event.status} the goal (code {event.code}), '
                  f'{left_m:.2f} m before it')
    elif lost is not None:
        reason = f'the navigator says succeeded, but {lost.reason}'
    elif left_m > config.goal_reached_m:
        reason = ('the navigator says succeeded, but the robot stands '
                  f'{left_m:.2f} m beside the goal')
    else:
        return None
    return Result(ActOutcome.ABORTED, reason, event.status, event.code, left_m)
