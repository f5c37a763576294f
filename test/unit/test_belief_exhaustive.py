"""Every state of a mission with every event: each is handled, and each state comes to an end.

States are told apart by what decides (the phase, the evidence, what is nearly used up), not by
ids, places and moments, nor by what was counted: the budgets have tests of their own, and here
time alone is used up.
"""

import gc
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count

import pytest
from builders import (
    GOAL_ID,
    ORIGIN,
    Clock,
    accepted,
    approach,
    candidate,
    candidates,
    canonical,
    document,
    ended,
    meta,
    observation,
    refusal,
    track,
)
from nightly import some

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.events import (
    AnswerReceived,
    CancelRequested,
    GoalReceived,
    ListenersChanged,
    PauseRequested,
    ResumeRequested,
    SwitchedOff,
)
from semantic_nav.belief.goal import Goal
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import (
    Deed,
    Driving,
    Finished,
    Glance,
    Looking,
    Paused,
    Phase,
    Stopping,
    Waiting,
)
from semantic_nav.belief.state_machine import begin, steps_in_hand, transition
from semantic_nav.belief.transition import Context, Transition
from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.contracts.core import Event, Tick
from semantic_nav.contracts.documents import (
    Body,
    Candidates,
    Document,
    Hypothesis,
    Look,
    Observation,
    RobotPose,
    Step,
    Track,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import (
    ActOutcome,
    Code,
    ModelAnswer,
    Outcome,
    Source,
    Status,
    StepKind,
)

_NEVER = 10000
#: So many cases are shown that break something.
_SHOWN = 3
#: So many states are walked on from, of some tens of thousands.
_STATES = some(1500, sys.maxsize)
#: Some 120 000 states: minutes of a core.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(2400)]

CONFIG = BeliefConfig(
    refusals_limit=_NEVER, doubts_limit=_NEVER, waits_limit=_NEVER, blocked_tries=2,
    questions_limit=1, unusable_looks_limit=_NEVER, confirm_retries=1, model_calls_limit=_NEVER,
    distance_limit_m=_NEVER)
NEAR, FAR = track(0.9, 0.0), track(4.0, 0.0)
_ids = count()


@dataclass(frozen=True)
class State:
    """A mission, the phase that it is in, who is missing, and the time."""

    mission: Mission
    phase: Phase
    missing: tuple[str, ...]
    now: Now


def context_of(state: State) -> Context:
    """Return what a transition is made in."""
    return Context(state.now, CONFIG, state.missing, lambda: f'belief-s-{next(_ids)}')


def later(now: Now, steady_ns: int) -> Now:
    """Return the time at a moment of the steady clock that is not past."""
    ahead_ns = max(0, steady_ns - now.steady_ns)
    return Now(now.clock_ns + ahead_ns, now.steady_ns + ahead_ns, now.calendar_ns + ahead_ns)


# What can happen

def moments(state: State) -> Iterator[Now]:
    """Yield the times of a tick that differ: now, when something is due, when time is up."""
    yield later(state.now, state.now.steady_ns + NS_PER_S // 4)
    for name in ('until_ns', 'again_ns'):
        due_ns = getattr(state.phase, name, None)
        if due_ns is not None:
            yield later(state.now, due_ns + 1)
    if isinstance(state.phase, Waiting) and state.phase.deed is not None:
        yield later(state.now, state.now.steady_ns + round(CONFIG.stale_after_s * NS_PER_S))
    yield later(state.now, state.mission.started_ns + round(CONFIG.time_limit_s * NS_PER_S) + 1)


#: Comes in any phase.
ANYONE = (
    GoalReceived(Goal('goal-s-2', 'find a chair')), CancelRequested(), SwitchedOff(),
    PauseRequested(), ResumeRequested(), AnswerReceived('the big one'), AnswerReceived('\x00'),
    ListenersChanged(('verifier',)), ListenersChanged(()), ListenersChanged((), ('verifier',)),
    RobotPose(ORIGIN, True, 0.0), RobotPose(ORIGIN, True, 0.0, stands=True),
    RobotPose(Pose2D(1e300, -1e300, 0.0), True, 0.0),
    candidates(candidate('a', score=0.9)), candidates(looked_at=('a',)), candidates())
#: Answers to a look, the observations but for the bearing at which a last look sees the target.
PROPOSALS = (
    *(Hypothesis('', Source.MODEL, one, meta()) for one in (
        canonical('explore'), approach(), canonical('stop', seen='visible'), canonical(
            'ask_clarification', seen='ambiguous', clarification_question='Which?'))),
    Hypothesis('', Source.MODEL, canonical('explore'), meta(vlm_latency_ms=5000.0)),
    *(Hypothesis('', Source.FALLBACK, canonical('explore'), meta(answer, vlm_error='no'))
      for answer in (ModelAnswer.SILENT, ModelAnswer.REFUSED, ModelAnswer.NOT_ASKED)))
SEEN = (*(observation('', track=one, bearing=0.0) for one in (
    NEAR, FAR, replace(FAR, hits=1, views=1, sure=False, id='track-2'))),
    *(observation('', source=source) for source in Source),
    observation('', p_here=1.0))
#: Answers to an act.
VERDICTS = (
    *(refusal(code, action=action) for code in Code if code is not Code.OK
      for action in ('approach', 'explore')),
    accepted(), refusal(Code.SKIPPED, action='goto_node'),
    *(ended(outcome, action) for outcome in ActOutcome for action in ('approach', 'explore')),
    ended(action='explore', camera='left'))


def answers(phase: Phase) -> tuple[Body, ...]:
    """Return what may be said of the step in hand, and some of what may not."""
    looks = (Look(True), Look(False, 'no camera'), *PROPOSALS, *SEEN)
    if isinstance(phase, Looking):
        return (*looks, *VERDICTS[:1])
    if isinstance(phase, Driving):
        on_the_way = (*PROPOSALS, *SEEN) if phase.glances else (PROPOSALS[0], SEEN[0])
        return (*VERDICTS, Look(True), *on_the_way)
    return Look(True), PROPOSALS[0], SEEN[0], VERDICTS[0]


def of_steps(body: Body, state: State) -> Iterator[Document]:
    """Yield what a peer says of the step in hand, and of the oldest look beside it."""
    step, *glances = steps_in_hand(state.phase) or ('',)
    if isinstance(state.phase, Stopping | Paused):
        step = state.phase.step.id
    steps = (step,)
    if glances and isinstance(body, Hypothesis | Observation):
        steps = (glances[0],) if isinstance(state.phase, Driving) else (step, glances[0])
    for one in steps:
        if isinstance(body, Hypothesis | Observation):
            body = replace(body, step_id=one)
        # A word that the robot stands tells of now; what is in a picture may be old.
        said = {'stamp_ns': state.now.clock_ns} if isinstance(body, RobotPose) else {}
        yield document(body, id_=f'peer-s-{next(_ids)}', cause=one, **said)


def steps_from(state: State) -> Iterator[tuple[Event | Document, Now]]:
    """Yield everything that may happen in a state."""
    for now in moments(state):
        yield Tick(), now
    for what in (*ANYONE, *answers(state.phase)):
        for one in (what,) if isinstance(what, Event) else of_steps(what, state):
            yield one, state.now


# Which states are the same

def essence(state: State) -> object:
    """Return what decides of a state."""
    mission, pursuit = state.mission, state.mission.pursuit
    phase = _essence_of_phase(state.phase)
    if isinstance(state.phase, Stopping | Paused | Finished):
        # What is known of the target decides nothing here.
        return phase, mission.status, state.missing
    refused = mission.last_refusal
    return (
        phase, mission.status, state.missing, _essence_of_track(mission.track),
        pursuit.reached, pursuit.no_way_ns is not None, pursuit.asked_last,
        mission.second_looks, _essence_of_likely(state), mission.answer_s >= CONFIG.slow_answer_s,
        mission.doubted is not None, mission.silent_since_ns is not None,
        mission.candidates is not None and bool(mission.candidates.candidates),
        _essence_of_deed(getattr(state.phase, 'deed', None), mission),
        refused is not None and refused.code in (Code.NOTHING_LEFT, Code.BLOCKED))


def _essence_of_likely(state: State) -> object:
    """Return whether the target may be here still; a look that is under way tells it anew."""
    deed = getattr(state.phase, 'deed', None)
    return deed is not None and state.mission.may_be_here(CONFIG)


def _essence_of_phase(phase: Phase) -> object:
    match phase:
        case Looking():
            return (Looking, phase.confirming, phase.onward is not None, phase.passed,
                    phase.next_camera, len(phase.glances),
                    *_essence_of_answer(phase))
        case Driving(glances=(oldest, *others)):
            return (Driving, len(others), *_essence_of_answer(oldest))
        case Paused():
            return Paused, phase.again_ns is None, phase.confirming, phase.asking is not None
        case Stopping():
            return Stopping, phase.outcome
        case Finished():
            return Finished, phase.outcome, phase.stands
        case _:
            return (type(phase), getattr(phase, 'confirming', None),
                    getattr(phase, 'for_memory', None))


def _essence_of_answer(look: Looking | Glance) -> tuple[object, object]:
    answer, seen = look.hypothesis and look.hypothesis.body, look.observation
    return (seen and (seen.source, _essence_of_track(seen.track)),
            isinstance(answer, Hypothesis) and (answer.source, answer.hypothesis.action))


def _essence_of_deed(deed: Deed | None, mission: Mission) -> object:
    return deed and (deed.action, deed.pose is not None and deed.pose == mission.last_pose)


def _essence_of_track(held: Track | None) -> object:
    return held and (held.id, held.sure, held.position[0] < CONFIG.stand_off_m)


# Steps

@dataclass(frozen=True)
class Passage:
    """What came of an event in a state."""

    before: State
    event: Event | Document
    made: Transition | None
    after: State


def passages(state: State) -> Iterator[Passage]:
    """Yield what becomes of a state by everything that may happen."""
    for event, now in steps_from(state):
        missing = event.missing if isinstance(event, ListenersChanged) else state.missing
        heard = replace(state, missing=missing, now=now)
        made = transition(state.mission, state.phase, event, context_of(heard))
        yield Passage(state, event, made, heard if made is None else replace(
            heard, mission=made.mission, phase=made.phase))


def kinds(one: Passage) -> set[StepKind]:
    """Return the kinds of the steps that followed."""
    bodies = [document.body for document in (one.made.documents if one.made else ())]
    return {body.kind for body in bodies if isinstance(body, Step)}


def ends(one: Passage, outcome: Outcome) -> bool:
    """Tell whether a step ended a mission so."""
    return isinstance(one.after.phase, Finished) and one.after.phase.outcome is outcome and (
        not isinstance(one.before.phase, Finished))


# What must hold of each step: None where there is nothing to hold

def retrieval_takes_nothing_back(one: Passage) -> bool | None:
    body = one.event.body if isinstance(one.event, Document) else None
    if not isinstance(body, Candidates):
        return None
    before, after = one.before.mission.status, one.after.mission.status
    if before is Status.LIKELY_IN_MEMORY and body.looked_at:
        return None  # that is evidence
    return after is before or (before, after) == (Status.SEARCHING, Status.LIKELY_IN_MEMORY)


def what_is_over_or_rests_starts_nothing(one: Passage) -> bool | None:
    if isinstance(one.before.phase, Finished):
        return one.made is None
    if isinstance(one.after.phase, Paused | Stopping | Finished):
        return kinds(one) <= {StepKind.STOP}
    return None


def acts_follow_on_looks_and_acts_alone(one: Passage) -> bool | None:
    """Or on a wait after an act, where it is asked for again as it was."""
    if StepKind.ACT not in kinds(one):
        return None
    before, after = one.before.phase, one.after.phase
    if not isinstance(after, Driving):
        return False
    if not isinstance(before, Waiting):
        return isinstance(before, Looking | Driving)
    age_ns = one.after.now.clock_ns - after.deed.picture_ns
    return after.deed == before.deed and age_ns < CONFIG.stale_after_s * NS_PER_S and (
        after.deed.pose == one.before.mission.last_pose is not None)


def cancelled_says_whether_the_robot_stands(one: Passage) -> bool | None:
    if not ends(one, Outcome.CANCELLED):
        return None
    said = isinstance(one.event, Document) and isinstance(one.event.body, RobotPose) and (
        one.event.body.stands)
    return one.after.phase.stands is said


def arrived_is_seen_by_the_model_in_a_last_look(one: Passage) -> bool | None:
    if not ends(one, Outcome.ARRIVED):
        return None
    phase = one.before.phase
    if not (isinstance(phase, Looking) and phase.confirming):
        return False
    answer = phase.hypothesis or one.event
    return answer.body.source is Source.MODEL and one.after.mission.status is Status.DONE


def not_here_was_looked_at(one: Passage) -> bool | None:
    if not ends(one, Outcome.NOT_HERE):
        return None
    mission = one.before.mission
    code = one.event.body.decision.code
    return (code in (Code.NOTHING_LEFT, Code.BLOCKED) and mission.track is None
            and not mission.model_error and mission.p_here <= CONFIG.not_here_below
            and all(rejected.disproved or (rejected.visited_again and rejected.missed)
                    for rejected in mission.rejected))


OF_PASSAGES = (
    retrieval_takes_nothing_back, what_is_over_or_rests_starts_nothing,
    acts_follow_on_looks_and_acts_alone, cancelled_says_whether_the_robot_stands,
    arrived_is_seen_by_the_model_in_a_last_look, not_here_was_looked_at)


# What must hold of each state

def it_ends_when_its_time_is_up(state: State) -> bool:
    if isinstance(state.phase, Paused):
        resumed = transition(state.mission, state.phase, ResumeRequested(), context_of(state))
        state = replace(state, mission=resumed.mission, phase=resumed.phase)
        if isinstance(state.phase, Paused):
            return False
    for _ in range(2):
        if isinstance(state.phase, Finished):
            break
        *_, last = moments(state)
        due_ns = state.phase.until_ns if isinstance(state.phase, Stopping) else 0
        state = replace(state, now=later(last, due_ns))
        made = transition(state.mission, state.phase, Tick(), context_of(state))
        state = replace(state, mission=made.mission, phase=made.phase)
    return isinstance(state.phase, Finished)


def answers_of_another_step_are_dropped(state: State) -> bool:
    for body in (Look(True), PROPOSALS[1], SEEN[0], *VERDICTS[-6:]):
        if isinstance(body, Hypothesis | Observation):
            body = replace(body, step_id='belief-s-another')
        other = document(body, cause='belief-s-another')
        if transition(state.mission, state.phase, other, context_of(state)) is not None:
            return False
    return True


OF_STATES = (it_ends_when_its_time_is_up, answers_of_another_step_are_dropped)


# The walk

@dataclass
class Judged:
    """How often something was to hold, and the first cases in which it did not."""

    cases: int = 0
    broken: list[Passage | State] = field(default_factory=list)

    def take(self, case: Passage | State, holds: bool | None) -> None:
        """Note a case."""
        self.cases += holds is not None
        if holds is False and len(self.broken) < _SHOWN:
            self.broken.append(case)


@pytest.fixture(scope='module')
def walk() -> dict[str, Judged]:
    """What held in every step from every state that can be reached.

    Millions of steps: each is judged when it is made, and none is kept. For each change some
    states are walked on from, drawn from all that are known.
    """
    source = random.Random(1)
    now = Clock().now
    begun = begin(Goal(GOAL_ID, 'find the red mug'),
                  Context(now, CONFIG, (), lambda: 'belief-s-0'))
    waiting = [State(begun.mission, begun.phase, (), now)]
    left = _STATES
    known = {essence(waiting[0])}
    judged = {check.__name__: Judged() for check in (*OF_PASSAGES, *OF_STATES)}
    gc.disable()
    try:
        while waiting and left:
            left -= 1
            place = source.randrange(len(waiting))
            waiting[place], waiting[-1] = waiting[-1], waiting[place]
            state = waiting.pop()
            for check in OF_STATES:
                judged[check.__name__].take(state, check(state))
            for one in passages(state):
                for check in OF_PASSAGES:
                    judged[check.__name__].take(one, check(one))
                key = essence(one.after)
                if key not in known:
                    known.add(key)
                    waiting.append(one.after)
    finally:
        gc.enable()
    assert len(known) > some(1000, 5000), 'the walk ended early'
    return judged


@pytest.mark.parametrize('name', [check.__name__ for check in (*OF_PASSAGES, *OF_STATES)])
def test_of_everything_that_may_happen(walk: dict[str, Judged], name: str) -> None:
    assert walk[name].cases > 0
    assert walk[name].broken == []
