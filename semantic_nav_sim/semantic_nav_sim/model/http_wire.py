"""A loopback server whose connections use plain JSON, NDJSON and server-sent events."""

from __future__ import annotations

import json
import logging
import os
import select
import socket
import socketserver
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from semantic_nav.contracts.loopback import is_loopback

_LOG = logging.getLogger(__name__)
_MAX_BODY_BYTES = 64_000_000
_IDLE_S = 60.0
#: Period of the check for a client that has left, while it waits.
_POLL_S = 0.05
FOR_EVER_S = float('inf')


class WireServer(ThreadingHTTPServer):
    """Listens on a loopback address.

    Args:
        host: A loopback address; anything else is refused.
        port: TCP port, 0 for any free one.
        handler: Of each connection.

    Raises:
        ValueError: The host is not a loopback address.
        OSError: The port is taken.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str, port: int, handler: type[WireHandler]) -> None:
        if not is_loopback(host):
            raise ValueError(f'{host!r} is not a loopback address: the model server is for this '
                             'machine alone, use 127.0.0.1')
        self._closing = threading.Event()
        self.address_family = socket.AF_INET6 if ':' in host else socket.AF_INET
        super().__init__((host, port), handler)

    def server_bind(self) -> None:
        """Bind without asking a name server for this machine's name."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def server_close(self) -> None:
        """Stop listening, and end all waits."""
        self._closing.set()
        super().server_close()

    def die(self) -> None:
        """Stop as if the process had ended, so that connections are refused."""
        self.shutdown()
        self.server_close()

    def pause(self, wait_s: float) -> bool:
        """Wait; returns True at once if the server closes."""
        return self._closing.wait(wait_s)

    @property
    def url(self) -> str:
        """The URL that it listens on."""
        host = f'[{self.server_name}]' if ':' in self.server_name else self.server_name
        return f'http://{host}:{self.server_port}'

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log an error of a connection; a client that left is not an error."""
        if isinstance(sys.exception(), ConnectionError | TimeoutError):
            _LOG.debug('client %s left', client_address)
        else:
            _LOG.exception('request of %s failed', client_address)


class WireHandler(BaseHTTPRequestHandler):
    """Bytes in and out of one HTTP/1.1 connection."""

    server: WireServer
    protocol_version = 'HTTP/1.1'
    disable_nagle_algorithm = True
    timeout = _IDLE_S

    def log_message(self, format: str, *args: Any) -> None:
        """Log a request."""
        _LOG.debug('%s %s', self.address_string(), format % args)

    def read_body(self) -> bytes | None:
        """The body; None, with an error reply sent, if its length is missing or too large."""
        length = self.headers.get('Content-Length') or '0'
        if (not length.isdigit() or int(length) > _MAX_BODY_BYTES
                or self.headers.get('Transfer-Encoding')):
            self.close_connection = True
            self.send_bytes(400, b'400 Bad Request', 'text/plain')
            return None
        return self.rfile.read(int(length))

    def client_left(self) -> bool:
        """Tell whether the client has closed the connection."""
        readable, _, _ = select.select([self.connection], [], [], 0.0)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def wait(self, wait_s: float) -> None:
        """Make the client wait.

        Raises:
            ConnectionAbortedError: the client left, or the server closes.
        """
        due_s = time.monotonic() + wait_s
        while (left_s := due_s - time.monotonic()) > 0.0:
            if self.client_left() or self.server.pause(min(left_s, _POLL_S)):
                raise ConnectionAbortedError('the client left')

    def reset(self) -> None:
        """Reset the connection, whatever was sent."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        # Open files on the socket would keep it open, and its end would not be a reset.
        os.close(self.connection.detach())
        self.close_connection = True

    def send_json(self, document: dict[str, Any], status: int = 200) -> None:
        """Send one JSON document as the whole reply."""
        self.send_bytes(status, encoded(document), 'application/json; charset=utf-8')

    def send_bytes(self, status: int, data: bytes, kind: str) -> None:
        """Send a whole reply with a content type."""
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(data)

    def start_stream(self, kind: str) -> None:
        """Begin a chunked reply."""
        self.send_response(200)
        self.send_header('Content-Type', kind)
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()

    def send_line(self, document: dict[str, Any]) -> None:
        """Stream one NDJSON line."""
        self._chunk(encoded(document) + b'\n')

    def send_event(self, document: dict[str, Any] | None) -> None:
        """Stream one server-sent event; None is OpenAI's end mark."""
        self._chunk(b'data: %s\n\n' % (b'[DONE]' if document is None else encoded(document)))

    def end_stream(self) -> None:
        """End a chunked reply."""
        self.wfile.write(b'0\r\n\r\n')

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b'%X\r\n%s\r\n' % (len(data), data))


def encoded(document: dict[str, Any]) -> bytes:
    """Encode a document as compact JSON."""
    return json.dumps(document, separators=(',', ':')).encode()
