"""A schema that tells whether a value keeps it, and what is wrong, as quickly either way.

A document that is refused on purpose must not cost its readers more than one that is taken: the
search for words ends at the first breach, however many there are.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import jsonschema_rs
from jsonschema_rs import ValidationError, ValidationErrorKind

Json = dict[str, Any]
#: Stands for the value in the library's own words, which would repeat all of it.
_MASK = '\N{SYMBOL FOR SUBSTITUTE}'
_SHOWN_LENGTH = 60
#: Words of the dialect after which come values, and schemas by names that are no such words.
_VALUES = ('const', 'default', 'enum', 'examples')
_BY_NAME = ('$defs', 'dependentSchemas', 'patternProperties', 'properties')


@dataclass(frozen=True)
class Breach:
    """What of a value breaks a schema.

    Attributes:
        path: where in the value, as a JSON path; empty where the value is no JSON at all.
        schema_path: which words of the schema, as a JSON pointer; empty likewise.
        message: what is wrong there.
    """

    path: str
    schema_path: str
    message: str


class Judge:
    """One schema, compiled."""

    def __init__(self, schema: Json, others: Iterable[Json] = ()) -> None:
        """Compile a schema of the 2020-12 dialect.

        Args:
            schema: without `else`, but in what it refers to.
            others: what it may refer to by their `$id`.
        """
        others = list(others)
        self._schemas = [schema, *others]
        registry = jsonschema_rs.Registry([(one['$id'], _one_breach(one)) for one in others])
        # Offline: a reference that leads elsewhere is an error, not a download.
        self._validator = jsonschema_rs.Draft202012Validator(
            _one_breach(schema), registry=registry, offline=True, mask=_MASK)

    def breach(self, value: object) -> Breach | None:
        """Return the first breach of the schema, or None."""
        try:
            self._validator.validate(value)
        except ValidationError as error:
            return Breach(_json_path(error.instance_path), _pointer(_places(error)),
                          self._words(error, value))
        except ValueError as error:  # half a surrogate pair, a type that is not JSON's
            return Breach('', '', str(error).splitlines()[0])
        return None

    def _words(self, error: ValidationError, value: object) -> str:
        shown = _shown(_at(error.instance_path, value))
        if isinstance(error.kind, ValidationErrorKind.Enum):
            return f'{shown} is none of {", ".join(map(str, error.kind.options))}'
        choices = self._choices(error)
        if choices:
            return f'needs exactly one of {", ".join(choices)}'
        return error.message.replace(_MASK, shown, 1)

    def _choices(self, error: ValidationError) -> list[str]:
        """Return the names of which a value needs exactly one, where that is all that it lacks.

        The library counts the places of a schema that was referred to from its own beginning, and
        does not say which one that was.
        """
        if error.schema_path[-1] != 'oneOf':
            return []
        found = [forms for schema in self._schemas
                 if (forms := _found(_places(error), schema)) is not None]
        if not found or any(forms != found[0] for forms in found) or any(
                form.keys() != {'required'} for form in found[0]):
            return []
        return [name for form in found[0] for name in form['required']]


def _one_breach(schema: Any) -> Any:
    """Return a schema that means the same, and that the library refuses by with one breach.

    Of `anyOf` and `oneOf` it would collect every breach of every form.
    """
    if isinstance(schema, list):
        return [_one_breach(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    said = {word: part if word in _VALUES else
            {name: _one_breach(one) for name, one in part.items()} if word in _BY_NAME else
            _one_breach(part) for word, part in schema.items()}
    match said.get('anyOf'):
        case [form, {'type': 'null'}] if 'if' not in said:
            del said['anyOf']
            return {**said, 'if': {'type': 'null'}, 'else': form}
    for word in ('anyOf', 'oneOf'):
        if word in said:
            said[word] = [{'not': {'not': form}} for form in said[word]]
    return said


def _places(error: ValidationError) -> list[str | int]:
    """Return where the schema says what was broken, as it was before `_one_breach`."""
    return [place for part in error.schema_path
            for place in (('anyOf', 0) if part == 'else' else (part,))]


def _at(places: Iterable[str | int], value: Any) -> Any:
    for place in places:
        value = value[place]
    return value


def _found(places: Iterable[str | int], value: Any) -> Any:
    """Return the same, None where there is no such place."""
    try:
        return _at(places, value)
    except (LookupError, TypeError):
        return None


def _json_path(parts: Iterable[str | int]) -> str:
    return '$' + ''.join(f'[{part}]' if isinstance(part, int) else f'.{part}' for part in parts)


def _pointer(parts: Iterable[str | int]) -> str:
    return '#' + ''.join(f'/{part}' for part in parts)


def _shown(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except ValueError:  # more digits than Python prints
        return f'this {type(value).__name__}'
    return text if len(text) <= _SHOWN_LENGTH else f'{text[:_SHOWN_LENGTH]}...'
