"""Recovery of a stuck robot: clear the costmaps, then back off, perhaps after a turn."""

from collections.abc import Callable
from dataclasses import replace

from semantic_nav.contracts.clock import Now, nanoseconds, seconds
from semantic_nav.contracts.core import Output
from semantic_nav.contracts.documents import Result
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import ActOutcome, NavStatus
from semantic_nav.verify.checks.act_checks import blocked_robot
from semantic_nav.verify.checks.attempts import Attempts
from semantic_nav.verify.checks.checks import passes
from semantic_nav.verify.checks.failure_cause import Blame
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE, PLANNED
from semantic_nav.verify.driving import motions
from semantic_nav.verify.driving.back_off import OdometryTrail, back_off_m, turn_to_back_off_rad
from semantic_nav.verify.driving.drive import Drive, DriveStage
from semantic_nav.verify.effects import ClearCostmaps
from semantic_nav.verify.events import NavFinished
from semantic_nav.verify.floor.localisation import Localisation

#: Time until cleared costmaps hold again what the sensors see, in s.
_FULL_AGAIN_S = 1.0
#: Longest wait for cleared costmaps, in s.
_CLEARED_MAX_S = 3.0
#: Failures in a row from one start from which on the robot must get free.
_START_FAILURES = 2


def remembered(drive: Drive, attempts: Attempts,
               situation: Situation) -> tuple[Attempts, bool]:
    """The attempts with a drive that ended, and whether the robot must get free now."""
    if drive.recovered:
        return attempts, False
    assert drive.goal is not None and drive.result is not None
    if drive.result.outcome in (ActOutcome.ARRIVED, ActOutcome.LEG_DONE):
        return attempts.arrived(drive.plan, drive.goal), False
    failed = drive.failure(situation)
    if failed is None:
        return attempts, False
    attempts = attempts.failing(failed)
    if failed.blame is not Blame.START or failed.start is None:
        return attempts, failed.blame is Blame.PLACE
    memory_s = situation.config.failure_memory_s
    count = attempts.stuck_at(failed.start, situation.now, memory_s)
    return attempts, count >= _START_FAILURES


class Recovery:
    """Gets a stuck robot back along the trail on which it came."""

    def __init__(self, new_goal_id: Callable[[], str]) -> None:
        """Begin with an empty trail.

        Args:
            new_goal_id: returns a new UUID in hexadecimal.
        """
        self._new_goal_id = new_goal_id
        self._trail = OdometryTrail()

    def see(self, robot: Localisation) -> None:
        """Take the newest pose."""
        self._trail.see(robot)

    def begin(self, drive: Drive, situation: Situation) -> list[Output]:
        """Clear the costmaps; `way_back` follows once `clears` no longer holds."""
        drive.stage, drive.settle_ns = DriveStage.CLEARING, situation.now.steady_ns
        drive.cleared_clock_ns = situation.now.clock_ns
        drive.cleared = situation.surroundings.costmap
        # The reason of the cut is in the result, and must not stop the recovery.
        drive.cut = None
        return [ClearCostmaps()]

    def clears(self, drive: Drive, situation: Situation) -> bool:
        """Tell whether the cleared costmaps are still awaited."""
        costmap, since_ns = situation.surroundings.costmap, drive.cleared_clock_ns
        if costmap is not None and (
                costmap.stamp_ns >= since_ns + nanoseconds(_FULL_AGAIN_S)):
            return False
        return seconds(situation.now.steady_ns - drive.settle_ns) < _CLEARED_MAX_S

    def way_back(self, drive: Drive, situation: Situation) -> motions.Motion | None:
        """The way back, or the turn before it; None where none is wanted or free."""
        if not passes(situation, HERE):
            return None
        refusal = drive.refusal
        # The robot may have been wedged only by the old costmap.
        if refusal is not None and not refusal.cramped and (
                blocked_robot(PLANNED, situation) is None
                and not situation.surroundings.stands_in_something):
            return None
        motion = self._motion(drive, situation)
        if motion is None:
            return None
        if refusal is not None:
            drive.result = Result(ActOutcome.UNAVAILABLE, refusal.reason)
        drive.until_ns = situation.now.steady_ns + nanoseconds(
            motion.allowance_s + situation.config.cancel_max_s)
        return motion

    def _motion(self, drive: Drive, situation: Situation) -> motions.Motion | None:
        distance_m = back_off_m(situation, self._trail, drive.cleared)
        if distance_m is not None:
            return motions.back_up(self._new_goal_id(), situation.robot, distance_m)
        turn_rad = turn_to_back_off_rad(situation, self._trail, drive.cleared) if (
            drive.turned is None) else None
        if turn_rad is None:
            return None
        drive.turned = False
        return motions.turn(self._new_goal_id(), situation.robot, turn_rad, 'turn, to back off')

    def turned(self, drive: Drive, event: NavFinished, now: Now) -> bool:
        """Tell whether the turn before the way back has ended well, and go on to the way back."""
        if drive.turned is not False or drive.cut is not None or (
                event.status is not NavStatus.SUCCEEDED):
            return False
        drive.turned = True
        # The robot comes to rest, and the costmap takes in what the sensors saw on the turn.
        drive.stage, drive.settle_ns = DriveStage.CLEARING, now.steady_ns
        drive.cleared_clock_ns = now.clock_ns
        return True


def backed_off(drive: Drive, robot: Pose2D | None) -> Result:
    """The result of an act after which the robot backed off."""
    result = drive.result
    assert result is not None
    if drive.cut is not None:
        return drive.cut.result()
    if drive.turned is False:
        return replace(result, reason=f'{result.reason}; it could not turn to back off')
    if robot is None or drive.set_out is None:
        return result
    moved_m = robot.distance_to(drive.set_out.x, drive.set_out.y)
    return replace(result, reason=f'{result.reason}; it backed off {moved_m:.2f} m')
