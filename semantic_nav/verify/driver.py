"""Carries out one plan: path, decision, goal, arrival, standstill, result."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from semantic_nav.contracts.clock import Now, nanoseconds, seconds
from semantic_nav.contracts.core import Output
from semantic_nav.contracts.documents import (
    ActOutcome,
    ActRequest,
    Body,
    Code,
    Decision,
    Document,
    Result,
    Verdict,
)
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.events import (
    AskPath,
    CancelNav,
    NavAnswered,
    NavFinished,
    PathAnswered,
    SendNav,
    SendSpin,
)
from semantic_nav.verify.planner import Plan
from semantic_nav.verify.tried import Tried
from semantic_nav.verify.world import Doubt, World

#: Words of action_msgs/GoalStatus as the shell gives them.
SUCCEEDED, CANCELED = 'succeeded', 'canceled'
#: What the shell says where no server answers.
UNAVAILABLE, TIMEOUT = 'unavailable', 'timeout'
#: A robot that moves less than this between two poses stands still.
_STILL_M, _STILL_RAD = 0.02, 0.02
#: Slowest turn that is waited for.
_SLOWEST_TURN_RADPS = 0.2


class _Stage(Enum):
    ASKING_PATH = auto()
    DRIVING = auto()
    SETTLING = auto()


@dataclass
class Drive:
    """An act under way."""

    step: Document
    act: ActRequest
    plan: Plan
    began_ns: int
    stage: _Stage = _Stage.ASKING_PATH
    tries: int = 0
    request_id: str = ''
    nav_goal_id: str = ''
    goal: Pose2D | None = None
    faced: bool = False
    cancelled_because: str = ''
    result: Result | None = None
    settle_ns: int = 0
    still_ns: int = 0
    still_pose: Pose2D | None = None


class Driver:
    """At most one drive at a time; every goal is announced in an OK verdict before it is sent."""

    def __init__(self, config: VerifierConfig, world: World, tried: Callable[[], Tried],
                 document: Callable[[Body, Document, Now], Document],
                 new_goal_id: Callable[[], str]) -> None:
        """Use a world that the owner keeps up to date.

        Args:
            config: limits.
            world: pose, map and costmap.
            tried: returns what was done for the current goal.
            document: makes a document of a body, its cause and the time.
            new_goal_id: returns a new UUID in hexadecimal.
        """
        self._config = config
        self._world = world
        self._tried = tried
        self._document = document
        self._new_goal_id = new_goal_id
        self._requests = 0
        self.drive: Drive | None = None
        self.dropped = 0

    def start(self, step: Document, act: ActRequest, plan: Plan, now: Now) -> list[Output]:
        """Begin a plan; a drive under way gives way to it."""
        out = self.abandon()
        self.drive = Drive(step, act, plan, now.steady_ns)
        if plan.turn_rad is not None:
            return out + self._turn(self.drive, plan.turn_rad, plan.reason, now)
        return out + self._ask_path(self.drive)

    def refuse(self, step: Document, act: ActRequest, action: str, doubt: Doubt,
               now: Now) -> list[Output]:
        """Publish a refusal."""
        decision = Decision(doubt.code, doubt.reason, goal=doubt.goal)
        return [self._document(Verdict(action, act.hypothesis_id, decision=decision), step, now)]

    def abandon(self) -> list[Output]:
        """Cancel without a result: nobody waits for it any more."""
        drive, self.drive = self.drive, None
        if drive is None or drive.stage is not _Stage.DRIVING:
            return []
        return [CancelNav(drive.nav_goal_id)]

    def cancel(self, reason: str) -> list[Output]:
        """Cancel the drive in hand; its result follows when the robot stands."""
        drive = self.drive
        if drive is None or drive.stage is _Stage.SETTLING:
            return []
        if drive.stage is _Stage.ASKING_PATH:
            self.drive = None
            return []
        drive.cancelled_because = reason
        return [CancelNav(drive.nav_goal_id)]

    # Planning

    def _ask_path(self, drive: Drive) -> list[Output]:
        self._requests += 1
        drive.request_id = f'path-{self._requests}'
        drive.goal = drive.plan.goals[drive.tries]
        return [AskPath(drive.request_id, drive.goal, self._config.path_timeout_s)]

    def on_path(self, event: PathAnswered, now: Now) -> list[Output]:
        """Take the planner's answer: accept, try the next goal, or refuse."""
        drive = self.drive
        if drive is None or drive.stage is not _Stage.ASKING_PATH or (
                event.request_id != drive.request_id):
            self.dropped += 1
            return []
        doubt = self._doubt_path(drive, event) or self._doubt_start(drive, now)
        if doubt is None:
            assert drive.goal is not None
            return self._accept(drive, drive.goal, drive.plan.reason, now)
        drive.tries += 1
        if doubt.code is Code.PATH_INVALID and drive.tries < len(drive.plan.goals):
            return self._ask_path(drive)
        self.drive = None
        if doubt.code is Code.PATH_INVALID:
            for goal in drive.plan.goals:
                self._tried().fail(goal, now)
        return self.refuse(drive.step, drive.act, drive.plan.action.value, doubt, now)

    def _doubt_path(self, drive: Drive, event: PathAnswered) -> Doubt | None:
        assert drive.goal is not None
        place = f'({drive.goal.x:.2f}, {drive.goal.y:.2f})'
        if event.status in (UNAVAILABLE, TIMEOUT):
            return Doubt(Code.NAV_UNAVAILABLE,
                         f'no path to {place}: the planner is {event.status}')
        if event.status != SUCCEEDED or len(event.points) == 0:
            return Doubt(Code.PATH_INVALID,
                         f'no path to {place}: {event.status}, code {event.code}', drive.goal)
        # Within its tolerance the planner says succeeded although the path ends elsewhere.
        x, y = (float(v) for v in event.points[-1])
        off_m = drive.goal.distance_to(x, y)
        if not off_m <= self._config.path_end_m:
            return Doubt(Code.PATH_INVALID, f'the path to {place} ends {off_m:.2f} m beside it',
                         drive.goal)
        return None

    def _doubt_start(self, drive: Drive, now: Now) -> Doubt | None:
        assert drive.goal is not None
        return (_doubt_late(drive, now) or self._world.doubt(now)
                or self._world.doubt_at(drive.goal.x, drive.goal.y))

    def fail(self, reason: str, now: Now) -> list[Output]:
        """Refuse the act whose path could not be judged."""
        drive, self.drive = self.drive, None
        if drive is None:
            return []
        return self.refuse(drive.step, drive.act, drive.plan.action.value,
                           Doubt(Code.PATH_INVALID, reason), now)

    # Driving

    def _accept(self, drive: Drive, goal: Pose2D, reason: str, now: Now) -> list[Output]:
        return [*self._announce(drive, goal, reason, now), SendNav(drive.nav_goal_id, goal)]

    def _turn(self, drive: Drive, angle_rad: float, reason: str, now: Now) -> list[Output]:
        robot = self._world.pose
        assert robot is not None
        goal = Pose2D(robot.x, robot.y, wrap_angle(robot.yaw + angle_rad))
        allowance_s = 5.0 + abs(angle_rad) / _SLOWEST_TURN_RADPS
        return [*self._announce(drive, goal, reason, now),
                SendSpin(drive.nav_goal_id, angle_rad, allowance_s)]

    def _announce(self, drive: Drive, goal: Pose2D, reason: str, now: Now) -> list[Output]:
        drive.stage = _Stage.DRIVING
        drive.nav_goal_id = self._new_goal_id()
        drive.goal = goal
        decision = Decision(Code.OK, reason, drive.nav_goal_id, goal)
        return [self._verdict(drive, now, decision=decision)]

    def on_answered(self, event: NavAnswered, now: Now) -> list[Output]:
        """Take note that the navigator took the goal, or end the drive where it refused."""
        drive = self._of(event.nav_goal_id)
        if drive is None or event.accepted:
            return []
        return self._settle(drive, Result(ActOutcome.ABORTED,
                                          f'the navigator refused the goal: {event.reason}'), now)

    def on_finished(self, event: NavFinished, now: Now) -> list[Output]:
        """Judge how the navigator ended: its status first, then where the robot stands."""
        drive = self._of(event.nav_goal_id)
        if drive is None or drive.stage is not _Stage.DRIVING:
            return []
        left_m = self._left_m(drive)
        doubt = self._world.doubt_pose(now)
        if drive.cancelled_because:
            result = Result(ActOutcome.CANCELLED, drive.cancelled_because, event.status,
                            event.code, left_m)
        elif event.status != SUCCEEDED:
            result = Result(ActOutcome.ABORTED, f'the navigator {event.status} the goal '
                            f'(code {event.code}), {left_m:.2f} m before it',
                            event.status, event.code, left_m)
        elif doubt is not None:
            result = Result(ActOutcome.ABORTED,
                            f'the navigator says succeeded, but {doubt.reason}',
                            event.status, event.code, left_m)
        elif left_m > self._config.goal_reached_m:
            result = Result(ActOutcome.ABORTED, 'the navigator says succeeded, but the robot '
                            f'stands {left_m:.2f} m beside the goal',
                            event.status, event.code, left_m)
        else:
            turn = self._left_to_face(drive)
            if turn is not None:
                drive.faced = True
                return self._turn(drive, turn, 'to face the target', now)
            outcome = ActOutcome.LEG_DONE if drive.plan.leg else ActOutcome.ARRIVED
            result = Result(outcome, f'{drive.plan.action.value}: {outcome.value}',
                            event.status, event.code, left_m)
        return self._settle(drive, result, now)

    def _left_m(self, drive: Drive) -> float:
        robot, goal = self._world.pose, drive.goal
        if robot is None or goal is None or drive.faced:
            return 0.0
        return robot.distance_to(goal.x, goal.y)

    def _left_to_face(self, drive: Drive) -> float | None:
        """Return the turn that is still needed to face the target, once."""
        target, robot = drive.plan.target, self._world.pose
        if target is None or robot is None or drive.faced or drive.plan.turn_rad is not None:
            return None
        turn = robot.bearing_to(target[0], target[1])
        return turn if abs(turn) > self._config.facing_rad else None

    # Standstill

    def _settle(self, drive: Drive, result: Result, now: Now) -> list[Output]:
        """Hold the result back until the robot stands: an aborted goal does not prove it."""
        drive.stage = _Stage.SETTLING
        drive.result = result
        drive.settle_ns = now.steady_ns
        drive.still_pose, drive.still_ns = self._world.pose, self._world.pose_stamp_ns
        return []

    def on_time(self, now: Now) -> list[Output]:
        """Watch the budget of a drive, and its standstill after the end."""
        drive = self.drive
        if drive is None:
            return []
        if drive.stage is _Stage.SETTLING:
            return self._watch_standstill(drive, now)
        if drive.stage is _Stage.ASKING_PATH:
            doubt = _doubt_late(drive, now)
            if doubt is None:
                return []
            self.drive = None
            return self.refuse(drive.step, drive.act, drive.plan.action.value, doubt, now)
        late_s = seconds(now.steady_ns - drive.began_ns)
        if late_s > drive.act.drive_budget_s and not drive.cancelled_because:
            return self.cancel(f'the drive took longer than {drive.act.drive_budget_s:.0f} s')
        return []

    def _watch_standstill(self, drive: Drive, now: Now) -> list[Output]:
        pose, before = self._world.pose, drive.still_pose
        # By the stamps of the poses: one that does not come any more does not move either.
        stamp_ns = self._world.pose_stamp_ns
        if pose is None or before is None or pose.distance_to(before.x, before.y) > _STILL_M or (
                abs(wrap_angle(pose.yaw - before.yaw)) > _STILL_RAD):
            drive.still_pose, drive.still_ns = pose, stamp_ns
        config = self._config
        stands = stamp_ns - drive.still_ns >= nanoseconds(config.settle_s)
        if not stands and now.steady_ns - drive.settle_ns < nanoseconds(config.settle_max_s):
            return []
        self.drive = None
        self._remember(drive, now)
        return [self._verdict(drive, now, result=drive.result)]

    def _remember(self, drive: Drive, now: Now) -> None:
        tried, goal, result = self._tried(), drive.goal, drive.result
        assert goal is not None and result is not None
        if result.outcome is ActOutcome.ABORTED:
            tried.fail(goal, now, turning=drive.plan.turn_rad is not None)
        if result.outcome is not ActOutcome.ARRIVED:
            return
        if drive.plan.action is Action.EXPLORE:
            tried.viewpoints.append(goal)
        if drive.plan.node_id is not None:
            tried.nodes.add(drive.plan.node_id)
        if drive.plan.target is not None and drive.plan.goals:
            tried.stand_offs.append(goal)

    def _of(self, nav_goal_id: str) -> Drive | None:
        if self.drive is not None and self.drive.nav_goal_id == nav_goal_id:
            return self.drive
        self.dropped += 1
        return None

    def _verdict(self, drive: Drive, now: Now, decision: Decision | None = None,
                 result: Result | None = None) -> Document:
        verdict = Verdict(drive.plan.action.value, drive.act.hypothesis_id, decision, result)
        return self._document(verdict, drive.step, now)


def _doubt_late(drive: Drive, now: Now) -> Doubt | None:
    late_s = seconds(now.steady_ns - drive.began_ns)
    if late_s > drive.act.start_within_s:
        return Doubt(Code.STALE, f'the act was to start within {drive.act.start_within_s:g} s')
    return None
