"""Documents on the wire: every kind comes back as it was, and what breaks a schema stays out."""

import copy
import dataclasses
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from builders import over_the_wire, samples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import examples, names, plain_documents

from semantic_nav.contracts.codec import (
    MAX_DOCUMENT_BYTES,
    decode_document,
    document_from_plain,
    document_to_plain,
    encode_document,
)
from semantic_nav.contracts.documents import Document, Look, Refusal, Step
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.hypothesis import CanonicalHypothesis, SceneObject

Json = dict[str, Any]
SAMPLES = samples()


def test_there_is_a_sample_of_every_kind() -> None:
    assert sorted(SAMPLES) == names()


@pytest.mark.parametrize('name', names())
def test_sample_comes_back(name: str) -> None:
    over_the_wire(SAMPLES[name])


@pytest.mark.parametrize('name', names())
@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_the_schema_allows_comes_back(name: str, data: st.DataObject) -> None:
    plain = data.draw(plain_documents(name))
    received = decode_document(json.dumps(plain), name)
    assert document_to_plain(received) == plain
    over_the_wire(received)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of everything in a value, outermost first.

    The arguments of a query are left out: whoever answers it checks them.
    """
    inside: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inside = [item for item in value.items() if item[0] != 'arguments']
    elif isinstance(value, list):
        inside = list(enumerate(value))
    return [path, *(found for key, item in inside for found in places(item, (*path, key)))]


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def changed(plain: Json, path: tuple[Any, ...], new: Any) -> Json:
    result = copy.deepcopy(plain)
    at(result, path[:-1])[path[-1]] = new
    return result


def refused(text: str, name: str) -> ContractError:
    with pytest.raises(ContractError) as caught:
        decode_document(text, name)
    return caught.value


@pytest.mark.parametrize('name', names())
def test_field_too_many_is_refused_at_every_level(name: str) -> None:
    plain = document_to_plain(SAMPLES[name])
    objects = [path for path in places(plain) if isinstance(at(plain, path), dict)]
    for path in objects:
        spoilt = copy.deepcopy(plain)
        at(spoilt, path)['mood'] = 'good'
        refused(json.dumps(spoilt), name)
    assert len(objects) >= 3


@pytest.mark.parametrize('name', names())
def test_missing_field_is_refused_at_every_level(name: str) -> None:
    plain = document_to_plain(SAMPLES[name])
    optional = {one.name for kind in (CanonicalHypothesis, Look, SceneObject)
                for one in dataclasses.fields(kind) if one.default is None}
    for path in places(plain):
        if path and isinstance(path[-1], str) and path[-1] not in optional:
            spoilt = copy.deepcopy(plain)
            del at(spoilt, path[:-1])[path[-1]]
            refused(json.dumps(spoilt), name)


@pytest.mark.parametrize('name', names())
@pytest.mark.parametrize('number', ['NaN', 'Infinity', '-Infinity', '1e999', '"1"', 'true'])
def test_what_is_no_number_is_refused_wherever_one_stands(name: str, number: str) -> None:
    plain = document_to_plain(SAMPLES[name])
    spots = [path for path in places(plain) if type(at(plain, path)) in (int, float)]
    for path in spots:
        text = json.dumps(changed(plain, path, '@@')).replace('"@@"', number)
        refused(text, name)
    assert spots


@pytest.mark.parametrize('name', names())
def test_wrong_word_of_an_enumeration_is_refused(name: str) -> None:
    words = {'step': ('kind',), 'look': (), 'hypothesis': ('hypothesis', 'action'),
             'observation': ('source',), 'candidates': (), 'pose': (),
             'verdict': ('decision', 'code'), 'belief': ('status',), 'query': ('tool',),
             'reply': ('tool',)}[name]
    plain = document_to_plain(SAMPLES[name])
    assert '"wish"' in str(refused(json.dumps(changed(plain, ('schema',), 'wish')), name))
    if words:
        refused(json.dumps(changed(plain, ('body', *words), 'Ok')), name)


@pytest.mark.parametrize('name', names())
def test_long_strings_are_refused_everywhere(name: str) -> None:
    plain = document_to_plain(SAMPLES[name])
    for path in places(plain):
        if isinstance(at(plain, path), str):
            refused(json.dumps(changed(plain, path, 'x' * 2001)), name)


@pytest.mark.parametrize('arguments', [
    None, [], 'mug', {'query': ['mug']}, {'query': {'not': 'mug'}}, {'query': None},
    {'query': 'x' * 501}, {'x' * 41: 1}, {f'x{number}': 1 for number in range(9)}])
def test_arguments_of_a_query_are_few_and_plain(arguments: Any) -> None:
    plain = document_to_plain(SAMPLES['query'])
    assert decode_document(json.dumps(plain), 'query') == SAMPLES['query']
    refused(json.dumps(changed(plain, ('body', 'arguments'), arguments)), 'query')


@pytest.mark.parametrize('name', names())
def test_key_that_stands_twice_is_refused(name: str) -> None:
    text = encode_document(SAMPLES[name])
    refused(text.replace('"cause_id":', '"cause_id": "", "cause_id":', 1), name)


@pytest.mark.parametrize('depth', [10, 200, 900, 990, 2000, 10_000, 100_000])
@pytest.mark.parametrize('brackets', ['[]', '{}'])
def test_deep_nesting_is_refused(depth: int, brackets: str) -> None:
    opened, closed = ('[', ']') if brackets == '[]' else ('{"a":', '}')
    deep = opened * depth + '1' + closed * depth
    refused(deep, 'look')
    text = encode_document(SAMPLES['look'])
    refused(text.replace('"taken": true', f'"taken": {deep}'), 'look')
    refused(text.replace('"id": "peer-s-1"', f'"id": {deep}'), 'look')


@pytest.mark.parametrize('text', [
    '', ' ', 'null', '[]', '3', '"look"', '{', '{}', '\x00', 'True', "{'schema': 'look'}",
    '{"schema": "look"}', '\N{ZERO WIDTH NO-BREAK SPACE}{}', '{"schema": ["look"]}',
    '1' * 5000, '-' * 1000, '\ud800', '"\ud800"'])
def test_what_is_no_document_is_refused(text: str) -> None:
    refused(text, 'look')


def test_other_schema_than_the_topic_s_is_refused() -> None:
    error = refused(encode_document(SAMPLES['pose']), 'belief')
    assert 'expected belief, found pose' in str(error)


def test_300_kilobytes_are_refused_however_they_come() -> None:
    text = encode_document(SAMPLES['look'])
    for filler in (' ' * 300_000, '\N{HOT BEVERAGE}' * 100_000):
        assert 'longer' in str(refused(text[:-1] + f', "more": "{filler}"}}', 'look'))
    assert 'longer' in str(refused(text + ' ' * 300_000, 'look'))
    padded = text + ' ' * (MAX_DOCUMENT_BYTES - len(text.encode()))
    assert decode_document(padded, 'look') == SAMPLES['look']


def test_writer_sends_nothing_that_a_reader_would_call_too_long() -> None:
    plain = document_to_plain(SAMPLES['candidates'])
    place = plain['body']['candidates'][0]
    place['reasons'] = ['x' * 2000] * 16
    plain['body']['candidates'] = [place] * 20
    with pytest.raises(ContractError, match='longer'):
        encode_document(document_from_plain(plain))


@pytest.mark.parametrize('half', ['\\ud800', '\\uDFFF', 'a\\udc00\\ud83d'])
def test_half_a_surrogate_pair_is_refused_by_the_reader(half: str) -> None:
    """It could not be published again, nor stored, nor shown."""
    text = encode_document(SAMPLES['look']).replace('"reason": ""', f'"reason": "{half}"')
    refused(text, 'look')


def test_whole_surrogate_pair_is_a_character() -> None:
    text = encode_document(SAMPLES['look']).replace('"reason": ""', '"reason": "\\ud83d\\ude00"')
    assert decode_document(text, 'look').body.reason == '\N{GRINNING FACE}'


@pytest.mark.parametrize('spoil', [
    lambda look: Look(True, reason='\ud800'),
    lambda look: Look(True, reason='x' * 2001),
    lambda look: Look(True, image_width_px=-1),
    lambda look: Look('yes'),
    lambda look: Look(None),
])
def test_writer_refuses_what_breaks_its_schema(spoil: Callable[[Any], Look]) -> None:
    sample = SAMPLES['look']
    document = Document(sample.id, '', '', 0, '', spoil(sample.body))
    with pytest.raises(ContractError):
        encode_document(document)


def test_writer_takes_numpy_s_floats_for_floats() -> None:
    sample = SAMPLES['pose']
    body = dataclasses.replace(sample.body, jump_m=np.float64(1.5))
    text = encode_document(dataclasses.replace(sample, body=body))
    assert json.loads(text)['body']['jump_m'] == 1.5


@pytest.mark.parametrize('number', [math.nan, math.inf, -math.inf])
def test_writer_refuses_what_json_has_no_number_for(number: float) -> None:
    plain = document_to_plain(SAMPLES['pose'])
    for field in ('x', 'y', 'yaw'):
        with pytest.raises(ContractError):
            encode_document(document_from_plain(changed(plain, ('body', 'pose', field), number)))


@pytest.mark.parametrize('fields', [
    {'id': ''}, {'id': 'x' * 161}, {'stamp_ns': -1}, {'frame_id': 'x' * 201},
    {'stamp_ns': 2**31 * 10**9}, {'stamp_ns': 10**400}])
def test_writer_refuses_a_bad_envelope(fields: Json) -> None:
    values = {'id': 'a', 'cause_id': '', 'goal_id': '', 'stamp_ns': 1, 'frame_id': '',
              'body': SAMPLES['look'].body, **fields}
    with pytest.raises(ContractError):
        encode_document(Document(**values))


@pytest.mark.parametrize('sec', ['2147483648', '1e300', '1' + '0' * 400, '-1', '0.5'])
def test_stamp_that_no_ros_message_can_hold_is_refused(sec: str) -> None:
    text = encode_document(SAMPLES['look']).replace('"sec": 5000', f'"sec": {sec}')
    assert sec in text
    refused(text, 'look')


def test_stamp_written_as_a_whole_float_is_an_integer_afterwards() -> None:
    text = encode_document(SAMPLES['look']).replace('"sec": 5000', '"sec": 5000.0')
    stamp = decode_document(text, 'look').stamp_ns
    assert stamp == 5000 * 10**9 and type(stamp) is int


def test_step_carries_the_request_of_its_kind_and_no_other() -> None:
    plain = document_to_plain(SAMPLES['step'])
    look = plain['body']['look']
    act = {'hypothesis_id': 'h', 'track_id': None, 'stale_after_s': 1, 'start_within_s': 1,
           'drive_budget_s': 1, 'second_looks': False, 'only_gaps': False}
    good = {('look', True, False), ('act', False, True), ('stop', False, False)}
    for kind in ('look', 'act', 'stop'):
        for with_look in (True, False):
            for with_act in (True, False):
                plain['body'].update(kind=kind, look=look if with_look else None,
                                     act=act if with_act else None)
                if (kind, with_look, with_act) in good:
                    assert isinstance(decode_document(json.dumps(plain), 'step').body, Step)
                else:
                    refused(json.dumps(plain), 'step')


def test_act_names_exactly_one_of_hypothesis_and_track() -> None:
    plain = document_to_plain(SAMPLES['step'])
    for hypothesis_id, track_id, good in (('h', None, True), (None, 't', True), ('h', 't', False),
                                          (None, None, False)):
        plain['body'].update(kind='act', look=None, act={
            'hypothesis_id': hypothesis_id, 'track_id': track_id, 'stale_after_s': 1,
            'start_within_s': 1, 'drive_budget_s': 1, 'second_looks': False, 'only_gaps': False})
        if good:
            decode_document(json.dumps(plain), 'step')
        else:
            refused(json.dumps(plain), 'step')


def test_verdict_carries_a_decision_or_a_result() -> None:
    plain = document_to_plain(SAMPLES['verdict'])
    result = {'outcome': 'arrived', 'reason': '', 'nav_status': '', 'nav_code': 0,
              'distance_left_m': 0, 'code': None, 'camera': ''}
    decision = plain['body']['decision']
    for one, other, good in ((decision, None, True), (None, result, True),
                             (decision, result, False), (None, None, False)):
        plain['body'].update(decision=one, result=other)
        if good:
            decode_document(json.dumps(plain), 'verdict')
        else:
            refused(json.dumps(plain), 'verdict')


def test_error_names_schema_and_place_and_stays_short() -> None:
    plain = document_to_plain(SAMPLES['belief'])
    error = refused(json.dumps(changed(plain, ('body', 'budgets', 'refusals'), 'x' * 100_000)),
                    'belief')
    assert str(error).startswith('belief at $.budgets.refusals: ')
    assert len(str(error)) < 500


def test_refusal_in_a_look_comes_back_typed() -> None:
    step = over_the_wire(SAMPLES['step']).body
    assert isinstance(step, Step) and step.look is not None
    assert isinstance(step.look.last_refusal, Refusal)
