"""The goals of the actions that Nav2 serves: their states, results and outputs."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from semantic_nav_sim.navigator.geometry import Pose, Velocity
from semantic_nav_sim.navigator.planner import Plan

#: Number of ended goals that are kept, to answer their cancel as such.
_REMEMBERED = 100


class Action(StrEnum):
    """Name of an action."""

    NAVIGATE_TO_POSE = 'navigate_to_pose'
    COMPUTE_PATH_TO_POSE = 'compute_path_to_pose'
    SPIN = 'spin'
    BACKUP = 'backup'
    WAIT = 'wait'
    FOLLOW_PATH = 'follow_path'


class GoalStatus(IntEnum):
    """States of action_msgs/msg/GoalStatus; an accepted goal is executed at once."""

    EXECUTING = 2
    CANCELING = 3
    SUCCEEDED = 4
    CANCELED = 5
    ABORTED = 6


class CancelCode(IntEnum):
    """Return codes of action_msgs/srv/CancelGoal."""

    NONE = 0
    REJECTED = 1
    UNKNOWN_GOAL_ID = 2
    GOAL_TERMINATED = 3


@dataclass(frozen=True)
class RobotState:
    """State of the robot at one moment.

    Attributes:
        now_s: Time [s].
        pose: In the global frame; None if unknown.
        odom: In the odom frame; None if unknown.
        late: Whether the pose is known, but too old to drive by.
    """

    now_s: float
    pose: Pose | None
    odom: Pose | None
    late: bool = False


@dataclass(frozen=True)
class Drive:
    """Velocity command for the base."""

    velocity: Velocity


@dataclass(frozen=True)
class PlanMade:
    """A new path."""

    plan: Plan


@dataclass(frozen=True)
class NavigationFeedback:
    """Feedback of a goal of navigate_to_pose.

    Attributes:
        pose: Of the robot.
        elapsed_s: Since the goal was accepted [s].
        remaining_m: Length of the path still to drive [m]; 0 before the first path.
        recoveries: Number so far, including each cleared costmap.
    """

    goal_id: str
    pose: Pose
    elapsed_s: float
    remaining_m: float
    recoveries: int


@dataclass(frozen=True)
class BehaviorFeedback:
    """Feedback of a goal: angle of spin [rad] or distance of backup [m] so far."""

    goal_id: str
    done: float


@dataclass(frozen=True)
class Result:
    """End of a goal.

    Attributes:
        status: SUCCEEDED, CANCELED or ABORTED.
        code: Of the action's result; 0 for none.
        elapsed_s: Since the goal was accepted [s].
        recoveries: Of a goal of navigate_to_pose.
        plan: Of a goal of compute_path_to_pose; it may hold no path.
    """

    goal_id: str
    action: Action
    status: GoalStatus
    code: int = 0
    elapsed_s: float = 0.0
    recoveries: int = 0
    plan: Plan | None = None


@dataclass(frozen=True)
class Errand:
    """A goal from bt_navigator to another server, as it begins or ends.

    Attributes:
        action: FOLLOW_PATH, or that of a recovery: SPIN, WAIT or BACKUP.
        status: EXECUTING, or the final status.
    """

    goal_id: str
    action: Action
    status: GoalStatus


Output = Drive | PlanMade | NavigationFeedback | BehaviorFeedback | Result | Errand


@dataclass(eq=False)
class Goal:
    """One accepted goal.

    Attributes:
        id: UUID in hexadecimal.
        accepted_s: Time of its acceptance [s].
        forgotten: Whether a fault lost it: it never ends, and cannot be canceled.
    """

    id: str
    action: Action
    accepted_s: float
    status: GoalStatus = GoalStatus.EXECUTING
    forgotten: bool = False

    @property
    def canceling(self) -> bool:
        """Tell whether it is to end as CANCELED."""
        return self.status is GoalStatus.CANCELING

    @property
    def ended(self) -> bool:
        """Tell whether it has ended."""
        return self.status not in (GoalStatus.EXECUTING, GoalStatus.CANCELING)

    def end(self, now_s: float, *, succeeded: bool = False, code: int = 0, recoveries: int = 0,
            plan: Plan | None = None) -> Result:
        """End the goal: as CANCELED if a cancel is pending, whatever its result."""
        if self.canceling:
            self.status = GoalStatus.CANCELED
        else:
            self.status = GoalStatus.SUCCEEDED if succeeded else GoalStatus.ABORTED
        return Result(self.id, self.action, self.status, code, now_s - self.accepted_s,
                      recoveries, plan)


class GoalTable:
    """All goals of all actions, as long as a client may ask for them.

    Args:
        new_id: Returns a new UUID in hexadecimal; None for consecutive numbers.

    Attributes:
        new_id: Returns a new UUID in hexadecimal.
    """

    def __init__(self, new_id: Callable[[], str] | None = None) -> None:
        numbers = itertools.count(1)
        self.new_id = new_id or (lambda: f'{next(numbers):032x}')
        self._goals: dict[str, Goal] = {}

    def accept(self, goal_id: str, action: Action, now_s: float) -> Goal:
        """Add an accepted goal."""
        ended = [old.id for old in self._goals.values() if old.ended]
        for old_id in ended[:-_REMEMBERED]:
            del self._goals[old_id]
        goal = self._goals[goal_id] = Goal(goal_id, action, now_s)
        return goal

    def cancel(self, goal_id: str) -> CancelCode:
        """Request the end of a goal, which follows at the next tick."""
        goal = self._goals.get(goal_id)
        if goal is None:
            return CancelCode.UNKNOWN_GOAL_ID
        if goal.ended:
            return CancelCode.GOAL_TERMINATED
        if goal.forgotten:
            return CancelCode.REJECTED
        goal.status = GoalStatus.CANCELING
        return CancelCode.NONE

    def in_hand(self, action: Action) -> tuple[str, ...]:
        """The UUIDs of the unended goals of an action, sorted."""
        return tuple(sorted(goal.id for goal in self._goals.values() if goal.action is action
                            and not goal.ended and not goal.forgotten))

    def cancel_all(self, action: Action) -> None:
        """Request the end of all goals of an action."""
        for goal in self._goals.values():
            if goal.action is action:
                self.cancel(goal.id)
