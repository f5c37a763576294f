"""Faults of the stand-in for Nav2, as data; by default there are none.

A profile is read from YAML (`profiles.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from semantic_nav_sim.navigator.geometry import Pose, Velocity

#: Time ahead in which the follower checks for a hidden obstacle [s].
_AHEAD_S = 1.0


@dataclass(frozen=True)
class PlannerFaults:
    """Faults of the planner server.

    Attributes:
        alive: False: no compute_path_to_pose, and navigate_to_pose rejects its goals.
        delay_s: Least planning time, also before a drive [s].
    """

    alive: bool = True
    delay_s: float = 0.0


@dataclass(frozen=True)
class GoalFaults:
    """Faults of navigate_to_pose.

    Attributes:
        rejected: It rejects all goals.
        feedback: It sends feedback.
        drop_every: Every n-th goal is accepted and forgotten: the robot does not drive, no result
            comes, and a cancel is rejected; 0 for none.
        abort_every: Every n-th goal ends as ABORTED with code 0 while the robot drives on, as on
            a busy machine with the stock default_server_timeout; 0 for none.
        die_every: On every n-th goal bt_navigator dies while the robot drives on: it reports no
            more of the goal, and a cancel has no effect. For the next goal it is back, as after a
            respawn; 0 for none.
        hang_every: On every n-th goal the controller server hangs: the robot rolls on, the goal
            ends as ABORTED with code 0, the bond breaks, and all servers are inactive; 0 for none.
        abort_after_s: Time from the acceptance of such a goal to its abort, or to the death or
            hanging of the server [s].
        inactive_s: Time that all servers are inactive then, unless they are activated earlier [s].
    """

    rejected: bool = False
    feedback: bool = True
    drop_every: int = 0
    abort_every: int = 0
    die_every: int = 0
    hang_every: int = 0
    abort_after_s: float = 1.0
    inactive_s: float = 20.0


@dataclass(frozen=True)
class HiddenObstacle:
    """An obstacle that only the follower sees, as if it stood in Nav2's local costmap alone.

    Paths lead through it, and the follower stops before it: code 104, after all recoveries.

    Attributes:
        x_m, y_m: Position in the global frame [m].
        radius_m: Radius [m]; 0 for no obstacle.
        until_s: Time when it goes away, on the navigator's clock [s]; 0 for never.
    """

    x_m: float = 0.0
    y_m: float = 0.0
    radius_m: float = 0.0
    until_s: float = 0.0

    def stops(self, pose: Pose, velocity: Velocity, robot_radius_m: float, now_s: float) -> bool:
        """Tell whether the robot would soon drive into it."""
        if not self.radius_m or 0.0 < self.until_s <= now_s:
            return False
        there = pose.moved(velocity.linear * _AHEAD_S, velocity.angular * _AHEAD_S)
        left_m = there.distance_m(self.x_m, self.y_m)
        return left_m < min(self.radius_m + robot_radius_m,
                            pose.distance_m(self.x_m, self.y_m))


@dataclass(frozen=True)
class NavigatorProfile:
    """All faults of the navigator; the defaults are a healthy Nav2."""

    PART: ClassVar[str] = 'navigator'

    planner: PlannerFaults = field(default_factory=PlannerFaults)
    goals: GoalFaults = field(default_factory=GoalFaults)
    hidden_obstacle: HiddenObstacle = field(default_factory=HiddenObstacle)


def strikes(every: int, count: int) -> bool:
    """Tell whether a fault of every n-th goal strikes this one, counted from 1; 0 is never."""
    return every > 0 and count % every == 0
