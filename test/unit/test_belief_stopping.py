"""The end of a mission: the robot is stopped, and what is said of it is true."""

import pytest
from belief_walk import APPROACH, ASK, Walk, stands_otherwise, walk
from builders import ORIGIN, accepted, ended, refusal, track

from semantic_nav.belief.events import (
    AnswerRequest,
    CancelRequested,
    GoalReceived,
    SwitchedOff,
)
from semantic_nav.belief.goal import Goal
from semantic_nav.contracts.core import DocumentReceived
from semantic_nav.contracts.documents import Hypothesis, Look, RobotPose
from semantic_nav.contracts.vocabulary import (
    ActOutcome,
    Code,
    Outcome,
    Phase,
    Source,
    Status,
    StepKind,
)

FAR = track(4.0, 0.0)
STANDING = RobotPose(ORIGIN, True, 0.0, stands=True)


def driving(**config: float) -> Walk:
    """Return a mission whose robot drives, and does not stand as soon as it is told."""
    mission = walk(**config)
    mission.saw(APPROACH, track=FAR)
    mission.verdict(accepted())
    mission.stands = False
    return mission


def stops(mission: Walk, seconds: float) -> int:
    """Let time pass; returns how often the stop was said."""
    said = 0
    for _ in range(round(seconds / 0.25)):
        mission.tick(0.25)
        said += sum(step.kind is StepKind.STOP for step in mission.new_steps)
    return said


def test_stop_is_said_again_until_the_robot_stands() -> None:
    mission = driving()
    mission.cancel()
    assert mission.stopped and mission.belief.phase is Phase.STOPPING
    assert mission.belief.outcome is None and mission.belief.stands is None
    assert stops(mission, 3.0) == 3
    said = mission.steps[-4:]
    assert len({one.body for one in said}) == 1 and len({one.id for one in said}) == 4
    mission.comes_to_rest()
    belief = mission.belief
    assert (belief.phase, belief.outcome, belief.stands) == (
        Phase.FINISHED, Outcome.CANCELLED, True)
    assert belief.reason == 'its end was asked for; the robot stands'
    assert not mission.ticking and stops(mission, 3.0) == 0


def test_robot_that_is_not_known_to_stand_is_said_to_be_so() -> None:
    mission = driving(stop_wait_s=6.0)
    mission.cancel()
    assert stops(mission, 5.75) == 5 and mission.belief.outcome is None
    mission.tick(0.25)
    belief = mission.belief
    assert (belief.outcome, belief.stands) == (Outcome.CANCELLED, False)
    assert belief.reason == 'its end was asked for, the robot is not known to stand'


def test_answer_to_an_earlier_stop_that_was_long_under_way_does_not_count() -> None:
    mission = driving()
    mission.cancel()
    first = mission.step.id
    assert stops(mission, 1.0) == 1
    mission.say(STANDING, cause=first, goal=mission.goal_id)
    assert mission.belief.phase is Phase.STOPPING
    mission.comes_to_rest()
    assert mission.belief.stands


def test_answer_that_was_long_under_way_does_not_count_before_the_stop_is_said_again() -> None:
    mission = driving(stop_again_s=2.0)
    mission.cancel()
    answer = mission.standing()
    mission.tick(0.6)
    mission.hear(DocumentReceived(answer))
    assert mission.belief.phase is Phase.STOPPING
    mission.comes_to_rest()
    assert mission.belief.stands


@pytest.mark.parametrize('away_s', [0.5, 4.0])
def test_standstill_that_waited_while_the_process_hung_does_not_count(away_s: float) -> None:
    mission = driving(stop_again_s=1.0)
    mission.cancel()
    mission.clock.advance(away_s)
    mission.comes_to_rest()
    assert (mission.belief.outcome is None) == (away_s > 1.0)
    mission.tick(0.1)
    mission.comes_to_rest()
    assert mission.belief.stands, 'asked again, and answered now'


def test_mission_whose_robot_another_client_drives_says_so_at_its_end() -> None:
    mission = driving(stop_wait_s=6.0)
    mission.cancel()
    mission.hold('another client drives the robot')
    stops(mission, 6.0)
    assert mission.belief.reason == (
        'its end was asked for, the robot is not known to stand: another client drives the robot')


@pytest.mark.parametrize('pose', ['before', 'of another stop', 'that moves'])
def test_only_a_standstill_after_this_stop_ends_the_mission(pose: str) -> None:
    mission = driving()
    before = mission.step.id
    mission.cancel()
    stands_otherwise(mission, pose, before)
    assert mission.belief.outcome is None
    mission.comes_to_rest()
    assert mission.belief.outcome is Outcome.CANCELLED


def test_cancelling_again_while_the_robot_is_stopped_changes_nothing() -> None:
    mission = driving()
    mission.cancel()
    mission.cancel()
    assert mission.out == []
    mission.comes_to_rest()
    assert mission.belief.reason == 'its end was asked for; the robot stands'


