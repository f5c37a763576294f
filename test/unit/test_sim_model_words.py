import pytest

from semantic_nav_sim.model.words import is_room, normalise, noun_score, parse_goal


@pytest.mark.parametrize(('goal', 'phrase', 'colours', 'room'), [
    ('find the red mug', ('mug',), {'red'}, ''),
    ('Please go to the Refrigerator!', ('fridge',), set(), ''),
    ('look for my gray couch near the window', ('sofa',), {'grey'}, ''),
    ('take me to the coffee table', ('coffee', 'table'), set(), ''),
    ('find a cup on the kitchen table', ('cup',), set(), 'kitchen'),
    ('go to the kitchen', ('kitchen',), set(), 'kitchen'),
    ('look in the bathroom', ('bathroom',), set(), 'bathroom'),
    ('where is the television in the living room?', ('tv',), set(), 'living room'),
    ('find the chairs', ('chair',), set(), ''),
    ('find the office chair', ('study', 'chair'), set(), ''),
    ('find the kitchen table', ('kitchen', 'table'), set(), ''),
    ('go to the office', ('study',), set(), 'study'),
    ('somewhere to sit in the bedroom', ('sofa',), set(), 'bedroom'),
    ('where can we sleep?', ('bed',), set(), ''),
    ('I am thirsty', ('mug',), set(), ''),
    ('where can I get something to drink', ('bottle',), set(), ''),
    ('is there anything to eat in the kitchen?', ('fruit', 'bowl'), set(), 'kitchen'),
    ('bring me something to read', ('book',), set(), ''),
    ('what time is it?', ('clock',), set(), ''),
    ('where can I watch the news', ('tv',), set(), ''),
    ('somewhere to warm my lunch', ('stove',), set(), ''),
    ('I want to make some tea', ('kettle',), set(), ''),
    ('get me a coffee', ('kettle',), set(), ''),
    ('find the coffee table', ('coffee', 'table'), set(), ''),
    ('I am so tired', ('bed',), set(), ''),
    ('a place to eat in the living room', ('dining', 'table'), set(), 'living room'),
    ('somewhere to put my cup', ('table',), set(), ''),
    ('where can I wash my clothes', ('washing', 'machine'), set(), ''),
    ('where do you keep the cups', ('cup',), set(), ''),
    ('where does the rubbish go', ('bin',), set(), ''),
    ('find the rubbish bin', ('bin',), set(), ''),
    ('a blue bowl to eat from in the kitchen', ('bowl',), {'blue'}, 'kitchen'),
    ('find me a pot to cook in', ('pot',), set(), ''),
    ('where do I go to throw this away', ('bin',), set(), ''),
])
def test_goal_names_target_colours_and_room(goal, phrase, colours, room):
    words = parse_goal(goal)
    assert words.phrases[0] == phrase
    assert words.colours == colours
    assert words.room == room


def test_goal_that_names_nothing_has_no_phrases():
    assert parse_goal('go over there please').phrases == ()
    assert parse_goal('').phrases == ()


def test_purpose_is_turned_into_kinds_best_first():
    words = parse_goal('somewhere to sit near the window')
    assert words.phrases[0] == ('sofa',)
    assert ('chair',) in words.phrases
    assert not words.definite


@pytest.mark.parametrize(('goal', 'definite'), [
    ('find the red mug', True), ('find a chair', False), ('bring me to any table', False),
    ('fridge', True)])
def test_article_tells_whether_one_certain_thing_is_meant(goal, definite):
    assert parse_goal(goal).definite is definite


def test_room_is_the_target_only_when_it_stands_alone():
    assert parse_goal('go to the living room').room_is_target
    assert not parse_goal('find the mug in the kitchen').room_is_target
    assert not parse_goal('find the kitchen table').room_is_target


def test_last_word_must_name_the_object():
    assert noun_score(('table',), ('coffee_table', 'wooden table')) > 0
    assert noun_score(('coffee', 'table'), ('coffee_table',)) > noun_score(
        ('coffee', 'table'), ('dining_table',)) > 0
    assert noun_score(('table',), ('table_lamp', 'lamp')) == 0


def test_plurals_and_spelling_are_folded():
    assert normalise('Dining_Tables, couches & glasses') == 'dining table sofa glass'


def test_rooms_may_be_numbered():
    assert is_room('bedroom_2', 'bedroom')
    assert is_room('Living_Room', 'living room')
    assert not is_room('bathroom', 'bedroom')
