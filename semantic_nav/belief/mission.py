"""The mission in hand, as data."""

from dataclasses import dataclass

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.contracts.clock import Now, seconds
from semantic_nav.contracts.documents import (
    Belief,
    Budgets,
    Candidates,
    Document,
    Hypothesis,
    Observation,
    Refusal,
    Track,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Outcome, Phase, Status

#: Longest text that a document carries.
_MAX_TEXT = 2000


@dataclass
class Mission:
    """Everything the belief knows of one goal.

    Attributes:
        step: the step under way, None between steps.
        step_ends_ns: when the step is given up, on the steady clock.
        awaited: the part of its answer that must come before.
        retry_ns: when to look again after a part was missing, on the steady clock.
        waits_for_memory: the first look is still to come.
        hypothesis: of the current look; both it and the observation end the look.
        confirming: the current look is the last one.
        other_stand_offs: how often the last look at this track was repeated from elsewhere.
        strays: last looks that saw the target elsewhere than it was held to be.
        silent_looks: looks in a row that the model did not answer.
        refusals_in_row: refused acts since the last accepted one.
        waits_in_row: acts in a row for which a part was missing.
        asked_ns: when the question in hand was put, on the steady clock.
    """

    goal_id: str
    goal_text: str
    started_ns: int
    status: Status = Status.SEARCHING
    phase: Phase = Phase.LOOKING
    outcome: Outcome | None = None
    reason: str = ''
    question: str = ''
    rejection_reason: str = ''
    next_action: str = ''
    step: Document | None = None
    step_ends_ns: int = 0
    awaited: str = ''
    retry_ns: int | None = None
    waits_for_memory: bool = False
    hypothesis: Document | None = None
    observation: Observation | None = None
    candidates: Candidates | None = None
    track: Track | None = None
    last_refusal: Refusal | None = None
    last_pose: Pose2D | None = None
    confirming: bool = False
    other_stand_offs: int = 0
    strays: int = 0
    silent_looks: int = 0
    refusals: int = 0
    refusals_in_row: int = 0
    waits_in_row: int = 0
    asked_ns: int = 0
    model_calls: int = 0
    questions: int = 0
    distance_m: float = 0.0
    finished_ns: int | None = None

    @property
    def open(self) -> bool:
        """Tell whether the mission still goes on."""
        return self.phase is not Phase.FINISHED

    def elapsed_s(self, now: Now) -> float:
        """Return the time that the mission has taken."""
        end = self.finished_ns if self.finished_ns is not None else now.steady_ns
        return seconds(end - self.started_ns)

    def exhausted(self, config: BeliefConfig, now: Now) -> str:
        """Return which budget is used up, in words, or an empty string."""
        if self.elapsed_s(now) > config.time_limit_s:
            return f'the time is used up ({config.time_limit_s:.0f} s)'
        if self.distance_m > config.distance_limit_m:
            return f'the distance is used up ({config.distance_limit_m:.0f} m)'
        if self.model_calls >= config.model_calls_limit:
            return f'the model calls are used up ({config.model_calls_limit})'
        if self.refusals >= config.refusals_limit:
            return (f'{self.refusals} acts were refused or failed; '
                    f'the last: {self.rejection_reason or self.reason}')
        if self.waits_in_row >= config.waits_limit:
            return (f'a part was missing {self.waits_in_row} times in a row; '
                    f'the last: {self.rejection_reason}')
        if self.silent_looks >= config.fallback_looks_limit:
            return (f'the model did not answer {self.silent_looks} looks in a row'
                    f'{self.model_error()}')
        return ''

    def model_error(self) -> str:
        """Return why the model did not answer the look in hand, after a colon, or nothing."""
        body = self.hypothesis.body if self.hypothesis is not None else None
        if isinstance(body, Hypothesis) and body.meta.vlm_error:
            return f': {body.meta.vlm_error}'
        return ''

    def document(self, config: BeliefConfig, now: Now) -> Belief:
        """Return the mission as others see it."""
        nodes = self.candidates.candidates if self.candidates is not None else ()
        return Belief(
            goal_text=self.goal_text, status=self.status, phase=self.phase, outcome=self.outcome,
            reason=self.reason[:_MAX_TEXT],
            candidate_nodes=tuple(candidate.node_id for candidate in nodes),
            question=self.question, rejection_reason=self.rejection_reason[:_MAX_TEXT],
            next_action=self.next_action,
            budgets=Budgets(
                time_s=round(self.elapsed_s(now), 1), time_limit_s=config.time_limit_s,
                model_calls=self.model_calls, model_calls_limit=config.model_calls_limit,
                distance_m=round(self.distance_m, 2), distance_limit_m=config.distance_limit_m,
                refusals=self.refusals, refusals_limit=config.refusals_limit))
