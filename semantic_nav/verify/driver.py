"""Carries out one plan: standstill, path, decision, goal, arrival, standstill, result."""

from collections.abc import Callable

from semantic_nav.contracts.clock import Now, seconds
from semantic_nav.contracts.core import Output
from semantic_nav.contracts.documents import ActRequest, Body, Decision, Document, Result, Verdict
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.vocabulary import ActOutcome, Code, NavStatus
from semantic_nav.verify.act_checks import unknown_pose
from semantic_nav.verify.attempts import Attempts
from semantic_nav.verify.checks import first_rejection
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
)
from semantic_nav.verify.halt import Halt
from semantic_nav.verify.nav_result import failure
from semantic_nav.verify.plan import Plan
from semantic_nav.verify.situation import Situation
from semantic_nav.verify.standstill import Standstill
from semantic_nav.verify.subjects import HERE, Goal, Halting, Path, Rejection, Started

#: Rejections of where a way leads, not for a part that is missing: another pose may do.
_OF_A_POSE = frozenset({Code.PATH_INVALID, Code.COLLISION_DETECTED})
#: Slowest turn that is waited for.
_SLOWEST_TURN_RADPS = 0.2
#: A robot that moves less than this for long gets nowhere.
_STUCK_M, _STUCK_RAD = 0.10, 0.20


