"""Jumps of the localisation to a wrong pose."""

import math

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.robot.frames import compose, relative
from semantic_nav_sim.robot.profile import LocalisationErrors
from semantic_nav_sim.world.random_streams import stream

NOWHERE = Pose2D(0.0, 0.0, 0.0)


class Jumps:
    """Displacement of the believed pose over time.

    The profile sets times and distances; the directions are random.
    """

    def __init__(self, errors: LocalisationErrors, seed: int) -> None:
        self._errors = errors
        self._rng = stream(seed, 'localisation jumps')
        self._number = -1
        self._displacement = NOWHERE

    def displacement(self, believed: Pose2D, elapsed_s: float) -> Pose2D:
        """Transform in the map from the pose without the jump to the believed one.

        Args:
            believed: pose of the base in the map, without the jump.
            elapsed_s: time since the start; must not decrease.
        """
        number = self._at(elapsed_s)
        if number is None:
            return NOWHERE
        if number != self._number:
            self._number = number
            self._displacement = self._drawn(believed)
        return self._displacement

    def _at(self, elapsed_s: float) -> int | None:
        """The number of the current jump; None for none."""
        errors = self._errors
        since_s = elapsed_s - errors.jump_after_s
        if since_s < 0 or not (errors.jump_m or errors.jump_rad):
            return None
        number = int(since_s // errors.jump_every_s) if errors.jump_every_s else 0
        return number if since_s - number * errors.jump_every_s < errors.jump_lasts_s else None

    def _drawn(self, believed: Pose2D) -> Pose2D:
        direction = float(self._rng.uniform(-math.pi, math.pi))
        turn = math.copysign(self._errors.jump_rad, float(self._rng.uniform(-1, 1)))
        elsewhere = Pose2D(believed.x + self._errors.jump_m * math.cos(direction),
                           believed.y + self._errors.jump_m * math.sin(direction),
                           believed.yaw + turn)
        return compose(elsewhere, relative(believed, NOWHERE))
