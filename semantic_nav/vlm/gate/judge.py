"""A schema that tells in well under a millisecond whether a value keeps it, and what is wrong.

The schemas here have their references filled in, say `anyOf` only of a part and null, and `oneOf`
only of what is required.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jsonschema_rs import ValidationError, ValidationErrorKind

from semantic_nav.contracts.schemas import Json, compiled

#: Stands for the value in the library's own words, which would repeat all of it.
_MASK = '\N{SYMBOL FOR SUBSTITUTE}'
_SHOWN_LENGTH = 60


@dataclass(frozen=True)
class Breach:
    """What of a value breaks a schema.

    Attributes:
        path: where in the value, as a JSON path.
        schema_path: which words of the schema, as a JSON pointer.
        message: what is wrong there.
    """

    path: str
    schema_path: str
    message: str


class Judge:
    """One schema, compiled."""

    def __init__(self, schema: Json) -> None:
        """Compile a schema of the 2020-12 dialect."""
        self._schema = schema
        self._validator = compiled(schema, _MASK)

    def breach(self, value: Json) -> Breach | None:
        """Return the most telling breach of the schema, or None.

        Args:
            value: as a strict parser of JSON returns it.
        """
        if self._validator.is_valid(value):
            return None
        error = _shallowest(self._validator.iter_errors(value))
        while isinstance(error.kind, ValidationErrorKind.AnyOf):
            error = _shallowest(error.kind.context[0])
        return Breach(_json_path(error.instance_path), _pointer(error.schema_path),
                      self._words(error))

    def _words(self, error: ValidationError) -> str:
        if isinstance(error.kind, ValidationErrorKind.Enum):
            return f'{_shown(error.instance)} is none of {", ".join(self._said(error))}'
        if error.schema_path[-1] == 'oneOf':
            choices = (name for part in self._said(error) for name in part['required'])
            return f'needs exactly one of {", ".join(choices)}'
        return error.message.replace(_MASK, _shown(error.instance), 1)

    def _said(self, error: ValidationError) -> Any:
        """Return what the schema says where an error points to."""
        said: Any = self._schema
        for part in error.schema_path:
            said = said[part]
        return said


def _shallowest(errors: Iterable[ValidationError]) -> ValidationError:
    """Return the first error among those nearest to the root: the others may follow from it."""
    return min(errors, key=lambda error: len(error.instance_path))


def _json_path(parts: Iterable[str | int]) -> str:
    return '$' + ''.join(f'[{part}]' if isinstance(part, int) else f'.{part}' for part in parts)


def _pointer(parts: Iterable[str | int]) -> str:
    return '#' + ''.join(f'/{part}' for part in parts)


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_LENGTH else f'{text[:_SHOWN_LENGTH]}...'
