"""Ground truth of a run, as documents. The robot's own software never asks for it."""

import io
import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from PIL import Image, UnidentifiedImageError

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.robot.body import Body
from semantic_nav_sim.robot.camera import CameraModel
from semantic_nav_sim.robot.frame_memory import THUMBNAIL_PX, FrameMemory
from semantic_nav_sim.robot.sightings import Sighting
from semantic_nav_sim.world.description import WorldDescription

LARGEST_PICTURE_PX = 40_000_000
#: Least ratio of the decoded size of a JPEG to a thumbnail.
_DECODED = 4

Json = dict[str, Any]


class BadRequest(Exception):
    """The posted content is not a picture; the message says why."""


class Truth:
    """Answers about the truth, as plain documents."""

    def __init__(self, body: Body, memory: FrameMemory,
                 clock_ns: Callable[[], int]) -> None:
        """Attach to a run.

        Args:
            body: of the run.
            memory: the published pictures.
            clock_ns: clock of their stamps.
        """
        self._body, self._memory, self._clock_ns = body, memory, clock_ns
        self._answers: dict[str, Callable[[], Json]] = {
            'pose': self.pose, 'collisions': self.collisions, 'world': self.world,
            'view': self.view}

    def ask(self, name: str) -> Json | None:
        """An answer by name; None for an unknown name."""
        answer = self._answers.get(name)
        return answer() if answer is not None else None

    def pose(self) -> Json:
        """The true pose."""
        now = self._body.snapshot()
        return {'stamp_ns': now.stamp_ns, 'x': now.true.x, 'y': now.true.y, 'yaw': now.true.yaw,
                'collisions': now.collisions, 'distance_m': now.distance_m}

    def collisions(self) -> Json:
        """The collisions of the base: time, true pose, and the object or 'wall'."""
        return {'collisions': [
            {'stamp_ns': one.stamp_ns, 'x': one.pose.x, 'y': one.pose.y, 'yaw': one.pose.yaw,
             'object': one.met} for one in self._body.collisions()]}

    def world(self) -> Json:
        """All objects, rooms and doorways."""
        stage = self._body.stage
        moved = self._body.snapshot().moved
        rooms = [{'name': room.name, 'kind': room.kind, 'x0': room.low[0], 'y0': room.low[1],
                  'x1': room.high[0], 'y1': room.high[1]} for room in stage.scene.world.rooms]
        return {'name': stage.scene.world.name, 'seed': stage.seed,
                'objects': [asdict(truth) for truth in stage.truth(moved)], 'rooms': rooms,
                'doorways': _doorways(stage.scene.world)}

    def view(self) -> Json:
        """The current view of the camera."""
        now = self._body.snapshot()
        camera = self._body.camera
        return {'width': camera.width, 'height': camera.height, 'room': self._room(now.true),
                'objects': [_entry(seen, *_eye(camera, now.true))
                            for seen in self._body.sightings(now)]}

    def seen(self, content: bytes) -> Json:
        """Tell whether a picture was published lately, and describe what it shows.

        Boxes and pixels refer to the posted picture. `camera` holds the original size and the
        camera's pose. `from_rad` of an object is the direction from it to the camera, in the map
        frame.

        Raises:
            BadRequest: the content is not a picture, or the picture is too large.
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
        base, camera = match.snapshot.true, self._body.camera_of(match.camera)
        across, down = width / camera.width, height / camera.height
        x, y = _eye(camera, base)
        answer.update(
            found=True, age_s=(self._clock_ns() - match.snapshot.stamp_ns) / 1e9,
            room=self._room(base),
            camera={'width': camera.width, 'height': camera.height, 'x': x, 'y': y,
                    'yaw': base.yaw + camera.yaw_rad},
            objects=[_entry(seen.scaled(across, down), x, y)
                     for seen in self._body.sightings(match.snapshot, match.camera)])
        return answer

    def _room(self, base: Pose2D) -> str:
        room = self._body.stage.scene.world.room_at(base.x, base.y)
        return room.name if room else ''


def _doorways(world: WorldDescription) -> list[Json]:
    """The doorways in the walls, as rectangles on the floor."""
    found = []
    for wall in world.walls:
        for opening in wall.openings:
            if opening.kind == 'window':
                continue
            half = world.wall_thickness / 2
            x0, y0, _ = wall.point(opening.span[0], wall.at - half)
            x1, y1, _ = wall.point(opening.span[1], wall.at + half)
            found.append({'x0': x0, 'y0': y0, 'x1': x1, 'y1': y1})
    return found


def _opened(content: bytes) -> tuple[Image.Image, tuple[int, int]]:
    """Decode a posted picture at a size enough for a thumbnail; returns also its full size."""
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


def _eye(camera: CameraModel, base: Pose2D) -> tuple[float, float]:
    x, y, _ = camera.position(base)
    return float(x), float(y)


def _entry(seen: Sighting, x: float, y: float) -> Json:
    """An object as seen from a point of the map."""
    truth = seen.truth
    from_rad = math.atan2(y - truth.position[1], x - truth.position[0])
    return {'id': truth.id, 'name': truth.name, 'kind': truth.kind, 'colour': truth.colour,
            'box': [round(value, 2) for value in seen.box], 'pixels': seen.pixels,
            'distance_m': round(seen.distance_m, 3), 'edge': seen.edge,
            'share': round(seen.share, 3), 'from_rad': round(from_rad, 3)}
