"""A connection that speaks plain JSON, NDJSON and server-sent events."""

from __future__ import annotations

import json
import logging
import os
import select
import socket
import struct
from http.server import BaseHTTPRequestHandler
from typing import Any

_LOG = logging.getLogger(__name__)
_MAX_BODY_BYTES = 64_000_000
_IDLE_S = 60.0


class WireHandler(BaseHTTPRequestHandler):
    """Bytes in and out of one HTTP/1.1 connection."""

    protocol_version = 'HTTP/1.1'
    disable_nagle_algorithm = True
    timeout = _IDLE_S

    def log_message(self, format: str, *args: Any) -> None:
        """Log a request."""
        _LOG.debug('%s %s', self.address_string(), format % args)

    def read_body(self) -> bytes | None:
        """The body; None, with the refusal sent, if its length is missing or too large."""
        length = self.headers.get('Content-Length') or '0'
        if (not length.isdigit() or int(length) > _MAX_BODY_BYTES
                or self.headers.get('Transfer-Encoding')):
            self.close_connection = True
            self.send_bytes(400, b'400 Bad Request', 'text/plain')
            return None
        return self.rfile.read(int(length))

    def client_left(self) -> bool:
        """Whether the client has closed the connection."""
        readable, _, _ = select.select([self.connection], [], [], 0.0)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def reset(self) -> None:
        """Break the connection off with a reset, whatever was sent."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        # The files over the socket would keep it open, and the farewell would not be a reset.
        os.close(self.connection.detach())
        self.close_connection = True

    def send_json(self, document: dict[str, Any], status: int = 200) -> None:
        """Send one JSON document as the whole reply."""
        self.send_bytes(status, encoded(document), 'application/json; charset=utf-8')

    def send_bytes(self, status: int, data: bytes, kind: str) -> None:
        """Send a whole reply of a content type."""
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(data)

    def start_stream(self, kind: str) -> None:
        """Begin a reply that comes in chunks."""
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
        """End a reply that came in chunks."""
        self.wfile.write(b'0\r\n\r\n')

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b'%X\r\n%s\r\n' % (len(data), data))


def encoded(document: dict[str, Any]) -> bytes:
    """A document as compact JSON."""
    return json.dumps(document, separators=(',', ':')).encode()
