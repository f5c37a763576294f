"""A tiny HTTP server that speaks as much of Ollama's API as a test wants, well or badly."""

import json
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


class Exchange(BaseHTTPRequestHandler):
    """One request, with what an answer is made of."""

    protocol_version = 'HTTP/1.1'
    server: 'FakeOllama'

    def do_GET(self) -> None:
        self.do_POST()

    def do_DELETE(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        length = int(self.headers.get('Content-Length', 0))
        self.body = json.loads(self.rfile.read(length) or b'null')
        answer = self.server.answers.get(self.path, not_found)
        if self.path == '/api/chat' and answer is not not_found and not self.body['messages']:
            self.server.loads.append(self.body)
            answer = self.server.on_load
        else:
            self.server.requests.append((self.path, dict(self.headers), self.body))
        try:
            answer(self)
        except (BrokenPipeError, ConnectionResetError):
            self.server.broken_off.set()
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def send(self, status: int, body: bytes, **headers: str) -> None:
        """Answer in one piece."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace('_', '-'), value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def begin_stream(self, kind: str = 'application/x-ndjson') -> None:
        """Begin an answer of unknown length."""
        self.send_response(200)
        self.send_header('Content-Type', kind)
        self.send_header('Connection', 'close')
        self.end_headers()

    def line(self, value: object) -> None:
        """Send one line of it."""
        self.write(json.dumps(value).encode() + b'\n')

    def event(self, value: object, name: str = '') -> None:
        """Send a server-sent event."""
        head = f'event: {name}\n' if name else ''
        self.write(f'{head}data: {json.dumps(value)}\n\n'.encode())

    def write(self, data: bytes) -> None:
        """Send bytes at once."""
        self.wfile.write(data)
        self.wfile.flush()

    def reset(self) -> None:
        """Break the connection off with a reset."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        # The files over the socket would keep it open, and the farewell would not be a reset.
        os.close(self.connection.detach())


class FakeOllama(ThreadingHTTPServer):
    """Answers each path with a function; keeps what it was asked.

    Attributes:
        requests: path, headers and body of each request, those that only load a model aside.
        loads: the bodies of those.
        on_load: answers them.
        release: set when the server closes; answers that hang wait for it.
        broken_off: set when a client left in the middle of an answer.
        counts: tokens that it counts in a prompt with a picture, and in one without.
    """

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(('127.0.0.1', port), Exchange)
        self.answers: dict[str, Callable[[Exchange], None]] = {'/api/show': show()}
        self.requests: list[tuple[str, dict[str, str], Json]] = []
        self.loads: list[Json] = []
        self.on_load: Callable[[Exchange], None] = loaded
        self.release = threading.Event()
        self.broken_off = threading.Event()
        self.counts = (1700, 1200)

    @property
    def url(self) -> str:
        return f'http://127.0.0.1:{self.server_address[1]}'

    def on_chat(self, answer: Callable[[Exchange], None]) -> None:
        self.answers['/api/chat'] = answer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing."""


def not_found(exchange: Exchange) -> None:
    """Answer as a server does that does not know the path."""
    exchange.send(404, b'404 page not found', Content_Type='text/plain')


def loaded(exchange: Exchange) -> None:
    """Answer that the model is loaded."""
    exchange.send(200, json.dumps(chunk('', done=True, done_reason='load')).encode())


@contextmanager
def fake_ollama() -> Iterator[FakeOllama]:
    """Run a server on a free loopback port."""
    server = FakeOllama()
    thread = threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.release.set()
        server.shutdown()
        thread.join()
        server.server_close()


def chunk(content: str, **more: object) -> Json:
    """Return one line of a streamed chat."""
    return {'model': 'm', 'message': {'role': 'assistant', 'content': content}, 'done': False,
            **more}


#: As each JPEG begins in base64.
_JPEG = '/9j/'


def tokens_read(exchange: Exchange) -> int:
    """Return what a server counts in a question, whichever API it came by."""
    return exchange.server.counts[_JPEG not in json.dumps(exchange.body)]


def streamed(*texts: str, done: bool = True,
             prompt_tokens: int = 0) -> Callable[[Exchange], None]:
    """Answer with a stream of these texts; 0 tokens of the prompt stand for `tokens_read`."""
    def answer(exchange: Exchange) -> None:
        exchange.begin_stream()
        for text in texts:
            exchange.line(chunk(text))
        if done:
            exchange.line(chunk('', done=True, done_reason='stop',
                                prompt_eval_count=prompt_tokens or tokens_read(exchange),
                                eval_count=len(texts)))
    return answer


def status(code: int, error: str = '', **headers: str) -> Callable[[Exchange], None]:
    """Answer with an error."""
    body = json.dumps({'error': error}).encode() if error else b''
    return lambda exchange: exchange.send(code, body, **headers)


def show(*capabilities: str) -> Callable[[Exchange], None]:
    """Answer what a model can do."""
    body = json.dumps({'capabilities': ['completion', *capabilities], 'model_info': {}}).encode()
    return lambda exchange: exchange.send(200, body)
