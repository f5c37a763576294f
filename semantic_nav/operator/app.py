"""The page over HTTP and its websocket, behind the guard."""

import asyncio
import json
import math
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from semantic_nav.contracts.documents import ToolReply
from semantic_nav.contracts.schemas import loads_strict
from semantic_nav.operator.desk import MAX_WISHES, MAX_WORDS, Desk
from semantic_nav.operator.guard import SECURITY_HEADERS, Guard
from semantic_nav.operator.view import Json, description_to_plain, place_to_plain
from semantic_nav.operator.wish import HARMLESS, OF_PLACE, STOPS, Wish, is_sent

#: How often it is seen whether something changed, and how often ages are told anew.
_LOOK_S, _AGAIN_S = 0.1, 1.0
_MOST_BODY_BYTES = 4096
#: Answers that a page has not taken yet; one that takes none is told no more.
_MOST_UNREAD = 64
#: After a wrong token.
_PAUSE_S = 1.0
_STATIC = Path(__file__).with_name('static')
_FILES = {'/': ('index.html', 'text/html'), '/login': ('login.html', 'text/html'),
          '/app.js': ('app.js', 'text/javascript'), '/map.js': ('map.js', 'text/javascript'),
          '/places.js': ('places.js', 'text/javascript'),
          '/speech.js': ('speech.js', 'text/javascript'),
          '/style.css': ('style.css', 'text/css')}
#: What is served without a token.
_OPEN = frozenset({'/login', '/style.css'})
#: A time in ns, as the name of a picture.
_STAMP = re.compile(r'[0-9]{1,19}')
#: Closing code of a websocket that policy refuses (RFC 6455).
_REFUSED, _TOO_MANY = 1008, 1013


def make_app(desk: Desk, guard: Guard) -> ASGIApp:
    """Return the page of a desk.

    Args:
        desk: what is shown, and who fulfils wishes.
        guard: who may speak to it.
    """
    async def login(request: Request) -> Response:
        body = b''
        async for part in request.stream():
            body += part
            if len(body) > _MOST_BODY_BYTES:
                return PlainTextResponse('too long', 413)
        words = parse_qs(body.decode('utf-8', 'replace')).get('token', [''])[0]
        cookie = guard.begin(words)
        if cookie is None:
            await asyncio.sleep(_PAUSE_S)
            return PlainTextResponse('this is not the token', 403)
        return RedirectResponse('/', 303, {'set-cookie': cookie})

    async def socket(websocket: WebSocket) -> None:
        if not desk.open_page():
            await websocket.close(_TOO_MANY)
            return
        try:
            await websocket.accept()
            await _Page(desk, websocket).run()
        finally:
            desk.close_page()

    routes: list[Any] = [Route(path, _file(*file)) for path, file in _FILES.items()]
    routes += [
        Route('/login', login, methods=['POST']),
        Route('/map.png', _drawing(desk.map_png)), Route('/heat.png', _drawing(desk.heat_png)),
        Route('/looks/{stamp_ns}.jpg', _look(desk)),
        WebSocketRoute('/live', socket)]
    return _Guarded(Starlette(routes=routes), guard)


