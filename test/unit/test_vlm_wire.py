"""The schemas that a model is held to, as the grammars of its server can use them."""

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from strategies import examples, plain_hypotheses

from semantic_nav.contracts.hypothesis import ONLY_WITH, Action, TargetStatus
from semantic_nav.contracts.schemas import load_schema
from semantic_nav.vlm.conversation import schema_words
from semantic_nav.vlm.gate.boxes import BoxConvention, box_words
from semantic_nav.vlm.gate.reread import reread
from semantic_nav.vlm.gate.wire import CANONICAL_NAMES, request_schema, to_canonical, wire_schema

#: What llama.cpp's grammar holds of a schema (docs/models.md), and on what both judges agree.
HELD = {
    'anyOf': {'anyOf'}, 'string': {'type', 'minLength', 'maxLength'}, 'enum': {'type', 'enum'},
    'integer': {'type', 'minimum', 'maximum'}, 'null': {'type'},
    'array': {'type', 'items', 'minItems', 'maxItems'},
    'object': {'type', 'properties', 'required', 'additionalProperties'}}
#: Shares of the picture alone: a grammar of whole numbers lets only the 0 of 0.31 through.
SHARE = {'type': 'number', 'minimum': 0, 'maximum': 1}
SCHEMAS = {f'{boxes}-{nodes}': request_schema(boxes, sent_px, nodes)
           for boxes, sent_px in product(BoxConvention, (None, (644, 476)))
           for nodes in (None, (), ('memory-s-1', 'memory-s-2'), ('a "b"',))}


