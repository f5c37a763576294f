"""The HTTP side of the model server: routes, streaming, errors, clients that go away."""

from __future__ import annotations

import ipaddress
import itertools
import logging
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer
from typing import Any

from semantic_nav.sim.model import http_faults, ollama_api, openai_api
from semantic_nav.sim.model.engine import DEFAULT_NUM_CTX, ApiError, Completion, Engine
from semantic_nav.sim.model.http_wire import WireHandler
from semantic_nav.sim.model.profile import CallOutcome, Kind

_LOG = logging.getLogger(__name__)
#: How soon a server that makes its client wait sees that the client has left.
_POLL_S = 0.05


class ModelHttpServer(ThreadingHTTPServer):
    """Serves one engine on a loopback address.

    Args:
        host: A loopback address; anything else is refused.
        port: TCP port, 0 for any free one.
        engine: What answers.

    Raises:
        ValueError: The host is not a loopback address.
        OSError: The port is taken.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str, port: int, engine: Engine) -> None:
        if not is_loopback(host):
            raise ValueError(f'{host!r} is not a loopback address: the model server is for this '
                             'machine alone, use 127.0.0.1')
        self.engine = engine
        self.counter = itertools.count(1)
        self.num_ctx = DEFAULT_NUM_CTX
        self.loaded_until_s: float | None = None
        self._closing = threading.Event()
        self.address_family = socket.AF_INET6 if ':' in host else socket.AF_INET
        super().__init__((host, port), ModelHandler)

    def server_bind(self) -> None:
        """Bind without asking a name server for this machine's name."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def server_close(self) -> None:
        """Stop listening, and let nobody wait any longer."""
        self._closing.set()
        super().server_close()

    def die(self) -> None:
        """Stop as if the process had ended: from now on connections are refused."""
        self.shutdown()
        self.server_close()

    def pause(self, wait_s: float) -> bool:
        """Wait; returns True at once when the server closes."""
        return self._closing.wait(wait_s)

    @property
    def url(self) -> str:
        """Where it listens."""
        host = f'[{self.server_name}]' if ':' in self.server_name else self.server_name
        return f'http://{host}:{self.server_port}'

    def keep(self, keep_alive_s: float, num_ctx: int) -> None:
        """Note that the model is loaded, and for how long from now (negative: for ever)."""
        lasts_s = keep_alive_s if keep_alive_s >= 0.0 else float('inf')
        self.loaded_until_s = time.monotonic() + lasts_s
        self.num_ctx = num_ctx

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log what went wrong in a connection; a client that left is no error."""
        if isinstance(sys.exception(), ConnectionError | TimeoutError):
            _LOG.debug('client %s left', client_address)
        else:
            _LOG.exception('request of %s failed', client_address)


def is_loopback(host: str) -> bool:
    """Whether a host is an address of this machine alone."""
    if host == 'localhost':
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


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

    # -- what the server says about itself

    def _root(self, _raw: bytes) -> None:
        self.send_bytes(200, b'Ollama is running', 'text/plain; charset=utf-8')

    def _version(self, _raw: bytes) -> None:
        self.send_json({'version': ollama_api.VERSION})

    def _tags(self, _raw: bytes) -> None:
        self.send_json({'models': [self.server.engine.card.listed()]})

    def _ps(self, _raw: bytes) -> None:
        until_s, now_s = self.server.loaded_until_s, time.monotonic()
        if until_s is None or until_s <= now_s:
            self.send_json({'models': []})
            return
        # What is loaded for ever is shown as expiring in some centuries.
        expires = ollama_api.timestamp(min(until_s - now_s, 9e9))
        self.send_json({'models': [self.server.engine.card.running(expires, self.server.num_ctx)]})

    def _show(self, raw: bytes) -> None:
        card = self.server.engine.card
        ollama_api.require_model(ollama_api.decode_body(raw), card)
        self.send_json(card.shown())

    def _embed(self, raw: bytes) -> None:
        ollama_api.require_model(ollama_api.decode_body(raw), self.server.engine.card)
        raise ApiError(501, 'this model does not support embeddings')

    def _models(self, _raw: bytes) -> None:
        self.send_json(openai_api.models(self.server.engine.card))

    # -- generation

    def _chat(self, raw: bytes) -> None:
        card = self.server.engine.card
        self._ollama(ollama_api.read_chat(ollama_api.decode_body(raw), card), chat=True)

    def _generate(self, raw: bytes) -> None:
        card = self.server.engine.card
        self._ollama(ollama_api.read_generate(ollama_api.decode_body(raw), card), chat=False)

    def _ollama(self, request: ollama_api.Request, chat: bool) -> None:
        started_ns = time.monotonic_ns()
        card = self.server.engine.card
        self.server.keep(request.keep_alive_s, request.ask.num_ctx)
        if not request.ask.messages:
            reason = 'unload' if request.keep_alive_s == 0.0 else 'load'
            self.send_json(ollama_api.last_line(card, '', chat, reason))
            return
        with self.server.engine.turn:
            loaded_ns = time.monotonic_ns()
            outcome = self._outcome()
            if outcome is None:
                return
            done = self.server.engine.complete(request.ask)
            seen_ns = time.monotonic_ns()
            if request.stream:
                self.start_stream('application/x-ndjson')
            for piece in self._pieces(done, outcome):
                if request.stream:
                    self.send_line(ollama_api.line(card, piece, chat))
            if done.call is not None and request.stream:
                self.send_line(ollama_api.call_line(card, done.call))
            ended_ns = time.monotonic_ns()
        metrics = {
            'total_duration': ended_ns - started_ns, 'load_duration': loaded_ns - started_ns,
            'prompt_eval_count': done.prompt_tokens, 'prompt_eval_duration': seen_ns - loaded_ns,
            'eval_count': len(done.pieces), 'eval_duration': ended_ns - seen_ns}
        text = '' if request.stream else ''.join(done.pieces)
        last = ollama_api.last_line(card, text, chat, done.done_reason, metrics)
        if done.call is not None and not request.stream:
            last['message'] = ollama_api.call_line(card, done.call)['message']
        if request.stream:
            self.send_line(last)
            self.end_stream()
        else:
            self.send_json(last)

    def _chat_completions(self, raw: bytes) -> None:
        engine = self.server.engine
        card, ident = engine.card, f'chatcmpl-{next(self.server.counter)}'
        request = openai_api.read_chat(ollama_api.decode_body(raw), card)
        self.server.keep(300.0, request.ask.num_ctx)
        with engine.turn:
            outcome = self._outcome()
            if outcome is None:
                return
            done = engine.complete(request.ask)
            if request.stream:
                self.start_stream('text/event-stream')
            for index, piece in enumerate(self._pieces(done, outcome)):
                if request.stream:
                    self.send_event(openai_api.chunk(card, ident, piece, first=index == 0))
            if done.call is not None and request.stream:
                self.send_event(openai_api.call_chunk(card, ident, done.call))
        prompt_tokens, count = done.prompt_tokens, len(done.pieces)
        reason = done.done_reason if done.call is None else 'tool_calls'
        if not request.stream:
            whole = openai_api.completion(card, ident, ''.join(done.pieces), reason,
                                          prompt_tokens, count)
            if done.call is not None:
                whole['choices'][0]['message'] = openai_api.call_message(ident, done.call)
            self.send_json(whole)
            return
        self.send_event(openai_api.finish_chunk(card, ident, reason))
        if request.include_usage:
            self.send_event(openai_api.usage_chunk(card, ident, prompt_tokens, count))
        self.send_event(None)
        self.end_stream()

    # -- what goes wrong

    def _outcome(self) -> CallOutcome | None:
        """Return what becomes of this call; None when that was all."""
        outcome = self.server.engine.outcome()
        self.wait(outcome.latency_s)
        if http_faults.misbehave(self, outcome):
            return None
        return outcome

    def wait(self, wait_s: float) -> None:
        """Let the client wait.

        Raises:
            ConnectionAbortedError: it left, or the server closes.
        """
        due_s = time.monotonic() + wait_s
        while (left_s := due_s - time.monotonic()) > 0.0:
            if self.client_left() or self.server.pause(min(left_s, _POLL_S)):
                raise ConnectionAbortedError('the client left')

    def _pieces(self, done: Completion, outcome: CallOutcome) -> Iterator[str]:
        """Yield the pieces of a reply at the speed of the model, until the client goes away."""
        pause_s = 1.0 / outcome.tokens_per_s if outcome.tokens_per_s else 0.0
        for index, piece in enumerate(done.pieces):
            self.wait(pause_s)
            if self.client_left():
                raise ConnectionAbortedError('the client left')
            if 2 * index >= len(done.pieces):
                if outcome.kind is Kind.STALLS:
                    self.wait(http_faults.FOR_EVER_S)
                if outcome.kind is Kind.CUT:
                    raise ConnectionAbortedError('cut off in the middle')
            yield piece


_Action = Callable[[ModelHandler, bytes], None]
_ROUTES: dict[str, dict[str, _Action]] = {
    '/': {'GET': ModelHandler._root},
    '/api/version': {'GET': ModelHandler._version},
    '/api/tags': {'GET': ModelHandler._tags},
    '/api/ps': {'GET': ModelHandler._ps},
    '/api/show': {'POST': ModelHandler._show},
    '/api/chat': {'POST': ModelHandler._chat},
    '/api/generate': {'POST': ModelHandler._generate},
    '/api/embed': {'POST': ModelHandler._embed},
    '/api/embeddings': {'POST': ModelHandler._embed},
    '/v1/models': {'GET': ModelHandler._models},
    '/v1/chat/completions': {'POST': ModelHandler._chat_completions},
}
