"""The way to Nav2 and back, as `nodes/ros/navigation.py` goes it: late, lost, without a server."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.vocabulary import NavStatus
from semantic_nav.verify.effects import AskPath, CancelNav, SendBackUp, SendNav, SendSpin, StopNav
from semantic_nav.verify.events import NavAnswered, NavFinished, PathAnswered
from semantic_nav_sim.bench.navigator import Navigator
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.navigator.goals import Action

Motion = SendNav | SendSpin | SendBackUp
_GONE_S, _GIVEN_UP_S, _UNANSWERED_S = 2.0, 2.0, 3.0


@dataclass
class Weather:
    """How the way is now.

    Attributes:
        late_s: longest delay of each message.
        gone: bt_navigator is not there.
    """

    late_s: float = 0.0
    gone: bool = False


@dataclass
class _Goal:
    """A goal on its way."""

    drives: bool
    answer_ns: int = 0
    answered: bool = False
    cancelled: bool = False


class NavLink:
    """The clients of one start of the verifier: what answers another start is not for it."""

    def __init__(self, navigator: Navigator, scheduler: Scheduler, weather: Weather,
                 session: str, feed: Callable[[Event], None], running: Callable[[], bool],
                 cancel_max_s: float) -> None:
        """Have no goal on its way."""
        self._navigator, self._scheduler, self._weather = navigator, scheduler, weather
        self._session, self._feed, self._running = session, feed, running
        self._given_up_s = cancel_max_s + _GIVEN_UP_S
        self._rng = random.Random(f'link {session}')
        self._goals: dict[str, _Goal] = {}
        self._asked: set[str] = set()
        self._own: set[str] = set()

    # Requests

    def ask_path(self, effect: AskPath) -> None:
        """Ask under a name of this start's own."""
        named = replace(effect, request_id=f'{self._session} {effect.request_id}')
        self._asked.add(effect.request_id)
        self._later(lambda: self._navigator.ask_path(named))
        # The node's own patience, whatever becomes of the request.
        self._scheduler.after(effect.timeout_s, lambda: self._answer(PathAnswered(
            effect.request_id, NavStatus.TIMEOUT, 0, np.zeros((0, 2)))))

    def send(self, effect: Motion) -> None:
        """Send a goal, unless its server is not there."""
        drives, goal_id = isinstance(effect, SendNav), effect.nav_goal_id
        if drives and self._weather.gone:
            self._feed(NavAnswered(goal_id, accepted=False, reason='the server is not there'))
            return
        self._goals[goal_id] = _Goal(drives)
        self._own.add(goal_id)
        act: Callable[[Motion], None] = {
            SendNav: self._navigator.drive, SendSpin: self._navigator.turn,
            SendBackUp: self._navigator.back_up}[type(effect)]  # type: ignore[assignment]

        def arrive() -> None:
            if not (drives and self._weather.gone):
                act(effect)

        self._later(arrive)
        self._scheduler.after(_UNANSWERED_S, lambda: self._miss(goal_id))

    def _miss(self, goal_id: str) -> None:
        """Give up a goal that nobody has answered."""
        goal = self._goals.get(goal_id)
        if goal is not None and not goal.answered:
            self._finished(NavFinished(goal_id, NavStatus.LOST, 0))

    def cancel(self, effect: CancelNav) -> None:
        """Cancel a goal, also one that is not accepted yet."""
        goal = self._goals.get(effect.nav_goal_id)
        if goal is None:
            return
        if not goal.cancelled:
            goal.cancelled = True
            self._scheduler.after(self._given_up_s,
                                  lambda: self._goals.pop(effect.nav_goal_id, None))
        self._request_cancel(effect.nav_goal_id, drives=goal.drives)

    def stop(self, effect: StopNav) -> None:
        """Cancel everything, and what follows a path."""
        def arrive() -> None:
            if not self._weather.gone:
                self._navigator.stop(effect)
                return
            for action in (Action.SPIN, Action.BACKUP):
                self._navigator.servers.goals.cancel_all(action)
            self._navigator.stop_following()

        self._later(arrive)

    def _request_cancel(self, goal_id: str, *, drives: bool) -> None:
        def arrive() -> None:
            if not (drives and self._weather.gone):
                self._navigator.cancel(CancelNav(goal_id))

        self._later(arrive)

    def lose(self) -> None:
        """Bt_navigator is gone: its goals are lost, should it stay so for a while."""
        def find() -> None:
            if self._weather.gone:
                for goal_id in [one for one, goal in self._goals.items() if goal.drives]:
                    del self._goals[goal_id]
                    self._feed(NavFinished(goal_id, NavStatus.LOST, 0))

        self._scheduler.after(_GONE_S, find)

    # Answers

    def hear(self, event: Event) -> None:
        """Take an answer, if it is one to this start."""
        if isinstance(event, PathAnswered):
            session, _, request_id = event.request_id.rpartition(' ')
            if session == self._session:
                self._later(lambda: self._answer(replace(event, request_id=request_id)))
        elif isinstance(event, NavAnswered) and event.nav_goal_id in self._own:
            # One that was forgotten meanwhile is cancelled.
            answer_ns = self._scheduler.now_ns + self._later(lambda: self._accepted(event))
            if event.nav_goal_id in self._goals:
                self._goals[event.nav_goal_id].answer_ns = answer_ns
        elif isinstance(event, NavFinished) and event.nav_goal_id in self._goals:
            # The result is asked for once the goal is accepted.
            goal = self._goals[event.nav_goal_id]
            wait_s = max(0, goal.answer_ns - self._scheduler.now_ns) / NS_PER_S
            self._scheduler.after(wait_s, lambda: self._later(lambda: self._finished(event)))

    def _answer(self, event: PathAnswered) -> None:
        if event.request_id in self._asked:
            self._asked.remove(event.request_id)
            self._feed(event)

    def _accepted(self, event: NavAnswered) -> None:
        goal = self._goals.get(event.nav_goal_id)
        if goal is None:
            if event.accepted and self._running():
                self._request_cancel(event.nav_goal_id, drives=True)
            return
        if not event.accepted:
            del self._goals[event.nav_goal_id]
        elif goal.cancelled and self._running():
            self._request_cancel(event.nav_goal_id, drives=goal.drives)
        goal.answered = True
        self._feed(event)

    def _finished(self, event: NavFinished) -> None:
        if self._goals.pop(event.nav_goal_id, None) is not None:
            self._feed(event)

    def _later(self, act: Callable[[], None]) -> int:
        """Do something after the way's delay, which is returned in ns."""
        delay_s = self._rng.random() * self._weather.late_s
        if delay_s:
            self._scheduler.after(delay_s, act)
        else:
            act()
        return round(delay_s * NS_PER_S)
