"""The libraries that hold a value against a schema.

`jsonschema` is the reference, `jsonschema_rs` a thousand times as quick. Where there is no wheel
of it for the machine, the reference judges. Our schemas use no word on which the two disagree.
"""

import importlib
import math
from dataclasses import dataclass
from typing import Any, Protocol

Json = dict[str, Any]
Places = list[str | int]
#: Stands for the value in the library's own words, which would repeat all of it.
MASK = '\N{SYMBOL FOR SUBSTITUTE}'


@dataclass(frozen=True)
class Fault:
    """A breach as a library tells it.

    Attributes:
        places, schema_places: where in value and schema.
        message: in its words, the value masked.
        options: what the value is none of; None where that is not what is wrong.
    """

    places: Places
    schema_places: Places
    message: str
    options: list[Any] | None


class Engine(Protocol):
    """A library with a schema."""

    def __init__(self, schema: Json, others: list[Json]) -> None:
        """Compile a schema and those that it may refer to; nothing is ever downloaded."""

    def fault(self, value: object) -> Fault | None:
        """Return the first breach of the schema, or None.

        Raises:
            ValueError: the value is none of JSON's.
        """


class Compiled:
    """`jsonschema_rs`."""

    def __init__(self, schema: Json, others: list[Json]) -> None:
        import jsonschema_rs

        registry = jsonschema_rs.Registry([(one['$id'], one) for one in others])
        self._enum = jsonschema_rs.ValidationErrorKind.Enum
        self._error = jsonschema_rs.ValidationError
        # Offline: a reference that leads elsewhere is an error, not a download.
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
    """`jsonschema`, which takes some values that are none of JSON's: they are kept from it."""

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
    """Return the compiled library where this machine has it."""
    try:
        importlib.import_module('jsonschema_rs')
    except ImportError:
        return Reference
    return Compiled


#: What judges here.
ENGINE = _engine()


def _whole(schema: Any) -> Any:
    """Return a schema whose patterns end at the end, where Python's `$` lets a line break pass."""
    if isinstance(schema, list):
        return [_whole(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {word: f'{part[:-1]}\\Z' if word == 'pattern' and str(part).endswith('$') else
            _whole(part) for word, part in schema.items()}


def _keep_json(value: object) -> None:
    """Refuse what JSON does not hold.

    Raises:
        ValueError: it is of another type, no finite number, or half of a surrogate pair.
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