def unheld(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a schema that no grammar is known to hold."""
    kind = next((word for word in ('anyOf', 'enum') if word in schema), schema.get('type'))
    parts = [*schema.get('anyOf', ()), *schema.get('properties', {}).values(),
             *([schema['items']] if 'items' in schema else [])]
    bounded = {'integer': {'minimum', 'maximum'}, 'string': {'maxLength'},
               'array': {'items', 'maxItems'}}.get(str(kind), set())
    said = schema.keys() - {'title'}
    closed = kind != 'object' or (schema.get('additionalProperties') is False
                                  and schema['required'] == list(schema['properties']))
    known = bounded <= said <= HELD.get(str(kind), set()) and kind is not None
    wrong = [] if known and closed else [schema]
    return wrong + [one for part in parts for one in unheld(part)]


@pytest.mark.parametrize('schema', SCHEMAS.values(), ids=SCHEMAS.keys())
def test_all_that_is_asked_for_is_held(schema: dict[str, Any]) -> None:
    shares = schema['title'].endswith(BoxConvention.UNIT)
    assert [part for part in unheld(schema) if not (shares and part == SHARE)] == []


@pytest.mark.parametrize('part', [
    {'type': 'number', 'minimum': 0, 'maximum': 1}, {'type': 'integer', 'minimum': 0},
    {'type': 'integer', 'minimum': 0, 'maximum': 9, 'multipleOf': 2},
    {'type': 'string', 'maxLength': 9, 'pattern': '^a'}, {'type': 'string'},
    {'type': 'array', 'items': {'type': 'null'}, 'maxItems': 3, 'uniqueItems': True},
    {'type': 'array', 'prefixItems': [{'type': 'null'}], 'maxItems': 1}, {'$ref': '#/$defs/a'},
    {'oneOf': [{'type': 'null'}]}, {'not': {'type': 'null'}}, {'const': 1}, {}])
def test_a_schema_that_is_not_held_would_be_found(part: dict[str, Any]) -> None:
    whole = {'type': 'object', 'additionalProperties': False, 'required': ['a'],
             'properties': {'a': {'anyOf': [part, {'type': 'null'}]}}}
    assert unheld(whole) == [part]


@pytest.mark.parametrize('boxes', list(BoxConvention))
def test_what_is_accepted_lists_what_the_canonical_schema_lists(boxes: BoxConvention) -> None:
    accepted, canonical = wire_schema(boxes), load_schema('vlm_hypothesis')
    assert [CANONICAL_NAMES.get(name, name) for name in accepted['properties']] == [
        *canonical['properties']]
    assert accepted['required'] == [
        'action', 'target_status', 'confidence_percent', 'scene', 'rationale']


def forms(*arguments: Any) -> dict[str, dict[str, Any]]:
    """Return the forms that are asked for, by their actions."""
    asked = request_schema(*arguments)['anyOf']
    return {form['properties']['action']['enum'][0]: form for form in asked}


@pytest.mark.parametrize('boxes', list(BoxConvention))
def test_numbers_are_asked_for_before_prose(boxes: BoxConvention) -> None:
    """llama.cpp's grammar keeps the order of the required properties and puts the others last."""
    for form in forms(boxes).values():
        order = form['required']
        assert order == list(form['properties'])
        assert order[:4] == ['action', 'target_status', 'confidence_percent', 'target_box']
        assert order[-2:] == ['scene', 'rationale']


def test_each_action_is_asked_for_its_own_fields() -> None:
    asked = forms(BoxConvention.PERMILLE)
    assert list(asked) == list(Action)
    own = {action: asked[action]['required'][4:-2] for action in asked}
    assert own == {'approach': [], 'explore': ['explore_bearing_deg'], 'rotate': ['rotate_deg'],
                   'goto_node': ['node_id'], 'stop': [],
                   'ask_clarification': ['clarification_question']}
    may_be_null = {action: 'anyOf' in form['properties']['target_box']
                   for action, form in asked.items()}
    assert [action for action, null in may_be_null.items() if not null] == ['approach']
    statuses = {action: form['properties']['target_status']['enum']
                for action, form in asked.items()}
    assert statuses['approach'] == ['visible', 'ambiguous'] and statuses['stop'] == ['visible']
    assert statuses['explore'] == list(TargetStatus)


def test_only_places_that_were_told_are_asked_for() -> None:
    assert 'goto_node' not in forms(BoxConvention.PERMILLE, None, ())
    told = forms(BoxConvention.PERMILLE, None, ['memory-s-2', 'memory-s-1'])
    assert told['goto_node']['properties']['node_id'] == {
        'type': 'string', 'enum': ['memory-s-2', 'memory-s-1']}
    # An id that somebody wrote stays in the prompt's block of data.
    hostile = forms(BoxConvention.PERMILLE, None, ['memory-s-1', 'a", "x'])
    assert hostile['goto_node']['properties']['node_id'] == {
        'type': 'string', 'minLength': 1, 'maxLength': 160}


def test_boxes_are_asked_for_within_the_picture() -> None:
    for boxes, sent_px, most in ((BoxConvention.PIXELS, (476, 644), 644),
                                 (BoxConvention.PERMILLE_YX, (476, 644), 1000)):
        box = forms(boxes, sent_px)['approach']['properties']['target_box']
        assert box['items'] == {'type': 'integer', 'minimum': 0, 'maximum': most}


def test_in_words_it_is_one_form() -> None:
    asked = request_schema(BoxConvention.PIXELS, (644, 476), ('memory-s-1',))
    one = json.loads(schema_words(asked).split('schema:\n')[1])
    assert one['required'] == ['action', 'target_status', 'confidence_percent', 'target_box',
                               'scene', 'rationale']
    assert one['properties']['action']['enum'] == list(Action)
    assert set(one['properties']['target_status']['enum']) == set(TargetStatus)
    assert {name for form in asked['anyOf'] for name in form['properties']} == set(
        one['properties'])
    assert 'anyOf' in one['properties']['target_box'], 'it may be null in one form'
    assert len(json.dumps(one)) < len(json.dumps(asked)) / 3
    assert schema_words({'type': 'null'}).endswith('{"type":"null"}')


def test_a_full_reply_fits_the_default_token_limit() -> None:
    """At some 3 characters a token, as numbers and braces have."""
    box = [1000, 1000, 1000, 1000]
    form = forms(BoxConvention.PIXELS)['approach']
    objects = form['properties']['scene']['properties']['objects']
    full = {'action': 'approach', 'target_status': 'ambiguous', 'confidence_percent': 100,
            'target_box': box,
            'scene': {'place': 'living room',
                      'objects': [{'name': 'potted plant', 'box': box}] * objects['maxItems']},
            'rationale': 'x' * form['properties']['rationale']['maxLength']}
    assert list(full) == form['required']
    assert len(json.dumps(full)) < 512 * 3


@pytest.mark.parametrize(('boxes', 'written', 'canonical'), [
    (BoxConvention.PERMILLE, [100, 200, 300, 400], [100, 200, 300, 400]),
    (BoxConvention.PERMILLE_YX, [200, 100, 400, 300], [100, 200, 300, 400]),
    (BoxConvention.UNIT, [0.1, 0.2, 0.3, 0.4], [100, 200, 300, 400]),
    (BoxConvention.PIXELS, [64, 96, 192, 192], [100, 200, 300, 400])])
def test_each_convention_comes_to_the_same_box(boxes: BoxConvention, written: list[float],
                                               canonical: list[float]) -> None:
    reply = {'action': 'approach', 'target_status': 'visible', 'confidence_percent': 90,
             'target_box': written, 'rationale': '', 'scene': {
                 'place': '', 'objects': [{'name': 'mug', 'box': written}]}}
    found = to_canonical(reply, boxes, (640, 480))
    assert found['target_box'] == pytest.approx(canonical)
    assert found['scene']['objects'][0]['box'] == pytest.approx(canonical)
    order = ['y1', 'x1'] if boxes is BoxConvention.PERMILLE_YX else ['x1', 'y1']
    assert box_words(boxes).startswith(f'[{", ".join(order)}, ')


def as_a_careful_model(value: Any) -> Any:
    """Return a hypothesis, or a part of one, with usable boxes and nothing unprintable in it."""
    if isinstance(value, str):
        return value if value.isprintable() else 'x'
    if isinstance(value, list):
        return [as_a_careful_model(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {name: [1.0, 2.5, 999.0, 1000.0] if name in ('box', 'target_box')
            else as_a_careful_model(part) for name, part in value.items()}


def nearly(value: Any) -> Any:
    """Return a hypothesis whose numbers are compared but for what two conversions change."""
    if isinstance(value, list):
        return [nearly(part) for part in value]
    if isinstance(value, dict):
        return {name: nearly(part) for name, part in value.items()}
    return pytest.approx(value, abs=1e-9) if isinstance(value, float) else value


@settings(max_examples=examples(200), suppress_health_check=list(HealthCheck))
@given(plain_hypotheses().map(as_a_careful_model))
def test_every_field_comes_through_that_its_action_uses(plain: dict[str, Any]) -> None:
    """One that was added to the hypothesis too: nothing here or in the converter lists them."""
    if plain['action'] != 'approach' and plain['target_status'] == 'not_visible':
        plain.pop('target_box', None)
    used = {name: value for name, value in plain.items()
            if name not in ONLY_WITH or ONLY_WITH[name] == plain['action']}
    for reply in (plain, dict.fromkeys(ONLY_WITH) | plain):
        said, _ = reread(reply, BoxConvention.PERMILLE)
        assert to_canonical(said, BoxConvention.PERMILLE, (640, 480)) == nearly(used)
