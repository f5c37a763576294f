"""Goals of bt_navigator for the other servers, while it pursues one of its own."""

from __future__ import annotations

from semantic_nav_sim.navigator.goals import Action, Errand, Goal, GoalStatus, GoalTable


class Errands:
    """One goal at a time: of following a path, or of a recovery.

    Args:
        goals: Table of all goals, to which these are added, so that any client may cancel them.
    """

    def __init__(self, goals: GoalTable) -> None:
        self._goals = goals
        self._goal: Goal | None = None
        self._untold: list[Errand] = []

    @property
    def goal_id(self) -> str:
        """UUID of the current goal, '' if there is none."""
        return '' if self._goal is None else self._goal.id

    @property
    def canceling(self) -> bool:
        """Tell whether the current goal is being canceled."""
        return self._goal is not None and self._goal.canceling

    def begin(self, action: Action, now_s: float) -> None:
        """Start a goal of a server, and end the current one."""
        self.end(now_s)
        self._goal = self._goals.accept(self._goals.new_id(), action, now_s)
        self._untold.append(Errand(self._goal.id, action, self._goal.status))

    def end(self, now_s: float, *, succeeded: bool = False, canceled: bool = False) -> None:
        """End the current goal, if any; as aborted by default."""
        goal, self._goal = self._goal, None
        if goal is None:
            return
        if canceled:
            goal.status = GoalStatus.CANCELING
        ended = goal.end(now_s, succeeded=succeeded)
        self._untold.append(Errand(goal.id, goal.action, ended.status))

    def told(self) -> list[Errand]:
        """Starts and ends of these goals since the last call."""
        untold, self._untold = self._untold, []
        return untold
