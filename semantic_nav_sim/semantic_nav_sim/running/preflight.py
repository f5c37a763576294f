"""Checks before any process is started."""

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.goal_text import refusal_of
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.parameters import build
from semantic_nav_sim.detector.centernet import Detector
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.navigator.profile import NavigatorProfile
from semantic_nav_sim.processes import SimSettings
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.config import RobotConfig
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.shape import shape_of
from semantic_nav_sim.world.scene_cache import load_scene


def check_settings(settings: SimSettings) -> None:
    """Check that the simulator would start with these settings; the world is not read.

    Raises:
        ConfigError: a profile does not exist or is invalid, a number is out of range, or the
            detector is required but not installed.
    """
    if load_profile(ModelProfile, settings.model_profile).eyes.detector:
        Detector()
    load_profile(RobotProfile, settings.robot_profile)
    load_profile(NavigatorProfile, settings.navigator_profile)
    build(RobotConfig, {'world': settings.world, 'seed': settings.seed,
                        'profile': settings.robot_profile, 'people': settings.people,
                        'moving_doors': settings.moving_doors})
    shape_of(settings.body_shape)


def check_goal(settings: SimSettings, goal: str) -> None:
    """Check that the world exists, and that the robot would accept the goal.

    A generated world is generated here, if it is not in the cache yet.

    Raises:
        ConfigError: the goal is invalid, or the world does not exist.
    """
    refusal = refusal_of(goal, BeliefConfig().max_goal_chars)
    if refusal:
        raise ConfigError(f'the goal is refused: {refusal}')
    load_scene(settings.world)
