"""What is wrong with the stand-in for Nav2, as data: without a word said, nothing is.

A profile is read from YAML (`profiles.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from semantic_nav_sim.navigator.geometry import Pose, Velocity

#: How far ahead the follower looks for something hidden [s].
_AHEAD_S = 1.0


@dataclass(frozen=True)
class PlannerFaults:
    """What is wrong with the planner server.

    Attributes:
        alive: False: no compute_path_to_pose, and navigate_to_pose rejects its goals.
        delay_s: How long it takes at least, before a drive too [s].
    """

    alive: bool = True
    delay_s: float = 0.0


@dataclass(frozen=True)
class GoalFaults:
    """What is wrong with navigate_to_pose.

    Attributes:
        rejected: It takes no goal.
        feedback: It tells how far it is.
        drop_every: Every n-th goal is accepted and forgotten: nothing drives, no result comes,
            and a cancel is refused; 0 for none.
        abort_every: Every n-th goal ends as ABORTED with code 0 while the robot drives on, as on
            a busy machine with the stock default_server_timeout; 0 for none.
        die_every: On every n-th goal bt_navigator dies while the robot drives on: it tells no
            more of the goal, and a cancel does nothing. For the next goal it is there again, as
            after a respawn; 0 for none.
        hang_every: On every n-th goal the controller server hangs: the robot rolls on, the goal
            ends as ABORTED with code 0, the bond breaks, and all servers are inactive; 0 for none.
        abort_after_s: How long after its acceptance such a goal ends so, or something dies or
            hangs [s].
        inactive_s: How long all servers are inactive then, until somebody helps [s].
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
    """Something that only the follower sees, as what stands in Nav2's local costmap alone.

    Paths lead through it, and the follower stops before it: code 104, after all recoveries.

    Attributes:
        x_m, y_m: Where it stands, in the global frame [m].
        radius_m: How large it is [m]; 0 for none.
        until_s: When it goes away, on the navigator's clock [s]; 0 for never.
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
    """What goes wrong, beside what goes wrong by itself; the defaults are a healthy Nav2."""

    PART: ClassVar[str] = 'navigator'

    planner: PlannerFaults = field(default_factory=PlannerFaults)
    goals: GoalFaults = field(default_factory=GoalFaults)
    hidden_obstacle: HiddenObstacle = field(default_factory=HiddenObstacle)


def strikes(every: int, count: int) -> bool:
    """Return whether a fault of every n-th goal hits this one, counted from 1; 0 is never."""
    return every > 0 and count % every == 0
