"""An HTTP transport that keeps to a deadline, a size, a flag and this machine.

httpx limits the silence between two reads, not a call: a server that drips a byte now and then
holds it forever, and nothing breaks it off from outside. Here every read and write of the socket
looks at the guard of its call.
"""

import ipaddress
import socket
import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Event as Flag
from typing import Any

import httpcore
import httpx

from semantic_nav.contracts.errors import ModelReplyError, ModelTimeout
from semantic_nav.vlm.provider import CallCancelled, ConnectionFailed, ReplyTooLong

#: How soon a waiting call sees that it was cancelled.
_POLL_S = 0.05
_CONNECT_S = 3.0


class Guard:
    """The limits of one call."""

    def __init__(self, deadline_s: float, max_bytes: int, cancelled: Flag) -> None:
        """Start the clock.

        Args:
            deadline_s: for the whole call.
            max_bytes: how much may be received, headers and framing included.
            cancelled: breaks the call off when set.
        """
        self._deadline_s = deadline_s
        self._due = time.monotonic() + deadline_s
        self._bytes_left = max_bytes
        self._max_bytes = max_bytes
        self._cancelled = cancelled

    def check(self) -> float:
        """Return the seconds left, always above 0.

        Raises:
            CallCancelled: the flag is set.
            ModelTimeout: none are left.
        """
        if self._cancelled.is_set():
            raise CallCancelled('the call was cancelled')
        left_s = self._due - time.monotonic()
        if left_s <= 0:
            raise ModelTimeout(f'no complete reply within {self._deadline_s:.1f} s')
        return left_s

    def count(self, received: int) -> None:
        """Count received bytes.

        Raises:
            ReplyTooLong: they are too many.
        """
        self._bytes_left -= received
        if self._bytes_left < 0:
            raise ReplyTooLong(f'the server sent more than {self._max_bytes} bytes')


class GuardedTransport(httpx.BaseTransport):
    """One connection for one call, without proxies, compression or credentials."""

    def __init__(self, guard: Guard) -> None:
        """Keep every exchange within the guard's limits."""
        self._pool = httpcore.ConnectionPool(
            max_connections=1, max_keepalive_connections=0, network_backend=_Backend(guard))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return its response, the body still to be read."""
        url = httpcore.URL(scheme=request.url.raw_scheme, host=request.url.raw_host,
                           port=request.url.port, target=request.url.raw_path)
        # The client library would add a key from the environment, and ask for compression.
        headers = [(name, value) for name, value in request.headers.raw
                   if name.lower() not in (b'authorization', b'accept-encoding')]
        assert isinstance(request.stream, httpx.SyncByteStream)
        response = self._pool.handle_request(httpcore.Request(
            method=request.method, url=url, headers=headers, content=request.stream))
        encoding = dict(response.headers).get(b'content-encoding', b'identity')
        if encoding != b'identity':
            response.close()
            raise ModelReplyError(f'the server compressed its reply as {encoding!r}, unasked')
        assert isinstance(response.stream, Iterable)
        return httpx.Response(response.status, headers=response.headers,
                              stream=_Body(response.stream, response))

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, parts: Iterable[bytes], response: httpcore.Response) -> None:
        self._parts = parts
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._parts

    def close(self) -> None:
        self._response.close()


class _Backend(httpcore.NetworkBackend):
    def __init__(self, guard: Guard) -> None:
        self._guard = guard

    def connect_tcp(self, host: str, port: int, timeout: float | None = None,
                    local_address: str | None = None,
                    socket_options: Any = None) -> httpcore.NetworkStream:
        del timeout, local_address, socket_options
        wait_s = min(_CONNECT_S, self._guard.check())
        try:
            connected = socket.create_connection((host, port), wait_s)
        except OSError as error:
            raise ConnectionFailed(
                f'no model server at {host}:{port} ({error}); is it running?') from error
        # Names are resolved by the system, which may know an odd localhost.
        peer = connected.getpeername()[0]
        if not ipaddress.ip_address(peer).is_loopback:
            connected.close()
            raise ConnectionFailed(f'{host} leads to {peer}, which is not this machine')
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return _Stream(connected, self._guard)


class _Stream(httpcore.NetworkStream):
    def __init__(self, connected: socket.socket, guard: Guard) -> None:
        self._socket = connected
        self._guard = guard

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        del timeout
        with _as_broken(httpcore.ReadError):
            while True:
                self._socket.settimeout(min(_POLL_S, self._guard.check()))
                try:
                    data = self._socket.recv(max_bytes)
                except TimeoutError:
                    continue
                self._guard.count(len(data))
                return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        del timeout
        left = memoryview(buffer)
        with _as_broken(httpcore.WriteError):
            while left:
                self._socket.settimeout(min(_POLL_S, self._guard.check()))
                try:
                    left = left[self._socket.send(left):]
                except TimeoutError:
                    continue

    def close(self) -> None:
        self._socket.close()

    def start_tls(self, ssl_context: ssl.SSLContext, server_hostname: str | None = None,
                  timeout: float | None = None) -> httpcore.NetworkStream:
        del timeout
        self._socket.settimeout(self._guard.check())
        try:
            secured = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        except OSError as error:
            self._socket.close()
            raise ConnectionFailed(f'no TLS with the model server: {error}') from error
        return _Stream(secured, self._guard)

    def get_extra_info(self, info: str) -> Any:
        return {'socket': self._socket, 'is_readable': False}.get(info)


@contextmanager
def _as_broken(kind: type[Exception]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise kind(str(error)) from error
