"""The gate, case by case."""

import json
import math
from typing import Any

import pytest

from semantic_nav.contracts.codec import to_plain
from semantic_nav.contracts.hypothesis import Action, CanonicalHypothesis, TargetStatus
from semantic_nav.contracts.schemas import check
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.gate import (
    MAX_REPLY_BYTES,
    GateContext,
    GateKind,
    GateRefusal,
    Passed,
    gate,
    judged,
)

PIXELS = GateContext(BoxConvention.PIXELS, (1036, 784), frozenset({'memory-s-1', 'memory-s-2'}))
PERMILLE = GateContext(BoxConvention.PERMILLE, (644, 476), frozenset())


def reply(**fields: Any) -> dict[str, Any]:
    return {'action': 'explore', 'target_status': 'not_visible', 'confidence_percent': 40,
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
                              rotate_deg=None, clarification_question=None,
                              scene={'place': 'hall',
                                     'objects': [{'name': 'sofa', 'box': None}]}))
    assert hypothesis.node_id is None
    assert hypothesis.scene.objects[0].box is None


def test_fields_of_another_action_are_left_out() -> None:
    hypothesis = passed(reply(node_id='nowhere', rotate_deg=60, explore_bearing_deg=30))
    assert (hypothesis.node_id, hypothesis.rotate_rad) == (None, None)
    assert hypothesis.explore_bearing_rad == pytest.approx(math.radians(30))


#: Each of them breaks the schema of its field.
UNUSABLE = {
    'rotate_deg': 4000, 'rotate_rad': 3.1416, 'node_id': '', 'clarification_question': 'x' * 301,
    'explore_bearing_deg': 'left', 'target_box': [1, 2, 3], 'navigation_goal': {'x': 'far'}}


@pytest.mark.parametrize('action', Action)
def test_no_field_refuses_a_reply_whose_action_does_not_use_it(action: Action) -> None:
    needed: dict[Action, dict[str, Any]] = {
        Action.APPROACH: {'target_box': [100, 100, 300, 300]}, Action.ROTATE: {'rotate_deg': 90},
        Action.GOTO_NODE: {'node_id': 'memory-s-1'},
        Action.ASK_CLARIFICATION: {'clarification_question': 'Which?'},
        Action.EXPLORE: {'explore_bearing_deg': 10}}
    used = needed.get(action, {})
    own = {'rotate_deg', 'rotate_rad'} if action is Action.ROTATE else set(used)
    if action is Action.APPROACH:
        own |= {'navigation_goal'}
    unused = {name: value for name, value in UNUSABLE.items() if name not in own}
    plain = reply(action=action, **used) | {'target_status': 'visible'}
    for one in (unused, *({name: value} for name, value in unused.items())):
        assert passed(plain | one) == passed(plain)


@pytest.mark.parametrize('box', [[1, 2, 3], [1, 2, 3, '4'], 'there', {'x': 1}, [1e9] * 4])
def test_what_is_no_box_is_left_out_where_nothing_rests_on_it(box: Any) -> None:
    scene = {'place': 'x', 'objects': [{'name': 'sofa', 'box': box}]}
    hypothesis = passed(reply(target_box=box, target_status='visible', scene=scene))
    assert (hypothesis.target_box, hypothesis.scene.objects[0].box) == (None, None)


@pytest.mark.parametrize(('fields', 'confidence'), [
    ({'confidence_percent': 95}, 0.95), ({'confidence_percent': 0}, 0), ({
        'confidence_percent': 1}, 0.01), ({'confidence_percent': 87.5}, 0.875),
    ({'confidence_percent': 0.95}, 0.95), ({'confidence_percent': 1.0}, 1),
    ({'confidence_percent': 100.05}, 1), ({'confidence_percent': -0.0005}, 0),
    ({'confidence': 0.95}, 0.95), ({'confidence': 95}, 0.95), ({'confidence': 1}, 1),
    ({'confidence': 1.0005}, 1), ({'confidence': 100}, 1), ({'confidence': 87.5}, 0.875)])
def test_confidence_is_read_as_it_is_meant(fields: dict[str, float], confidence: float) -> None:
    value = reply(**fields)
    if 'confidence' in fields:
        del value['confidence_percent']
    assert passed(value).confidence == pytest.approx(confidence)


@pytest.mark.parametrize('value', [1.5, 2, 8.0, 10, -0.5, 101, 10 ** 400])
def test_confidence_that_may_mean_several_things_is_refused(value: float) -> None:
    said = reply(confidence=value)
    del said['confidence_percent']
    assert 'confidence' in refused(said).path


