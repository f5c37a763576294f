"""Judges a mission by the simulator's truth, which no part of the robot ever sees."""

import json
import math
import urllib.request
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from PIL import Image

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D

_TIMEOUT_S = 10.0
_FACING_RAD = math.radians(20)


@dataclass(frozen=True)
class Ruling:
    """How the robot truly stands to the target.

    Attributes:
        reached: within the stand-off, facing it, and it is in view.
        words: the figures behind that.
        target: true position of the target.
        robot: true pose of the robot.
    """

    reached: bool
    words: str
    target: tuple[float, float, float]
    robot: Pose2D
    collisions: int
    driven_m: float


@dataclass(frozen=True)
class Overview:
    """The world from above: a picture, and where its lower left corner lies."""

    image: Image.Image
    origin_x_m: float
    origin_y_m: float
    resolution_m: float


class Judge:
    """Asks the simulator for the truth."""

    def __init__(self, truth_url: str) -> None:
        """Use a truth server on loopback."""
        self._url = truth_url
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def ready(self) -> bool:
        """Tell whether the simulator answers."""
        try:
            self._get('pose')
        except OSError:
            return False
        return True

    def pose(self) -> Pose2D:
        """Return where the robot truly is."""
        pose = self._get('pose')
        return Pose2D(pose['x'], pose['y'], pose['yaw'])

    def target_of(self, goal: str) -> dict[str, Any]:
        """Return the object of the world whose name the goal holds, the longest name first.

        Raises:
            ConfigError: none is named, or more than one could be meant.
        """
        words = f' {goal.lower()} '
        named = [item for item in self._get('world')['objects']
                 if f' {item["name"].lower()} ' in words]
        longest = max((len(item['name']) for item in named), default=0)
        meant = [item for item in named if len(item['name']) == longest]
        if not meant:
            raise ConfigError(f'the world holds nothing that {goal!r} names: nobody could judge')
        result: dict[str, Any] = meant[0]
        return result

    def rule(self, target: dict[str, Any], stand_off_m: float) -> Ruling:
        """Return how the robot stands to an object."""
        pose = self._get('pose')
        robot = Pose2D(pose['x'], pose['y'], pose['yaw'])
        x, y, z = target['position']
        distance_m, bearing = robot.distance_to(x, y), robot.bearing_to(x, y)
        in_view = any(item['id'] == target['id'] for item in self._get('view')['objects'])
        reached = distance_m <= stand_off_m and abs(bearing) <= _FACING_RAD and in_view
        words = (f'{distance_m:.2f} m from the {target["name"]} (at most {stand_off_m:.2f}), '
                 f'turned {abs(math.degrees(bearing)):.0f}° away (at most 20), '
                 f'{"in view" if in_view else "not in view"}')
        return Ruling(reached, words, (x, y, z), robot, pose['collisions'], pose['distance_m'])

    def overview(self) -> Overview:
        """Return the world from above."""
        with self._opener.open(f'{self._url}/overview.png', timeout=_TIMEOUT_S) as response:
            image = Image.open(BytesIO(response.read())).convert('RGB')
            return Overview(image, float(response.headers['X-Origin-X']),
                            float(response.headers['X-Origin-Y']),
                            float(response.headers['X-Resolution']))

    def _get(self, path: str) -> Any:
        with self._opener.open(f'{self._url}/{path}', timeout=_TIMEOUT_S) as response:
            return json.load(response)
