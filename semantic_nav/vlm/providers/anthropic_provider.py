"""A model behind Anthropic's API, through Anthropic's own client, which is an optional package.

Local servers speak this API too (llama.cpp, LM Studio, Ollama). Anthropic's own server is another
machine, so it is called only if `allowed_hosts` names it.
"""

import base64
from collections.abc import Sequence
from dataclasses import replace
from threading import Event as Flag
from typing import Any

import anthropic
import httpcore2
import httpx2
from anthropic.types import MessageDeltaUsage, Usage

from semantic_nav.contracts.schemas import Json
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import (
    Image,
    Message,
    Part,
    Question,
    Reply,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from semantic_nav.vlm.http.client_errors import named_errors, whole_reply
from semantic_nav.vlm.http.guard import Guard
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.http.server_json import entries
from semantic_nav.vlm.http.streams import events_with_data
from semantic_nav.vlm.http.transport import guarded_transport
from semantic_nav.vlm.providers.extra_fields import ExtraFields
from semantic_nav.vlm.providers.models_api import NO_KEY, ModelsApi
from semantic_nav.vlm.providers.reply_builder import ReplyBuilder

_BACKEND = 'anthropic'
_Transport = guarded_transport(httpx2, httpcore2)
#: Smallest budget for thoughts that the API takes.
_MIN_THINKING_TOKENS = 1024
#: Fields with the tokens of a prompt, which are split by the server's cache.
_READ = ('input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens')
#: Field that local servers with this API may refuse.
_EXTRAS = {'thinking': ('thinking',)}


class AnthropicProvider(ModelsApi):
    """Provider of a model on `/v1/messages`, streamed.

    The prompt holds the schema in words, since the API enforces only schemas without limits such
    as ours. No seed and no temperature are sent.
    """

    def __init__(self, config: HypothesisConfig, server: Server) -> None:
        """Prepare for a server; see `ModelsApi`."""
        super().__init__(config, server, ExtraFields(_EXTRAS))

    def ask(self, question: Question, deadline_s: float, cancelled: Flag) -> Reply:
        """The model's reply; see `Provider.ask`."""
        guard = self._server.guard(deadline_s, cancelled)
        return self._extras.ask(
            question, lambda asked, without: self._ask(asked, guard, without))

    def _ask(self, question: Question, guard: Guard, without: frozenset[str]) -> Reply:
        building = ReplyBuilder(self._config.may_think)
        request = {name: value for name, value in self._request(question).items()
                   if name not in without}
        with named_errors(anthropic, _BACKEND), self._client(guard) as client:
            with client.messages.create(**request) as events:
                whole = whole_reply(events.response, _BACKEND)
                if whole is not None:
                    _add_whole(building, whole)
                for event in events if whole is None else ():
                    guard.check()
                    _add(building, event)
                    if building.endless:
                        break
            return building.reply()

    def _request(self, question: Question) -> dict[str, Any]:
        asked = replace(question, schema_in_words=True).told
        request: dict[str, Any] = {
            'model': self._config.model, 'stream': True, 'messages': messages(asked)}
        if system := '\n'.join(turn.text for turn in asked if turn.role is Role.SYSTEM):
            request['system'] = system
        if question.tools:
            request['tools'] = [{'name': tool.name, 'description': tool.description,
                                 'input_schema': tool.input_schema} for tool in question.tools]
        elif called := {call.name for turn in question.messages for call in turn.calls}:
            # The API requires the tools of earlier turns even if none may be called.
            request |= {'tool_choice': {'type': 'none'}, 'tools': [
                {'name': name, 'input_schema': {'type': 'object'}} for name in sorted(called)]}
        request['max_tokens'] = question.max_tokens
        if self._config.may_think:
            thoughts = max(_MIN_THINKING_TOKENS, question.max_tokens)
            return request | {'max_tokens': thoughts + question.max_tokens,
                              'thinking': {'type': 'enabled', 'budget_tokens': thoughts}}
        if self._config.may_think is False:
            request['thinking'] = {'type': 'disabled'}
        return request

    def _client(self, guard: Guard) -> anthropic.Anthropic:
        http = httpx2.Client(transport=_Transport(guard, self._server, events_with_data),
                             follow_redirects=False, trust_env=False)
        return anthropic.Anthropic(
            base_url=self._server.url, api_key=NO_KEY, max_retries=0, timeout=guard.check(),
            http_client=http, open_telemetry=False)


def messages(conversation: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages in the API's form, without those of the system, which go elsewhere."""
    return [{'role': 'assistant' if message.role is Role.ASSISTANT else 'user',
             'content': [_block(part) for part in message.parts]}
            for message in conversation if message.role is not Role.SYSTEM]


def _block(part: Part) -> dict[str, Any]:
    match part:
        case Text():
            return {'type': 'text', 'text': part.text}
        case Image():
            return {'type': 'image', 'source': {
                'type': 'base64', 'media_type': 'image/jpeg',
                'data': base64.b64encode(part.jpeg).decode()}}
        case Thinking():
            return {'type': 'thinking', 'thinking': part.text, 'signature': part.signature}
        case ToolCall():
            return {'type': 'tool_use', 'id': part.id, 'name': part.name, 'input': part.arguments}
        case ToolResult():
            return {'type': 'tool_result', 'tool_use_id': part.id, 'is_error': part.is_error,
                    'content': [_block(inner) for inner in part.parts]}


def _add_whole(building: ReplyBuilder, whole: Json) -> None:
    """Add the reply of a server that does not stream."""
    building.named(whole.get('model'))
    usage = whole.get('usage')
    if isinstance(usage, dict):
        building.count(_read_tokens(*map(usage.get, _READ)), usage.get('output_tokens'))
    for index, block in enumerate(entries(whole, 'content')):
        match block.get('type'):
            case 'text':
                building.add_text(block.get('text'))
            case 'thinking':
                building.add_thinking(block.get('thinking'), block.get('signature'))
            case 'tool_use':
                building.add_call(index, block.get('id'), block.get('name'), block.get('input'))
    building.finish(whole.get('stop_reason'))


def _add(building: ReplyBuilder, event: Any) -> None:
    """Add an event of a stream; the client does not check its types."""
    match event.type:
        case 'message_start':
            building.named(event.message.model)
            if isinstance(usage := event.message.usage, Usage):
                building.count(_streamed_tokens(usage), None)
        case 'content_block_start':
            block = event.content_block
            if block.type == 'tool_use':
                building.add_call(event.index, block.id, block.name, block.input or None)
        case 'content_block_delta':
            _add_delta(building, event.index, event.delta)
        case 'message_delta':
            building.finish(event.delta.stop_reason)
            if isinstance(usage := event.usage, MessageDeltaUsage):
                # Ollama estimates at the start, without pictures, and counts at the end.
                read = max(_streamed_tokens(usage) or 0, building.usage.prompt_tokens)
                building.count(read, usage.output_tokens)


def _streamed_tokens(usage: Usage | MessageDeltaUsage) -> int | None:
    return _read_tokens(usage.input_tokens, usage.cache_read_input_tokens,
                        usage.cache_creation_input_tokens)


def _read_tokens(*counts: object) -> int | None:
    """Tokens of the whole prompt, the sum of cached and other ones; None if there is no count.

    They are counted apart by the server.
    """
    known = [count for count in counts if type(count) is int and count >= 0]
    return sum(known) if known else None


def _add_delta(building: ReplyBuilder, index: object, delta: Any) -> None:
    match delta.type:
        case 'text_delta':
            building.add_text(delta.text)
        case 'thinking_delta':
            building.add_thinking(delta.thinking)
        case 'signature_delta':
            building.add_thinking('', delta.signature)
        case 'input_json_delta':
            building.add_call(index, '', '', delta.partial_json)
