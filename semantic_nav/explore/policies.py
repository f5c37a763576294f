"""The exploration policies, by their names."""

from collections.abc import Callable
from functools import cache

from semantic_nav.embed.registry import load_embedder
from semantic_nav.explore.apexnav_like import ApexNavLike
from semantic_nav.explore.likely_first import LikelyFirst
from semantic_nav.explore.nearest_frontier import NearestFrontier
from semantic_nav.explore.policy import ExplorationPolicy
from semantic_nav.explore.random_walk import RandomWalk
from semantic_nav.explore.sweeps import Sweeps
from semantic_nav.explore.value_map import Likeness, likeness_by
from semantic_nav.explore.vlfm_like import VlfmLike


@cache
def _by_meaning() -> Likeness:
    """Return what compares the meaning of words; it takes a while to load."""
    return likeness_by(load_embedder('minilm'))


#: Make a policy of how far a look counts in metres, and of the least gain of a view in m2.
POLICIES: dict[str, Callable[[float, float], ExplorationPolicy]] = {
    'sweep': Sweeps,
    'likely_first': LikelyFirst,
    'nearest_frontier': NearestFrontier,
    'random_walk': lambda *_: RandomWalk(),
    'vlfm_like': lambda range_m, gain_m2: VlfmLike(range_m, gain_m2, _by_meaning()),
    'apexnav_like': lambda range_m, gain_m2: ApexNavLike(range_m, gain_m2, _by_meaning()),
}
