"""A model behind OpenAI's API (llama.cpp, vLLM, LM Studio, TGI), through OpenAI's own client."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from threading import Event as Flag
from typing import Any

import httpcore2
import httpx2
import openai
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletionChunk

from semantic_nav.contracts.schemas import Json
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import Question, Reply
from semantic_nav.vlm.http.client_errors import named_errors, whole_reply
from semantic_nav.vlm.http.guard import Guard
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.http.server_json import entries
from semantic_nav.vlm.http.streams import events_with_data
from semantic_nav.vlm.http.transport import guarded_transport
from semantic_nav.vlm.providers.extra_fields import ExtraFields
from semantic_nav.vlm.providers.models_api import NO_KEY, ModelsApi
from semantic_nav.vlm.providers.openai_messages import messages, response_format, tools
from semantic_nav.vlm.providers.reply_builder import ReplyBuilder

_BACKEND = 'openai'
_Transport = guarded_transport(httpx2, httpcore2)
_LEGACY_CALL = 'function_call'
#: Fields that are read in a reply.
_WORDS = ('content', 'reasoning_content', 'reasoning')
_FUNCTION, _USAGE = ('name', 'arguments'), ('prompt_tokens', 'completion_tokens')
#: Name of the longest reply, and its name for OpenAI's newer models and gateways to them.
_LIMIT, _NEW_LIMIT = 'max_tokens', 'max_completion_tokens'
#: Words of a refusal of either name; a refusal of the value does not count.
_OF_LIMIT = f'(?:{_LIMIT}|{_NEW_LIMIT})(?!.*(?:too large|at most|less than|context|exceed))'
#: Fields that some servers refuse, with the words by which their refusals name them. vLLM says
#: chat_template for a Mistral tokenizer, which takes none.
_EXTRAS = {
    'chat_template_kwargs': ('chat_template_kwargs', 'chat_template', 'enable_thinking'),
    'stream_options': ('stream_options', 'include_usage'), 'stream': ('stream', 'streaming'),
    'response_format': ('response_format',), 'seed': ('seed',), 'temperature': ('temperature',),
    _LIMIT: (_OF_LIMIT,), _NEW_LIMIT: (_OF_LIMIT,)}


class OpenAIProvider(ModelsApi):
    """Provider of a model on `/v1/chat/completions`, streamed if the server can.

    When the client has left, llama.cpp stops a streamed call at the next token, but continues one
    that is not streamed.
    """

    def __init__(self, config: HypothesisConfig, server: Server) -> None:
        """Prepare for a server; see `ModelsApi`."""
        super().__init__(config, server, ExtraFields(
            _EXTRAS, 'response_format', only_named=(_LIMIT, _NEW_LIMIT)))

    def ask(self, question: Question, deadline_s: float, cancelled: Flag) -> Reply:
        """The model's reply; see `Provider.ask`.

        A stream that ends early still counts if it brought text. The gate decides whether the text
        is complete.
        """
        guard = self._server.guard(deadline_s, cancelled)
        return self._extras.ask(
            question, lambda asked, without: self._ask(asked, guard, without))

    def _ask(self, question: Question, guard: Guard, without: frozenset[str]) -> Reply:
        building = ReplyBuilder(self._config.may_think)
        with named_errors(openai, _BACKEND), self._client(guard) as client:
            with client.chat.completions.create(**self._request(question, without)) as parts:
                whole = whole_reply(parts.response, _BACKEND)
                for part in parts if whole is None else (_as_part(whole),):
                    guard.check()
                    _add(building, part)
                    if building.endless:
                        break
            return building.reply()

    def _request(self, question: Question, without: frozenset[str]) -> dict[str, Any]:
        config = self._config
        request: dict[str, Any] = {
            'model': config.model, 'stream': True, 'stream_options': {'include_usage': True},
            _LIMIT: question.max_tokens, 'temperature': question.temperature,
            'seed': question.seed,
            'extra_body': {}}
        if config.may_think is not None:
            # llama.cpp and vLLM hand this to the model's chat template.
            request['extra_body']['chat_template_kwargs'] = {'enable_thinking': config.may_think}
        if question.tools:
            request |= {'tools': tools(question.tools), 'tool_choice': config.tool_choice}
        form = response_format(config.response_format, question.schema)
        if question.held and form:
            request['response_format'] = form
        if config.schema_in_words:
            question = replace(question, schema_in_words=True)
        if _LIMIT in without:
            request[_NEW_LIMIT] = request[_LIMIT]
        extra = _but(request.pop('extra_body'), without)
        if 'stream' in without:
            # The client still expects a stream; `whole_reply` reads what the server sends.
            extra['stream'] = False
            without = without - {'stream'} | {'stream_options'}
        return _but(request, without) | {'extra_body': extra, 'messages': messages(question.told)}

    def _client(self, guard: Guard) -> openai.OpenAI:
        http = httpx2.Client(transport=_Transport(guard, self._server, events_with_data),
                             follow_redirects=False, trust_env=False)
        return openai.OpenAI(base_url=f'{self._server.url}/v1', api_key=NO_KEY, max_retries=0,
                             timeout=guard.check(), http_client=http)


def _add(building: ReplyBuilder, part: Any) -> None:
    """Add a piece of a stream; the client does not check its types."""
    building.named(part.model)
    if isinstance(part.usage, CompletionUsage):
        building.count(part.usage.prompt_tokens, part.usage.completion_tokens)
    # llama.cpp sends it with the last piece.
    timings = (part.model_extra or {}).get('timings')
    if isinstance(timings, dict):
        building.time(None, timings.get('prompt_ms'), timings.get('predicted_ms'))
    # The piece with the usage has no choice; only one choice was asked for.
    for choice in part.choices[:1] if isinstance(part.choices, list) else ():
        building.finish(choice.finish_reason)
        delta = choice.delta
        if delta is None:
            continue
        _add_content(building, delta.content)
        more = delta.model_extra or {}
        for thought in _texts(more.get('reasoning_content') or more.get('reasoning')):
            building.add_thinking(thought)
        for call in delta.tool_calls or ():
            function = call.function
            building.add_call(call.index, call.id, function and function.name,
                              function and function.arguments)
        if delta.function_call is not None:
            building.add_call(_LEGACY_CALL, '', delta.function_call.name,
                              delta.function_call.arguments)


def _add_content(building: ReplyBuilder, content: Any) -> None:
    """Add a text or a list of blocks: texts, or thoughts as Mistral's models write them."""
    for block in content if isinstance(content, list) else (content,):
        thoughts = block.get('thinking') if isinstance(block, dict) else None
        for thought in _texts(thoughts):
            building.add_thinking(thought)
        for text in _texts(block):
            building.add_text(text)


