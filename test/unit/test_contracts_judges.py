"""The fast judge of schemas and the one that finds the words are of one mind."""

import json
import math
from collections.abc import Callable
from typing import Any

import jsonschema_rs
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from jsonschema import Draft202012Validator
from strategies import examples, names, plain_bodies, plain_hypotheses, values

from semantic_nav.contracts import schemas
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.share import share_path
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.judge import Judge
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


def quick_check(schema: schemas.Json) -> Callable[[object], bool]:
    judge = schemas.compiled(schema)

    def keeps(value: object) -> bool:
        try:
            return judge.is_valid(value)
        except ValueError:  # no JSON at all: half a surrogate pair, a key that is no string
            return False
    return keeps


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
    quick = quick_check(schemas.load_schema(name))
    assert_alike(quick, schemas.validator(name), value)
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
    assert_alike(quick_check(schema), Draft202012Validator(schema), value)
    if is_plain_json(value):
        breach = Judge(schema).breach(value)
        assert (breach is None) == quick_check(schema)(value)
        assert breach is None or (breach.message and breach.path.startswith('$')
                                  and breach.schema_path.startswith('#/'))


POSE = {'pose': {'x': 1.0, 'y': 2, 'yaw': 0.0}, 'healthy': True, 'jump_m': 0.0, 'held': '',
        'stands': False}


@pytest.mark.parametrize(('jump_m', 'words'), [
    (math.nan, r'pose at \$\.jump_m: nan is not of type'),
    (-math.inf, r'pose at \$\.jump_m: -inf is not of type'),
    (True, r'pose at \$\.jump_m: True is not of type'),
    ('\ud800', r'pose at \$\.jump_m: .* is not of type'),
    (np.float64(1), 'pose: .*float64'),
    pytest.param(16**5000, '^pose: ', id='more digits than Python prints'),
])
def test_refusal_says_what_is_wrong(jump_m: Any, words: str) -> None:
    schemas.check('pose', POSE)
    with pytest.raises(ContractError, match=words):
        schemas.check('pose', {**POSE, 'jump_m': jump_m})


def test_line_break_at_the_end_breaks_a_pattern() -> None:
    """Python's `$` would let it pass."""
    uuid = quick_check({'type': 'string', 'pattern': '^[0-9a-f]{32}$'})
    assert uuid('0' * 32)
    assert not uuid('0' * 32 + '\n')


def test_reference_out_of_the_folder_is_an_error_and_no_download() -> None:
    with pytest.raises(jsonschema_rs.ValidationError, match='Retrieval is disabled'):
        quick_check({'$ref': 'http://127.0.0.1:9/elsewhere.schema.json'})
