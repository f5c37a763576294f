"""Tells the truth about a run over HTTP on loopback; the robot's own software never asks it.

It serves the stand-in for a model's eyes, which has to recognise what is in a picture, and the
judge of a demonstration, who compares what the robot says with what is so.

- GET /pose: the true pose, number of collisions and path length so far.
- GET /collisions: when and where the base ran into something, and into what.
- GET /world: all objects and rooms.
- GET /view: what the camera sees right now.
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
from dataclasses import asdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from PIL import Image, UnidentifiedImageError

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.sim.robot.frame_memory import THUMBNAIL_PX, FrameMemory
from semantic_nav.sim.robot.sightings import Sighting, sightings
from semantic_nav.sim.robot.simulation import Simulation, Snapshot

LARGEST_POST_BYTES = 16 << 20
LARGEST_PICTURE_PX = 40_000_000
READ_TIMEOUT_S = 10.0
#: How many times larger than a thumbnail a JPEG is decoded at least.
_DECODED = 4
_log = logging.getLogger(__name__)

Json = dict[str, Any]


class BadRequest(Exception):
    """What was posted is no picture; the message says why."""


class Truth:
    """The answers, as plain documents."""

    def __init__(self, simulation: Simulation, memory: FrameMemory,
                 clock_ns: Callable[[], int]) -> None:
        """Take the run to tell of.

        Args:
            simulation: the run.
            memory: the pictures that were published.
            clock_ns: the clock that stamps them.
        """
        self._simulation, self._memory, self._clock_ns = simulation, memory, clock_ns
        self._answers: dict[str, Callable[[], Json]] = {
            'pose': self.pose, 'collisions': self.collisions, 'world': self.world,
            'view': self.view}

    def ask(self, name: str) -> Json | None:
        """Return an answer by its name, None if there is none of that name."""
        answer = self._answers.get(name)
        return answer() if answer is not None else None

    def pose(self) -> Json:
        """Return the true pose."""
        now = self._simulation.snapshot()
        return {'stamp_ns': now.stamp_ns, 'x': now.true.x, 'y': now.true.y, 'yaw': now.true.yaw,
                'collisions': now.collisions, 'distance_m': now.distance_m}

    def collisions(self) -> Json:
        """Return what the base ran into: time, true pose of the base, object or 'wall'."""
        return {'collisions': [
            {'stamp_ns': one.stamp_ns, 'x': one.pose.x, 'y': one.pose.y, 'yaw': one.pose.yaw,
             'object': one.met} for one in self._simulation.collisions()]}

    def world(self) -> Json:
        """Return all objects and rooms."""
        stage = self._simulation.stage
        moved = self._simulation.snapshot().moved
        rooms = [{'name': room.name, 'kind': room.kind, 'x0': room.low[0], 'y0': room.low[1],
                  'x1': room.high[0], 'y1': room.high[1]} for room in stage.scene.world.rooms]
        return {'name': stage.scene.world.name, 'seed': stage.seed,
                'objects': [asdict(truth) for truth in stage.truth(moved)], 'rooms': rooms}

    def view(self) -> Json:
        """Return what the camera sees right now."""
        now = self._simulation.snapshot()
        camera = self._simulation.camera
        return {'width': camera.width, 'height': camera.height, 'room': self._room(now.true),
                'objects': [_entry(seen) for seen in self._look(now)]}

    def seen(self, content: bytes) -> Json:
        """Return whether a picture was published lately, and what it shows.

        Raises:
            BadRequest: the content is no picture, or too large a one.
        """
        picture, (width, height) = _opened(content)
        answer: Json = {'found': False, 'similarity': 0.0, 'age_s': None, 'width': width,
                        'height': height, 'room': '', 'objects': []}
        match = self._memory.best(picture)
        if match is None:
            return answer
        answer['similarity'] = round(match.similarity, 4)
        if not match.found:
            return answer
        base, camera = match.snapshot.true, self._simulation.camera
        across, down = width / camera.width, height / camera.height
        answer.update(
            found=True, age_s=(self._clock_ns() - match.snapshot.stamp_ns) / 1e9,
            room=self._room(base),
            objects=[_entry(seen.scaled(across, down)) for seen in self._look(match.snapshot)])
        return answer

    def overview(self) -> tuple[bytes, dict[str, str]]:
        """Return a PNG from above and the headers that say where it lies."""
        seen = self._simulation.draw(lambda renderer: renderer.overview()).result()
        content = io.BytesIO()
        Image.fromarray(seen.picture).save(content, 'PNG')
        return content.getvalue(), {'X-Origin-X': f'{seen.origin_x_m:.6f}',
                                    'X-Origin-Y': f'{seen.origin_y_m:.6f}',
                                    'X-Resolution': f'{seen.resolution_m:.8f}'}

    def _room(self, base: Pose2D) -> str:
        room = self._simulation.stage.scene.world.room_at(base.x, base.y)
        return room.name if room else ''

    def _look(self, then: Snapshot) -> list[Sighting]:
        objects = self._simulation.draw(
            lambda renderer: renderer.objects(then.true, then.moved)).result()
        truths = self._simulation.stage.truth(then.moved)
        return sightings(objects, truths, self._simulation.camera, then.true)


class TruthServer:
    """Serves a Truth on 127.0.0.1."""

    def __init__(self, truth: Truth, port: int) -> None:
        """Bind the port and start to serve.

        Args:
            truth: the answers.
            port: 0 takes any free one.

        Raises:
            ConfigError: the port is taken.
        """
        handler = type('Handler', (_Handler,), {'truth': truth})
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
        """The port that is served."""
        return int(self._server.server_address[1])

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Routes requests to the truth."""

    truth: Truth
    protocol_version = 'HTTP/1.1'
    timeout = READ_TIMEOUT_S

    def do_GET(self) -> None:
        """Answer /pose, /collisions, /world, /view and /overview.png."""
        if self.path == '/overview.png':
            content, headers = self.truth.overview()
            self._send(200, 'image/png', content, headers)
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


def _opened(content: bytes) -> tuple[Image.Image, tuple[int, int]]:
    """Return a posted picture, decoded at a size that will do for a thumbnail, and its own."""
    try:
        picture = Image.open(io.BytesIO(content), formats=('JPEG', 'PNG'))
        if picture.width * picture.height > LARGEST_PICTURE_PX:
            raise BadRequest(f'a picture of {picture.width}x{picture.height} is too large')
        size = picture.size
        picture.draft('RGB', (_DECODED * THUMBNAIL_PX[0], _DECODED * THUMBNAIL_PX[1]))
        picture.load()
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError,
            ValueError) as error:
        raise BadRequest(f'no JPEG or PNG: {error}') from error
    return picture, size


def _entry(seen: Sighting) -> Json:
    truth = seen.truth
    return {'id': truth.id, 'name': truth.name, 'kind': truth.kind, 'colour': truth.colour,
            'box': [round(value, 2) for value in seen.box], 'pixels': seen.pixels,
            'distance_m': round(seen.distance_m, 3), 'edge': seen.edge,
            'share': round(seen.share, 3)}