@pytest.mark.parametrize(('fields', 'degrees'), [
    ({'rotate_deg': 90}, 90), ({'rotate_deg': -180}, -180), ({'rotate_deg': 270}, -90),
    ({'rotate_deg': -270}, 90), ({'rotate_deg': 450}, 90), ({'rotate_deg': 980}, -100),
    ({'rotate_deg': 180.05}, 180), ({'rotate_deg': 45.5}, 45.5), ({'rotate_deg': 0.0}, 0),
    ({'rotate_rad': math.pi / 2}, 90), ({'rotate_rad': 3.1416}, 180),
    ({'rotate_rad': -3.142}, -180),
    ({'rotate_rad': 4.712389}, -90), ({'rotate_rad': 1}, math.degrees(1)),
    ({'rotate_rad': 90}, 90), ({'rotate_rad': -45.0}, -45), ({'rotate_rad': 270}, -90)])
def test_angles_are_read_as_they_are_meant(fields: dict[str, float], degrees: float) -> None:
    found = passed(reply(action='rotate', **fields)).rotate_rad
    assert found == pytest.approx(math.radians(degrees), abs=1e-5)


@pytest.mark.parametrize('fields', [
    {'rotate_deg': 1.57}, {'rotate_deg': -3.0}, {'rotate_deg': 3601}, {'rotate_deg': 1e300},
    {'rotate_rad': 8}, {'rotate_rad': 980}, {'rotate_rad': -10 ** 400},
    {'rotate_rad': 1.0, 'rotate_deg': 90}])
def test_angles_that_may_mean_several_things_are_refused(fields: dict[str, float]) -> None:
    assert refused(reply(action='rotate', **fields)).message


def test_a_hint_that_may_mean_several_things_is_left_out() -> None:
    assert passed(reply(explore_bearing_deg=1.57)).explore_bearing_rad is None
    assert passed(reply(explore_bearing_rad=500)).explore_bearing_rad is None


@pytest.mark.parametrize(('fields', 'x'), [
    ({'x_cm': 320, 'y_cm': 10, 'yaw_deg': 90}, 3.2), ({'x': 3.2, 'y': 0.1, 'yaw': 1.57}, 3.2),
    ({'x_cm': 320.5, 'y_cm': 10, 'yaw_deg': 0}, 3.205)])
def test_a_named_pose_is_read_in_both_units(fields: dict[str, float], x: float) -> None:
    goal = passed(approach(navigation_goal={'frame_id': 'map', **fields})).navigation_goal
    assert goal is not None
    assert (goal.x, goal.y) == pytest.approx((x, 0.1))


@pytest.mark.parametrize('fields', [{'x_cm': 3.2}, {'x': 1e9}, {'yaw_deg': 1.57}])
def test_a_named_pose_that_may_mean_several_is_refused(fields: dict[str, float]) -> None:
    goal = {'frame_id': 'map', 'x_cm': 320, 'y_cm': 10, 'yaw_deg': 0, **fields}
    if 'x' in fields:
        del goal['x_cm']
    refusal = refused(approach(navigation_goal=goal))
    assert refusal.kind is GateKind.SEMANTIC_BAD
    assert refusal.path == f'$.navigation_goal.{next(iter(fields))}'


@pytest.mark.parametrize('boxes', BoxConvention)
def test_shares_of_the_picture_are_read_as_such(boxes: BoxConvention) -> None:
    box = [0.25, 0.5, 0.75, 1.0]
    if boxes is BoxConvention.PERMILLE_YX:
        box = [0.5, 0.25, 1.0, 0.75]
    hypothesis = passed(approach(target_box=box), GateContext(boxes, (640, 480), frozenset()))
    assert hypothesis.target_box == pytest.approx((250, 500, 750, 1000))


def otherwise(value: Any) -> tuple[str, ...]:
    result = judged(json.dumps(value), PIXELS)
    assert isinstance(result, Passed), result
    return result.otherwise


def test_what_was_written_otherwise_is_named() -> None:
    assert otherwise(reply()) == ()
    assert otherwise(approach(target_box=[1, 2, 300, 400])) == ()
    assert otherwise(reply(confidence_percent=0.95)) == ('confidence_percent',)
    assert otherwise(reply(action='rotate', rotate_rad=1.0)) == ('rotate_deg',)
    assert otherwise(reply(rotate_rad=3.1416, node_id='')) == ()
    assert otherwise(approach(target_box=[300, 400, 1, 2])) == ('target_box',)
    assert otherwise(reply(scene={'place': '', 'objects': [
        {'name': 'mug', 'box': [0.1, 0.2, 0.3, 0.4]}]})) == ('scene.objects.box',)


