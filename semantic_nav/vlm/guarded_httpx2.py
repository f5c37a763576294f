"""The guarded transport for httpx2, with which `openai` and `anthropic` speak HTTP."""

from collections.abc import Iterable, Iterator
from typing import cast

import httpcore2
import httpx2

from semantic_nav.vlm.guarded_http import Guard, GuardedBackend, check_plain, incoming, outgoing
from semantic_nav.vlm.server import Server


class GuardedTransport(httpx2.BaseTransport):
    """One connection for each exchange of a call, without proxies, compression or foreign keys."""

    def __init__(self, guard: Guard, server: Server) -> None:
        """Keep every exchange within the guard's limits, and send the server's headers with it."""
        self._headers = server.headers
        backend = GuardedBackend(guard, server.allowed, httpcore2.ReadError, httpcore2.WriteError)
        self._pool = httpcore2.ConnectionPool(
            max_connections=1, max_keepalive_connections=0,
            network_backend=cast(httpcore2.NetworkBackend, backend))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and return its response, the body still to be read."""
        url = httpcore2.URL(scheme=request.url.raw_scheme, host=request.url.raw_host,
                           port=request.url.port, target=request.url.raw_path)
        assert isinstance(request.stream, httpx2.SyncByteStream)
        response = self._pool.handle_request(httpcore2.Request(
            method=request.method, url=url, content=request.stream,
            headers=outgoing(request.headers.raw, self._headers)))
        return httpx2.Response(response.status, headers=incoming(response.headers),
                               stream=_Body(response))

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    def __init__(self, response: httpcore2.Response) -> None:
        assert isinstance(response.stream, Iterable)
        self._response = response
        self._parts = response.stream

    def __iter__(self) -> Iterator[bytes]:
        check_plain(self._response.headers)
        yield from self._parts

    def close(self) -> None:
        self._response.close()
