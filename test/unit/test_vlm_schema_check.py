"""The compiled schemas judge as `jsonschema` does."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.vlm.config import BoxConvention
from semantic_nav.vlm.schema_check import compile_check
from semantic_nav.vlm.wire import canonical_schema, request_schema, wire_schema

SCHEMAS = [canonical_schema(),
           *(make(boxes) for make in (wire_schema, request_schema) for boxes in BoxConvention)]
JUDGES = [(compile_check(schema), Draft202012Validator(schema)) for schema in SCHEMAS]

SCALAR = st.none() | st.booleans() | st.integers(-5, 2000) | st.floats(-5, 5) | st.text(max_size=3)
ANYTHING = st.recursive(SCALAR, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(
    st.sampled_from(['name', 'box', 'x', 'place']), inner, max_size=3))


def by_schema(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that keep a schema more or less."""
    if 'anyOf' in schema:
        return st.one_of([by_schema(part) for part in schema['anyOf']])
    if 'enum' in schema:
        return st.sampled_from(schema['enum'])
    kind = schema.get('type')
    if kind == 'number':
        low, high = schema['minimum'], schema['maximum']
        return st.floats(low, high) | st.sampled_from([low, high, low - 1, high + 1])
    if kind == 'string':
        return st.text(min_size=schema.get('minLength', 0), max_size=8) | st.sampled_from(
            ['', 'x' * schema['maxLength'], 'x' * (schema['maxLength'] + 1)])
    if kind == 'array':
        item = schema.get('items') or schema['prefixItems'][0]
        size = schema.get('maxItems', 4)
        return st.lists(by_schema(item), min_size=schema.get('minItems', 0), max_size=size + 1)
    if kind == 'object':
        parts = {name: by_schema(part) for name, part in schema['properties'].items()}
        required = {name: parts.pop(name) for name in schema['required']}
        return st.fixed_dictionaries(required, optional=parts)
    return st.none()


@st.composite
def nearly_right(draw: st.DrawFn, schema: dict[str, Any]) -> Any:
    value = draw(by_schema(schema))
    for _ in range(draw(st.integers(0, 2))):
        value = dict(value)
        name = draw(st.sampled_from([*schema['properties'], 'unheard_of']))
        if draw(st.booleans()):
            value.pop(name, None)
        else:
            value[name] = draw(ANYTHING)
    return value


@settings(max_examples=400)
@given(st.sampled_from(SCHEMAS).flatmap(nearly_right) | ANYTHING)
def test_both_judge_alike(value: Any) -> None:
    for check, validator in JUDGES:
        assert check(value) is validator.is_valid(value)


@pytest.mark.parametrize('schema', [
    {'type': 'string', 'pattern': '^a$'},
    {'properties': {'a': {'$ref': '#/$defs/a'}}},
    {'type': ['string', 'null']},
    {'type': 'integer'},
    {'enum': [1, 2]},
    {'properties': {}, 'additionalProperties': {'type': 'string'}},
    {'minimum': 1},
])
def test_what_it_does_not_know_it_refuses_to_compile(schema: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        compile_check(schema)
