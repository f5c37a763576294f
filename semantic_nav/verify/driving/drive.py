"""One act under way, from its plan to its result."""

from dataclasses import dataclass, replace
from enum import Enum, auto

from semantic_nav.contracts.clock import Now, seconds
from semantic_nav.contracts.documents import ActRequest, Document, Result
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import ActOutcome, Code, NavStatus
from semantic_nav.verify.checks.attempts import Failure
from semantic_nav.verify.checks.failure_cause import Blame, blame_of
from semantic_nav.verify.checks.path_progress import PathProgress
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.stalls import stall_of
from semantic_nav.verify.checks.subjects import Rejection, Turn
from semantic_nav.verify.events import NavFinished
from semantic_nav.verify.floor.surroundings import Surroundings


class DriveStage(Enum):
    """Stage of an act.

    The robot halts, a path is requested and driven, and the robot comes to rest. Where it got
    stuck, the costmaps are cleared, it backs off, perhaps after a turn, and comes to rest again.
    Where the localisation jumped, it waits until that has settled, and sets out again.
    """

    HALTING = auto()
    ASKING_PATH = auto()
    DRIVING = auto()
    SETTLING = auto()
    CLEARING = auto()
    BACKING_OFF = auto()
    LOCALISING = auto()


@dataclass(frozen=True)
class Cut:
    """Early end of a drive, with its reason and its time on the steady clock.

    Attributes:
        code: code of what is missing; None for a request, a timeout or a stuck robot.
        stuck: the robot made no progress.
        jumped: the localisation jumped.
    """

    reason: str
    since_ns: int
    code: Code | None = None
    stuck: bool = False
    jumped: bool = False

    def result(self, status: NavStatus = NavStatus.NONE, nav_code: int = 0,
               left_m: float = 0.0) -> Result:
        """Result of the drive."""
        outcome = ActOutcome.CANCELLED if self.code is None else ActOutcome.UNAVAILABLE
        return Result(outcome, self.reason, status, nav_code, left_m, self.code)

    def unheard(self, waited_s: float) -> Result:
        """Result where the navigator did not end its goal within `waited_s`."""
        return replace(self.result(), reason=f'{self.reason}; the navigator did not end the goal '
                       f'within {waited_s:g} s')


