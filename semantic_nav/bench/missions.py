"""Missions in many homes: how many succeed, how straight the way, at what cost."""

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.bench.mission import Mission, Record, Setup
from semantic_nav.bench.optimal import shortest_way_m
from semantic_nav.bench.shell import SESSION
from semantic_nav.bench.table import Measure, at_least, at_most
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.journals import audit, merge_journals
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.sim.judge import Judge, Ruling
from semantic_nav.sim.model.profile_loading import load_profile as load_model_profile
from semantic_nav.sim.navigator.faults import load_faults
from semantic_nav.sim.robot.frame_memory import FrameMemory
from semantic_nav.sim.robot.profile_loading import load_profile as load_robot_profile
from semantic_nav.sim.robot.simulation import Simulation
from semantic_nav.sim.robot.truth_server import Truth

#: A second mission is worth its memory if its way is at most this share of the first.
SECOND_SHARE = 0.7
_LIMIT_SLACK_S = 30.0


@dataclass(frozen=True)
class Case:
    """One home and one thing to find in it, once or twice.

    Attributes:
        world, seed: as the simulator takes them.
        goal: in words; names one object of the world.
        runs: 1, or 2 for a second mission with the map and the memory of the first.
        model_profile, robot_profile, navigator_profile: what is wrong with each.
        people, moving_doors: who walks about, and whether doors close and open.
        embedder: of the memory.
    """

    world: str
    seed: int
    goal: str
    runs: int = 2
    model_profile: str = 'default'
    robot_profile: str = 'default'
    navigator_profile: str = 'default'
    people: int = 0
    moving_doors: bool = False
    embedder: str = 'minilm'


@dataclass(frozen=True)
class Run:
    """What came of one mission.

    Attributes:
        reached: by the truth, and the robot says so.
        honest: it did not claim to have arrived where it had not.
        path_m, shortest_m: driven, and the least that would have done.
        spl: success weighted by path length (Anderson et al., 2018, arXiv:1807.06757).
        unvetted: UUIDs of motion goals without a verdict before them.
    """

    world: str
    seed: int
    number: int
    outcome: str
    reason: str
    reached: bool
    honest: bool
    words: str
    path_m: float
    shortest_m: float
    spl: float
    model_calls: int
    refusals: dict[str, int]
    collisions: int
    goals: int
    unvetted: tuple[str, ...]
    simulated_s: float
    wall_s: float

    @property
    def speed(self) -> float:
        """How many times faster than real time it was."""
        return self.simulated_s / self.wall_s


@dataclass
class Summary:
    """All runs so far."""

    runs: list[Run] = field(default_factory=list)

    def measures(self) -> list[Measure]:
        """Return the table."""
        first = [run for run in self.runs if run.number == 1]
        refusals: Counter[str] = Counter()
        for run in self.runs:
            refusals.update(run.refusals)
        shares = self._second_shares()
        table = [
            at_least('success, first mission [share]', mean(run.reached for run in first), 0.8),
            Measure('SPL, first mission', mean(run.spl for run in first)),
            Measure('simulated time, first mission, median [s]',
                    median(run.simulated_s for run in first)),
            Measure('model calls, first mission, median',
                    median(run.model_calls for run in first)),
            at_least('says arrived only where it has [share]',
                     mean(run.honest for run in self.runs), 1.0),
            at_most('collisions a mission, mean', mean(run.collisions for run in self.runs), 0.5),
            at_most('unvetted goals', sum(len(run.unvetted) for run in self.runs), 0),
            at_least('times real time, median', median(run.speed for run in self.runs), 10),
        ]
        if shares:
            good = mean(share <= SECOND_SHARE for share in shares)
            table += [
                at_least(f'second way <= {SECOND_SHARE} of the first [share]', good, 0.7),
                Measure('second way / first, median', median(shares)),
            ]
        return table + [Measure(f'refusals {code}', count)
                        for code, count in sorted(refusals.items())]

    def _second_shares(self) -> list[float]:
        """Return second way / first of each case in which both missions were carried out."""
        second = {(run.world, run.seed): run for run in self.runs if run.number == 2}
        pairs = [(run, second[run.world, run.seed]) for run in self.runs
                 if run.number == 1 and (run.world, run.seed) in second]
        return [two.path_m / one.path_m if one.reached and two.reached else float('inf')
                for one, two in pairs]


