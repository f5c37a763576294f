"""HTTP server of a stand-in, on loopback, in a thread of its own."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Self

import uvicorn
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from semantic_nav.contracts.loopback import is_loopback

_LOG = logging.getLogger(__name__)
#: Time after which an idle connection is closed, in s.
_IDLE_S = 60
_END_S = 5.0


class LoopbackServer:
    """Serves an application from its construction on, until it is closed or dies.

    Attributes:
        port: TCP port that it listens on.
        url: its address.
    """

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        """Take the port, and start to answer.

        Args:
            app: answers the requests.
            host: a loopback address; anything else is refused.
            port: TCP port, 0 for any free one.

        Raises:
            ValueError: the host is not a loopback address.
            OSError: the port is taken.
        """
        if not is_loopback(host):
            raise ValueError(f'{host!r} is not a loopback address: a stand-in is for this machine '
                             'alone, use 127.0.0.1')
        family = socket.AF_INET6 if ':' in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
        self.port: int = listening.getsockname()[1]
        self.url = f'http://{f"[{host}]" if ":" in host else host}:{self.port}'
        self._server = _Server(uvicorn.Config(
            _forgiving(app), http='h11', ws='none', lifespan='off', log_config=None,
            log_level='warning', access_log=False, timeout_keep_alive=_IDLE_S,
            timeout_graceful_shutdown=1))
        self._thread = threading.Thread(
            target=self._server.run, kwargs={'sockets': [listening]}, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        """Serve until the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def close(self) -> None:
        """Stop, and break off the replies that are on their way."""
        self._server.should_exit = True
        self._thread.join(_END_S)

    def die(self) -> None:
        """Stop as if the process had ended, so that connections are refused; for the app."""
        for listener in self._server.servers:
            listener.close()
        self._server.should_exit = True

    async def hang_up(self, scope: Scope, receive: Receive, *, reset: bool = False) -> None:
        """Close the connection of a request, whose reply may be incomplete; for the app.

        Args:
            scope, receive: of the request.
            reset: with a TCP reset.
        """
        for connection in self._server.server_state.connections:
            if connection.client == scope['client']:
                if reset:
                    connection.transport.get_extra_info('socket').setsockopt(
                        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
                connection.transport.close()
        await _left(receive)


class _Server(uvicorn.Server):
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Abort all requests first: some would never end."""
        for connection in self.server_state.connections:
            connection.transport.abort()
        await super().shutdown(sockets)


def _forgiving(app: ASGIApp) -> ASGIApp:
    """An application in which a client that leaves while it asks is not an error."""
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        _LOG.debug('%s %s', scope['method'], scope['path'])
        with suppress(ClientDisconnect):
            await app(scope, receive, send)

    return answer


@asynccontextmanager
async def while_client_stays(receive: Receive) -> AsyncIterator[None]:
    """Run a block that ends early, without an error, if the client leaves.

    Args:
        receive: of a request whose body has been read.
    """
    async def watch() -> None:
        await _left(receive)
        limit.reschedule(0.0)

    try:
        async with asyncio.timeout(None) as limit:
            watching = asyncio.create_task(watch())
            try:
                yield
            finally:
                watching.cancel()
    except TimeoutError:
        if not limit.expired():
            raise


async def _left(receive: Receive) -> None:
    while (await receive())['type'] != 'http.disconnect':
        pass


async def read_body(request: Request, most_bytes: int) -> bytes:
    """The body of a request.

    Raises:
        HTTPException: it is too long.
    """
    body, too_long = bytearray(), HTTPException(413, f'give up to {most_bytes} bytes')
    if int(request.headers.get('content-length', 0)) > most_bytes:
        raise too_long
    async for part in request.stream():
        body += part
        if len(body) > most_bytes:
            raise too_long
    return bytes(body)
