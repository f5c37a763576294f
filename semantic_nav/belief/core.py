"""The belief's core: it owns the mission, its pace and budgets, and says what to do, not how."""

from dataclasses import replace

from semantic_nav.belief.any_phase import CANCELLED
from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.events import (
    AnswerReceived,
    AnswerRequest,
    CancelRequested,
    GoalReceived,
    KeepMission,
    ListenersChanged,
    MissionFound,
    PauseRequested,
    ResumeRequested,
    SwitchedOff,
)
from semantic_nav.belief.goal import Goal
from semantic_nav.belief.kept import Kept, kept_of, take_up
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.pausing import refusal_of
from semantic_nav.belief.phases import Finished, Phase
from semantic_nav.belief.sessions import Sessions
from semantic_nav.belief.state_machine import (
    AT_ANY_TIME,
    begin,
    begin_stop,
    kind_of,
    refusal_of_goal,
    refused_goal,
    step_of,
    steps_in_hand,
    transition,
)
from semantic_nav.belief.transition import Context, Transition
from semantic_nav.contracts.clock import Now, nanoseconds
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

_ACCEPTED = AnswerRequest(True, 'accepted')
#: The nodes that carry out steps.
STEP_LISTENERS = ('hypothesis', 'verifier')
#: Time within which a repeated goal is taken for the first one, in s: a bridge may repeat it.
_SAID_TWICE_S = 1.0


