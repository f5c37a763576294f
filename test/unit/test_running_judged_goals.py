"""What the simulator tells of the goals that its robot is given."""

from typing import Any

import pytest
from builders import document

from semantic_nav.contracts.documents import Belief, Budgets
from semantic_nav.contracts.vocabulary import Outcome, Phase, Purpose, Status
from semantic_nav_sim.judge import Judge
from semantic_nav_sim.running.judged_goals import JudgedGoals

MUG = {'id': 'mug_1', 'name': 'red mug', 'kind': 'mug', 'colour': 'red', 'room': 'kitchen',
       'position': (1.0, 0.0, 0.8), 'yaw': 0.0, 'size': (0.08, 0.08, 0.1)}
CUP = {**MUG, 'id': 'mug_2', 'name': 'blue mug', 'colour': 'blue'}
TRUTH: dict[str, Any] = {
    'pose': {'x': 0.0, 'y': 0.0, 'yaw': 0.0, 'collisions': 0, 'distance_m': 7.5},
    'world': {'objects': [MUG, CUP]}, 'view': {'objects': [MUG]}}


def told(*beliefs: Belief) -> list[str]:
    lines: list[str] = []
    goals = JudgedGoals(Judge(TRUTH.__getitem__), lines.append)
    for belief in beliefs:
        goals.take(document(belief))
    return lines


def belief(goal: str, outcome: Outcome | None = None, purpose: Purpose = Purpose.FIND) -> Belief:
    return Belief(goal, Status.SEARCHING, Phase.LOOKING, outcome, 'as told', (), '', '', '',
                  Budgets(1.0, 900.0, 1, 120, 0.0, 300.0, 0, 20), purpose=purpose)


def test_goal_end_and_truth_are_told_once() -> None:
    begun, over = belief('find the red mug'), belief('find the red mug', Outcome.ARRIVED)
    goal, finished, truth = told(begun, begun, over, over)
    assert goal == 'goal      find the red mug'
    assert finished == 'finished  arrived: as told'
    assert truth.startswith('truth     0.')


@pytest.mark.parametrize(('goal', 'said'), [
    ('find the mug', 'judge     2 things in this home fit these words: any will do'),
    ('find the green mug', 'judge     nothing in this home fits these words: to say so is right'),
    ('find the flux capacitor', "judge     'find the flux capacitor' names no kind")])
def test_words_that_do_not_name_one_thing_are_judged(goal: str, said: str) -> None:
    assert told(belief(goal))[1].startswith(said)


@pytest.mark.parametrize('purpose', [Purpose.GO, Purpose.TOUR])
def test_where_nothing_is_searched_for_nobody_judges(purpose: Purpose) -> None:
    assert told(belief('go to home', purpose=purpose),
                belief('go to home', Outcome.ARRIVED, purpose)) == [
        'goal      go to home', 'finished  arrived: as told']


def test_no_goal_is_no_mission() -> None:
    assert told(belief('')) == []
