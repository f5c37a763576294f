"""How much what was looked at has to do with the goal, for each cell of a map.

The value map of VLFM (Yokoyama et al., ICRA 2024) and ApexNav (Zhang et al., RA-L 2025), with two
differences: the likeness of a look is that of the words in which a model told what it saw, not of
the picture (they ask BLIP-2); and what a look showed is told by the map of now, without depth.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import wrap_angles
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.embed.embedder import Embedder
from semantic_nav.embed.words import content_words
from semantic_nav.explore.policy import Search
from semantic_nav.explore.sight import Eye, visible_cells

#: How much a goal and each of some scenes have in common, 0 to 1, shape (scenes,).
Likeness = Callable[[str, Sequence[str]], NDArray[np.float64]]
#: What numpy makes of a cosine depends on the processor.
_COSINE = np.frompyfunc(math.cos, 1, 1)


def likeness_by(embedder: Embedder) -> Likeness:
    """Return the cosine of the embedder's vectors; what has less than nothing in common has none.
    """
    def likeness(goal: str, scenes: Sequence[str]) -> NDArray[np.float64]:
        target = embedder.embed([' '.join(content_words(goal))])[0]
        cosines: NDArray[np.float64] = (embedder.embed(scenes) @ target).astype(np.float64)
        return np.clip(cosines, 0.0, 1.0)

    return likeness


@dataclass(frozen=True)
class Trust:
    """How much the parts of a picture count.

    Attributes:
        least: at its edges; in the middle it is 1.
        weak: what counts less than this, and less than what was seen before, does not count.
    """

    least: float = 0.0
    weak: float = 0.0


@dataclass(frozen=True, eq=False)
class ValueMap:
    """Value and confidence of each cell, shape as the map's; both 0 where nobody looked."""

    grid: OccupancyGrid
    value: NDArray[np.float64]
    confidence: NDArray[np.float64]

    @classmethod
    def of(cls, grid: OccupancyGrid, eyes: Sequence[Eye], likeness: Sequence[float],
           range_m: float, trust: Trust) -> 'ValueMap':
        """Return that of some looks, the earlier ones first.

        A look from afar of the optical axis by the angle a counts c = cos²(a / half · π/2). Then
        v ← (c·s + C·v) / (c + C) and C ← (c² + C²) / (c + C), with s for its likeness.

        Args:
            grid: the map.
            eyes: from where was looked.
            likeness: of each look and the goal.
            range_m: how far a look counts.
            trust: how much its parts count.
        """
        made = cls(grid, np.zeros(grid.shape), np.zeros(grid.shape))
        for eye, alike in zip(eyes, likeness, strict=True):
            made._take(eye, alike, range_m, trust)
        return made

    @classmethod
    def of_search(cls, search: Search, likeness: Likeness, range_m: float,
                  trust: Trust) -> 'ValueMap':
        """Return that of a search so far; looks of which a model said nothing tell nothing."""
        told = [eye for eye in search.eyes if eye.scene]
        alike = likeness(search.goal, [eye.scene for eye in told])
        return cls.of(search.grid, told, alike.tolist(), range_m, trust)

    def _take(self, eye: Eye, alike: float, range_m: float, trust: Trust) -> None:
        pose = eye.pose
        rows, columns = np.nonzero(visible_cells(
            self.grid, (pose.x, pose.y), pose.yaw, eye.half_angle_rad, range_m))
        x_m, y_m = self.grid.centres_of(rows, columns)
        off = np.abs(wrap_angles(np.arctan2(y_m - pose.y, x_m - pose.x) - pose.yaw))
        share = np.minimum(off / eye.half_angle_rad, 1.0)
        cosine = np.asarray(_COSINE(share * (math.pi / 2)), np.float64)
        new = trust.least + (1.0 - trust.least) * cosine * cosine
        old = self.confidence[rows, columns]
        counts = (new > 0.0) & ((new >= trust.weak) | (new >= old))
        rows, columns, new, old = rows[counts], columns[counts], new[counts], old[counts]
        self.value[rows, columns] = (
            new * alike + old * self.value[rows, columns]) / (new + old)
        self.confidence[rows, columns] = (new * new + old * old) / (new + old)

    def around(self, x: float, y: float, radius_m: float) -> float:
        """Return the median value of what was looked at around a point; 0 where nothing was."""
        row, column = self.grid.cell_of(x, y)
        reach = int(radius_m / self.grid.resolution_m)
        top, left = max(0, row - reach), max(0, column - reach)
        window = (slice(top, row + reach + 1), slice(left, column + reach + 1))
        down, right = np.ogrid[:self.value[window].shape[0], :self.value[window].shape[1]]
        near = (down + top - row)**2 + (right + left - column)**2 <= reach * reach
        values = self.value[window][near & (self.confidence[window] > 0.0)]
        return float(np.median(values)) if values.size else 0.0