def test_control_characters_do_not_reach_a_terminal() -> None:
    hypothesis = passed(reply(rationale='\x1b[2J\x9b2Jgone\x7f\n', scene={
        'place': 'a\tb', 'objects': [{'name': '\x07'}]}))
    assert hypothesis.rationale == ' [2J 2Jgone  '
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


def test_longest_reply_is_looked_at_still() -> None:
    text = json.dumps(reply())
    assert passed(text + ' ' * (MAX_REPLY_BYTES - len(text))) == passed(reply())


def test_a_longer_reply_is_not_looked_at() -> None:
    text = json.dumps(reply()) + ' ' * MAX_REPLY_BYTES
    assert refused(text).message == f'{len(text)} bytes, allowed are {MAX_REPLY_BYTES}'


@pytest.mark.parametrize(('value', 'path', 'schema_path'), [
    ({}, '$', '#/required'),
    (reply(action='fly'), '$.action', '#/properties/action/enum'),
    (reply(action=None), '$.action', '#/properties/action/type'),
    (reply(target_status=['visible']), '$.target_status', '#/properties/target_status/type'),
    (reply(confidence_percent=150), '$.confidence_percent',
     '#/properties/confidence_percent/maximum'),
    (reply(confidence_percent=True), '$.confidence_percent',
     '#/properties/confidence_percent/type'),
    (reply(confidence_percent='0.5'), '$.confidence_percent',
     '#/properties/confidence_percent/type'),
    (reply(confidence_percent=10 ** 400), '$.confidence_percent',
     '#/properties/confidence_percent/maximum'),
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
    (reply(action='rotate', rotate_deg=3601), '$.rotate_deg',
     '#/properties/rotate_deg/anyOf/0/maximum'),
    (reply(action='rotate', rotate_deg='1.5'), '$.rotate_deg',
     '#/properties/rotate_deg/anyOf/0/type'),
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
    (reply(confidence_percent='0.5'), '"0.5" is not of type "number"'),
    (reply(speed_m_s=3), "Additional properties are not allowed ('speed_m_s' was unexpected)"),
    (approach(target_box=[1, 2, 3]), '[1, 2, 3] has less than 4 items'),
    (reply(action='rotate'), '"rotate_deg" is a required property'),
])
def test_what_breaks_a_schema_is_told_in_words(value: Any, message: str) -> None:
    assert refused(value).message == message


def test_an_approach_names_one_of_two() -> None:
    goal = {'frame_id': 'map', 'x_cm': 100, 'y_cm': 200, 'yaw_deg': 0}
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
    [100, 100, 100, 200], [100, 100, 101, 200],
    [-100, 100, 200, 200], [100, 100, 200, 900], [2000, 2000, 3000, 3000], [0, 0, 0, 0],
    [-9, 0, -1, 700],
])
def test_the_target_to_approach_needs_a_box_inside_the_picture(box: list[float]) -> None:
    refusal = refused(approach(target_box=box))
    assert (refusal.kind, refusal.path) == (GateKind.SEMANTIC_BAD, '$.target_box')


@pytest.mark.parametrize('box', [
    [518, 392, 259, 196], [518, 196, 259, 392], [259, 392, 518, 196]])
def test_two_corners_span_the_box_whichever_they_are(box: list[float]) -> None:
    assert passed(approach(target_box=box)).target_box == pytest.approx((250, 250, 500, 500))


def test_a_box_slightly_outside_is_moved_to_the_edge() -> None:
    hypothesis = passed(approach(target_box=[-10, -7, 1046, 791]))
    assert hypothesis.target_box == (0, 0, 1000, 1000)


@pytest.mark.parametrize(('box', 'across'), [
    ([829, 100, 1098, 300], (800, 1000)), ([-62, 100, 259, 300], (0, 250))])
def test_a_box_over_the_edge_is_cut_if_its_middle_lies_inside(
        box: list[float], across: tuple[float, float]) -> None:
    """Qwen3-VL 1035: six hundredths over the edge."""
    left, _, right, _ = passed(approach(target_box=box)).target_box or (0, 0, 0, 0)
    assert (left, right) == pytest.approx(across, abs=1)
    narrow = [1037, 100, 1098, 300] if box[0] > 0 else [-62, 100, -1, 300]
    assert 'outside the picture' in refused(approach(target_box=narrow)).message


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
