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
#: A whole string; it may end with the text.
_STRING = r'"(?:[^"\\]++|\\.)*+"?'
_STRINGS = re.compile(_STRING, re.DOTALL)
#: All up to the next bracket outside of strings, and the bracket.
_UP_TO_BRACKET = re.compile(rf'(?:[^"{{}}\[\]]++|{_STRING})*+[{{}}\[\]]', re.DOTALL)


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
        part = text[start:end]
        _check_commas(part)
        try:
            value: Json = loads_strict(part)
        except UnicodeEncodeError:
            reason = 'a string holds half a surrogate pair'
        except (ValueError, RecursionError) as error:
            reason = str(error)
        else:
            return value
    raise NoObject(reason)


def _end_of_object(text: str, start: int) -> int:
    depth, at = 0, start
    while bracket := _UP_TO_BRACKET.match(text, at):
        at = bracket.end()
        if text[at - 1] in '{[':
            depth += 1
            if depth > MAX_DEPTH:
                raise NoObject(f'nested deeper than {MAX_DEPTH} brackets')
        else:
            depth -= 1
            if depth == 0:
                return at
    raise NoObject('the JSON object is cut off')


def _check_commas(part: str) -> None:
    if part.count(',') > MAX_COMMAS and _STRINGS.sub('', part).count(',') > MAX_COMMAS:
        raise NoObject(f'more than {MAX_COMMAS} commas')
