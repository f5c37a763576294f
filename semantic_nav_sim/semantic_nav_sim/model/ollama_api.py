"""Ollama's JSON: checks of request bodies, and construction of replies."""

from __future__ import annotations

import base64
import binascii
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from semantic_nav_sim.model.card import ModelCard
from semantic_nav_sim.model.engine import DEFAULT_NUM_CTX, ApiError, Ask, Engine, Message
from semantic_nav_sim.model.store import ModelStore
from semantic_nav_sim.model.tools import Call, Tool

VERSION = '0.33.0'
_T = TypeVar('_T')
_LOG = logging.getLogger(__name__)
_KEEP_ALIVE_S = 300.0
_NAME = re.compile(r'[A-Za-z0-9][\w./-]{0,160}(:[\w.-]{1,80})?')
_INTEGERS = frozenset({'num_predict', 'num_ctx', 'seed', 'top_k', 'num_keep', 'num_batch',
                       'num_gpu', 'main_gpu', 'num_thread', 'repeat_last_n'})
_FLOATS = frozenset({'temperature', 'top_p', 'min_p', 'typical_p', 'repeat_penalty',
                     'presence_penalty', 'frequency_penalty'})
_BOOLEANS = frozenset({'use_mmap'})
_UNIT_S = {'ns': 1e-9, 'us': 1e-6, 'ms': 1e-3, 's': 1.0, 'm': 60.0, 'h': 3600.0}


@dataclass(frozen=True)
class OllamaRequest:
    """A checked body of /api/chat or /api/generate.

    Attributes:
        ask: The request to the model; without messages it only loads or unloads the model.
        stream: Whether the reply is streamed.
        keep_alive_s: Time that the model stays loaded afterwards; negative for ever.
    """

    ask: Ask
    stream: bool
    keep_alive_s: float


def decode_body(raw: bytes) -> dict[str, Any]:
    """Read a JSON object, with the error messages of Go's decoder."""
    if not raw.strip():
        raise ApiError(400, 'missing request body')
    try:
        body = json.loads(raw)
    except UnicodeDecodeError as error:
        raise ApiError(400, 'invalid UTF-8 in request body') from error
    except RecursionError as error:
        raise ApiError(400, 'exceeded max depth') from error
    except json.JSONDecodeError as error:
        if error.pos >= len(error.doc):
            raise ApiError(400, 'unexpected EOF') from error
        raise ApiError(
            400, f"invalid character '{error.doc[error.pos]}' looking for beginning of value"
        ) from error
    if not isinstance(body, dict):
        raise ApiError(400, _mismatch(body, '', 'Request'))
    return body


def require_model(body: Mapping[str, Any], store: ModelStore) -> Engine:
    """The model that a body names."""
    name = _name(body)
    if not name:
        raise ApiError(400, 'model is required')
    engine = store.engine(name)
    if engine is None:
        raise ApiError(404, f"model '{name}' not found")
    return engine


def read_pull(body: Mapping[str, Any]) -> tuple[str, bool]:
    """Check a body of /api/pull; returns the model's name, and whether the reply is streamed."""
    return valid_name(body), typed(body, 'stream', bool) is not False


def valid_name(body: Mapping[str, Any]) -> str:
    """The name in a body, of a model that need not exist."""
    name = _name(body)
    if not _NAME.fullmatch(name):
        raise ApiError(400, 'invalid model name')
    return name


def _name(body: Mapping[str, Any]) -> str:
    return typed(body, 'model', str) or typed(body, 'name', str) or ''


def read_chat(body: Mapping[str, Any], card: ModelCard) -> OllamaRequest:
    """Check a body of /api/chat."""
    raw = typed(body, 'messages', list) or []
    messages = []
    for item in raw:
        if not isinstance(item, dict):
            raise ApiError(400, _mismatch(item, 'messages', 'api.Message'))
        messages.append(Message(typed(item, 'role', str) or '', typed(item, 'content', str) or '',
                                _images(item), bool(typed(item, 'tool_calls', list))))
    return _request(body, card, tuple(messages))


def read_generate(body: Mapping[str, Any], card: ModelCard) -> OllamaRequest:
    """Check a body of /api/generate."""
    prompt, system = typed(body, 'prompt', str) or '', typed(body, 'system', str) or ''
    messages = [Message('system', system)] if system else []
    images = _images(body)
    if prompt or images:
        messages.append(Message('user', prompt, images))
    else:
        messages.clear()
    return _request(body, card, tuple(messages))


def read_tools(body: Mapping[str, Any]) -> tuple[Tool, ...]:
    """The tools that a body offers, in the form of Ollama and OpenAI."""
    tools = []
    for item in typed(body, 'tools', list) or ():
        if not isinstance(item, dict):
            raise ApiError(400, _mismatch(item, 'tools', 'api.Tool'))
        function = typed(item, 'function', dict) or {}
        tools.append(Tool(typed(function, 'name', str) or '',
                          typed(function, 'parameters', dict) or {}))
    return tuple(tools)


