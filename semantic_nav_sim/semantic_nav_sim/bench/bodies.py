"""The bodies that can carry out a mission, by name."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Protocol

from semantic_nav_sim.light.body import LightBody
from semantic_nav_sim.robot.body import Body
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.shape import Shape
from semantic_nav_sim.world.scene_cache import load_scene

FULL, LIGHT = 'full', 'light'
BODIES = (FULL, LIGHT)


class MakeBody(Protocol):
    """Factory that puts a fresh robot into a home."""

    def __call__(self, seed: int, *, profile: RobotProfile | None = None, people: int = 0,
                 moving_doors: bool = False, shape: Shape | None = None,
                 moved: float = 0.0, usual: bool = False) -> Body:
        """Return a body, which the caller must close; see `Body` and `stage`."""
        ...


@contextmanager
def open_home(world: str, kind: str = FULL) -> Iterator[MakeBody]:
    """Open a home. Bodies made in it are valid until it is closed.

    Args:
        world: name or path of the home.
        kind: of the bodies, one of BODIES.

    Raises:
        ConfigError: the world is invalid, or this machine cannot render.
    """
    scene = load_scene(world)
    if kind == LIGHT:
        yield partial(LightBody, scene)
        return
    # A light body needs neither MuJoCo nor OpenGL.
    from semantic_nav_sim.robot.simulation import Simulation
    from semantic_nav_sim.robot.studio import Studio
    studio = Studio(scene)
    try:
        yield partial(Simulation, studio)
    finally:
        studio.close()
