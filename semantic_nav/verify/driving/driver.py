"""Execution of one plan: standstill, path, decision, goal pose, arrival, standstill, result."""

from collections.abc import Callable

from semantic_nav.contracts.clock import Now, seconds
from semantic_nav.contracts.core import Output, Report
from semantic_nav.contracts.documents import ActRequest, Body, Document, Result
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import ActOutcome, Code, NavStatus
from semantic_nav.verify.checks.act_checks import driving_other, unknown_pose
from semantic_nav.verify.checks.attempts import Attempts
from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.path_progress import PathProgress
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE, PLANNED, ActStart, Halting, Rejection
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.driving import motions, path_search
from semantic_nav.verify.driving.drive import Cut, Drive, DriveStage
from semantic_nav.verify.driving.halt import Halt
from semantic_nav.verify.driving.nav_result import SilentAborts, blamed, result_of, untaken
from semantic_nav.verify.driving.other_clients import preempted
from semantic_nav.verify.driving.recovery import Recovery, backed_off, remembered
from semantic_nav.verify.driving.standstill import getting_nowhere
from semantic_nav.verify.driving.verdicts import Verdicts
from semantic_nav.verify.driving.watchdogs import cut_of
from semantic_nav.verify.effects import AskPath, CancelNav
from semantic_nav.verify.events import NavAnswered, NavFinished, PathAnswered


