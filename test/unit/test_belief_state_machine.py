"""The table of the mission's phases: what it says happens, and what happens stands in it."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from belief_page import markdown
from belief_walk import APPROACH, ASK, EXPLORE, STOP
from builders import (
    ORIGIN,
    accepted,
    candidate,
    candidates,
    document,
    ended,
    meta,
    observation,
    refusal,
)
from builders import track as track_of

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
from semantic_nav.belief.goal import TOUR, Goal
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.phases import (
    Deed,
    Driving,
    Finished,
    Looking,
    Paused,
    Phase,
    Stopping,
    shifted,
)
from semantic_nav.belief.state_machine import FIRST, TABLE, begin, kind_of, transition
from semantic_nav.belief.transition import Context, Transition
from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.contracts.core import Event, Tick
from semantic_nav.contracts.documents import Body, Document, Hypothesis, Look, RobotPose
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import (
    ActOutcome,
    Code,
    ModelAnswer,
    Outcome,
    Purpose,
    Source,
)

NEAR = track_of(0.9, 0.0)
REFUSED = (Code.NOT_GROUNDED, Code.NAV_UNAVAILABLE, Code.NOTHING_LEFT, Code.UNREACHABLE)
CONFIG = BeliefConfig(refusals_limit=6, model_calls_limit=9, questions_limit=2,
                      confirm_retries=1, time_limit_s=3000.0, second_looks_share=0.2)

#: Most search for something.
GOALS = [Goal('goal-s-1', 'find the red mug')] * 10 + [
    Goal('goal-s-1', 'go to n', Purpose.GO, 'n'), Goal('goal-s-1', TOUR, Purpose.TOUR)]


class Chance:
    """Missions to which one thing after another happens by chance, the same for a seed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.passed_s = 0.0
        self.missing: tuple[str, ...] = ()
        self.minted = 0

    def mint(self) -> str:
        self.minted += 1
        return f'belief-s-{self.minted}'

    def context(self, shift_ns: int = 0) -> Context:
        steady_ns = round(self.passed_s * NS_PER_S) + shift_ns
        return Context(Now(self.clock_ns, steady_ns, 0), CONFIG, self.missing, self.mint)

    @property
    def clock_ns(self) -> int:
        return round((5.0 + self.passed_s) * NS_PER_S)

    def begin(self) -> Transition:
        self.missing = self.draw.choice([(), (), ('verifier',)])
        return begin(self.draw.choice(GOALS), self.context())

    def _usual(self, phase: Phase) -> Body | None:
        """Return what leads on where it would hardly happen by chance."""
        match phase:
            case Looking(onward=Deed()):
                return Look(True, '', 640, 480, inform=True)
            case Driving(deed=Deed(action=Action.EXPLORE), glances=()):
                return ended(action='explore')
            case _:
                return None

    def event(self, phase: Phase) -> Event | Document:
        """Return what happens next: four of five answer the step in hand."""
        step = getattr(phase, 'step_id', 'belief-s-0')
        glances = phase.glances if isinstance(phase, Looking | Driving) else ()
        on_the_way = bool(glances) and self.draw.random() < 0.9
        if on_the_way:
            step = self.draw.choice((glances[0], glances[0], *glances)).step_id
        usual = self._usual(phase)
        if usual is not None and self.draw.random() < 0.5:
            return document(usual, cause=step, stamp_ns=self.clock_ns)
        if self.draw.random() < (0.8 if isinstance(phase, Looking | Driving) else 0.2):
            answers: list[Body] = [
                Look(True, '', 640, 480),
                Hypothesis(step, Source.MODEL, self.draw.choice([APPROACH, EXPLORE, STOP, ASK]),
                           meta(vlm_latency_ms=self.draw.choice([500.0, 5000.0, 5000.0]))),
                Hypothesis(step, Source.FALLBACK, EXPLORE, meta(
                    ModelAnswer.SILENT, vlm_error='timeout')),
                *(observation(step, track=track, bearing=0.0, source=source)
                  for track in (None, NEAR) for source in Source)] if (
                on_the_way or isinstance(phase, Looking)) else [
                accepted(), ended(), ended(ActOutcome.ABORTED), ended(ActOutcome.UNAVAILABLE),
                *map(refusal, REFUSED)]
            return document(self.draw.choice(answers), cause=step, stamp_ns=self.clock_ns)
        self.passed_s += self.draw.choice([0.25, 2.5, 6.0, 80.0, 200.0]) if (
            self.draw.random() < 0.95) else CONFIG.time_limit_s
        others: list[Event | Document] = [
            Tick(), Tick(), Tick(), AnswerReceived('the big one'), AnswerReceived('\x00'),
            document(candidates()), document(candidates(candidate('n', score=0.9))),
            document(RobotPose(Pose2D(self.draw.random(), 0.0, 0.0), True, 0.0)),
            document(Look(False, 'no camera'), cause=step)]
        if self.draw.random() < 0.3:
            others += [CancelRequested(), PauseRequested(),
                       GoalReceived(Goal('goal-s-2', 'find a chair'))]
        if self.draw.random() < 0.05:
            return SwitchedOff()
        if self.draw.random() < 0.2:
            others.append(document(RobotPose(ORIGIN, True, 0.0, held='by somebody')))
        if isinstance(phase, Paused):
            others += [ResumeRequested()] * 4 + [PauseRequested()]
        if isinstance(phase, Paused | Stopping):
            others += [document(RobotPose(ORIGIN, True, 0.0, stands=True), cause=cause,
                                stamp_ns=self.clock_ns) for cause in ('', phase.step.id)]
        if self.draw.random() < 0.2:
            self.missing = self.draw.choice([(), (), ('verifier',)])
            return ListenersChanged(self.missing)
        return self.draw.choice(others)


