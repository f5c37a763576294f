"""Another client of Nav2, as a person at RViz: sends goals of its own, and takes them back."""

import math
import random
from typing import Any

from plan import Fault

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.verify.config import YIELD
from semantic_nav.verify.effects import CancelNav, SendNav
from semantic_nav.verify.events import NavGoalsAwaited, NavGoalsHeard
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.navigator.goals import Action

#: How often Nav2's status is compared with what was told of it, in s.
_STATUS_S = 0.02
#: What a goal needs from the client to the robot's wheels, and the robot to roll out after it.
_SETTLES_NS = 2 * NS_PER_S


class OtherClient:
    """Sends goals, and tells the verifier what Nav2 has in hand, as its status topic does.

    Attributes:
        known: goals of it that a verifier was told of and that are in hand yet, as it knows.
    """

    def __init__(self, trial: Any, scheduler: Scheduler) -> None:
        """Send nothing yet."""
        self._trial, self._rng = trial, random.Random(f'others {trial.plan.seed}')
        self._sent: dict[Fault, str] = {}
        self._told: tuple[str, ...] = ()
        self._drove_ns, self._due_ns = -_SETTLES_NS, 0
        self._was_driving = False
        self.known: tuple[str, ...] = ()
        if trial.plan.has('other_client'):
            scheduler.every(_STATUS_S, self._look)

    @property
    def yielded_to(self) -> bool:
        """Tell whether the product is to let it drive."""
        return bool(self._trial.verifier_config.other_client == YIELD)

    @property
    def drives(self) -> bool:
        """Tell whether a goal of it moves the robot, or one that bt_navigator died with."""
        in_hand = self._in_hand()
        return bool(set(in_hand) & set(self._sent.values())) or (
            self._was_driving and not in_hand and self._trial.navigator.servers.driving)

    @property
    def drove(self) -> bool:
        """Tell whether it drives, or the robot may roll out after it."""
        return self.drives or self._trial.now_ns - self._drove_ns < _SETTLES_NS

    def send(self, fault: Fault) -> None:
        """Send a goal in some direction, which may be out of reach."""
        if self._trial.weather.gone:
            return
        self._sent[fault] = goal_id = f'{self._rng.getrandbits(128):032x}'
        here = self._trial.truth().true
        self._trial.navigator.drive(SendNav(goal_id, Pose2D(
            here.x + 1.5 * math.cos(fault.size), here.y + 1.5 * math.sin(fault.size),
            fault.size)))
        self._trial.disturbed()

    def take_back(self, fault: Fault) -> None:
        """Cancel a goal, whatever became of it."""
        if fault in self._sent and not self._trial.weather.gone:
            self._trial.navigator.cancel(CancelNav(self._sent[fault]))

    def tell_anew(self) -> None:
        """Tell a verifier that was just started what is in hand."""
        self.known = ()
        self._trial.shells['verifier'].feed(NavGoalsAwaited())
        self._tell(self._told)

    def heard(self, event: Event) -> None:
        """Take note of what a verifier hears."""
        if isinstance(event, NavGoalsHeard):
            self.known = tuple(one for one in event.nav_goal_ids if one in self._sent.values())

    def _look(self) -> None:
        self._was_driving = self.drives
        if self._was_driving:
            self._drove_ns = self._trial.now_ns
        in_hand = self._in_hand()
        if in_hand != self._told:
            self._told = in_hand
            self._tell(in_hand)

    def _tell(self, in_hand: tuple[str, ...]) -> None:
        # Late, but in the order of their writer, as DDS brings them.
        now_ns = self._trial.now_ns
        self._due_ns = max(self._due_ns, now_ns + round(
            self._rng.random() * self._trial.weather.late_s * NS_PER_S))
        self._trial.scheduler.after((self._due_ns - now_ns) / NS_PER_S, lambda: (
            self._trial.shells['verifier'].feed(NavGoalsHeard(in_hand))))

    def _in_hand(self) -> tuple[str, ...]:
        if self._trial.weather.gone:
            return ()
        goals: tuple[str, ...] = self._trial.navigator.servers.goals.in_hand(
            Action.NAVIGATE_TO_POSE)
        return goals
