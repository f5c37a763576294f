"""The schemas that a model is held to, as the grammars of its server can use them."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from strategies import examples, plain_hypotheses

from semantic_nav.contracts.hypothesis import ONLY_WITH
from semantic_nav.contracts.schemas import load_schema
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.wire import box_words, request_schema, to_canonical, wire_schema


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for part in schema.values():
            yield from parts(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from parts(part)


@pytest.mark.parametrize('boxes', list(BoxConvention))
@pytest.mark.parametrize('make', [wire_schema, request_schema])
def test_nothing_in_it_is_beyond_a_grammar(make: Any, boxes: BoxConvention) -> None:
    known = {'title', 'type', 'properties', 'required', 'additionalProperties', 'enum', 'items',
             'minItems', 'maxItems', 'minLength', 'maxLength', 'minimum', 'maximum', 'anyOf'}
    schema = make(boxes)
    names = {name for part in parts(schema) for name in part.get('properties', {})}
    for part in parts(schema):
        assert part.keys() <= known | names
        if part.get('type') == 'object':
            assert part['additionalProperties'] is False
        if part.get('type') == 'array':
            assert 'maxItems' in part
        if part.get('type') == 'string' and 'enum' not in part:
            assert 'maxLength' in part


@pytest.mark.parametrize('boxes', list(BoxConvention))
def test_it_lists_what_the_canonical_schema_lists(boxes: BoxConvention) -> None:
    canonical = load_schema('vlm_hypothesis')
    for schema in (wire_schema(boxes), request_schema(boxes)):
        assert list(schema['properties']) == list(canonical['properties'])
    assert wire_schema(boxes)['required'] == [
        'action', 'target_status', 'confidence', 'scene', 'rationale']


@pytest.mark.parametrize('boxes', list(BoxConvention))
def test_numbers_are_asked_for_before_prose(boxes: BoxConvention) -> None:
    """llama.cpp's grammar keeps the order of the required properties and puts the others last."""
    schema = request_schema(boxes)
    assert schema['required'] == list(schema['properties'])
    order = schema['required']
    assert order[:4] == ['action', 'target_status', 'confidence', 'target_box']
    assert order[-2:] == ['scene', 'rationale']


def test_a_full_reply_fits_the_default_token_limit() -> None:
    """At some 3 characters a token, as numbers and braces have."""
    thing = {'name': 'potted plant', 'box': [1000, 1000, 1000, 1000]}
    objects = request_schema(BoxConvention.PIXELS)['properties']['scene']['properties']['objects']
    full = dict.fromkeys(request_schema(BoxConvention.PIXELS)['properties']) | {
        'action': 'approach', 'target_status': 'not_visible', 'confidence': 0.85,
        'target_box': [1000, 1000, 1000, 1000],
        'scene': {'place': 'living room', 'objects': [thing] * objects['maxItems']},
        'rationale': 'x' * 300}
    assert len(json.dumps(full)) < 512 * 3


@pytest.mark.parametrize(('boxes', 'written', 'canonical'), [
    (BoxConvention.PERMILLE, [100, 200, 300, 400], [100, 200, 300, 400]),
    (BoxConvention.PERMILLE_YX, [200, 100, 400, 300], [100, 200, 300, 400]),
    (BoxConvention.UNIT, [0.1, 0.2, 0.3, 0.4], [100, 200, 300, 400]),
    (BoxConvention.PIXELS, [64, 96, 192, 192], [100, 200, 300, 400])])
def test_each_convention_comes_to_the_same_box(boxes: BoxConvention, written: list[float],
                                               canonical: list[float]) -> None:
    reply = {'action': 'approach', 'target_status': 'visible', 'confidence': 0.9,
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


@settings(max_examples=examples(200), suppress_health_check=list(HealthCheck))
@given(plain_hypotheses().map(as_a_careful_model))
def test_every_field_comes_through_that_its_action_uses(plain: dict[str, Any]) -> None:
    """One that was added to the hypothesis too: nothing here or in the converter lists them."""
    if plain['action'] != 'approach' and plain['target_status'] == 'not_visible':
        plain.pop('target_box', None)
    used = {name: value for name, value in plain.items()
            if name not in ONLY_WITH or ONLY_WITH[name] == plain['action']}
    assert to_canonical(plain, BoxConvention.PERMILLE, (640, 480)) == used
    filled = dict.fromkeys(request_schema(BoxConvention.PERMILLE)['required']) | plain
    assert to_canonical(filled, BoxConvention.PERMILLE, (640, 480)) == used
