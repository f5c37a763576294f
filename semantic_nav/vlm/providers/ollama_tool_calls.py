"""Tool calls with arguments as a text, as some models and servers write them.

Ollama's client takes only objects and would refuse the whole reply. Such a text passes through the
client within an object; ReplyBuilder reads it, like the arguments of every API.
"""

import json
from collections.abc import Mapping
from typing import Any

_CALLS = b'"tool_calls"'
#: Key of the object that holds a text; no tool has an argument of this name.
_TEXT = 'arguments as a text'


def arguments_of(arguments: Mapping[str, Any]) -> dict[str, Any] | str:
    """The arguments of a call as the server sent them: an object, or a text."""
    text = arguments.get(_TEXT)
    return text if isinstance(text, str) and len(arguments) == 1 else dict(arguments)


def texts_as_objects(line: bytes) -> bytes:
    """A line of an answer, with each text of arguments in an object."""
    if _CALLS not in line:
        return line
    try:
        value = json.loads(line)
        functions = [call['function'] for call in value['message']['tool_calls']]
        texts = [one for one in functions if isinstance(one.get('arguments'), str)]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return line  # the client reports the fault
    for function in texts:
        function['arguments'] = {_TEXT: function['arguments']}
    return json.dumps(value).encode() + b'\n' if texts else line
