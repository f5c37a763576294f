import json
from dataclasses import replace
from statistics import mean

import pytest

from semantic_nav.vlm.prompt.template import SYSTEM
from semantic_nav_sim.model.brain import (
    Mind,
    Task,
    answer,
    keep_known,
    look_for,
    read_task,
    whole_box,
)
from semantic_nav_sim.model.draws import Draws
from semantic_nav_sim.model.eyes import SeenObject, Sight
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.profiles import load_profile

FIELDS = {
    'approach': {'target_box'}, 'explore': set(), 'goto_node': {'node_id'},
    'ask_clarification': {'clarification_question'}}
COMMON = {'action', 'target_status', 'confidence_percent', 'scene', 'rationale'}


def thing(name, kind, box, colour='', ident=None):
    area = int((box[2] - box[0]) * (box[3] - box[1]))
    return SeenObject(ident or name, name, kind, colour, box, area)


def sight(*objects, room='kitchen'):
    ordered = tuple(sorted(objects, key=lambda item: -item.pixels))
    return Sight(True, 640, 480, room, ordered)


RED = thing('red mug', 'mug', (100.0, 100.0, 130.0, 140.0), 'red')
BLUE = thing('blue mug', 'mug', (300.0, 100.0, 340.0, 150.0), 'blue')
TABLE = thing('dining table', 'dining_table', (0.0, 200.0, 600.0, 480.0), 'brown')


def test_seen_target_is_approached_by_its_own_box():
    reply = answer(Task('find the red mug'), sight(RED, BLUE, TABLE))
    assert reply['action'] == 'approach'
    assert reply['target_status'] == 'visible'
    assert reply['target_box'] == [100, 100, 130, 140]
    assert reply['confidence_percent'] == 90


@pytest.mark.parametrize(('goal', 'unknown'), [
    ('find the flurble', 'flurble'), ('find the red space heater lamp', ''),
    ('look for a blue wibble wobble', 'wibble wobble'), ('go to the kitchen', ''),
    ('find the cups', ''), ('somewhere to sit', ''), ('find the red mug', ''),
    ('where can I get something to drink', ''), ('something for my headache', 'headache')])
def test_words_that_it_does_not_know_it_says_at_once(goal, unknown):
    rationale = answer(Task(goal), sight(TABLE, room='hall'))['rationale']
    assert ('I do not know what' in rationale) is bool(unknown)
    assert f'“{unknown}”' in rationale or not unknown
    candidates = ({'node_id': 'place-1', 'score': 1.0},)
    remembered = answer(Task(goal, 'likely_in_memory', candidates), sight(TABLE, room='hall'))
    assert ('I do not know what' in remembered['rationale']) is bool(unknown)


def test_a_thing_with_an_unknown_name_is_found_by_it():
    flurble = thing('red flurble', 'flurble', (10.0, 10.0, 50.0, 60.0), 'red')
    assert answer(Task('find the flurble'), sight(flurble))['action'] == 'approach'


def test_what_it_has_no_word_for_it_calls_something():
    profile = load_profile(ModelProfile, 'none')
    vague = replace(profile, words=replace(profile.words, vague=1.0))
    said = [answer(Task('find the red mug'), sight(RED), False, Mind(one, Draws(1, 0.8)))[
        'rationale'] for one in (profile, vague)]
    assert said == ['I see a red mug, which is what was asked.',
                    'I see something red, which is what was asked.']


def test_confidence_tells_little_of_what_is_right():
    profile = load_profile(ModelProfile, 'default')
    said = {True: [], False: []}
    for seed in range(400):
        for there in said:
            seen = sight(replace(RED, colour='red', name='red mug'))
            truth = seen if there else sight(replace(RED, colour='blue', name='blue mug'))
            said[there].append(answer(Task('find the red mug'), seen, False,
                                      Mind(profile, Draws(seed, 0.8)), truth)[
                                          'confidence_percent'] / 100)
    right, wrong = said[True], said[False]
    assert 0.85 < mean(right) < 0.9 and 0.01 < mean(right) - mean(wrong) < 0.07
    assert sum(0.7 <= one <= 0.95 for one in right + wrong) > 0.75 * len(right + wrong)
    for limit in (0.7, 0.8, 0.9):
        assert any(one > limit for one in wrong) and any(one <= limit for one in right)


def test_colour_must_match():
    reply = answer(Task('find the green mug'), sight(RED, BLUE))
    assert (reply['action'], reply['target_status']) == ('explore', 'not_visible')


def test_two_that_fit_are_ambiguous_and_the_larger_is_approached():
    reply = answer(Task('find the mug'), sight(RED, BLUE))
    assert reply['target_status'] == 'ambiguous'
    assert reply['target_box'] == [300, 100, 340, 150]


def test_any_of_two_will_do_for_an_indefinite_goal():
    assert answer(Task('find a mug'), sight(RED, BLUE))['target_status'] == 'visible'


def test_one_that_stands_out_is_not_ambiguous():
    near = thing('mug', 'mug', (0.0, 0.0, 200.0, 200.0), ident='near')
    assert answer(Task('find the mug'), sight(near, RED))['target_status'] == 'visible'


def test_target_in_another_room_is_not_the_target():
    task = Task('find the mug in the bedroom')
    assert answer(task, sight(RED))['action'] == 'explore'
    assert answer(task, sight(RED, room='bedroom'))['action'] == 'approach'


