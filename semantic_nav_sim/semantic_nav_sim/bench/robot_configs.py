"""What the parts of the product are told of a case: of the robot, its search and what it lacks."""

from dataclasses import replace
from typing import Any

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.verify.config import VerifierConfig
from semantic_nav_sim.bench.ablations import ABLATIONS
from semantic_nav_sim.bench.cases import Options
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.shape import USUAL, Shape, shape_of

#: Without depth a target may be so much farther off than it is measured to be.
_BEARINGS_ERR_M = 0.15


def configs_for(shape: Shape) -> dict[str, Any]:
    """Return what belief and verifier are told of a body, as an operator would.

    Stand-offs are measured from the middle of the robot: the nose of one that is not round takes
    more.
    """
    verifier, belief = VerifierConfig(), BeliefConfig()
    longer_m = max(0.0, max((x for x, _ in shape.corners), default=0.0) - USUAL.radius_m)
    return {'belief': replace(belief, stand_off_m=belief.stand_off_m + longer_m),
            'verifier': replace(verifier.with_stand_offs(longer_m), **shape.told)}


def stand_off_m(options: Options) -> float:
    """Return how near to the target such a robot must stand, by the truth."""
    told: float = configs_for(shape_of(options.body_shape))['belief'].stand_off_m
    return told


def configs_of(options: Options) -> dict[str, Any]:
    """Return the configurations of memory, belief and verifier, by the name of the part."""
    configs = configs_for(shape_of(options.body_shape))
    belief = replace(configs['belief'], **ABLATIONS[options.without])
    if load_profile(RobotProfile, options.robot_profile).camera.no_depth:
        belief = replace(belief, stand_off_m=belief.stand_off_m - _BEARINGS_ERR_M)
    return {'memory': MemoryConfig(embedder=options.embedder), 'belief': belief,
            'verifier': replace(configs['verifier'], policy=options.policy)}