def typed(body: Mapping[str, Any], key: str, kind: type[_T]) -> _T | None:
    """A field of a body; None if it is absent or null.

    Raises:
        ApiError: The field has another type.
    """
    value = body.get(key)
    if value is None:
        return None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ApiError(400, _mismatch(value, key, kind.__name__))
    return value


def line(card: ModelCard, content: str, chat: bool) -> dict[str, Any]:
    """One streamed piece of a reply."""
    return {
        'model': card.name, 'created_at': timestamp(),
        **({'message': {'role': 'assistant', 'content': content}} if chat
           else {'response': content}),
        'done': False}


def calls_line(card: ModelCard, calls: Sequence[Call], ident: str) -> dict[str, Any]:
    """The piece of a chat with the model's tool calls, each with an id of its own."""
    called = line(card, '', chat=True)
    called['message']['tool_calls'] = [
        {'id': f'call_{ident}{index}', 'function': {
            'index': index, 'name': call.name, 'arguments': call.arguments}}
        for index, call in enumerate(calls)]
    return called


def last_line(card: ModelCard, content: str, chat: bool, reason: str,
              metrics: Mapping[str, int] | None = None) -> dict[str, Any]:
    """The last line of a streamed reply, or the whole of one that is not streamed.

    Args:
        card: The model.
        content: Text of the reply not sent before.
        chat: Whether this is /api/chat.
        reason: 'stop', 'length', 'load' or 'unload'.
        metrics: Counts, and durations in ns; zeros are left out, as Ollama does.
    """
    numbers = {key: value for key, value in (metrics or {}).items() if value}
    return line(card, content, chat) | {'done': True, 'done_reason': reason} | numbers


def timestamp(after_s: float = 0.0) -> str:
    """The time now, or after some seconds, in Ollama's format."""
    when = datetime.now(UTC) + timedelta(seconds=after_s)
    return when.isoformat().replace('+00:00', 'Z')


def _request(body: Mapping[str, Any], card: ModelCard,
             messages: tuple[Message, ...]) -> OllamaRequest:
    think = body.get('think')
    if think not in (None, False):
        raise ApiError(400, f'"{body["model"]}" does not support thinking')
    options = typed(body, 'options', dict) or {}
    _check_options(options)
    stop = options.get('stop') or ()
    stream = typed(body, 'stream', bool)
    return OllamaRequest(
        ask=Ask(
            messages=messages, format=body.get('format') or None,
            num_predict=int(options.get('num_predict') or -1),
            num_ctx=min(int(options.get('num_ctx') or DEFAULT_NUM_CTX), card.context_length),
            stop=tuple(str(text) for text in stop), seed=int(options.get('seed') or 0),
            tools=read_tools(body)),
        stream=stream is not False,
        keep_alive_s=_duration_s(body.get('keep_alive')))


def _check_options(options: Mapping[str, Any]) -> None:
    for key, value in options.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if key in _INTEGERS and not number:
            raise ApiError(500, f'option "{key}" must be of type integer')
        if key in _FLOATS and not number:
            raise ApiError(500, f'option "{key}" must be of type float32')
        if key in _BOOLEANS and not isinstance(value, bool):
            raise ApiError(500, f'option "{key}" must be of type boolean')
        if key == 'stop' and not isinstance(value, list):
            raise ApiError(500, 'option "stop" must be of type array')
        if key not in _INTEGERS | _FLOATS | _BOOLEANS | {'stop'}:
            _LOG.warning('invalid option provided: %s', key)


def _images(item: Mapping[str, Any]) -> tuple[bytes, ...]:
    pictures = []
    for raw in typed(item, 'images', list) or ():
        if not isinstance(raw, str):
            raise ApiError(400, _mismatch(raw, 'images', 'api.ImageData'))
        try:
            pictures.append(base64.b64decode(raw, validate=True))
        except binascii.Error as error:
            bad = re.search(r'[^A-Za-z0-9+/]', raw)
            raise ApiError(
                400, f'illegal base64 data at input byte {bad.start() if bad else len(raw)}'
            ) from error
    return tuple(pictures)


def _duration_s(raw: Any) -> float:
    if raw is None:
        return _KEEP_ALIVE_S
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return float(raw)
    match = re.fullmatch(r'(-?[0-9.]+)(ns|us|ms|s|m|h)', raw) if isinstance(raw, str) else None
    try:
        if match is not None:
            return float(match.group(1)) * _UNIT_S[match.group(2)]
    except ValueError:
        pass
    raise ApiError(400, f'time: invalid duration {json.dumps(raw)}')


def _mismatch(value: Any, key: str, kind: str) -> str:
    names = {str: 'string', bool: 'bool', list: 'array', dict: 'object'}
    return (f'json: cannot unmarshal {names.get(type(value), "number")} into Go struct field '
            f'.{key} of type {kind}')