def _texts(value: Any) -> Iterator[str]:
    """Yield a text, the text of a block, or those of a list of either."""
    for one in value if isinstance(value, list) else (value,):
        text = one.get('text') if isinstance(one, dict) else one
        if isinstance(text, str):
            yield text


def _as_part(whole: Json) -> Any:
    """The reply of a server that does not stream, as the only part of a stream.

    It holds only what `_add` reads, because the client uses some keys itself.
    """
    choices = []
    for choice in entries(whole, 'choices'):
        said = choice.get('message')
        message = said if isinstance(said, dict) else {}
        calls = [{'index': index, 'id': call.get('id'),
                  'function': _only(call.get('function'), _FUNCTION)}
                 for index, call in enumerate(entries(message, 'tool_calls'))]
        delta = {**_only(message, _WORDS), 'tool_calls': calls,
                 _LEGACY_CALL: _only(message.get(_LEGACY_CALL), _FUNCTION) or None}
        choices.append({'finish_reason': choice.get('finish_reason'), 'delta': delta})
    return ChatCompletionChunk.construct(**{
        **_only(whole, ('model', 'timings')), 'choices': choices,
        'usage': _only(whole.get('usage'), _USAGE)})


def _only(value: object, names: Sequence[str]) -> Json:
    """Some fields of an object; empty if the value is not an object."""
    return {name: value[name] for name in names if name in value} if isinstance(
        value, dict) else {}


def _but(fields: dict[str, Any], without: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in without}
