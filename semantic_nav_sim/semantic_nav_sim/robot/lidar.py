"""A planar laser scanner on the base."""

import copy
from collections.abc import Mapping

import mujoco
import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.robot.lidar_model import LidarModel, ScanNoise
from semantic_nav_sim.robot.mover import Mover
from semantic_nav_sim.robot.profile import ScanErrors
from semantic_nav_sim.world.mujoco_model import MOVABLE_SOLID, NOWHERE, SOLID
from semantic_nav_sim.world.rays import RayCaster, collider_groups
from semantic_nav_sim.world.scene import NOTHING_MOVED, Placing, Stage


class Lidar:
    """Ray caster on the colliders of a stage. Not thread-safe."""

    def __init__(self, model: mujoco.MjModel, stage: Stage, seed: int, errors: ScanErrors,
                 lidar: LidarModel | None = None) -> None:
        self.model = lidar or LidarModel()
        self._noise = ScanNoise(seed, errors, self.model)
        # A model of its own, without the geoms above or below the scan plane: half the work.
        self._mj_model = copy.copy(model)
        self._groups = model.geom_group.copy()
        self._caster = RayCaster(self._mj_model, collider_groups(SOLID, MOVABLE_SOLID))
        self._mover = Mover(self._mj_model, self._caster.data, stage)
        self._take_places()
        self._angles = self.model.angles_rad

    def scan(self, base: Pose2D, moved: Mapping[str, Placing] = NOTHING_MOVED,
             ) -> NDArray[np.float32]:
        """The ranges from a pose of the base.

        Args:
            base: pose of the base.
            moved: placings of moved objects.

        Returns:
            Shape (rays,), in metres: infinite for no return, NaN for a failed measurement.
        """
        if self._mover.put(moved):
            self._take_places()
        angle = base.yaw + self._angles
        directions = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], 1)
        origin = np.array([base.x, base.y, self.model.height_m])
        ranges, _ = self._caster.cast(origin, directions, self.model.range_max_m)
        return self._noise.measured(ranges)

    def _take_places(self) -> None:
        """Update the placings, and the geoms that the scan plane meets."""
        self._caster.update()
        self._mj_model.geom_group[:] = np.where(
            self._caster.reaching(self.model.height_m), self._groups, NOWHERE)
