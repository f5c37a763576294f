"""The action server `navigate_to_pose` (needs ROS)."""

from __future__ import annotations

from pathlib import Path

from nav2_msgs.action import NavigateToPose
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from semantic_nav.sim.navigator.geometry import STOP, Pose, Velocity
from semantic_nav.sim.navigator.navigation import Navigation, NavigationConfig, Outcome, Tick
from semantic_nav.sim.navigator.ros_actions import PatientActionServer, World
from semantic_nav.sim.navigator.ros_messages import duration, pose_to_msg


class NavigateServer:
    """`navigate_to_pose`.

    Args:
        node: Owns the server.
        world: What it needs.
        config: How goals are pursued.
    """

    def __init__(self, node: Node, world: World, config: NavigationConfig) -> None:
        self._world, self._config = world, config
        self._logger = node.get_logger()
        self._handle: ServerGoalHandle | None = None
        self._navigation: Navigation | None = None
        self._started_s = 0.0
        self._server = PatientActionServer(
            node, NavigateToPose, 'navigate_to_pose', world.ready, self._on_goal, world.wake)

    @property
    def active(self) -> bool:
        """Whether a goal is running."""
        return self._handle is not None

    def tick(self, tick: Tick) -> Velocity | None:
        """Go on; returns the velocity to drive, None if no goal is running."""
        if self._handle is None or self._navigation is None:
            return None
        if self._handle.is_cancel_requested:
            return self.stop()
        if tick.pose is not None:
            self._handle.publish_feedback(self._feedback(tick.now_s, tick.pose))
        velocity = self._navigation.tick(tick)
        if self._navigation.outcome is not Outcome.RUNNING:
            return self.stop()
        return velocity

    def hold(self) -> Velocity | None:
        """Stand still instead of going on; None if no goal is running."""
        if self._handle is None:
            return None
        return self.stop() if self._handle.is_cancel_requested else STOP

    def stop(self) -> Velocity:
        """End the goal in hand: as it ended, as canceled, or aborted; returns standstill."""
        if self._handle is not None and self._navigation is not None:
            handle, navigation = self._handle, self._navigation
            self._handle = self._navigation = None
            ended = ('canceled' if handle.is_cancel_requested else
                     'succeeded' if navigation.outcome is Outcome.SUCCEEDED else 'aborted')
            self._logger.info(f'goal {ended}, code {navigation.error_code}, '
                              f'{navigation.recoveries} recoveries')
            self._server.finish(handle, navigation.outcome,
                                NavigateToPose.Result(error_code=navigation.error_code))
        return STOP

    def _on_goal(self, handle: ServerGoalHandle) -> None:
        goal = self._world.sensing.in_global_frame(handle.request.pose)
        tree, current = handle.request.behavior_tree, self._handle
        usable = not tree or Path(tree).is_file()
        if current is not None:
            # A running tree cannot be swapped for another one.
            usable = usable and tree in ('', current.request.behavior_tree)
        if goal is None or not usable or self._world.costmap is None:
            self._server.finish(handle, Outcome.ABORTED, NavigateToPose.Result())
            return
        self._logger.info(f'goal ({goal.x:.2f}, {goal.y:.2f}, {goal.yaw:.2f})')
        self._started_s = self._world.now_s()
        if current is not None and self._navigation is not None:
            self._server.finish(current, Outcome.ABORTED, NavigateToPose.Result())
            self._navigation.preempt(goal)
        else:
            self._navigation = Navigation(self._config, self._world.costmap, goal,
                                          self._world.publish_plan)
        self._handle = handle
        self._world.wake()

    def _feedback(self, now_s: float, pose: Pose) -> NavigateToPose.Feedback:
        assert self._navigation is not None
        message = NavigateToPose.Feedback()
        message.current_pose.header = self._world.header()
        message.current_pose.pose = pose_to_msg(pose)
        message.navigation_time = duration(now_s - self._started_s)
        remaining_m = self._navigation.remaining_m(pose)
        message.distance_remaining = remaining_m
        speed = self._world.sensing.speed()
        if speed > 0.01 and remaining_m > 0.1:
            message.estimated_time_remaining = duration(remaining_m / speed)
        message.number_of_recoveries = self._navigation.recoveries
        return message
