"""The evidence of one sensor for each cell."""

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.grid import FREE, LETHAL, UNKNOWN
from semantic_nav_sim.mapper.config import MapperConfig
from semantic_nav_sim.mapper.extent import Extent

Mask = NDArray[np.bool_]
_EVERYWHERE = slice(None), slice(None)


class Layer:
    """Log-odds of occupancy in slices, one above the other, and the resulting states.

    Between the two thresholds a cell keeps its state, so that it does not flicker.

    Attributes:
        extent: cells of the layer.
    """

    def __init__(self, config: MapperConfig, slices: int = 1) -> None:
        """Start without evidence.

        Args:
            config: weights and thresholds.
            slices: number of them; free cells come from the lowest one.
        """
        self._config, self._slices = config, slices
        self.extent = Extent()
        # Shape (slices, rows, columns) both: log-odds, 0 for no evidence, and -1, 0 or 100.
        self._evidence = np.zeros((slices, 0, 0), np.float32)
        self._states = np.full((slices, 0, 0), UNKNOWN, np.int8)

    @property
    def cells(self) -> NDArray[np.int8]:
        """The states of the extent's cells: -1 unknown, 0 free, 100 occupied in any slice."""
        return self.cells_in(_EVERYWHERE)

    def cells_in(self, where: tuple[slice, slice]) -> NDArray[np.int8]:
        """The states of some rows and columns of the cells."""
        states = self._states[(slice(None), *where)]
        occupied = (states == LETHAL).any(axis=0)
        return np.where(occupied, np.int8(LETHAL), states[0])

    def grow(self, extent: Extent) -> None:
        """Grow to a larger extent; new cells are unknown."""
        inner = (slice(None), *self.extent.within(extent))
        evidence = np.zeros((self._slices, *extent.shape), np.float32)
        states = np.full((self._slices, *extent.shape), UNKNOWN, np.int8)
        evidence[inner], states[inner] = self._evidence, self._states
        self.extent, self._evidence, self._states = extent, evidence, states

    def see(self, through: Mask, met: Mask, where: tuple[slice, slice] = _EVERYWHERE,
            surely: Mask | None = None) -> Mask:
        """Take in one scan or picture.

        Args:
            through: shape (slices, rows, columns), mask of the cells that were seen through.
            met: that shape, mask of the cells with a hit; it has priority.
            where: rows and columns of the extent that the masks cover.
            surely: that shape, mask of the cells whose hits may be new; None for all.

        Returns:
            Mask of the cells that changed from occupied to free, in that shape.
        """
        config, inside = self._config, (slice(None), *where)
        evidence, states = self._evidence[inside], self._states[inside]
        evidence[met if surely is None else met & (surely | (states == LETHAL))] += config.hit
        evidence[through & ~met] -= config.miss
        np.clip(evidence, config.lowest, config.highest, out=evidence)
        states[evidence >= config.occupied_at] = LETHAL
        free = evidence <= config.free_at
        gone: Mask = free & (states == LETHAL)
        states[free] = FREE
        return gone

    def forget(self, cells: Mask, where: tuple[slice, slice] = _EVERYWHERE) -> None:
        """Clear the evidence of some cells, in all slices but the lowest.

        Args:
            cells: mask, shape (rows, columns).
            where: rows and columns of the extent that the mask covers.
        """
        above = (slice(1, None), *where)
        self._evidence[above][:, cells], self._states[above][:, cells] = 0.0, UNKNOWN

    def hold_free(self, cells: Mask) -> None:
        """Make some cells surely free, like those of a saved map."""
        self._evidence[0, cells], self._states[0, cells] = self._config.lowest, FREE

    def hold_occupied(self, cells: Mask) -> None:
        """Make some cells surely occupied, in all slices but the lowest."""
        self._evidence[1:, cells], self._states[1:, cells] = self._config.highest, LETHAL
