"""State of the exploration for a goal: a value that goes from one act to the next."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.grid import OccupancyGrid, laid_over
from semantic_nav.explore.policy import ExplorationPolicy


@dataclass(frozen=True, eq=False)
class ReachedFloor:
    """Cells to which a way led at some time, in the shape of the map."""

    grid: OccupancyGrid
    cells: NDArray[np.bool_]

    def over(self, grid: OccupancyGrid) -> 'ReachedFloor':
        """The reached floor laid over a new map."""
        grid = grid.on_lattice_of(self.grid)
        if grid.same_frame(self.grid):
            return replace(self, grid=grid)
        return ReachedFloor(grid, laid_over(self.cells, self.grid, grid, False))


@dataclass(frozen=True)
class Exploration:
    """Memory of the exploration.

    Attributes:
        first: policy with which each goal begins.
        policy: policy to ask next.
        reached: floor that was reachable for this goal, now or before; None before the first act.
        inspected: x and y of blockages that were looked at since the last wait.
    """

    first: ExplorationPolicy
    policy: ExplorationPolicy
    reached: ReachedFloor | None = field(default=None, compare=False)
    inspected: tuple[tuple[float, float], ...] = ()

    @classmethod
    def begin(cls, first: ExplorationPolicy) -> 'Exploration':
        """The exploration of a new goal."""
        return cls(first, first)

    def anew(self) -> 'Exploration':
        """The exploration with the first policy again; reached floor is not forgotten."""
        return replace(self, policy=self.first)

    def reaching(self, grid: OccupancyGrid, cells: NDArray[np.bool_]) -> 'Exploration':
        """The exploration with the floor of a map that is reachable now."""
        before = ReachedFloor(grid, cells) if self.reached is None else self.reached.over(grid)
        return replace(self, reached=replace(before, cells=before.cells | cells))
