"""The JSON schemas of `schema/`, with validators built once.

Two libraries judge. `jsonschema_rs` is fast and has the say; `jsonschema`, about a hundred times
slower, finds the words for what is wrong. A test holds the two together.
"""

import json
import math
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import jsonschema_rs
from jsonschema import Draft202012Validator, TypeChecker
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import extend
from referencing import Registry, Resource

from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.share import share_path

Json = dict[str, Any]
#: Half of a surrogate pair, escaped or not; a whole pair looks the same at first.
_SURROGATE = re.compile(r'\\u[dD][89a-fA-F]|[\ud800-\udfff]')
_WORDS_LENGTH = 300


@cache
def load_schema(name: str) -> Json:
    """Return `schema/<name>.schema.json`."""
    with share_path('schema', f'{name}.schema.json').open(encoding='utf-8') as file:
        schema: Json = json.load(file)
    return schema


@cache
def _all_schemas() -> dict[str, Json]:
    """Return every schema by its `$id`, under which the others refer to it."""
    files = sorted(share_path('schema').glob('*.schema.json'))
    schemas = (load_schema(file.name.removesuffix('.schema.json')) for file in files)
    return {schema['$id']: schema for schema in schemas}


@cache
def _registry() -> Registry[Any]:
    return Registry().with_resources(
        (place, Resource.from_contents(schema)) for place, schema in _all_schemas().items())


@cache
def _quick_registry() -> jsonschema_rs.Registry:
    return jsonschema_rs.Registry(list(_all_schemas().items()))


def _is_json_number(checker: TypeChecker, value: object) -> bool:
    """Tell whether a value is a number that JSON can hold, which NaN and infinity are not."""
    return Draft202012Validator.TYPE_CHECKER.is_type(value, 'number') and not (
        isinstance(value, float) and not math.isfinite(value))


_TellingValidator: type[Draft202012Validator] = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine('number', _is_json_number))


@cache
def validator(name: str) -> Draft202012Validator:
    """Return the validator of `schema/<name>.schema.json` that can say what is wrong."""
    schema = load_schema(name)
    Draft202012Validator.check_schema(schema)
    return _TellingValidator(schema, registry=_registry())


@cache
def _quick_validator(name: str) -> jsonschema_rs.Draft202012Validator:
    return compiled(load_schema(name))


def compiled(schema: Json, mask: str | None = None) -> jsonschema_rs.Draft202012Validator:
    """Return the fast validator of a schema.

    Args:
        schema: of the 2020-12 dialect; may refer to the schemas of `schema/`.
        mask: stands for the values in the words of its errors.
    """
    # Offline: a reference that leads out of `schema/` is an error, not a download.
    return jsonschema_rs.Draft202012Validator(
        schema, registry=_quick_registry(), offline=True, mask=mask)


def most_telling_error(name: str, value: object) -> ValidationError | None:
    """Return the error that explains best why the value breaks the schema, or None."""
    error: ValidationError | None = best_match(validator(name).iter_errors(value))
    return error


def check(name: str, value: object) -> None:
    """Validate a value.

    Raises:
        ContractError: naming the schema, the place in the value and what is wrong there.
    """
    judge = _quick_validator(name)
    try:
        judge.validate(value)
    except ValueError as refusal:
        raise ContractError(_objection(name, value, refusal)) from None


def _objection(name: str, value: object, refusal: ValueError) -> str:
    """Return what is wrong with a value that was refused, in the best words there are."""
    try:
        error = most_telling_error(name, value)
    except (ValueError, RecursionError):  # its words would quote what Python cannot print
        error = None
    if error is not None:
        return f'{name} at {error.json_path}: {error.message[:_WORDS_LENGTH]}'
    # `jsonschema` minds neither half a surrogate pair, nor a line break after `$`, nor a type
    # that is not JSON's. The refusal holds all the same.
    return f'{name}: {str(refusal).splitlines()[0][:_WORDS_LENGTH]}'


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
