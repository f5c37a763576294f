"""The judge of schemas is of one mind with another library, and quick in refusing."""

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import jsonschema_rs
import numpy as np
import pytest
from builders import samples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from jsonschema import Draft202012Validator
from second_judge import validator
from strategies import examples, names, plain_bodies, plain_hypotheses, values

from semantic_nav.contracts import schemas
from semantic_nav.contracts.codec import to_plain
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.judge import Judge
from semantic_nav.contracts.judge_engines import ENGINE, Compiled, Reference
from semantic_nav.contracts.share import share_path
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.wire import request_schema, wire_schema

pytestmark = pytest.mark.slow

NAMES = sorted(file.name.removesuffix('.schema.json') for file in share_path('schema').iterdir())
WIRE = {f'{make.__name__}-{boxes}': make(boxes)
        for make in (wire_schema, request_schema) for boxes in BoxConvention}


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


HOSTILE = st.sampled_from([
    None, True, False, 0, -0.0, 1.0, 1.5, 2.0**70, 2**63, 10**400, -10**400, 1e-320,
    math.nan, math.inf, -math.inf, '', 'x' * 3000, 'a\n', '\n', '\x00', '\u0663', '\ud800',
    '\N{HOT BEVERAGE}' * 64, [], {}, {'\ud800': 1}, {1: 2}, {None: None}, nested(200)])


@st.composite
def spoiled(draw: st.DrawFn, value: Any) -> Any:
    """Return a value with something changed, added or left out at some depth."""
    how = draw(st.sampled_from(['inside', 'inside', 'inside', 'instead', 'more', 'less']))
    inside: list[Any] = (list(value) if isinstance(value, dict) else
                         list(range(len(value))) if isinstance(value, list) else [])
    if how == 'more' and isinstance(value, (dict, list)):
        extra = draw(HOSTILE)
        return [*value, extra] if isinstance(value, list) else {**value, 'unheard_of': extra}
    if how in ('inside', 'less') and inside:
        place = draw(st.sampled_from(inside))
        put = [] if how == 'less' else [draw(spoiled(value[place]))]
        if isinstance(value, list):
            return [*value[:place], *put, *value[place + 1:]]
        return {key: put[0] if key == place else item
                for key, item in value.items() if key != place or put}
    return draw(HOSTILE)


