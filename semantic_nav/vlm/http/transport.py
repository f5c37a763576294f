"""The guarded transport for either of the two HTTP libraries.

`ollama` speaks HTTP through httpx and httpcore, `openai` and `anthropic` through httpx2 and
httpcore2. Both need one interface of a transport, but each wants its own types.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from semantic_nav.vlm.http.guard import Guard, GuardedBackend, check_plain, incoming, outgoing
from semantic_nav.vlm.http.server import Server

#: Function from the pieces of a body to those that a client sees.
Mend = Callable[[Iterable[bytes]], Iterator[bytes]]


@cache
def guarded_transport(httpx: Any, httpcore: Any) -> Any:
    """The transport class for a library.

    Its instances keep every exchange of a call within the limits of a guard, and add the headers
    of a server: `guarded_transport(httpx, httpcore)(guard, server)`. Each exchange has a
    connection of its own, without proxies, compression or foreign keys. `mend` may change the body
    before the client sees it.

    Args:
        httpx: library, httpx or httpx2.
        httpcore: its network library, httpcore or httpcore2.
    """

    class Body(httpx.SyncByteStream):  # type: ignore[misc]
        def __init__(self, response: Any, mend: Mend) -> None:
            self._response, self._mend = response, mend

        def __iter__(self) -> Iterator[bytes]:
            check_plain(self._response.headers)
            yield from self._mend(self._response.stream)

        def close(self) -> None:
            self._response.close()

    class GuardedTransport(httpx.BaseTransport):  # type: ignore[misc]
        def __init__(self, guard: Guard, server: Server, mend: Mend = iter) -> None:
            self._headers, self._mend = server.headers, mend
            self._pool = httpcore.ConnectionPool(
                max_connections=1, max_keepalive_connections=0, network_backend=GuardedBackend(
                    guard, server.allowed, httpcore.ReadError, httpcore.WriteError))

        def handle_request(self, request: Any) -> Any:
            """Send a request; returns the response with an unread body."""
            url = httpcore.URL(scheme=request.url.raw_scheme, host=request.url.raw_host,
                               port=request.url.port, target=request.url.raw_path)
            response = self._pool.handle_request(httpcore.Request(
                method=request.method, url=url, content=request.stream,
                headers=outgoing(request.headers.raw, self._headers)))
            return httpx.Response(response.status, headers=incoming(response.headers),
                                  stream=Body(response, self._mend))

        def close(self) -> None:
            """Close the connection."""
            self._pool.close()

    return GuardedTransport
