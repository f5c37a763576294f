"""What the mission makes of remembered places to which the robot cannot go."""

import pytest
from belief_walk import EXPLORE, Walk, walk
from builders import ORIGIN, accepted, candidate, canonical, ended, refusal

from semantic_nav.belief.places import LEFT_OUT_CODES
from semantic_nav.belief.transition import RETRY_WAIT_S
from semantic_nav.contracts.documents import RobotPose, Verdict
from semantic_nav.contracts.vocabulary import ActOutcome, Code

UNREACHABLE = refusal(Code.UNREACHABLE, 'no way leads there', 'goto_node')


def sent(mission: Walk, *verdicts: Verdict, node: str = 'a') -> None:
    """Let the model send the robot to a place, and the verifier answer."""
    mission.saw(canonical('goto_node', node_id=node))
    for verdict in verdicts:
        mission.verdict(verdict)


def looks_after(mission: Walk, seconds: float) -> None:
    """Let time pass, and the look in hand end in another one."""
    mission.clock.advance(seconds)
    mission.saw(EXPLORE)
    mission.verdict(accepted('explore'))
    mission.verdict(ended(action='explore'))


@pytest.mark.parametrize('code', sorted(LEFT_OUT_CODES))
def test_place_out_of_reach_or_visited_is_left_out(code: Code) -> None:
    mission = walk()
    mission.remembers(candidate('a'), candidate('b'))
    assert mission.look.left_out == ()
    sent(mission, refusal(code, 'no way leads there', 'goto_node'))
    assert mission.look.left_out == ('a',)
    assert mission.look.last_refusal.code is code
    assert mission.look.last_refusal.reason == 'a: no way leads there'


def test_place_that_the_drive_did_not_reach_is_left_out() -> None:
    mission = walk()
    sent(mission, accepted('goto_node'), ended(ActOutcome.ABORTED, 'goto_node'))
    assert mission.look.left_out == ('a',)


@pytest.mark.parametrize('verdicts', [
    (refusal(Code.NAV_UNAVAILABLE, 'no planner', 'goto_node'),),
    (accepted('goto_node'), ended(ActOutcome.UNAVAILABLE, 'goto_node')),
    (accepted('goto_node'), ended(ActOutcome.ARRIVED, 'goto_node'))])
def test_place_that_is_in_reach_for_all_that_is_known_is_not(verdicts: tuple[Verdict]) -> None:
    mission = walk()
    sent(mission, *verdicts)
    mission.tick(RETRY_WAIT_S + 0.1)
    assert mission.look.left_out == ()


def test_place_is_offered_again_after_a_while_that_grows() -> None:
    mission = walk(place_again_s=100.0)
    for again_s in (100.0, 200.0, 300.0):
        sent(mission, UNREACHABLE)
        looks_after(mission, again_s - 5.0)
        assert mission.look.left_out == ('a',)
        looks_after(mission, 10.0)
        assert mission.look.left_out == ()


def test_each_place_has_a_time_of_its_own() -> None:
    mission = walk(place_again_s=100.0)
    sent(mission, UNREACHABLE)
    mission.clock.advance(60.0)
    sent(mission, UNREACHABLE, node='b')
    assert mission.look.left_out == ('a', 'b')
    looks_after(mission, 60.0)
    assert mission.look.left_out == ('b',)


def test_time_of_a_pause_does_not_count() -> None:
    mission = walk(place_again_s=100.0)
    sent(mission, UNREACHABLE)
    mission.pause()
    mission.clock.advance(500.0)
    mission.resume()
    assert mission.look.left_out == ('a',)


UNHEARD = refusal(Code.UNKNOWN_NODE, 'a is not a candidate of this goal', 'goto_node')


def test_place_that_the_verifier_has_not_heard_of_yet_is_asked_for_again() -> None:
    """A verifier that starts may hear the memory later than the belief does."""
    mission = walk()
    mission.say(RobotPose(ORIGIN, True, 0.0, stands=True), goal='')
    mission.remembers(candidate('a'))
    mission.saw(canonical('goto_node', node_id='a'))
    asked = mission.act
    mission.verdict(UNHEARD)
    assert mission.new_steps == []
    mission.tick(RETRY_WAIT_S + 0.1)
    assert mission.act == asked
    mission.verdict(accepted('goto_node'))
    assert mission.belief.budgets.refusals == 0


def test_place_that_the_verifier_never_hears_of_is_refused() -> None:
    mission = walk()
    mission.say(RobotPose(ORIGIN, True, 0.0, stands=True), goal='')
    mission.remembers(candidate('a'))
    sent(mission, UNHEARD)
    for waits in (1, 2, 3):
        mission.tick(waits * RETRY_WAIT_S + 0.1)
        mission.verdict(UNHEARD)
    assert mission.look.last_refusal.code is Code.UNKNOWN_NODE


def test_place_that_the_memory_does_not_offer_is_refused_at_once() -> None:
    mission = walk()
    mission.remembers(candidate('b'))
    sent(mission, UNHEARD)
    assert mission.look.last_refusal.code is Code.UNKNOWN_NODE
