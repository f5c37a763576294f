"""What the light body costs in missions, and how fast they are as a whole."""

import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.show.table import Measure, at_least
from semantic_nav_sim.bench.mission import Mission, Setup
from semantic_nav_sim.bench.shell import SESSION
from semantic_nav_sim.light.body import LightBody
from semantic_nav_sim.robot.body import Depth, Frame, Snapshot
from semantic_nav_sim.robot.sightings import Sighting
from semantic_nav_sim.world.scene_cache import load_scene

#: How many times faster than real time the body alone must be.
_BAR = 200.0


class TimedBody(LightBody):
    """A light body that knows what it cost.

    Attributes:
        cost_s: time of a core that moving and measuring took.
    """

    cost_s = 0.0

    @contextmanager
    def _timed(self) -> Iterator[None]:
        began_s = time.thread_time()
        yield
        self.cost_s += time.thread_time() - began_s

    def step(self, now_ns: int) -> Snapshot:
        """See `Body`."""
        with self._timed():
            return super().step(now_ns)

    def scan(self) -> tuple[Snapshot, NDArray[np.float32]]:
        """See `Body`."""
        with self._timed():
            return super().scan()

    def frame(self, camera: str = '') -> Frame:
        """See `Body`."""
        with self._timed():
            return super().frame(camera)

    def depth(self, camera: str = '') -> 'Future[Depth]':
        """See `Body`."""
        with self._timed():
            return super().depth(camera)

    def sightings(self, then: Snapshot, camera: str = '') -> list[Sighting]:
        """See `Body`."""
        with self._timed():
            return super().sightings(then, camera)


def measure(world: str, goal: str, rounds: int, seed: int) -> list[Measure]:
    """Carry missions out, one after the other in this process.

    Args:
        world: their homes, in whose name `{seed}` stands for the seed.
        goal: what to find there.
        rounds: how many missions, each with a seed of its own.
        seed: the first one.

    Raises:
        ConfigError: there is no such home.
    """
    told = [_speeds(world.replace('{seed}', str(home)), goal, home)
            for home in range(seed, seed + rounds)]
    alone, whole = zip(*told, strict=True)
    return [at_least('light body alone, simulated seconds to one of a core, median',
                     median(alone), _BAR),
            Measure('the same of the slowest home', min(alone)),
            Measure('whole mission with it, simulated seconds to one of a core, median',
                    median(whole))]


def _speeds(world: str, goal: str, seed: int) -> tuple[float, float]:
    """Return how much faster than real time a mission's body is alone, and the whole mission."""
    body = TimedBody(load_scene(world), seed)
    with TemporaryDirectory() as folder:
        mission = Mission(body, Setup(goal, seed, Path(folder) / 'memory.sqlite',
                                      Path(folder) / SESSION, mapping=True))
        began_s = time.thread_time()
        try:
            simulated_s = mission.run(BeliefConfig().time_limit_s).simulated_s
        finally:
            mission.close()
    return simulated_s / body.cost_s, simulated_s / (time.thread_time() - began_s)
