"""Nav2's actions, as effects and events of the verifier's core."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from builtin_interfaces.msg import Duration
from nav2_msgs.action import BackUp, ComputePathToPose, NavigateToPose, Spin
from nav2_msgs.srv import ClearEntireCostmap
from rclpy.action import ActionClient
from rclpy.client import Client

from semantic_nav.contracts.core import Event
from semantic_nav.contracts.vocabulary import Level, NavStatus
from semantic_nav.nodes.ros.conversions import path_points, pose_stamped, uuid_of
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.nodes.ros.futures import when_done
from semantic_nav.nodes.ros.motion import MotionAction, NavAction, SentGoal
from semantic_nav.nodes.ros.nav_servers import NavServers
from semantic_nav.verify.checks.failure_cause import UNEXPLAINED
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.driving.feedback_pace import FeedbackPace
from semantic_nav.verify.effects import (
    AskPath,
    CancelNav,
    ClearCostmaps,
    SendBackUp,
    SendNav,
    SendSpin,
    StopNav,
)
from semantic_nav.verify.events import (
    NavAnswered,
    NavFinished,
    NavServersAwaited,
    NavServersHeard,
    PathAnswered,
)

_STATUS = {GoalStatus.STATUS_SUCCEEDED: NavStatus.SUCCEEDED,
           GoalStatus.STATUS_CANCELED: NavStatus.CANCELED,
           GoalStatus.STATUS_ABORTED: NavStatus.ABORTED}
_NO_PATH = np.zeros((0, 2))
#: Time after the core's own wait at which a cancelled goal is forgotten, in s.
_GIVEN_UP_S = 2.0


@dataclass
class _AskedPath:
    """A path that was asked for.

    Attributes:
        deadline: on the steady clock, in s.
        handle: of the goal; None until the planner has accepted it.
    """

    deadline: float
    handle: Any = None


class Navigation:
    """Clients of Nav2's actions, and of its cancel and clear services; nothing here blocks."""

    def __init__(self, node: CoreNode, config: VerifierConfig, feedback_max_age_s: float,
                 answer: Callable[[Event], None],
                 fail: Callable[[Exception], None]) -> None:
        """Wait for goals.

        Args:
            node: owns the clients.
            config: frame of the goal poses, and longest wait for the end of a cancelled goal.
            feedback_max_age_s: longest silence of a server that gives feedback, in s.
            answer: gets the events, in the executor's thread.
            fail: ends the node in order when the result of a future could not be used.
        """
        self._node = node
        self._map_frame = config.map_frame
        self._given_up_s = config.cancel_max_s + _GIVEN_UP_S
        self._answer, self._fail = answer, fail
        path = 'compute_path_to_pose'
        self._path = NavAction(path, self._client_of(ComputePathToPose, path))

        def moving(kind: type, name: str) -> MotionAction:
            return MotionAction(name, self._client_of(kind, name), self._cancels_of(name),
                                FeedbackPace(feedback_max_age_s))

        self._drive = moving(NavigateToPose, 'navigate_to_pose')
        self._spin, self._back_up = moving(Spin, 'spin'), moving(BackUp, 'backup')
        self._moving = (self._drive, self._spin, self._back_up)
        self._actions = (self._path, *self._moving)
        # follow_path drives for navigate_to_pose, and at times goes on alone.
        self._cancel_follow = self._cancels_of('follow_path')
        self._clears = {
            name: node.create_client(
                ClearEntireCostmap, f'{name}_costmap/clear_entirely_{name}_costmap')
            for name in ('global', 'local')}
        self._asked: dict[str, _AskedPath] = {}
        self._motions: dict[str, SentGoal] = {}
        self._servers = NavServers(node, self._is_served, self._tell_servers)

    def _client_of(self, kind: type, name: str) -> ActionClient:
        return self._node.lasting.get(name, lambda: ActionClient(self._node, kind, name))

    def _cancels_of(self, name: str) -> Client:
        return self._node.create_client(CancelGoal, f'{name}/_action/cancel_goal')

    def _is_served(self, name: str) -> bool:
        return next((action.is_served for action in self._actions if action.name == name),
                    self._cancel_follow.service_is_ready())

    def destroy(self) -> None:
        """Forget all goals, and destroy the clients except the action clients, which last."""
        self._asked.clear()
        self._motions.clear()
        self._servers.destroy()
        for client in (*self._all_cancels, *self._clears.values()):
            self._node.destroy_client(client)

    @property
    def idle(self) -> bool:
        """Tell whether no motion goal is under way."""
        return not self._motions

    def state(self) -> tuple[Level, str]:
        """Tell whether Nav2 takes goals, as a statement for /diagnostics."""
        missing = [action.name for action in (self._path, self._drive, self._spin)
                   if not action.is_served]
        if missing:
            return Level.WARN, f'waiting for the actions {", ".join(missing)}'
        if self._servers.fault:
            return Level.WARN, (f'{self._servers.fault}: see the log of Nav2, and let its '
                                'lifecycle manager start it anew')
        rejecting = sorted(action.name for action in self._actions if action.rejects)
        if rejecting:
            return Level.WARN, (f'{", ".join(rejecting)} rejected the last goal: '
                                'see the log of Nav2')
        return Level.OK, 'ready'

    # Paths

    def ask_path(self, effect: AskPath) -> None:
        """Ask the planner for a path from the robot's current pose."""
        if not self._path.is_served:
            self._blame(PathAnswered(effect.request_id, NavStatus.UNAVAILABLE, 0, _NO_PATH))
            return
        self._asked[effect.request_id] = _AskedPath(time.monotonic() + effect.timeout_s)
        goal = ComputePathToPose.Goal()
        goal.goal = self._pose(effect.goal)
        goal.use_start = False
        future = self._path.client.send_goal_async(goal)
        when_done(future, partial(self._path_accepted, effect.request_id), self._fail)

    def _path_accepted(self, request_id: str, handle: Any) -> None:
        self._path.rejects = not handle.accepted
        if not handle.accepted:
            self._no_path(request_id, NavStatus.REJECTED)
            return
        asked = self._asked.get(request_id)
        if asked is None:
            handle.cancel_goal_async()
            return
        asked.handle = handle
        when_done(handle.get_result_async(), partial(self._path_finished, request_id), self._fail)

    def _path_finished(self, request_id: str, response: Any) -> None:
        if self._asked.pop(request_id, None) is not None:
            self._answer(PathAnswered(
                request_id, _STATUS.get(response.status, NavStatus.ABORTED),
                response.result.error_code, path_points(response.result.path)))

    def _no_path(self, request_id: str, status: NavStatus) -> None:
        """Give up on a path; a plan still under way would block the planner for others."""
        asked = self._asked.pop(request_id, None)
        if asked is not None:
            if asked.handle is not None:
                asked.handle.cancel_goal_async()
            self._blame(PathAnswered(request_id, status, 0, _NO_PATH))

    def _blame(self, event: Event) -> None:
        """Answer once it is known which server of Nav2 is to blame."""
        self._servers.ask(lambda: self._answer(event))

    # Motion

    def drive(self, effect: SendNav) -> None:
        """Send a goal pose to navigate_to_pose under the announced UUID."""
        goal = NavigateToPose.Goal()
        goal.pose = self._pose(effect.goal)
        self._send(self._drive, effect.nav_goal_id, goal)

    def turn(self, effect: SendSpin) -> None:
        """Send a turn to spin under the announced UUID."""
        goal = Spin.Goal()
        goal.target_yaw = effect.angle_rad
        goal.time_allowance = Duration(sec=round(effect.time_allowance_s))
        self._send(self._spin, effect.nav_goal_id, goal)

    def back_up(self, effect: SendBackUp) -> None:
        """Send a straight way back to backup under the announced UUID."""
        goal = BackUp.Goal()
        goal.target.x = effect.distance_m
        goal.speed = effect.speed_mps
        goal.time_allowance = Duration(sec=round(effect.time_allowance_s))
        self._send(self._back_up, effect.nav_goal_id, goal)

    def clear(self, effect: ClearCostmaps) -> None:
        """Ask for empty costmaps; the answers tell nothing."""
        for name in ('global', 'local') if effect.local else ('global',):
            _call(self._clears[name], ClearEntireCostmap.Request())

    def _send(self, action: MotionAction, goal_id: str, goal: Any) -> None:
        if not action.is_served:
            self._blame(NavAnswered(goal_id, accepted=False, reason=f'{action} is not there'))
            return
        motion = self._motions[goal_id] = SentGoal(action, time.monotonic())
        future = action.client.send_goal_async(goal, motion.take_feedback, uuid_of(goal_id))
        when_done(future, partial(self._accepted, goal_id), self._fail)

    def _accepted(self, goal_id: str, handle: Any) -> None:
        motion = self._motions.get(goal_id)
        if motion is None:
            if handle.accepted:
                handle.cancel_goal_async()
            return
        motion.action.rejects = not handle.accepted
        if not handle.accepted:
            del self._motions[goal_id]
            self._blame(NavAnswered(
                goal_id, accepted=False, reason=f'{motion.action} rejected it'))
            return
        motion.accepted = True
        if motion.cancelled_at is not None:
            handle.cancel_goal_async()
        when_done(handle.get_result_async(), partial(self._finished, goal_id), self._fail)
        self._answer(NavAnswered(goal_id, accepted=True))

    def _finished(self, goal_id: str, response: Any) -> None:
        if self._motions.pop(goal_id, None) is None:
            return
        status = _STATUS.get(response.status, NavStatus.ABORTED)
        code = response.result.error_code
        if status is NavStatus.ABORTED and code in UNEXPLAINED:
            # A goal also ends this way if one of the servers has died.
            self._await_servers()
        self._answer(NavFinished(goal_id, status, code))

    def cancel(self, effect: CancelNav) -> None:
        """Cancel a goal by its UUID, also one not accepted yet, or one of an earlier process."""
        motion = self._motions.get(effect.nav_goal_id)
        if motion is not None and motion.cancelled_at is None:
            motion.cancelled_at = time.monotonic()
        request = CancelGoal.Request()
        request.goal_info.goal_id = uuid_of(effect.nav_goal_id)
        for action in self._moving if motion is None else (motion.action,):
            _call(action.cancels, request)

    def cancel_all(self) -> None:
        """Cancel each motion goal under way."""
        for goal_id in self._motions:
            self.cancel(CancelNav(goal_id))

    def stop(self, _effect: StopNav) -> None:
        """Cancel every motion goal, of any client."""
        # A request without UUID and time means all goals.
        for cancels in self._all_cancels:
            _call(cancels, CancelGoal.Request())

    def check(self) -> None:
        """Find overdue answers and servers that are gone; called by a timer."""
        now = time.monotonic()
        for request_id, asked in list(self._asked.items()):
            if now > asked.deadline:
                self._no_path(request_id, NavStatus.TIMEOUT)
        self._servers.check(now)
        for goal_id, motion in list(self._motions.items()):
            fault = motion.fault(now)
            if fault:
                del self._motions[goal_id]
                self._await_servers()
                self._answer(NavFinished(goal_id, NavStatus.LOST, 0,
                                         f'{motion.action} {fault}'))
                continue
            if motion.cancelled_at is not None and now - motion.cancelled_at > self._given_up_s:
                # Its answer never came. If it still comes, the goal is cancelled then.
                del self._motions[goal_id]

    def _await_servers(self) -> None:
        self._answer(NavServersAwaited())
        self._servers.ask(self._tell_servers)

    def _tell_servers(self) -> None:
        self._answer(NavServersHeard(self._servers.fault))

    @property
    def _all_cancels(self) -> tuple[Client, ...]:
        return (*(action.cancels for action in self._moving), self._cancel_follow)

    def _pose(self, goal: Any) -> Any:
        return pose_stamped(goal, self._map_frame, self._node.get_clock().now().nanoseconds)


def _call(client: Client, request: Any) -> None:
    """Send a request if the service is there; otherwise it would pend for ever."""
    if client.service_is_ready():
        client.call_async(request)
