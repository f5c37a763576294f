"""The HTTP side of the model server: routes, streaming, errors."""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

from semantic_nav_sim.model import http_faults, ollama_api, openai_api
from semantic_nav_sim.model.engine import ApiError, Completion, Engine
from semantic_nav_sim.model.http_wire import FOR_EVER_S, WireHandler, WireServer
from semantic_nav_sim.model.store import ModelStore
from semantic_nav_sim.model.transport import CallOutcome, Kind

_LOG = logging.getLogger(__name__)
#: Pause between two lines of a pull.
_PULL_PERIOD_S = 0.01


class ModelHttpServer(WireServer):
    """Serves models on a loopback address.

    Args:
        host: A loopback address; anything else is refused.
        port: TCP port, 0 for any free one.
        engine: The initial model.

    Raises:
        ValueError: The host is not a loopback address.
        OSError: The port is taken.
    """

    def __init__(self, host: str, port: int, engine: Engine) -> None:
        self.store = ModelStore(engine)
        self.counter = itertools.count(1)
        self.started_s = time.monotonic()
        super().__init__(host, port, ModelHandler)


class ModelHandler(WireHandler):
    """One connection."""

    server: ModelHttpServer

    def do_GET(self) -> None:
        """Answer a GET."""
        self._route()

    do_HEAD = do_POST = do_DELETE = do_PUT = do_GET

    def _route(self) -> None:
        path = self.path.split('?', 1)[0]
        raw = self.read_body()
        if raw is None:
            return
        methods = _ROUTES.get(path)
        if methods is None:
            self.send_bytes(404, b'404 page not found', 'text/plain')
            return
        action = methods.get('GET' if self.command == 'HEAD' else self.command)
        if action is None:
            self.send_bytes(405, b'405 method not allowed', 'text/plain')
            return
        try:
            action(self, raw)
        except ApiError as error:
            message = str(error)
            document = (openai_api.error(error.status, message) if path.startswith('/v1/')
                        else {'error': message})
            self.send_json(document, error.status)
        except (ConnectionError, TimeoutError):
            _LOG.info('client left %s', path)
            self.close_connection = True

    # -- server information

    def _root(self, _raw: bytes) -> None:
        self.send_bytes(200, b'Ollama is running', 'text/plain; charset=utf-8')

    def _version(self, _raw: bytes) -> None:
        self.send_json({'version': ollama_api.VERSION})

    def _tags(self, _raw: bytes) -> None:
        self.send_json({'models': [card.listed() for card in self.server.store.cards]})

    def _ps(self, _raw: bytes) -> None:
        loaded = self.server.store.loaded
        if loaded is None:
            self.send_json({'models': []})
            return
        card, left_s, num_ctx = loaded
        # A model that is loaded for ever is shown as expiring in some centuries.
        expires = ollama_api.timestamp(min(left_s, 9e9))
        self.send_json({'models': [card.running(expires, num_ctx)]})

    def _show(self, raw: bytes) -> None:
        engine = ollama_api.require_model(ollama_api.decode_body(raw), self.server.store)
        self.send_json(engine.card.shown())

    def _embed(self, raw: bytes) -> None:
        ollama_api.require_model(ollama_api.decode_body(raw), self.server.store)
        raise ApiError(501, 'this model does not support embeddings')

    def _models(self, _raw: bytes) -> None:
        self.send_json(openai_api.models(self.server.store.cards))

    # -- pull and delete

    def _pull(self, raw: bytes) -> None:
        name, stream = ollama_api.read_pull(ollama_api.decode_body(raw))
        if stream:
            self.start_stream('application/x-ndjson')
        line: dict[str, Any] = {}
        for line in self.server.store.pull(name):
            self.wait(_PULL_PERIOD_S)
            if stream:
                self.send_line(line)
        if stream:
            self.end_stream()
        elif 'error' in line:
            raise ApiError(500, line['error'])
        else:
            self.send_json(line)

    def _delete(self, raw: bytes) -> None:
        name = ollama_api.valid_name(ollama_api.decode_body(raw))
        if not self.server.store.delete(name):
            raise ApiError(404, f"model '{name}' not found")
        self.send_bytes(200, b'', 'text/plain')

    # -- generation

    def _chat(self, raw: bytes) -> None:
        body = ollama_api.decode_body(raw)
        engine = ollama_api.require_model(body, self.server.store)
        self._ollama(engine, ollama_api.read_chat(body, engine.card), chat=True)

    def _generate(self, raw: bytes) -> None:
        body = ollama_api.decode_body(raw)
        engine = ollama_api.require_model(body, self.server.store)
        self._ollama(engine, ollama_api.read_generate(body, engine.card), chat=False)

    def _ollama(self, engine: Engine, request: ollama_api.OllamaRequest, chat: bool) -> None:
        started_ns = time.monotonic_ns()
        card = engine.card
        self.server.store.keep(card, request.keep_alive_s, request.ask.num_ctx)
        if not request.ask.messages:
            reason = 'unload' if request.keep_alive_s == 0.0 else 'load'
            self.send_json(ollama_api.last_line(card, '', chat, reason))
            return
        with engine.turn:
            loaded_ns = time.monotonic_ns()
            outcome = self._outcome(engine)
            if outcome is None:
                return
            done = engine.complete(request.ask)
            self.wait(outcome.reading_s(done.prompt_tokens))
            seen_ns = time.monotonic_ns()
            if request.stream:
                self.start_stream('application/x-ndjson')
            for piece in self._pieces(done, outcome):
                if request.stream:
                    self.send_line(ollama_api.line(card, piece, chat))
            ident = f'{next(self.server.counter):07x}'
            if done.calls and request.stream:
                self.send_line(ollama_api.calls_line(card, done.calls, ident))
            ended_ns = time.monotonic_ns()
        metrics = {
            'total_duration': ended_ns - started_ns, 'load_duration': loaded_ns - started_ns,
            'prompt_eval_count': done.prompt_tokens, 'prompt_eval_duration': seen_ns - loaded_ns,
            'eval_count': done.reply_tokens, 'eval_duration': ended_ns - seen_ns}
        text = '' if request.stream else ''.join(done.pieces)
        last = ollama_api.last_line(card, text, chat, done.done_reason, metrics)
        if done.calls and not request.stream:
            last['message'] = ollama_api.calls_line(card, done.calls, ident)['message']
        if request.stream:
            self.send_line(last)
            self.end_stream()
        else:
            self.send_json(last)

    def _chat_completions(self, raw: bytes) -> None:
        body = ollama_api.decode_body(raw)
        engine = ollama_api.require_model(body, self.server.store)
        card, ident = engine.card, f'chatcmpl-{next(self.server.counter)}'
        request = openai_api.read_chat(body)
        self.server.store.keep(card, 300.0, request.ask.num_ctx)
        with engine.turn:
            outcome = self._outcome(engine)
            if outcome is None:
                return
            done = engine.complete(request.ask)
            self.wait(outcome.reading_s(done.prompt_tokens))
            if request.stream:
                self.start_stream('text/event-stream')
            for index, piece in enumerate(self._pieces(done, outcome)):
                if request.stream:
                    self.send_event(openai_api.chunk(card, ident, piece, first=index == 0))
            if done.calls and request.stream:
                self.send_event(openai_api.calls_chunk(card, ident, done.calls))
        prompt_tokens, count = done.prompt_tokens, done.reply_tokens
        reason = 'tool_calls' if done.calls else done.done_reason
        if not request.stream:
            whole = openai_api.completion(card, ident, ''.join(done.pieces), reason,
                                          prompt_tokens, count)
            if done.calls:
                whole['choices'][0]['message'] = openai_api.calls_message(ident, done.calls)
            self.send_json(whole)
            return
        self.send_event(openai_api.finish_chunk(card, ident, reason))
        if request.include_usage:
            self.send_event(openai_api.usage_chunk(card, ident, prompt_tokens, count))
        self.send_event(None)
        self.end_stream()

    # -- faults

    def _outcome(self, engine: Engine) -> CallOutcome | None:
        """The outcome of this call; None if a fault has ended it."""
        outcome = engine.outcome(time.monotonic() - self.server.started_s)
        self.wait(outcome.latency_s)
        if http_faults.misbehave(self, outcome, engine.card.name):
            return None
        return outcome

    def _pieces(self, done: Completion, outcome: CallOutcome) -> Iterator[str]:
        """Yield the pieces of a reply at the model's speed, until the client leaves."""
        pause_s = 1.0 / outcome.tokens_per_s if outcome.tokens_per_s else 0.0
        for index, piece in enumerate(done.pieces):
            self.wait(pause_s)
            if self.client_left():
                raise ConnectionAbortedError('the client left')
            if 2 * index >= len(done.pieces):
                if outcome.kind is Kind.STALLS:
                    self.wait(FOR_EVER_S)
                if outcome.kind is Kind.CUT:
                    raise ConnectionAbortedError('cut off in the middle')
            yield piece


_Action = Callable[[ModelHandler, bytes], None]
_ROUTES: dict[str, dict[str, _Action]] = {
    '/': {'GET': ModelHandler._root},
    '/api/version': {'GET': ModelHandler._version},
    '/api/tags': {'GET': ModelHandler._tags},
    '/api/ps': {'GET': ModelHandler._ps},
    '/api/pull': {'POST': ModelHandler._pull},
    '/api/delete': {'DELETE': ModelHandler._delete},
    '/api/show': {'POST': ModelHandler._show},
    '/api/chat': {'POST': ModelHandler._chat},
    '/api/generate': {'POST': ModelHandler._generate},
    '/api/embed': {'POST': ModelHandler._embed},
    '/api/embeddings': {'POST': ModelHandler._embed},
    '/v1/models': {'GET': ModelHandler._models},
    '/v1/chat/completions': {'POST': ModelHandler._chat_completions},
}
