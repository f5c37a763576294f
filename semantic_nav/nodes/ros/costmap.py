"""Nav2's global costmap: a whole grid, then rectangles that replace parts of it."""

from dataclasses import replace

import numpy as np
from map_msgs.msg import OccupancyGridUpdate
from nav_msgs.msg import OccupancyGrid as GridMessage

from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.conversions import grid_of


class CostmapAssembler:
    """Keeps the newest costmap."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self.grid: OccupancyGrid | None = None

    def take(self, message: GridMessage) -> None:
        """Replace the whole costmap; raises ValueError where it makes no sense."""
        self.grid = grid_of(message)

    def update(self, message: OccupancyGridUpdate) -> bool:
        """Replace a part; returns False where it does not fit the costmap held."""
        grid = self.grid
        if grid is None:
            return False
        bottom, right = message.y + message.height, message.x + message.width
        if message.x < 0 or message.y < 0 or bottom > grid.shape[0] or right > grid.shape[1] or (
                len(message.data) != message.height * message.width):
            return False
        cells = grid.cells.copy()
        cells[message.y:bottom, message.x:right] = np.array(
            message.data, dtype=np.int8).reshape(message.height, message.width)
        self.grid = replace(grid, cells=cells, stamp_ns=stamp_ns(message.header.stamp))
        return True
