"""Stands in for Ollama where calls are timed: a model server that answers every chat at once."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class InstantServer(ThreadingHTTPServer):
    """HTTP server on a free loopback port that gives every chat the same reply.

    Attributes:
        received: body of the last chat.
        received_s: when it was complete, on `time.perf_counter()`.
    """

    daemon_threads = True

    def __init__(self, reply: str) -> None:
        """Listen.

        Args:
            reply: the text of every answer.
        """
        super().__init__(('127.0.0.1', 0), _Chat)
        said = {'role': 'assistant', 'content': reply}
        end = {'role': 'assistant', 'content': ''}
        self.answer = b''.join(json.dumps(line).encode() + b'\n' for line in (
            {'model': 'm', 'message': said, 'done': False},
            {'model': 'm', 'message': end, 'done': True, 'done_reason': 'stop'}))
        self.received = b''
        self.received_s = 0.0

    @property
    def url(self) -> str:
        """The URL that it listens on."""
        return f'http://127.0.0.1:{self.server_address[1]}'


class _Chat(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    server: InstantServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers['Content-Length']))
        answer = b'{}'  # to questions about the model
        if self.path == '/api/chat':
            self.server.received_s = time.perf_counter()
            self.server.received = body
            answer = self.server.answer
        self.send_response(200)
        self.send_header('Content-Type', 'application/x-ndjson')
        self.send_header('Content-Length', str(len(answer)))
        self.send_header('Connection', 'close')
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def instant_server(reply: str) -> Iterator[InstantServer]:
    """Run a server until the block ends."""
    server = InstantServer(reply)
    thread = threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
