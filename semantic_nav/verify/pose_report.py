"""Which of the resolved poses are published for the others."""

from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.contracts.documents import RobotPose
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.checks import first_of
from semantic_nav.verify.events import PoseResolved
from semantic_nav.verify.situation import Situation
from semantic_nav.verify.surroundings import JUMP_M, Localisation

#: Least time between two poses that are published, while the robot moves and while it stands.
#: Whoever reads them must not take a robot that stands for one that is lost: the memory would
#: forget what was just seen.
_MOVING_S, _STANDING_S = 0.5, 0.9
_MOVED_M, _MOVED_RAD = 0.03, 0.03


def jump_m(before: Localisation, event: PoseResolved) -> float:
    """Return how far the localisation moved the robot, which is no driving, in metres."""
    if before.map_T_odom is None:
        return 0.0
    # Where the robot would be by the correction before.
    expected = (before.map_T_odom @ event.map_T_odom.inverse() @ event.map_T_base).pose()
    return event.map_T_base.pose().distance_to(expected.x, expected.y)


def shift(before: Localisation, event: PoseResolved, *, doubted: bool) -> Transform | None:
    """Return how findings move with the robot, as `new_T_old`; None where they stay.

    While a jump is doubted nothing is placed, and it may be taken back in small steps.
    """
    if before.map_T_odom is None or before.map_T_odom == event.map_T_odom or not (
            doubted or jump_m(before, event) >= JUMP_M):
        return None
    return event.map_T_odom @ before.map_T_odom.inverse()


def told_of(situation: Situation, jumped_m: float, *, stands: bool) -> RobotPose:
    """Return what others are told of a pose that has just come."""
    held = first_of(Code.HELD, situation)
    # A localisation that died leaves its last pose in TF.
    healthy = jumped_m < JUMP_M and first_of(Code.POSE_UNAVAILABLE, situation) is None
    return RobotPose(situation.robot, healthy, jumped_m, stands,
                     held.reason if held is not None else '')


class PoseReport:
    """Remembers the pose that was published last."""

    def __init__(self) -> None:
        """Begin with none."""
        self._pose: Pose2D | None = None
        self._held = ''
        self._steady_ns = 0

    def due(self, robot: RobotPose, now: Now) -> bool:
        """Tell whether a pose is to be published, and take it that it is."""
        if not (robot.held != self._held or self._is_news(robot.pose, robot.jump_m, now)):
            return False
        self._pose, self._held, self._steady_ns = robot.pose, robot.held, now.steady_ns
        return True

    def _is_news(self, pose: Pose2D, jumped_m: float, now: Now) -> bool:
        before = self._pose
        if before is None or jumped_m >= JUMP_M:
            return True
        moved = pose.moved_from(before, _MOVED_M, _MOVED_RAD)
        return now.steady_ns - self._steady_ns >= nanoseconds(
            _MOVING_S if moved else _STANDING_S)
