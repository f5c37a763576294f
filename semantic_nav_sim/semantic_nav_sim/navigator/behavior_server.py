"""The action servers spin and backup."""

from __future__ import annotations

from semantic_nav_sim.navigator.behaviors import Behavior, State
from semantic_nav_sim.navigator.geometry import STOP
from semantic_nav_sim.navigator.goals import BehaviorFeedback, Drive, Goal, Output, RobotState


class BehaviorServer:
    """Runs one behavior at a time; a new goal aborts the current one."""

    def __init__(self) -> None:
        self._goal: Goal | None = None
        self._behavior: Behavior | None = None

    @property
    def active(self) -> bool:
        """Tell whether a goal is running."""
        return self._goal is not None

    def take(self, goal: Goal, behavior: Behavior | None) -> list[Output]:
        """Start an accepted goal; without a costmap there is no behavior, and it aborts."""
        outputs = self.stop(goal.accepted_s)
        if behavior is None:
            return [*outputs, goal.end(goal.accepted_s)]
        self._goal, self._behavior = goal, behavior
        return outputs

    def tick(self, state: RobotState) -> list[Output]:
        """Advance the current behavior."""
        goal, behavior = self._goal, self._behavior
        if goal is None or behavior is None:
            return []
        if goal.canceling:
            return [*self.stop(state.now_s), Drive(STOP)]
        velocity = behavior.tick(state.now_s, state.odom)
        feedback = BehaviorFeedback(goal.id, behavior.done)
        if behavior.state is not State.RUNNING:
            return [feedback, *self.stop(state.now_s), Drive(STOP)]
        return [feedback, Drive(velocity)]

    def stop(self, now_s: float) -> list[Output]:
        """End the current goal: by the behavior's result, as canceled, or as aborted."""
        goal, behavior = self._goal, self._behavior
        self._goal = self._behavior = None
        if goal is None or behavior is None:
            return []
        return [goal.end(now_s, succeeded=behavior.state is State.SUCCEEDED, code=behavior.code)]
