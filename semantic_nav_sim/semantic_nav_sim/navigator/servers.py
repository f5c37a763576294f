"""Nav2's servers as one: what takes goals, what it makes of them, and how each of them ends.

This part knows no ROS and no clock; two adapters drive it, one over ROS (`ros_actions.py`), one in
simulated time (`bench/navigator.py`). What it does was measured of Nav2 (jazzy, stock parameters).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

from semantic_nav_sim.navigator.behavior_server import BehaviorServer
from semantic_nav_sim.navigator.behaviors import BackUp, Spin
from semantic_nav_sim.navigator.bt_navigator import BtNavigator
from semantic_nav_sim.navigator.costmap import Costmap
from semantic_nav_sim.navigator.errands import Errands
from semantic_nav_sim.navigator.geometry import STOP, Pose
from semantic_nav_sim.navigator.goals import (
    Action,
    Drive,
    GoalTable,
    Output,
    RobotState,
)
from semantic_nav_sim.navigator.navigation import NavigationConfig
from semantic_nav_sim.navigator.planner_server import PathRequest, PlannerServer
from semantic_nav_sim.navigator.profile import NavigatorProfile
from semantic_nav_sim.navigator.rolling_costmap import RollingCostmap

#: A drive and a turn fight: measured were 8 s for 1.57 rad, which this share of the drive gives.
_DRIVES_EVERY = 3


class Server(StrEnum):
    """A server that may hang."""

    CONTROLLER = 'controller'
    PLANNER = 'planner'


class Servers:
    """bt_navigator, planner_server, behavior_server and controller_server.

    Args:
        config: How goals are pursued.
        profile: What goes wrong.
        local: What controller and behaviors see in the way, in the odom frame.
        new_id: Returns a new UUID in hexadecimal, for the goals that bt_navigator gives to the
            others; None for numbers in a row.

    Attributes:
        costmap: What is in the way of the planner, in the global frame; None until there is a
            map.
        local: That of controller and behaviors.
        goals: All goals.
        paused: As after PAUSE of the lifecycle manager, or after a bond broke.
        planner_alive: Whether there is a planner server.
    """

    def __init__(self, config: NavigationConfig, profile: NavigatorProfile,
                 local: RollingCostmap, new_id: Callable[[], str] | None = None) -> None:
        self.costmap: Costmap | None = None
        self.local = local
        self.goals = GoalTable(new_id)
        self.paused, self.planner_alive = False, profile.planner.alive
        self._rejects, self._inactive_s = profile.goals.rejected, profile.goals.inactive_s
        self._again_s = math.inf
        self._hung: set[Server] = set()
        self._navigator = BtNavigator(config, profile, Errands(self.goals), local)
        self._planner = PlannerServer(config.planner_tolerance_m, profile.planner.delay_s)
        self._spin, self._backup = BehaviorServer(), BehaviorServer()
        self._ticks, self._stands = 0, True

    @property
    def driving(self) -> bool:
        """Whether anything moves the robot, with a goal or without."""
        return any(one.active for one in (self._navigator, self._spin, self._backup))

    @property
    def active(self) -> bool:
        """Whether ticks are needed."""
        return self.driving or self._planner.active

    # Goals

    def accepts(self, action: Action, state: RobotState) -> bool:
        """Tell whether a goal is accepted now."""
        ready = not self.paused and self.costmap is not None and (
            state.pose is not None and state.odom is not None)
        if action is Action.NAVIGATE_TO_POSE:
            return ready and self.planner_alive and not self._rejects
        return ready and (self.planner_alive or action is not Action.COMPUTE_PATH_TO_POSE)

    def navigate(self, goal_id: str, pose: Pose | None, state: RobotState,
                 tree: str = '') -> list[Output]:
        """Take a goal of navigate_to_pose that was accepted.

        Args:
            goal_id: Its UUID in hexadecimal.
            pose: Where to, in the global frame; None if its frame is not known.
            state: The robot now.
            tree: File of the behavior tree, '' for the usual one.
        """
        goal = self.goals.accept(goal_id, Action.NAVIGATE_TO_POSE, state.now_s)
        return self._navigator.take(goal, pose, tree, self.costmap)

    def compute_path(self, goal_id: str, request: PathRequest, state: RobotState) -> list[Output]:
        """Take a goal of compute_path_to_pose that was accepted."""
        goal = self.goals.accept(goal_id, Action.COMPUTE_PATH_TO_POSE, state.now_s)
        return self._planner.take(goal, request, self.costmap, state)

    def spin(self, goal_id: str, target_yaw_rad: float, allowance_s: float,
             state: RobotState) -> list[Output]:
        """Take a goal of spin that was accepted: the turn [rad], and the time for it [s]."""
        goal = self.goals.accept(goal_id, Action.SPIN, state.now_s)
        return self._spin.take(goal, None if self.costmap is None else Spin(
            self.local, state.now_s, state.odom, target_yaw_rad, allowance_s))

    def back_up(self, goal_id: str, target_m: tuple[float, float, float], speed: float,
                allowance_s: float, state: RobotState) -> list[Output]:
        """Take a goal of backup that was accepted: way [m], speed [m/s], time for it [s]."""
        goal = self.goals.accept(goal_id, Action.BACKUP, state.now_s)
        return self._backup.take(goal, None if self.costmap is None else BackUp(
            self.local, state.now_s, state.odom, target_m, speed, allowance_s))

    def cancel_following(self, now_s: float) -> tuple[str, list[Output]]:
        """Cancel all goals of follow_path, which drives for navigate_to_pose.

        Returns:
            UUID of the one in hand, '' if there was none.
        """
        return self._navigator.cancel_following(now_s)

    def limit_speed(self, limit: float, *, percentage: bool) -> None:
        """Drive no faster along paths, in m/s or in percent of the fastest; 0 for no limit."""
        self._navigator.limit_speed(limit, percentage=percentage)

    # Time

    def tick(self, state: RobotState) -> list[Output]:
        """Let everything that moves the robot go on; several that drive fight."""
        if self.paused:
            return []
        # What comes late is of no use to any of them.
        state = replace(state, pose=None, odom=None) if state.late else state
        if state.odom is not None:
            self.local.follow(state.odom)
        outputs = [output for one in (self._navigator, self._spin, self._backup)
                   for output in one.tick(state)]
        if self._navigator.bond_broken:
            self._navigator.bond_broken = False
            outputs += self.pause(True, state.now_s)
            self._again_s = math.inf if self._hung else state.now_s + self._inactive_s
        drives = [output for output in outputs if isinstance(output, Drive)]
        if not drives:
            return outputs
        self._ticks += 1
        drive = drives[0 if self._ticks % _DRIVES_EVERY == 0 else -1]
        stood, self._stands = self._stands, drive.velocity == STOP
        told = [output for output in outputs if not isinstance(output, Drive)]
        return told if stood and self._stands else [*told, drive]

    def tick_planner(self, state: RobotState) -> list[Output]:
        """Answer those who wait for a path and have waited long enough."""
        return self._planner.tick(self.costmap, state)

    # What an operator does

    def pause(self, paused: bool, now_s: float) -> list[Output]:
        """End every goal and take no more, or take goals again, unless a server hangs."""
        self.paused, self._again_s = paused or bool(self._hung), math.inf
        return [*self._navigator.interrupt(now_s), *self.stop(now_s)] if paused else []

    def become(self, profile: NavigatorProfile, now_s: float) -> list[Output]:
        """Let other things go wrong from now on."""
        self._rejects, self._inactive_s = profile.goals.rejected, profile.goals.inactive_s
        self._navigator.become(profile)
        self._planner.delay_s = profile.planner.delay_s
        return self.set_planner_alive(profile.planner.alive, now_s)

    def recover(self, now_s: float) -> None:
        """Be active again, if it is time; nothing tells of the costmap before."""
        if now_s >= self._again_s:
            self.pause(False, now_s)

    def hang(self, server: Server, now_s: float) -> None:
        """Let a server hang: its bond breaks, with a goal in hand or without.

        Nothing is active again before the last one that hangs goes on. Of a planner that hangs
        nobody gets a path.
        """
        self._hung.add(server)
        if server is Server.PLANNER:
            self._planner.hangs = True
            self._planner.die()
            self._navigator.hang_planner(now_s)
        else:
            self._navigator.hang_controller(now_s)
        if not self._navigator.active:
            self.pause(True, now_s)

    def hangs(self, server: Server | None) -> bool:
        """Tell whether a server hangs."""
        return server in self._hung

    def go_on(self, server: Server, now_s: float) -> None:
        """Let a server that hung go on."""
        self._hung.discard(server)
        self._planner.hangs = Server.PLANNER in self._hung
        if not self._hung:
            self._navigator.go_on()
            self.pause(False, now_s)

    def feedback(self, state: RobotState) -> list[Output]:
        """Return how far the goal of navigate_to_pose in hand is, if there is any."""
        return [] if self.paused else [*self._navigator.feedback(state)]

    def lose_navigator(self) -> None:
        """Kill bt_navigator: its goal never ends, and what it followed is followed to its end."""
        self._navigator.die()

    def set_planner_alive(self, alive: bool, now_s: float) -> list[Output]:
        """Let the planner server vanish, or come back."""
        self.planner_alive = alive
        if alive:
            return []
        self._planner.die()
        return [*self._navigator.interrupt(now_s), Drive(STOP)]

    def stop(self, now_s: float) -> list[Output]:
        """End every goal and stand still."""
        return [*self._navigator.stop(now_s), *self._spin.stop(now_s), *self._backup.stop(now_s),
                *self._planner.stop(now_s), Drive(STOP)]
