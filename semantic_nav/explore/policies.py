"""The exploration policies by name."""

from collections.abc import Callable

from semantic_nav.explore.likely_first import LikelyFirst
from semantic_nav.explore.policy import ExplorationPolicy
from semantic_nav.explore.sweeps import Sweeps

#: Makes a policy from the range of a look in m and the least gain of a view in m2.
PolicyMaker = Callable[[float, float], ExplorationPolicy]
#: Values of the parameter `policy`. Another package may add its own, as semantic_nav_sim does.
POLICIES: dict[str, PolicyMaker] = {'sweep': Sweeps, 'likely_first': LikelyFirst}
