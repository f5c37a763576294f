"""What the navigator's action servers have in common (needs ROS)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from std_msgs.msg import Header

from semantic_nav.sim.navigator.costmap import Costmap
from semantic_nav.sim.navigator.geometry import Velocity
from semantic_nav.sim.navigator.navigation import Outcome
from semantic_nav.sim.navigator.planner import Plan
from semantic_nav.sim.navigator.ros_sensing import Sensing


class PatientActionServer(ActionServer):
    """An action server whose goals run without a callback of their own.

    rclpy sends a result when the execute callback returns, which would hold a thread for as long
    as a goal runs. Here a goal is executing from its acceptance on, and `finish` runs the callback
    when the result is known.

    Args:
        node: Owns the server.
        action: Action type.
        name: Relative name of the action.
        ready: Whether goals are accepted now.
        on_goal: Told every accepted goal, which is executing by then.
        on_cancel: Told every cancel request, before the goal is canceling; says whether it is
            accepted.
    """

    def __init__(self, node: Node, action: Any, name: str, ready: Callable[[], bool],
                 on_goal: Callable[[ServerGoalHandle], None],
                 on_cancel: Callable[[ServerGoalHandle], bool]) -> None:
        def accept(handle: ServerGoalHandle) -> None:
            handle.execute()
            on_goal(handle)

        def cancel(handle: ServerGoalHandle) -> CancelResponse:
            return CancelResponse.ACCEPT if on_cancel(handle) else CancelResponse.REJECT

        super().__init__(
            node, action, name, execute_callback=lambda _handle: action.Result(),
            goal_callback=lambda _goal: GoalResponse.ACCEPT if ready() else GoalResponse.REJECT,
            handle_accepted_callback=accept, cancel_callback=cancel)

    def notify_execute(self, goal_handle: ServerGoalHandle,
                       execute_callback: Callable[..., Any] | None) -> None:
        """Run the execute callback only when the result is known."""
        if execute_callback is not None:
            super().notify_execute(goal_handle, execute_callback)

    def finish(self, handle: ServerGoalHandle, outcome: Outcome, result: Any) -> None:
        """End a goal and send its result; a goal asked to cancel ends as canceled."""
        if handle.is_cancel_requested:
            handle.canceled()
        elif outcome is Outcome.SUCCEEDED:
            handle.succeed()
        else:
            handle.abort()
        self.notify_execute(handle, lambda _handle: result)


class World:
    """What the action servers share.

    Attributes:
        costmap: None until there is a map.
        sensing: Pose and scans.
        header: Makes a header of the global frame, stamped now.
        now_s: Time now [s].
        ready: Whether goals can be accepted.
        wake: Asks for a tick, and for ticks from now on.
        publish_plan: Publishes a path.
        drive: Sets the velocity of the base.
    """

    def __init__(self, sensing: Sensing, header: Callable[[], Header],
                 now_s: Callable[[], float], ready: Callable[[], bool],
                 wake: Callable[[], None], publish_plan: Callable[[Plan], None],
                 drive: Callable[[Velocity], None]) -> None:
        self.costmap: Costmap | None = None
        self.sensing, self.header, self.now_s = sensing, header, now_s
        self.ready, self.wake = ready, wake
        self.publish_plan, self.drive = publish_plan, drive

    def take_cancel(self, _handle: ServerGoalHandle) -> bool:
        """Accept a cancel request; the goal ends at the next tick."""
        self.wake()
        return True
