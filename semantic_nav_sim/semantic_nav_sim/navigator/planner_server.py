"""The action compute_path_to_pose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from semantic_nav_sim.navigator.costmap import Costmap
from semantic_nav_sim.navigator.geometry import Pose
from semantic_nav_sim.navigator.goals import Goal, Output, PlanMade, RobotState
from semantic_nav_sim.navigator.planner import PlanCode, failed, plan_path

PLANNER_ID = 'GridBased'
_TRANSFORM_WAIT_S = 0.3
#: Of a time in s that was a sum of nanoseconds.
_ROUNDING_S = 1e-6
_NOWHERE = Pose(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class PathRequest:
    """What a path is asked for.

    Attributes:
        goal: Tells where it is to end, in the global frame; None while its frame is not known.
        start: Tells where it is to begin; None for where the robot is.
        planner_id: The planner that is wanted, '' for any.
    """

    goal: Callable[[], Pose | None]
    start: Callable[[], Pose | None] | None = None
    planner_id: str = ''


class PlannerServer:
    """Plans paths; each takes its time, and waits a moment for a transform.

    Args:
        tolerance_m: How far beside the goal a path may end [m].
        delay_s: How long a path takes at least [s].

    Attributes:
        delay_s: The same.
        hangs: Nobody is answered.
    """

    def __init__(self, tolerance_m: float, delay_s: float) -> None:
        self._tolerance_m, self.delay_s, self.hangs = tolerance_m, delay_s, False
        self._waiting: list[tuple[Goal, PathRequest]] = []

    @property
    def active(self) -> bool:
        """Whether a goal is waiting."""
        return bool(self._waiting)

    def take(self, goal: Goal, request: PathRequest, costmap: Costmap | None,
             state: RobotState) -> list[Output]:
        """Begin with a goal, accepted already."""
        self._waiting.append((goal, request))
        return self.tick(costmap, state)

    def tick(self, costmap: Costmap | None, state: RobotState) -> list[Output]:
        """Answer whoever has waited long enough."""
        if self.hangs:
            return []
        waiting, self._waiting = self._waiting, []
        return [output for goal, request in waiting
                for output in self._answer(goal, request, costmap, state)]

    def stop(self, now_s: float) -> list[Output]:
        """End the goals that wait; where it hangs, nobody hears of it."""
        waiting, self._waiting = [] if self.hangs else self._waiting, []
        return [goal.end(now_s) for goal, _ in waiting]

    def die(self) -> None:
        """Forget the goals that wait, as a process that was killed."""
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
