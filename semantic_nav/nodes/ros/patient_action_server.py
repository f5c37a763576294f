"""An action server whose goals run without holding a thread."""

import math
import time
from collections.abc import Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

#: Time in which a result arrives, in s. rclpy does not tell whether a response was acknowledged,
#: and what is on its way is lost with the process that sent it.
_ARRIVES_S = 0.8


class PatientActionServer(ActionServer):
    """Action server whose goals run without a callback of their own.

    rclpy sends a result when the execute callback returns. That would hold a thread for as long as
    a goal runs, or, if the callback waits for a future, keep the executor spinning without rest.
    Here a goal is executing from its acceptance on, and `conclude` runs the callback when the
    result is known.
    """

    def __init__(self, node: Node, action: Any, name: str, ready: Callable[[], bool],
                 on_goal: Callable[[ServerGoalHandle], None],
                 on_cancel: Callable[[ServerGoalHandle], bool]) -> None:
        """Offer an action.

        Args:
            node: owns the server.
            action: type of the action.
            name: relative name of the action.
            ready: tells whether goals are accepted now.
            on_goal: gets every accepted goal, which is executing by then.
            on_cancel: gets every cancel request, before the goal is canceling; tells whether it is
                accepted.
        """
        def accept(handle: ServerGoalHandle) -> None:
            handle.execute()
            on_goal(handle)

        def cancel(handle: ServerGoalHandle) -> CancelResponse:
            return CancelResponse.ACCEPT if on_cancel(handle) else CancelResponse.REJECT

        self._unsent, self._sent_s = 0, -math.inf
        super().__init__(
            node, action, name, execute_callback=lambda _handle: action.Result(),
            goal_callback=lambda _goal: GoalResponse.ACCEPT if ready() else GoalResponse.REJECT,
            handle_accepted_callback=accept, cancel_callback=cancel)

    def notify_execute(self, goal_handle: ServerGoalHandle,
                       execute_callback: Callable[..., Any] | None) -> None:
        """Run the execute callback only when the result is known."""
        if execute_callback is not None:
            super().notify_execute(goal_handle, execute_callback)

    @property
    def settled(self) -> bool:
        """Tell whether every result was sent, and has had the time to arrive."""
        return not self._unsent and time.monotonic() - self._sent_s > _ARRIVES_S

    def conclude(self, handle: ServerGoalHandle, result: Any) -> None:
        """Send the result of a goal whose end was set on its handle."""
        def execute(_handle: ServerGoalHandle) -> Any:
            self._unsent, self._sent_s = self._unsent - 1, time.monotonic()
            return result

        self._unsent += 1
        self.notify_execute(handle, execute)