def kept_and_broken(allowed: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return allowed | allowed.flatmap(spoiled) | allowed.flatmap(spoiled).flatmap(spoiled)


def allowed_by(name: str) -> SearchStrategy[Any]:
    if name in names():
        return plain_bodies(name)
    if name == 'vlm_hypothesis':
        return plain_hypotheses()
    schema = schemas.load_schema(name)
    return values(schema, name) if 'type' in schema or 'oneOf' in schema else st.just({})


def is_plain_json(value: Any) -> bool:
    """Tell whether JSON holds the value, and none of its strings ends with a line break."""
    try:
        text = json.dumps(value)
        return schemas.loads_strict(text) == value and '\\n"' not in text
    except ValueError:
        return False


def quick_check(judge: Judge) -> Callable[[object], bool]:
    return lambda value: judge.breach(value) is None


def assert_alike(quick: Callable[[object], bool], telling: Draft202012Validator,
                 value: Any) -> None:
    if quick(value):
        assert telling.is_valid(value)
    elif is_plain_json(value):
        assert not telling.is_valid(value)


@pytest.mark.parametrize('name', NAMES)
@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_both_judge_alike(name: str, data: st.DataObject) -> None:
    value = data.draw(kept_and_broken(allowed_by(name)))
    quick = quick_check(schemas.judge(name))
    assert_alike(quick, validator(name), value)
    if quick(value):
        schemas.check(name, value)
    else:
        with pytest.raises(ContractError, match=f'^{name}'):
            schemas.check(name, value)


@pytest.mark.parametrize('schema', WIRE.values(), ids=WIRE.keys())
@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_both_judge_replies_of_the_model_alike(schema: schemas.Json, data: st.DataObject) -> None:
    value = data.draw(kept_and_broken(values(schema, 'vlm_hypothesis')))
    judge = Judge(schema)
    assert_alike(quick_check(judge), Draft202012Validator(schema), value)
    if is_plain_json(value):
        breach = judge.breach(value)
        assert breach is None or (breach.message and breach.path.startswith('$')
                                  and breach.schema_path.startswith('#/'))


def judge_by(engine: type[Compiled] | type[Reference], name: str) -> Judge:
    if name in WIRE:
        return Judge(WIRE[name], engine=engine)
    return Judge(schemas.load_schema(name), schemas.all_schemas(), engine)


JUDGES = {name: (judge_by(Compiled, name), judge_by(Reference, name)) for name in (*NAMES, *WIRE)}


@pytest.mark.parametrize('name', JUDGES)
@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_where_there_is_no_compiled_judge_the_reference_judges_alike(
        name: str, data: st.DataObject) -> None:
    allowed = values(WIRE[name], 'vlm_hypothesis') if name in WIRE else allowed_by(name)
    value = data.draw(kept_and_broken(allowed))
    quick, plain = (judge.breach(value) for judge in JUDGES[name])
    # The compiled one takes half a surrogate pair where nothing is said of the text's length.
    if quick is not None or is_plain_json(value):
        assert (quick is None) == (plain is None), (quick, plain)
    if plain is not None and is_plain_json(value):
        assert plain.message and plain.path.startswith('$') and (
            plain.schema_path.startswith('#/'))


#: On these all judges agree: JSON Schema defines them without regard to a language's numbers,
#: regular expressions or character classes.
PLAIN_WORDS = {
    'type', 'enum', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'minLength', 'maxLength',
    'items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'properties', 'required',
    'additionalProperties', 'propertyNames', 'minProperties', 'maxProperties',
    'dependentRequired', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', '$ref', '$defs',
    '$id', '$schema', '$comment', 'title', 'description', 'default'}


def words_of(schema: Any, by_name: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield each word of a schema with what it says; names of fields and values are none."""
    if isinstance(schema, list):
        for part in schema:
            yield from words_of(part)
    if isinstance(schema, dict):
        for word, part in schema.items():
            if not by_name:
                yield word, part
            if by_name or word not in ('const', 'default', 'enum', 'required',
                                       'dependentRequired'):
                yield from words_of(part, not by_name and word in ('properties', '$defs'))


@pytest.mark.parametrize('schema', [*map(schemas.load_schema, NAMES), *WIRE.values()],
                         ids=[*NAMES, *WIRE])
def test_our_schemas_use_nothing_on_which_judges_disagree(schema: schemas.Json) -> None:
    for word, part in words_of(schema):
        if word == 'pattern':
            # From end to end, of ASCII that stands for itself.
            assert re.fullmatch(r"\^(\[[A-Za-z0-9_ '-]+\](\*|\+|\{[0-9,]+\})?)+\$", part), part
        else:
            assert word in PLAIN_WORDS, word


@pytest.mark.parametrize('schema', [
    {'multipleOf': 0.1}, {'pattern': '[0-9]'}, {'pattern': r'^\w+$'}, {'pattern': r'^\d$'},
    {'format': 'date'}, {'contains': {}}, {'properties': {'a': {'multipleOf': 2}}}])
def test_a_word_on_which_they_disagree_would_be_found(schema: schemas.Json) -> None:
    with pytest.raises(AssertionError):
        test_our_schemas_use_nothing_on_which_judges_disagree(schema)


@pytest.mark.parametrize(('schema', 'value'), [
    ({'multipleOf': 0.01}, 0.29), ({'pattern': r'^\d$'}, '\u0663'),
    ({'pattern': r'^\s$'}, '\ufeff')])
def test_on_some_others_they_disagree(schema: schemas.Json, value: Any) -> None:
    quick, plain = (Judge(schema, engine=one).breach(value) for one in (Compiled, Reference))
    assert (quick is None) != (plain is None)


WITHOUT_WHEEL = """
import json, sys
sys.modules['jsonschema_rs'] = None
from semantic_nav.contracts.judge_engines import ENGINE, Reference
from semantic_nav.contracts.schemas import check
from semantic_nav.contracts.errors import ContractError
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.gate import GateContext, gate
assert ENGINE is Reference
reply = {'action': 'explore', 'target_status': 'not_visible', 'confidence_percent': 40,
         'scene': {'place': '', 'objects': []}, 'rationale': ''}
context = GateContext(BoxConvention.PERMILLE, (644, 476), frozenset())
print(gate(json.dumps(reply), context).action)
print(gate(json.dumps({**reply, 'confidence_percent': 140}), context))
try:
    check('pose', {'pose': 1})
except ContractError as error:
    print(error)
"""


def test_without_the_wheel_the_gate_judges_by_the_reference() -> None:
    done = subprocess.run([sys.executable, '-c', WITHOUT_WHEEL], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    passed, refused, pose = done.stdout.splitlines()
    assert passed == 'explore'
    assert refused == ('SCHEMA_BAD at $.confidence_percent: 140 is greater than the maximum of '
                       '100')
    assert pose.startswith('pose at $') and ENGINE is Compiled


HYPOTHESIS = {
    'action': 'approach', 'target_status': 'visible', 'confidence': 0.5, 'rationale': '',
    'target_box': [0, 0, 1, 1],
    'scene': {'place': '', 'objects': [{'name': 'mug', 'box': [0, 0, 1, 1]}]}}
RECORD = {'node': 'belief', 'now': dict.fromkeys(('clock_ns', 'steady_ns', 'calendar_ns'), 0),
          'event': {'type': 'Tick'}, 'outputs': [{'type': 'Report'}]}
POSE = {'pose': {'x': 1.0, 'y': 2, 'yaw': 0.0}, 'healthy': True, 'jump_m': 0.0, 'held': '',
        'stands': False}


@pytest.mark.parametrize(('jump_m', 'words'), [
    (math.nan, r'pose at \$\.jump_m: NaN is not of type'),
    (-math.inf, r'pose at \$\.jump_m: -Infinity is not of type'),
    (True, r'pose at \$\.jump_m: true is not of type'),
    ('\ud800', 'pose: .*surrogates not allowed'),
    (np.float64(1), 'pose: .*float64'),
    pytest.param(16**5000, r'pose at \$\.jump_m: this int is not of type',
                 id='more digits than Python prints'),
])
def test_refusal_says_what_is_wrong(jump_m: Any, words: str) -> None:
    schemas.check('pose', POSE)
    with pytest.raises(ContractError, match=words):
        schemas.check('pose', {**POSE, 'jump_m': jump_m})


@pytest.mark.parametrize('place', [{'target_box': None}, {'navigation_goal': {
    'frame_id': 'map', 'x': 1.0, 'y': 1.0, 'yaw': 0.0}}], ids=['neither', 'both'])
@pytest.mark.parametrize('name', ['vlm_hypothesis', 'hypothesis'])
def test_approach_needs_one_place_wherever_its_schema_stands(
        name: str, place: schemas.Json) -> None:
    """A document says so by a schema that it refers to, whose places count from its beginning."""
    value: Any = {**HYPOTHESIS, **place}
    if value['target_box'] is None:
        del value['target_box']
    if name == 'hypothesis':
        value = {**to_plain(samples()[name].body), 'hypothesis': value}
    with pytest.raises(ContractError, match=f'^{name} at .*exactly one of target_box, '):
        schemas.check(name, value)


def test_names_of_fields_and_values_are_no_words_of_a_schema() -> None:
    judge = Judge({'type': 'object', 'properties': {
        'anyOf': {'type': 'string'}, 'oneOf': {'const': {'anyOf': [1, {'type': 'null'}]}}}})
    assert judge.breach({'anyOf': '', 'oneOf': {'anyOf': [1, {'type': 'null'}]}}) is None
    assert judge.breach({'anyOf': 1}) is not None
    assert judge.breach({'oneOf': {'anyOf': [2]}}) is not None


def test_condition_beside_what_may_be_null_holds_too() -> None:
    judge = Judge({'anyOf': [{'type': 'object'}, {'type': 'null'}],
                   'if': {'required': ['a']}, 'else': {'required': ['b']}})
    assert judge.breach({'a': 1}) is None and judge.breach({'b': 1}) is None
    assert judge.breach({}) is not None


def lists_in(value: Any) -> list[list[Any]]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [*([value] if isinstance(value, list) else []),
            *(one for part in parts for one in lists_in(part))]


def errors_collected(judge: Judge, value: Any) -> int:
    """Return how many errors the library puts together to refuse a value; 0 if it takes it."""
    try:
        compiled = judge.engine
        assert isinstance(compiled, Compiled)
        compiled.validator.validate(value)
    except jsonschema_rs.ValidationError as error:
        return 1 + sum(len(context) for context in getattr(error.kind, 'context', ()))
    return 0


@pytest.mark.parametrize('item', [{}, [], 1, '', None], ids=repr)
@pytest.mark.parametrize('name', sorted({*names(), 'vlm_hypothesis', 'journal_record'}))
def test_much_that_is_wrong_is_refused_for_little(name: str, item: Any) -> None:
    """A list of 80 000 `{}` cost each reader of `candidates` seven seconds."""
    whole = {'journal_record': RECORD, 'vlm_hypothesis': HYPOTHESIS}.get(name) or to_plain(
        samples()[name].body)
    judge = schemas.judge(name)
    places = range(len(lists_in(whole)))
    for place in places:
        value = deepcopy(whole)
        lists_in(value)[place][:] = [item] * 20000
        assert 1 <= errors_collected(judge, value) <= 4, place
    assert places or name in ('look', 'pose', 'query', 'verdict')


@pytest.mark.parametrize('boxes', BoxConvention)
def test_reply_with_much_that_is_wrong_is_refused_for_little(boxes: BoxConvention) -> None:
    for field in ('target_box', 'scene', 'action'):
        value = {**HYPOTHESIS, field: [{}] * 20000}
        assert 1 <= errors_collected(Judge(wire_schema(boxes)), value) <= 4


def test_line_break_at_the_end_breaks_a_pattern() -> None:
    """Python's `$` would let it pass."""
    uuid = quick_check(Judge({'type': 'string', 'pattern': '^[0-9a-f]{32}$'}))
    assert uuid('0' * 32)
    assert not uuid('0' * 32 + '\n')


def test_reference_out_of_the_folder_is_an_error_and_no_download() -> None:
    with pytest.raises(jsonschema_rs.ValidationError, match='Retrieval is disabled'):
        Judge({'$ref': 'http://127.0.0.1:9/elsewhere.schema.json'})
