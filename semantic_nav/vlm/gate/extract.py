"""The JSON object in a model's reply: found, kept within limits, parsed, never mended.

The limits hold before anything is parsed. Braces in strings count for nothing, and no part of an
object is ever taken for the whole. A brace in prose hides nothing that comes after it.
"""

import re
from itertools import islice

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

#: A fence that an object follows. It begins a line, which nothing within a string of JSON does.
_FENCE = re.compile(r'^[ \t]*```\w*\s*(?=\{)', re.MULTILINE)
#: A brace that begins an object and none of prose.
_OBJECT = re.compile(r'\{\s*"')
#: What stands before an object within another one, but for the indent.
_BEFORE_MEMBERS = ('":', '[', '},', '],')
_INDENT = 200
_CUT_OFF = 'the JSON object is cut off'


class NoObject(GateError):
    """A reply holds no JSON object that could be read."""


def first_object(text: str) -> Json:
    """Return the first object of a reply that is JSON, whatever stands around it.

    What a fence opens is tried before any brace in prose.

    Raises:
        NoObject: there is none, or one that goes beyond a limit stands first.
    """
    for fence in islice(_FENCE.finditer(text), _MAX_STARTS):
        value, _, _ = _object_at(text, fence.end())
        if value is not None:
            return value
    reason, end, is_open = 'the reply holds no JSON object', 0, False
    for _ in range(_MAX_STARTS):
        start = _next_whole(text, end) if is_open else text.find('{', end)
        if start < 0:
            break
        value, problem, end = _object_at(text, start)
        if value is not None:
            return value
        if not is_open:
            reason = problem
        is_open = is_open or problem == _CUT_OFF
    raise NoObject(reason)


def _object_at(text: str, start: int) -> tuple[Json | None, str, int]:
    """Return the object that begins with a brace, or what is wrong, and where to search on.

    Raises:
        NoObject: it goes beyond a limit.
    """
    end = _end_of_object(text, start)
    if end < 0:
        return None, _CUT_OFF, start + 1
    part = text[start:end]
    _check_commas(part)
    try:
        return loads_strict(part), '', end
    except UnicodeEncodeError:
        return None, 'a string holds half a surrogate pair', end
    except (ValueError, RecursionError) as error:
        return None, str(error), end


def _next_whole(text: str, end: int) -> int:
    """Return where the next brace stands that may begin an object, after one that never closes.

    Whatever is a member of the open one, by what stands before it, is a part of that; -1 if there
    is no other.
    """
    for brace in _OBJECT.finditer(text, end):
        before = text[max(0, brace.start() - _INDENT):brace.start()].rstrip()
        if not before.endswith(_BEFORE_MEMBERS):
            return brace.start()
    return -1


def _end_of_object(text: str, start: int) -> int:
    """Return where an object ends; -1 if it never does."""
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
    return -1


def _check_commas(part: str) -> None:
    if part.count(',') > MAX_COMMAS and _STRINGS.sub('', part).count(',') > MAX_COMMAS:
        raise NoObject(f'more than {MAX_COMMAS} commas')
