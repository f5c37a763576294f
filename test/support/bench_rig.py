"""The small world in simulated time, for the tests of the benchmark."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semantic_nav.client.running_demo import environment
from semantic_nav.contracts.blobs import FolderBlobs
from semantic_nav.journal.files import merge_journals
from semantic_nav_sim.bench.mission import Mission, Record, Setup
from semantic_nav_sim.bench.shell import SESSION
from semantic_nav_sim.judge import Judge, Ruling
from semantic_nav_sim.robot.frame_memory import FrameMemory
from semantic_nav_sim.robot.simulation import Simulation
from semantic_nav_sim.robot.truth import Truth

GOAL = 'find the red mug'
STAND_OFF_M = 1.2


@contextmanager
def cache_beside(world: str) -> Iterator[None]:
    """Keep what is compiled meanwhile beside a world's folder, not in the user's cache."""
    with environment(XDG_CACHE_HOME=str(Path(world).parent / 'cache')):
        yield


@dataclass
class Carried:
    """A mission that is over, and what it left.

    Attributes:
        folder: holds journal.jsonl, merged of all parts, and journal with the blobs.
        received: UUIDs of the motion goals that reached the navigator.
    """

    folder: Path
    record: Record
    ruling: Ruling
    received: list[str]
    model_calls: int

    @property
    def journal(self) -> Path:
        return self.folder / 'journal.jsonl'


def carry_out(folder: Path, world: str, seed: int, **setup: Any) -> Carried:
    """Carry a mission out in a home that the robot does not know, and keep everything."""
    journals = folder / 'journal'
    with cache_beside(world):
        simulation = Simulation(world, seed)
    try:
        mission = Mission(simulation, Setup(
            GOAL, seed, folder / 'memory.sqlite', journals / SESSION, mapping=True,
            blobs=FolderBlobs(journals / 'blobs'), **setup))
        try:
            record = mission.run(300.0)
        finally:
            mission.close()
        judge = Judge(Truth(simulation, FrameMemory(), lambda: 0).ask)
        ruling = judge.rule_any(judge.targets_of(GOAL), STAND_OFF_M)
    finally:
        simulation.close()
    done = Carried(folder, record, ruling, mission.navigator.received, mission.model.calls)
    merge_journals(journals, done.journal)
    return done
