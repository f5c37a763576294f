"""A network stream that keeps to a deadline, a size, a flag and this machine.

The HTTP libraries limit the silence between two reads, not a call: a server that drips a byte now
and then holds it forever, and nothing breaks it off from outside. Here every read and write of the
socket looks at the guard of its call.

There are two such libraries, because the clients of the servers use different ones;
`transport.py` makes a transport for either of what stands here.
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

#: How soon a waiting call sees that it was cancelled.
_POLL_S = 0.05
_CONNECT_S = 3.0
#: What a request needs. Client libraries add more: keys and headers from the environment, what
#: machine this is, the wish for compression.
_HEADERS = frozenset({b'host', b'content-type', b'content-length', b'transfer-encoding', b'accept',
                      b'user-agent', b'connection', b'anthropic-version'})
Headers = list[tuple[bytes, bytes]]


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


def outgoing(headers: Iterable[tuple[bytes, bytes]], own: Mapping[str, str]) -> Headers:
    """Return what of a request's headers is sent, and the operator's own with it."""
    kept = [(name, value) for name, value in headers
            if name.lower() in _HEADERS and name.lower().decode() not in own]
    return kept + [(name.encode(), value.encode()) for name, value in own.items()]


def incoming(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return what of a response's headers the client libraries see: of which kind it is.

    They take any character set for which Python has a codec, and parse where a redirect leads
    even if they do not follow it; both can raise anything. What stands in for it is UTF-8.
    """
    return [(name, value.partition(b';')[0]) for name, value in headers
            if name.lower() == b'content-type']


def check_plain(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Check that a response comes as it is, for a few compressed bytes can become gigabytes.

    Raises:
        ModelReplyError: it is compressed.
    """
    for name, value in headers:
        if name.lower() == b'content-encoding' and value.lower() != b'identity':
            raise ModelReplyError(f'the server compressed its reply as {value!r}, unasked')


class GuardedBackend:
    """Connects for httpcore and for httpcore2, which ask the same of a network backend."""

    def __init__(self, guard: Guard, allowed: frozenset[str], read_error: type[Exception],
                 write_error: type[Exception]) -> None:
        """Connect to this machine, and to the hosts that are allowed.

        Args:
            guard: of the call.
            allowed: hosts besides this machine.
            read_error: what the library takes for a connection that broke while reading.
            write_error: the same for writing; the library still reads an answer after it.
        """
        self._guard = guard
        self._allowed = allowed
        self._errors = (read_error, write_error)

    def connect_tcp(self, host: str, port: int, timeout: float | None = None,
                    local_address: str | None = None,
                    socket_options: Any = None) -> 'GuardedStream':
        """Return a connection; see the library's NetworkBackend."""
        del timeout, local_address, socket_options
        wait_s = min(_CONNECT_S, self._guard.check())
        try:
            connected = socket.create_connection((host, port), wait_s)
        except (OSError, UnicodeError) as error:  # the latter of a name that no host can have
            raise ConnectionFailed(
                f'no model server at {host}:{port} ({error}); is it running?') from error
        # Names are resolved by the system, which may know an odd localhost.
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
        """Return what has come, at least a byte unless it is the end."""
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
        """Send all of it."""
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
        """Return the connection, encrypted."""
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
            # It has the connection now, and nobody else knows of it yet.
            secured.close()
            raise

    def get_extra_info(self, info: str) -> Any:
        """Return what the library wants to know."""
        return {'socket': self._socket, 'is_readable': False}.get(info)


@contextmanager
def _as_broken(kind: type[Exception]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise kind(str(error)) from error
