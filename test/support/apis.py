"""The APIs of the model servers, as far as a test speaks them badly: one way to say each thing."""

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from fake_ollama import Exchange, FakeOllama, chunk, tokens_read

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav.vlm.providers.provider import Provider

Answer = Callable[[Exchange], None]
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Api:
    """A streamed reply, piece by piece."""

    backend: str
    path: str
    content_type: str

    def provider(self, url: str, environ: Mapping[str, str] = _NOTHING,
                 **parameters: Any) -> Provider:
        """Return the provider with its real client library."""
        return make_provider(
            HypothesisConfig(vlm_backend=self.backend, base_url=url, **parameters), environ)

    def begin(self, exchange: Exchange) -> None:
        """Begin a reply."""
        exchange.begin_stream(self.content_type)

    def piece(self, exchange: Exchange, text: str) -> None:
        """Send some of its words."""
        raise NotImplementedError

    def thought(self, exchange: Exchange, text: str) -> None:
        """Send some of its thoughts."""
        raise NotImplementedError

    def end(self, exchange: Exchange, reason: str = 'stop') -> None:
        """End it, after the tokens that were read and 3 of reply."""
        raise NotImplementedError

    def fail(self, exchange: Exchange, words: str) -> None:
        """Send an error in the middle of it."""
        raise NotImplementedError

    def error(self, words: str) -> bytes:
        """Return the body of an error."""
        return json.dumps({'error': {'message': words, 'type': 'x'}}).encode()

    def said(self, *texts: str) -> Answer:
        """Return the answer that sends these words and ends well."""
        def answer(exchange: Exchange) -> None:
            self.begin(exchange)
            for text in texts:
                self.piece(exchange, text)
            self.end(exchange)
        return answer

    def asks(self, server: FakeOllama) -> list[tuple[dict[str, str], dict[str, Any]]]:
        """Return headers and body of the questions that a server got."""
        return [(headers, body) for path, headers, body in server.requests if path == self.path]


class OllamaApi(Api):
    """Ollama's `/api/chat`."""

    backend = 'ollama'
    path = '/api/chat'
    content_type = 'application/x-ndjson'

    def piece(self, exchange: Exchange, text: str) -> None:
        exchange.line(chunk(text))

    def thought(self, exchange: Exchange, text: str) -> None:
        exchange.line({'message': {'role': 'assistant', 'content': '', 'thinking': text}})

    def end(self, exchange: Exchange, reason: str = 'stop') -> None:
        exchange.line(chunk('', done=True, done_reason=reason,
                            prompt_eval_count=tokens_read(exchange), eval_count=3))

    def fail(self, exchange: Exchange, words: str) -> None:
        exchange.line({'error': words})

    def error(self, words: str) -> bytes:
        return json.dumps({'error': words}).encode()


class OpenAIApi(Api):
    """OpenAI's `/v1/chat/completions`."""

    backend = 'openai'
    path = '/v1/chat/completions'
    content_type = 'text/event-stream'

    def delta(self, exchange: Exchange, delta: object, reason: str | None = None) -> None:
        """Send a piece with any fields."""
        exchange.event({'id': 'x', 'object': 'chat.completion.chunk', 'created': 1, 'model': 'm',
                        'choices': [{'index': 0, 'delta': delta, 'finish_reason': reason}]})

    def piece(self, exchange: Exchange, text: str) -> None:
        self.delta(exchange, {'content': text})

    def thought(self, exchange: Exchange, text: str) -> None:
        self.delta(exchange, {'reasoning_content': text})

    def end(self, exchange: Exchange, reason: str = 'stop') -> None:
        self.delta(exchange, {}, reason)
        exchange.event({'id': 'x', 'object': 'chat.completion.chunk', 'created': 1, 'model': 'm',
                        'choices': [], 'usage': {'prompt_tokens': tokens_read(exchange),
                                                 'completion_tokens': 3}})
        exchange.write(b'data: [DONE]\n\n')

    def fail(self, exchange: Exchange, words: str) -> None:
        exchange.event({'error': {'message': words, 'code': 500}})


class AnthropicApi(Api):
    """Anthropic's `/v1/messages`."""

    backend = 'anthropic'
    path = '/v1/messages'
    content_type = 'text/event-stream'

    def begin(self, exchange: Exchange) -> None:
        super().begin(exchange)
        self.event(exchange, 'message_start', message={
            'id': 'x', 'type': 'message', 'role': 'assistant', 'model': 'm', 'content': [],
            'usage': {'input_tokens': tokens_read(exchange), 'output_tokens': 1}})

    def event(self, exchange: Exchange, kind: str, **fields: object) -> None:
        """Send an event with any fields."""
        exchange.event({'type': kind, **fields}, kind)

    def delta(self, exchange: Exchange, kind: str, index: int = 0, **fields: object) -> None:
        """Send a piece of any kind."""
        self.event(exchange, 'content_block_delta', index=index, delta={'type': kind, **fields})

    def piece(self, exchange: Exchange, text: str) -> None:
        self.delta(exchange, 'text_delta', text=text)

    def thought(self, exchange: Exchange, text: str) -> None:
        self.delta(exchange, 'thinking_delta', thinking=text)

    def end(self, exchange: Exchange, reason: str = 'end_turn') -> None:
        self.event(exchange, 'message_delta', delta={'stop_reason': reason},
                   usage={'output_tokens': 3})
        self.event(exchange, 'message_stop')

    def fail(self, exchange: Exchange, words: str) -> None:
        self.event(exchange, 'error', error={'type': 'overloaded_error', 'message': words})

    def error(self, words: str) -> bytes:
        return json.dumps({'type': 'error', 'error': {'type': 'x', 'message': words}}).encode()


APIS = (OllamaApi(), OpenAIApi(), AnthropicApi())
