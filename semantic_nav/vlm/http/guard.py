"""A network stream with a deadline, a size limit, a cancel flag and a check of the peer.

The HTTP libraries limit the silence between two reads, not a call. A server that sends a byte now
and then holds it forever, and it cannot be broken off from outside. Here every read and write of
the socket checks the guard of its call.

The clients of the servers use two such libraries; `transport.py` builds the transport of either
from this module.
"""

import socket
import ssl
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Event as Flag
from typing import Any

from semantic_nav.contracts.errors import ModelReplyError, ModelTimeout
from semantic_nav.contracts.loopback import is_loopback
from semantic_nav.vlm.errors import CallCancelled, ConnectionFailed, ReplyTooLong

#: Period at which a waiting call checks its cancel flag.
_POLL_S = 0.05
_CONNECT_S = 3.0
#: Headers that a request needs. Client libraries add more: keys and headers from the environment,
#: the kind of machine, the wish for compression.
_HEADERS = frozenset({b'host', b'content-type', b'content-length', b'transfer-encoding', b'accept',
                      b'user-agent', b'connection', b'anthropic-version'})
Headers = list[tuple[bytes, bytes]]


class Guard:
    """The limits of one call."""

    def __init__(self, deadline_s: float, max_bytes: int, cancelled: Flag) -> None:
        """Start the deadline.

        Args:
            deadline_s: time for the whole call.
            max_bytes: most bytes to receive, headers and framing included.
            cancelled: flag that breaks the call off.
        """
        self._deadline_s = deadline_s
        self._due = time.monotonic() + deadline_s
        self._bytes_left = max_bytes
        self._max_bytes = max_bytes
        self._cancelled = cancelled

    def check(self) -> float:
        """The time left in seconds, always above 0.

        Raises:
            CallCancelled: the flag is set.
            ModelTimeout: no time is left.
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


def outgoing(headers: Iterable[tuple[bytes, bytes]], own: Mapping[str, str]) -> Headers:
    """The headers of a request that are sent: those it needs, and the operator's own."""
    kept = [(name, value) for name, value in headers
            if name.lower() in _HEADERS and name.lower().decode() not in own]
    return kept + [(name.encode(), value.encode()) for name, value in own.items()]


def incoming(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """The headers of a response that the client libraries see: only its content type.

    The libraries accept any character set for which Python has a codec, and parse the target of a
    redirect even if they do not follow it; both can raise anything. Without these headers they
    assume UTF-8.
    """
    return [(name, value.partition(b';')[0]) for name, value in headers
            if name.lower() == b'content-type']


def check_plain(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Check that a response is not compressed, since few such bytes can become gigabytes.

    Raises:
        ModelReplyError: it is compressed.
    """
    for name, value in headers:
        if name.lower() == b'content-encoding' and value.lower() != b'identity':
            raise ModelReplyError(f'the server compressed its reply as {value!r}, unasked')


class GuardedBackend:
    """Network backend of httpcore and httpcore2, which need one interface."""

    def __init__(self, guard: Guard, allowed: frozenset[str], read_error: type[Exception],
                 write_error: type[Exception]) -> None:
        """Allow connections to this machine and to some hosts.

        Args:
            guard: guard of the call.
            allowed: hosts besides this machine.
            read_error: error of the library for a connection that broke while reading.
            write_error: error of the library for one that broke while writing; it still reads an
                answer after it.
        """
        self._guard = guard
        self._allowed = allowed
        self._errors = (read_error, write_error)

    def connect_tcp(self, host: str, port: int, timeout: float | None = None,
                    local_address: str | None = None,
                    socket_options: Any = None) -> 'GuardedStream':
        """Connect to a host; see the library's NetworkBackend."""
        del timeout, local_address, socket_options
        wait_s = min(_CONNECT_S, self._guard.check())
        try:
            connected = socket.create_connection((host, port), wait_s)
        except (OSError, UnicodeError) as error:  # the latter for an impossible host name
            raise ConnectionFailed(
                f'no model server at {host}:{port} ({error}); is it running?') from error
        # The system resolves names, and may resolve localhost to another machine.
        peer = connected.getpeername()[0]
        if host not in self._allowed and not is_loopback(peer):
            connected.close()
            raise ConnectionFailed(f'{host} leads to {peer}, which is not this machine')
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return GuardedStream(connected, self._guard, *self._errors)


class GuardedStream:
    """A connection, for either library."""

    def __init__(self, connected: socket.socket, guard: Guard, read_error: type[Exception],
                 write_error: type[Exception]) -> None:
        """Read and write under a guard."""
        self._socket = connected
        self._guard = guard
        self._read_error, self._write_error = read_error, write_error

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Received bytes, at least one unless the stream has ended."""
        del timeout
        with _as_broken(self._read_error):
            while True:
                self._socket.settimeout(min(_POLL_S, self._guard.check()))
                try:
                    data = self._socket.recv(max_bytes)
                except TimeoutError:
                    continue
                self._guard.count(len(data))
                return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send the whole buffer."""
        del timeout
        left = memoryview(buffer)
        with _as_broken(self._write_error):
            while left:
                self._socket.settimeout(min(_POLL_S, self._guard.check()))
                try:
                    left = left[self._socket.send(left):]
                except TimeoutError:
                    continue

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def start_tls(self, ssl_context: ssl.SSLContext, server_hostname: str | None = None,
                  timeout: float | None = None) -> 'GuardedStream':
        """The connection, encrypted."""
        del timeout
        try:
            secured = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname,
                                              do_handshake_on_connect=False)
            self._shake_hands(secured)
        except OSError as error:
            raise ConnectionFailed(f'no TLS with the model server: {error}') from error
        return GuardedStream(secured, self._guard, self._read_error, self._write_error)

    def _shake_hands(self, secured: ssl.SSLSocket) -> None:
        try:
            while True:
                secured.settimeout(min(_POLL_S, self._guard.check()))
                with suppress(TimeoutError):
                    secured.do_handshake()
                    return
        except BaseException:
            # It owns the connection now, and the caller does not have it yet.
            secured.close()
            raise

    def get_extra_info(self, info: str) -> Any:
        """A property of the connection by the library's name for it; None if unknown."""
        return {'socket': self._socket, 'is_readable': False}.get(info)


@contextmanager
def _as_broken(kind: type[Exception]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise kind(str(error)) from error
