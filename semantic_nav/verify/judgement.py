"""What the planner's path and the navigator's end are worth."""

from semantic_nav.contracts.documents import Result
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import ActOutcome, Code
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.events import NavFinished, PathAnswered
from semantic_nav.verify.world import Doubt

#: Words of action_msgs/GoalStatus as the shell gives them.
SUCCEEDED, CANCELED = 'succeeded', 'canceled'
#: What the shell says where no server answers.
UNAVAILABLE, TIMEOUT, LOST = 'unavailable', 'timeout', 'lost'
#: What a server says that is paused or not active yet.
REJECTED = 'rejected'


def doubt_path(goal: Pose2D, event: PathAnswered, config: VerifierConfig) -> Doubt | None:
    """Return what is wrong with a path to a goal, both in the map frame; None if nothing is."""
    place = f'({goal.x:.2f}, {goal.y:.2f})'
    if event.status in (UNAVAILABLE, TIMEOUT, REJECTED):
        return Doubt(Code.NAV_UNAVAILABLE, f'no path to {place}: the planner is {event.status}')
    if event.status != SUCCEEDED or len(event.points) == 0:
        return Doubt(Code.PATH_INVALID,
                     f'no path to {place}: {event.status}, code {event.code}', goal)
    # Within its tolerance the planner says succeeded although the path ends elsewhere.
    x, y = (float(v) for v in event.points[-1])
    off_m = goal.distance_to(x, y)
    if not off_m <= config.path_end_m:
        return Doubt(Code.PATH_INVALID, f'the path to {place} ends {off_m:.2f} m beside it', goal)
    return None


def failure(event: NavFinished, left_m: float, doubt: Doubt | None, cancelled_because: str,
            config: VerifierConfig) -> Result | None:
    """Judge how the navigator ended: its status first, then where the robot stands.

    Args:
        event: the end of the goal.
        left_m: distance from the robot to the goal, in m.
        doubt: what is wrong with the robot's pose.
        cancelled_because: empty if the goal was not to be cancelled.
        config: limits.

    Returns:
        The result, or None where the goal is reached.
    """
    if cancelled_because:
        return Result(ActOutcome.CANCELLED, cancelled_because, event.status, event.code, left_m)
    if event.status == LOST:
        return Result(ActOutcome.UNAVAILABLE, 'the navigator went away', event.status, event.code,
                      left_m)
    if event.status != SUCCEEDED:
        reason = (f'the navigator {event.status} the goal (code {event.code}), '
                  f'{left_m:.2f} m before it')
    elif doubt is not None:
        reason = f'the navigator says succeeded, but {doubt.reason}'
    elif left_m > config.goal_reached_m:
        reason = ('the navigator says succeeded, but the robot stands '
                  f'{left_m:.2f} m beside the goal')
    else:
        return None
    return Result(ActOutcome.ABORTED, reason, event.status, event.code, left_m)
