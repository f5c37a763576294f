"""What goals in free words mean in a world, as a person reads them."""

import pytest

from semantic_nav_sim.meaning import Json, meant


def thing(name: str, kind: str, room: str = 'kitchen_1', colour: str = '') -> Json:
    return {'id': name, 'name': name, 'kind': kind, 'colour': colour, 'room': room}


HOME = [
    thing('red mug', 'mug', colour='red'), thing('white cup', 'cup', colour='white'),
    thing('blue cup', 'cup', 'study_1', 'blue'), thing('teddy bear', 'teddy bear', 'bedroom_2'),
    thing('dining table', 'dining table'), thing('desk', 'desk', 'study_1'),
    thing('green armchair', 'armchair', 'living_room_1', 'green'),
    thing('grey sofa', 'sofa', 'living_room_1', 'grey'),
    thing('study dark potted plant', 'potted plant', 'study_1'),
    thing('kitchen dark potted plant', 'potted plant')]


def named(goal: str) -> list[str] | None:
    found = meant(goal, HOME)
    return None if found is None else [item['name'] for item in found]


@pytest.mark.parametrize(('goal', 'names'), [
    ('find the red mug', ['red mug']),
    ('Find the RED mug', ['red mug']),
    ('Where did my kid leave the teddy bear?', ['teddy bear']),
    ('find the cup', ['white cup', 'blue cup']),
    ('bring me the cup in the study', ['blue cup']),
    ('something red', ['red mug']),
    ('somewhere to sit near the window', ['green armchair', 'grey sofa']),
    ('Where can I sit down and read?', ['green armchair', 'grey sofa']),
    ('find the couch', ['grey sofa']),
    ('where can I get something to drink', ['red mug', 'white cup', 'blue cup']),
    ('the dining table', ['dining table']),
    ('find the kitchen dark potted plant', ['kitchen dark potted plant']),
    ('find the cup on the desk', ['white cup', 'blue cup']),
    ('find the cup on the desk.', ['white cup', 'blue cup']),
    ('the red mug on the dining table', ['red mug']),
    ('find a table', ['dining table']),
    ('find a plant', ['study dark potted plant', 'kitchen dark potted plant'])])
def test_goal_means_what_a_person_would_mean(goal: str, names: list[str]) -> None:
    assert named(goal) == names


def test_other_words_count_where_nothing_is_called_so() -> None:
    mugs = [item for item in HOME if item['kind'] != 'cup']
    assert meant('find the cup', mugs) == [HOME[0]]


def test_what_is_called_so_is_not_all_that_is_of_the_kind() -> None:
    beds = [thing('bed', 'bed', 'bedroom_1'), thing('single bed', 'single bed', 'bedroom_2'),
            thing('bed table', 'bed table', 'bedroom_1')]
    assert meant('find the bed', beds) == beds[:2]
    assert meant('find the single bed', beds) == beds[1:2]


@pytest.mark.parametrize('goal', [
    'find the piano', 'find the blue mug', 'the red mug in the bedroom', 'find the coffee table',
    'find the alarm clock', 'find the bath mat'])
def test_what_is_not_there_is_known_not_to_be(goal: str) -> None:
    assert named(goal) == []


@pytest.mark.parametrize('goal', [
    'find the gizmo', 'something to fiddle with', 'go to the kitchen', 'xyzzy', 'find it'])
def test_words_that_name_no_kind_of_thing_mean_nothing(goal: str) -> None:
    assert named(goal) is None