class BeliefCore:
    """The mission in hand, and its phase.

    A mission alternates between looks and acts. A look ends with the verifier's observation, an
    act with the verifier's refusal or its result. `state_machine` holds the transitions, `table`
    the effect of evidence on the status. A goal that comes meanwhile begins once the mission in
    hand is over.
    """

    def __init__(self, config: BeliefConfig, session: str, seed: int = 0) -> None:
        """Start without a mission."""
        del seed
        self._config = config
        self._ids = Ids('belief', session)
        self._stop_ids = Ids('stop', session)
        self._mission: Mission | None = None
        self._phase: Phase | None = None
        self._next: Goal | None = None
        # The newest goal, and its time on the steady clock.
        self._said: tuple[Goal, int] | None = None
        self._kept: Kept | None = None
        # Number of times that the mission in hand was resumed after a restart.
        self._times = 0
        self._sessions = Sessions(STEP_LISTENERS)
        self._missing: tuple[str, ...] = ()
        self._published: tuple[object, ...] = ()
        self._told_of: tuple[Mission | None, Phase | None] = None, None
        self._standing = StandingEffects()
        self._dispatch = Dispatch()
        self._dispatch.on(GoalReceived, self._on_goal)
        self._dispatch.on(ListenersChanged, self._on_listeners)
        self._dispatch.on(CancelRequested, self._on_cancel)
        self._dispatch.on(SwitchedOff, self._on_switched_off)
        self._dispatch.on(PauseRequested, self._on_request)
        self._dispatch.on(ResumeRequested, self._on_request)
        self._dispatch.on(MissionFound, self._on_found)
        for event in (AnswerReceived, Tick):
            self._dispatch.on(event, self._on_event)
        for body in (Look, Hypothesis, Observation, Candidates, Verdict, RobotPose):
            self._dispatch.on_body(body, self._on_document)

    def handle(self, event: Event, now: Now) -> list[Output]:
        """Take one event in and return the outputs that follow."""
        documents = self._dispatch(event, now)
        documents += self._belief(now)
        documents += self._begin_next(now)
        # Effects come first: a document may be answered before the next output.
        return [*self._standing_effects(), *self._keep(now), *documents]

    # Events

    def _on_goal(self, event: GoalReceived, now: Now) -> list[Output]:
        """Accept a goal, or refuse it."""
        if self._is_repeated(event, now):
            return []
        goal = event.goal
        refused = refusal_of_goal(goal, self._context(now))
        if refused is None:
            superseded = self._drop_next('another goal came before it began', now)
            self._next, self._said = goal, (goal, now.steady_ns)
            return [*superseded, *self._move(event, now)]
        if not self._open:
            self._mission, self._phase = refused.mission, refused.phase
            return []
        # The mission in hand goes on, and its belief is published again.
        return self._belief_of(refused, now)

    def _is_repeated(self, event: GoalReceived, now: Now) -> bool:
        """Tell whether a goal is the one in hand or the next, or repeats one of a moment ago."""
        in_hand = '' if self._mission is None else self._mission.goal_id
        if event.goal.id in (in_hand, '' if self._next is None else self._next.id):
            return True
        if not event.may_repeat or self._said is None or not (self._open or self._next):
            return False
        said, said_ns = self._said
        return replace(event.goal, id=said.id) == said and (
            now.steady_ns - said_ns < nanoseconds(_SAID_TWICE_S))

    def _begin_next(self, now: Now) -> list[Output]:
        if self._next is None or self._open:
            return []
        goal, self._next = self._next, None
        begun = begin(goal, self._context(now))
        self._mission, self._phase, self._times = begun.mission, begun.phase, 0
        return [*begun.documents, *self._belief(now)]

    def _drop_next(self, reason: str, now: Now) -> list[Output]:
        goal, self._next = self._next, None
        return [] if goal is None else self._belief_of(
            refused_goal(goal, reason, self._context(now)), now)

    def _on_cancel(self, event: CancelRequested, now: Now) -> list[Output]:
        self._said = None
        if event.goal_id:
            return self._on_cancel_of(event, now)
        out = [_ACCEPTED, *self._drop_next(f'{CANCELLED} before it began', now)]
        if self._open:
            return [*out, *self._move(event, now)]
        begun = begin_stop(self._stop_ids.mint(), self._context(now))
        self._mission, self._phase = begun.mission, begun.phase
        return [*out, *begun.documents]

    def _on_cancel_of(self, event: CancelRequested, now: Now) -> list[Output]:
        if self._next is not None and self._next.id == event.goal_id:
            return [_ACCEPTED, *self._drop_next(f'{CANCELLED} before it began', now)]
        if self._open and self._mission is not None and self._mission.goal_id == event.goal_id:
            return [_ACCEPTED, *self._move(event, now)]
        return [AnswerRequest(False, 'this mission is not under way')]

    def _on_request(self, event: PauseRequested | ResumeRequested, now: Now) -> list[Output]:
        refusal = refusal_of(event, self._phase)
        if refusal:
            return [AnswerRequest(False, refusal)]
        return [_ACCEPTED, *self._move(event, now)]

    def _on_switched_off(self, event: SwitchedOff, now: Now) -> list[Output]:
        dropped = self._drop_next('the belief node was switched off', now)
        return [*dropped, *self._move(event, now)]

    def _on_found(self, event: MissionFound, now: Now) -> list[Output]:
        if self._mission is not None:
            return self._dispatch.drop()
        self._times = event.kept.times + 1
        made = take_up(event.kept, event.away_s, self._context(now))
        self._mission, self._phase = made.mission, made.phase
        return list(made.documents)

    def _on_listeners(self, event: ListenersChanged, now: Now) -> list[Output]:
        self._missing = event.missing
        self._sessions.forget((*event.missing, *event.restarted))
        return self._move(event, now)

    def _on_event(self, event: Event, now: Now) -> list[Output]:
        return self._move(event, now)

    def _on_document(self, document: Document, body: object, now: Now) -> list[Output]:
        restarted = self._sessions.restarted(document)
        noticed: list[Output] = []
        if restarted and step_of(document) not in steps_in_hand(self._phase):
            # The node that speaks now did not hear the step in hand.
            noticed = self._move(ListenersChanged(self._missing, (restarted,)), now)
        return [*noticed, *self._take(document, body, now)]

    def _take(self, document: Document, body: object, now: Now) -> list[Output]:
        ours = self._mission is not None and document.goal_id == self._mission.goal_id
        # A pose belongs to no goal.
        return self._move(document, now) if ours or isinstance(body, RobotPose) else (
            self._dispatch.drop())

    def _move(self, event: Event | Document, now: Now) -> list[Output]:
        """Make the transition; an event that belongs to nothing in hand is counted and dropped."""
        made = None
        if self._mission is not None and self._phase is not None:
            made = transition(self._mission, self._phase, event, self._context(now))
        if made is not None:
            self._mission, self._phase = made.mission, made.phase
            return list(made.documents)
        return [] if kind_of(event) in AT_ANY_TIME else self._dispatch.drop()

    # Outputs

    @property
    def _open(self) -> bool:
        return self._phase is not None and not isinstance(self._phase, Finished)

    def _context(self, now: Now) -> Context:
        return Context(now, self._config, self._missing, self._ids.mint)

    def _standing_effects(self) -> list[Effect]:
        """The effects that have changed: ticks are needed while a mission is open."""
        return self._standing.changed(
            Ticking(self._open), self._dispatch.report())

    def _keep(self, now: Now) -> list[Effect]:
        """The effect that stores the mission, if it has changed."""
        kept = kept_of(self._mission, self._phase, self._times, now)
        if kept is None and self._kept is None or (
                kept is not None and not kept.differs_from(self._kept)):
            return []
        self._kept = kept
        return [KeepMission(kept)]

    def _belief(self, now: Now) -> list[Output]:
        """The belief, if there is a mission and more than its clock has changed."""
        if self._mission is None or self._phase is None or (
                self._told_of[0] is self._mission and self._told_of[1] is self._phase):
            return []
        return self._belief_of(Transition(self._mission, self._phase), now)

    def _belief_of(self, state: Transition, now: Now) -> list[Output]:
        self._told_of = state.mission, state.phase
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
            belief.waits, belief.pause_requested, budgets.model_calls, budgets.refusals)
