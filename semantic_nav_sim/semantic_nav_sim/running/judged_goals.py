"""The simulator's knowledge of the goals that its robot gets, in lines for people."""

from collections.abc import Callable
from typing import Any

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.client.narrator import harmless
from semantic_nav.contracts.documents import Belief, Document
from semantic_nav.contracts.vocabulary import Outcome, Purpose
from semantic_nav_sim.judge import Judge, Unjudged

Say = Callable[[str], None]


def targets_of(judge: Judge, goal: str, say: Say) -> list[dict[str, Any]] | None:
    """The targets of a goal in this home, by the truth; says so in a line. None if unknown."""
    try:
        targets = judge.targets_of(goal)
    except Unjudged as error:
        say(f'judge     {error}; the robot tries it')
        return None
    if not targets:
        say('judge     nothing in this home fits these words: to say so is right')
    elif len(targets) > 1:
        say(f'judge     {len(targets)} things in this home fit these words: any will do')
    return targets


class JudgedGoals:
    """Listens to the goals of a robot, and reports the simulator's knowledge of each."""

    def __init__(self, judge: Judge, say: Say) -> None:
        """Attach to a judge; `say` gets one line at a time."""
        self._judge = judge
        self._say: Say = lambda line: say(harmless(line))
        self._targets: dict[str, list[dict[str, Any]] | None] = {}
        self._over: set[str] = set()

    def take(self, document: Document) -> None:
        """Report the targets when a goal is accepted, and the robot's position at its end."""
        belief, goal_id = document.body, document.goal_id
        if not isinstance(belief, Belief) or not belief.goal_text or goal_id in self._over:
            return
        if goal_id not in self._targets:
            self._say(f'goal      {belief.goal_text}')
            self._targets[goal_id] = (
                targets_of(self._judge, belief.goal_text, self._say)
                if belief.purpose is Purpose.FIND and belief.outcome is None else None)
        if belief.outcome is None:
            return
        self._over.add(goal_id)
        self._say(f'finished  {belief.outcome.value}: {belief.reason}')
        targets = self._targets.pop(goal_id)
        if targets and belief.outcome is Outcome.ARRIVED:
            ruling = self._judge.rule_any(targets, BeliefConfig().stand_off_m)
            self._say(f'truth     {ruling.words}')
