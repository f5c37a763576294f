"""The tools that a model may use before it answers; they only give information.

A call is refused in words unless it names one of these tools, with arguments that keep its schema.
Results are quoted and bounded in length.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from semantic_nav.contracts import schemas
from semantic_nav.contracts.codec import to_plain
from semantic_nav.contracts.documents import Candidate, PlaceDescription, ToolReply
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.contracts.schemas import Json
from semantic_nav.contracts.vocabulary import MODEL_TOOLS, QueryTool
from semantic_nav.vlm.conversation import Image, Text, Tool, ToolCall, ToolResult
from semantic_nav.vlm.gate.boxes import (
    BoxConvention,
    BoxError,
    asked_box,
    box_words,
    canonical_box,
    is_box,
)
from semantic_nav.vlm.quoting import disarmed, quoted

LOOK_AT = 'look_at'
#: Longest text of a result, in bytes.
MAX_RESULT_BYTES = 4000
#: Most calls of one turn that are carried out.
MAX_CALLS = 4
#: Name under which a call of an unknown tool goes back to the model.
_UNKNOWN = 'unknown'
_MAX_WORDS = 300
#: Lengths of the lists in a result, tried in this order until it fits.
_LENGTHS = (24, 8, 4, 2, 1, 0)


@dataclass(frozen=True)
class ToolRequest:
    """A tool call in the form in which it goes back to the model, with the task that follows.

    Attributes:
        call: call with an id of ours; a refused one has no arguments.
        problem: reason why nothing is done, for the model to read; empty if something is.
        tool: tool to query; None for `look_at`, or if there is a problem.
        box: part to look at, in per mille of the picture; None for other tools.
    """

    call: ToolCall
    problem: str = ''
    tool: QueryTool | None = None
    box: Box | None = None


@cache
def tools(boxes: BoxConvention) -> tuple[Tool, ...]:
    """All tools.

    Args:
        boxes: box convention of the model.
    """
    schema: Json = {
        'type': 'object', 'additionalProperties': False, 'required': ['box'],
        'properties': {'box': {**asked_box(boxes), 'description': box_words(boxes)}}}
    look_at = Tool(LOOK_AT, 'Look at a part of the picture again, as sharp as the camera took it. '
                            'The answer still refers to the whole picture.', schema)
    return (*(_of_schema(name) for name in MODEL_TOOLS), look_at)


def _of_schema(name: QueryTool) -> Tool:
    """The tool of a file in `schema/`, by which the answering node checks it too."""
    schema = dict(schemas.load_schema(f'tool_{name}'))
    for key in ('$schema', '$id', 'title'):
        del schema[key]
    return Tool(name.value, schema.pop('description'), schema)


def read_calls(calls: Sequence[ToolCall], boxes: BoxConvention, sent_px: tuple[int, int],
               first: int) -> list[ToolRequest]:
    """The requests of the model's calls, in their order.

    Args:
        calls: calls as the server gave them.
        boxes: box convention of the model.
        sent_px: width and height of the picture that the model saw.
        first: number of the first one among all calls of the look.
    """
    requests = []
    for index, call in enumerate(calls):
        request = _read(call, boxes, sent_px, f'call-{first + index}')
        if index >= MAX_CALLS:
            request = ToolRequest(request.call, f'at most {MAX_CALLS} tools may be called at once')
        requests.append(request)
    return requests


def _read(call: ToolCall, boxes: BoxConvention, sent_px: tuple[int, int], id_: str) -> ToolRequest:
    known = {tool.name: tool for tool in tools(boxes)}
    if call.name not in known:
        return _refused(id_, _UNKNOWN, f'there is no tool {_short(call.name)}; there are '
                                       f'{", ".join(known)}')
    if call.problem:
        return _refused(id_, call.name, call.problem)
    if call.name == LOOK_AT:
        return _read_look(call, boxes, sent_px, id_)
    # They go back to the model as its own words, but may copy text in the picture.
    arguments = {name: disarmed(value) if isinstance(value, str) else value
                 for name, value in call.arguments.items()}
    try:
        schemas.check(f'tool_{call.name}', arguments)
    except ContractError as error:
        return _refused(id_, call.name, str(error))
    return ToolRequest(ToolCall(id_, call.name, arguments), tool=QueryTool(call.name))


def _read_look(call: ToolCall, boxes: BoxConvention, sent_px: tuple[int, int],
               id_: str) -> ToolRequest:
    if call.arguments.keys() != {'box'} or not is_box(call.arguments['box']):
        return _refused(id_, LOOK_AT, f'expected a box: {box_words(boxes)}')
    try:
        box = canonical_box(call.arguments['box'], boxes, sent_px)
    except BoxError as error:
        return _refused(id_, LOOK_AT, str(error))
    return ToolRequest(ToolCall(id_, LOOK_AT, call.arguments), box=box)


def _refused(id_: str, name: str, problem: str) -> ToolRequest:
    return ToolRequest(ToolCall(id_, name, {}), problem[:_MAX_WORDS])


def failure(call: ToolCall, words: str) -> ToolResult:
    """The result of a failed call, with the reason."""
    return ToolResult(call.id, call.name, (Text(quoted({'error': _short(words)})),), is_error=True)


def picture(call: ToolCall, jpeg: bytes) -> ToolResult:
    """The result of a call that gives a picture."""
    return ToolResult(call.id, call.name, (Text(quoted({'picture': 'what the box holds'})),
                                           Image(jpeg)))


def answer(call: ToolCall, reply: ToolReply) -> ToolResult:
    """The result of a call that memory or verifier answered."""
    if reply.error:
        return failure(call, reply.error)
    for length in _LENGTHS:
        text = quoted(_told(reply, length))
        if len(text.encode()) <= MAX_RESULT_BYTES:
            return ToolResult(call.id, call.name, (Text(text),))
    return failure(call, 'the answer is too long')


def _told(reply: ToolReply, length: int) -> Json:
    """A reply in the form for the model, with lists of at most this length."""
    if reply.places is not None:
        return {'places': [_told_candidate(place, length) for place in reply.places[:length]]}
    if reply.place is not None:
        return _told_place(reply.place, length)
    if reply.reach is not None:
        reach: Json = to_plain(reply.reach)
        return {**reach, 'reason': _short(reply.reach.reason)}
    return {}


def _told_candidate(place: Candidate, length: int) -> Json:
    return {'node_id': place.node_id, 'score': round(place.score, 3),
            'x': round(place.pose.x, 2), 'y': round(place.pose.y, 2),
            'summary': _short(place.summary), 'tags': list(place.tags[:length])}


def _told_place(place: PlaceDescription, length: int) -> Json:
    return {'node_id': place.node_id, 'x': round(place.pose.x, 2), 'y': round(place.pose.y, 2),
            'kind': place.kind, 'summary': _short(place.summary),
            'tags': list(place.tags[:length]), 'visits': place.visits,
            'seen_ago_s': round(place.seen_ago_s),
            'ways': [to_plain(way) for way in place.ways[:length]]}


def _short(words: str) -> str:
    return words[:_MAX_WORDS]


def in_words(offered: Sequence[Tool]) -> str:
    """The description of tools for the model, as the budget counts it."""
    told: list[dict[str, Any]] = [to_plain(tool) for tool in offered]
    return json.dumps(told, ensure_ascii=False) if told else ''
