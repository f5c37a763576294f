"""A model behind OpenAI's API (llama.cpp, vLLM, LM Studio, TGI), through OpenAI's own client."""

from threading import Event as Flag
from typing import Any

import httpcore2
import httpx2
import openai

from semantic_nav.vlm.conversation import Question, Reply, with_schema_in_words
from semantic_nav.vlm.http.client_errors import check_stream, named_errors
from semantic_nav.vlm.http.guard import Guard
from semantic_nav.vlm.http.transport import guarded_transport
from semantic_nav.vlm.providers.models_api import NO_KEY, ModelsApi
from semantic_nav.vlm.providers.openai_messages import messages, response_format, tools
from semantic_nav.vlm.providers.reply_builder import ReplyBuilder

_BACKEND = 'openai'
_Transport = guarded_transport(httpx2, httpcore2)
_LEGACY_CALL = 'function_call'


class OpenAIProvider(ModelsApi):
    """Asks a model on `/v1/chat/completions`, always streamed.

    llama.cpp goes on with a call that is not streamed when the client has left; a streamed one it
    stops at the next token.
    """

    def ask(self, question: Question, deadline_s: float, cancelled: Flag) -> Reply:
        """Return the model's reply; see `Provider.ask`.

        A stream that ends early still counts when it brought text; whether that is whole is for
        the gate to say.
        """
        guard = self._server.guard(deadline_s, cancelled)
        building = ReplyBuilder()
        with named_errors(openai, _BACKEND), self._client(guard) as client:
            with client.chat.completions.create(**self._request(question)) as parts:
                check_stream(parts.response, _BACKEND)
                for part in parts:
                    guard.check()
                    _add(building, part)
            return building.reply()

    def _request(self, question: Question) -> dict[str, Any]:
        config = self._config
        request: dict[str, Any] = {
            'model': config.model, 'stream': True, 'stream_options': {'include_usage': True},
            'max_tokens': question.max_tokens, 'temperature': question.temperature,
            'seed': question.seed,
            # What llama.cpp and vLLM hand to the model's chat template.
            'extra_body': {'chat_template_kwargs': {'enable_thinking': config.think}}}
        asked = question.messages
        if question.tools:
            # A reply that is held to a schema can call no tool.
            request |= {'tools': tools(question.tools), 'tool_choice': config.tool_choice}
        elif form := response_format(config.response_format, question.schema):
            request['response_format'] = form
        if question.tools or config.schema_in_words:
            asked = with_schema_in_words(asked, question.schema)
        return request | {'messages': messages(asked)}

    def _client(self, guard: Guard) -> openai.OpenAI:
        http = httpx2.Client(transport=_Transport(guard, self._server),
                             follow_redirects=False, trust_env=False)
        return openai.OpenAI(base_url=f'{self._server.url}/v1', api_key=NO_KEY, max_retries=0,
                             timeout=guard.check(), http_client=http)


def _add(building: ReplyBuilder, part: Any) -> None:
    """Add a piece of a stream; the client checks none of its types."""
    building.named(part.model)
    if part.usage is not None:
        building.count(part.usage.prompt_tokens, part.usage.completion_tokens)
    # llama.cpp says it with the last piece.
    timings = (part.model_extra or {}).get('timings')
    if isinstance(timings, dict):
        building.time(None, timings.get('prompt_ms'), timings.get('predicted_ms'))
    # The piece with the usage has no choice; a second choice was not asked for.
    for choice in (part.choices or ())[:1]:
        building.finish(choice.finish_reason)
        delta = choice.delta
        if delta is None:
            continue
        building.add_text(delta.content)
        more = delta.model_extra or {}
        building.add_thinking(more.get('reasoning_content') or more.get('reasoning'))
        for call in delta.tool_calls or ():
            function = call.function
            building.add_call(call.index, call.id, function and function.name,
                              function and function.arguments)
        if delta.function_call is not None:
            building.add_call(_LEGACY_CALL, '', delta.function_call.name,
                              delta.function_call.arguments)
