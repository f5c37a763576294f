"""The action server `navigate_to_pose` (needs ROS)."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from action_msgs.srv import CancelGoal
from nav2_msgs.action import NavigateToPose
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from semantic_nav.sim.navigator.geometry import STOP, Pose, Velocity
from semantic_nav.sim.navigator.navigation import Navigation, NavigationConfig, Outcome, Tick
from semantic_nav.sim.navigator.profile import NavigatorProfile, strikes
from semantic_nav.sim.navigator.ros_actions import PatientActionServer, World
from semantic_nav.sim.navigator.ros_messages import duration, pose_to_msg


class NavigateServer:
    """`navigate_to_pose`, and the cancelling of `follow_path`, which drives for it.

    Args:
        node: Owns the server.
        world: What it needs.
        config: How goals are pursued.
        faults: What goes wrong.
        ready: Whether goals are accepted now.
    """

    def __init__(self, node: Node, world: World, config: NavigationConfig,
                 faults: NavigatorProfile, ready: Callable[[], bool]) -> None:
        self._world, self._config, self._faults = world, config, faults
        self._logger = node.get_logger()
        self._handle: ServerGoalHandle | None = None
        # Without a goal in hand it drives on for one that is said to have ended.
        self._navigation: Navigation | None = None
        self._started_s, self._moves_from_s, self._abort_s = 0.0, 0.0, math.inf
        self._goals = 0
        self._forgotten: list[ServerGoalHandle] = []
        self._server = PatientActionServer(
            node, NavigateToPose, 'navigate_to_pose', ready, self._on_goal, self._on_cancel)
        node.create_service(CancelGoal, 'follow_path/_action/cancel_goal', self._on_cancel_follow)

    @property
    def active(self) -> bool:
        """Whether anything is driven."""
        return self._navigation is not None

    def tick(self, tick: Tick) -> Velocity | None:
        """Go on; returns the velocity to drive, None if nothing is driven."""
        if self._navigation is None:
            return None
        if self._handle is not None:
            if self._handle.is_cancel_requested:
                return self.stop()
            if tick.now_s >= self._abort_s:
                self._abort_and_drive_on(self._handle)
            elif tick.pose is not None and self._faults.goals.feedback:
                self._handle.publish_feedback(self._feedback(tick.now_s, tick.pose))
        if tick.now_s < self._moves_from_s:
            return STOP
        velocity = self._navigation.tick(tick)
        if self._navigation.outcome is not Outcome.RUNNING:
            return self.stop()
        return velocity

    def hold(self) -> Velocity | None:
        """Stand still instead of going on; None if nothing is driven."""
        if self._navigation is None:
            return None
        asked = self._handle is not None and self._handle.is_cancel_requested
        return self.stop() if asked else STOP

    def stop(self) -> Velocity:
        """End the goal in hand: as it ended, as canceled, or aborted; returns standstill."""
        handle, navigation = self._handle, self._navigation
        self._handle = self._navigation = None
        if handle is not None and navigation is not None:
            ended = ('canceled' if handle.is_cancel_requested else
                     'succeeded' if navigation.outcome is Outcome.SUCCEEDED else 'aborted')
            self._logger.info(f'goal {ended}, code {navigation.error_code}, '
                              f'{navigation.recoveries} recoveries')
            self._server.finish(handle, navigation.outcome,
                                NavigateToPose.Result(error_code=navigation.error_code))
        return STOP

    def interrupt(self) -> Velocity:
        """End the goal in hand as Nav2 does when a server goes: ABORTED 0; returns standstill."""
        handle, self._handle = self._handle, None
        if handle is not None:
            self._server.finish(handle, Outcome.ABORTED, NavigateToPose.Result())
        return self.stop()

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
        self._goals += 1
        if strikes(self._faults.goals.drop_every, self._goals):
            self._forgotten.append(handle)
            return
        self._logger.info(f'goal ({goal.x:.2f}, {goal.y:.2f}, {goal.yaw:.2f})')
        self._started_s = self._world.now_s()
        self._abort_s = math.inf
        if strikes(self._faults.goals.abort_every, self._goals):
            self._abort_s = self._started_s + self._faults.goals.abort_after_s
        if current is not None and self._navigation is not None:
            self._server.finish(current, Outcome.ABORTED, NavigateToPose.Result())
            self._navigation.preempt(goal)
        else:
            self._moves_from_s = self._started_s + self._faults.planner.delay_s
            self._navigation = Navigation(self._config, self._world.costmap, goal,
                                          self._world.publish_plan)
        self._handle = handle
        self._world.wake()

    def _on_cancel(self, handle: ServerGoalHandle) -> bool:
        return handle not in self._forgotten and self._world.take_cancel(handle)

    def _on_cancel_follow(self, _request: CancelGoal.Request,
                          response: CancelGoal.Response) -> CancelGoal.Response:
        """Stop the following, also where no goal is in hand any more."""
        response.return_code = (CancelGoal.Response.ERROR_NONE if self.active
                                else CancelGoal.Response.ERROR_REJECTED)
        if self.active:
            self._world.drive(self.interrupt())
        return response

    def _abort_and_drive_on(self, handle: ServerGoalHandle) -> None:
        self._logger.info('fault: the goal is aborted with code 0, the robot drives on')
        self._handle = None
        self._server.finish(handle, Outcome.ABORTED, NavigateToPose.Result())

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
