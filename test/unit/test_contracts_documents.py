"""A field of a document is written in one place: whatever else knows it follows from there."""

import inspect
import json
from collections.abc import Iterator
from dataclasses import Field, fields, is_dataclass
from typing import Any, get_args, get_type_hints

import pytest
from builders import more_samples, over_the_wire, samples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from strategies import examples, values

from semantic_nav.contracts import schemas
from semantic_nav.contracts.documents import FILES, NAMES, Document
from semantic_nav.contracts.schema_writer import COMMAND, described, schema_files
from semantic_nav.contracts.share import share_path


def held(value: Any) -> Iterator[Any]:
    """Yield every dataclass in a value, itself first."""
    if is_dataclass(value):
        yield value
        for one in fields(value):
            yield from held(getattr(value, one.name))
    elif isinstance(value, tuple):
        for one in value:
            yield from held(one)


def dataclasses_of(kind: Any) -> Iterator[type]:
    """Yield every dataclass that a type may hold, itself first."""
    if isinstance(kind, type) and is_dataclass(kind):
        yield kind
        for hint in get_type_hints(kind).values():
            yield from dataclasses_of(hint)
    for part in get_args(kind):
        yield from dataclasses_of(part)


DATACLASSES = sorted(set(dataclasses_of(Document)), key=lambda kind: kind.__name__)
IN_SAMPLES = [one for document in (*samples().values(), *more_samples()) for one in held(document)]


def is_in_use(one: 'Field[Any]', value: Any) -> bool:
    """Tell whether a field holds something, and not what it holds where nobody gives it."""
    return not (value is None or value in ((), '') or value == one.default)


@pytest.mark.parametrize('kind', DATACLASSES, ids=lambda kind: kind.__name__)
def test_every_field_is_in_use_in_the_samples(kind: type) -> None:
    assert {*NAMES, *FILES} <= set(DATACLASSES)
    for one in fields(kind):
        assert any(is_in_use(one, getattr(value, one.name))
                   for value in IN_SAMPLES if type(value) is kind), (
            f'give {kind.__name__}.{one.name} a value in samples() or more_samples() of '
            'test/support/builders.py')


@pytest.mark.parametrize('document', more_samples(), ids=lambda document: document.schema)
def test_more_samples_come_back(document: Document) -> None:
    over_the_wire(document)


@pytest.mark.parametrize('name', schema_files())
def test_schema_files_are_those_of_the_dataclasses(name: str) -> None:
    held_text = share_path('schema', name).read_text(encoding='utf-8')
    assert held_text == schema_files()[name], f'schema/{name} is of old; write it: {COMMAND}'


@pytest.mark.parametrize('kind', DATACLASSES, ids=lambda kind: kind.__name__)
def test_every_field_that_is_explained_exists(kind: type) -> None:
    assert inspect.getdoc(kind)
    assert set(described(kind)[1]) <= {one.name for one in fields(kind)}


# pydantic reads the same dataclasses and their limits, by other code.

NUMBERS = [-10_000.5, -1000.5, -7.1, -3.2, -1.5, -1, -0.5, 0, 0.05, 0.5, 1, 1.5, 3.2, 7, 8, 600.5,
           999.5, 1000.5, 3600.5, 10_000.5]
LENGTHS = [0, 1, 8, 9, 12, 13, 16, 17, 20, 21, 40, 41, 60, 61, 64, 65, 160, 161, 200, 201, 300,
           301, 400, 401, 2000, 2001]
#: Where the schema says more than the types do.
SAID_BY_KEYWORDS = {'nav_goal_id', 'arguments'}


def takes(adapter: TypeAdapter[Any], value: Any) -> bool:
    try:
        adapter.validate_json(json.dumps(value), strict=True)
    except ValueError:
        return False
    return True


@st.composite
def with_one_changed(draw: st.DrawFn, value: Any) -> Any:
    """Return a value with one number, text or list in it changed to another of its kind."""
    if isinstance(value, dict) and (names := sorted(set(value) - SAID_BY_KEYWORDS)):
        name = draw(st.sampled_from(names))
        return {**value, name: draw(with_one_changed(value[name]))}
    if isinstance(value, list) and value and draw(st.booleans()):
        place = draw(st.integers(0, len(value) - 1))
        return [*value[:place], draw(with_one_changed(value[place])), *value[place + 1:]]
    if isinstance(value, list) and value:
        return value[:1] * draw(st.sampled_from(LENGTHS[:14]))
    if isinstance(value, str):
        return 'x' * draw(st.sampled_from(LENGTHS))
    if isinstance(value, float):
        return draw(st.sampled_from(NUMBERS))
    if isinstance(value, int) and not isinstance(value, bool):
        return draw(st.sampled_from([one for one in NUMBERS if isinstance(one, int)]))
    return value


@pytest.mark.slow
@pytest.mark.parametrize('kind', FILES, ids=FILES.get)
@settings(max_examples=examples(200), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_schema_and_dataclass_allow_the_same(kind: type, data: st.DataObject) -> None:
    name = FILES[kind]
    adapter = TypeAdapter(kind)
    value = data.draw(values(schemas.load_schema(name), name))
    assert takes(adapter, value)
    changed = data.draw(with_one_changed(value))
    assert (schemas.judge(name).breach(changed) is None) == takes(adapter, changed)