class Driver:
    """At most one drive at a time; every goal is announced in an OK verdict before it is sent.

    Attributes:
        attempts: what was done for the goal in hand.
    """

    def __init__(self, config: VerifierConfig,
                 document: Callable[[Body, Document, Situation], Document],
                 new_goal_id: Callable[[], str], drop: Callable[[], list[Output]]) -> None:
        """Drive nothing.

        Args:
            config: limits.
            document: makes a document of a body and its cause.
            new_goal_id: returns a new UUID in hexadecimal.
            drop: counts what comes too late.
        """
        self._config = config
        self._document, self._new_goal_id, self._drop = document, new_goal_id, drop
        self._requests = 0
        self._halt = Halt(config)
        self._stuck = Standstill(config.stuck_s, _STUCK_M, _STUCK_RAD)
        self._drive: Drive | None = None
        self.attempts = Attempts()

    @property
    def busy(self) -> bool:
        """Tell whether an act is under way: deadlines matter then."""
        return self._drive is not None

    @property
    def robot_may_move(self) -> bool:
        """Tell whether something moves the robot, for all that is known."""
        return self._halt.robot_may_move

    def stands(self, situation: Situation) -> bool:
        """Tell whether the robot is known to stand, and no goal of ours will move it."""
        return self._drive is None and self._halt.stands and (
            unknown_pose(HERE, situation) is None)

    def rests(self, now: Now) -> bool:
        """Tell whether nothing is waited for: the robot stands, or nobody knows where it is."""
        return self._drive is None and self._halt.rests(now)

    def begin_goal(self, situation: Situation) -> list[Output]:
        """Forget what was done for the goal before, and what is still under way for it."""
        self.attempts = Attempts()
        return self.abandon(situation)

    def start(self, step: Document, act: ActRequest, plan: Plan,
              situation: Situation) -> list[Output]:
        """Begin a plan; a drive under way gives way to it."""
        # The navigator puts one goal in the place of another; what was left moving without one
        # comes to rest first.
        replaced = self._drive is not None and self._drive.stage is Stage.DRIVING
        out = self._give_up(situation, end_unseen=not replaced)
        robot, steady_ns = situation.surroundings.robot.pose, situation.now.steady_ns
        drive = self._drive = Drive(step, act, plan, steady_ns, settle_ns=steady_ns,
                                    began_yaw=robot.yaw if robot is not None else 0.0)
        if self._halt.robot_may_move:
            drive.stage = Stage.HALTING
            return [*out, *self._halt.stop(situation.now)]
        return out + self._set_out(drive, situation)

    def _set_out(self, drive: Drive, situation: Situation) -> list[Output]:
        self._halt.end_seen(True)
        turn = drive.plan.turn_rad
        if turn is None:
            drive.stage = Stage.ASKING_PATH
            return self._ask_path(drive)
        rejection = first_rejection(situation, Started(drive.act, drive.began_ns), HERE)
        if rejection is not None:
            return self._end(drive, rejection, situation)
        # The robot may have turned while it came to rest.
        turn = wrap_angle(turn + drive.began_yaw - situation.robot.yaw)
        return self._turn(drive, turn, drive.plan.reason, situation)

    def refuse(self, step: Document, act: ActRequest, action: str, rejection: Rejection,
               situation: Situation) -> list[Output]:
        """Publish a refusal."""
        decision = Decision(rejection.code, rejection.reason, goal=rejection.goal)
        return [self._document(Verdict(action, act.hypothesis_id, decision=decision), step,
                               situation)]

    def _end(self, drive: Drive, rejection: Rejection, situation: Situation) -> list[Output]:
        """Refuse the act under way, of which nothing was sent yet."""
        self._drive = None
        return self.refuse(drive.step, drive.act, drive.plan.action.value, rejection, situation)

    def abandon(self, situation: Situation) -> list[Output]:
        """Cancel without a result: nobody waits for it any more."""
        return self._give_up(situation, end_unseen=True)

    def _give_up(self, situation: Situation, *, end_unseen: bool) -> list[Output]:
        drive, self._drive = self._drive, None
        if drive is None:
            return []
        if drive.is_sent and end_unseen:
            self._halt.end_seen(False)
        self._halt.watch(situation.surroundings.robot, situation.now)
        return [CancelNav(drive.nav_goal_id)] if drive.stage is Stage.DRIVING else []

    def cancel(self, reason: str, situation: Situation) -> list[Output]:
        """Cancel the drive in hand; its result follows when the robot stands.

        Where nothing is in hand, but the robot is not known to stand, everything is stopped.
        """
        drive = self._drive
        if drive is not None and drive.stage is Stage.SETTLING:
            return []
        if drive is None or not drive.is_sent:
            self._drive = None
            return self._halt.come_to_rest(situation.now)
        if not drive.cancelled_because:
            drive.cancelled_because, drive.cancelled_ns = reason, situation.now.steady_ns
        return [CancelNav(drive.nav_goal_id)]

    # Planning

    def _ask_path(self, drive: Drive) -> list[Output]:
        self._requests += 1
        drive.request_id = f'path-{self._requests}'
        drive.goal = drive.plan.goals[drive.tries]
        return [AskPath(drive.request_id, drive.goal, self._config.path_timeout_s)]

    def on_path(self, event: PathAnswered, situation: Situation) -> list[Output]:
        """Take the planner's answer: accept, try the next goal, or refuse."""
        drive = self._drive
        if drive is None or drive.stage is not Stage.ASKING_PATH or (
                event.request_id != drive.request_id):
            return self._drop()
        goal = drive.goal
        assert goal is not None
        rejection = first_rejection(situation, Path(goal, event)) or first_rejection(
            situation, Started(drive.act, drive.began_ns), HERE, Goal(goal.x, goal.y))
        if rejection is None:
            return [*self._announce(drive, goal, drive.plan.reason, situation),
                    SendNav(drive.nav_goal_id, goal)]
        drive.tries += 1
        if rejection.code in _OF_A_POSE and drive.tries < len(drive.plan.goals):
            return self._ask_path(drive)
        if rejection.code is Code.PATH_INVALID:
            for failed in drive.plan.goals:
                self.attempts = self.attempts.failing(failed, situation.now)
        return self._end(drive, rejection, situation)

    def fail(self, reason: str, situation: Situation) -> list[Output]:
        """Refuse the act whose path could not be judged."""
        if self._drive is None:
            return []
        return self._end(self._drive, Rejection(Code.PATH_INVALID, reason), situation)

    # Driving

    def _turn(self, drive: Drive, angle_rad: float, reason: str,
              situation: Situation) -> list[Output]:
        robot = situation.robot
        goal = Pose2D(robot.x, robot.y, wrap_angle(robot.yaw + angle_rad))
        allowance_s = 5.0 + abs(angle_rad) / _SLOWEST_TURN_RADPS
        return [*self._announce(drive, goal, reason, situation, angle_rad),
                SendSpin(drive.nav_goal_id, angle_rad, allowance_s)]

    def _announce(self, drive: Drive, goal: Pose2D, reason: str, situation: Situation,
                  turn_rad: float | None = None) -> list[Output]:
        robot = situation.surroundings.robot
        drive.stage = Stage.DRIVING
        self._stuck.begin(robot.pose, robot.stamp_ns)
        drive.nav_goal_id = self._new_goal_id()
        drive.goal = goal
        decision = Decision(Code.OK, reason, drive.nav_goal_id, goal, turn_rad)
        return [self._verdict(drive, situation, decision=decision)]

    def on_answered(self, event: NavAnswered, situation: Situation) -> list[Output]:
        """Take note that the navigator took the goal, or end the drive where it did not get it."""
        drive = self._of(event.nav_goal_id)
        if drive is None:
            return self._drop()
        if event.accepted or drive.stage is not Stage.DRIVING:
            return []
        who = ('the verifier starts no drive' if event.held_back else
               'the navigator did not take the goal')
        result = Result(ActOutcome.UNAVAILABLE, f'{who}: {event.reason}')
        if drive.faced:
            return self._settle(drive, result, situation)
        # The robot stood before, and nothing moves it: others may have a goal of their own.
        self._drive = None
        return [self._verdict(drive, situation, result=result)]

    def on_finished(self, event: NavFinished, situation: Situation) -> list[Output]:
        """Judge how the navigator ended: its status first, then where the robot stands."""
        drive = self._of(event.nav_goal_id)
        if drive is None:
            return self._drop()
        if drive.stage is not Stage.DRIVING:
            return []
        robot = situation.surroundings.robot.pose
        left_m = drive.left_m(robot)
        result = failure(event, left_m, unknown_pose(HERE, situation), drive.cancelled_because,
                         self._config)
        if result is None:
            turn = drive.left_to_face_rad(robot)
            if turn is not None and abs(turn) > self._config.facing_rad:
                drive.faced = True
                return self._turn(drive, turn, 'to face the target', situation)
            outcome = ActOutcome.LEG_DONE if drive.plan.leg else ActOutcome.ARRIVED
            result = Result(outcome, f'{drive.plan.action.value}: {outcome.value}',
                            event.status, event.code, left_m)
        return self._settle(drive, result, situation)

    def _settle(self, drive: Drive, result: Result, situation: Situation) -> list[Output]:
        """Hold the result back until the robot stands.

        An aborted goal does not prove it: Nav2 may drive on to it. What did not succeed is
        stopped altogether.
        """
        drive.stage = Stage.SETTLING
        drive.result = result
        drive.settle_ns = situation.now.steady_ns
        self._halt.begin(situation.surroundings.robot, situation.now)
        if result.nav_status in (NavStatus.SUCCEEDED, NavStatus.CANCELED):
            return []
        return self._halt.stop(situation.now)

    # Time

    def on_time(self, situation: Situation) -> list[Output]:
        """Watch the budget of a drive, and the standstill before and after it."""
        robot = situation.surroundings.robot
        self._halt.see(robot)
        self._stuck.see(robot.pose, robot.stamp_ns)
        drive = self._drive
        if drive is None:
            return self._halt.idle(situation.now)
        match drive.stage:
            case Stage.HALTING:
                return self._watch_halt(drive, situation)
            case Stage.ASKING_PATH:
                late = first_rejection(situation, Started(drive.act, drive.began_ns))
                return [] if late is None else self._end(drive, late, situation)
            case Stage.DRIVING:
                return self._watch_drive(drive, situation)
            case Stage.SETTLING:
                return self._watch_standstill(drive, situation)

    def _watch_halt(self, drive: Drive, situation: Situation) -> list[Output]:
        if self._halt.stands:
            return self._set_out(drive, situation)
        moving = first_rejection(situation, Halting(drive.settle_ns))
        if moving is None:
            return self._halt.stop_again(situation.now)
        return self._end(drive, moving, situation)

    def _watch_drive(self, drive: Drive, situation: Situation) -> list[Output]:
        steady_ns, config = situation.now.steady_ns, self._config
        if drive.cancelled_because:
            if seconds(steady_ns - drive.cancelled_ns) < config.cancel_max_s:
                return []
            return self._settle(drive, Result(
                ActOutcome.CANCELLED, f'{drive.cancelled_because}; the navigator did not end the '
                f'goal within {config.cancel_max_s:g} s'), situation)
        reason = ''
        if seconds(steady_ns - drive.began_ns) > drive.act.drive_budget_s:
            reason = f'the drive took longer than {drive.act.drive_budget_s:.0f} s'
        elif self._stuck.stands:
            reason = f'the robot got nowhere for {config.stuck_s:g} s'
        if not reason:
            return []
        self._remember_failure(drive, situation)
        return self.cancel(reason, situation)

    def _watch_standstill(self, drive: Drive, situation: Situation) -> list[Output]:
        stands, waited_s = self._halt.stands, seconds(situation.now.steady_ns - drive.settle_ns)
        if not stands and waited_s < self._config.settle_max_s:
            return self._halt.stop_again(situation.now)
        self._halt.end_seen(stands)
        self._drive = None
        self._remember(drive, situation)
        return [self._verdict(drive, situation, result=drive.result)]

    # What was done

    def looked(self, *, another_target: bool) -> None:
        """Take note of an answer of the model."""
        self.attempts = self.attempts.looked(another_target=another_target)

    def _remember(self, drive: Drive, situation: Situation) -> None:
        assert drive.goal is not None and drive.result is not None
        if drive.result.outcome is ActOutcome.ABORTED:
            self._remember_failure(drive, situation)
        elif drive.result.outcome in (ActOutcome.ARRIVED, ActOutcome.LEG_DONE):
            self.attempts = self.attempts.arrived(drive.plan, drive.goal)

    def _remember_failure(self, drive: Drive, situation: Situation) -> None:
        if drive.goal is not None:
            self.attempts = self.attempts.failing(drive.goal, situation.now,
                                                  turning=drive.plan.turn_rad is not None)

    def _of(self, nav_goal_id: str) -> Drive | None:
        drive = self._drive
        return drive if drive is not None and drive.nav_goal_id == nav_goal_id else None

    def _verdict(self, drive: Drive, situation: Situation, decision: Decision | None = None,
                 result: Result | None = None) -> Document:
        verdict = Verdict(drive.plan.action.value, drive.act.hypothesis_id, decision, result)
        return self._document(verdict, drive.step, situation)