@pytest.mark.parametrize('over', [False, True])
def test_cancel_without_a_mission_stops_the_robot_too(over: bool) -> None:
    """A belief that was started anew has none, and the robot may still drive for the last."""
    mission = Walk()
    if over:
        mission.goal()
        mission.cancel()
        assert mission.belief.outcome is Outcome.CANCELLED
    before = mission.goal_id if over else ''
    mission.stands = False
    mission.cancel()
    assert mission.stopped and mission.ticking
    assert mission.step.goal_id == mission.goal_id != before
    assert stops(mission, 2.0) == 2
    mission.comes_to_rest()
    assert (mission.belief.outcome, mission.belief.stands) == (Outcome.CANCELLED, True)
    mission.goal()
    assert mission.look


def test_next_goal_begins_when_the_robot_stands() -> None:
    mission = driving()
    old = mission.goal_id
    mission.goal('find a chair')
    assert mission.stopped and mission.goal_id == old
    assert stops(mission, 2.0) == 2
    mission.comes_to_rest()
    ended_, begun = (one for one in mission.out if one.schema == 'belief')
    assert (ended_.goal_id, ended_.body.outcome) == (old, Outcome.CANCELLED)
    assert ended_.body.reason == 'a new goal came; the robot stands'
    assert begun.goal_id != old and begun.body.outcome is None
    assert mission.look and mission.step.body.goal_text == 'find a chair'


def test_goal_that_comes_twice_is_one() -> None:
    """A bridge sends messages twice (zenoh-plugin-ros2dds issue 570)."""
    mission = walk()
    old = mission.goal_id
    mission.goal()
    assert not mission.out and (mission.goal_id, mission.belief.outcome) == (old, None)
    mission.cancel()
    mission.goal()
    assert mission.goal_id != old and mission.belief.outcome is None
    mission.tick(1.0)
    mission.goal()
    assert len({one.goal_id for one in mission.beliefs}) == 3


def test_the_same_words_of_two_clients_are_two_missions() -> None:
    mission = walk()
    first = mission.goal_id
    mission.goal(may_repeat=False)
    assert [one.goal_id for one in mission.beliefs[-2:]] == [first, mission.goal_id] != [first] * 2
    assert mission.belief.outcome is None


def test_a_goal_with_the_identity_of_one_in_hand_is_none() -> None:
    mission = driving()
    mission.stands = False
    again = GoalReceived(Goal(mission.goal_id, 'find a chair'))
    assert mission.hear(again) == []
    mission.hear(GoalReceived(Goal('goal-next', 'find a chair')))
    assert mission.hear(GoalReceived(Goal('goal-next', 'find a cup'))) == []


def test_a_cancel_names_its_mission() -> None:
    mission = driving()
    mission.stands = False
    mission.hear(CancelRequested('goal-other'))
    assert mission.answer_to == AnswerRequest(False, 'this mission is not under way')
    assert not mission.out
    first = mission.goal_id
    mission.hear(GoalReceived(Goal('goal-next', 'find a chair')))
    mission.hear(CancelRequested(first))
    assert mission.answer_to.accepted and not mission.out, 'it stops already'
    mission.comes_to_rest()
    assert mission.goal_id == 'goal-next' and mission.belief.outcome is None
    mission.hear(GoalReceived(Goal('goal-third', 'find a cup')))
    mission.hear(CancelRequested('goal-third'))
    assert mission.answer_to.accepted
    refused, = (one.body for one in mission.beliefs if one.goal_id == 'goal-third')
    assert (refused.outcome, refused.reason) == (
        Outcome.REFUSED, 'its end was asked for before it began')


def test_next_goal_that_comes_twice_is_one() -> None:
    mission = driving()
    mission.stands = False
    mission.goal('find a chair')
    mission.goal('find a chair')
    assert not mission.out
    mission.comes_to_rest()
    assert mission.look and len({one.goal_id for one in mission.beliefs}) == 2


def test_next_goal_begins_after_the_limit_too() -> None:
    mission = driving(stop_wait_s=2.0)
    mission.goal('find a chair')
    mission.tick(2.0)
    assert mission.look and mission.belief.goal_text == 'find a chair'


@pytest.mark.parametrize('what', ['goal', 'cancel', 'switched off'])
def test_goal_that_never_began_is_answered(what: str) -> None:
    mission = driving()
    old = mission.goal_id
    mission.goal('find a chair')
    if what == 'goal':
        mission.goal('find a lamp')
    elif what == 'cancel':
        mission.cancel()
    else:
        mission.hear(SwitchedOff())
    refused = [one.body for one in mission.out
               if one.schema == 'belief' and one.goal_id != old]
    assert [(one.goal_text, one.outcome) for one in refused] == [
        ('find a chair', Outcome.REFUSED)]
    if what != 'switched off':
        mission.comes_to_rest()
    if what == 'goal':
        assert mission.look and mission.belief.goal_text == 'find a lamp'
    else:
        assert mission.goal_id == old and mission.belief.outcome is Outcome.CANCELLED


def test_bad_goal_leaves_a_stop_alone() -> None:
    mission = driving()
    old = mission.goal_id
    mission.cancel()
    mission.goal('')
    mission.comes_to_rest()
    assert mission.goal_id == old and mission.belief.outcome is Outcome.CANCELLED