def test_room_itself_is_reached_by_its_largest_object():
    reply = answer(Task('go to the kitchen'), sight(RED, TABLE))
    assert reply['target_box'] == [0, 200, 600, 480]
    assert answer(Task('go to the kitchen'), sight(TABLE, room=''))['action'] == 'explore'


def test_remembered_place_is_used_only_when_memory_is_trusted():
    low, high = {'node_id': 'p1', 'score': 0.4}, {'node_id': 'p2', 'score': 0.8}
    task = Task('find the red mug', 'likely_in_memory', (low, high))
    reply = answer(task, sight(TABLE))
    assert (reply['action'], reply['node_id']) == ('goto_node', 'p2')
    for other in (Task('find the red mug', 'searching', (low, high)),
                  Task('find the red mug', 'likely_in_memory'),
                  Task('find the red mug', 'likely_in_memory', (low, high), refused=True)):
        assert answer(other, sight(TABLE))['action'] == 'explore'


def test_goal_without_a_noun_is_asked_about():
    reply = answer(Task('go there'), sight(RED))
    assert reply['action'] == 'ask_clarification'
    assert reply['clarification_question']


def test_unrecognised_picture_shows_nothing():
    reply = answer(Task('find the red mug'), Sight())
    assert (reply['action'], reply['target_status']) == ('explore', 'not_visible')
    assert 'cannot make out this picture' in reply['rationale']
    assert reply['scene'] == {'place': 'unknown', 'objects': []}


@pytest.mark.parametrize('task', [
    Task('find the red mug'), Task('find the lamp'), Task('go there'),
    Task('find the lamp', 'likely_in_memory', ({'node_id': 'p1', 'score': 0.9},))])
def test_reply_has_the_fields_of_its_action_in_order(task):
    reply = answer(task, sight(RED, TABLE))
    assert set(reply) == COMMON | FIELDS[reply['action']]
    keys = list(reply)
    assert keys[:3] == ['action', 'target_status', 'confidence_percent']
    assert keys[-2:] == ['scene', 'rationale']


def test_scene_is_told_in_as_many_things_as_the_rules_ask_for():
    crowd = [thing(f'book {n}', f'book {n}', (0.0, 0.0, 100.0 + n, 100.0)) for n in range(15)]
    for rules, most in (('', 6), ('Name up to 4 objects that identify it.', 4)):
        task = read_task('find the red mug', rules)
        names = [item['name'] for item in answer(task, sight(RED, *crowd))['scene']['objects']]
        assert names[:2] == ['red mug', 'book 14']
        assert len(names) == most


def test_the_rules_of_the_prompt_say_how_many_things():
    assert read_task('find the mug', SYSTEM).most_things == 6


def test_boxes_are_whole_have_an_area_and_stay_inside():
    edge = thing('red mug', 'mug', (639.7, -2.0, 645.0, 0.2))
    x1, y1, x2, y2 = answer(Task('find the mug'), sight(edge))['target_box']
    assert 0 <= x1 < x2 <= 640
    assert 0 <= y1 < y2 <= 480


def test_per_mille_boxes():
    reply = answer(Task('find the table'), sight(TABLE), per_mille=True)
    assert reply['target_box'] == [0, 416, 938, 1000]


def test_task_is_read_from_the_json_block():
    block = {'goal': 'find the mug', 'belief_target_status': 'likely_in_memory',
             'candidates': [{'node_id': 'p1', 'score': 0.7}, 'rubbish'],
             'last_refusal': {'code': 'STALE', 'reason': 'too old'}}
    task = read_task(f'Look.\n```json\n{json.dumps(block, indent=1)}\n```\nAnswer in JSON.')
    assert task == Task('find the mug', 'likely_in_memory',
                        ({'node_id': 'p1', 'score': 0.7},), refused=True)


@pytest.mark.parametrize('text', [
    'find the mug', 'find the mug ```json\n{broken\n```', 'find the mug ```json\n[1]\n```'])
def test_without_a_usable_block_the_sentence_is_the_goal(text):
    assert answer(read_task(text), sight(RED))['action'] == 'approach'


def test_fields_the_schema_does_not_name_are_dropped():
    schema = {
        '$defs': {'scene': {'properties': {'objects': {
            'items': {'properties': {'name': {}}}}}}},
        'properties': {'action': {}, 'scene': {'$ref': '#/$defs/scene'}},
        'anyOf': [{'properties': {'target_box': {}}}]}
    reply = keep_known(answer(Task('find the red mug'), sight(RED)), schema)
    assert reply == {'action': 'approach', 'target_box': [100, 100, 130, 140],
                     'scene': {'objects': [{'name': 'red mug'}]}}


def test_a_format_without_properties_drops_nothing():
    reply = answer(Task('find the red mug'), sight(RED))
    assert keep_known(reply, 'json') == reply
    assert keep_known(reply, {'type': 'object'}) == reply


def test_it_knows_where_the_target_is_seen():
    task = Task('find the red mug')
    assert look_for(task, sight(RED, TABLE), Mind()).target == RED
    assert look_for(task, sight(TABLE), Mind()).target is None
    assert whole_box(RED.box_px, sight(RED), per_mille=True) == [156, 208, 204, 292]
