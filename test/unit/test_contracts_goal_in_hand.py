from dataclasses import replace

import pytest
from builders import candidates, document, samples

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.documents import Belief, Document, Step
from semantic_nav.contracts.goal_in_hand import GoalChange, GoalInHand
from semantic_nav.contracts.vocabulary import Phase, StepKind

T_NS, LATER_NS = 10**12, 10**12 + 6 * NS_PER_S


def step(goal: str, text: str = 'a mug') -> Document:
    return document(Step(StepKind.STOP, text), goal=goal)


def belief(goal: str, phase: Phase = Phase.LOOKING, text: str = 'a mug') -> Document:
    body = samples()['belief'].body
    assert isinstance(body, Belief)
    return document(replace(body, phase=phase, goal_text=text), goal=goal)


@pytest.mark.parametrize('first', [step, belief])
def test_a_goal_begins_with_step_or_belief_and_ends_with_the_belief(first) -> None:
    goal = GoalInHand()
    assert goal.follow(first('goal-s-1'), T_NS) is GoalChange.BEGAN
    assert goal.open and goal.id == 'goal-s-1'
    assert goal.follow(step('goal-s-1'), T_NS) is GoalChange.NONE
    assert goal.follow(belief('goal-s-1'), T_NS) is GoalChange.NONE
    assert goal.follow(belief('goal-s-1', Phase.FINISHED), T_NS) is GoalChange.ENDED
    assert not goal.open and goal.owns(step('goal-s-1'))


def test_a_goal_refused_at_once_leaves_the_one_in_hand_alone() -> None:
    goal = GoalInHand()
    goal.follow(step('goal-s-1'), T_NS)
    assert goal.follow(belief('goal-s-2', Phase.FINISHED), T_NS) is GoalChange.NONE
    assert goal.open and goal.id == 'goal-s-1'


def test_a_goal_taken_up_again_begins_again() -> None:
    goal = GoalInHand()
    goal.follow(step('goal-s-1'), T_NS)
    goal.follow(belief('goal-s-1', Phase.FINISHED), T_NS)
    assert goal.follow(step('goal-s-1'), T_NS) is GoalChange.NONE and not goal.open
    assert goal.follow(belief('goal-s-1'), T_NS) is GoalChange.BEGAN and goal.open


@pytest.mark.parametrize('speaks', [step, belief])
def test_goal_is_reworded_once_by_the_first_document_with_other_words(speaks) -> None:
    goal = GoalInHand()
    goal.follow(step('goal-s-1'), T_NS)
    assert goal.follow(speaks('goal-s-1', text=''), T_NS) is GoalChange.NONE
    assert goal.follow(speaks('goal-s-1', text='a mug (red)'), T_NS) is GoalChange.REWORDED
    assert goal.open and goal.id == 'goal-s-1'
    for again in (step, belief):
        assert goal.follow(again('goal-s-1', text='a mug (red)'), T_NS) is GoalChange.NONE


def test_other_words_change_no_goal_that_has_ended() -> None:
    goal = GoalInHand()
    goal.follow(step('goal-s-1'), T_NS)
    goal.follow(belief('goal-s-1', Phase.FINISHED), T_NS)
    assert goal.follow(step('goal-s-1', 'a mug (red)'), T_NS) is GoalChange.NONE


def test_what_is_left_of_an_earlier_goal_changes_nothing() -> None:
    goal = GoalInHand()
    goal.follow(step('goal-s-9'), T_NS)
    goal.follow(step('goal-s-10'), T_NS)
    assert goal.follow(step('goal-s-9'), T_NS) is GoalChange.NONE
    assert goal.id == 'goal-s-10'
    assert goal.follow(belief('goal-later-1'), T_NS) is GoalChange.BEGAN
    assert goal.follow(step('goal-s-10'), T_NS) is GoalChange.NONE
    assert goal.id == 'goal-later-1'


def test_a_document_without_goal_belongs_to_none() -> None:
    goal = GoalInHand()
    assert goal.follow(step(''), T_NS) is GoalChange.NONE
    assert not goal.owns(step('')) and not goal.keep_early(document(candidates(), goal=''))


def test_what_came_too_early_is_handed_over_when_its_goal_begins() -> None:
    goal, taken = GoalInHand(), []
    goal.follow(step('goal-s-1'), T_NS)
    early = document(candidates(), goal='goal-s-2')
    assert goal.keep_early(early)
    assert goal.keep_early(document(candidates(), goal='goal-s-3'))
    goal.follow(step('goal-s-2'), T_NS)
    goal.early(taken.append)
    assert taken == [early]
    goal.early(taken.append)
    assert taken == [early]
    assert not goal.keep_early(document(candidates(), goal='goal-s-1'))


def test_few_documents_wait() -> None:
    goal, taken = GoalInHand(), []
    for number in range(100):
        assert goal.keep_early(document(candidates(), id_=f'memory-s-{number}', goal='goal-s-1'))
    goal.follow(step('goal-s-1'), T_NS)
    goal.early(taken.append)
    assert [one.id for one in taken] == [f'memory-s-{number}' for number in range(92, 100)]


@pytest.mark.parametrize('forged', ['goal-forged-1', 'goal-s-999999999999'])
@pytest.mark.parametrize('speaks', [step, belief])
def test_belief_that_lives_is_barred_by_no_forged_step(forged: str, speaks) -> None:
    goal = GoalInHand()
    goal.follow(step('goal-s-1'), T_NS)
    assert goal.follow(step(forged), T_NS) is GoalChange.BEGAN
    assert goal.follow(speaks('goal-s-1'), T_NS + NS_PER_S) is GoalChange.NONE, 'it may be late'
    assert goal.follow(speaks('goal-s-1'), LATER_NS) is GoalChange.BEGAN
    assert goal.open and goal.id == 'goal-s-1'
    assert goal.keep_early(document(candidates(), goal='goal-s-2'))


def test_belief_comes_back_after_a_flood_of_forged_steps() -> None:
    goal = GoalInHand()
    goal.follow(step('goal-s-3'), T_NS)
    for number in range(1000):
        goal.follow(step(f'goal-forged{number % 20}-1'), T_NS + number)
    assert goal.follow(step('goal-s-3'), LATER_NS + 1000) is GoalChange.BEGAN
    assert goal.follow(step('goal-forged19-1'), LATER_NS + 2000) is GoalChange.NONE
