"""Reports of the pose to other nodes: the pose now and then, and the standstill."""

from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.contracts.core import Output
from semantic_nav.contracts.documents import Document, RobotPose
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.checks.checks import first_of
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.floor.localisation import JUMP_M

#: Least time between two published poses, in s, while the robot moves and while it stands. No
#: reader may take a standing robot for a lost one: the memory would forget what was just seen.
_MOVING_S, _STANDING_S = 0.5, 0.9
_MOVED_M, _MOVED_RAD = 0.03, 0.03
#: Time after a stop for which every pose is wanted, in s; a stop that counts is repeated.
_ASKED_S = 10.0


def _told_of(situation: Situation, jumped_m: float, *, stands: bool) -> RobotPose:
    """Report of the newest pose."""
    held = first_of(Code.HELD, situation)
    # A localisation that died leaves its last pose in TF.
    healthy = jumped_m < JUMP_M and first_of(Code.POSE_UNAVAILABLE, situation) is None
    return RobotPose(situation.robot, healthy, jumped_m, stands,
                     held.reason if held is not None else '')


class PoseReport:
    """Reports poses; keeps the last one, and the stop that asks whether the robot stands."""

    def __init__(self, ids: Ids, map_frame: str) -> None:
        """Begin without a pose or a stop."""
        self._ids, self._map_frame = ids, map_frame
        self._pose: Pose2D | None = None
        self._held = ''
        self._steady_ns = 0
        self._stop: Document | None = None
        self._asked_ns = 0

    def ask(self, stop: Document, now: Now) -> None:
        """Report once that the robot stands, as soon as it does; another stop asks again."""
        self._stop, self._asked_ns = stop, now.steady_ns

    def ask_no_more(self) -> None:
        """Drop the request to report the standstill."""
        self._stop = None

    def is_asked(self, now: Now) -> bool:
        """Tell whether a stop has lately asked to report the standstill."""
        return self._stop is not None and (
            now.steady_ns - self._asked_ns < nanoseconds(_ASKED_S))

    def answer(self, situation: Situation, *, stands: bool) -> list[Output]:
        """Report that the robot stands to the stop that asked, once it does."""
        stop = self._stop
        if stop is None or not stands:
            return []
        self._stop = None
        robot = _told_of(situation, 0.0, stands=True)
        return [self._told(robot, situation, stop.id, stop.goal_id)]

    def tell(self, situation: Situation, jumped_m: float, *, stands: bool) -> list[Output]:
        """Report the newest pose, if it is news."""
        robot = _told_of(situation, jumped_m, stands=stands)
        if robot.held == self._held and not self._is_news(
                robot.pose, jumped_m, situation.now):
            return []
        return self._tell(robot, situation)

    def tell_held(self, situation: Situation, *, stands: bool) -> list[Output]:
        """Report a new reason that holds the robot, even while no new pose comes."""
        if situation.surroundings.robot.pose is None:
            return []
        robot = _told_of(situation, 0.0, stands=stands)
        return [] if robot.held == self._held else self._tell(robot, situation)

    def _tell(self, robot: RobotPose, situation: Situation) -> list[Output]:
        self._pose, self._held = robot.pose, robot.held
        self._steady_ns = situation.now.steady_ns
        return [self._told(robot, situation, '', situation.goal_id)]

    def _told(self, robot: RobotPose, situation: Situation, cause_id: str,
              goal_id: str) -> Document:
        return Document(self._ids.mint(), cause_id, goal_id,
                        situation.surroundings.robot.stamp_ns, self._map_frame, robot)

    def _is_news(self, pose: Pose2D, jumped_m: float, now: Now) -> bool:
        before = self._pose
        if before is None or jumped_m >= JUMP_M:
            return True
        moved = pose.moved_from(before, _MOVED_M, _MOVED_RAD)
        return now.steady_ns - self._steady_ns >= nanoseconds(
            _MOVING_S if moved else _STANDING_S)
