"""A door leaf that closes and opens by itself."""

import math

import numpy as np

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav_sim.world.scene import Placing, SceneObject, WorldScene

OPEN_S, CLOSED_S = (15.0, 50.0), (10.0, 30.0)
TURN_RAD_S = 0.8
#: Time after which a blocked leaf turns back, as if its mover gave way [s].
PATIENCE_S = 3.0
#: Least angle of an open leaf. One with less counts as closed, such as a front door.
_LEAST_TURN_RAD = 0.35


class Door:
    """A leaf that turns between open and closed, and turns back from an obstacle after a while.

    Attributes:
        leaf: the scene object that turns.
        placing: the current one.
    """

    def __init__(self, leaf: SceneObject, closed_rad: float, rng: np.random.Generator) -> None:
        """Start with the door as in the world.

        Args:
            leaf: the scene object that turns.
            closed_rad: yaw of the closed leaf.
            rng: decides the times of motion.
        """
        self.leaf = leaf
        self.placing = leaf.placing
        self._ends = (leaf.placing.yaw_rad, closed_rad)
        self._target = 0
        self._rng = rng
        self._rest_s = float(rng.uniform(*OPEN_S))
        self._held_up_s = 0.0

    @property
    def width_m(self) -> float:
        """The distance from the hinge to the free edge [m]."""
        return float(self.leaf.high[0])

    def step(self, dt_s: float, discs: list[tuple[Pose2D, float]]) -> None:
        """Advance time.

        Args:
            dt_s: duration [s].
            discs: to keep clear of: pose in the map frame and radius [m].
        """
        if self._rest_s > 0:
            self._rest_s -= dt_s
            if self._rest_s <= 0:
                self._target = 1 - self._target
            return
        yaw = self.placing.yaw_rad
        left = wrap_angle(self._ends[self._target] - yaw)
        turned = yaw + math.copysign(min(abs(left), TURN_RAD_S * dt_s), left)
        if any(pose.distance_to(*self._nearest(pose, turned)) < radius
               for pose, radius in discs):
            self._held_up_s += dt_s
            if self._held_up_s > PATIENCE_S:
                self._held_up_s, self._target = 0.0, 1 - self._target
            return
        self._held_up_s = 0.0
        self.placing = Placing(self.placing.position, wrap_angle(turned))
        if abs(left) <= TURN_RAD_S * dt_s:
            self._rest_s = float(self._rng.uniform(*(CLOSED_S if self._target else OPEN_S)))

    def nearest(self, pose: Pose2D) -> tuple[float, float]:
        """The point of the leaf's centre line nearest to a pose [m]."""
        return self._nearest(pose, self.placing.yaw_rad)

    def _nearest(self, pose: Pose2D, yaw_rad: float) -> tuple[float, float]:
        x, y, _ = self.placing.position
        cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
        along = min(max((pose.x - x) * cos + (pose.y - y) * sin, 0.0), self.width_m)
        return x + along * cos, y + along * sin


def closed_yaws(scene: WorldScene) -> dict[str, float]:
    """The closed yaw of each leaf that can turn, by id [rad]."""
    yaws = {}
    for wall in scene.world.walls:
        for opening in wall.openings:
            leaf = opening.leaf
            if leaf is None:
                continue
            along = 0.0 if wall.axis == 'x' else math.pi / 2
            yaw = along if leaf.hinge == 'start' else wrap_angle(along + math.pi)
            if abs(wrap_angle(yaw - leaf.yaw_rad)) > _LEAST_TURN_RAD:
                yaws[leaf.id] = yaw
    return yaws