def test_mission_that_gives_up_while_it_drives_waits_for_the_robot() -> None:
    mission = driving(time_limit_s=60.0, stop_wait_s=5.0)
    mission.tick(61.0)
    assert mission.stopped and mission.belief.outcome is None
    mission.tick(5.0)
    belief = mission.belief
    assert (belief.outcome, belief.stands) == (Outcome.GAVE_UP, False)
    assert belief.reason == ('the time is used up (60 s); the target was seen at (4.00, 0.00), '
                             'but not reached, the robot is not known to stand')


def test_mission_whose_last_act_was_refused_gives_up_standing() -> None:
    mission = walk(refusals_limit=1)
    mission.saw(APPROACH, track=FAR)
    mission.verdict(refusal(Code.NOT_GROUNDED))
    assert (mission.belief.outcome, mission.belief.stands) == (Outcome.GAVE_UP, True)
    assert 'stand' not in mission.belief.reason


def test_what_the_last_step_leads_to_is_dropped_while_the_robot_is_stopped() -> None:
    mission = driving()
    act = mission.step.id
    mission.cancel()
    mission.say(ended(ActOutcome.CANCELLED), cause=act)
    assert mission.out == [] and mission.dropped == 1
    mission.answer('the big one')
    assert mission.out == [] and mission.dropped == 2


def test_belief_that_is_switched_off_does_not_claim_that_the_robot_stands() -> None:
    mission = driving()
    mission.hear(SwitchedOff())
    assert mission.stopped
    assert (mission.belief.outcome, mission.belief.stands) == (Outcome.CANCELLED, False)
    assert 'operator' not in mission.belief.reason
    idle = Walk()
    idle.hear(SwitchedOff())
    assert idle.out == [] and idle.dropped == 0


# Nodes that were started anew

def heard(mission: Walk, node: str, session: str, body: object, cause: str = '') -> None:
    """Let a node speak under a session."""
    mission.say(body, cause=cause, id_=f'{node}-{session}-7')


@pytest.mark.parametrize('phase', ['look', 'half a look', 'act', 'drive', 'waiting', 'asking'])
def test_verifier_that_was_started_anew_is_noticed_at_its_first_word(phase: str) -> None:
    mission = walk()
    heard(mission, 'verifier', '20260101T000000-aa', STANDING)
    if phase == 'half a look':
        mission.hypothesis(APPROACH)
    elif phase in ('act', 'drive'):
        mission.saw(APPROACH, track=FAR)
        if phase == 'drive':
            mission.verdict(accepted())
    elif phase == 'waiting':
        mission.no_picture()
    elif phase == 'asking':
        mission.saw(ASK)
    heard(mission, 'verifier', '20260101T000000-aa', STANDING)
    assert mission.new_steps == []
    heard(mission, 'verifier', '20260101T000100-bb', STANDING)
    if phase in ('waiting', 'asking'):
        assert mission.new_steps == []
        return
    assert mission.stopped and 'verifier' in mission.belief.reason
    mission.tick(2.1)
    assert mission.look
    # It is the one that is expected now; what is left of the one before is no news.
    heard(mission, 'verifier', '20260101T000100-bb', STANDING)
    heard(mission, 'verifier', '20260101T000000-aa', STANDING)
    heard(mission, 'verifier', '20260101T000100-bb', STANDING)
    assert mission.new_steps == [] and not mission.stopped


def test_node_that_answers_the_step_in_hand_has_heard_it() -> None:
    mission = walk()
    heard(mission, 'hypothesis', '20260101T000000-aa', Look(True, '', 640, 480),
          cause=mission.step.id)
    mission.saw(APPROACH, track=FAR)
    mission.verdict(ended())
    look = mission.step.id
    heard(mission, 'hypothesis', '20260101T000100-bb', Look(True, '', 640, 480), cause=look)
    assert mission.step.id == look
    answer = mission.hypothesis(APPROACH).body
    assert isinstance(answer, Hypothesis) and answer.source is Source.MODEL
    heard(mission, 'hypothesis', '20260101T000200-cc', Look(True, '', 640, 480), cause='other')
    assert mission.stopped


@pytest.mark.parametrize('node', ['hypothesis', 'verifier'])
@pytest.mark.parametrize('phase', ['look', 'drive'])
def test_node_that_was_started_anew_and_is_silent_is_noticed_by_its_subscription(
        node: str, phase: str) -> None:
    mission = walk() if phase == 'look' else driving()
    heard(mission, node, '20260101T000000-aa', STANDING)
    mission.restarted(node)
    assert mission.stopped and node in mission.belief.reason
    mission.tick(2.1)
    look = mission.look
    heard(mission, node, '20260101T000100-bb', STANDING)
    assert mission.look is look, 'its first word is no news then'


def test_status_and_budgets_outlive_a_verifier_that_was_started_anew() -> None:
    mission = driving()
    before = mission.belief
    mission.restarted('verifier')
    assert mission.belief.status is before.status is Status.VISIBLE
    assert mission.belief.budgets.model_calls == before.budgets.model_calls
    assert mission.belief.budgets.refusals == before.budgets.refusals
