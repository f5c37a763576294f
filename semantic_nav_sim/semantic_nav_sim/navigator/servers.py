"""Stands in for the servers of Nav2 as a whole: acceptance, execution and results of goals.

This part knows no ROS and no clock. Two adapters drive it, one over ROS (`ros_actions.py`), one in
simulated time (`bench/navigator.py`). Its behaviour was measured from Nav2 (jazzy, stock
parameters).
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

#: A drive and a turn fight: 8 s for 1.57 rad were measured, as with this share of drive commands.
_DRIVES_EVERY = 3


class Server(StrEnum):
    """A server that may hang."""

    CONTROLLER = 'controller'
    PLANNER = 'planner'


class Servers:
    """bt_navigator, planner_server, behavior_server and controller_server.

    Args:
        config: Of the navigation.
        profile: Faults of the navigator.
        local: Costmap of controller and behaviors, in the odom frame.
        new_id: Returns a new UUID in hexadecimal, for the goals of bt_navigator to the other
            servers; None for consecutive numbers.

    Attributes:
        costmap: Global costmap of the planner; None before the first map.
        local: Local costmap of controller and behaviors.
        goals: Table of all goals.
        paused: Whether all servers are inactive, after PAUSE of the lifecycle manager or a broken
            bond.
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
        """Tell whether anything moves the robot, with a goal or without."""
        return any(one.active for one in (self._navigator, self._spin, self._backup))

    @property
    def active(self) -> bool:
        """Tell whether ticks are needed."""
        return self.driving or self._planner.active

    # Goals

    def accepts(self, action: Action, state: RobotState) -> bool:
        """Tell whether a goal would be accepted now."""
        ready = not self.paused and self.costmap is not None and (
            state.pose is not None and state.odom is not None)
        if action is Action.NAVIGATE_TO_POSE:
            return ready and self.planner_alive and not self._rejects
        return ready and (self.planner_alive or action is not Action.COMPUTE_PATH_TO_POSE)

    def navigate(self, goal_id: str, pose: Pose | None, state: RobotState,
                 tree: str = '') -> list[Output]:
        """Take an accepted goal of navigate_to_pose.

        Args:
            goal_id: UUID in hexadecimal.
            pose: Goal pose in the global frame; None if its frame is unknown.
            state: Of the robot now.
            tree: File of the behavior tree, '' for the default one.
        """
        goal = self.goals.accept(goal_id, Action.NAVIGATE_TO_POSE, state.now_s)
        return self._navigator.take(goal, pose, tree, self.costmap)

    def compute_path(self, goal_id: str, request: PathRequest, state: RobotState) -> list[Output]:
        """Take an accepted goal of compute_path_to_pose."""
        goal = self.goals.accept(goal_id, Action.COMPUTE_PATH_TO_POSE, state.now_s)
        return self._planner.take(goal, request, self.costmap, state)

    def spin(self, goal_id: str, target_yaw_rad: float, allowance_s: float,
             state: RobotState) -> list[Output]:
        """Take an accepted goal of spin: angle [rad] and time limit [s]."""
        goal = self.goals.accept(goal_id, Action.SPIN, state.now_s)
        return self._spin.take(goal, None if self.costmap is None else Spin(
            self.local, state.now_s, state.odom, target_yaw_rad, allowance_s))

    def back_up(self, goal_id: str, target_m: tuple[float, float, float], speed: float,
                allowance_s: float, state: RobotState) -> list[Output]:
        """Take an accepted goal of backup: distance [m], speed [m/s] and time limit [s]."""
        goal = self.goals.accept(goal_id, Action.BACKUP, state.now_s)
        return self._backup.take(goal, None if self.costmap is None else BackUp(
            self.local, state.now_s, state.odom, target_m, speed, allowance_s))

    def cancel_following(self, now_s: float) -> tuple[str, list[Output]]:
        """Cancel all goals of follow_path, which drives for navigate_to_pose.

        Returns:
            UUID of the current one, '' if there was none.
        """
        return self._navigator.cancel_following(now_s)

    def limit_speed(self, limit: float, *, percentage: bool) -> None:
        """Limit the speed along paths, in m/s or in percent of the maximum; 0 for no limit."""
        self._navigator.limit_speed(limit, percentage=percentage)

    # Time

    def tick(self, state: RobotState) -> list[Output]:
        """Advance all servers that move the robot; their commands may conflict."""
        if self.paused:
            return []
        # No server can use late poses.
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
        """Answer the path requests that have waited long enough."""
        return self._planner.tick(self.costmap, state)

    # Controls

    def pause(self, paused: bool, now_s: float) -> list[Output]:
        """End every goal and reject new ones, or accept goals again, unless a server hangs."""
        self.paused, self._again_s = paused or bool(self._hung), math.inf
        return [*self._navigator.interrupt(now_s), *self.stop(now_s)] if paused else []

    def become(self, profile: NavigatorProfile, now_s: float) -> list[Output]:
        """Change the faults."""
        self._rejects, self._inactive_s = profile.goals.rejected, profile.goals.inactive_s
        self._navigator.become(profile)
        self._planner.delay_s = profile.planner.delay_s
        return self.set_planner_alive(profile.planner.alive, now_s)

    def recover(self, now_s: float) -> None:
        """Become active again, if it is time; the caller publishes no costmap before."""
        if now_s >= self._again_s:
            self.pause(False, now_s)

    def hang(self, server: Server, now_s: float) -> None:
        """Make a server hang, which breaks its bond with a goal or without.

        The servers stay inactive until the last one that hangs goes on. A planner that hangs
        answers no path request.
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
        """End the hanging of a server."""
        self._hung.discard(server)
        self._planner.hangs = Server.PLANNER in self._hung
        if not self._hung:
            self._navigator.go_on()
            self.pause(False, now_s)

    def feedback(self, state: RobotState) -> list[Output]:
        """Feedback of the current goal of navigate_to_pose, if any."""
        return [] if self.paused else [*self._navigator.feedback(state)]

    def lose_navigator(self) -> None:
        """Kill bt_navigator: its goal never ends, and its path is followed to the end."""
        self._navigator.die()

    def set_planner_alive(self, alive: bool, now_s: float) -> list[Output]:
        """Kill the planner server, or bring it back."""
        self.planner_alive = alive
        if alive:
            return []
        self._planner.die()
        return [*self._navigator.interrupt(now_s), Drive(STOP)]

    def stop(self, now_s: float) -> list[Output]:
        """End every goal and stop the robot."""
        return [*self._navigator.stop(now_s), *self._spin.stop(now_s), *self._backup.stop(now_s),
                *self._planner.stop(now_s), Drive(STOP)]
