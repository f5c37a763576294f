"""The guarded transport for httpx, with which `ollama` speaks HTTP."""

from collections.abc import Iterable, Iterator
from typing import cast

import httpcore
import httpx

from semantic_nav.vlm.guarded_http import Guard, GuardedBackend, check_plain, incoming, outgoing
from semantic_nav.vlm.server import Server


class GuardedTransport(httpx.BaseTransport):
    """One connection for each exchange of a call, without proxies, compression or foreign keys."""

    def __init__(self, guard: Guard, server: Server) -> None:
        """Keep every exchange within the guard's limits, and send the server's headers with it."""
        self._headers = server.headers
        backend = GuardedBackend(guard, server.allowed, httpcore.ReadError, httpcore.WriteError)
        self._pool = httpcore.ConnectionPool(
            max_connections=1, max_keepalive_connections=0,
            network_backend=cast(httpcore.NetworkBackend, backend))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return its response, the body still to be read."""
        url = httpcore.URL(scheme=request.url.raw_scheme, host=request.url.raw_host,
                           port=request.url.port, target=request.url.raw_path)
        assert isinstance(request.stream, httpx.SyncByteStream)
        response = self._pool.handle_request(httpcore.Request(
            method=request.method, url=url, content=request.stream,
            headers=outgoing(request.headers.raw, self._headers)))
        return httpx.Response(response.status, headers=incoming(response.headers),
                              stream=_Body(response))

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        assert isinstance(response.stream, Iterable)
        self._response = response
        self._parts = response.stream

    def __iter__(self) -> Iterator[bytes]:
        check_plain(self._response.headers)
        yield from self._parts

    def close(self) -> None:
        self._response.close()
