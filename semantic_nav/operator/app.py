"""HTTP application of the page, with its websocket, behind the guard."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from semantic_nav.operator.desk import Desk
from semantic_nav.operator.guard import SECURITY_HEADERS, PageGuard
from semantic_nav.operator.open_page import OpenPage, moment

_MOST_BODY_BYTES = 4096
#: Pause after a wrong token, in s.
_PAUSE_S = 1.0
_STATIC = Path(__file__).with_name('static')
_FILES = {'/': ('index.html', 'text/html'), '/login': ('login.html', 'text/html'),
          '/app.js': ('app.js', 'text/javascript'), '/map.js': ('map.js', 'text/javascript'),
          '/places.js': ('places.js', 'text/javascript'),
          '/speech.js': ('speech.js', 'text/javascript'),
          '/style.css': ('style.css', 'text/css')}
#: Paths that are served without a token.
_OPEN = frozenset({'/login', '/style.css'})
#: Closing codes of a websocket: refused by policy (RFC 6455), and too many pages.
_REFUSED, _TOO_MANY = 1008, 1013


def make_app(desk: Desk, guard: PageGuard) -> ASGIApp:
    """The application that serves a desk's page.

    Args:
        desk: holds the shown state, and takes wishes.
        guard: judges requests.
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
            await OpenPage(desk, websocket).run()
        finally:
            desk.close_page()

    routes: list[Any] = [Route(path, _file(*file)) for path, file in _FILES.items()]
    routes += [
        Route('/login', login, methods=['POST']),
        Route('/map.png', _drawing(desk.map_png)), Route('/heat.png', _drawing(desk.heat_png)),
        Route('/looks/{look_id}.jpg', _look(desk)),
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
        png = await run_in_threadpool(draw, moment(request.query_params.get('at')))
        return Response(status_code=404) if png is None else (
            Response(png, media_type='image/png'))

    return answer


def _look(desk: Desk) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        jpeg = await run_in_threadpool(desk.picture, str(request.path_params['look_id']))
        return Response(status_code=404) if jpeg is None else (
            Response(jpeg, media_type='image/jpeg'))

    return answer


class _Guarded:
    """Passes the requests that the guard allows, and adds security headers to every response."""

    def __init__(self, app: ASGIApp, guard: PageGuard) -> None:
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
