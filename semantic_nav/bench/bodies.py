"""The bodies that a mission can be carried out with, by their names."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from semantic_nav.sim.robot.body import Body
from semantic_nav.sim.robot.profile import RobotProfile
from semantic_nav.sim.robot.simulation import Simulation
from semantic_nav.sim.robot.studio import Studio
from semantic_nav.sim.world.scene_cache import load_scene

FULL = 'full'
BODIES = (FULL,)


class MakeBody(Protocol):
    """Puts a fresh robot into a home."""

    def __call__(self, seed: int, *, profile: RobotProfile | None = None, people: int = 0,
                 moving_doors: bool = False) -> Body:
        """Return a body, which is its receiver's to close; see `Body`."""
        ...


@contextmanager
def open_home(world: str, kind: str = FULL) -> Iterator[MakeBody]:
    """Open a home; what makes bodies in it holds until it is closed.

    Args:
        world: its name or path.
        kind: of bodies, one of BODIES.

    Raises:
        ConfigError: the world is wrong, or nothing can be drawn on this machine.
    """
    studio = Studio(load_scene(world))

    def full(seed: int, *, profile: RobotProfile | None = None, people: int = 0,
             moving_doors: bool = False) -> Body:
        return Simulation(studio, seed, profile=profile, people=people,
                          moving_doors=moving_doors)

    try:
        yield full
    finally:
        studio.close()
