"""Spin, back up and wait, as in Nav2's behavior_server, with its result codes.

Motion is measured and checked in the odom frame, on the local costmap.
"""

from __future__ import annotations

import math
from enum import Enum, IntEnum
from typing import Protocol

from semantic_nav_sim.navigator.costmap import Costmap
from semantic_nav_sim.navigator.follower import can_turn, is_clear, is_wedged
from semantic_nav_sim.navigator.geometry import STOP, Pose, Velocity, wrap

_TURN_ACCELERATION, _MIN_TURN_SPEED, _MAX_TURN_SPEED = 3.2, 0.4, 1.0
_SIMULATE_AHEAD_S = 2.0


class SpinCode(IntEnum):
    """Result codes of nav2_msgs/action/Spin."""

    NONE = 0
    TIMEOUT = 701
    TF_ERROR = 702
    COLLISION_AHEAD = 703


class BackUpCode(IntEnum):
    """Result codes of nav2_msgs/action/BackUp."""

    NONE = 0
    TIMEOUT = 711
    TF_ERROR = 712
    INVALID_INPUT = 713
    COLLISION_AHEAD = 714


class State(Enum):
    """State of a behavior."""

    RUNNING = 'running'
    SUCCEEDED = 'succeeded'
    FAILED = 'failed'


class Behavior(Protocol):
    """A timed motion of the base.

    Attributes:
        state: The current state.
        code: Result code, 0 unless it failed.
        done: Angle [rad] or distance [m] so far.
        started_s: Time of the start [s].
    """

    state: State
    code: int
    done: float
    started_s: float

    def tick(self, now_s: float, pose: Pose | None) -> Velocity:
        """Advance the behavior.

        Args:
            now_s: Time now [s].
            pose: Of the robot in the costmap's frame; None if unknown.

        Returns:
            The velocity to drive now; zero once the state is not RUNNING.
        """
        ...


class Spin:
    """Turn in place by an angle.

    Args:
        costmap: Local costmap.
        now_s: Time now [s].
        pose: Of the robot in the costmap's frame.
        target_yaw_rad: Angle to turn [rad]; positive to the left.
        allowance_s: Time limit [s]; 0 for none.
    """

    def __init__(self, costmap: Costmap, now_s: float, pose: Pose | None, target_yaw_rad: float,
                 allowance_s: float) -> None:
        self.state, self.code, self.done, self.started_s = State.RUNNING, 0, 0.0, now_s
        self._costmap = costmap
        self._target_rad = target_yaw_rad
        self._allowance_s = allowance_s
        self._yaw = pose.yaw if pose is not None else 0.0

    def tick(self, now_s: float, pose: Pose | None) -> Velocity:
        """Advance the behavior; see `Behavior`."""
        if self._allowance_s > 0.0 and now_s - self.started_s > self._allowance_s:
            return self._end(SpinCode.TIMEOUT)
        if pose is None:
            return self._end(SpinCode.TF_ERROR)
        self.done += wrap(pose.yaw - self._yaw)
        self._yaw = pose.yaw
        remaining = abs(self._target_rad) - abs(self.done)
        if remaining <= 1e-6:
            return self._end(SpinCode.NONE)
        if not self._costmap.current:
            return STOP
        if is_wedged(self._costmap, pose):
            return self._end(SpinCode.COLLISION_AHEAD)
        speed = math.copysign(
            min(max(math.sqrt(2.0 * _TURN_ACCELERATION * remaining), _MIN_TURN_SPEED),
                _MAX_TURN_SPEED), self._target_rad)
        if not can_turn(self._costmap, pose, speed, remaining, _SIMULATE_AHEAD_S):
            return self._end(SpinCode.COLLISION_AHEAD)
        return Velocity(0.0, speed)

    def _end(self, code: SpinCode) -> Velocity:
        self.state, self.code = _ended(code), int(code)
        return STOP


class BackUp:
    """Drive straight backwards.

    Args:
        costmap: Local costmap.
        now_s: Time now [s].
        pose: Of the robot in the costmap's frame.
        target_m: Distance as (x, y, z) [m]; only x may differ from zero, its sign is ignored.
        speed: Speed [m/s]; its sign is ignored.
        allowance_s: Time limit [s]; 0 for none.
    """

    def __init__(self, costmap: Costmap, now_s: float, pose: Pose | None,
                 target_m: tuple[float, float, float], speed: float, allowance_s: float) -> None:
        self.state, self.code, self.done, self.started_s = State.RUNNING, 0, 0.0, now_s
        self._costmap = costmap
        self._target_m = abs(target_m[0])
        self._speed = abs(speed)
        self._valid = target_m[1] == target_m[2] == 0.0
        self._allowance_s = allowance_s
        self._from = pose

    def tick(self, now_s: float, pose: Pose | None) -> Velocity:
        """Advance the behavior; see `Behavior`."""
        if not self._valid:
            return self._end(BackUpCode.INVALID_INPUT)
        if self._allowance_s > 0.0 and now_s - self.started_s > self._allowance_s:
            return self._end(BackUpCode.TIMEOUT)
        if pose is None or self._from is None:
            return self._end(BackUpCode.TF_ERROR)
        self.done = self._from.distance_m(pose.x, pose.y)
        if self.done >= self._target_m:
            return self._end(BackUpCode.NONE)
        if not self._costmap.current:
            return STOP
        velocity = Velocity(-self._speed, 0.0)
        remaining_s = (self._target_m - self.done) / max(self._speed, 1e-3)
        if not is_clear(self._costmap, pose, velocity, min(_SIMULATE_AHEAD_S, remaining_s)):
            return self._end(BackUpCode.COLLISION_AHEAD)
        return velocity

    def _end(self, code: BackUpCode) -> Velocity:
        self.state, self.code = _ended(code), int(code)
        return STOP


class Wait:
    """Stand still for a while.

    Args:
        now_s: Time now [s].
        wait_s: Duration [s].
    """

    def __init__(self, now_s: float, wait_s: float) -> None:
        self.state, self.code, self.done, self.started_s = State.RUNNING, 0, 0.0, now_s
        self._wait_s = wait_s

    def tick(self, now_s: float, pose: Pose | None) -> Velocity:
        """Advance the behavior; see `Behavior`."""
        self.done = now_s - self.started_s
        if self.done >= self._wait_s:
            self.state = State.SUCCEEDED
        return STOP


def _ended(code: int) -> State:
    return State.SUCCEEDED if code == 0 else State.FAILED
