"""Moving obstacles beside the robot: people who walk, and doors that close and open.

Stands in for the life of a home. The robot is not told of it: it meets them in its scans and
pictures, and with its body. They never run into the robot.
"""

import math
from collections.abc import Mapping

import numpy as np
import shapely

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.robot.door import Door, closed_yaws
from semantic_nav_sim.robot.person import RADIUS_M, Person
from semantic_nav_sim.robot.walkways import Walkways
from semantic_nav_sim.world.floor_plan import BAND_M
from semantic_nav_sim.world.footprints import Footprints, Nearest, Obstacles
from semantic_nav_sim.world.random_streams import stream
from semantic_nav_sim.world.scene import Placing, Stage

#: Fixed time step of the actors, whatever the caller's period [s].
STEP_S = 0.05
#: The rest of a longer gap is skipped [s].
LONGEST_GAP_S = 60.0
#: Clearance of walking people from the robot and from each other [m].
_ROBOT_BERTH_M, _PERSON_BERTH_M = 0.40, 0.20
#: Reach of a hand or foot from the centre of a person, which is the clearance to a door leaf [m].
_HAND_M = 0.36
#: Clearance of a leaf from the robot and from people [m].
_DOOR_BERTH_M = 0.06
_HALF_LEAF_M = 0.02


class Surroundings:
    """Obstacles of the robot: the fixed ones and the actors."""

    def __init__(self, fixed: Obstacles, actors: 'Actors') -> None:
        self._fixed, self._actors = fixed, actors

    def nearest(self, x: float, y: float, reach_m: float) -> Nearest:
        """The nearest outline within reach; see `Footprints`."""
        fixed = self._fixed.nearest(x, y, reach_m)
        moving = self._actors.nearest(x, y, reach_m)
        return moving if moving.gap_m < fixed.gap_m else fixed

    def nearest_to(self, body: shapely.Polygon, reach_m: float) -> Nearest:
        """The nearest outline within reach of a body; see `Footprints`."""
        fixed = self._fixed.nearest_to(body, reach_m)
        moving = self._actors.nearest_to(body, reach_m)
        return moving if moving.gap_m < fixed.gap_m else fixed


class Actors:
    """All moving obstacles of one stage.

    Attributes:
        placings: of each actor, by id; a new mapping after every step that moved anything.
    """

    def __init__(self, stage: Stage, people: int, moving_doors: bool,
                 robot_radius_m: float) -> None:
        """Start with everything in its place.

        Args:
            stage: the world for a seed.
            people: number of people who walk.
            moving_doors: whether the doors inside move.
            robot_radius_m: of the robot.

        Raises:
            ConfigError: the world has fewer people.
        """
        scene, seed = stage.scene, stage.seed
        if people > len(scene.people):
            raise ConfigError(f'people = {people}: at most {len(scene.people)} can walk')
        self._robot_radius_m = robot_radius_m
        walkways = Walkways(scene) if people else None
        self._people = [
            Person(figure, walkways, stream(seed, f'walk of {figure.id}'), stage.start)
            for figure in scene.people[:people] if walkways is not None]
        yaws = closed_yaws(scene) if moving_doors else {}
        self._doors = [Door(scene.objects[name], yaw, stream(seed, f'times of {name}'))
                       for name, yaw in yaws.items()]
        self._left_s = 0.0
        self._leaves: Footprints | None = None
        self._turned: list[Placing] = []
        self._move()

    @property
    def doors(self) -> frozenset[str]:
        """Ids of the door leaves that turn."""
        return frozenset(door.leaf.id for door in self._doors)

    def step(self, dt_s: float, robot: Pose2D) -> None:
        """Advance time.

        Args:
            dt_s: duration [s].
            robot: true pose of the robot.
        """
        if not self._people and not self._doors:
            return
        self._left_s += min(dt_s, LONGEST_GAP_S)
        steps = int(self._left_s / STEP_S + 1e-9)
        self._left_s -= steps * STEP_S
        for _ in range(steps):
            self._step(robot)
        if steps:
            self._move()

    def nearest(self, x: float, y: float, reach_m: float) -> Nearest:
        """The nearest actor within reach, as `Footprints.nearest` gives it."""
        best = Nearest() if self._leaves is None else self._leaves.nearest(x, y, reach_m)
        for person in self._people:
            dx, dy = x - person.pose.x, y - person.pose.y
            distance = math.hypot(dx, dy)
            if distance - RADIUS_M < min(best.gap_m, reach_m):
                away = np.array([dx, dy]) / distance if distance > 1e-9 else np.array([1.0, 0.0])
                best = Nearest(distance - RADIUS_M, away, person.figure.id)
        return best

    def nearest_to(self, body: shapely.Polygon, reach_m: float) -> Nearest:
        """The nearest actor within reach, as `Footprints.nearest_to` gives it."""
        best = Nearest() if self._leaves is None else self._leaves.nearest_to(body, reach_m)
        for person in self._people:
            middle = shapely.Point(person.pose.x, person.pose.y)
            gap_m = max(0.0, float(body.distance(middle)) - RADIUS_M)
            if gap_m <= reach_m and gap_m < best.gap_m:
                best = Nearest(gap_m, name=person.figure.id)
        return best

    def _step(self, robot: Pose2D) -> None:
        for person in self._people:
            person.step(STEP_S, [
                (robot.x, robot.y, RADIUS_M + self._robot_radius_m + _ROBOT_BERTH_M),
                *((other.pose.x, other.pose.y, 2 * RADIUS_M + _PERSON_BERTH_M)
                  for other in self._people if other is not person),
                *((*door.nearest(person.pose), _HAND_M) for door in self._doors)])
        berth_m = _HALF_LEAF_M + _DOOR_BERTH_M
        discs = [(robot, self._robot_radius_m + berth_m),
                 *((person.pose, RADIUS_M + berth_m) for person in self._people)]
        for door in self._doors:
            door.step(STEP_S, discs)

    def _move(self) -> None:
        self.placings: Mapping[str, Placing] = {
            **{person.figure.id: person.placing for person in self._people},
            **{door.leaf.id: door.placing for door in self._doors}}
        turned = [door.placing for door in self._doors]
        if turned != self._turned:
            self._turned = turned
            leaves = [(collider, door.leaf.id) for door in self._doors
                      for collider in door.leaf.map_colliders(door.placing)]
            self._leaves = Footprints([collider for collider, _ in leaves], *BAND_M,
                                      [name for _, name in leaves])
