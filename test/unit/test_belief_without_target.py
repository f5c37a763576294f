"""Missions that search for nothing: the way to a remembered place, and a tour."""

import pytest
from belief_walk import APPROACH, ASK, EXPLORE, Walk
from builders import accepted, candidate, canonical, ended, refusal
from builders import track as track_of

from semantic_nav.contracts.documents import Step
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import CanonicalHypothesis
from semantic_nav.contracts.vocabulary import (
    ActOutcome,
    Code,
    ModelAnswer,
    Outcome,
    Phase,
    Purpose,
    Source,
    Status,
    StepKind,
)

THERE = candidate('place-1', Pose2D(3.0, 0.0, 0.0), 1.0)


def going(place: str = 'hall', **config: float) -> Walk:
    mission = Walk(**config)
    mission.go(place)
    return mission


def touring(**config: float) -> Walk:
    mission = Walk(**config)
    mission.tour()
    return mission


def fallback(mission: Walk, proposal: CanonicalHypothesis) -> None:
    assert mission.look.fallback_only, 'no model is asked for the way'
    mission.saw(proposal, source=Source.FALLBACK, answer=ModelAnswer.NOT_ASKED)


def sets_out(mission: Walk) -> None:
    fallback(mission, canonical('goto_node', node_id='place-1'))
    assert mission.act.hypothesis_id


def test_the_robot_goes_to_a_place_and_the_mission_is_over_there() -> None:
    mission = going(' hall ')
    belief = mission.belief
    assert (belief.goal_text, belief.purpose, belief.place) == ('go to hall', Purpose.GO, 'hall')
    mission.remembers(THERE)
    assert mission.belief.status is Status.LIKELY_IN_MEMORY
    sets_out(mission)
    mission.verdict(accepted('goto_node'))
    mission.verdict(ended(action='goto_node'))
    assert (mission.belief.outcome, mission.belief.reason) == (Outcome.ARRIVED, 'at hall')
    assert mission.belief.p_here is None
    assert mission.belief.budgets.model_calls == 0


def test_a_place_that_nobody_remembers_is_said_to_be_none() -> None:
    mission = going('attic')
    mission.remembers()
    fallback(mission, EXPLORE)
    assert (mission.belief.outcome, mission.belief.reason) == (
        Outcome.GAVE_UP, "no place 'attic' is remembered")


def test_the_answer_of_the_memory_is_waited_for() -> None:
    mission = going(memory_wait_s=1.0, waits_limit=3)
    mission.tick(1.5)
    for _ in range(3):
        fallback(mission, EXPLORE)
        assert mission.belief.outcome is None
        mission.tick(30.0)
    mission.comes_to_rest()
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert 'the memory has not answered yet' in mission.belief.reason


def test_a_look_that_did_not_hear_of_the_place_yet_is_repeated() -> None:
    mission = going()
    mission.remembers(THERE)
    fallback(mission, EXPLORE)
    mission.tick(5.0)
    sets_out(mission)


@pytest.mark.parametrize('how', ['refused', 'failed'])
def test_a_way_that_is_closed_is_tried_three_times(how: str) -> None:
    mission = going()
    mission.remembers(THERE)
    for _ in range(3):
        assert mission.belief.outcome is None
        sets_out(mission)
        if how == 'refused':
            mission.verdict(refusal(Code.UNREACHABLE, 'no way leads there', 'goto_node'))
        else:
            mission.verdict(accepted('goto_node'))
            mission.verdict(ended(ActOutcome.ABORTED, 'goto_node'))
        asked = len(mission.steps)
        mission.tick(mission.config.blocked_wait_s - 0.1)
        assert len(mission.steps) == asked, 'what closes the way may move on first'
        mission.tick(0.3)
    assert mission.belief.outcome is Outcome.GAVE_UP and mission.belief.stands
    assert mission.belief.reason.startswith('hall was tried 3 times: ')


def test_a_part_that_is_missing_is_no_try() -> None:
    mission = going()
    mission.remembers(THERE)
    for _ in range(5):
        sets_out(mission)
        mission.verdict(refusal(Code.NAV_UNAVAILABLE, 'no planner', 'goto_node'))
        mission.tick(60.0)
    assert mission.belief.outcome is None


def test_a_robot_that_arrived_while_nobody_listened_is_there() -> None:
    mission = going()
    mission.remembers(THERE)
    sets_out(mission)
    mission.dies()
    mission.comes_to_rest()
    mission.drives_to(3.1, 0.2)
    mission.tick(5.0)
    assert mission.belief.purpose is Purpose.GO, 'it is taken up as what it was'
    sets_out(mission)
    mission.verdict(refusal(Code.SKIPPED, 'place-1 was visited for this goal', 'goto_node'))
    assert mission.belief.outcome is Outcome.ARRIVED


@pytest.mark.parametrize(('place', 'why'), [
    ('  ', 'the text is empty'), ('x' * 161, '161 characters'),
    ('the\nhall', 'control character')])
def test_what_is_no_name_of_a_place_is_refused(place: str, why: str) -> None:
    mission = going(place)
    assert mission.belief.outcome is Outcome.REFUSED
    assert why in mission.belief.reason


