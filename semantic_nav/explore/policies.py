"""The exploration policies, by their names."""

from collections.abc import Callable

from semantic_nav.explore.likely_first import LikelyFirst
from semantic_nav.explore.nearest_frontier import NearestFrontier
from semantic_nav.explore.policy import ExplorationPolicy
from semantic_nav.explore.random_walk import RandomWalk
from semantic_nav.explore.sweeps import Sweeps

#: Make a policy of how far a look counts in metres, and of the least gain of a view in m2.
POLICIES: dict[str, Callable[[float, float], ExplorationPolicy]] = {
    'sweep': Sweeps,
    'likely_first': LikelyFirst,
    'nearest_frontier': NearestFrontier,
    'random_walk': lambda *_: RandomWalk(),
}
