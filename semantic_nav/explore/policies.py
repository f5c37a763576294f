"""The exploration policies, by their names."""

from collections.abc import Callable

from semantic_nav.explore.likely_first import LikelyFirst
from semantic_nav.explore.policy import ExplorationPolicy
from semantic_nav.explore.sweeps import Sweeps

#: A policy made of how far a look counts, in metres, and of the least gain of a view, in m2.
PolicyMaker = Callable[[float, float], ExplorationPolicy]
#: What the parameter `policy` may say. Another package may add its own, as semantic_nav_sim does.
POLICIES: dict[str, PolicyMaker] = {'sweep': Sweeps, 'likely_first': LikelyFirst}
