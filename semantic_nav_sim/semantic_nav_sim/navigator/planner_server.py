"""The action server compute_path_to_pose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from semantic_nav_sim.navigator.costmap import Costmap
from semantic_nav_sim.navigator.geometry import Pose
from semantic_nav_sim.navigator.goals import Goal, Output, PlanMade, RobotState
from semantic_nav_sim.navigator.planner import PlanCode, failed, plan_path

PLANNER_ID = 'GridBased'
_TRANSFORM_WAIT_S = 0.3
#: Rounding error of a time in s that was a sum of nanoseconds.
_ROUNDING_S = 1e-6
_NOWHERE = Pose(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class PathRequest:
    """Request of a path.

    Attributes:
        goal: Returns the goal pose in the global frame; None while its frame is unknown.
        start: Returns the start pose; None for the robot's pose.
        planner_id: Name of the requested planner, '' for any.
    """

    goal: Callable[[], Pose | None]
    start: Callable[[], Pose | None] | None = None
    planner_id: str = ''


class PlannerServer:
    """Plans paths, each with some delay, and waits a moment for transforms.

    Args:
        tolerance_m: Largest distance of the path's end from the goal pose, per axis [m].
        delay_s: Least planning time [s].

    Attributes:
        delay_s: Least planning time [s].
        hangs: Whether no request is answered.
    """

    def __init__(self, tolerance_m: float, delay_s: float) -> None:
        self._tolerance_m, self.delay_s, self.hangs = tolerance_m, delay_s, False
        self._waiting: list[tuple[Goal, PathRequest]] = []

    @property
    def active(self) -> bool:
        """Tell whether a goal is waiting."""
        return bool(self._waiting)

    def take(self, goal: Goal, request: PathRequest, costmap: Costmap | None,
             state: RobotState) -> list[Output]:
        """Start an accepted goal."""
        self._waiting.append((goal, request))
        return self.tick(costmap, state)

    def tick(self, costmap: Costmap | None, state: RobotState) -> list[Output]:
        """Answer the goals that have waited long enough."""
        if self.hangs:
            return []
        waiting, self._waiting = self._waiting, []
        return [output for goal, request in waiting
                for output in self._answer(goal, request, costmap, state)]

    def stop(self, now_s: float) -> list[Output]:
        """End the waiting goals; while the server hangs, their clients are not told."""
        waiting, self._waiting = [] if self.hangs else self._waiting, []
        return [goal.end(now_s) for goal, _ in waiting]

    def die(self) -> None:
        """Forget the waiting goals, like a killed process."""
        self._waiting.clear()

    def _answer(self, goal: Goal, request: PathRequest, costmap: Costmap | None,
                state: RobotState) -> list[Output]:
        if goal.canceling:
            return [goal.end(state.now_s)]
        waited_s = state.now_s - goal.accepted_s
        known = request.planner_id in ('', PLANNER_ID)
        end, start = request.goal(), request.start() if request.start else state.pose
        patient = known and (end is None or start is None)
        wanted_s = self.delay_s + (_TRANSFORM_WAIT_S if patient else 0.0)
        if waited_s < wanted_s - _ROUNDING_S:
            self._waiting.append((goal, request))
            return []
        if not known:
            plan = failed(PlanCode.INVALID_PLANNER, _NOWHERE)
        elif end is None or start is None or costmap is None:
            plan = failed(PlanCode.TF_ERROR, _NOWHERE)
        else:
            plan = plan_path(costmap, start, end, self._tolerance_m)
        found = plan.code == PlanCode.NONE
        made: list[Output] = [PlanMade(plan)] if found else []
        return [*made, goal.end(state.now_s, succeeded=found, code=int(plan.code), plan=plan)]
