"""Ray casting against a model's colliders."""

from concurrent.futures import ThreadPoolExecutor

import mujoco
import numpy as np
from numpy.typing import NDArray

from semantic_nav_sim.world.meshes import Floats


def collider_groups(*groups: int) -> NDArray[np.uint8]:
    """MuJoCo's mask of geom groups, shape (6,)."""
    mask = np.zeros(6, np.uint8)
    mask[list(groups)] = 1
    return mask


class RayCaster:
    """Ray caster for one state of a model. Not thread-safe."""

    def __init__(self, model: mujoco.MjModel, groups: NDArray[np.uint8]) -> None:
        self._model = model
        self._groups = groups
        self.data = mujoco.MjData(model)
        self.update()

    def update(self) -> None:
        """Update the kinematics after mocap poses were set in `data`."""
        mujoco.mj_kinematics(self._model, self.data)

    def reaching(self, height_m: float) -> NDArray[np.bool_]:
        """Mask of the geoms that reach to a height in the map, shape (ngeom,)."""
        upwards = self.data.geom_xmat[:, 6:]
        middles, halves = self._model.geom_aabb[:, :3], self._model.geom_aabb[:, 3:]
        level = self.data.geom_xpos[:, 2] + (upwards * middles).sum(axis=1)
        reach: NDArray[np.bool_] = (
            np.abs(height_m - level) <= (np.abs(upwards) * halves).sum(axis=1))
        return reach

    def cast(self, origin: Floats, directions: Floats, reach_m: float,
             exclude: int = -1) -> tuple[Floats, NDArray[np.int32]]:
        """Cast rays from one point.

        Args:
            origin: shape (3,), metres, map frame.
            directions: shape (n, 3), unit length.
            reach_m: largest distance of a hit.
            exclude: id of a body that rays pass through.

        Returns:
            Distances in metres, infinite without a hit, shape (n,); and ids of the hit geoms, -1
            for none, shape (n,).
        """
        count = len(directions)
        geoms = np.empty(count, np.int32)
        distances = np.empty(count)
        flat = np.ascontiguousarray(directions).ravel()
        mujoco.mj_multiRay(self._model, self.data, origin, flat, self._groups, True, exclude,
                           geoms, distances, None, count, reach_m)
        distances[(distances < 0) | (distances > reach_m)] = np.inf
        geoms[np.isinf(distances)] = -1
        return distances, geoms


def cast_many(model: mujoco.MjModel, groups: NDArray[np.uint8], origins: Floats,
              directions: Floats, reach_m: float, exclude: int = -1, workers: int = 2,
              ) -> tuple[Floats, NDArray[np.int32]]:
    """Cast a bundle of rays from each of many points, on several threads.

    Args:
        model: the model.
        groups: mask of geom groups, shape (6,).
        origins: shape (n, 3), metres.
        directions: shape (n, k, 3), unit length.
        reach_m: largest distance of a hit.
        exclude: id of a body that rays pass through.
        workers: threads; MuJoCo releases the interpreter lock while it casts.

    Returns:
        Distances, infinite for none, float64, and geom ids, -1 for none, both of shape (n, k).
    """
    count, bundle = directions.shape[:2]
    distances = np.empty((count, bundle))
    geoms = np.empty((count, bundle), np.int32)

    def work(part: NDArray[np.int64]) -> None:
        caster = RayCaster(model, groups)
        for i in part:
            distances[i], geoms[i] = caster.cast(origins[i], directions[i], reach_m, exclude)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, np.array_split(np.arange(count), workers)))
    return distances, geoms
