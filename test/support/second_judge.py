"""The schemas of `schema/` as another library judges, which `jsonschema_rs` is held against."""

import math
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, TypeChecker
from jsonschema.validators import extend
from referencing import Registry, Resource

from semantic_nav.contracts.schemas import all_schemas, load_schema


def registry() -> Registry[Any]:
    """Return where the schemas find one another."""
    return Registry().with_resources(
        (schema['$id'], Resource.from_contents(schema)) for schema in all_schemas())


def _is_json_number(checker: TypeChecker, value: object) -> bool:
    """Tell whether a value is a number that JSON can hold, which NaN and infinity are not."""
    return Draft202012Validator.TYPE_CHECKER.is_type(value, 'number') and not (
        isinstance(value, float) and not math.isfinite(value))


_Validator: type[Draft202012Validator] = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine('number', _is_json_number))


@cache
def validator(name: str) -> Draft202012Validator:
    """Return the other library's validator of `schema/<name>.schema.json`."""
    schema = load_schema(name)
    Draft202012Validator.check_schema(schema)
    return _Validator(schema, registry=registry())
