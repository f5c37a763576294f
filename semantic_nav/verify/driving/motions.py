"""Motions of the robot: the decision that announces one, and the Nav2 goal that follows."""

from dataclasses import dataclass

from semantic_nav.contracts.documents import Decision
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.driving.back_off import behind
from semantic_nav.verify.effects import SendBackUp, SendNav, SendSpin

#: Slowest turn that gets enough time, in rad/s.
_SLOWEST_TURN_RADPS = 0.2
#: Speed of backing off, as in Nav2's own recovery, and the slowest that gets enough time, in m/s.
_BACK_UP_MPS, _SLOWEST_BACK_UP_MPS = 0.15, 0.05
#: Time that a turn or a way back gets in any case, in s.
_ALLOWANCE_S = 5.0


@dataclass(frozen=True)
class Motion:
    """An OK decision with the effect that it allows; both bear one UUID.

    Attributes:
        goal: pose to which it leads, in the map frame.
        allowance_s: time that Nav2 allows it; 0 for no limit.
    """

    decision: Decision
    effect: SendNav | SendSpin | SendBackUp
    goal: Pose2D
    allowance_s: float = 0.0


def drive(nav_goal_id: str, goal: Pose2D, reason: str) -> Motion:
    """Drive to a pose."""
    return Motion(Decision(Code.OK, reason, nav_goal_id, goal), SendNav(nav_goal_id, goal), goal)


def turn(nav_goal_id: str, robot: Pose2D, angle_rad: float, reason: str) -> Motion:
    """Turn on the spot, positive to the left."""
    goal = Pose2D(robot.x, robot.y, wrap_angle(robot.yaw + angle_rad))
    allowance_s = _ALLOWANCE_S + abs(angle_rad) / _SLOWEST_TURN_RADPS
    return Motion(Decision(Code.OK, reason, nav_goal_id, goal, turn_rad=angle_rad),
                  SendSpin(nav_goal_id, angle_rad, allowance_s), goal, allowance_s)


def back_up(nav_goal_id: str, robot: Pose2D, distance_m: float) -> Motion:
    """Straight way back."""
    goal = behind(robot, distance_m)
    allowance_s = _ALLOWANCE_S + distance_m / _SLOWEST_BACK_UP_MPS
    return Motion(
        Decision(Code.OK, f'back off {distance_m:.2f} m', nav_goal_id, goal,
                 back_up_m=distance_m),
        SendBackUp(nav_goal_id, distance_m, _BACK_UP_MPS, allowance_s), goal,
        allowance_s)
