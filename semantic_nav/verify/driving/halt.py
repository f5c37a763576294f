"""Sees to it that the robot stands: before a goal, after one, and without one."""

from semantic_nav.contracts.clock import Now, nanoseconds, seconds
from semantic_nav.contracts.core import Output
from semantic_nav.contracts.vocabulary import NavStatus
from semantic_nav.verify.checks.act_checks import driving_other
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE
from semantic_nav.verify.config import YIELD, VerifierConfig
from semantic_nav.verify.driving.standstill import Standstill
from semantic_nav.verify.effects import CancelNav, StopNav
from semantic_nav.verify.floor.localisation import Localisation

#: A robot that moves although nothing is driven is told to stop so often.
_STOP_AGAIN_S = 1.0
#: So many times as long the odometry must be still where the localisation still corrects the pose.
_BY_ODOMETRY = 3.0
#: In so much it is heard whether another client's goal took the place of one that was aborted.
_HEARD_S = 0.1
#: Nav2 ends a cancelled goal within milliseconds; one that does not may be dead, and what follows
#: the path drives on.
_UNANSWERED_S = 0.4


class Halt:
    """Knows whether something may still move the robot, and stops it until it stands.

    Something may, whose end nobody has seen yet: a goal that did not end well, or one of the
    process before this one. Nav2 may stand for a while and drive on: what it still has in hand and
    is not the goal of the drive in hand is cancelled however the robot stands. What another client
    drives is not stopped where it is yielded to, nor, for a moment, what may be driven by one.

    Attributes:
        yields: another client drives the robot, and may.
    """

    def __init__(self, config: VerifierConfig) -> None:
        """Believe that the robot may move."""
        self._watch_ns = nanoseconds(config.settle_max_s)
        self._yielding = config.other_client == YIELD
        self._standstill = Standstill(config.settle_s)
        self._rolling = Standstill(_BY_ODOMETRY * config.settle_s)
        self._undriven = Standstill(config.settle_s)
        self._end_unseen = self._new = True
        self.yields = self._unheard = False
        self._strays: tuple[str, ...] = ()
        self._last_id = ''
        self._watched_until_ns = self._stopped_ns = 0

    @property
    def stands(self) -> bool:
        """Whether the robot stands, by its poses since the last `begin`, or by odometry alone."""
        return (self._standstill.stands or self._rolling.stands) and not self.yields

    @property
    def stays(self) -> bool:
        """Whether it stands, and so it has since no other client has had a goal in hand.

        One that has sent a goal is about to move it, whatever its poses say yet.
        """
        return self.stands and self._undriven.stands

    def rests(self, now: Now) -> bool:
        """Tell whether more of the same poses would tell nothing."""
        return not self._strays and (self.stands or not (
            self._standstill.located or now.steady_ns <= self._watched_until_ns))

    @property
    def robot_may_move(self) -> bool:
        """Whether something moves the robot, for all that is known."""
        return bool(self._strays) or (self._end_unseen and not self.stands)

    def end_seen(self, seen: bool) -> None:
        """Take note whether all that may move the robot has ended for sure."""
        self._end_unseen = not seen

    def see(self, situation: Situation, driving: str) -> None:
        """Take the newest pose, and what Nav2 has in hand.

        Args:
            situation: of now.
            driving: id of the goal of the drive in hand; empty without one.
        """
        robot, now = situation.surroundings.robot, situation.now
        self.yields = driving_other(HERE, situation) is not None
        self._unheard = self._yielding and situation.surroundings.clients.are_awaited(now)
        self._last_id = driving or self._last_id
        self._strays = tuple(one for one in situation.surroundings.clients.ours if one != driving)
        self._end_unseen |= situation.surroundings.clients.drive(now)
        self._standstill.see(robot.pose, robot.stamp_ns, now.steady_ns)
        self._rolling.see(robot.rolled, robot.stamp_ns, now.steady_ns)
        if situation.surroundings.clients.others:
            self._undriven.begin(robot.rolled, robot.stamp_ns, now.steady_ns)
        else:
            self._undriven.see(robot.rolled, robot.stamp_ns, now.steady_ns)

    def begin(self, robot: Localisation, now: Now) -> None:
        """Believe nothing from before this pose; somebody was told to stop just now."""
        self._stopped_ns = now.steady_ns
        self._standstill.begin(robot.pose, robot.stamp_ns, now.steady_ns)
        self._rolling.begin(robot.rolled, robot.stamp_ns, now.steady_ns)

    def watch(self, robot: Localisation, now: Now) -> None:
        """Watch for a while that the robot comes to rest, without a drive in hand."""
        self.begin(robot, now)
        self._watched_until_ns = now.steady_ns + self._watch_ns

    def idle(self, now: Now) -> list[Output]:
        """Stop what moves the robot without a drive in hand, as long as that is watched.

        A robot that moves when this process begins is stopped however long it takes.
        """
        self._end_unseen = self.robot_may_move
        if not self._end_unseen:
            self._new, self._last_id = False, ''
            return []
        watched = bool(self._strays) or now.steady_ns <= self._watched_until_ns or (
            self._new and self._standstill.moved)
        return self.stop_again(now) if watched else []

    def come_to_rest(self, now: Now) -> list[Output]:
        """Stop everything, and watch that the robot comes to rest, unless it stands."""
        if self.stands:
            return []
        self._end_unseen = True
        self._watched_until_ns = now.steady_ns + self._watch_ns
        return self.stop(now)

    def stop(self, now: Now) -> list[Output]:
        """Stop everything, but what another client may drive."""
        ours: list[Output] = [
            CancelNav(one) for one in dict.fromkeys((*self._strays, self._last_id)) if one]
        if self._unheard and not ours:
            return []
        self._stopped_ns = now.steady_ns
        return ours if self.yields or self._unheard else [StopNav()]

    def stop_after(self, ended: NavStatus, code: int, now: Now) -> list[Output]:
        """Stop everything where the end of a goal does not tell that the robot comes to rest.

        Nav2 gives no code either where the goal of another client took the place of it.
        """
        if ended in (NavStatus.SUCCEEDED, NavStatus.CANCELED, NavStatus.ABORTED):
            self._last_id = ''
        if ended in (NavStatus.SUCCEEDED, NavStatus.CANCELED):
            return []
        if self._yielding and ended is NavStatus.ABORTED and not code:
            self._stopped_ns = now.steady_ns - nanoseconds(_STOP_AGAIN_S - _HEARD_S)
            return []
        return self.stop(now)

    def stop_unanswered(self, waited_s: float, now: Now) -> list[Output]:
        """Stop everything where the end of a cancelled goal is waited for since some seconds."""
        return self.stop_again(now) if waited_s >= _UNANSWERED_S else []

    def stop_again(self, now: Now) -> list[Output]:
        """Stop everything, unless that was done a moment ago."""
        late = seconds(now.steady_ns - self._stopped_ns) >= _STOP_AGAIN_S
        return self.stop(now) if late else []
