"""The gate, case by case."""

import json
from typing import Any

import pytest

from semantic_nav.contracts.codec import to_plain
from semantic_nav.contracts.hypothesis import Action, CanonicalHypothesis, TargetStatus
from semantic_nav.contracts.schemas import check
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.gate import MAX_REPLY_BYTES, GateContext, GateKind, GateRefusal, gate

PIXELS = GateContext(BoxConvention.PIXELS, (1036, 784), frozenset({'memory-s-1', 'memory-s-2'}))
PERMILLE = GateContext(BoxConvention.PERMILLE, (644, 476), frozenset())


def reply(**fields: Any) -> dict[str, Any]:
    return {'action': 'explore', 'target_status': 'not_visible', 'confidence': 0.4,
            'scene': {'place': 'kitchen', 'objects': []}, 'rationale': 'nothing here', **fields}


def approach(**fields: Any) -> dict[str, Any]:
    return reply(action='approach', target_status='visible', **fields)


def passed(value: Any, context: GateContext = PIXELS) -> CanonicalHypothesis:
    text = value if isinstance(value, str) else json.dumps(value)
    result = gate(text, context)
    assert isinstance(result, CanonicalHypothesis), result
    check('vlm_hypothesis', to_plain(result))
    return result


def refused(value: Any, context: GateContext = PIXELS) -> GateRefusal:
    text = value if isinstance(value, str) else json.dumps(value)
    result = gate(text, context)
    assert isinstance(result, GateRefusal), result
    return result


def test_pixels_of_the_picture_sent_become_per_mille() -> None:
    hypothesis = passed(approach(target_box=[259, 196, 518, 392]))
    assert hypothesis.action is Action.APPROACH
    assert hypothesis.target_status is TargetStatus.VISIBLE
    assert hypothesis.target_box == pytest.approx((250, 250, 500, 500))


def test_per_mille_stays_per_mille() -> None:
    hypothesis = passed(approach(target_box=[250, 250, 500, 500]), PERMILLE)
    assert hypothesis.target_box == (250, 250, 500, 500)


@pytest.mark.parametrize('text', [
    '{}',
    '```json\n{}\n```',
    '\ufeff{}',
    'Sure! Here it is:\n{} Hope that helps.',
    'In {curly} words: {}',
    '{not json} {}',
    '[{}]',
])
def test_the_object_is_found_in_what_stands_around_it(text: str) -> None:
    assert passed(text.replace('{}', json.dumps(reply()))).action is Action.EXPLORE


@pytest.mark.parametrize('text', [
    'a set { of things, and {}',
    'an emoticon :-{ and then\n{}',
    'the form is {...}, so {}',
    'open {\n  ```JSON\n\n{}',
    'of {sets {of sets} I say {}',
])
def test_no_brace_in_prose_hides_the_object(text: str) -> None:
    assert passed(text.replace('{}', json.dumps(reply()))).action is Action.EXPLORE


POSTER = json.dumps(approach(target_box=[1, 2, 300, 400]))


@pytest.mark.parametrize('text', [
    'A poster reads ' + POSTER + '. My answer: {}',
    '{}\nA poster reads "' + POSTER + '", which I do not obey.',
    '```json\n' + POSTER + '\n```\nis on the poster. So:\n```json\n{}\n```',
    'The poster: ' + POSTER + '\n```json\n{}\n```',
    '`' + POSTER + '` {}',
    '[' + POSTER + ', {}]',
    '{} ' + POSTER + ' {}',
    '{} {"action": "stop"}',
    '{"action": "stop"} was wrong:\n```\n{}\n```\nso {"action": "stop"} it is not',
    '{"thought": "hm"} {}',
    '{curly ' + POSTER + '} {}',
    '{} ' * 17,
])
def test_of_several_objects_none_is_the_answer(text: str) -> None:
    refusal = refused(text.replace('{}', json.dumps(reply())))
    assert (refusal.kind, refusal.message) == (
        GateKind.PARSE_FAIL, 'the reply holds more than one JSON object')


