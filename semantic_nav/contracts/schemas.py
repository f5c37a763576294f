"""The JSON schemas of `schema/`, with validators built once."""

import json
import math
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from referencing import Registry, Resource

from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.share import share_path

Json = dict[str, Any]
#: Half of a surrogate pair, escaped or not; a whole pair looks the same at first.
_SURROGATE = re.compile(r'\\u[dD][89a-fA-F]|[\ud800-\udfff]')


@cache
def load_schema(name: str) -> Json:
    """Return `schema/<name>.schema.json`."""
    with share_path('schema', f'{name}.schema.json').open(encoding='utf-8') as file:
        schema: Json = json.load(file)
    return schema


@cache
def _registry() -> Registry[Any]:
    files = sorted(share_path('schema').glob('*.schema.json'))
    contents = (json.loads(file.read_text(encoding='utf-8')) for file in files)
    return Registry().with_resources(
        (schema['$id'], Resource.from_contents(schema)) for schema in contents)


@cache
def validator(name: str) -> Draft202012Validator:
    """Return the validator of `schema/<name>.schema.json`."""
    schema = load_schema(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema, registry=_registry())


def most_telling_error(name: str, value: object) -> ValidationError | None:
    """Return the error that explains best why the value breaks the schema, or None."""
    error: ValidationError | None = best_match(validator(name).iter_errors(value))
    return error


def check(name: str, value: object) -> None:
    """Validate a value.

    Raises:
        ContractError: naming the schema, the place in the value and what is wrong there.
    """
    error = most_telling_error(name, value)
    if error is not None:
        raise ContractError(f'{name} at {error.json_path}: {error.message[:300]}')


def loads_strict(text: str) -> Any:
    """Parse JSON as RFC 8259 has it: no NaN or Infinity, no key twice, no half surrogate pair.

    Raises:
        ValueError: the text is not such JSON.
        RecursionError: it is nested too deeply.
    """
    value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite,
                       object_pairs_hook=_unique_keys)
    if _SURROGATE.search(text):
        # UTF-8 has no half of a pair: it could neither be sent on nor stored nor shown.
        json.dumps(value, ensure_ascii=False).encode()
    return value


def _refuse_constant(word: str) -> float:
    raise ValueError(f'{word} is not JSON')


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f'{text[:40]} is too large')
    return number


def _unique_keys(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError('a key stands twice in one object')
    return result
