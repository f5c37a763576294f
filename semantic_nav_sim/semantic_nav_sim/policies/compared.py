"""Policies of others for comparison; importing this module adds them to `POLICIES`."""

from functools import cache

from semantic_nav.embed.registry import load_embedder
from semantic_nav.explore.policies import POLICIES, PolicyMaker
from semantic_nav_sim.policies.apexnav_like import ApexNavLike
from semantic_nav_sim.policies.nearest_frontier import NearestFrontier
from semantic_nav_sim.policies.random_walk import RandomWalk
from semantic_nav_sim.policies.value_map import Likeness, likeness_by
from semantic_nav_sim.policies.vlfm_like import VlfmLike


@cache
def _by_meaning() -> Likeness:
    """A similarity by the meaning of words; it takes a while to load."""
    return likeness_by(load_embedder('minilm'))


COMPARED: dict[str, PolicyMaker] = {
    'nearest_frontier': NearestFrontier,
    'random_walk': lambda *_: RandomWalk(),
    'vlfm_like': lambda range_m, gain_m2: VlfmLike(range_m, gain_m2, _by_meaning()),
    'apexnav_like': lambda range_m, gain_m2: ApexNavLike(range_m, gain_m2, _by_meaning()),
}
POLICIES.update(COMPARED)
