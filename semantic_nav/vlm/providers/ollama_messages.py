"""A conversation as Ollama's `/api/chat` and `/api/generate` take it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from semantic_nav.vlm.conversation import (
    Message,
    Question,
    Role,
    ToolResult,
    words_of,
)


def messages(question: Question) -> list[dict[str, Any]]:
    """Return the conversation as Ollama's chat takes it."""
    conversation: list[dict[str, Any]] = []
    for message in question.told:
        if message.role is Role.TOOL:
            conversation += [sent for result in message.results for sent in _tool_result(result)]
        else:
            conversation.append(_message(message))
    return conversation


def single_turn(question: Question) -> dict[str, Any]:
    """Return the conversation as Ollama's generate takes it: rules, words and pictures."""
    # It has no tools, and is held to the schema.
    system, *turns = replace(question, tools=()).told
    prompt = turns[0].text if len(turns) == 1 else '\n\n'.join(
        f'{turn.role.value.capitalize()}: {turn.text}' for turn in turns)
    return {'system': system.text, 'prompt': prompt,
            'images': [image.jpeg for turn in turns for image in turn.images]}


def tools(question: Question) -> list[dict[str, Any]] | None:
    """Return the tools as Ollama's chat takes them."""
    return [{'type': 'function', 'function': {
        'name': tool.name, 'description': tool.description, 'parameters': tool.input_schema}}
        for tool in question.tools] or None


def _message(message: Message) -> dict[str, Any]:
    sent: dict[str, Any] = {'role': message.role.value, 'content': message.text}
    if message.images:
        # As bytes: the client would take a str for the name of a file.
        sent['images'] = [image.jpeg for image in message.images]
    if message.calls:
        sent['tool_calls'] = [{'function': {'name': call.name, 'arguments': call.arguments}}
                              for call in message.calls]
    return sent


def _tool_result(result: ToolResult) -> Iterator[dict[str, Any]]:
    yield {'role': 'tool', 'tool_name': result.name, 'content': words_of(result.parts)}
    pictures = Message(Role.USER, result.parts).images
    if pictures:
        # Few templates show the model a picture that stands in a tool's message.
        yield {'role': 'user', 'content': f'The picture of {result.name}:',
               'images': [picture.jpeg for picture in pictures]}
