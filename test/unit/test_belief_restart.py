"""A belief that was killed and started anew takes its mission up, or ends it."""

import json
from collections.abc import Callable

import pytest
from belief_walk import APPROACH, ASK, EXPLORE, STOP, Walk, walk
from builders import GOAL_ID, accepted, candidate, track

from semantic_nav.belief.events import (
    RECORD_KINDS,
    KeepMission,
    MissionFound,
    PauseRequested,
    ResumeRequested,
    SwitchedOff,
)
from semantic_nav.belief.transition import RETRY_WAIT_S
from semantic_nav.contracts.blobs import NoBlobs
from semantic_nav.contracts.codec import RecordCodec
from semantic_nav.contracts.vocabulary import Outcome, Phase, StepKind

FAR, NEAR = track(4.0, 0.0), track(1.0, 0.0)


def driving(mission: Walk) -> None:
    mission.saw(APPROACH, track=FAR)
    mission.verdict(accepted())


@pytest.mark.parametrize('until', [lambda mission: None, driving])
def test_robot_is_stopped_and_the_mission_goes_on_with_a_look(
        until: Callable[[Walk], None]) -> None:
    mission = walk()
    until(mission)
    before, status = mission.step.id, mission.belief.status
    mission.dies(2.0)
    assert [step.kind for step in mission.new_steps] == [StepKind.STOP]
    assert mission.goal_id == GOAL_ID and mission.belief.status is status
    assert mission.belief.phase is Phase.LOOKING and mission.belief.outcome is None
    mission.tick(RETRY_WAIT_S)
    assert not mission.look.confirm and mission.step.id != before


def test_counters_and_time_go_on() -> None:
    mission = walk()
    mission.saw(APPROACH, track=FAR)
    mission.drives_to(1.0, 0.0)
    mission.drives_to(2.0, 0.0)
    before = mission.belief.budgets
    mission.dies(4.0)
    budgets = mission.belief.budgets
    assert budgets.model_calls == before.model_calls > 0
    assert budgets.time_s == pytest.approx(before.time_s + 4.0)


def test_last_look_stays_the_last() -> None:
    mission = walk()
    mission.saw(STOP, track=NEAR)
    assert mission.look.confirm
    mission.dies()
    mission.tick(RETRY_WAIT_S)
    assert mission.look.confirm


def test_question_is_asked_on() -> None:
    mission = walk()
    mission.saw(ASK)
    question = mission.belief.question
    mission.dies()
    assert (mission.belief.phase, mission.belief.question) == (Phase.ASKING, question)
    mission.answer('the one in the kitchen')
    assert mission.look is not None


def test_last_look_stays_the_last_in_a_pause() -> None:
    mission = walk()
    mission.saw(STOP, track=NEAR)
    mission.pause()
    mission.dies()
    mission.resume()
    assert mission.look.confirm


@pytest.mark.parametrize('asked', [False, True])
def test_pause_lasts(asked: bool) -> None:
    mission = walk()
    if asked:
        mission.saw(ASK)
    mission.hear(PauseRequested())
    before = mission.belief.budgets.time_s
    mission.tick(5.0)
    mission.dies(4.0)
    assert mission.stopped and mission.belief.phase is Phase.PAUSED
    mission.tick(60.0)
    assert mission.new_steps == []
    mission.hear(ResumeRequested())
    assert mission.belief.budgets.time_s == pytest.approx(before)
    if asked:
        assert mission.belief.phase is Phase.ASKING and mission.belief.question
        mission.tick(mission.config.answer_wait_s - 1.0)
        assert mission.belief.phase is Phase.ASKING
        mission.tick(2.0)
        assert mission.belief.phase is not Phase.ASKING
    else:
        assert not mission.look.confirm


def test_mission_that_was_being_cancelled_is_cancelled() -> None:
    mission = walk()
    driving(mission)
    mission.stands = False
    mission.cancel()
    mission.dies()
    assert mission.stopped and mission.belief.phase is Phase.STOPPING
    mission.comes_to_rest()
    assert (mission.belief.outcome, mission.belief.stands) == (Outcome.CANCELLED, True)


@pytest.mark.parametrize('paused', [False, True])
@pytest.mark.parametrize('started_s', [1.0, 500.0, 5e6])
def test_time_until_the_computer_was_started_anew_is_told(started_s: float,
                                                         paused: bool) -> None:
    """Its steady clock began anew: what was kept tells nothing about when that was."""
    mission = walk()
    mission.clock.advance(20.0)
    mission.saw(EXPLORE)
    if paused:
        mission.pause()
        mission.tick(60.0)
        mission.remembers(candidate('a', score=0.9))
    mission.clock.restart(started_s)
    mission.dies(None)
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert mission.belief.budgets.time_s == pytest.approx(20.0)


@pytest.mark.parametrize('away_s', [31.0, None])
def test_mission_that_was_left_alone_for_too_long_ends(away_s: float | None) -> None:
    mission = walk(take_up_s=30.0)
    driving(mission)
    mission.dies(away_s)
    assert [step.kind for step in mission.new_steps] == [StepKind.STOP]
    assert mission.belief.outcome is Outcome.GAVE_UP and mission.goal_id == GOAL_ID
    assert mission.belief.reason.startswith('the belief node was away')
    assert mission.belief.budgets.time_s >= 0
    assert mission.kept is None


def test_belief_that_dies_of_its_mission_gives_it_up() -> None:
    mission = walk()
    for _ in range(3):
        mission.dies()
        assert mission.belief.outcome is None
    mission.dies()
    assert mission.belief.outcome is Outcome.GAVE_UP


@pytest.mark.parametrize('end', ['cancelled', 'switched off', 'arrived'])
def test_nothing_is_left_of_a_mission_that_is_over(end: str) -> None:
    mission = walk()
    assert mission.kept is not None
    if end == 'cancelled':
        mission.cancel()
    elif end == 'switched off':
        mission.hear(SwitchedOff())
    else:
        mission.saw(STOP, track=NEAR)
        mission.saw(STOP, track=NEAR, bearing=0.0)
        assert mission.belief.outcome is Outcome.ARRIVED
    assert mission.kept is None


def test_goal_in_hand_comes_before_what_is_found() -> None:
    mission = walk()
    kept = mission.kept
    assert kept is not None
    other = walk()
    steps = len(other.steps)
    other.hear(MissionFound(kept, 1.0))
    assert other.dropped == 1 and len(other.steps) == steps


def test_what_is_kept_comes_back_from_its_json() -> None:
    mission = walk()
    mission.remembers()
    mission.saw(EXPLORE)
    driving(mission)
    effect = KeepMission(mission.kept)
    codec = RecordCodec(RECORD_KINDS, NoBlobs())
    assert codec.decode(json.loads(json.dumps(codec.encode(effect)))) == effect


def test_way_of_the_robot_alone_writes_nothing() -> None:
    mission = walk()
    driving(mission)
    kept = mission.kept
    mission.drives_to(1.0, 0.0)
    mission.drives_to(2.0, 0.0)
    assert mission.kept is kept
