"""OpenAI's chat completions, limited to the part that Ollama serves under /v1."""

from __future__ import annotations

import base64
import binascii
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from semantic_nav_sim.model.card import ModelCard
from semantic_nav_sim.model.engine import ApiError, Ask, Message
from semantic_nav_sim.model.ollama_api import read_tools, typed
from semantic_nav_sim.model.tools import Call

_CREATED = 1_735_689_600
_ERROR_TYPES = {400: 'invalid_request_error', 404: 'not_found_error'}


@dataclass(frozen=True)
class OpenAIRequest:
    """A checked body of /v1/chat/completions."""

    ask: Ask
    stream: bool
    include_usage: bool


def read_chat(body: Mapping[str, Any]) -> OpenAIRequest:
    """Check a body of /v1/chat/completions."""
    raw = typed(body, 'messages', list)
    if not raw:
        raise ApiError(400, "[] is too short - 'messages'")
    stop = body.get('stop') or ()
    options = typed(body, 'stream_options', dict) or {}
    limit = typed(body, 'max_tokens', int)
    return OpenAIRequest(
        ask=Ask(
            messages=tuple(_message(item) for item in raw), format=_format(body),
            num_predict=-1 if limit is None else limit,
            stop=(stop,) if isinstance(stop, str) else tuple(map(str, stop)),
            seed=typed(body, 'seed', int) or 0, tools=read_tools(body)),
        stream=typed(body, 'stream', bool) is True,
        include_usage=options.get('include_usage') is True)


def completion(card: ModelCard, ident: str, text: str, reason: str, prompt_tokens: int,
               tokens: int) -> dict[str, Any]:
    """A reply that is not streamed."""
    return _head(card, ident, 'chat.completion') | {
        'choices': [{'index': 0, 'message': {'role': 'assistant', 'content': text},
                     'finish_reason': reason}],
        'usage': usage(prompt_tokens, tokens)}


def chunk(card: ModelCard, ident: str, text: str, first: bool) -> dict[str, Any]:
    """One streamed piece of a reply."""
    delta = ({'role': 'assistant'} if first else {}) | {'content': text}
    return _head(card, ident, 'chat.completion.chunk') | {
        'choices': [{'index': 0, 'delta': delta, 'finish_reason': None}]}


def calls_message(ident: str, calls: Sequence[Call]) -> dict[str, Any]:
    """The message with the model's tool calls; if streamed, it is one piece."""
    return {'role': 'assistant', 'content': '', 'tool_calls': [
        {'index': index, 'id': f'call_{ident}_{index}', 'type': 'function', 'function': {
            'name': call.name, 'arguments': json.dumps(call.arguments)}}
        for index, call in enumerate(calls)]}


def calls_chunk(card: ModelCard, ident: str, calls: Sequence[Call]) -> dict[str, Any]:
    """The streamed piece with the model's tool calls."""
    return _head(card, ident, 'chat.completion.chunk') | {
        'choices': [{'index': 0, 'delta': calls_message(ident, calls), 'finish_reason': None}]}


def finish_chunk(card: ModelCard, ident: str, reason: str) -> dict[str, Any]:
    """The piece with the reason of the reply's end."""
    return _head(card, ident, 'chat.completion.chunk') | {
        'choices': [{'index': 0, 'delta': {}, 'finish_reason': reason}]}


def usage_chunk(card: ModelCard, ident: str, prompt_tokens: int, tokens: int) -> dict[str, Any]:
    """The piece with the token counts, sent if the client asked for it."""
    return _head(card, ident, 'chat.completion.chunk') | {
        'choices': [], 'usage': usage(prompt_tokens, tokens)}


def usage(prompt_tokens: int, tokens: int) -> dict[str, int]:
    """Token counts, named as in OpenAI's API."""
    return {'prompt_tokens': prompt_tokens, 'completion_tokens': tokens,
            'total_tokens': prompt_tokens + tokens}


def models(cards: Sequence[ModelCard]) -> dict[str, Any]:
    """The reply of /v1/models."""
    return {'object': 'list', 'data': [
        {'id': card.name, 'object': 'model', 'created': _CREATED, 'owned_by': 'library'}
        for card in cards]}


def error(status: int, message: str) -> dict[str, Any]:
    """An error in OpenAI's form."""
    return {'error': {'message': message, 'type': _ERROR_TYPES.get(status, 'api_error'),
                      'param': None, 'code': None}}


def _head(card: ModelCard, ident: str, kind: str) -> dict[str, Any]:
    return {'id': ident, 'object': kind, 'created': time.time_ns() // 1_000_000_000,
            'model': card.name, 'system_fingerprint': 'fp_ollama'}


def _format(body: Mapping[str, Any]) -> Any:
    wanted = typed(body, 'response_format', dict) or {}
    if wanted.get('type') == 'json_object':
        return 'json'
    if wanted.get('type') == 'json_schema':
        return (typed(wanted, 'json_schema', dict) or {}).get('schema')
    return None


def _message(item: Any) -> Message:
    if not isinstance(item, dict):
        raise ApiError(400, 'invalid message format')
    role, content = typed(item, 'role', str) or '', item.get('content')
    if content is None or isinstance(content, str):
        return Message(role, content or '', calls=bool(typed(item, 'tool_calls', list)))
    if not isinstance(content, list):
        raise ApiError(400, f'invalid message content type: {type(content).__name__}')
    texts, images = [], []
    for part in content:
        kind = part.get('type') if isinstance(part, dict) else None
        if kind == 'text':
            texts.append(typed(part, 'text', str) or '')
        elif kind == 'image_url':
            images.append(_picture(part.get('image_url')))
        else:
            raise ApiError(400, 'invalid message format')
    return Message(role, '\n'.join(texts), tuple(images))


def _picture(raw: Any) -> bytes:
    url = raw.get('url') if isinstance(raw, dict) else raw
    if isinstance(url, str):
        head, comma, data = url.partition(';base64,')
        if comma and head in ('data:image/jpeg', 'data:image/jpg', 'data:image/png'):
            try:
                return base64.b64decode(data, validate=True)
            except binascii.Error as error:
                raise ApiError(400, 'invalid image input') from error
    raise ApiError(400, 'invalid image input')
