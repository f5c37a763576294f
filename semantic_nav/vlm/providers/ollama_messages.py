"""A conversation in the form of Ollama's `/api/chat` and `/api/generate`."""

from collections.abc import Iterator, Sequence
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
    """The conversation in the form of Ollama's chat."""
    conversation: list[dict[str, Any]] = []
    for message in question.told:
        if message.role is Role.TOOL:
            conversation += _tool_results(message.results)
        else:
            conversation.append(_message(message))
    return conversation


def single_turn(question: Question) -> dict[str, Any]:
    """The conversation in the form of Ollama's generate: rules, words and pictures."""
    # Generate has no tools, so the schema is enforced.
    turns = replace(question, tools=()).told
    system = ''
    if turns[0].role is Role.SYSTEM:
        system, turns = turns[0].text, turns[1:]
    prompt = turns[0].text if len(turns) == 1 else '\n\n'.join(
        f'{turn.role.value.capitalize()}: {turn.text}' for turn in turns)
    return {'system': system, 'prompt': prompt,
            'images': [image.jpeg for turn in turns for image in turn.images]}


def tools(question: Question) -> list[dict[str, Any]] | None:
    """The tools in the form of Ollama's chat; None if there are none."""
    return [{'type': 'function', 'function': {
        'name': tool.name, 'description': tool.description, 'parameters': tool.input_schema}}
        for tool in question.tools] or None


def _message(message: Message) -> dict[str, Any]:
    sent: dict[str, Any] = {'role': message.role.value, 'content': message.text}
    if message.images:
        # As bytes, because the client would take a str for a file name.
        sent['images'] = [image.jpeg for image in message.images]
    if message.calls:
        sent['tool_calls'] = [{'function': {'name': call.name, 'arguments': call.arguments}}
                              for call in message.calls]
    return sent


def _tool_results(results: Sequence[ToolResult]) -> Iterator[dict[str, Any]]:
    for result in results:
        yield {'role': 'tool', 'tool_name': result.name, 'content': words_of(result.parts)}
    # Few templates show the model a picture in a tool's message, and fewer take one between two
    # such messages.
    for result in results:
        pictures = Message(Role.USER, result.parts).images
        if pictures:
            yield {'role': 'user', 'content': f'The picture of {result.name}:',
                   'images': [picture.jpeg for picture in pictures]}