class Driver:
    """Runs one drive at a time; an OK verdict announces every goal pose before it is sent.

    Attributes:
        attempts: record of the acts for the current goal.
    """

    def __init__(self, config: VerifierConfig,
                 document: Callable[[Body, Document, Now], Document],
                 new_goal_id: Callable[[], str], drop: Callable[[], list[Output]]) -> None:
        """Begin without a drive.

        Args:
            config: limits.
            document: makes a document of a body and its cause.
            new_goal_id: returns a new UUID in hexadecimal.
            drop: counts an event that comes too late.
        """
        self._config = config
        self._verdicts = Verdicts(document)
        self._new_goal_id, self._drop = new_goal_id, drop
        self._requests = 0
        self._halt = Halt(config)
        # By the map, because wheels may slip, and by odometry, because corrections may jitter.
        self._stuck, self._rolling = getting_nowhere(config.stuck_s), getting_nowhere(
            config.stuck_s)
        self._recovery = Recovery(new_goal_id)
        self._silent_aborts = SilentAborts()
        self._drive: Drive | None = None
        self.attempts = Attempts()

    @property
    def busy(self) -> bool:
        """Tell whether an act is under way, so that deadlines matter."""
        return self._drive is not None

    @property
    def robot_may_move(self) -> bool:
        """Tell whether something may move the robot."""
        return self._halt.robot_may_move

    def stands(self, situation: Situation) -> bool:
        """Tell whether the robot is known to stand, and no goal will move it."""
        return self._drive is None and self._halt.stays and (
            unknown_pose(HERE, situation) is None)

    def rests(self, now: Now) -> bool:
        """Tell whether nothing is awaited: the robot stands, or its pose is unknown."""
        return self._drive is None and self._halt.rests(now)

    def report(self) -> Report:
        """Report on the ends of drives, for /diagnostics."""
        return self._silent_aborts.report()

    def begin_goal(self, situation: Situation) -> list[Output]:
        """Forget the attempts for the previous goal, and abandon its drive."""
        self.attempts = Attempts()
        return self.abandon(situation)

    def start(self, step: Document, act: ActRequest, plan: Plan,
              situation: Situation) -> list[Output]:
        """Begin a plan, once the robot has come to rest from the drive before."""
        out = self.abandon(situation)
        robot, steady_ns = situation.surroundings.robot.pose, situation.now.steady_ns
        drive = self._drive = Drive(step, act, plan, steady_ns, settle_ns=steady_ns,
                                    began_yaw=robot.yaw if robot is not None else 0.0)
        if self._halt.robot_may_move:
            drive.stage = DriveStage.HALTING
            return [*out, *self._halt.stop(situation.now)]
        return out + self._set_out(drive, situation)

    def _set_out(self, drive: Drive, situation: Situation) -> list[Output]:
        self._halt.end_seen(True)
        if drive.plan.camera:
            return self._look_from_here(drive, situation)
        if drive.plan.turn_rad is None:
            drive.stage = DriveStage.ASKING_PATH
            return self._ask_path(drive)
        turn = drive.turn_left(situation.robot)
        rejection = first_rejection(
            situation, ActStart(drive.act, drive.began_ns), HERE, PLANNED, turn)
        if rejection is not None:
            return self._end(drive, rejection, situation)
        return self._turn(drive, turn.turn_rad, situation)

    def _look_from_here(self, drive: Drive, situation: Situation) -> list[Output]:
        """End an act that needs no motion: another camera looks where the robot would turn to."""
        rejection = first_rejection(
            situation, ActStart(drive.act, drive.began_ns), HERE, PLANNED)
        if rejection is not None:
            return self._end(drive, rejection, situation)
        plan = drive.plan
        drive.result = Result(ActOutcome.ARRIVED, plan.reason, camera=plan.camera)
        self.attempts = self.attempts.arrived(plan, plan.goals[0])
        return self._tell(drive, situation.now)

    def refuse(self, step: Document, act: ActRequest, action: Action, rejection: Rejection,
               situation: Situation) -> list[Output]:
        """Publish a refusal, and abandon the drive under way, which belief no longer wants.

        A wedged robot tries to get free first.
        """
        if rejection.wedged and self._drive is None and not self._halt.robot_may_move:
            self._drive = Drive(step, act, Plan(action, rejection.reason),
                                situation.now.steady_ns)
            return self._end(self._drive, rejection, situation)
        return [*self.abandon(situation),
                self._verdicts.refused(step, act, action, rejection, situation.now)]

    def _end(self, drive: Drive, rejection: Rejection, situation: Situation) -> list[Output]:
        """Refuse the act under way, for which no motion was sent yet."""
        drive.refusal = rejection
        if rejection.wedged:
            return self._recovery.begin(drive, situation)
        return self._tell(drive, situation.now)

    def abandon(self, situation: Situation) -> list[Output]:
        """Cancel the drive without a result, which is no longer awaited."""
        drive, self._drive = self._drive, None
        if drive is None:
            return []
        if drive.is_sent:
            self._halt.end_seen(False)
        self._halt.watch(situation.surroundings.robot, situation.now)
        return [CancelNav(drive.nav_goal_id)] if drive.is_under_way else []

    def cancel(self, reason: str, now: Now) -> list[Output]:
        """Cancel the current drive; its result follows when the robot stands.

        Without a drive everything is stopped, unless the robot is known to stand.
        """
        drive = self._drive
        if drive is not None and drive.stage is DriveStage.SETTLING:
            drive.stays = True
            return []
        if drive is None or not drive.is_sent:
            self._drive = None
            return self._halt.come_to_rest(now)
        # After an earlier cut, as for a jump, it would go on.
        drive.stays = True
        return self._cut(drive, Cut(reason, now.steady_ns))

    def _cut(self, drive: Drive, cut: Cut) -> list[Output]:
        drive.cut = drive.cut or cut
        return [CancelNav(drive.nav_goal_id)]

    def _ask_path(self, drive: Drive) -> list[Output]:
        self._requests += 1
        drive.request_id, drive.goal = f'path-{self._requests}', drive.plan.goals[drive.tries]
        return [AskPath(drive.request_id, drive.goal, self._config.path_timeout_s)]

    def on_path(self, event: PathAnswered, situation: Situation) -> list[Output]:
        """Take the planner's answer: accept, try the next goal pose, or refuse."""
        drive = self._drive
        if drive is None or drive.stage is not DriveStage.ASKING_PATH or (
                event.request_id != drive.request_id):
            return self._drop()
        path = path_search.path_of(event, drive, situation.surroundings)
        rejection = path_search.rejection_of(path, drive, situation)
        if rejection is None:
            drive.way = PathProgress(path.answer.points)
            return self._announce(drive, motions.drive(
                self._new_goal_id(), path.goal, drive.plan.reason), situation)
        if path_search.another_may_do(rejection, drive):
            return self._ask_path(drive)
        leg = path_search.leg_to_unseen(path, rejection, drive, situation)
        if leg is not None:
            drive.plan, drive.tries = leg, 0
            return self._ask_path(drive)
        self.attempts = self.attempts.failing(
            *path_search.failures(event, rejection, drive, situation.now))
        return self._end(drive, rejection, situation)

    def fail(self, reason: str, situation: Situation) -> list[Output]:
        """Refuse the act whose path could not be judged."""
        return [] if self._drive is None else self._end(
            self._drive, Rejection(Code.PATH_INVALID, reason), situation)

    def _turn(self, drive: Drive, angle_rad: float, situation: Situation) -> list[Output]:
        reason = 'to face the target' if drive.faced else drive.plan.reason
        return self._announce(drive, motions.turn(
            self._new_goal_id(), situation.robot, angle_rad, reason), situation)

    def _announce(self, drive: Drive, motion: motions.Motion, situation: Situation, *,
                  stage: DriveStage = DriveStage.DRIVING) -> list[Output]:
        robot, now = situation.surroundings.robot, situation.now
        self._stuck.begin(robot.pose, robot.stamp_ns, now.steady_ns)
        self._rolling.begin(robot.rolled, robot.stamp_ns, now.steady_ns)
        drive.stage, drive.set_out, drive.way_ns = stage, robot.pose, now.steady_ns
        drive.nav_goal_id, drive.goal = motion.effect.nav_goal_id, motion.goal
        drive.at, drive.before = robot.pose, None
        drive.leaving = situation.surroundings.keepout.on(robot.pose)
        return [self._verdicts.decided(drive, motion.decision, now), motion.effect]

    def on_answered(self, event: NavAnswered, situation: Situation) -> list[Output]:
        """Take the navigator's answer: end the drive where it did not get the goal."""
        drive = self._of(event.nav_goal_id)
        if drive is None:
            return self._drop()
        if event.accepted or not drive.is_under_way:
            return []
        if drive.stage is DriveStage.BACKING_OFF:
            return self._tell(drive, situation.now)
        drive.result = untaken(event, situation.surroundings)
        if drive.faced:
            return self._settle(drive, drive.result, NavStatus.REJECTED, situation)
        # The robot stood and nothing of ours moves it; a stop could hit another client's goal.
        return self._tell(drive, situation.now)

    def on_finished(self, event: NavFinished, situation: Situation) -> list[Output]:
        """Judge the end of a Nav2 goal: its status first, then the pose of the robot."""
        drive = self._of(event.nav_goal_id)
        if drive is None:
            return self._drop()
        if not drive.is_under_way:
            return []
        if drive.stage is DriveStage.BACKING_OFF:
            if self._recovery.turned(drive, event, situation.now):
                return []
            return self._settle_back(drive, event.status, situation)
        result = result_of(event, drive, self._silent_aborts.take(
            event, drive, situation.surroundings.clients), situation)
        if result is None:
            turn, drive.faced = drive.left_to_face_rad(situation.robot), True
            assert turn is not None
            return self._turn(drive, turn, situation)
        return self._settle(drive, result, event.status, situation)

    def _settle_back(self, drive: Drive, ended: NavStatus, situation: Situation) -> list[Output]:
        """End the way back."""
        return self._settle(drive, backed_off(drive, situation.surroundings.robot.pose), ended,
                            situation)

    def _settle(self, drive: Drive, result: Result, ended: NavStatus,
                situation: Situation) -> list[Output]:
        """Hold back the result until the robot stands.

        An aborted goal does not prove it: Nav2 may drive on to it. After a goal that did not end
        well everything is stopped.
        """
        drive.recovered = drive.stage is DriveStage.BACKING_OFF
        drive.stage = DriveStage.SETTLING
        drive.result = result
        drive.settle_ns = situation.now.steady_ns
        self._halt.begin(situation.surroundings.robot, situation.now)
        return self._halt.stop_after(ended, result.nav_code, situation.now)

    def on_time(self, situation: Situation) -> list[Output]:
        """Watch the budget of a drive, and the standstill before and after it."""
        robot, now = situation.surroundings.robot, situation.now
        drive = self._drive
        self._halt.see(situation, drive.nav_goal_id if drive is not None and (
            drive.is_under_way) else '')
        self._stuck.see(robot.pose, robot.stamp_ns, now.steady_ns)
        self._rolling.see(robot.rolled, robot.stamp_ns, now.steady_ns)
        self._recovery.see(robot)
        if drive is None:
            return self._halt.idle(now)
        drive.see(situation.surroundings, now)
        match drive.stage:
            case DriveStage.HALTING:
                return self._watch_halt(drive, situation)
            case DriveStage.ASKING_PATH:
                late = first_rejection(situation, ActStart(drive.act, drive.began_ns))
                return [] if late is None else self._end(drive, late, situation)
            case DriveStage.DRIVING | DriveStage.BACKING_OFF:
                return self._watch_drive(drive, situation)
            case DriveStage.SETTLING:
                return self._watch_standstill(drive, situation)
            case DriveStage.CLEARING:
                return self._watch_clearing(drive, situation)
            case DriveStage.LOCALISING:
                return self._watch_pose(drive, situation)

    def _watch_halt(self, drive: Drive, situation: Situation) -> list[Output]:
        if self._halt.stands:
            return self._set_out(drive, situation)
        moving = driving_other(HERE, situation) or (
            first_rejection(situation, Halting(drive.settle_ns)))
        if moving is None:
            return self._halt.stop_again(situation.now)
        return self._end(drive, moving, situation)

    def _watch_drive(self, drive: Drive, situation: Situation) -> list[Output]:
        now, config = situation.now, self._config
        if drive.cut is not None:
            waited_s = seconds(now.steady_ns - drive.cut.since_ns)
            if waited_s < config.cancel_max_s:
                return self._halt.stop_unanswered(waited_s, now)
            return self._settle(drive, drive.cut.unheard(config.cancel_max_s), NavStatus.TIMEOUT,
                                situation)
        if drive.stage is DriveStage.BACKING_OFF and now.steady_ns > drive.until_ns:
            return self._settle_back(drive, NavStatus.TIMEOUT, situation)
        cut = cut_of(drive, self._stuck.stands or self._rolling.stands, situation)
        return [] if cut is None else self._cut(drive, cut)

    def _watch_standstill(self, drive: Drive, situation: Situation) -> list[Output]:
        stands, waited_s = self._halt.stands, seconds(situation.now.steady_ns - drive.settle_ns)
        if not (stands or self._halt.yields) and waited_s < self._config.settle_max_s:
            return self._halt.stop_again(situation.now)
        if situation.surroundings.nav_awaited and waited_s < self._config.settle_max_s:
            return []
        self._halt.end_seen(stands)
        drive.result = blamed(preempted(drive, situation), situation.surroundings)
        self.attempts, stuck = remembered(drive, self.attempts, situation)
        if stuck and stands and not drive.stays:
            return self._recovery.begin(drive, situation)
        if stands and drive.may_go_on:
            drive.stage = DriveStage.LOCALISING
            return []
        return self._tell(drive, situation.now)

    def _watch_pose(self, drive: Drive, situation: Situation) -> list[Output]:
        here = first_rejection(situation, HERE, PLANNED)
        if here is not None and here.jumped and drive.left_s(situation.now) >= 0.0:
            return []
        rest = drive.rest(situation) if here is None else None
        if rest is None:
            return self._tell(drive, situation.now)
        self._drive = rest
        return self._set_out(rest, situation)

    def _watch_clearing(self, drive: Drive, situation: Situation) -> list[Output]:
        if self._recovery.clears(drive, situation):
            return []
        motion = self._recovery.way_back(drive, situation)
        if motion is None:
            return self._tell(drive, situation.now)
        return self._announce(drive, motion, situation, stage=DriveStage.BACKING_OFF)

    def _tell(self, drive: Drive, now: Now) -> list[Output]:
        """End the act and publish its verdict."""
        self._drive = None
        return [self._verdicts.ended(drive, now)]

    def _of(self, nav_goal_id: str) -> Drive | None:
        drive = self._drive
        return drive if drive is not None and drive.nav_goal_id == nav_goal_id else None
