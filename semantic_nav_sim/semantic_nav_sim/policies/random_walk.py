"""The random policy: the least that any search must beat."""

import math
import random
from dataclasses import dataclass

import numpy as np

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.explore.policy import NextViews, Search
from semantic_nav.explore.viewpoints import Viewpoint

#: Number of drawn poses for each wanted one, since the robot may not stand at all of them.
_DRAWS = 4


@dataclass(frozen=True)
class RandomWalk:
    """Goes to random reachable poses, and never ends."""

    def next_views(self, search: Search) -> NextViews:
        """Random poses, which differ with every look."""
        grid, rows, columns = search.grid, *np.nonzero(np.isfinite(search.way_m))
        chance = random.Random(f'{len(search.done)} {search.robot}')
        views: list[Viewpoint] = []
        for _ in range(_DRAWS * search.views_wanted if rows.size else 0):
            index = chance.randrange(rows.size)
            row, column = int(rows[index]), int(columns[index])
            pose = Pose2D(grid.origin_x_m + (column + 0.5) * grid.resolution_m,
                          grid.origin_y_m + (row + 0.5) * grid.resolution_m,
                          chance.uniform(-math.pi, math.pi))
            if len(views) < search.views_wanted and search.may_stand(pose):
                views.append(Viewpoint(pose, 0.0, float(search.way_m[row, column]), 0.0))
        return NextViews(tuple(views), self)