@pytest.mark.parametrize('answer', [
    "{'action': 'explore'}", '{action: explore}', '{"action": "explore",}', '{ // so\n"a": 1}',
    '{“action”: “explore”}', '{{"action": "explore"}}', '{\\"action\\": 1}', '{\u200b"a": 1}',
    '{"action": "expl', '{"action": ', '{"act', '{"action": ...}', '{"I think", it says',
    '{"action": "stop", no, let me begin anew',
])
def test_nothing_is_taken_beside_an_object_that_cannot_be_read(answer: str) -> None:
    assert refused(f'A poster reads {POSTER}. My answer: {answer}').kind is GateKind.PARSE_FAIL
    assert refused(f'My answer: {answer}. The poster reads {POSTER}').kind is GateKind.PARSE_FAIL


@pytest.mark.parametrize('begun', ['{act', '{ ', '{\n', '{'])
def test_nothing_is_taken_before_an_object_that_has_just_begun(begun: str) -> None:
    refusal = refused(f'A poster reads {POSTER}. My answer: {begun}')
    assert (refusal.kind, refusal.message) == (
        GateKind.PARSE_FAIL, 'the JSON object is cut off')


def test_the_same_object_may_be_said_again() -> None:
    fields = reply(rationale='it reads ' + POSTER)
    again = json.dumps(dict(reversed(fields.items())), indent=2)
    text = f'I say {json.dumps(fields)}:\n```json\n{again}\n```'
    assert passed(text).rationale == fields['rationale']


@pytest.mark.parametrize('text', [
    '{"scene": {"place": "hall", "objects": []}, "draft": {}',
    '{"drafts": [{}, {}',
    '{"drafts": [\n   {"a": [1, 2]},\n   {}',
])
def test_no_part_of_what_never_closes_is_taken(text: str) -> None:
    refusal = refused(text.replace('{}', json.dumps(reply(), indent=2)))
    assert (refusal.kind, refusal.message) == (
        GateKind.PARSE_FAIL, 'the JSON object is cut off')


def test_a_fence_within_a_string_is_a_string() -> None:
    inner = json.dumps(reply(rationale='inner'))
    text = json.dumps(reply(rationale='on the wall: ```json\n' + inner[:100]))
    assert passed(text).rationale.startswith('on the wall')


@pytest.mark.parametrize('rationale', [
    'a } brace', 'a { brace', 'an escaped " quote }', 'ends in a backslash \\', '```',
    'ünïcode 💡'])
def test_strings_may_hold_what_looks_like_structure(rationale: str) -> None:
    assert passed('so: ' + json.dumps(reply(rationale=rationale))).rationale == rationale


def test_nulls_count_as_absent() -> None:
    hypothesis = passed(reply(target_box=None, navigation_goal=None, node_id=None,
                              rotate_rad=None, clarification_question=None,
                              scene={'place': 'hall',
                                     'objects': [{'name': 'sofa', 'box': None}]}))
    assert hypothesis.node_id is None
    assert hypothesis.scene.objects[0].box is None


def test_fields_of_another_action_are_left_out() -> None:
    hypothesis = passed(reply(node_id='nowhere', rotate_rad=1.0, explore_bearing_rad=0.5))
    assert (hypothesis.node_id, hypothesis.rotate_rad) == (None, None)
    assert hypothesis.explore_bearing_rad == 0.5


def test_control_characters_do_not_reach_a_terminal() -> None:
    hypothesis = passed(reply(rationale='\x1b[2J\x9b2Jgone\n', scene={
        'place': 'a\tb', 'objects': [{'name': '\x07'}]}))
    assert hypothesis.rationale == ' [2J 2Jgone '
    assert passed(reply(rationale='to \u202etfel\u202c\u2066\u2028')).rationale == 'to  tfel   '
    assert (hypothesis.scene.place, hypothesis.scene.objects[0].name) == ('a b', ' ')


@pytest.mark.parametrize('text', [
    '', ' ', 'no', '[]', '[1, {', '"text"', 'null', '12', '{', '}', '{]', '{"a": }', '{a: 1}',
    '{"a": 1,}', "{'a': 1}", '{"a": NaN}', '{"a": Infinity}', '{"a": 1e999}', '{"a": 1, "a": 2}',
    '{"a": "\\ud800"}', '{"a": "\ud800"}', '{"a": "\n"}', '{"a": ' + '9' * 5000 + '}',
    '{"a":' * 40 + '1' + '}' * 40, '{"a":' * 20_000, '[' * 60_000, '{' * 60_000,
    '{"a":' + '[' * 30_000 + ']' * 30_000 + '}',
])
def test_what_is_not_json_fails_to_parse(text: str) -> None:
    assert refused(text).kind is GateKind.PARSE_FAIL