def _file(name: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    content = (_STATIC / name).read_bytes()

    async def answer(request: Request) -> Response:
        del request
        return Response(content, media_type=kind)

    return answer


def _drawing(draw: Callable[[float | None], bytes | None],
             ) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        png = await run_in_threadpool(draw, _moment(request.query_params.get('at')))
        return Response(status_code=404) if png is None else (
            Response(png, media_type='image/png'))

    return answer


def _look(desk: Desk) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        name = str(request.path_params['stamp_ns'])
        known = _STAMP.fullmatch(name) is not None
        jpeg = await run_in_threadpool(desk.picture, int(name)) if known else None
        return Response(status_code=404) if jpeg is None else (
            Response(jpeg, media_type='image/jpeg'))

    return answer


def _moment(words: object) -> float | None:
    """Return a time in s; None for now, and for what is no time."""
    try:
        value = float(words)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


class _Guarded:
    """Lets through what the guard allows, and gives every response its headers."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app, self._guard = app, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope['type'] not in ('http', 'websocket'):
            return
        is_socket = scope['type'] == 'websocket'
        refusal = self._guard.refusal(scope['headers'], needs_origin=is_socket)
        known = scope['path'] in _OPEN or self._guard.knows(scope['headers'])
        if is_socket:
            if refusal or not known:
                # Before it is accepted: the handshake is answered with 403.
                await receive()
                await send({'type': 'websocket.close', 'code': _REFUSED})
                return
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message['type'] == 'http.response.start':
                message['headers'] = [*message['headers'], *(
                    (name.encode(), value.encode()) for name, value in SECURITY_HEADERS)]
            await send(message)

        answer = self._app
        if refusal:
            answer = PlainTextResponse(refusal, 403)
        elif not known:
            answer = RedirectResponse('/login', 303)
        await answer(scope, receive, send_guarded)


class _Page:
    """One open page: tells it what changes, takes what the operator asks for."""

    def __init__(self, desk: Desk, websocket: WebSocket) -> None:
        self._desk, self._websocket = desk, websocket
        self._loop = asyncio.get_running_loop()
        self._out: asyncio.Queue[Json] = asyncio.Queue(_MOST_UNREAD)
        # What was asked for here and is not answered yet.
        self._open: set[Wish] = set()
        self._at_s: float | None = None
        self._watches = False
        self._stir = asyncio.Event()

    async def run(self) -> None:
        """Serve until the page is closed."""
        telling = asyncio.gather(self._tell_views(), self._tell_answers(), self._tell_camera())
        taking = asyncio.ensure_future(self._take())
        try:
            done, _ = await asyncio.wait((telling, taking),
                                         return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                with suppress(WebSocketDisconnect):
                    one.result()
        finally:
            self._watch(False)
            for task in (telling, taking):
                task.cancel()
                with suppress(asyncio.CancelledError, WebSocketDisconnect):
                    await task

    async def _take(self) -> None:
        while True:
            message = await self._websocket.receive()
            if message['type'] == 'websocket.disconnect':
                return
            try:
                wish = loads_strict(message.get('text') or '')
            except (ValueError, RecursionError):
                continue
            if is_sent(wish):
                self._heed(wish)

    def _heed(self, wish: Json) -> None:
        deed = wish['do']
        if deed == 'at':
            self._at_s = _moment(wish.get('at_s'))
            self._stir.set()
        elif deed == 'camera':
            self._watch(wish.get('on') is True and self._desk.live)
        else:
            self._ask(deed, wish.get('words', ''), wish.get('place', ''), wish.get('ends', ''))

    def _ask(self, deed: str, words: str, place: str, ends: str) -> None:
        refusal = self._refusal(deed, words)
        if refusal:
            self._answer(_said(deed, False, refusal))
            return

        def tell(taken: bool, told: str, reply: ToolReply | None) -> None:
            said = {**_said(deed, taken, told), **self._result(deed, words, place, reply)}
            with suppress(RuntimeError):  # the page is closed, and its loop with it
                self._loop.call_soon_threadsafe(self._answered, wish, said)

        wish = Wish(deed, words, tell, place, ends)
        self._open.add(wish)
        self._desk.wishes.put(wish)

    def _refusal(self, deed: str, words: str) -> str:
        """Return why nobody is asked for it; empty where somebody is."""
        if not self._desk.live:
            return 'this is a journal: nothing can be done'
        if self._at_s is not None and deed not in HARMLESS:
            return 'nothing can be done in the past'
        if len(words) > MAX_WORDS:
            return f'longer than {MAX_WORDS} characters'
        if deed in STOPS:
            asked = any(one.deed == deed for one in self._open)
            return f'{deed} is asked for already' if asked else ''
        waiting = sum(one.deed not in STOPS for one in self._open)
        return 'too much is asked for at once' if waiting >= MAX_WISHES else ''

    def _answered(self, wish: Wish, said: Json) -> None:
        self._open.discard(wish)
        self._answer(said)

    def _answer(self, said: Json) -> None:
        with suppress(asyncio.QueueFull):
            self._out.put_nowait(said)

    def _result(self, deed: str, words: str, place: str, reply: ToolReply | None) -> Json:
        """Return what the memory replied, if it was asked."""
        if deed == 'search':
            found = reply.places if reply is not None and reply.places else ()
            return {'kind': 'places', 'query': words, 'places': [
                {**place_to_plain(one), 'picture': self._desk.nearest_picture(
                    one.pose.x, one.pose.y, one.pose.yaw)} for one in found]}
        if deed not in OF_PLACE or deed == 'go':
            return {}
        told = reply.place if reply is not None else None
        return {'kind': 'place', 'asked': place,
                'place': None if told is None else description_to_plain(told)}

    def _watch(self, on: bool) -> None:
        if on is not self._watches:
            self._watches = on
            self._desk.watch(1 if on else -1)

    async def _tell_views(self) -> None:
        told, told_at_s, lines = -1, -math.inf, 0
        while True:
            now_s = self._loop.time()
            stirred = self._stir.is_set()
            if stirred or self._desk.changes != told or (
                    self._desk.live and now_s - told_at_s >= _AGAIN_S):
                self._stir.clear()
                told, told_at_s = self._desk.changes, now_s
                entries = self._desk.timeline(lines)
                if entries or lines == 0:
                    await self._send({'kind': 'timeline', 'from': lines, 'entries': entries})
                    lines += len(entries)
                view = await run_in_threadpool(self._desk.view, self._at_s)
                await self._send({'kind': 'view', 'view': view})
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stir.wait(), _LOOK_S)

    async def _tell_answers(self) -> None:
        while True:
            await self._send(await self._out.get())

    async def _tell_camera(self) -> None:
        told = 0
        while True:
            frame = self._desk.frame if self._watches else None
            if frame is not None and frame.number != told:
                told = frame.number
                await self._websocket.send_bytes(frame.jpeg)
            await asyncio.sleep(_LOOK_S)

    async def _send(self, value: Json) -> None:
        await self._websocket.send_text(json.dumps(value, allow_nan=False))


def _said(deed: str, taken: bool, words: str) -> Json:
    return {'kind': 'said', 'deed': deed, 'taken': taken, 'words': words}