def happenings(seed: int, missions: int) -> Iterator[tuple[Transition, Any, Transition]]:
    """Yield a state, what happened in it and what became of it, again and again."""
    chance = Chance(seed)
    for _ in range(missions):
        state = chance.begin()
        while not isinstance(state.phase, Finished):
            event = chance.event(state.phase)
            made = transition(state.mission, state.phase, event, chance.context())
            if made is not None:
                yield state, event, made
                state = made


def test_every_row_of_the_table_happens() -> None:
    """What never happens is no row; that nothing else happens, the function itself holds."""
    rows = {(phase, kind, follows) for (phase, kind), row in TABLE.items()
            for follows in row.follow}
    seen = {(type(state.phase), kind_of(event), type(made.phase))
            for state, event, made in happenings(seed=1, missions=5500)}
    assert seen == rows


def test_transition_that_the_table_does_not_allow_is_an_error(
        monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Chance(1)
    state = chance.begin()
    key = (type(state.phase), CancelRequested)
    monkeypatch.setitem(TABLE, key, replace(TABLE[key], follow=frozenset({Looking})))
    with pytest.raises(AssertionError, match='Waiting -> Stopping on CancelRequested'):
        transition(state.mission, state.phase, CancelRequested(), chance.context())


def test_missions_begin_where_the_table_says() -> None:
    chance = Chance(2)
    begun = {type(begin(GOALS[0], replace(
        chance.context(), config=replace(CONFIG, memory_wait_s=wait_s), missing=missing)).phase)
        for wait_s in (0.0, 1.0) for missing in ((), ('verifier',))}
    assert begun == FIRST


def test_nothing_happens_to_what_is_over() -> None:
    finished = Finished(Outcome.ARRIVED, 0)
    chance = Chance(4)
    for _ in range(200):
        event = chance.event(finished)
        assert transition(Mission('goal-s-1', 'a mug', 0), finished, event,
                          chance.context()) is None


def test_mission_that_was_shifted_goes_on_as_if_no_time_had_passed() -> None:
    """What a pause needs: a phase and its record hold no time that `shifted` forgets."""
    shift_ns = 3600 * NS_PER_S
    chance = Chance(5)
    for _ in range(200):
        state = chance.begin()
        while not isinstance(state.phase, Finished):
            event = chance.event(state.phase)
            minted = chance.minted
            made = transition(state.mission, state.phase, event, chance.context())
            chance.minted = minted
            later = transition(state.mission.shifted(shift_ns), shifted(state.phase, shift_ns),
                               event, chance.context(shift_ns))
            assert (made is None) == (later is None)
            if made is None or later is None:
                continue
            assert later.documents == made.documents
            assert later.mission == made.mission.shifted(shift_ns)
            if isinstance(made.phase, Finished):
                assert later.phase == replace(made.phase, at_ns=made.phase.at_ns + shift_ns)
            else:
                assert later.phase == shifted(made.phase, shift_ns)
            state = made


def test_page_for_people_is_what_the_tables_say() -> None:
    page = Path(__file__).parents[2] / 'docs' / 'belief.md'
    assert page.read_text(encoding='utf-8') == markdown(), (
        'write it anew: python test/support/belief_page.py > docs/belief.md')
