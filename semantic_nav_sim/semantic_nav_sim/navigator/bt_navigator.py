"""The action navigate_to_pose: pursuit, preemption and end of its goals."""

from __future__ import annotations

import math
from pathlib import Path

from semantic_nav_sim.navigator.costmap import Costmap
from semantic_nav_sim.navigator.errands import Errands
from semantic_nav_sim.navigator.geometry import STOP, Pose
from semantic_nav_sim.navigator.goals import (
    Drive,
    Goal,
    GoalStatus,
    NavigationFeedback,
    Output,
    PlanMade,
    RobotState,
)
from semantic_nav_sim.navigator.navigation import Navigation, NavigationConfig
from semantic_nav_sim.navigator.profile import NavigatorProfile, strikes

#: Time after which a base without commands stands [s].
_ROLLS_S = 0.5
#: Time that bt_navigator waits for a server that hangs [s].
_HUNG_S = 1.8


class BtNavigator:
    """Pursues one goal at a time; a new one preempts the current one.

    Args:
        config: Of the navigation.
        profile: Faults of the navigator.
        errands: Goals for the other servers.
        local: Costmap of controller and recoveries, in the odom frame.

    Attributes:
        bond_broken: Whether a server hung, so that all servers become inactive.
    """

    bond_broken = False

    def __init__(self, config: NavigationConfig, profile: NavigatorProfile,
                 errands: Errands, local: Costmap) -> None:
        self._config, self._errands, self._local = config, errands, local
        self._max_vel_x = config.follower.max_vel_x
        self.become(profile)
        # Navigation goes on without a current goal, if that goal is said to have ended.
        self._goal: Goal | None = None
        self._tree = ''
        self._navigation: Navigation | None = None
        self._moves_from_s = 0.0
        self._abort_s = self._death_s = self._hang_s = math.inf
        self._follows_on = False
        self._count = 0

    def become(self, profile: NavigatorProfile) -> None:
        """Change the faults of future goals."""
        self._faults, self._hidden = profile.goals, profile.hidden_obstacle
        self._delay_s = profile.planner.delay_s

    @property
    def active(self) -> bool:
        """Tell whether the robot is being driven."""
        return self._navigation is not None

    def take(self, goal: Goal, pose: Pose | None, tree: str,
             costmap: Costmap | None) -> list[Output]:
        """Start a goal.

        Args:
            goal: The accepted goal.
            pose: Goal pose in the global frame; None if its frame is unknown.
            tree: File of the behavior tree, '' for the default one.
            costmap: Global costmap of the planner; None without a map.
        """
        now_s = goal.accepted_s
        usable = not tree or Path(tree).is_file()
        if self._goal is not None:
            # A running tree cannot be swapped for another one.
            usable = usable and tree in ('', self._tree)
        if pose is None and usable and self._goal is not None and self._navigation is not None:
            # The robot drives on to the first goal pose, and reaching it ends the second goal.
            ended, self._goal = self._goal.end(now_s), goal
            return [ended]
        if pose is None or not usable or costmap is None:
            return [goal.end(now_s)]
        self._count += 1
        if strikes(self._faults.drop_every, self._count):
            goal.forgotten = True
            return []
        outputs: list[Output] = []
        if self._goal is not None and self._navigation is not None:
            outputs.append(self._goal.end(now_s))
            self._navigation.preempt(pose)
        else:
            self._moves_from_s = now_s + self._delay_s
            self._navigation = Navigation(self._config, costmap, self._local, pose,
                                          self._hidden, self._errands)
            self._navigation.limit_speed(self._max_vel_x)
        self._goal, self._tree = goal, tree
        self._abort_s = self._death_s = math.inf
        # A server that hangs already does so with the new goal, too.
        hangs = now_s >= self._hang_s
        self._hang_s = self._hang_s if hangs else math.inf
        self._navigation.planner_hangs = hangs and self._follows_on
        if strikes(self._faults.hang_every, self._count):
            self.hang_controller(now_s + self._faults.abort_after_s)
        if strikes(self._faults.die_every, self._count):
            self._death_s = now_s + self._faults.abort_after_s
        if strikes(self._faults.abort_every, self._count):
            self._abort_s = now_s + self._faults.abort_after_s
        return outputs

    def limit_speed(self, limit: float, *, percentage: bool) -> None:
        """Limit the speed along paths, as nav2_msgs/SpeedLimit says.

        Turns and backing up have speeds of their own.

        Args:
            limit: In m/s, or in percent of the maximum; 0 for no limit.
            percentage: Whether it is in percent.
        """
        fastest = self._config.follower.max_vel_x
        wanted = fastest * limit / 100.0 if percentage else limit
        self._max_vel_x = wanted if limit else fastest
        if self._navigation is not None:
            self._navigation.limit_speed(self._max_vel_x)

    def tick(self, state: RobotState) -> list[Output]:
        """Advance the navigation."""
        navigation = self._navigation
        if navigation is None:
            return []
        if self._goal is not None and self._goal.canceling:
            return [*self.stop(state.now_s), Drive(STOP)]
        outputs: list[Output] = []
        if self._goal is not None:
            if state.now_s >= self._death_s:
                self.die()
            elif state.now_s >= self._abort_s:
                outputs.append(self._goal.end(state.now_s))
                self._goal = None
        hung_s = state.now_s - self._hang_s
        if hung_s >= (_HUNG_S if self._follows_on else 0.0):
            return [*outputs, *self._hang(hung_s, state.now_s)]
        if state.now_s < self._moves_from_s:
            return [*outputs, Drive(STOP)]
        before = navigation.plan
        velocity = navigation.tick(state)
        outputs += self._errands.told()
        if navigation.plan is not None and navigation.plan is not before:
            outputs.append(PlanMade(navigation.plan))
        if navigation.status is not GoalStatus.EXECUTING:
            return [*outputs, *self.stop(state.now_s), Drive(STOP)]
        return [*outputs, Drive(velocity)]

    def feedback(self, state: RobotState) -> list[NavigationFeedback]:
        """Feedback of the current goal, if any and unless a fault suppresses it."""
        goal, navigation = self._goal, self._navigation
        if goal is None or navigation is None or state.pose is None or not self._faults.feedback:
            return []
        return [NavigationFeedback(goal.id, state.pose, state.now_s - goal.accepted_s,
                                   navigation.remaining_m(state.pose), navigation.recoveries)]

    def stop(self, now_s: float) -> list[Output]:
        """End the navigation: by its result, as canceled, or as aborted."""
        goal, navigation = self._goal, self._navigation
        self._goal = self._navigation = None
        self._errands.end(now_s, canceled=goal is not None and goal.canceling)
        outputs: list[Output] = [*self._errands.told()]
        if goal is not None and navigation is not None:
            outputs.append(goal.end(
                now_s, succeeded=navigation.status is GoalStatus.SUCCEEDED,
                code=navigation.error_code, recoveries=navigation.recoveries))
        return outputs

    def interrupt(self, now_s: float) -> list[Output]:
        """End the navigation as Nav2 does when a server is lost: ABORTED with code 0."""
        self._hang_s = math.inf
        goal, self._goal = self._goal, None
        ended: list[Output] = [] if goal is None else [goal.end(now_s)]
        return ended + self.stop(now_s)

    def hang_controller(self, now_s: float) -> None:
        """Make the controller server hang from `now_s` on."""
        self._hang_s, self._follows_on = now_s, False

    def hang_planner(self, now_s: float) -> None:
        """Make the planner server hang from `now_s` on; the controller follows its last path."""
        self._hang_s, self._follows_on = now_s, True
        if self._navigation is not None:
            self._navigation.planner_hangs = True

    def go_on(self) -> None:
        """End the hanging of all servers."""
        self._hang_s = math.inf
        if self._navigation is not None:
            self._navigation.planner_hangs = False

    def _hang(self, hung_s: float, now_s: float) -> list[Output]:
        if hung_s < _ROLLS_S:
            return []
        self.bond_broken = hung_s >= _HUNG_S
        return [*(self.interrupt(now_s) if self.bond_broken else []), Drive(STOP)]

    def die(self) -> None:
        """Forget the current goal without a result; its path is followed to the end."""
        if self._goal is not None:
            self._goal.forgotten = True
        self._goal = None

    def cancel_following(self, now_s: float) -> tuple[str, list[Output]]:
        """Stop the path follower, even without a current goal.

        A current goal counts as reached wherever the robot is, since its path counts as completed.

        Returns:
            UUID of the goal of follow_path, '' if there was none.
        """
        if not self.active:
            return '', []
        followed = self._errands.goal_id
        self._errands.end(now_s, canceled=True)
        goal, self._goal = self._goal, None
        ended: list[Output] = [] if goal is None else [goal.end(now_s, succeeded=True)]
        return followed, [*ended, *self.stop(now_s), Drive(STOP)]
