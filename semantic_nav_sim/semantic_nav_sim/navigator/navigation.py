"""One NavigateToPose goal, as the behavior tree of config/behavior_trees pursues it.

The order is that of Nav2's default tree. Plan, with one retry on a cleared costmap. Follow, with
one retry after clearing. Replan every second. If either fails for good, run the next recovery of
the round (clear both costmaps, spin, wait, back up) and start over. The local costmap is not
cleared round the robot.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from enum import IntEnum

from semantic_nav_sim.navigator.behaviors import BackUp, Behavior, Spin, State, Wait
from semantic_nav_sim.navigator.costmap import Costmap
from semantic_nav_sim.navigator.errands import Errands
from semantic_nav_sim.navigator.follower import Follower, FollowerConfig
from semantic_nav_sim.navigator.geometry import STOP, Pose, Velocity
from semantic_nav_sim.navigator.goals import Action, GoalStatus, GoalTable, RobotState
from semantic_nav_sim.navigator.planner import Plan, PlanCode, failed, plan_path
from semantic_nav_sim.navigator.profile import HiddenObstacle

#: Edge of the square round the robot in which the local costmap is not cleared [m].
RESET_DISTANCE_M = 2.0
_REPLAN_S = 1.0
#: Time that a server of Nav2 waits for a current costmap (`costmap_update_timeout`) [s].
_UPDATE_S = 1.0
_PROGRESS_M = 0.5
_RECOVERY_ALLOWANCE_S = 10.0
_RECOVERIES = {1: Action.SPIN, 2: Action.WAIT, 3: Action.BACKUP}
_SPIN_RAD, _BACK_UP_M, _BACK_UP_SPEED = 1.57, 0.30, 0.15


class FollowCode(IntEnum):
    """Result codes of nav2_msgs/action/FollowPath."""

    NONE = 0
    TF_ERROR = 102
    PATIENCE_EXCEEDED = 104
    FAILED_TO_MAKE_PROGRESS = 105


_PLANNER_HELP = (PlanCode.UNKNOWN, PlanCode.NO_VALID_PATH, PlanCode.TIMEOUT)
_FOLLOWER_HELP = (FollowCode.PATIENCE_EXCEEDED, FollowCode.FAILED_TO_MAKE_PROGRESS)


@dataclass(frozen=True)
class NavigationConfig:
    """Limits and timing of a navigation.

    Attributes:
        follower: Limits of the follower.
        planner_tolerance_m: Largest distance of the path's end from the goal pose, per axis [m].
        number_of_retries: Recoveries before giving up.
        recovery_pause_s: Duration of the recovery 'wait' [s].
        patience_s: Time that the way ahead may be blocked [s].
        progress_s: Time limit for half a metre of progress [s].
        period_s: Time between two ticks [s].
    """

    follower: FollowerConfig = field(default_factory=FollowerConfig)
    planner_tolerance_m: float = 0.5
    number_of_retries: int = 6
    recovery_pause_s: float = 5.0
    patience_s: float = 0.3
    progress_s: float = 10.0
    period_s: float = 0.05


_Steps = Generator[Velocity, RobotState, bool]


class Navigation:
    """Pursues one goal pose after another without stopping, until one is reached or given up.

    Args:
        config: Limits and timing.
        costmap: Global costmap of the planner.
        local: Local costmap of follower and recoveries, in the odom frame.
        goal: Goal pose in the global frame.
        hidden: Obstacle that only the follower sees.
        errands: Goals for the other servers.

    Attributes:
        goal: Current goal pose.
        recoveries: Number so far, including each cleared costmap.
        status: EXECUTING, SUCCEEDED or ABORTED.
        plan: The newest path; None before the first.
        planner_hangs: Whether no new path is planned.
    """

    planner_hangs = False

    def __init__(self, config: NavigationConfig, costmap: Costmap, local: Costmap, goal: Pose,
                 hidden: HiddenObstacle | None = None, errands: Errands | None = None) -> None:
        self.goal = goal
        self._hidden = hidden or HiddenObstacle()
        self._errands = errands or Errands(GoalTable())
        self.recoveries = 0
        self.status = GoalStatus.EXECUTING
        self.plan: Plan | None = None
        self._config = config
        self._costmap, self._local = costmap, local
        self._follower = Follower(config.follower)
        self._codes: dict[str, int] = {'plan': 0, 'follow': 0}
        self._goal_is_new = False
        self._planned_for: Pose | None = None
        self._updated_s = 0.0
        self._round: Iterator[int] = itertools.cycle(range(4))
        self._state = RobotState(0.0, None, None)
        self._steps: _Steps | None = None
        self._velocity = STOP

    @property
    def error_code(self) -> int:
        """Current result code: the smaller non-zero one of planner and follower."""
        return min((code for code in self._codes.values() if code), default=0)

    def preempt(self, goal: Pose) -> None:
        """Take a new goal pose; the robot drives on and gets a path to it within a second."""
        self.goal, self.recoveries, self._goal_is_new = goal, 0, True

    def limit_speed(self, max_vel_x: float) -> None:
        """Set the speed limit along paths [m/s]."""
        self._follower.max_vel_x = max_vel_x

    def remaining_m(self, pose: Pose) -> float:
        """Length of the path still to drive [m]; 0 before the first path."""
        return self._follower.remaining_m(pose)

    def tick(self, state: RobotState) -> Velocity:
        """Advance the navigation.

        Returns:
            The velocity to drive now; zero once the status is not EXECUTING.
        """
        self._state = state
        try:
            if self._steps is None:
                self._steps = self._tree()
                self._velocity = next(self._steps)
            else:
                self._velocity = self._steps.send(state)
        except StopIteration as stop:
            self.status = GoalStatus.SUCCEEDED if stop.value else GoalStatus.ABORTED
            self._velocity = STOP
        return self._velocity

    def _tree(self) -> _Steps:
        for attempt in itertools.count():
            if (yield from self._navigate()):
                self._errands.end(self._state.now_s, succeeded=True)
                return True
            self._errands.end(self._state.now_s)
            self._follower.reset()
            help_wanted = (self._codes['plan'] in _PLANNER_HELP
                           or self._codes['follow'] in _FOLLOWER_HELP)
            if not help_wanted or attempt == self._config.number_of_retries:
                return False
            if not (yield from self._recover()):
                return False
        return False

    def _navigate(self) -> _Steps:
        retried = False
        since_s = blocked_s = self._state.now_s
        planned_s, anchor = -_REPLAN_S, self._state.odom
        while True:
            now_s, pose, odom = self._state.now_s, self._state.pose, self._state.odom
            if pose is None and self.plan is not None:
                self._codes['follow'] = int(FollowCode.TF_ERROR)
                return False
            if self.planner_hangs and self.plan is None:
                self._state = yield STOP
                continue
            if now_s - planned_s >= _REPLAN_S and not self.planner_hangs:
                planned_s = now_s
                if not (yield from self._plan()):
                    self._errands.end(self._state.now_s, canceled=True)
                    return False
                now_s, pose, odom = self._state.now_s, self._state.pose, self._state.odom
            if pose is not None and self._follower.reached(pose):
                if self._planned_for == self.goal:
                    return True
                # The path led to a goal pose that has been replaced since.
                planned_s = now_s - _REPLAN_S
                if self.planner_hangs:
                    self._state = yield STOP
                continue
            if pose is None or odom is None or anchor is None:
                self._codes['follow'] = int(FollowCode.TF_ERROR)
                return False
            if odom.distance_m(anchor.x, anchor.y) > _PROGRESS_M:
                anchor, since_s = odom, now_s
            velocity = self._follower.velocity(pose, self._velocity, self._local, odom,
                                               self._config.period_s)
            if velocity is not None and self._hidden.stops(
                    pose, velocity, self._local.robot_radius_m, now_s):
                velocity = None
            if velocity is not None:
                blocked_s = now_s
            self._codes['follow'] = int(self._follow_code(now_s - since_s, now_s - blocked_s))
            if self._codes['follow']:
                if retried:
                    return False
                # One retry, since the costmap may have held false obstacles.
                retried = True
                self._clear_local()
                self._errands.begin(Action.FOLLOW_PATH, now_s)
                since_s, blocked_s, anchor = now_s, now_s, odom
                velocity = STOP
            self._state = yield velocity or STOP
            if not self._local.current:
                yield from self._update(self._local)
                blocked_s = self._state.now_s

    def _update(self, costmap: Costmap) -> Generator[Velocity, RobotState, None]:
        """Wait until a cleared costmap is current again.

        The planner's costmap also waits for its own update, once a second.
        """
        since_s = self._state.now_s
        while (costmap is self._costmap and self._state.now_s < self._updated_s) or (
                not costmap.current and self._state.now_s - since_s < _UPDATE_S):
            self._state = yield STOP

    def _plan(self) -> _Steps:
        """Plan, with one retry on a cleared costmap if that may help."""
        yield from self._update(self._costmap)
        plan = self._planned()
        self._codes['plan'] = int(plan.code)
        if plan.code in _PLANNER_HELP:
            self._clear_global()
            yield from self._update(self._costmap)
            plan = self._planned()
            self._codes['plan'] = int(plan.code)
        if plan.code != PlanCode.NONE:
            return False
        self._planned_for = self.goal
        self._goal_is_new = False
        self._follower.follow(plan)
        self._errands.begin(Action.FOLLOW_PATH, self._state.now_s)
        self.plan = plan
        return True

    def _planned(self) -> Plan:
        if self._state.pose is None:
            return failed(PlanCode.TF_ERROR, self.goal)
        return plan_path(self._costmap, self._state.pose, self.goal,
                         self._config.planner_tolerance_m)

    def _recover(self) -> _Steps:
        """Run the next recovery of the round that succeeds; a new goal ends any recovery."""
        self._goal_is_new = False
        for _ in range(4):
            if (yield from self._recovery(next(self._round))):
                return True
        return False

    def _recovery(self, kind: int) -> _Steps:
        now_s, odom = self._state.now_s, self._state.odom
        if kind == 0:
            self._clear_local()
            self._clear_global()
            self._state = yield STOP
            return True
        behavior: Behavior
        self._errands.begin(_RECOVERIES[kind], now_s)
        if kind == 1:
            behavior = Spin(self._local, now_s, odom, _SPIN_RAD, _RECOVERY_ALLOWANCE_S)
        elif kind == 2:
            behavior = Wait(now_s, self._config.recovery_pause_s)
        else:
            behavior = BackUp(self._local, now_s, odom, (_BACK_UP_M, 0.0, 0.0),
                              _BACK_UP_SPEED, _RECOVERY_ALLOWANCE_S)
        self.recoveries += 1
        while not (self._goal_is_new or self._errands.canceling):
            velocity = behavior.tick(self._state.now_s, self._state.odom)
            if behavior.state is not State.RUNNING:
                succeeded = behavior.state is State.SUCCEEDED
                self._errands.end(self._state.now_s, succeeded=succeeded)
                self._state = yield STOP
                return succeeded
            self._state = yield velocity
        # To the tree, a canceled recovery has succeeded.
        self._errands.end(self._state.now_s, canceled=True)
        return True

    def _clear_local(self) -> None:
        odom = self._state.odom
        if odom is None:
            self._local.clear()
        else:
            self._local.clear_except(odom, RESET_DISTANCE_M)
        self.recoveries += 1

    def _clear_global(self) -> None:
        self._costmap.clear()
        self.recoveries += 1
        self._updated_s = self._state.now_s + _UPDATE_S

    def _follow_code(self, standing_s: float, blocked_s: float) -> FollowCode:
        if blocked_s > self._config.patience_s:
            return FollowCode.PATIENCE_EXCEEDED
        if standing_s > self._config.progress_s:
            return FollowCode.FAILED_TO_MAKE_PROGRESS
        return FollowCode.NONE
