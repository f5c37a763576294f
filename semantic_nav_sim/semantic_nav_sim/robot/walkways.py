"""Ways of people over the free floor of a world, with the knowledge of a resident."""

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.navigator.costmap import FREE_SPACE, Costmap
from semantic_nav_sim.navigator.geometry import Pose
from semantic_nav_sim.navigator.planner import PlanCode, plan_path
from semantic_nav_sim.world.floor_plan import floor_plan
from semantic_nav_sim.world.meshes import Floats
from semantic_nav_sim.world.scene import WorldScene

#: Clearance of people from furniture, and the distance that they prefer [m].
_BODY_M, _COMFORT_M = 0.24, 0.45


class Walkways:
    """Planner of ways for people."""

    def __init__(self, scene: WorldScene) -> None:
        """Make the costmap, with all doors as in the world."""
        self._costmap = Costmap(floor_plan(scene), _BODY_M, _COMFORT_M, 3.0)
        self._rooms = [self._free_in(room.low, room.high) for room in scene.world.rooms]
        self._rooms = [cells for cells in self._rooms if len(cells)]

    def anywhere(self, rng: np.random.Generator) -> tuple[float, float]:
        """A random point of the free floor [m]; all rooms are equally likely."""
        cells = self._rooms[int(rng.integers(len(self._rooms)))]
        row, col = cells[int(rng.integers(len(cells)))]
        return self._costmap.centre(int(row), int(col))

    def way(self, start: Pose2D, goal: tuple[float, float]) -> Floats | None:
        """A way with a point every few centimetres, shape (n, 2); None if there is none."""
        plan = plan_path(self._costmap, Pose(start.x, start.y, start.yaw), Pose(*goal, 0.0), 0.0)
        return plan.points if plan.code is PlanCode.NONE else None

    def _free_in(self, low: tuple[float, float], high: tuple[float, float]) -> NDArray[np.intp]:
        costmap = self._costmap
        rows, cols = np.nonzero(costmap.cost == FREE_SPACE)
        x = costmap.origin_x + (cols + 0.5) * costmap.resolution_m
        y = costmap.origin_y + (rows + 0.5) * costmap.resolution_m
        inside = (low[0] <= x) & (x <= high[0]) & (low[1] <= y) & (y <= high[1])
        return np.column_stack([rows, cols])[inside]
