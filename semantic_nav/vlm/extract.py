"""The JSON object in a model's reply: found, kept within limits, parsed, never mended.

The limits hold before anything is parsed. Braces in strings count for nothing, and no part of an
object is ever taken for the whole.
"""

import re

from semantic_nav.contracts.errors import GateError
from semantic_nav.contracts.schemas import Json, loads_strict

#: Deepest nesting of brackets; a valid reply has five levels.
MAX_DEPTH = 32
#: Most commas outside of strings; a valid reply has fewer than a hundred.
MAX_COMMAS = 500
#: How many opening braces are tried as the start of the reply's object.
_MAX_STARTS = 16
#: What gives JSON its structure, or a whole string, which may end with the text.
_STRUCTURE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\],]', re.DOTALL)


class NoObject(GateError):
    """A reply holds no JSON object that could be read."""


def first_object(text: str) -> Json:
    """Return the first object of a reply that is JSON, whatever stands around it.

    Raises:
        NoObject: there is none, or one that goes beyond a limit or never ends stands first.
    """
    reason = 'the reply holds no JSON object'
    end = 0
    for _ in range(_MAX_STARTS):
        start = text.find('{', end)
        if start < 0:
            break
        end = _end_of_object(text, start)
        try:
            value: Json = loads_strict(text[start:end])
        except UnicodeEncodeError:
            reason = 'a string holds half a surrogate pair'
        except (ValueError, RecursionError) as error:
            reason = str(error)
        else:
            return value
    raise NoObject(reason)


def _end_of_object(text: str, start: int) -> int:
    depth = commas = 0
    for match in _STRUCTURE.finditer(text, start):
        first = text[match.start()]
        if first in '{[':
            depth += 1
            if depth > MAX_DEPTH:
                raise NoObject(f'nested deeper than {MAX_DEPTH} brackets')
        elif first in '}]':
            depth -= 1
            if depth == 0:
                return match.end()
        elif first == ',':
            commas += 1
            if commas > MAX_COMMAS:
                raise NoObject(f'more than {MAX_COMMAS} commas')
    raise NoObject('the JSON object is cut off')
