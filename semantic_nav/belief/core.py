"""The belief: owns the mission, its pace and its budgets; it says what to do next, never how."""

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.events import (
    AnswerReceived,
    CancelRequested,
    GoalReceived,
    ListenersChanged,
)
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import Finished, Phase
from semantic_nav.belief.state_machine import (
    AT_ANY_TIME,
    begin,
    kind_of,
    refusal_of_goal,
    transition,
)
from semantic_nav.belief.transition import Context, Transition
from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import (
    Dispatch,
    Effect,
    Event,
    Output,
    StandingEffects,
    Tick,
    Ticking,
)
from semantic_nav.contracts.documents import (
    Belief,
    Candidates,
    Document,
    Hypothesis,
    Look,
    Observation,
    RobotPose,
    Verdict,
)
from semantic_nav.contracts.ids import Ids


class BeliefCore:
    """The mission in hand, and the phase that it is in.

    A mission alternates between looks and acts. A look ends with the verifier's observation of
    it, an act with the verifier's refusal or its result. `state_machine` says what follows on
    what, `table` what evidence does to the status.
    """

    def __init__(self, config: BeliefConfig, session: str, seed: int = 0) -> None:
        """Begin without a mission."""
        del seed
        self._config = config
        self._ids = Ids('belief', session)
        self._goal_ids = Ids('goal', session)
        self._mission: Mission | None = None
        self._phase: Phase | None = None
        self._missing: tuple[str, ...] = ()
        self._published: tuple[object, ...] = ()
        self._standing = StandingEffects()
        self._dispatch = Dispatch()
        self._dispatch.on(GoalReceived, self._on_goal)
        self._dispatch.on(ListenersChanged, self._on_listeners)
        for event in (AnswerReceived, CancelRequested, Tick):
            self._dispatch.on(event, self._on_event)
        for body in (Look, Hypothesis, Observation, Candidates, Verdict, RobotPose):
            self._dispatch.on_body(body, self._on_document)

    def handle(self, event: Event, now: Now) -> list[Output]:
        """Take one event in and return the documents that follow."""
        documents = self._dispatch(event, now)
        documents += self._belief(now)
        # What holds from now on comes first: a document may be answered before the next output.
        return [*self._standing_effects(), *documents]

    # Events

    def _on_goal(self, event: GoalReceived, now: Now) -> list[Output]:
        goal_id = self._goal_ids.mint()
        refused = refusal_of_goal(goal_id, event.text, self._context(now))
        if refused is not None and self._open:
            # The mission in hand goes on, and says so again.
            return self._belief_of(refused, now)
        replaced = self._move(event, now) if self._open else []
        replaced += self._belief(now)
        begun = refused or begin(goal_id, event.text, self._context(now))
        self._mission, self._phase = begun.mission, begun.phase
        return [*replaced, *begun.documents]

    def _on_listeners(self, event: ListenersChanged, now: Now) -> list[Output]:
        self._missing = event.missing
        return self._move(event, now)

    def _on_event(self, event: Event, now: Now) -> list[Output]:
        return self._move(event, now)

    def _on_document(self, document: Document, body: object, now: Now) -> list[Output]:
        ours = self._mission is not None and document.goal_id == self._mission.goal_id
        # Where the robot is belongs to no goal.
        return self._move(document, now) if ours or isinstance(body, RobotPose) else (
            self._dispatch.drop())

    def _move(self, event: Event | Document, now: Now) -> list[Output]:
        """Make the transition; what belongs to nothing in hand is counted and changes nothing."""
        made = None
        if self._mission is not None and self._phase is not None:
            made = transition(self._mission, self._phase, event, self._context(now))
        if made is not None:
            self._mission, self._phase = made.mission, made.phase
            return list(made.documents)
        return [] if kind_of(event) in AT_ANY_TIME else self._dispatch.drop()

    # What is published

    @property
    def _open(self) -> bool:
        return self._phase is not None and not isinstance(self._phase, Finished)

    def _context(self, now: Now) -> Context:
        return Context(now, self._config, self._missing, self._ids.mint)

    def _standing_effects(self) -> list[Effect]:
        """Deadlines matter while a mission is open."""
        return self._standing.changed(
            Ticking(self._open), self._dispatch.report())

    def _belief(self, now: Now) -> list[Output]:
        """Return the belief where there is a mission and more than its clock has changed."""
        if self._mission is None or self._phase is None:
            return []
        return self._belief_of(Transition(self._mission, self._phase), now)

    def _belief_of(self, state: Transition, now: Now) -> list[Output]:
        belief = state.mission.document(state.phase, self._config, now)
        essence = (state.mission.goal_id, *_essence(belief))
        if essence == self._published:
            return []
        self._published = essence
        return [self._context(now).document(state.mission, belief)]


def _essence(belief: Belief) -> tuple[object, ...]:
    budgets = belief.budgets
    return (belief.goal_text, belief.status, belief.phase, belief.outcome, belief.reason,
            belief.candidate_nodes, belief.question, belief.rejection_reason, belief.next_action,
            budgets.model_calls, budgets.refusals)
