"""A person who walks about, and waits for obstacles to clear."""

import math

import numpy as np

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav_sim.robot.walkways import Walkways
from semantic_nav_sim.world.meshes import Floats
from semantic_nav_sim.world.scene import Placing, SceneObject

#: Radius of a person for collisions [m].
RADIUS_M = 0.18
SPEED_M_S = (0.6, 1.1)
REST_S = (2.0, 8.0)
#: Time that a person waits for the way to clear [s].
PATIENCE_S = 3.0
#: Length of a new way that must be free at its start [m].
_FREE_AHEAD_M = 0.4
_TURN_RAD_S = 4.0
_TRIES = 6
#: Least distance of a person's start from the robot [m].
_START_AWAY_M = 2.0


#: Point on the floor with the distance that a walking person keeps from it: x, y, distance [m].
Berth = tuple[float, float, float]


class Person:
    """Walks from place to place in the whole home, with rests, and pushes nobody.

    Attributes:
        figure: the scene object.
        pose: on the floor, in the map frame.
    """

    def __init__(self, figure: SceneObject, walkways: Walkways, rng: np.random.Generator,
                 robot: Pose2D) -> None:
        """Stand somewhere away from the robot.

        Args:
            figure: the scene object.
            walkways: planner of the ways.
            rng: decides destinations, speed and rests.
            robot: its start pose.
        """
        self.figure = figure
        self._walkways, self._rng = walkways, rng
        self._speed_m_s = float(rng.uniform(*SPEED_M_S))
        x, y = walkways.anywhere(rng)
        for _ in range(100):
            if robot.distance_to(x, y) >= _START_AWAY_M:
                break
            x, y = walkways.anywhere(rng)
        self.pose = Pose2D(x, y, float(rng.uniform(-math.pi, math.pi)))
        self._way: Floats = np.array([[x, y]])
        self._next = 1
        self._rest_s = float(rng.uniform(*REST_S))
        self._waited_s = 0.0

    @property
    def placing(self) -> Placing:
        """The placing of the figure."""
        return Placing((self.pose.x, self.pose.y, 0.0), self.pose.yaw)

    def step(self, dt_s: float, others: list[Berth]) -> None:
        """Advance time.

        Args:
            dt_s: duration [s].
            others: points to keep clear of.
        """
        if self._rest_s > 0:
            self._rest_s -= dt_s
            return
        if self._next >= len(self._way):
            self._choose(others)
            self._rest_s = float(self._rng.uniform(*REST_S))
            return
        x, y, index = self._ahead(self._speed_m_s * dt_s)
        if self._blocked(x, y, others):
            self._waited_s += dt_s
            if self._waited_s > PATIENCE_S:
                self._waited_s = 0.0
                self._choose(others)
            return
        self._waited_s = 0.0
        heading = math.atan2(y - self.pose.y, x - self.pose.x)
        turn = wrap_angle(heading - self.pose.yaw)
        turn = math.copysign(min(abs(turn), _TURN_RAD_S * dt_s), turn)
        self.pose, self._next = Pose2D(x, y, wrap_angle(self.pose.yaw + turn)), index

    def _ahead(self, distance_m: float) -> tuple[float, float, int]:
        """The point at a distance along the way, and the index of the next way point."""
        x, y, index = self.pose.x, self.pose.y, self._next
        while index < len(self._way):
            to_x, to_y = (float(v) for v in self._way[index])
            step_m = math.hypot(to_x - x, to_y - y)
            if step_m > distance_m:
                share = distance_m / step_m
                return x + (to_x - x) * share, y + (to_y - y) * share, index
            x, y, distance_m, index = to_x, to_y, distance_m - step_m, index + 1
        return x, y, index

    def _blocked(self, x: float, y: float, others: list[Berth]) -> bool:
        """Tell whether a step comes too near to somebody; a step away from them is allowed."""
        return any(
            math.hypot(x - at_x, y - at_y) < min(berth_m, self.pose.distance_to(at_x, at_y))
            for at_x, at_y, berth_m in others)

    def _choose(self, others: list[Berth]) -> None:
        """Choose the next destination, with a way that does not start into somebody."""
        self._way, self._next = np.array([[self.pose.x, self.pose.y]]), 1
        for _ in range(_TRIES):
            way = self._walkways.way(self.pose, self._walkways.anywhere(self._rng))
            if way is None:
                continue
            before, self._way = self._way, way
            x, y, _ = self._ahead(_FREE_AHEAD_M)
            if not self._blocked(x, y, others):
                return
            self._way = before
