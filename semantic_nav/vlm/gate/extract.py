"""The one JSON object in a model's reply: found, kept within limits, parsed, never mended.

A reply that holds two may quote one of them, say from a poster in the picture. Nothing tells which
one is the answer, so neither is. Braces in strings and in prose do not count. The limits are
checked before anything is parsed.
"""

import re

from semantic_nav.contracts.errors import GateError
from semantic_nav.contracts.schemas import Json, loads_strict

#: Deepest nesting of brackets; a valid reply has five levels.
MAX_DEPTH = 32
#: Most commas outside of strings; a valid reply has fewer than a hundred.
MAX_COMMAS = 500
#: Most repetitions of one object in a reply.
_MAX_SAID = 16
#: A whole string; it may end with the text.
_STRING = r'"(?:[^"\\]++|\\.)*+"?'
_STRINGS = re.compile(_STRING, re.DOTALL)
#: Text up to the next bracket outside of strings, with the bracket.
_UP_TO_BRACKET = re.compile(rf'(?:[^"{{}}\[\]]++|{_STRING})*+[{{}}\[\]]', re.DOTALL)
#: A brace that is meant to begin an object, well-formed or not. In prose, a word that is not a
#: key, an ellipsis or a fence follows it; at the end of the text the object is cut off.
_BEGINNING = re.compile(r'\{(?!\s*+(?:\w++(?!\s*+(?::|\Z))|\.\.\.|\u2026|```))')


class NoObject(GateError):
    """A reply holds no JSON object that can be read."""


class SeveralObjects(NoObject):
    """A reply holds objects that differ; any of them may be the answer, or a quotation."""


def only_object(text: str) -> Json:
    """The one object of a reply, amid any prose.

    A repeated object counts once. An object that cannot be read is not skipped as prose: it may be
    the answer, and the readable one a quotation.

    Raises:
        NoObject: there is none, one cannot be read, or one goes beyond a limit.
        SeveralObjects: two differ, or one is repeated too often.
    """
    found: Json | None = None
    said = at = 0
    while beginning := _BEGINNING.search(text, at):
        at = _end_of_object(text, beginning.start())
        value = _parsed(text[beginning.start():at])
        said += 1
        if said > _MAX_SAID or (found is not None and value != found):
            raise SeveralObjects('the reply holds more than one JSON object')
        found = value
    if found is None:
        raise NoObject('the reply holds no JSON object')
    return found


def _parsed(part: str) -> Json:
    """The object of a text.

    Raises:
        NoObject: it is not JSON, or goes beyond a limit.
    """
    if part.count(',') > MAX_COMMAS and _STRINGS.sub('', part).count(',') > MAX_COMMAS:
        raise NoObject(f'more than {MAX_COMMAS} commas')
    try:
        value: Json = loads_strict(part)
    except UnicodeEncodeError as error:
        raise NoObject('a string holds half a surrogate pair') from error
    except (ValueError, RecursionError) as error:
        raise NoObject(str(error)) from error
    return value


def _end_of_object(text: str, start: int) -> int:
    """The index behind an object's end.

    Raises:
        NoObject: it never ends, or is nested too deeply.
    """
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
