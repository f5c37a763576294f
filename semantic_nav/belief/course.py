"""The course of a mission: the steps that it takes, and how it ends."""

import logging

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.steps import (
    MAX_REASON,
    act_step,
    act_time_s,
    look_step,
    stop_step,
)
from semantic_nav.belief.table import Evidence, after
from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.contracts.core import Output
from semantic_nav.contracts.documents import Body, Document, Refusal, Step
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.vocabulary import Code, Outcome, Phase

_log = logging.getLogger(__name__)

#: Refusals that say that a part is missing, not that the proposal was bad.
WAITING_CODES = frozenset({Code.MAP_UNAVAILABLE, Code.POSE_UNAVAILABLE, Code.NAV_UNAVAILABLE})


class Course:
    """Moves a mission on. What it publishes lies in `out` until the core takes it.

    Attributes:
        out: documents of the event in hand.
        missing: who of those that carry out steps is not there.
    """

    def __init__(self, config: BeliefConfig, session: str) -> None:
        """Mint ids for a session."""
        self._config = config
        self._ids = Ids('belief', session)
        self.out: list[Output] = []
        self.missing: tuple[str, ...] = ()

    def look(self, mission: Mission, now: Now, reason: str, *, confirm: bool = False) -> None:
        """Ask for a look, unless a budget is used up or somebody is missing."""
        mission.confirming = confirm
        mission.waits_for_memory = False
        mission.retry_ns = None
        exhausted = mission.exhausted(self._config, now)
        if exhausted:
            self.finish(mission, Outcome.GAVE_UP, exhausted, now)
            return
        if self.missing:
            self.wait(mission, now, f'waiting for {" and ".join(self.missing)}')
            return
        config = self._config
        fallback_only = (not confirm
                         and mission.refusals_in_row >= config.refusals_before_fallback)
        if fallback_only:
            mission.refusals_in_row = 0
        mission.hypothesis = None
        mission.observation = None
        mission.phase = Phase.LOOKING
        mission.next_action = 'look: to confirm' if confirm else 'look'
        step = look_step(mission, config, reason, confirm=confirm, fallback_only=fallback_only)
        self._issue(mission, now, step)
        self.await_part(mission, now, config.part_wait_s, 'the picture')

    def act(self, mission: Mission, now: Now, reason: str, *, hypothesis_id: str | None = None,
            track_id: str | None = None, action: Action = Action.APPROACH) -> None:
        """Ask for an act on a hypothesis, or on the track of the target."""
        mission.phase = Phase.DRIVING
        mission.next_action = f'drive: {action.value}'
        step = act_step(mission, self._config, reason, hypothesis_id=hypothesis_id,
                        track_id=track_id)
        self._issue(mission, now, step)
        self.await_part(mission, now, act_time_s(self._config), 'the result')

    def ask(self, mission: Mission, question: str, now: Now) -> None:
        """Put a question to the operator."""
        if mission.questions >= self._config.questions_limit:
            self.refused(mission, now, Code.NOT_CONFIRMED,
                         f'{mission.questions} questions were asked already')
            return
        mission.questions += 1
        mission.asked_ns = now.steady_ns
        mission.phase = Phase.ASKING
        mission.question = question
        mission.next_action = 'wait for the answer'

    def refused(self, mission: Mission, now: Now, code: Code, reason: str) -> None:
        """Take note of a refusal or a failure, and look again."""
        mission.step = None
        mission.rejection_reason = f'{code.value}: {reason}'
        if code in WAITING_CODES:
            mission.waits_in_row += 1
            self.wait(mission, now, mission.rejection_reason)
            return
        mission.waits_in_row = 0
        # The model is told only what another proposal could mend.
        mission.last_refusal = Refusal(code, reason[:MAX_REASON])
        mission.refusals_in_row += 1
        if code is not Code.SKIPPED:
            mission.refusals += 1
        self.look(mission, now, mission.rejection_reason)

    def wait(self, mission: Mission, now: Now, reason: str, wait_s: float | None = None) -> None:
        """Look after a pause: a part is missing, which is nobody's bad proposal.

        Args:
            mission: is moved on.
            now: the time.
            reason: what is waited for.
            wait_s: how long; None for `retry_wait_s`.
        """
        wait_s = self._config.retry_wait_s if wait_s is None else wait_s
        mission.step = None
        mission.phase = Phase.LOOKING
        mission.reason = reason
        mission.next_action = 'wait, then look'
        mission.retry_ns = now.steady_ns + nanoseconds(wait_s)

    def evidence(self, mission: Mission, evidence: Evidence) -> None:
        """Let evidence change the status, by the table."""
        status, reason = after(mission.status, evidence)
        if reason:
            _log.info('%s: %s -> %s, %s', evidence, mission.status, status, reason)
            mission.status = status
            mission.reason = reason

    def finish(self, mission: Mission, outcome: Outcome, reason: str, now: Now) -> None:
        """End the mission; what is driven is stopped first.

        A cancel is handed on between two steps too, for the robot may not stand yet.
        """
        if mission.step is not None or outcome is Outcome.CANCELLED:
            self.stop(mission, now, reason)
        mission.phase = Phase.FINISHED
        mission.outcome = outcome
        mission.reason = reason
        mission.question = ''
        mission.next_action = ''
        mission.finished_ns = now.steady_ns

    def stop(self, mission: Mission, now: Now, reason: str) -> None:
        """End the step in hand."""
        self._issue(mission, now, stop_step(mission, reason))
        mission.step = None

    def await_part(self, mission: Mission, now: Now, wait_s: float, what: str) -> None:
        """Give the step in hand up if a part of its answer does not come in time.

        A document may be lost where nodes have not found each other yet, or where one was started
        anew. Each part has a time of its own, for only the model is slow.
        """
        mission.step_ends_ns = now.steady_ns + nanoseconds(wait_s)
        mission.awaited = what

    def _issue(self, mission: Mission, now: Now, step: Step) -> None:
        cause = mission.hypothesis.id if mission.hypothesis is not None else ''
        document = self.document(mission, now, step, cause)
        mission.step = document
        mission.retry_ns = None
        self.out.append(document)

    def document(self, mission: Mission, now: Now, body: Body, cause_id: str = '') -> Document:
        """Return a document of the mission."""
        return Document(self._ids.mint(), cause_id, mission.goal_id, now.clock_ns, 'map', body)
