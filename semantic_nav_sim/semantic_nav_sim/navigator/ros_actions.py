"""Nav2's actions over ROS: goals go to `Servers`, and its outputs go out (needs ROS)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalInfo
from action_msgs.srv import CancelGoal
from nav2_msgs.action import BackUp, ComputePathToPose, NavigateToPose, Spin
from rclpy.action.server import GoalEvent, ServerGoalHandle
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import Header

from semantic_nav.nodes.ros.patient_action_server import PatientActionServer
from semantic_nav_sim.navigator.geometry import Velocity
from semantic_nav_sim.navigator.goals import (
    Action,
    BehaviorFeedback,
    CancelCode,
    Drive,
    Errand,
    GoalStatus,
    NavigationFeedback,
    Output,
    PlanMade,
    Result,
    RobotState,
)
from semantic_nav_sim.navigator.planner import Plan
from semantic_nav_sim.navigator.planner_server import PathRequest
from semantic_nav_sim.navigator.ros_messages import duration, path_to_msg, pose_to_msg, seconds
from semantic_nav_sim.navigator.ros_sensing import Sensing
from semantic_nav_sim.navigator.ros_status import StatusTopic
from semantic_nav_sim.navigator.servers import Servers

_TYPES = {Action.NAVIGATE_TO_POSE: NavigateToPose, Action.SPIN: Spin, Action.BACKUP: BackUp,
          Action.COMPUTE_PATH_TO_POSE: ComputePathToPose}
_BEHAVIOR_FEEDBACK = {Action.SPIN: 'angular_distance_traveled', Action.BACKUP: 'distance_traveled'}


class StandInServer(PatientActionServer):
    """An action server that can be made deaf, and can have goals without a client.

    Attributes:
        deaf: Whether it answers no request.
    """

    deaf = False

    def begin(self, goal_id: str, goal: Any) -> ServerGoalHandle:
        """Start a goal that came from no client, given its UUID in hexadecimal."""
        info = GoalInfo(stamp=self._node.get_clock().now().to_msg())
        info.goal_id.uuid = list(bytes.fromhex(goal_id))
        with self._lock:
            handle = ServerGoalHandle(self, info, goal)
        self._goal_handles[bytes.fromhex(goal_id)] = handle
        self._result_futures[bytes.fromhex(goal_id)] = Future()
        self.add_future(self._result_futures[bytes.fromhex(goal_id)])
        handle.execute()
        return handle

    async def execute(self, taken_data: Any) -> None:
        """Answer a request, unless deaf."""
        if not self.deaf:
            await super().execute(taken_data)

    def finish(self, handle: ServerGoalHandle, status: GoalStatus, result: Any) -> None:
        """End a goal and send its result."""
        if status is GoalStatus.CANCELED:
            if not handle.is_cancel_requested:
                handle._update_state(GoalEvent.CANCEL_GOAL)
            handle.canceled()
        elif status is GoalStatus.SUCCEEDED:
            handle.succeed()
        else:
            handle.abort()
        self.conclude(handle, result)


class Actions:
    """The action servers of Nav2, and the visible part of those that only bt_navigator uses.

    Args:
        node: Owns the servers.
        servers: The logic of the servers.
        sensing: Pose and speed of the robot.
        state: Returns the current state of the robot.
        header: Returns a header of the global frame, stamped now.
        wake: Requests a tick, and further ticks.
        drive: Sets the velocity of the base.
        publish_plan: Publishes a path.
    """

    def __init__(self, node: Node, servers: Servers, sensing: Sensing,
                 state: Callable[[], RobotState], header: Callable[[], Header],
                 wake: Callable[[], None], drive: Callable[[Velocity], None],
                 publish_plan: Callable[[Plan], None]) -> None:
        self._node, self._servers, self._sensing = node, servers, sensing
        self._state, self._header, self._wake = state, header, wake
        self._drive, self._publish_plan = drive, publish_plan
        self._handles: dict[str, tuple[Action, ServerGoalHandle]] = {}
        self._take = {
            Action.NAVIGATE_TO_POSE: self._navigate, Action.SPIN: self._spin,
            Action.BACKUP: self._back_up, Action.COMPUTE_PATH_TO_POSE: self._compute_path}
        self._offered: dict[Action, StandInServer] = {}
        self._status = {action: StatusTopic(node, action) for action in Action
                        if action not in _TYPES}
        for action in _TYPES:
            self.offer(action, action is not Action.COMPUTE_PATH_TO_POSE or servers.planner_alive)
        node.create_service(CancelGoal, 'follow_path/_action/cancel_goal', self._on_cancel_follow)

    def offer(self, action: Action, there: bool) -> None:
        """Offer an action, or remove it with its goals, as if its process were killed."""
        if there == (action in self._offered):
            return
        if there:
            self._offered[action] = StandInServer(
                self._node, _TYPES[action], str(action),
                lambda: self._servers.accepts(action, self._state()),
                lambda handle: self._on_goal(action, handle), self._on_cancel)
            return
        self._offered.pop(action).destroy()
        self._forget(action)

    def answer(self, action: Action, answers: bool) -> None:
        """Let an action answer, or not, as in the seconds after its process was killed.

        Clients still see it, since DDS reports such an end only after its lease.
        """
        self._offered[action].deaf = not answers
        self._forget(action)

    def _forget(self, action: Action) -> None:
        self._handles = {goal_id: (of, handle) for goal_id, (of, handle) in self._handles.items()
                         if of is not action}

    def carry_out(self, outputs: list[Output]) -> None:
        """Send the outputs of the servers."""
        for output in outputs:
            match output:
                case Drive():
                    self._drive(output.velocity)
                case PlanMade():
                    self._publish_plan(output.plan)
                case Result():
                    self._finish(output)
                case Errand():
                    self._run(output)
                case NavigationFeedback() | BehaviorFeedback():
                    action, handle = self._handles[output.goal_id]
                    handle.publish_feedback(self._feedback(action, output))

    # Goals

    def _on_goal(self, action: Action, handle: ServerGoalHandle) -> None:
        self._handles[_id_of(handle)] = action, handle
        self.carry_out(self._take[action](_id_of(handle), handle.request))
        if self._servers.active:
            self._wake()

    def _on_cancel(self, handle: ServerGoalHandle) -> bool:
        code = self._servers.goals.cancel(_id_of(handle))
        self._wake()
        return code is CancelCode.NONE

    def _on_cancel_follow(self, _request: CancelGoal.Request,
                          response: CancelGoal.Response) -> CancelGoal.Response:
        followed, outputs = self._servers.cancel_following(self._state().now_s)
        if followed:
            goal = GoalInfo()
            goal.goal_id.uuid = list(bytes.fromhex(followed))
            response.goals_canceling.append(goal)
        self.carry_out(outputs)
        return response

    def _navigate(self, goal_id: str, goal: NavigateToPose.Goal) -> list[Output]:
        pose = self._sensing.in_global_frame(goal.pose)
        if pose is not None:
            self._node.get_logger().info(f'goal ({pose.x:.2f}, {pose.y:.2f}, {pose.yaw:.2f})')
        return self._servers.navigate(goal_id, pose, self._state(), goal.behavior_tree)

    def _compute_path(self, goal_id: str, goal: ComputePathToPose.Goal) -> list[Output]:
        sensing = self._sensing
        return self._servers.compute_path(goal_id, PathRequest(
            lambda: sensing.in_global_frame(goal.goal),
            (lambda: sensing.in_global_frame(goal.start)) if goal.use_start else None,
            goal.planner_id), self._state())

    def _spin(self, goal_id: str, goal: Spin.Goal) -> list[Output]:
        return self._servers.spin(goal_id, goal.target_yaw, seconds(goal.time_allowance),
                                  self._state())

    def _back_up(self, goal_id: str, goal: BackUp.Goal) -> list[Output]:
        target = goal.target
        return self._servers.back_up(goal_id, (target.x, target.y, target.z), goal.speed,
                                     seconds(goal.time_allowance), self._state())

    # Outputs

    def _run(self, errand: Errand) -> None:
        """Publish the state of a goal that bt_navigator gave to another server."""
        if errand.action in self._status:
            self._status[errand.action].tell(errand.goal_id, errand.status,
                                             self._header().stamp)
            return
        kind, server = _TYPES[errand.action], self._offered[errand.action]
        if errand.status is GoalStatus.EXECUTING:
            self._handles[errand.goal_id] = errand.action, server.begin(errand.goal_id,
                                                                        kind.Goal())
        else:
            _, handle = self._handles.pop(errand.goal_id)
            server.finish(handle, errand.status, kind.Result())

    def _finish(self, ended: Result) -> None:
        action, handle = self._handles.pop(ended.goal_id)
        result = _TYPES[action].Result(error_code=ended.code)
        if action is Action.COMPUTE_PATH_TO_POSE:
            if ended.plan is not None:
                found = ended.status is GoalStatus.SUCCEEDED
                result.path = path_to_msg(ended.plan, self._header() if found else Header())
                result.planning_time = duration(ended.elapsed_s if found else 0.0)
        elif action is Action.NAVIGATE_TO_POSE:
            self._node.get_logger().info(
                f'goal {ended.status.name.lower()}, code {ended.code}, '
                f'{ended.recoveries} recoveries')
        else:
            result.total_elapsed_time = duration(ended.elapsed_s)
        self._offered[action].finish(handle, ended.status, result)

    def _feedback(self, action: Action, told: NavigationFeedback | BehaviorFeedback) -> Any:
        if isinstance(told, BehaviorFeedback):
            return _TYPES[action].Feedback(**{_BEHAVIOR_FEEDBACK[action]: told.done})
        message = NavigateToPose.Feedback()
        message.current_pose.header = self._header()
        message.current_pose.pose = pose_to_msg(told.pose)
        message.navigation_time = duration(told.elapsed_s)
        message.distance_remaining = told.remaining_m
        speed = self._sensing.speed()
        if speed > 0.01 and told.remaining_m > 0.1:
            message.estimated_time_remaining = duration(told.remaining_m / speed)
        message.number_of_recoveries = told.recoveries
        return message


def _id_of(handle: ServerGoalHandle) -> str:
    return bytes(handle.goal_id.uuid).hex()
