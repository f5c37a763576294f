"""The gate under any text: a hypothesis that keeps the contract, or a refusal; no exception."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import examples, values

from semantic_nav.contracts.codec import to_plain
from semantic_nav.contracts.hypothesis import Action, CanonicalHypothesis
from semantic_nav.contracts.schemas import check
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.gate import GateContext, GateRefusal, Passed, gate, judged
from semantic_nav.vlm.gate.wire import request_schema

pytestmark = pytest.mark.slow

NODES = frozenset({'memory-s-1'})
CONTEXTS = st.sampled_from([
    GateContext(boxes, size, NODES)
    for boxes in BoxConvention for size in ((1036, 784), (644, 476), (28, 28))])

# Surrogates too, which a JSON escape can bring in.
ANY_TEXT = st.text(st.characters(exclude_categories=()))
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4))
NUMBER = st.floats(-2000, 2000) | st.integers(-(10 ** 30), 10 ** 30) | st.floats()
BOX = st.lists(NUMBER, min_size=3, max_size=5)
RIGHT_BOX = st.tuples(st.floats(0, 400), st.floats(0, 400), st.floats(401, 1000),
                      st.floats(401, 1000)).map(list)


def or_odd(usual: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 19).flatmap(lambda dice: ANY_JSON if dice == 0 else usual)


SCENE = st.fixed_dictionaries({
    'place': st.text(max_size=70),
    'objects': st.lists(st.fixed_dictionaries(
        {'name': st.text(max_size=70)}, optional={'box': or_odd(BOX | RIGHT_BOX)}), max_size=14)})
LIKELY_REPLIES = st.fixed_dictionaries({
    'action': or_odd(st.sampled_from([action.value for action in Action])),
    'target_status': or_odd(st.sampled_from(['visible', 'not_visible', 'ambiguous'])),
    'confidence_percent': or_odd(st.integers(0, 100) | st.floats(0, 1)),
    'scene': or_odd(SCENE),
    'rationale': or_odd(st.text(max_size=420)),
}, optional={
    'target_box': or_odd(BOX | RIGHT_BOX | st.none()),
    'navigation_goal': or_odd(st.none() | st.fixed_dictionaries({
        'frame_id': st.sampled_from(['map', 'base_link', 'odom']), 'x_cm': NUMBER, 'y': NUMBER,
        'yaw_deg': NUMBER})),
    'node_id': or_odd(st.sampled_from(['memory-s-1', 'memory-s-2']) | st.none()),
    'confidence': or_odd(NUMBER),
    'rotate_rad': or_odd(NUMBER | st.none()),
    'rotate_deg': or_odd(NUMBER | st.none()),
    'explore_bearing_deg': or_odd(NUMBER | st.none()),
    'clarification_question': or_odd(st.text(max_size=310) | st.none()),
})


def hold(text: str, context: GateContext) -> None:
    result = gate(text, context)
    if isinstance(result, GateRefusal):
        str(result).encode()
        return
    assert isinstance(result, CanonicalHypothesis)
    plain = to_plain(result)
    check('vlm_hypothesis', plain)
    json.dumps(plain, allow_nan=False, ensure_ascii=False).encode()
    for box in (result.target_box, *(one.box for one in result.scene.objects)):
        assert box is None or (0 <= box[0] < box[2] <= 1000 and 0 <= box[1] < box[3] <= 1000)
    if result.action is Action.GOTO_NODE:
        assert result.node_id in context.place_ids


@given(ANY_TEXT, CONTEXTS)
def test_any_text(text: str, context: GateContext) -> None:
    hold(text, context)


@given(st.text('{}[]"\\:,0123456789eE.+-ntfaul \n`', max_size=200), CONTEXTS)
def test_any_text_that_looks_like_json(text: str, context: GateContext) -> None:
    hold(text, context)


@given(ANY_JSON, CONTEXTS)
def test_any_json(value: Any, context: GateContext) -> None:
    hold(json.dumps(value), context)


@settings(max_examples=examples(300))
@given(LIKELY_REPLIES, st.booleans(), CONTEXTS)
def test_replies_that_are_nearly_right(value: Any, ascii_only: bool,
                                       context: GateContext) -> None:
    hold(json.dumps(value, ensure_ascii=ascii_only), context)


@settings(max_examples=examples(200))
@given(LIKELY_REPLIES, st.data(), CONTEXTS)
def test_replies_that_are_cut_off_or_garbled(value: Any, data: st.DataObject,
                                             context: GateContext) -> None:
    text = json.dumps(value)
    at = data.draw(st.integers(0, len(text)))
    hold(text[:at] + data.draw(st.text(max_size=3)) + text[at + data.draw(st.integers(0, 50)):],
         context)


@given(RIGHT_BOX, st.sampled_from([(1036, 784), (644, 476)]))
def test_both_conventions_say_the_same(box: list[float], size: tuple[int, int]) -> None:
    reply = {'action': 'approach', 'target_status': 'visible', 'confidence_percent': 100,
             'scene': {'place': '', 'objects': []}, 'rationale': ''}
    in_pixels = [value * size[i % 2] / 1000 for i, value in enumerate(box)]
    results = [gate(json.dumps({**reply, 'target_box': written}),
                    GateContext(boxes, size, frozenset()))
               for boxes, written in ((BoxConvention.PERMILLE, box),
                                      (BoxConvention.PIXELS, in_pixels))]
    first, second = results
    assert isinstance(first, CanonicalHypothesis)
    assert isinstance(second, CanonicalHypothesis)
    assert first.target_box is not None
    assert second.target_box is not None
    for one, other in zip(first.target_box, second.target_box, strict=True):
        assert abs(one - other) < 1e-6


def usable(value: Any) -> Any:
    """Return a reply whose boxes enclose something, as no schema can demand."""
    if isinstance(value, dict):
        return {name: [10, 20, 30, 40] if part and name in ('box', 'target_box')
                else usable(part) for name, part in value.items()}
    return [usable(part) for part in value] if isinstance(value, list) else value


@settings(max_examples=examples(300))
@given(st.data(), CONTEXTS)
def test_what_keeps_the_schema_that_was_asked_for_passes(data: st.DataObject,
                                                         context: GateContext) -> None:
    """What a grammar that holds it lets through, fields that the action does not use included."""
    schema = request_schema(context.boxes, context.sent_px, sorted(context.place_ids))
    said = usable(data.draw(values(schema, 'vlm_hypothesis')))
    if context.boxes is BoxConvention.UNIT:
        said = json.loads(json.dumps(said).replace('[10, 20, 30, 40]', '[0.1, 0.2, 0.3, 0.4]'))
    result = judged(json.dumps(said), replace(context, sent_px=(100, 100)))
    assert isinstance(result, Passed), (said, result)
    assert result.otherwise == ()


@given(st.floats(0, 1), st.floats(-3.14, 3.14), st.booleans())
def test_both_units_say_the_same(share: float, turn_rad: float, old: bool) -> None:
    numbers = {'confidence': share, 'rotate_rad': turn_rad} if old else {
        'confidence_percent': round(100 * share), 'rotate_deg': round(math.degrees(turn_rad))}
    result = gate(json.dumps({
        'action': 'rotate', 'target_status': 'not_visible', **numbers,
        'scene': {'place': '', 'objects': []}, 'rationale': ''}),
        GateContext(BoxConvention.PERMILLE, (28, 28), NODES))
    assert isinstance(result, CanonicalHypothesis)
    assert result.rotate_rad is not None
    assert abs(result.confidence - share) <= 0.00501
    assert abs(result.rotate_rad - turn_rad) <= math.radians(0.501)
