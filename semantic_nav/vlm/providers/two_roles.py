"""A conversation of alternating user and assistant only, for any chat template."""

import json
from dataclasses import replace

from semantic_nav.vlm.conversation import Message, Part, Role, Text, ToolCall, ToolResult


def in_two_roles(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The messages with the system's words at the head of the user's first turn.

    Tool calls and their results become words.
    """
    turns: list[Message] = []
    for message in messages:
        role = Role.ASSISTANT if message.role is Role.ASSISTANT else Role.USER
        parts = tuple(told for part in message.parts for told in _in_words(part))
        if turns and turns[-1].role is role:
            turns[-1] = replace(turns[-1], parts=(*turns[-1].parts, *_below(parts)))
        else:
            turns.append(Message(role, parts))
    return tuple(turns)


def _in_words(part: Part) -> tuple[Part, ...]:
    match part:
        case ToolCall():
            return (Text(f'\n{part.name}({json.dumps(part.arguments)})'),)
        case ToolResult():
            return (Text(f'\nThe result of {part.name}:\n'), *part.parts)
        case _:
            return (part,)


def _below(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts of a message that is appended to an earlier one of its role."""
    match parts:
        case (Text(text), *rest):
            return (Text(f'\n\n{text}'), *rest)
        case _:
            return parts