def run_case(case: Case, folder: Path) -> Iterator[Run]:
    """Carry the missions of a case out.

    Args:
        case: what.
        folder: for journals and memory; what lies there of an earlier run goes.

    Raises:
        ConfigError: the world, a profile or the goal makes no sense.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    known: OccupancyGrid | None = None
    for number in range(1, case.runs + 1):
        run, known = _run(case, number, folder, known)
        yield run


def _run(case: Case, number: int, folder: Path,
         known: OccupancyGrid | None) -> tuple[Run, OccupancyGrid]:
    journals = folder / f'journal{number}'
    setup = Setup(
        case.goal, case.seed, folder / 'memory.sqlite', journals / SESSION,
        load_model_profile(case.model_profile), load_faults(case.navigator_profile), known,
        mapping=True,
        configs={'memory': MemoryConfig(embedder=case.embedder)})
    simulation = Simulation(
        case.world, case.seed, profile=load_robot_profile(case.robot_profile),
        people=case.people, moving_doors=case.moving_doors)
    try:
        truth = Truth(simulation, FrameMemory(), lambda: 0)
        judge = Judge(truth.ask)
        target = judge.target_of(case.goal)
        stand_off_m = BeliefConfig().stand_off_m
        mission = Mission(simulation, setup)
        try:
            record = mission.run(BeliefConfig().time_limit_s + _LIMIT_SLACK_S)
        finally:
            mission.close()
        ruling = judge.rule(target, stand_off_m)
        shortest_m = shortest_way_m(simulation.stage, target, stand_off_m)
    finally:
        simulation.close()
    merged = folder / f'journal{number}.jsonl'
    merge_journals(journals, merged)
    goals = audit(merged, mission.navigator.received)
    return _summary(case, number, record, ruling, shortest_m, mission.model.calls, goals.sent,
                    goals.unvetted), mission.body.map


def _summary(case: Case, number: int, record: Record, ruling: Ruling, shortest_m: float,
             calls: int, sent: int, unvetted: tuple[str, ...]) -> Run:
    belief = record.belief
    arrived = belief is not None and belief.outcome is Outcome.ARRIVED
    reached = arrived and ruling.reached
    return Run(
        case.world, case.seed, number,
        belief.outcome.value if belief is not None and belief.outcome is not None else 'timeout',
        belief.reason if belief is not None else 'no belief came', reached,
        ruling.reached or not arrived, ruling.words, ruling.driven_m, shortest_m,
        reached * shortest_m / max(ruling.driven_m, shortest_m, 1e-9), calls,
        {code.value: count for code, count in sorted(record.refusals.items())},
        ruling.collisions, sent, unvetted, record.simulated_s, record.wall_s)


def describe(run: Run) -> str:
    """Return a run as one line."""
    mark = 'reached' if run.reached else 'NOT REACHED'
    return (f'{run.world} seed {run.seed} mission {run.number}: {mark}, {run.outcome} '
            f'({run.reason[:60]}); {run.words}; {run.path_m:.1f} m driven of '
            f'{run.shortest_m:.1f} m; {run.model_calls} calls, {run.collisions} collisions, '
            f'{len(run.unvetted)} unvetted; {run.simulated_s:.0f} s at {run.speed:.1f}x')


def cases_of(worlds: Sequence[str], seeds: Sequence[int], goal: str, **options: str | int,
             ) -> list[Case]:
    """Return a case for each seed: in the world of that number where the world says `{seed}`."""
    return [Case(world.format(seed=seed), seed, goal, **options)  # type: ignore[arg-type]
            for world in worlds for seed in seeds]
