"""Carries out one plan: path, decision, goal, arrival, standstill, result."""

from collections.abc import Callable

from semantic_nav.contracts.clock import Now, nanoseconds, seconds
from semantic_nav.contracts.core import Output
from semantic_nav.contracts.documents import ActRequest, Body, Decision, Document, Result, Verdict
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import ActOutcome, Code
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.drive import Drive, Stage
from semantic_nav.verify.events import (
    AskPath,
    CancelNav,
    NavAnswered,
    NavFinished,
    PathAnswered,
    SendNav,
    SendSpin,
    StopNav,
)
from semantic_nav.verify.judgement import CANCELED, SUCCEEDED, doubt_path, failure
from semantic_nav.verify.planner import Plan
from semantic_nav.verify.standstill import Standstill
from semantic_nav.verify.tried import Tried
from semantic_nav.verify.world import Doubt, World

#: Doubts about where a way leads, not about a part that is missing: another pose may do.
_DOUBTS_OF_A_POSE = frozenset({Code.PATH_INVALID, Code.COLLISION_DETECTED})
#: Slowest turn that is waited for.
_SLOWEST_TURN_RADPS = 0.2
#: A robot that moves although nothing is driven is told to stop so often.
_STOP_AGAIN_S = 1.0
#: A robot that moves less than this for long gets nowhere.
_STUCK_M, _STUCK_RAD = 0.10, 0.20


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
        self._standstill = Standstill(config.settle_s)
        self._stuck = Standstill(config.stuck_s, _STUCK_M, _STUCK_RAD)
        # Something may move the robot whose end nobody has seen yet; so may a goal of the process
        # before this one.
        self._restless = True
        self._calm_until_ns = self._stopped_ns = 0
        self.drive: Drive | None = None
        self.dropped = 0

    def start(self, step: Document, act: ActRequest, plan: Plan, now: Now) -> list[Output]:
        """Begin a plan; a drive under way gives way to it."""
        before = self._restless
        replaced = self.drive is not None and self.drive.stage is Stage.DRIVING
        out = self.abandon(now)
        if replaced:
            # The navigator puts one goal in the place of another; what was left moving without
            # one comes to rest first.
            self._restless = before
        robot = self._world.pose
        self.drive = Drive(step, act, plan, now.steady_ns, settle_ns=now.steady_ns,
                           began_yaw=robot.yaw if robot is not None else 0.0)
        if self._moves:
            return [*out, *self._halt(self.drive, now)]
        return out + self._set_out(self.drive, now)

    def _set_out(self, drive: Drive, now: Now) -> list[Output]:
        self._restless = False
        turn = drive.plan.turn_rad
        if turn is not None:
            doubt = _doubt_late(drive, now) or self._world.doubt(now)
            if doubt is not None:
                self.drive = None
                return self.refuse(drive.step, drive.act, drive.plan.action.value, doubt, now)
            # The robot may have turned while it came to rest.
            assert self._world.pose is not None
            turn = wrap_angle(turn + drive.began_yaw - self._world.pose.yaw)
            return self._turn(drive, turn, drive.plan.reason, now)
        drive.stage = Stage.ASKING_PATH
        return self._ask_path(drive)

    def refuse(self, step: Document, act: ActRequest, action: str, doubt: Doubt,
               now: Now) -> list[Output]:
        """Publish a refusal."""
        decision = Decision(doubt.code, doubt.reason, goal=doubt.goal)
        return [self._document(Verdict(action, act.hypothesis_id, decision=decision), step, now)]

    def abandon(self, now: Now) -> list[Output]:
        """Cancel without a result: nobody waits for it any more."""
        drive, self.drive = self.drive, None
        if drive is None:
            return []
        if drive.is_sent:
            self._restless = True
        self._calm(now)
        return [CancelNav(drive.nav_goal_id)] if drive.stage is Stage.DRIVING else []

    def cancel(self, reason: str, now: Now) -> list[Output]:
        """Cancel the drive in hand; its result follows when the robot stands.

        Where nothing is in hand, but the robot is not known to stand, everything is stopped.
        """
        drive = self.drive
        if drive is not None and drive.stage is Stage.SETTLING:
            return []
        if drive is None or not drive.is_sent:
            self.drive = None
            self._calm(now)
            return self._stop(now) if self._moves else []
        if not drive.cancelled_because:
            drive.cancelled_because, drive.cancelled_ns = reason, now.steady_ns
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
        if drive is None or drive.stage is not Stage.ASKING_PATH or (
                event.request_id != drive.request_id):
            self.dropped += 1
            return []
        assert drive.goal is not None
        doubt = doubt_path(drive.goal, event, self._config) or self._doubt_start(drive, now)
        if doubt is None:
            return self._accept(drive, drive.goal, drive.plan.reason, now)
        drive.tries += 1
        if doubt.code in _DOUBTS_OF_A_POSE and drive.tries < len(drive.plan.goals):
            return self._ask_path(drive)
        self.drive = None
        if doubt.code is Code.PATH_INVALID:
            for goal in drive.plan.goals:
                self._tried().fail(goal, now)
        return self.refuse(drive.step, drive.act, drive.plan.action.value, doubt, now)

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
        drive.stage = Stage.DRIVING
        self._stuck.begin(self._world.pose, self._world.pose_stamp_ns)
        drive.nav_goal_id = self._new_goal_id()
        drive.goal = goal
        decision = Decision(Code.OK, reason, drive.nav_goal_id, goal)
        return [self._verdict(drive, now, decision=decision)]

    def on_answered(self, event: NavAnswered, now: Now) -> list[Output]:
        """Take note that the navigator took the goal, or end the drive where it did not."""
        drive = self._of(event.nav_goal_id)
        if drive is None or event.accepted or drive.stage is not Stage.DRIVING:
            return []
        result = Result(ActOutcome.UNAVAILABLE,
                        f'the navigator did not take the goal: {event.reason}')
        if drive.faced:
            return self._settle(drive, result, now)
        # The robot stood before, and nothing moves it: others may have a goal of their own.
        self.drive = None
        return [self._verdict(drive, now, result=result)]

    def on_finished(self, event: NavFinished, now: Now) -> list[Output]:
        """Judge how the navigator ended: its status first, then where the robot stands."""
        drive = self._of(event.nav_goal_id)
        if drive is None or drive.stage is not Stage.DRIVING:
            return []
        left_m = self._left_m(drive)
        result = failure(event, left_m, self._world.doubt_pose(now), drive.cancelled_because,
                         self._config)
        if result is None:
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
        """Hold the result back until the robot stands.

        An aborted goal does not prove it: Nav2 may drive on to it. What did not succeed is
        stopped altogether.
        """
        drive.stage = Stage.SETTLING
        drive.result = result
        drive.settle_ns = now.steady_ns
        self._standstill.begin(self._world.pose, self._world.pose_stamp_ns)
        if result.nav_status in (SUCCEEDED, CANCELED):
            self._stopped_ns = now.steady_ns
            return []
        return self._stop(now)

    def _halt(self, drive: Drive, now: Now) -> list[Output]:
        """Make the robot stand before anything new is sent."""
        drive.stage = Stage.HALTING
        return self._stop(now)

    def _stop(self, now: Now) -> list[Output]:
        self._stopped_ns = now.steady_ns
        return [StopNav()]

    def _calm(self, now: Now) -> None:
        """Watch for a while that the robot stands, without a drive in hand."""
        self._stopped_ns = now.steady_ns
        self._standstill.begin(self._world.pose, self._world.pose_stamp_ns)
        self._calm_until_ns = now.steady_ns + nanoseconds(self._config.settle_max_s)

    @property
    def _moves(self) -> bool:
        """Tell whether something moves the robot, for all that is known."""
        return self._restless and not self._standstill.stands

    def on_time(self, now: Now) -> list[Output]:
        """Watch the budget of a drive, and the standstill before and after it."""
        for watch in (self._standstill, self._stuck):
            watch.see(self._world.pose, self._world.pose_stamp_ns)
        drive = self.drive
        if drive is None:
            self._restless = self._moves
            calmed = not self._restless or now.steady_ns > self._calm_until_ns
            return [] if calmed else self._stop_again(now)
        match drive.stage:
            case Stage.HALTING:
                return self._watch_halt(drive, now)
            case Stage.ASKING_PATH:
                return self._watch_path(drive, now)
            case Stage.DRIVING:
                return self._watch_drive(drive, now)
            case Stage.SETTLING:
                return self._watch_standstill(drive, now)

    def _watch_halt(self, drive: Drive, now: Now) -> list[Output]:
        if self._standstill.stands:
            return self._set_out(drive, now)
        if seconds(now.steady_ns - drive.settle_ns) < self._config.settle_max_s:
            return self._stop_again(now)
        self.drive = None
        return self.refuse(drive.step, drive.act, drive.plan.action.value, Doubt(
            Code.NAV_UNAVAILABLE, 'the robot does not stand still, though nothing is to drive it'),
            now)

    def _watch_path(self, drive: Drive, now: Now) -> list[Output]:
        doubt = _doubt_late(drive, now)
        if doubt is None:
            return []
        self.drive = None
        return self.refuse(drive.step, drive.act, drive.plan.action.value, doubt, now)

    def _watch_drive(self, drive: Drive, now: Now) -> list[Output]:
        if drive.cancelled_because:
            if seconds(now.steady_ns - drive.cancelled_ns) < self._config.cancel_max_s:
                return []
            return self._settle(drive, Result(
                ActOutcome.CANCELLED, f'{drive.cancelled_because}; the navigator did not end the '
                f'goal within {self._config.cancel_max_s:g} s'), now)
        late_s = seconds(now.steady_ns - drive.began_ns)
        if late_s > drive.act.drive_budget_s:
            self._remember_failure(drive, now)
            return self.cancel(f'the drive took longer than {drive.act.drive_budget_s:.0f} s', now)
        if self._stuck.stands:
            self._remember_failure(drive, now)
            return self.cancel(f'the robot got nowhere for {self._config.stuck_s:g} s', now)
        return []

    def _watch_standstill(self, drive: Drive, now: Now) -> list[Output]:
        stands = self._standstill.stands
        if not stands and seconds(now.steady_ns - drive.settle_ns) < self._config.settle_max_s:
            return self._stop_again(now)
        self._restless = not stands
        self.drive = None
        self._remember(drive, now)
        return [self._verdict(drive, now, result=drive.result)]

    def _stop_again(self, now: Now) -> list[Output]:
        late = seconds(now.steady_ns - self._stopped_ns) >= _STOP_AGAIN_S
        return self._stop(now) if late else []

    def _remember(self, drive: Drive, now: Now) -> None:
        tried, goal, result = self._tried(), drive.goal, drive.result
        assert goal is not None and result is not None
        if result.outcome is ActOutcome.ABORTED:
            self._remember_failure(drive, now)
        if result.outcome is not ActOutcome.ARRIVED:
            return
        if drive.plan.action is Action.EXPLORE:
            tried.viewpoints.append(goal)
        if drive.plan.node_id is not None:
            tried.nodes.add(drive.plan.node_id)
        if drive.plan.target is not None:
            (tried.turns if drive.plan.anew else tried.stand_offs).append(goal)

    def _remember_failure(self, drive: Drive, now: Now) -> None:
        if drive.goal is not None:
            self._tried().fail(drive.goal, now, turning=drive.plan.turn_rad is not None)

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
