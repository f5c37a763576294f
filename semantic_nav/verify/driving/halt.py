"""Supervision of the standstill: before a goal pose, after it, and without one."""

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

#: Period of the stops for a robot that moves without a drive, in s.
_STOP_AGAIN_S = 1.0
#: Factor on the time of rest for odometry alone, while the localisation still corrects the pose.
_BY_ODOMETRY = 3.0
#: Time until another client's goal that took the place of an aborted one is heard of, in s.
_HEARD_S = 0.1
#: Wait for the end of a cancelled goal, in s. Nav2 takes milliseconds; one that takes longer may
#: be dead, while its controller drives on.
_UNANSWERED_S = 0.4


class Halt:
    """Tracks whether something may still move the robot, and stops it until it stands.

    A goal whose end was not seen may: one that did not end well, or one of an earlier process.
    Nav2 may stand for a while and drive on. Every goal of a verifier that Nav2 still has, except
    that of the current drive, is therefore cancelled even while the robot stands. A drive of
    another client is not stopped if the verifier yields, nor, for a moment, one that may be of
    another client.

    Attributes:
        yields: another client drives the robot, and is allowed to.
    """

    def __init__(self, config: VerifierConfig) -> None:
        """Assume that the robot may move."""
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
        """Tell whether the robot stands, by its poses since the last `begin` or by odometry."""
        return (self._standstill.stands or self._rolling.stands) and not self.yields

    @property
    def stays(self) -> bool:
        """Tell whether it stands, and has stood since other clients last had a goal.

        A client that has sent a goal is about to move the robot, whatever its poses tell yet.
        """
        return self.stands and self._undriven.stands

    def rests(self, now: Now) -> bool:
        """Tell whether further poses would tell nothing new."""
        return not self._strays and (self.stands or not (
            self._standstill.located or now.steady_ns <= self._watched_until_ns))

    @property
    def robot_may_move(self) -> bool:
        """Tell whether something may move the robot."""
        return bool(self._strays) or (self._end_unseen and not self.stands)

    def end_seen(self, seen: bool) -> None:
        """Note whether everything that may move the robot has surely ended."""
        self._end_unseen = not seen

    def see(self, situation: Situation, driving: str) -> None:
        """Take the newest pose, and the goals that Nav2 has.

        Args:
            situation: current situation.
            driving: id of the Nav2 goal of the current drive; empty without one.
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
        """Forget everything before this pose; a stop counts as sent just now."""
        self._stopped_ns = now.steady_ns
        self._standstill.begin(robot.pose, robot.stamp_ns, now.steady_ns)
        self._rolling.begin(robot.rolled, robot.stamp_ns, now.steady_ns)

    def watch(self, robot: Localisation, now: Now) -> None:
        """Watch for a while, without a drive, that the robot comes to rest."""
        self.begin(robot, now)
        self._watched_until_ns = now.steady_ns + self._watch_ns

    def idle(self, now: Now) -> list[Output]:
        """Stop a robot that moves without a drive, as long as that is watched.

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
        """Stop everything except a drive that may be of another client."""
        ours: list[Output] = [
            CancelNav(one) for one in dict.fromkeys((*self._strays, self._last_id)) if one]
        if self._unheard and not ours:
            return []
        self._stopped_ns = now.steady_ns
        return ours if self.yields or self._unheard else [StopNav()]

    def stop_after(self, ended: NavStatus, code: int, now: Now) -> list[Output]:
        """Stop everything where the end of a goal does not imply that the robot comes to rest.

        Nav2 gives no code either when a goal of another client took its place.
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
        """Stop everything where the end of a cancelled goal is overdue."""
        return self.stop_again(now) if waited_s >= _UNANSWERED_S else []

    def stop_again(self, now: Now) -> list[Output]:
        """Stop everything, unless that was done a moment ago."""
        late = seconds(now.steady_ns - self._stopped_ns) >= _STOP_AGAIN_S
        return self.stop(now) if late else []
