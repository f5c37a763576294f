"""The server under the stand-ins' HTTP, against raw sockets."""

import asyncio
import http.client
import logging
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from semantic_nav_sim.loopback_server import LoopbackServer, read_body, while_client_stays

PATIENCE_S = 30.0


class Server(LoopbackServer):
    """Answers, or breaks off in one of several ways.

    Attributes:
        waiting, ended: set when a request for /waits has begun, and when it has ended.
    """

    def __init__(self) -> None:
        self.waiting, self.ended = threading.Event(), threading.Event()
        super().__init__(Starlette(routes=[
            Route('/echo', self._echo, methods=['POST']), Route('/fails', self._fails),
            Route('/waits', self._waits), Route('/cut', self._ends()),
            Route('/reset', self._ends(reset=True)), Route('/dies', self._ends(dies=True))]),
            '127.0.0.1', 0)

    async def _echo(self, request: Request) -> Response:
        return Response(await read_body(request, most_bytes=10))

    async def _fails(self, _: Request) -> Response:
        raise RuntimeError('on purpose')

    async def _waits(self, request: Request) -> Response:
        async with while_client_stays(request.receive):
            self.waiting.set()
            try:
                await asyncio.sleep(float('inf'))
            finally:
                self.ended.set()
        return PlainTextResponse('')

    def _ends(self, *, reset: bool = False,
              dies: bool = False) -> Callable[[Request], Awaitable[ASGIApp]]:
        async def reply(scope: Scope, receive: Receive, send: Send) -> None:
            await send({'type': 'http.response.start', 'status': 200, 'headers': []})
            if dies:
                self.die()
            await self.hang_up(scope, receive, reset=reset)

        async def answer(_: Request) -> ASGIApp:
            return reply

        return answer


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as started:
        yield started


def ask(server: Server, path: str) -> socket.socket:
    connection = socket.create_connection(('127.0.0.1', server.port), PATIENCE_S)
    connection.sendall(f'GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n'.encode())
    return connection


def rest(connection: socket.socket) -> bytes:
    """Read to the end of a connection."""
    return b''.join(iter(lambda: connection.recv(4096), b''))


def post(server: Server, body: bytes | list[bytes]) -> tuple[int, bytes]:
    """Post a body; parts of one are sent without the length of the whole."""
    connection = http.client.HTTPConnection('127.0.0.1', server.port, timeout=PATIENCE_S)
    connection.request('POST', '/echo', iter(body) if isinstance(body, list) else body,
                       encode_chunked=isinstance(body, list))
    reply = connection.getresponse()
    with reply:
        return reply.status, reply.read()


def test_a_body_that_is_too_long_is_refused(server: Server) -> None:
    assert post(server, b'0123456789') == post(server, [b'01234', b'56789']) == (
        200, b'0123456789')
    for body in (b'0123456789+', [b'012345', b'678901']):
        assert post(server, body) == (413, b'give up to 10 bytes')


def test_a_request_ends_when_its_client_leaves(server: Server,
                                               caplog: pytest.LogCaptureFixture) -> None:
    with ask(server, '/waits'):
        assert server.waiting.wait(PATIENCE_S) and not server.ended.is_set()
    assert server.ended.wait(PATIENCE_S)
    assert post(server, b'x') == (200, b'x')
    assert not [one for one in caplog.records if one.levelno >= logging.WARNING]


def test_a_request_ends_when_the_server_closes() -> None:
    with Server() as server:
        connection = ask(server, '/waits')
        assert server.waiting.wait(PATIENCE_S)
    assert server.ended.is_set()
    with connection:
        assert rest(connection) == b'', 'no reply is made up'


def test_a_reply_can_be_cut_off(server: Server) -> None:
    with ask(server, '/cut') as connection:
        head, _, body = rest(connection).partition(b'\r\n\r\n')
    assert b'chunked' in head and body == b'', 'not even the end mark is sent'


def test_a_connection_can_be_reset(server: Server) -> None:
    with ask(server, '/reset') as connection, pytest.raises(ConnectionResetError):
        rest(connection)
    assert post(server, b'x') == (200, b'x')


def test_a_server_that_died_takes_no_connection(server: Server) -> None:
    with ask(server, '/dies') as connection:
        rest(connection)
    with pytest.raises(ConnectionRefusedError):
        ask(server, '/waits')


def test_an_error_is_logged_and_the_server_goes_on(server: Server,
                                                   caplog: pytest.LogCaptureFixture) -> None:
    with ask(server, '/fails') as connection:
        assert connection.recv(4096).startswith(b'HTTP/1.1 500 ')
    assert post(server, b'x') == (200, b'x')
    assert 'on purpose' in caplog.text
