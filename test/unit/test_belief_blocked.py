"""What the mission makes of blocked ways: it waits, tries again, and names what is left."""

from belief_walk import EXPLORE, Walk, walk
from builders import accepted, approach, candidate, canonical, ended, refusal, track

from semantic_nav.contracts.vocabulary import (
    ActOutcome,
    Code,
    ModelAnswer,
    Outcome,
    Phase,
    Source,
    Status,
)

LEFT = '1 part of 12.0 m² was not reached, the nearest at (4.0, 2.0); the rest was looked at'


def blocked(mission: Walk) -> None:
    mission.saw(EXPLORE, p_here=0.4)
    mission.verdict(refusal(Code.BLOCKED, LEFT, 'explore'))


def test_blocked_way_is_waited_for_and_tried_again() -> None:
    mission = walk()
    blocked(mission)
    assert mission.belief.phase is Phase.LOOKING and mission.new_steps == []
    mission.tick(mission.config.blocked_wait_s - 0.5)
    assert mission.new_steps == []
    mission.tick(1.0)
    assert mission.look.last_refusal is None, 'no other proposal would mend it'
    assert mission.belief.budgets.refusals == 0


def test_tries_are_counted_and_the_answer_names_what_was_not_reached() -> None:
    mission = walk(blocked_tries=3, refusals_limit=1, waits_limit=1)
    for _ in range(2):
        blocked(mission)
        assert mission.belief.outcome is None
        mission.tick(mission.config.blocked_wait_s + 0.1)
    blocked(mission)
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert mission.belief.reason == (
        f'tried 3 times: {LEFT}; that it is here all the same: 40%')
    assert mission.belief.budgets.refusals == 0


def test_looking_at_the_blockage_is_no_progress_but_a_view_is() -> None:
    for outcome, ends in ((ActOutcome.LEG_DONE, True), (ActOutcome.ARRIVED, False)):
        mission = walk(blocked_tries=2)
        blocked(mission)
        mission.tick(mission.config.blocked_wait_s + 0.1)
        mission.saw(EXPLORE)
        mission.verdict(accepted('explore'))
        mission.verdict(ended(outcome, 'explore'))
        blocked(mission)
        assert (mission.belief.outcome is Outcome.GAVE_UP) is ends


def test_target_that_is_hardly_behind_what_opens_and_closes_is_not_here() -> None:
    for p_here, outcome in ((0.5, None), (0.1, Outcome.NOT_HERE)):
        mission = walk(blocked_tries=3)
        for _ in range(3):
            mission.saw(EXPLORE, p_here=p_here)
            mission.verdict(accepted('explore'))
            mission.verdict(ended(ActOutcome.ARRIVED, 'explore'))
            mission.saw(EXPLORE, p_here=p_here)
            mission.verdict(refusal(Code.BLOCKED, LEFT, 'explore'))
            if mission.belief.outcome is None:
                mission.tick(mission.config.blocked_wait_s + 0.1)
        assert mission.belief.outcome is outcome
    assert mission.belief.reason == (
        f'tried 3 times: {LEFT}; that it is here all the same: 10%')


def test_mission_whose_time_is_over_names_what_was_not_reached() -> None:
    for reached in (False, True):
        mission = walk(time_limit_s=60.0)
        blocked(mission)
        mission.tick(mission.config.blocked_wait_s + 0.1)
        mission.saw(EXPLORE)
        mission.verdict(accepted('explore'))
        if reached:
            mission.verdict(ended(ActOutcome.ARRIVED, 'explore'))
        mission.tick(60.0)
        assert mission.belief.outcome is Outcome.GAVE_UP
        assert (LEFT in mission.belief.reason) is not reached


def test_remembered_places_are_visited_before_waiting() -> None:
    mission = walk()
    mission.remembers(candidate('a', score=0.2))
    blocked(mission)
    assert mission.look.fallback_only
    mission.saw(canonical('goto_node', node_id='a'), source=Source.FALLBACK,
                answer=ModelAnswer.NOT_ASKED)
    mission.verdict(accepted('goto_node'))
    mission.verdict(ended(action='goto_node'))
    assert mission.belief.outcome is None


def test_silent_model_is_waited_for_however_often() -> None:
    mission = walk(blocked_tries=1)
    for _ in range(5):
        mission.saw(EXPLORE, source=Source.FALLBACK, error='timeout')
        mission.verdict(refusal(Code.BLOCKED, LEFT, 'explore'))
        assert mission.belief.outcome is None
        mission.tick(2.1)


def test_ways_past_where_the_robot_got_stuck_are_waited_for() -> None:
    mission = walk(refusals_limit=1)
    for _ in range(3):
        mission.saw(EXPLORE)
        mission.verdict(refusal(Code.REPEATED_FAILURE, 'it got stuck there', 'explore'))
        assert mission.new_steps == [] and mission.belief.budgets.refusals == 0
        mission.tick(mission.config.blocked_wait_s + 0.1)
        assert mission.look is not None


def target_blocked(mission: Walk) -> None:
    mission.saw(approach(), track=track(4.0, 2.0))
    mission.verdict(refusal(Code.BLOCKED, 'the way to (4.00, 2.00) is blocked at (3.0, 2.0)',
                            'approach'))


def test_blocked_way_to_the_target_is_waited_for() -> None:
    mission = walk()
    target_blocked(mission)
    assert mission.belief.phase is Phase.LOOKING and mission.new_steps == []
    assert mission.belief.status is Status.VISIBLE
    mission.tick(mission.config.blocked_wait_s + 0.1)
    assert mission.look is not None


def test_target_to_which_no_way_opens_is_given_up() -> None:
    mission = walk(blocked_tries=2)
    target_blocked(mission)
    mission.tick(mission.config.blocked_wait_s + 0.1)
    target_blocked(mission)
    mission.comes_to_rest()
    assert mission.belief.outcome is Outcome.GAVE_UP
    assert 'no way leads to it: the way to (4.00, 2.00) is blocked' in mission.belief.reason