@dataclass
class Drive:
    """An act under way; times are of the steady clock unless stated otherwise.

    Attributes:
        stage: current stage.
        tries: number of goal poses of the plan that were refused.
        nav_goal_id, goal: id and pose of the Nav2 goal, as announced.
        way: path to the goal pose, with the progress of the robot.
        way_ns: time of the last progress.
        set_out: pose of the robot when the goal was announced.
        faced: the turn towards the target was sent.
        recovered: the robot got free, or tried to.
        turned: the turn before the way back has ended; None where there is none.
        stays: no further motion is sent for it.
        cut: its early end; None for none.
        result: result that is published once the robot stands.
        refusal: rejection that is published instead, if no motion was sent.
        settle_ns: start of the wait for a standstill or a cleared costmap.
        cleared_clock_ns: time when the costmaps were cleared, on the ROS clock.
        cleared: global costmap before it was cleared.
        until_ns: deadline of the way back.
        began_yaw: heading of the robot when the act began, in the map frame, in rad.
        at, before: newest pose of the robot, and the one before; None at the beginning.
        leaving: names of closed floor on which the robot has been since it set out, up to
            `before`.
    """

    step: Document
    act: ActRequest
    plan: Plan
    began_ns: int
    stage: DriveStage = DriveStage.HALTING
    tries: int = 0
    request_id: str = ''
    nav_goal_id: str = ''
    goal: Pose2D | None = None
    way: PathProgress | None = None
    way_ns: int = 0
    set_out: Pose2D | None = None
    faced: bool = False
    recovered: bool = False
    turned: bool | None = None
    stays: bool = False
    cut: Cut | None = None
    result: Result | None = None
    refusal: Rejection | None = None
    settle_ns: int = 0
    cleared_clock_ns: int = 0
    cleared: OccupancyGrid | None = None
    until_ns: int = 0
    began_yaw: float = 0.0
    at: Pose2D | None = None
    before: Pose2D | None = None
    leaving: frozenset[str] = frozenset()

    @property
    def is_under_way(self) -> bool:
        """Tell whether the navigator is working on a goal of it."""
        return self.stage in (DriveStage.DRIVING, DriveStage.BACKING_OFF)

    @property
    def is_sent(self) -> bool:
        """Tell whether the navigator got a goal of it and may not have ended it."""
        return self.is_under_way or self.stage is DriveStage.SETTLING

    @property
    def is_turn(self) -> bool:
        """Tell whether it is a turn on the spot."""
        return self.plan.turn_rad is not None or self.faced

    def left_m(self, robot: Pose2D | None) -> float:
        """Distance from the robot to the goal pose, in m; 0 for the turn at the end."""
        if robot is None or self.goal is None or self.faced:
            return 0.0
        return robot.distance_to(self.goal.x, self.goal.y)

    def left_to_face_rad(self, robot: Pose2D | None) -> float | None:
        """Turn that the robot still needs to face the target, in rad; None for none."""
        target = self.plan.target
        if target is None or robot is None or self.faced or self.plan.turn_rad is not None:
            return None
        return robot.bearing_to(target[0], target[1])

    def reached(self, event: NavFinished, left_m: float) -> Result:
        """Result of a goal pose that was reached."""
        outcome = ActOutcome.LEG_DONE if self.plan.leg else ActOutcome.ARRIVED
        return Result(outcome, f'{self.plan.action.value}: {outcome.value}', event.status,
                      event.code, left_m)

    def see(self, surroundings: Surroundings, now: Now) -> None:
        """Follow the robot along its path, and out of closed floor."""
        robot = surroundings.robot.pose
        if robot != self.at:
            self.leaving &= surroundings.keepout.on(self.at)
            self.at, self.before = robot, self.at
        if self.way is None or robot is None or self.stage is not DriveStage.DRIVING or self.faced:
            return
        way = self.way.on(robot)
        if way.index > self.way.index:
            self.way, self.way_ns = way, now.steady_ns

    @property
    def may_go_on(self) -> bool:
        """Tell whether only a jump of the localisation cut it, which may settle."""
        return self.cut is not None and self.cut.jumped and not (self.recovered or self.stays)

    def rest(self, situation: Situation) -> 'Drive | None':
        """Rest of the act after a jump; None where its time is over or its goal pose is lost.

        If the jump persists, the target lies elsewhere than was believed, and a turn began at
        another heading.
        """
        now, plan, left_s = situation.now, self.plan, self.left_s(situation.now)
        lost = situation.surroundings.robot.is_displaced and (
            plan.target is not None or plan.turn_rad is not None)
        if left_s < 0.0 or lost:
            return None
        return Drive(self.step, replace(self.act, drive_budget_s=left_s), plan, now.steady_ns,
                     tries=self.tries, result=self.result, settle_ns=now.steady_ns,
                     began_yaw=self.began_yaw)

    def left_s(self, now: Now) -> float:
        """Time that is left, in s; negative once it is over."""
        return self.act.drive_budget_s - seconds(now.steady_ns - self.began_ns)

    def turn_left(self, robot: Pose2D) -> Turn:
        """Rest of a turn on the spot after the robot came to rest."""
        assert self.plan.turn_rad is not None
        return Turn(robot, wrap_angle(self.plan.turn_rad + self.began_yaw - robot.yaw))

    def overdue(self, stands: bool, now: Now, stuck_s: float) -> Cut | None:
        """Early end that is due now; None where it may go on.

        Args:
            stands: the robot made no progress for `stuck_s`.
            now: current time.
            stuck_s: longest time without progress.
        """
        if self.left_s(now) < 0.0:
            # It may have moved to and fro all the time.
            stuck = seconds(now.steady_ns - self.way_ns) >= stuck_s
            return Cut(f'the drive took longer than {self.act.drive_budget_s:.0f} s',
                       now.steady_ns, stuck=stuck)
        return Cut(f'the robot got nowhere for {stuck_s:g} s', now.steady_ns,
                   stuck=True) if stands else None

    def failure(self, situation: Situation) -> Failure | None:
        """Failure to remember of a drive that did not end well; None for none."""
        result, robot = self.result, situation.surroundings.robot.pose
        stuck = self.cut is not None and self.cut.stuck
        if result is None or self.goal is None or not (
                stuck or result.outcome is ActOutcome.ABORTED):
            return None
        if result.nav_status is NavStatus.SUCCEEDED and (
                result.distance_left_m <= situation.config.goal_reached_m):
            # It was aborted only because the pose was unknown.
            return None
        covered_m = self.way.covered_m if self.way is not None and not self.is_turn else 0.0
        blame = blame_of(result.nav_status, result.nav_code, covered_m, stuck=stuck)
        if blame is Blame.NOBODY:
            return None
        stall, costmap = None, situation.surroundings.costmap
        if blame is Blame.PLACE and self.way is not None and robot and costmap is not None:
            stall = stall_of(self.way, robot, costmap)
        return Failure(situation.now.steady_ns, self.goal, self.is_turn, blame, self.set_out,
                       stall)