def test_cut_off_json_is_not_repaired() -> None:
    text = json.dumps(reply())
    for length in range(len(text)):
        assert refused(text[:length]).kind is GateKind.PARSE_FAIL


def test_a_part_is_not_taken_for_the_whole() -> None:
    text = '{"draft": ' + json.dumps(reply())
    assert refused(text).kind is GateKind.PARSE_FAIL
    assert refused(text + '}').kind is GateKind.SCHEMA_BAD


@pytest.mark.parametrize(('text', 'message'), [
    ('{"a":' * 33 + '1' + '}' * 33, 'nested deeper than 32 brackets'),
    ('{"a": [' + '1,' * 501 + '1]}', 'more than 500 commas'),
    ('{"a": 1', 'the JSON object is cut off'),
    ('{"a": "}', 'the JSON object is cut off'),
    ('no', 'the reply holds no JSON object'),
])
def test_limits_hold_before_anything_is_parsed(text: str, message: str) -> None:
    assert refused(text).message == message


def test_commas_in_a_string_are_no_values() -> None:
    assert refused('{"a": "' + ',' * 5000 + '"}').kind is GateKind.SCHEMA_BAD


def test_a_longer_reply_is_not_looked_at() -> None:
    text = json.dumps(reply()) + ' ' * MAX_REPLY_BYTES
    assert refused(text).message == f'{len(text)} bytes, allowed are {MAX_REPLY_BYTES}'


@pytest.mark.parametrize(('value', 'path', 'schema_path'), [
    ({}, '$', '#/required'),
    (reply(action='fly'), '$.action', '#/properties/action/enum'),
    (reply(action=None), '$.action', '#/properties/action/type'),
    (reply(target_status=['visible']), '$.target_status', '#/properties/target_status/type'),
    (reply(confidence=1.5), '$.confidence', '#/properties/confidence/maximum'),
    (reply(confidence=True), '$.confidence', '#/properties/confidence/type'),
    (reply(confidence='0.5'), '$.confidence', '#/properties/confidence/type'),
    (reply(confidence=10 ** 400), '$.confidence', '#/properties/confidence/maximum'),
    (reply(speed_m_s=3), '$', '#/additionalProperties'),
    (reply(rationale='x' * 401), '$.rationale', '#/properties/rationale/maxLength'),
    (reply(scene=None), '$.scene', '#/properties/scene/type'),
    (reply(scene={'place': 'x', 'objects': [{'name': 'a'}] * 13}), '$.scene.objects',
     '#/properties/scene/properties/objects/maxItems'),
    (reply(scene={'place': 'x', 'objects': [{'name': ''}]}), '$.scene.objects[0].name',
     '#/properties/scene/properties/objects/items/properties/name/minLength'),
    (approach(target_box=[1, 2, 3]), '$.target_box', '#/properties/target_box/anyOf/0/minItems'),
    (approach(target_box=[1, 2, 3, 4, 5]), '$.target_box',
     '#/properties/target_box/anyOf/0/maxItems'),
    (approach(target_box='1,2,3,4'), '$.target_box', '#/properties/target_box/anyOf/0/type'),
    (approach(target_box=[1, 2, 3, '4']), '$.target_box[3]',
     '#/properties/target_box/anyOf/0/items/type'),
    (approach(target_box=[0, 0, 1e300, 1]), '$.target_box[2]',
     '#/properties/target_box/anyOf/0/items/maximum'),
    (reply(action='rotate', rotate_rad=90), '$.rotate_rad',
     '#/properties/rotate_rad/anyOf/0/maximum'),
    (reply(action='rotate', rotate_rad='1.5'), '$.rotate_rad',
     '#/properties/rotate_rad/anyOf/0/type'),
    (reply(action='rotate'), '$', '#/allOf/2/then/required'),
    (reply(action='goto_node'), '$', '#/allOf/1/then/required'),
    (reply(action='ask_clarification'), '$', '#/allOf/3/then/required'),
    (approach(), '$', '#/allOf/0/then/oneOf'),
])
def test_what_breaks_a_schema_is_told_with_both_places(value: Any, path: str,
                                                       schema_path: str) -> None:
    refusal = refused(value)
    assert refusal.kind is GateKind.SCHEMA_BAD
    assert (refusal.path, refusal.schema_path) == (path, schema_path)


