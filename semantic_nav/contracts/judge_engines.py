"""The libraries that validate a value against a schema.

`jsonschema` is the reference, `jsonschema_rs` a thousand times as fast. Where the machine has no
wheel of it, the reference judges. Our schemas use no keyword on which the two disagree.
"""

import importlib
import math
from dataclasses import dataclass
from typing import Any, Protocol

Json = dict[str, Any]
Places = list[str | int]
#: Placeholder for the value in the library's message, which would repeat all of it.
MASK = '\N{SYMBOL FOR SUBSTITUTE}'


@dataclass(frozen=True)
class Fault:
    """A breach as a library reports it.

    Attributes:
        places, schema_places: paths in value and schema.
        message: the library's message, with the value masked.
        options: values of the enumeration that the value is not in; None for any other breach.
    """

    places: Places
    schema_places: Places
    message: str
    options: list[Any] | None


class Engine(Protocol):
    """A library with a compiled schema."""

    def __init__(self, schema: Json, others: list[Json]) -> None:
        """Compile a schema and those that it may refer to; nothing is downloaded."""

    def fault(self, value: object) -> Fault | None:
        """The first breach of the schema, or None.

        Raises:
            ValueError: the value is not JSON.
        """


class Compiled:
    """The engine `jsonschema_rs`."""

    def __init__(self, schema: Json, others: list[Json]) -> None:
        import jsonschema_rs

        registry = jsonschema_rs.Registry([(one['$id'], one) for one in others])
        self._enum = jsonschema_rs.ValidationErrorKind.Enum
        self._error = jsonschema_rs.ValidationError
        # Offline: an unknown reference is an error, not a download.
        self.validator = jsonschema_rs.Draft202012Validator(
            schema, registry=registry, offline=True, mask=MASK)

    def fault(self, value: object) -> Fault | None:
        try:
            self.validator.validate(value)
        except self._error as error:
            options = error.kind.options if isinstance(error.kind, self._enum) else None
            return Fault(error.instance_path, error.schema_path, error.message, options)
        return None


class Reference:
    """The engine `jsonschema`, kept from some values that are not JSON but pass it."""

    def __init__(self, schema: Json, others: list[Json]) -> None:
        from jsonschema import Draft202012Validator
        from referencing import Registry, Resource

        registry: Registry[Any] = Registry().with_resources(
            (one['$id'], Resource.from_contents(_whole(one))) for one in others)
        Draft202012Validator.check_schema(schema)
        self._validator = Draft202012Validator(_whole(schema), registry=registry)

    def fault(self, value: object) -> Fault | None:
        _keep_json(value)
        error = next(self._validator.iter_errors(value), None)
        if error is None:
            return None
        options = error.validator_value if error.validator == 'enum' else None
        return Fault(list(error.absolute_path), list(error.absolute_schema_path),
                     error.message.replace(repr(error.instance), MASK, 1), options)


def _engine() -> type[Engine]:
    """The compiled library if this machine has it, else the reference."""
    try:
        importlib.import_module('jsonschema_rs')
    except ImportError:
        return Reference
    return Compiled


#: The engine of this machine.
ENGINE = _engine()


def _whole(schema: Any) -> Any:
    """A schema whose patterns match to the very end: Python's `$` lets a line break pass."""
    if isinstance(schema, list):
        return [_whole(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {word: f'{part[:-1]}\\Z' if word == 'pattern' and str(part).endswith('$') else
            _whole(part) for word, part in schema.items()}


def _keep_json(value: object) -> None:
    """Refuse a value that is not JSON.

    Raises:
        ValueError: a part is of another type, not a finite number, or half of a surrogate pair.
    """
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, str):
            part.encode()
        elif type(part) is list:
            left += part
        elif type(part) is dict:
            left += part.values()
            for name in part:
                if not isinstance(name, str):
                    raise ValueError(f'{name!r} is no name of JSON')
                name.encode()
        elif not (part is None or type(part) in (bool, int) or (
                type(part) is float and math.isfinite(part))):
            raise ValueError(f'{part!r} is no value of JSON')
