"""A short mission with each profile of faults: arrival by the truth, or an honest give-up.

For each change there are some of the profiles, in the night all.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pytest
from nightly import some

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.cli.replay import replay
from semantic_nav.contracts.blobs import FolderBlobs
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Code, Outcome, Source
from semantic_nav.journal.cores import PARTS
from semantic_nav.journal.files import audit, merge_journals
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav_sim.bench.mission import Mission, Record, Setup
from semantic_nav_sim.bench.shell import SESSION
from semantic_nav_sim.judge import Judge
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.navigator.profile import NavigatorProfile
from semantic_nav_sim.profile_files import profile_names
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.frame_memory import FrameMemory
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.simulation import Simulation
from semantic_nav_sim.robot.studio import Studio
from semantic_nav_sim.robot.truth import Truth
from semantic_nav_sim.world.floor_plan import floor_plan
from semantic_nav_sim.world.scene_cache import load_scene

WORLD, GOAL = 'apartment', 'find the red mug'
#: Seeds: without faults the target is found with the first after three looks and as many metres,
#: with the second after ten looks and several goals.
SHORT, LONG = 5, 4
#: Profiles of a server that never gives a reply.
SILENT = ('down', 'http_404', 'http_500')
#: Those of a server that lets one wait for each reply.
LATE = ('hang', 'slow', 'slow_tokens', 'stall')
#: Profiles of a navigator that does not drive, so that no fault of the robot would show.
STANDING = ('planner_dead', 'rejects')
#: Tight, so that each mission takes some seconds.
BUDGETS = {'time_limit_s': 120.0, 'model_calls_limit': 8, 'unusable_looks_limit': 3,
           'refusals_limit': 6, 'waits_limit': 6}


@dataclass(frozen=True)
class Found:
    """What came of a mission.

    Attributes:
        reached: by the truth.
        goals: how many motion goals the navigator received.
    """

    record: Record
    reached: bool
    words: str
    goals: int

    @property
    def outcome(self) -> Outcome | None:
        assert self.record.belief is not None
        return self.record.belief.outcome

    @property
    def reason(self) -> str:
        assert self.record.belief is not None
        return self.record.belief.reason


@pytest.fixture(scope='module')
def studio() -> Iterator[Studio]:
    """Return where the home of all missions is drawn."""
    opened = Studio(load_scene(WORLD))
    yield opened
    opened.close()


@pytest.fixture(scope='module')
def plan(studio: Studio) -> OccupancyGrid:
    """Return the map that the robot is given."""
    return floor_plan(studio.scene)


Carrier = Callable[..., Found]


@pytest.fixture
def carried_out(tmp_path: Path, studio: Studio, plan: OccupancyGrid) -> Carrier:
    """Return what carries a mission out and makes sure of what must hold of every one."""
    def carry_out(seed: int, model: str = 'none', robot: str = 'none', navigator: str = 'none', *,
                  people: int = 0, moving_doors: bool = False, tool_rounds: int = 0,
                  **budgets: float) -> Found:
        journals, blobs = tmp_path / 'journal', FolderBlobs(tmp_path / 'journal' / 'blobs')
        simulation = Simulation(studio, seed, profile=load_profile(RobotProfile, robot),
                                people=people, moving_doors=moving_doors)
        try:
            judge = Judge(Truth(simulation, FrameMemory(), lambda: 0).ask)
            targets = judge.targets_of(GOAL)
            belief = BeliefConfig(**{**BUDGETS, **budgets})
            mission = Mission(simulation, Setup(
                GOAL, seed, tmp_path / 'memory.sqlite', journals / SESSION,
                load_profile(ModelProfile, model), load_profile(NavigatorProfile, navigator), plan,
                blobs=blobs, configs={
                    'belief': belief, 'memory': MemoryConfig(embedder='hash'),
                    'hypothesis': HypothesisConfig(tool_rounds=tool_rounds)}))
            try:
                record = mission.run(belief.time_limit_s + 30.0)
            finally:
                mission.close()
            ruling, end = judge.rule_any(targets, belief.stand_off_m), mission.robot.snapshot
        finally:
            simulation.close()
        received = mission.navigator.received
        found = Found(record, ruling.reached, ruling.words, len(received))
        print(found.outcome, found.reason, ruling.words, dict(record.refusals), found.goals)
        assert found.outcome in (Outcome.ARRIVED, Outcome.GAVE_UP, Outcome.NOT_HERE)
        assert found.reached or found.outcome is not Outcome.ARRIVED, 'it has not arrived'
        assert (end.speed_m_s, end.turn_rad_s) == pytest.approx((0.0, 0.0), abs=0.01)
        merge_journals(journals, tmp_path / 'journal.jsonl')
        assert audit(tmp_path / 'journal.jsonl', received).unvetted == ()
        for node in PARTS:
            assert set(replay(journals / SESSION / f'{node}.jsonl', node,
                              journals / 'blobs')) == {None}, node
        return found

    return carry_out


#: A detector needs pixels, which a light body does not draw, and weights that nothing fetches.
MODELS = [one for one in profile_names('model') if not load_profile(
    ModelProfile, one).eyes.detector]
#: One of each sort for each change: what the transport does has unit tests of its own.
MODELS_EACH_TIME = ['none', 'harsh', 'garbage', 'down', 'contradiction']
ROBOTS_EACH_TIME = ['harsh', 'localisation_jump', 'late_frames']


@pytest.mark.parametrize('profile', some(MODELS_EACH_TIME, MODELS))
def test_faults_of_the_model(profile: str, carried_out: Carrier) -> None:
    # A silent model is waited for until the time is used up.
    limit_s = 60.0 if profile in LATE else 30.0
    found = carried_out(SHORT, model=profile, time_limit_s=limit_s)
    if profile == 'none':
        assert found.outcome is Outcome.ARRIVED
    elif profile in SILENT:
        assert found.outcome is Outcome.GAVE_UP
        assert found.reason.startswith('the time is used up (30 s); the model has not answered')
    elif profile == 'garbage':
        assert found.outcome is Outcome.GAVE_UP
        assert 'PARSE_FAIL' in found.reason
        assert found.record.sources == {Source.FALLBACK: BUDGETS['unusable_looks_limit']}


@pytest.mark.parametrize('profile', some(['wrong_arguments'], [
    'tools', 'unknown_tools', 'wrong_arguments']))
def test_a_model_that_uses_tools(profile: str, carried_out: Carrier) -> None:
    found = carried_out(SHORT, model=profile, tool_rounds=2)
    assert found.outcome is Outcome.ARRIVED


def pairs() -> list[tuple[str, str]]:
    """Return each profile of the robot with one of the navigator, in turn; none is left out."""
    driving = [one for one in profile_names('navigator') if one not in STANDING]
    robots = some(ROBOTS_EACH_TIME, profile_names('robot'))
    return [*zip(robots, cycle(driving)), *(('none', one) for one in STANDING)]


@pytest.mark.parametrize(('robot', 'navigator'), pairs())
def test_faults_of_robot_and_navigator(robot: str, navigator: str, carried_out: Carrier) -> None:
    waits = navigator == 'planner_dead'
    found = carried_out(LONG, robot=robot, navigator=navigator,
                        model_calls_limit=20 if waits else 8)
    if waits:
        assert found.reason.startswith('a part was missing 6 times in a row; the last: NAV_UNAV')
        assert found.record.refusals == {Code.NAV_UNAVAILABLE: 6}


def test_people_who_walk_about(carried_out: Carrier) -> None:
    carried_out(LONG, people=3)


def test_doors_that_move(carried_out: Carrier) -> None:
    carried_out(LONG, moving_doors=True)
