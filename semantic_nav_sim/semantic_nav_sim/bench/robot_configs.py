"""Configurations of the product's parts for a case: body, search and ablation."""

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

#: Largest error in the distance of a target without depth.
_BEARINGS_ERR_M = 0.15


def configs_for(shape: Shape) -> dict[str, Any]:
    """The configurations of belief and verifier for a body, as an operator would set them.

    Stand-offs are measured from the robot's centre, so a robot that is not round adds the length
    of its nose.
    """
    verifier, belief = VerifierConfig(), BeliefConfig()
    longer_m = max(0.0, max((x for x, _ in shape.corners), default=0.0) - USUAL.radius_m)
    return {'belief': replace(belief, stand_off_m=belief.stand_off_m + longer_m),
            'verifier': replace(verifier.with_stand_offs(longer_m), **shape.told)}


def stand_off_m(options: Options) -> float:
    """The true distance to the target within which such a robot must stand."""
    told: float = configs_for(shape_of(options.body_shape))['belief'].stand_off_m
    return told


def configs_of(options: Options) -> dict[str, Any]:
    """The configurations of memory, belief and verifier, by the name of the part."""
    configs = configs_for(shape_of(options.body_shape))
    belief = replace(configs['belief'], **ABLATIONS[options.without])
    if load_profile(RobotProfile, options.robot_profile).camera.no_depth:
        belief = replace(belief, stand_off_m=belief.stand_off_m - _BEARINGS_ERR_M)
    return {'memory': MemoryConfig(embedder=options.embedder), 'belief': belief,
            'verifier': replace(configs['verifier'], policy=options.policy)}
