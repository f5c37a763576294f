"""The HTTP side of the model server: routes, streaming, errors."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from semantic_nav_sim.loopback_server import LoopbackServer, read_body, while_client_stays
from semantic_nav_sim.model import ollama_api, openai_api
from semantic_nav_sim.model.engine import ApiError, Ask, Completion, Engine
from semantic_nav_sim.model.http_faults import FOR_EVER_S, LINES, Fault, go_on, misbehave, start
from semantic_nav_sim.model.store import ModelStore
from semantic_nav_sim.model.transport import CallOutcome, Kind

_MAX_BODY_BYTES = 64_000_000
#: Pause between two lines of a pull.
_PULL_PERIOD_S = 0.01

#: A reply: parts of a stream, or one whole response.
Parts = AsyncGenerator[bytes | Response, None]


class _Json(JSONResponse):
    """JSON, labelled as by Ollama's server."""

    media_type = 'application/json; charset=utf-8'


class ModelHttpServer(LoopbackServer):
    """Serves models on a loopback address.

    Attributes:
        turn: held by the call that is being answered.
    """

    def __init__(self, host: str, port: int, engine: Engine) -> None:
        """Take the port, and start to answer.

        Args:
            host: A loopback address; anything else is refused.
            port: TCP port, 0 for any free one.
            engine: The initial model.

        Raises:
            ValueError: The host is not a loopback address.
            OSError: The port is taken.
        """
        self.turn = asyncio.Lock()
        self._store = ModelStore(engine)
        self._counter = itertools.count(1)
        self._started_s = time.monotonic()
        version = {'version': ollama_api.VERSION}
        super().__init__(Starlette(
            routes=[
                Route('/', PlainTextResponse('Ollama is running'), methods=['GET']),
                Route('/api/version', _Json(version), methods=['GET']),
                Route('/api/tags', self._tags),
                Route('/api/ps', self._ps),
                Route('/api/pull', self._pull, methods=['POST']),
                Route('/api/delete', self._delete, methods=['DELETE']),
                Route('/api/show', self._show, methods=['POST']),
                Route('/api/chat', self._chat, methods=['POST']),
                Route('/api/generate', self._generate, methods=['POST']),
                Route('/api/embed', self._embed, methods=['POST']),
                Route('/api/embeddings', self._embed, methods=['POST']),
                Route('/v1/models', self._models),
                Route('/v1/chat/completions', self._chat_completions, methods=['POST'])],
            exception_handlers={ApiError: _api_error, HTTPException: _http_error}), host, port)

    # -- server information

    async def _tags(self, _: Request) -> Response:
        return _Json({'models': [card.listed() for card in self._store.cards]})

    async def _ps(self, _: Request) -> Response:
        loaded = self._store.loaded
        if loaded is None:
            return _Json({'models': []})
        card, left_s, num_ctx = loaded
        # A model that is loaded for ever is shown as expiring in some centuries.
        expires = ollama_api.timestamp(min(left_s, 9e9))
        return _Json({'models': [card.running(expires, num_ctx)]})

    async def _show(self, request: Request) -> Response:
        engine, _ = await self._read(request)
        return _Json(engine.card.shown())

    async def _embed(self, request: Request) -> Response:
        await self._read(request)
        raise ApiError(501, 'this model does not support embeddings')

    async def _models(self, _: Request) -> Response:
        return _Json(openai_api.models(self._store.cards))

    # -- pull and delete

    async def _pull(self, request: Request) -> Response:
        name, stream = ollama_api.read_pull(await _body(request))
        if stream:
            return StreamingResponse(self._pulled(name), media_type=LINES)
        *_, last = self._store.pull(name)
        return _Json(last, 500 if 'error' in last else 200)

    async def _pulled(self, name: str) -> AsyncIterator[bytes]:
        for line in self._store.pull(name):
            await asyncio.sleep(_PULL_PERIOD_S)
            yield _line(line)

    async def _delete(self, request: Request) -> Response:
        name = ollama_api.valid_name(await _body(request))
        if not self._store.delete(name):
            raise ApiError(404, f"model '{name}' not found")
        return PlainTextResponse('')

    # -- generation

    async def _chat(self, request: Request) -> ASGIApp:
        engine, body = await self._read(request)
        return self._ollama(engine, ollama_api.read_chat(body, engine.card), chat=True)

    async def _generate(self, request: Request) -> ASGIApp:
        engine, body = await self._read(request)
        return self._ollama(engine, ollama_api.read_generate(body, engine.card), chat=False)

    def _ollama(self, engine: Engine, asked: ollama_api.OllamaRequest, chat: bool) -> ASGIApp:
        self._store.keep(engine.card, asked.keep_alive_s, asked.ask.num_ctx)
        if asked.ask.messages:
            return self._reply(self._lines(engine, asked, chat, time.monotonic_ns()), LINES)
        reason = 'unload' if asked.keep_alive_s == 0.0 else 'load'
        return _Json(ollama_api.last_line(engine.card, '', chat, reason))

    async def _lines(self, engine: Engine, asked: ollama_api.OllamaRequest, chat: bool,
                     started_ns: int) -> Parts:
        card, loaded_ns = engine.card, time.monotonic_ns()
        done, outcome = await self._begin(engine, asked.ask)
        seen_ns = time.monotonic_ns()
        async for piece in self._pieces(done, outcome):
            if asked.stream:
                yield _line(ollama_api.line(card, piece, chat))
        ident = f'{next(self._counter):07x}'
        if done.calls and asked.stream:
            yield _line(ollama_api.calls_line(card, done.calls, ident))
        ended_ns = time.monotonic_ns()
        metrics = {
            'total_duration': ended_ns - started_ns, 'load_duration': loaded_ns - started_ns,
            'prompt_eval_count': done.prompt_tokens, 'prompt_eval_duration': seen_ns - loaded_ns,
            'eval_count': done.reply_tokens, 'eval_duration': ended_ns - seen_ns}
        text = '' if asked.stream else ''.join(done.pieces)
        last = ollama_api.last_line(card, text, chat, done.done_reason, metrics)
        if done.calls and not asked.stream:
            last['message'] = ollama_api.calls_line(card, done.calls, ident)['message']
        yield _line(last) if asked.stream else _Json(last)

    async def _chat_completions(self, request: Request) -> ASGIApp:
        engine, body = await self._read(request)
        asked = openai_api.read_chat(body)
        self._store.keep(engine.card, 300.0, asked.ask.num_ctx)
        return self._reply(self._events(engine, asked), 'text/event-stream')

    async def _events(self, engine: Engine, asked: openai_api.OpenAIRequest) -> Parts:
        card, ident, first = engine.card, f'chatcmpl-{next(self._counter)}', True
        done, outcome = await self._begin(engine, asked.ask)
        async for piece in self._pieces(done, outcome):
            if asked.stream:
                yield _event(openai_api.chunk(card, ident, piece, first))
                first = False
        counts = done.prompt_tokens, done.reply_tokens
        reason = 'tool_calls' if done.calls else done.done_reason
        if not asked.stream:
            whole = openai_api.completion(card, ident, ''.join(done.pieces), reason, *counts)
            if done.calls:
                whole['choices'][0]['message'] = openai_api.calls_message(ident, done.calls)
            yield _Json(whole)
            return
        if done.calls:
            yield _event(openai_api.calls_chunk(card, ident, done.calls))
        yield _event(openai_api.finish_chunk(card, ident, reason))
        if asked.include_usage:
            yield _event(openai_api.usage_chunk(card, ident, *counts))
        yield b'data: [DONE]\n\n'

    async def _begin(self, engine: Engine, ask: Ask) -> tuple[Completion, CallOutcome]:
        """Take the time before the first piece of a reply; returns the reply and its outcome."""
        outcome = engine.outcome(time.monotonic() - self._started_s)
        await asyncio.sleep(outcome.latency_s)
        await misbehave(outcome)
        done = await run_in_threadpool(engine.complete, ask)
        await asyncio.sleep(outcome.reading_s(done.prompt_tokens))
        return done, outcome

    async def _pieces(self, done: Completion, outcome: CallOutcome) -> AsyncIterator[str]:
        """Yield the pieces of a reply at the model's speed."""
        pause_s = 1.0 / outcome.tokens_per_s if outcome.tokens_per_s else 0.0
        for index, piece in enumerate(done.pieces):
            await asyncio.sleep(pause_s)
            if 2 * index >= len(done.pieces):
                if outcome.kind is Kind.STALLS:
                    await asyncio.sleep(FOR_EVER_S)
                if outcome.kind is Kind.CUT:
                    raise Fault
            yield piece

    def _reply(self, parts: Parts, kind: str) -> ASGIApp:
        """A reply that waits for its turn, and is given up if the client leaves."""
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            started = False
            async with while_client_stays(receive), self.turn, aclosing(parts):
                try:
                    async for part in parts:
                        if isinstance(part, Response):
                            await part(scope, receive, send)
                            return
                        if not started:
                            await start(send, kind)
                            started = True
                        await go_on(send, part)
                    await send({'type': 'http.response.body'})
                except Fault as fault:
                    if fault.reply is not None:
                        await fault.reply(scope, receive, send)
                    if fault.dies:
                        self.die()
                    await self.hang_up(scope, receive, reset=fault.reset)

        return answer

    async def _read(self, request: Request) -> tuple[Engine, dict[str, Any]]:
        """The model that a body names, and the body."""
        body = await _body(request)
        return ollama_api.require_model(body, self._store), body


async def _body(request: Request) -> dict[str, Any]:
    return ollama_api.decode_body(await read_body(request, _MAX_BODY_BYTES))


def _line(document: dict[str, Any]) -> bytes:
    return json.dumps(document, separators=(',', ':')).encode() + b'\n'


def _event(document: dict[str, Any]) -> bytes:
    return b'data: ' + _line(document) + b'\n'


async def _api_error(request: Request, error: ApiError) -> Response:
    of_openai = request.url.path.startswith('/v1/')
    document = openai_api.error(error.status, str(error)) if of_openai else {'error': str(error)}
    return _Json(document, error.status)


async def _http_error(_: Request, error: HTTPException) -> Response:
    words = {404: '404 page not found', 405: '405 method not allowed'}
    return PlainTextResponse(words.get(error.status_code, error.detail), error.status_code)
