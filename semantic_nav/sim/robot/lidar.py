"""A planar laser scanner on the base."""

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.sim.robot.mover import Mover
from semantic_nav.sim.robot.profile import ScanErrors
from semantic_nav.sim.world.mujoco_model import MOVABLE_SOLID, NOWHERE, SOLID
from semantic_nav.sim.world.random_streams import stream
from semantic_nav.sim.world.rays import RayCaster, collider_groups
from semantic_nav.sim.world.scene import NOTHING_MOVED, Placing, Stage


@dataclass(frozen=True)
class LidarModel:
    """What the scanner measures; the first ray points backwards, the middle one forwards."""

    rays: int = 360
    height_m: float = 0.20
    range_min_m: float = 0.10
    range_max_m: float = 12.0

    @property
    def angle_min_rad(self) -> float:
        """Bearing of the first ray."""
        return -math.pi

    @property
    def step_rad(self) -> float:
        """Angle between two rays."""
        return math.tau / self.rays


class Lidar:
    """Scans the colliders of a stage. Not to be shared between threads."""

    def __init__(self, model: mujoco.MjModel, stage: Stage, seed: int, errors: ScanErrors,
                 lidar: LidarModel | None = None) -> None:
        self.model = lidar or LidarModel()
        self._errors = errors
        self._rng, self._lost = stream(seed, 'scan noise'), stream(seed, 'scan dropouts')
        # Of its own, because it leaves out what lies above or below its plane: half the work.
        self._mj_model = copy.copy(model)
        self._groups = model.geom_group.copy()
        self._caster = RayCaster(self._mj_model, collider_groups(SOLID, MOVABLE_SOLID))
        self._mover = Mover(self._mj_model, self._caster.data, stage)
        self._take_places()
        self._angles = self.model.angle_min_rad + self.model.step_rad * np.arange(self.model.rays)

    def scan(self, base: Pose2D, moved: Mapping[str, Placing] = NOTHING_MOVED,
             ) -> NDArray[np.float32]:
        """Return the ranges from a pose of the base.

        Args:
            base: pose of the base.
            moved: where the things stand that move.

        Returns:
            Shape (rays,), metres: infinite for no return, NaN where the measurement failed.
        """
        if self._mover.put(moved):
            self._take_places()
        angle = base.yaw + self._angles
        directions = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], 1)
        origin = np.array([base.x, base.y, self.model.height_m])
        ranges, _ = self._caster.cast(origin, directions, self.model.range_max_m)
        ranges = ranges + self._errors.noise_m * self._rng.standard_normal(self.model.rays)
        ranges = np.where(ranges > self.model.range_min_m, ranges, np.inf)
        if self._errors.dropout:
            ranges[self._lost.random(self.model.rays) < self._errors.dropout] = np.nan
        return ranges.astype(np.float32)

    def _take_places(self) -> None:
        """Take over where things stand now, and which of them the plane meets there."""
        self._caster.update()
        self._mj_model.geom_group[:] = np.where(
            self._caster.reaching(self.model.height_m), self._groups, NOWHERE)
