"""What one sensor has told of each cell."""

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.grid import FREE, LETHAL, UNKNOWN
from semantic_nav.sim.mapper.config import MapperConfig
from semantic_nav.sim.mapper.extent import Extent

Mask = NDArray[np.bool_]


class Layer:
    """Log-odds of being occupied, and what follows from them.

    Between the two thresholds a cell stays what it was, so that it does not flicker.

    Attributes:
        extent: the cells it holds.
        evidence: float32, shape of the extent: log-odds, 0 for nothing known.
        cells: int8, shape of the extent: -1 unknown, 0 free, 100 occupied.
    """

    def __init__(self, config: MapperConfig, miss: float) -> None:
        """Know nothing.

        Args:
            config: weights and thresholds.
            miss: what is taken from a cell in which the sensor met nothing.
        """
        self._config, self._miss = config, miss
        self.extent = Extent()
        self.evidence = np.zeros(self.extent.shape, np.float32)
        self.cells = np.full(self.extent.shape, UNKNOWN, np.int8)

    def grow(self, extent: Extent) -> None:
        """Hold a larger extent; the cells that are new are unknown."""
        inner = self.extent.within(extent)
        evidence = np.zeros(extent.shape, np.float32)
        cells = np.full(extent.shape, UNKNOWN, np.int8)
        evidence[inner], cells[inner] = self.evidence, self.cells
        self.extent, self.evidence, self.cells = extent, evidence, cells

    def see(self, through: Mask, met: Mask) -> None:
        """Take in one scan or picture.

        Args:
            through: cells in which nothing was met on the way.
            met: cells in which something was met; this goes before.
        """
        config = self._config
        self.evidence[met] += config.hit
        self.evidence[through & ~met] -= self._miss
        np.clip(self.evidence, config.lowest, config.highest, out=self.evidence)
        self.cells[self.evidence >= config.occupied_at] = LETHAL
        self.cells[self.evidence <= config.free_at] = FREE

    def hold(self, free: Mask, occupied: Mask) -> None:
        """Be sure of some cells, as of those of a map that was saved."""
        self.evidence[free], self.cells[free] = self._config.lowest, FREE
        self.evidence[occupied], self.cells[occupied] = self._config.highest, LETHAL
