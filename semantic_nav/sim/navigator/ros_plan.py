"""The action server `compute_path_to_pose` (needs ROS)."""

from __future__ import annotations

from nav2_msgs.action import ComputePathToPose
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from semantic_nav.sim.navigator.geometry import Pose
from semantic_nav.sim.navigator.navigation import Outcome
from semantic_nav.sim.navigator.planner import PlanCode, failed, plan_path
from semantic_nav.sim.navigator.ros_actions import PatientActionServer, World
from semantic_nav.sim.navigator.ros_messages import duration, path_to_msg

PLANNER_ID = 'GridBased'
_TRANSFORM_WAIT_S = 0.3


class PlanServer:
    """`compute_path_to_pose`.

    Args:
        node: Owns the server.
        world: What it needs.
        tolerance_m: How far beside the goal a path may end [m].
        delay_s: How long a path takes at least [s].
    """

    def __init__(self, node: Node, world: World, tolerance_m: float, delay_s: float) -> None:
        self._world, self._tolerance_m, self._delay_s = world, tolerance_m, delay_s
        # Goals that wait for their time or for a transform, and since when [s].
        self._waiting: list[tuple[ServerGoalHandle, float]] = []
        self._server = PatientActionServer(node, ComputePathToPose, 'compute_path_to_pose',
                                           world.ready, self._on_goal, world.take_cancel)

    @property
    def active(self) -> bool:
        """Whether a goal is waiting."""
        return bool(self._waiting)

    def tick(self, now_s: float) -> None:
        """Look again at the goals that wait."""
        waiting, self._waiting = self._waiting, []
        for handle, since_s in waiting:
            if handle.is_cancel_requested:
                self._server.finish(handle, Outcome.ABORTED, ComputePathToPose.Result())
            else:
                self._plan(handle, since_s, now_s)

    def stop(self) -> None:
        """End the goals that wait."""
        waiting, self._waiting = self._waiting, []
        for handle, _ in waiting:
            self._server.finish(handle, Outcome.ABORTED, ComputePathToPose.Result())

    def destroy(self) -> None:
        """Vanish, as a server whose process was killed."""
        self._waiting.clear()
        self._server.destroy()

    def _on_goal(self, handle: ServerGoalHandle) -> None:
        now_s = self._world.now_s()
        self._plan(handle, now_s, now_s)
        if self._waiting:
            self._world.wake()

    def _plan(self, handle: ServerGoalHandle, since_s: float, now_s: float) -> None:
        request, sensing, costmap = handle.request, self._world.sensing, self._world.costmap
        goal = sensing.in_global_frame(request.goal)
        start = sensing.in_global_frame(request.start) if request.use_start else sensing.pose()
        known = request.planner_id in ('', PLANNER_ID)
        if now_s - since_s < self._delay_s:
            self._waiting.append((handle, since_s))
            return
        if known and (goal is None or start is None) and (
                now_s - since_s < self._delay_s + _TRANSFORM_WAIT_S):
            self._waiting.append((handle, since_s))
            return
        if not known:
            plan = failed(PlanCode.INVALID_PLANNER, Pose(0.0, 0.0, 0.0))
        elif goal is None or start is None or costmap is None:
            plan = failed(PlanCode.TF_ERROR, Pose(0.0, 0.0, 0.0))
        else:
            plan = plan_path(costmap, start, goal, self._tolerance_m)
        result = ComputePathToPose.Result(
            path=path_to_msg(plan, self._world.header()), error_code=int(plan.code),
            planning_time=duration(self._world.now_s() - since_s))
        if plan.code == PlanCode.NONE:
            self._world.publish_plan(plan)
        self._server.finish(
            handle, Outcome.SUCCEEDED if plan.code == PlanCode.NONE else Outcome.ABORTED, result)
