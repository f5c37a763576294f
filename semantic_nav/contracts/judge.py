"""A schema that tells whether a value keeps it, and what is wrong, as quickly either way.

A document that is refused on purpose must not cost its readers more than one that is taken: the
search for words ends at the first breach, however many there are.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from semantic_nav.contracts.judge_engines import ENGINE, MASK, Engine, Fault, Json, Places

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

    def __init__(self, schema: Json, others: Iterable[Json] = (),
                 engine: type[Engine] | None = None) -> None:
        """Compile a schema of the 2020-12 dialect.

        Args:
            schema: without `else`, but in what it refers to.
            others: what it may refer to by their `$id`.
            engine: what judges; None for the best that this machine has.
        """
        others = list(others)
        self._schemas = [schema, *others]
        self.engine = (engine or ENGINE)(
            _one_breach(schema), [_one_breach(one) for one in others])

    def breach(self, value: object) -> Breach | None:
        """Return the first breach of the schema, or None."""
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
        """Return the names of which a value needs exactly one, where that is all that it lacks.

        The library counts the places of a schema that was referred to from its own beginning, and
        does not say which one that was.
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


def _said(places: Places) -> Places:
    """Return where the schema says what was broken, as it was before `_one_breach`."""
    return [place for part in places
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
