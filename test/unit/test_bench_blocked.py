"""A mission before a door that is shut for a while: the other room is waited for and looked at."""

from pathlib import Path

import pytest
from bench_rig import GOAL, STAND_OFF_M, cache_beside

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.verify.config import VerifierConfig
from semantic_nav_sim.bench.mission import Mission, Setup
from semantic_nav_sim.bench.shell import SESSION
from semantic_nav_sim.judge import Judge
from semantic_nav_sim.robot.frame_memory import FrameMemory
from semantic_nav_sim.robot.simulation import Simulation
from semantic_nav_sim.robot.truth import Truth
from semantic_nav_sim.world.floor_plan import floor_plan
from semantic_nav_sim.world.loading import load_world
from semantic_nav_sim.world.scene import build_scene

pytestmark = pytest.mark.slow

#: The mug stands in the other room, and the door shuts 25 s after the beginning for 28 s.
SEED, SHUT_FOR_S = 16, 28.0
#: The time at which missions begin, and some of it before, in which the door shuts.
_BEGIN_S, _BEFORE_S = 1000, 27


def test_room_behind_a_shut_door_is_waited_for(small_home: str, tmp_path: Path) -> None:
    with cache_beside(small_home):
        simulation = Simulation(small_home, SEED, moving_doors=True)
    try:
        for second in (_BEGIN_S - _BEFORE_S, _BEGIN_S):
            simulation.step(second * NS_PER_S)
        # Of the room it has seen enough before the door opens again.
        mission = Mission(simulation, Setup(
            GOAL, SEED, tmp_path / 'memory.sqlite', tmp_path / 'journal' / SESSION,
            saved=floor_plan(build_scene(load_world(small_home))),
            configs={'memory': MemoryConfig(embedder='hash'),
                     'verifier': VerifierConfig(min_gain_m2=3.0)}))
        try:
            record = mission.run(300.0)
        finally:
            mission.close()
        judge = Judge(Truth(simulation, FrameMemory(), lambda: 0).ask)
        ruling = judge.rule_any(judge.targets_of(GOAL), STAND_OFF_M)
    finally:
        simulation.close()
    assert record.belief is not None and record.belief.outcome is Outcome.ARRIVED
    assert record.simulated_s > SHUT_FOR_S
    assert ruling.reached and ruling.collisions == 0, ruling.words