def test_another_goal_takes_its_place() -> None:
    mission = going()
    mission.remembers(THERE)
    sets_out(mission)
    mission.tour()
    assert StepKind.STOP in [one.kind for one in mission.new_steps]
    assert mission.belief.purpose is Purpose.TOUR


def test_a_tour_looks_on_until_nothing_is_left() -> None:
    mission = touring()
    mission.tick(5.0)
    for _ in range(3):
        assert not mission.look.fallback_only, 'the memory is to know what the model sees'
        mission.saw(EXPLORE)
        mission.verdict(accepted('explore'))
        mission.verdict(ended(action='explore'))
    mission.saw(EXPLORE)
    mission.verdict(refusal(Code.NOTHING_LEFT, '98% of the floor was looked at', 'explore'))
    belief = mission.belief
    assert (belief.outcome, belief.p_here) == (Outcome.TOURED, None)
    assert belief.reason == 'looked everywhere: 98% of the floor was looked at'


def test_a_tour_takes_nothing_for_its_target() -> None:
    mission = touring()
    mission.tick(5.0)
    for proposal in (APPROACH, ASK):
        mission.saw(proposal, track=track_of(0.9, 0.0), bearing=0.0)
        assert mission.belief.status is Status.SEARCHING
        assert mission.belief.phase is Phase.LOOKING, 'it looks again'
    mission.saw(EXPLORE, track=track_of(0.9, 0.0), bearing=0.0,
                source=Source.FALLBACK, answer=ModelAnswer.NOT_ASKED)
    assert mission.act.track_id is None
    assert mission.belief.budgets.refusals == 0


def test_what_failed_a_moment_ago_is_no_try_of_its_own() -> None:
    mission = going()
    mission.remembers(THERE)
    for _ in range(5):
        sets_out(mission)
        mission.verdict(refusal(Code.REPEATED_FAILURE, 'it failed 10 s ago', 'goto_node'))
        mission.tick(mission.config.blocked_wait_s + 0.1)
    assert mission.belief.outcome is None and mission.belief.budgets.refusals == 0


@pytest.mark.parametrize('now', ['forgotten', 'another place'])
def test_a_name_that_means_something_else_by_now_is_no_arrival(now: str) -> None:
    mission = going()
    mission.remembers(THERE)
    sets_out(mission)
    mission.verdict(accepted('goto_node'))
    mission.remembers(*([] if now == 'forgotten' else [candidate('place-2')]))
    mission.verdict(ended(action='goto_node'))
    assert mission.belief.outcome is None
    if now == 'forgotten':
        fallback(mission, EXPLORE)
        assert mission.belief.outcome is Outcome.GAVE_UP
    else:
        fallback(mission, canonical('goto_node', node_id='place-2'))
        assert mission.act


def test_a_place_that_the_memory_does_not_offer_is_not_gone_to() -> None:
    mission = going()
    mission.remembers(THERE)
    fallback(mission, canonical('goto_node', node_id='place-7'))
    assert mission.belief.phase is Phase.LOOKING
    mission.tick(5.0)
    sets_out(mission)


def test_the_result_of_another_act_is_no_arrival() -> None:
    mission = going()
    mission.remembers(THERE)
    sets_out(mission)
    mission.verdict(ended(action='explore'))
    assert mission.belief.outcome is None


@pytest.mark.parametrize(('x_m', 'code'), [
    pytest.param(9.0, Code.SKIPPED, id='elsewhere, though the place was visited'),
    pytest.param(3.0, Code.KEEPOUT, id='near, and refused')])
def test_a_robot_that_is_not_let_there_has_not_arrived(x_m: float, code: Code) -> None:
    mission = going()
    mission.remembers(THERE)
    mission.drives_to(x_m, 0.0)
    sets_out(mission)
    mission.verdict(refusal(code, 'place-1', 'goto_node'))
    assert mission.belief.outcome is None


def test_a_tour_is_taken_up_however_short_goals_must_be() -> None:
    mission = touring(max_goal_chars=20)
    assert mission.belief.outcome is None and mission.belief.purpose is Purpose.TOUR


def test_a_tour_turns_where_the_model_says_so_and_goes_to_no_place() -> None:
    mission = touring()
    mission.tick(5.0)
    mission.saw(canonical('rotate', rotate_rad=1.0))
    assert mission.act.only_gaps
    mission.verdict(ended(action='rotate'))
    mission.saw(canonical('goto_node', node_id='place-1'))
    assert mission.belief.phase is Phase.LOOKING


def test_a_tour_of_which_little_was_looked_at_has_not_ended() -> None:
    mission = touring()
    mission.tick(5.0)
    mission.saw(EXPLORE, coverage=0.3)
    mission.verdict(refusal(Code.NOTHING_LEFT, 'nothing', 'explore'))
    assert mission.belief.outcome is None


def test_each_step_says_what_it_is_for() -> None:
    mission = going('hall')
    mission.remembers(THERE)
    sets_out(mission)
    mission.cancel()
    for one in mission.steps:
        assert isinstance(one.body, Step)
        assert (one.body.purpose, one.body.place) == (Purpose.GO, 'hall')
    assert {one.body.kind for one in mission.steps} == set(StepKind)
