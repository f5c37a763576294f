"""The action servers `spin` and `backup` (need ROS)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from semantic_nav.sim.navigator.behaviors import Behavior, State
from semantic_nav.sim.navigator.costmap import Costmap
from semantic_nav.sim.navigator.geometry import STOP, Pose, Velocity
from semantic_nav.sim.navigator.navigation import Outcome, Tick
from semantic_nav.sim.navigator.ros_actions import PatientActionServer, World
from semantic_nav.sim.navigator.ros_messages import duration


class BehaviorServer:
    """`spin` or `backup`.

    Args:
        node: Owns the server.
        world: What it needs.
        action: Action type.
        name: Relative name of the action.
        make: Makes the behavior of a goal: costmap, time [s], pose, goal.
        feedback_field: Field of the feedback that tells how much is done.
    """

    def __init__(self, node: Node, world: World, action: Any, name: str,
                 make: Callable[[Costmap, float, Pose | None, Any], Behavior],
                 feedback_field: str) -> None:
        self._world, self._action, self._make = world, action, make
        self._feedback_field = feedback_field
        self._handle: ServerGoalHandle | None = None
        self._behavior: Behavior | None = None
        self._server = PatientActionServer(node, action, name, world.ready, self._on_goal,
                                           world.take_cancel)

    @property
    def active(self) -> bool:
        """Whether a goal is running."""
        return self._handle is not None

    def tick(self, tick: Tick) -> Velocity | None:
        """Go on; returns the velocity to drive, None if no goal is running."""
        if self._handle is None or self._behavior is None:
            return None
        if self._handle.is_cancel_requested:
            return self.stop()
        velocity = self._behavior.tick(tick.now_s, tick.pose)
        self._handle.publish_feedback(
            self._action.Feedback(**{self._feedback_field: self._behavior.done}))
        if self._behavior.state is not State.RUNNING:
            return self.stop()
        return velocity

    def hold(self) -> Velocity | None:
        """Stand still instead of going on; None if no goal is running."""
        if self._handle is None:
            return None
        return self.stop() if self._handle.is_cancel_requested else STOP

    def stop(self) -> Velocity:
        """End the goal in hand: as it ended, as canceled, or aborted; returns standstill."""
        if self._handle is not None and self._behavior is not None:
            handle, behavior = self._handle, self._behavior
            self._handle = self._behavior = None
            succeeded = behavior.state is State.SUCCEEDED
            self._server.finish(
                handle, Outcome.SUCCEEDED if succeeded else Outcome.ABORTED,
                self._action.Result(
                    error_code=behavior.code,
                    total_elapsed_time=duration(self._world.now_s() - behavior.started_s)))
        return STOP

    def _on_goal(self, handle: ServerGoalHandle) -> None:
        # A behavior cannot be preempted: the one in hand is aborted.
        self.stop()
        if self._world.costmap is None:
            self._server.finish(handle, Outcome.ABORTED, self._action.Result())
            return
        self._handle = handle
        self._behavior = self._make(self._world.costmap, self._world.now_s(),
                                    self._world.sensing.pose(), handle.request)
        self._world.wake()