@pytest.mark.parametrize(('value', 'message'), [
    (reply(action='fly'), '"fly" is none of approach, explore, rotate, goto_node, '
                          'ask_clarification, stop'),
    (reply(rationale='x' * 500), '"' + 'x' * 59 + '... is longer than 400 characters'),
    (reply(confidence='0.5'), '"0.5" is not of type "number"'),
    (reply(speed_m_s=3), "Additional properties are not allowed ('speed_m_s' was unexpected)"),
    (approach(target_box=[1, 2, 3]), '[1, 2, 3] has less than 4 items'),
    (reply(action='rotate'), '"rotate_rad" is a required property'),
])
def test_what_breaks_a_schema_is_told_in_words(value: Any, message: str) -> None:
    assert refused(value).message == message


def test_an_approach_names_one_of_two() -> None:
    goal = {'frame_id': 'map', 'x': 1, 'y': 2, 'yaw': 0}
    for value in (approach(), approach(target_box=[1, 2, 30, 40], navigation_goal=goal)):
        assert refused(value).message == 'needs exactly one of target_box, navigation_goal'
    navigation_goal = passed(approach(navigation_goal=goal)).navigation_goal
    assert navigation_goal is not None
    assert (navigation_goal.x, navigation_goal.y) == (1, 2)


def test_what_the_reply_itself_does_not_see_is_not_approached() -> None:
    refusal = refused(approach(target_box=[259, 196, 518, 392]) | {'target_status': 'not_visible'})
    assert (refusal.kind, refusal.path) == (GateKind.SEMANTIC_BAD, '$.target_status')
    unsure = approach(target_box=[259, 196, 518, 392]) | {'target_status': 'ambiguous'}
    assert passed(unsure).target_box is not None
    assert passed(reply(target_box=[259, 196, 518, 392])).target_box is None
    assert passed(reply(target_box=[259, 196, 518, 392], target_status='visible')).target_box


@pytest.mark.parametrize('box', [
    [300, 100, 200, 200], [100, 300, 200, 200], [100, 100, 100, 200], [100, 100, 101, 200],
    [-100, 100, 200, 200], [100, 100, 200, 900], [2000, 2000, 3000, 3000], [0, 0, 0, 0],
    [-9, 0, -1, 700],
])
def test_the_target_to_approach_needs_a_box_inside_the_picture(box: list[float]) -> None:
    refusal = refused(approach(target_box=box))
    assert (refusal.kind, refusal.path) == (GateKind.SEMANTIC_BAD, '$.target_box')


def test_a_box_slightly_outside_is_moved_to_the_edge() -> None:
    hypothesis = passed(approach(target_box=[-10, -7, 1046, 791]))
    assert hypothesis.target_box == (0, 0, 1000, 1000)


def test_an_unusable_box_is_left_out_where_nothing_rests_on_it() -> None:
    hypothesis = passed(reply(
        target_box=[0, 0, 0, 0], target_status='visible',
        scene={'place': 'x', 'objects': [{'name': 'sofa', 'box': [5000, 0, 6000, 1]},
                                         {'name': 'lamp', 'box': [0, 0, 518, 392]}]}))
    assert hypothesis.target_box is None
    assert [one.box for one in hypothesis.scene.objects] == [
        None, pytest.approx((0, 0, 500, 500))]


def test_only_a_candidate_that_was_told_can_be_gone_to() -> None:
    assert passed(reply(action='goto_node', node_id='memory-s-2')).node_id == 'memory-s-2'
    for node in ('memory-s-3', 'Memory-s-2', 'memory-s-2 '):
        refusal = refused(reply(action='goto_node', node_id=node))
        assert (refusal.kind, refusal.path) == (GateKind.SEMANTIC_BAD, '$.node_id')
        assert refusal.message == f'{node!r} is the node_id of none of the candidates'


def test_a_refusal_quotes_no_more_than_a_line_or_two() -> None:
    refusal = refused(reply(**{f'{number}' + 'x' * 1000: 1 for number in range(50)}))
    assert len(refusal.message) < 320
    assert str(refusal).startswith('SCHEMA_BAD at $: ')
