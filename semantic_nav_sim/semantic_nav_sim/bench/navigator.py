"""Stands in for Nav2 in simulated time: takes the verifier's effects and returns its events."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semantic_nav.contracts.core import Event
from semantic_nav.contracts.vocabulary import NavStatus
from semantic_nav.verify.driving.feedback_pace import FeedbackPace
from semantic_nav.verify.effects import (
    AskPath,
    CancelNav,
    ClearCostmaps,
    LimitSpeed,
    SendBackUp,
    SendNav,
    SendSpin,
    StopNav,
)
from semantic_nav.verify.events import NavAnswered, NavFinished, PathAnswered
from semantic_nav_sim.bench.robot import Robot, navigator_pose
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.navigator.geometry import STOP, Velocity
from semantic_nav_sim.navigator.goals import (
    Action,
    BehaviorFeedback,
    Drive,
    NavigationFeedback,
    Output,
    Result,
    RobotState,
)
from semantic_nav_sim.navigator.planner_server import PathRequest
from semantic_nav_sim.navigator.profile import NavigatorProfile
from semantic_nav_sim.navigator.servers import Servers

_NO_PATH = np.zeros((0, 2))
#: Longest silence of a server that gives feedback, and the period of that check.
_FEEDBACK_MAX_AGE_S, _CHECK_S = 1.0, 0.25


@dataclass(frozen=True)
class Latency:
    """Typical latencies of DDS and the Nav2 servers.

    Attributes:
        path_s: from the request to a path (measured: 29-45 ms).
        accepted_s: from a goal to its acceptance (measured: 3-28 ms).
        result_s: from the end of a goal to its result.
    """

    path_s: float = 0.035
    accepted_s: float = 0.015
    result_s: float = 0.01


class Navigator:
    """Passes goals to the servers and their results to the verifier, as ROS does.

    Attributes:
        received: UUIDs of the motion goals, in hexadecimal, in order of arrival.
        servers: the action servers.
    """

    def __init__(self, robot: Robot, scheduler: Scheduler, profile: NavigatorProfile,
                 answer: Callable[[Event], None], latency: Latency | None = None) -> None:
        """Connect to a robot.

        Args:
            robot: the robot that moves.
            scheduler: gives the time.
            profile: faults of the navigator.
            answer: takes the events.
            latency: of requests and answers; None for the usual one.
        """
        self._robot, self._scheduler, self._answer = robot, scheduler, answer
        self._latency = latency or Latency()
        self.servers = Servers(robot.navigation(), profile, robot.local_costmap)
        self.servers.costmap = robot.costmap
        self._planning_s = profile.planner.delay_s
        self._asked: set[str] = set()
        self._velocity = STOP
        # Time of the last feedback [s] and its pace, by goal under way.
        self._told: dict[str, tuple[float, FeedbackPace]] = {}
        self._paces = {kind: FeedbackPace(_FEEDBACK_MAX_AGE_S)
                       for kind in (NavigationFeedback, BehaviorFeedback)}
        self.received: list[str] = []
        scheduler.every(_CHECK_S, self._miss)

    def become(self, profile: NavigatorProfile) -> None:
        """Change the faults."""
        self._planning_s = profile.planner.delay_s
        self._carry_out(self.servers.become(profile, self._scheduler.elapsed_s))

    def pause(self, paused: bool) -> None:
        """End every goal and reject new ones, or accept goals again."""
        self._carry_out(self.servers.pause(paused, self._scheduler.elapsed_s))

    def ask_path(self, effect: AskPath) -> None:
        """Plan from the robot's pose at the time when the request is served."""
        asked = effect.request_id
        if not self.servers.accepts(Action.COMPUTE_PATH_TO_POSE, self._robot.state_before()):
            self._later(0.0, PathAnswered(asked, NavStatus.UNAVAILABLE, 0, _NO_PATH))
            return

        def arrive() -> None:
            goal = navigator_pose(effect.goal)
            self._carry_out(self.servers.compute_path(
                asked, PathRequest(lambda: goal), self._robot.state_before()))
            self._scheduler.after(self._planning_s, lambda: self._carry_out(
                self.servers.tick_planner(self._robot.state())))

        def give_up() -> None:
            if asked in self._asked:
                self._asked.remove(asked)
                self._answer(PathAnswered(asked, NavStatus.TIMEOUT, 0, _NO_PATH))

        self._asked.add(asked)
        # The measured latency includes the planning.
        self._scheduler.after(max(0.0, self._latency.path_s - self._planning_s), arrive)
        self._scheduler.after(effect.timeout_s, give_up)

    def drive(self, effect: SendNav) -> None:
        """Accept a goal pose of navigate_to_pose."""
        self._take(effect.nav_goal_id, Action.NAVIGATE_TO_POSE, self._robot.state_before(),
                   lambda state: self.servers.navigate(
                       effect.nav_goal_id, navigator_pose(effect.goal), state))

    def turn(self, effect: SendSpin) -> None:
        """Accept a goal of spin."""
        self._take(effect.nav_goal_id, Action.SPIN, self._robot.state(),
                   lambda state: self.servers.spin(
                       effect.nav_goal_id, effect.angle_rad, effect.time_allowance_s, state))

    def back_up(self, effect: SendBackUp) -> None:
        """Accept a goal of backup."""
        self._take(effect.nav_goal_id, Action.BACKUP, self._robot.state(),
                   lambda state: self.servers.back_up(
                       effect.nav_goal_id, (effect.distance_m, 0.0, 0.0), effect.speed_mps,
                       effect.time_allowance_s, state))

    def clear(self, effect: ClearCostmaps) -> None:
        """Clear all obstacles that are not in the map."""
        self._robot.costmap.clear()
        if effect.local:
            self._robot.local_costmap.clear()

    def limit_speed(self, effect: LimitSpeed) -> None:
        """Limit the controller's speed."""
        self.servers.limit_speed(effect.limit.value, percentage=effect.limit.percentage)

    def cancel(self, effect: CancelNav) -> None:
        """Cancel a goal. This has no effect on one that has ended or was forgotten."""
        self.servers.goals.cancel(effect.nav_goal_id)

    def stop(self, _effect: StopNav) -> None:
        """Cancel all motion, with or without a goal."""
        for action in (Action.NAVIGATE_TO_POSE, Action.SPIN, Action.BACKUP):
            self.servers.goals.cancel_all(action)
        self.stop_following()

    def stop_following(self) -> None:
        """Cancel the following of a path that has no goal."""
        _followed, outputs = self.servers.cancel_following(self._scheduler.elapsed_s)
        self._carry_out(outputs)

    def _take(self, goal_id: str, action: Action, state: RobotState,
              begin: Callable[[RobotState], list[Output]]) -> None:
        self.received.append(goal_id)
        accepted = self.servers.accepts(action, state)
        if accepted:
            self._carry_out(begin(state))
        self._later(self._latency.accepted_s,
                    NavAnswered(goal_id, accepted, '' if accepted else 'rejected'))
        if self.servers.driving:
            self._robot.controller = self._control
            self._robot.wake()

    def _control(self, state: RobotState) -> Velocity:
        self._carry_out(self.servers.feedback(state))
        self._carry_out(self.servers.tick(state))
        if not self.servers.driving:
            self._robot.controller = None
        return self._velocity

    def _carry_out(self, outputs: list[Output]) -> None:
        for output in outputs:
            if isinstance(output, Drive):
                self._velocity = output.velocity
            elif isinstance(output, Result):
                self._told.pop(output.goal_id, None)
                self._tell(output)
            elif isinstance(output, NavigationFeedback | BehaviorFeedback):
                self._hear(output.goal_id, self._paces[type(output)])

    def _hear(self, goal_id: str, pace: FeedbackPace) -> None:
        """Note feedback of a goal."""
        if goal_id not in self._told:
            pace.begin()
        now_s = self._scheduler.elapsed_s
        pace.take(now_s)
        self._told[goal_id] = now_s, pace

    def _miss(self) -> None:
        """Give up the goals whose server has gone silent, as the node does."""
        for goal_id, (told_s, pace) in list(self._told.items()):
            if self._scheduler.elapsed_s - told_s > pace.silence_s:
                del self._told[goal_id]
                self._answer(NavFinished(goal_id, NavStatus.LOST, 0))

    def _tell(self, ended: Result) -> None:
        status = NavStatus(ended.status.name.lower())
        if ended.action is not Action.COMPUTE_PATH_TO_POSE:
            self._later(self._latency.result_s,
                        NavFinished(ended.goal_id, status, int(ended.code)))
        elif ended.goal_id in self._asked:
            self._asked.remove(ended.goal_id)
            points = ended.plan.points if ended.plan is not None else _NO_PATH
            self._answer(PathAnswered(ended.goal_id, status, int(ended.code),
                                      np.array(points, dtype=np.float64).reshape(-1, 2)))

    def _later(self, delay_s: float, event: Event) -> None:
        self._scheduler.after(delay_s, lambda: self._answer(event))
