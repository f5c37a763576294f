"""HTTP server of the ground truth of a run, on loopback. The robot's own software never asks it.

Its clients are the stand-in for a model's eyes, which must recognise what a picture shows, and the
judge of a demonstration, who compares the robot's words with the truth.
- GET /pose: the true pose, number of collisions and path length so far.
- GET /collisions: time, place and obstacle of each collision of the base.
- GET /world: all objects, rooms and doorways.
- GET /view: the current view of the camera.
- POST /seen: whether a posted picture (JPEG or PNG) is one of the last that were published, and
  what it shows, in pixels of the posted picture.
- GET /overview.png: the world from above; X-Origin-X, X-Origin-Y (lower left corner) and
  X-Resolution in metres.
"""

import io
import json
import logging
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from PIL import Image

from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.robot.renderer import Overview
from semantic_nav_sim.robot.truth import BadRequest, Truth

LARGEST_POST_BYTES = 16 << 20
READ_TIMEOUT_S = 10.0
_log = logging.getLogger(__name__)

Json = dict[str, Any]


class TruthServer:
    """Server of a Truth on 127.0.0.1."""

    def __init__(self, truth: Truth, draw: Callable[[], Overview], port: int) -> None:
        """Bind the port and start serving.

        Args:
            truth: the answers.
            draw: renders the world from above.
            port: 0 for any free one.

        Raises:
            ConfigError: the port is taken.
        """
        handler = type('Handler', (_Handler,), {'truth': truth, 'draw': staticmethod(draw)})
        try:
            self._server = ThreadingHTTPServer(('127.0.0.1', port), handler)
        except OSError as error:
            raise ConfigError(f'truth_port {port} cannot be had: {error}') from error
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name='truth',
                                        kwargs={'poll_interval': 0.1}, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port of the server."""
        return int(self._server.server_address[1])

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Router of requests to the truth."""

    truth: Truth
    draw: Callable[[], Overview]
    protocol_version = 'HTTP/1.1'
    timeout = READ_TIMEOUT_S

    def do_GET(self) -> None:
        """Answer /pose, /collisions, /world, /view and /overview.png."""
        if self.path == '/overview.png':
            self._send(200, 'image/png', *_png(self.draw()))
        elif (answer := self.truth.ask(self.path[1:])) is not None:
            self._send_json(200, answer)
        else:
            self._send_json(404, {'error': f'nothing at {self.path[:80]}'})

    def do_POST(self) -> None:
        """Answer /seen."""
        length = self.headers.get('Content-Length', '')
        if not length.isdecimal() or int(length) > LARGEST_POST_BYTES:
            self.close_connection = True
            self._send_json(413, {'error': f'give a length up to {LARGEST_POST_BYTES} bytes'})
            return
        content = self.rfile.read(int(length))
        if self.path != '/seen':
            self._send_json(404, {'error': f'nothing at {self.path[:80]}'})
            return
        try:
            self._send_json(200, self.truth.seen(content))
        except BadRequest as error:
            self._send_json(400, {'error': str(error)})

    def log_message(self, format: str, *args: Any) -> None:
        """Log quietly."""
        _log.debug(format, *args)

    def _send_json(self, status: int, document: Json) -> None:
        self._send(status, 'application/json', json.dumps(document).encode(), {})

    def _send(self, status: int, kind: str, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(content)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


def _png(seen: Overview) -> tuple[bytes, dict[str, str]]:
    """A picture from above as PNG, with headers for its place."""
    content = io.BytesIO()
    Image.fromarray(seen.picture).save(content, 'PNG')
    return content.getvalue(), {'X-Origin-X': f'{seen.origin_x_m:.6f}',
                                'X-Origin-Y': f'{seen.origin_y_m:.6f}',
                                'X-Resolution': f'{seen.resolution_m:.8f}'}
