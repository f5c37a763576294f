"""Map of the similarity between the looks and the goal.

This is the value map of VLFM (Yokoyama et al., ICRA 2024) and ApexNav (Zhang et al., RA-L 2025),
with two differences. The similarity of a look is that of the model's words for the scene, not of
the picture (they use BLIP-2). The area of a look follows from the current map, without depth.
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

#: Similarity of a goal and each of some scenes, 0 to 1, shape (scenes,).
Likeness = Callable[[str, Sequence[str]], NDArray[np.float64]]
#: numpy's cosine depends on the processor.
_COSINE = np.frompyfunc(math.cos, 1, 1)


def likeness_by(embedder: Embedder) -> Likeness:
    """The similarity by the cosine of the embedder's vectors, clipped to 0 to 1."""
    def likeness(goal: str, scenes: Sequence[str]) -> NDArray[np.float64]:
        target = embedder.embed([' '.join(content_words(goal))])[0]
        cosines: NDArray[np.float64] = (embedder.embed(scenes) @ target).astype(np.float64)
        return np.clip(cosines, 0.0, 1.0)

    return likeness


@dataclass(frozen=True)
class Trust:
    """Weights of the parts of a picture.

    Attributes:
        least: weight at its edges; in the centre it is 1.
        weak: weight below which a look does not count, if the cell has a larger confidence.
    """

    least: float = 0.0
    weak: float = 0.0


@dataclass(frozen=True, eq=False)
class ValueMap:
    """Value and confidence of each cell, shape as the map's; both 0 where no look fell."""

    grid: OccupancyGrid
    value: NDArray[np.float64]
    confidence: NDArray[np.float64]

    @classmethod
    def of(cls, grid: OccupancyGrid, eyes: Sequence[Eye], likeness: Sequence[float],
           range_m: float, trust: Trust) -> 'ValueMap':
        """The value map of some looks, the earlier ones first.

        A cell at an angle a from the optical axis has the weight c = cos²(a / half · π/2). Then v
        ← (c·s + C·v) / (c + C) and C ← (c² + C²) / (c + C), with s for the similarity of the look.

        Args:
            grid: the map.
            eyes: viewpoints of the looks.
            likeness: similarity of each look and the goal.
            range_m: range of a look.
            trust: weights of the parts of a look.
        """
        made = cls(grid, np.zeros(grid.shape), np.zeros(grid.shape))
        for eye, alike in zip(eyes, likeness, strict=True):
            made._take(eye, alike, range_m, trust)
        return made

    @classmethod
    def of_search(cls, search: Search, likeness: Likeness, range_m: float,
                  trust: Trust) -> 'ValueMap':
        """The value map of a search so far; looks without words of the model do not count."""
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
        """The median value around a point, of cells that were looked at; 0 without any."""
        row, column = self.grid.cell_of(x, y)
        reach = int(radius_m / self.grid.resolution_m)
        top, left = max(0, row - reach), max(0, column - reach)
        window = (slice(top, row + reach + 1), slice(left, column + reach + 1))
        down, right = np.ogrid[:self.value[window].shape[0], :self.value[window].shape[1]]
        near = (down + top - row)**2 + (right + left - column)**2 <= reach * reach
        values = self.value[window][near & (self.confidence[window] > 0.0)]
        return float(np.median(values)) if values.size else 0.0
