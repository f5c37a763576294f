"""A conversation in the form of OpenAI's chat completions."""

import base64
import json
from collections.abc import Iterator, Sequence
from typing import Any

from semantic_nav.contracts.schemas import Json
from semantic_nav.vlm.conversation import Image, Message, Role, Text, Tool, ToolResult, words_of


def messages(conversation: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages in the API's form, with pictures as data URLs."""
    sent: list[dict[str, Any]] = []
    for message in conversation:
        if message.role is Role.TOOL:
            sent += _tool_results(message.results)
        else:
            sent.append(_message(message))
    return sent


def tools(offered: Sequence[Tool]) -> list[dict[str, Any]]:
    """The tools in the API's form."""
    return [{'type': 'function', 'function': {
        'name': tool.name, 'description': tool.description, 'parameters': tool.input_schema}}
        for tool in offered]


def response_format(kind: str, schema: Json) -> dict[str, Any] | None:
    """The parameter that has the server enforce a schema, or JSON; None for free text."""
    if kind == 'json_schema':
        return {'type': kind, 'json_schema': {
            'name': 'hypothesis', 'strict': True, 'schema': schema}}
    return {'type': kind} if kind == 'json_object' else None


def _message(message: Message) -> dict[str, Any]:
    sent: dict[str, Any] = {'role': message.role.value, 'content': message.text}
    if message.images:
        sent['content'] = _content((*(part for part in message.parts if isinstance(part, Text)),
                                    *message.images))
    if message.calls:
        sent['tool_calls'] = [
            {'id': call.id, 'type': 'function', 'function': {
                'name': call.name, 'arguments': json.dumps(call.arguments)}}
            for call in message.calls]
    return sent


def _tool_results(results: Sequence[ToolResult]) -> Iterator[dict[str, Any]]:
    for result in results:
        yield {'role': 'tool', 'tool_call_id': result.id, 'content': words_of(result.parts)}
    # Pictures are not allowed in a tool's message, nor between two of them.
    for result in results:
        pictures = Message(Role.USER, result.parts).images
        if pictures:
            yield {'role': 'user',
                   'content': _content((Text(f'The picture of {result.name}:'), *pictures))}


def _content(parts: Sequence[Text | Image]) -> list[dict[str, Any]]:
    return [{'type': 'text', 'text': part.text} if isinstance(part, Text) else
            {'type': 'image_url', 'image_url': {'url': data_url(part)}} for part in parts]


def data_url(image: Image) -> str:
    """A picture as a data URL."""
    return f'data:image/jpeg;base64,{base64.b64encode(image.jpeg).decode()}'
