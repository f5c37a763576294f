"""Validation of values against a schema: the first breach, in words and in bounded time.

A document that is made to be refused must not cost its readers more than a valid one: the search
for a message ends at the first breach, however many there are.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from semantic_nav.contracts.judge_engines import ENGINE, MASK, Engine, Fault, Json, Places

_SHOWN_LENGTH = 60
#: Keywords of the dialect that hold values, and those that hold schemas by name.
_VALUES = ('const', 'default', 'enum', 'examples')
_BY_NAME = ('$defs', 'dependentSchemas', 'patternProperties', 'properties')


@dataclass(frozen=True)
class Breach:
    """A breach of a schema by a value.

    Attributes:
        path: JSON path in the value; empty where the value is not JSON at all.
        schema_path: JSON pointer to the broken keyword of the schema; empty in that case too.
        message: fault at that path, in words.
    """

    path: str
    schema_path: str
    message: str


class Judge:
    """A compiled schema."""

    def __init__(self, schema: Json, others: Iterable[Json] = (),
                 engine: type[Engine] | None = None) -> None:
        """Compile a schema of the 2020-12 dialect.

        Args:
            schema: schema without `else`, except in what it refers to.
            others: schemas that it may refer to by their `$id`.
            engine: library that judges; None for the best that this machine has.
        """
        others = list(others)
        self._schemas = [schema, *others]
        self.engine = (engine or ENGINE)(
            _one_breach(schema), [_one_breach(one) for one in others])

    def breach(self, value: object) -> Breach | None:
        """The first breach of the schema, or None."""
        try:
            fault = self.engine.fault(value)
        except ValueError as error:  # half a surrogate pair, a type that is not JSON's
            return Breach('', '', str(error).splitlines()[0])
        if fault is None:
            return None
        return Breach(_json_path(fault.places), _pointer(_said(fault.schema_places)),
                      self._words(fault, value))

    def _words(self, fault: Fault, value: object) -> str:
        shown = _shown(_at(fault.places, value))
        if fault.options is not None:
            return f'{shown} is none of {", ".join(map(str, fault.options))}'
        choices = self._choices(fault)
        if choices:
            return f'needs exactly one of {", ".join(choices)}'
        return fault.message.replace(MASK, shown, 1)

    def _choices(self, fault: Fault) -> list[str]:
        """Names of which a value needs exactly one, if that is all that it lacks.

        The library gives a path in a referenced schema from that schema's own root, and does not
        say which schema it was.
        """
        if fault.schema_places[-1] != 'oneOf':
            return []
        places = _said(fault.schema_places)
        found = [forms for schema in self._schemas
                 if (forms := _found(places, schema)) is not None]
        if not found or any(forms != found[0] for forms in found) or any(
                form.keys() != {'required'} for form in found[0]):
            return []
        return [name for form in found[0] for name in form['required']]


def _one_breach(schema: Any) -> Any:
    """An equivalent schema, which the library refuses with a single breach.

    For `anyOf` and `oneOf` it would collect every breach of every form.
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


def _said(places: Places) -> Places:
    """Path of the broken keyword in the schema, as it was before `_one_breach`."""
    return [place for part in places
            for place in (('anyOf', 0) if part == 'else' else (part,))]


def _at(places: Iterable[str | int], value: Any) -> Any:
    for place in places:
        value = value[place]
    return value


def _found(places: Iterable[str | int], value: Any) -> Any:
    """The part of a value at a path; None if there is no such path."""
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
