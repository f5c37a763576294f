"""Processor time of the light body in missions, and speed of whole missions with it."""

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

#: Least speed of the body alone, as a multiple of real time.
_BAR = 200.0


class TimedBody(LightBody):
    """A light body that measures its own processor time.

    Attributes:
        cost_s: thread time that motion and sensing took.
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
    """Carry out missions one after the other in this process.

    Args:
        world: of the missions; `{seed}` in it stands for the seed.
        goal: in words.
        rounds: number of missions, each with a seed of its own.
        seed: of the first mission; each further one adds 1.

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
    """Speed over real time of the body alone, and of the whole mission."""
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
