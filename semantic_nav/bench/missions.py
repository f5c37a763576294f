"""Missions in many homes: how many succeed, how straight the way, at what cost."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import mean, median
from typing import Any

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.goal_text import refusal_of
from semantic_nav.bench.bodies import FULL, MakeBody, open_home
from semantic_nav.bench.mission import Mission, Setup
from semantic_nav.bench.optimal import shortest_way_m
from semantic_nav.bench.shell import SESSION
from semantic_nav.bench.table import Measure, at_least, at_most
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.parameters import build
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.journals import audit, merge_journals
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.sim.judge import Judge, Ruling
from semantic_nav.sim.model.profile import ModelProfile
from semantic_nav.sim.navigator.profile import NavigatorProfile
from semantic_nav.sim.profiles import load_profile
from semantic_nav.sim.robot.config import RobotConfig
from semantic_nav.sim.robot.frame_memory import FrameMemory
from semantic_nav.sim.robot.profile import RobotProfile
from semantic_nav.sim.robot.shape import USUAL, Shape, shape_of
from semantic_nav.sim.robot.truth import Truth
from semantic_nav.sim.world.loading import GENERATED, load_world
from semantic_nav.verify.config import VerifierConfig

#: A second mission is worth its memory if its way is at most this share of the first.
SECOND_SHARE = 0.7
_LIMIT_SLACK_S = 30.0
#: Without depth a target may be so much farther off than it is measured to be.
_BEARINGS_ERR_M = 0.15


@dataclass(frozen=True)
class Case:
    """One home and one thing to find in it, once or twice.

    Attributes:
        world, seed: as the simulator takes them.
        goal: in words; names one object of the world, or nothing that it holds.
        runs: 1, or 2 for a second mission with the map and the memory of the first.
        model_profile, robot_profile, navigator_profile: what is wrong with each.
        people, moving_doors: who walks about, and whether doors close and open.
        embedder: of the memory.
        body: of the robot, one of `bodies.BODIES`.
        body_shape: of its base, see `shape_of`.
        policy: of the search, one of `POLICIES`.
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
    body: str = FULL
    body_shape: str = ''
    policy: str = VerifierConfig.policy


@dataclass(frozen=True)
class Judgement:
    """What an outcome is worth by the truth.

    Attributes:
        absent: the home holds nothing that the goal names.
        reached: the robot stands before the target, and says so.
        success: reached, or said not to be here where it is absent.
        honest: the robot did not claim to have arrived where it had not, nor that a target is not
            here that it could have reached.
        spl: success weighted by path length (Anderson et al., 2018, arXiv:1807.06757); None where
            it is undefined: nowhere to drive to, or there already at the start.
    """

    absent: bool
    reached: bool
    success: bool
    honest: bool
    spl: float | None


@dataclass(frozen=True)
class Run(Judgement):
    """What came of one mission.

    Attributes:
        path_m, shortest_m: driven, and the least that would have done; infinite where no way
            leads to the target, or there is none.
        goals_sent: how many motions were started.
        unvetted: UUIDs of motion goals without a verdict before them.
    """

    world: str
    seed: int
    goal: str
    number: int
    outcome: str
    reason: str
    words: str
    path_m: float
    shortest_m: float
    model_calls: int
    refusals: dict[str, int]
    collisions: int
    goals_sent: int
    unvetted: tuple[str, ...]
    simulated_s: float
    wall_s: float

    @property
    def case(self) -> tuple[str, int, str]:
        """Which case it belongs to."""
        return self.world, self.seed, self.goal

    @property
    def speed(self) -> float:
        """How many times faster than real time it was."""
        return self.simulated_s / self.wall_s


@dataclass
class Summary:
    """All runs so far.

    Attributes:
        left_out: how many cases nobody could judge.
    """

    runs: list[Run] = field(default_factory=list)
    left_out: int = 0

    def measures(self) -> list[Measure]:
        """Return the table."""
        first = [run for run in self.runs if run.number == 1]
        refusals: Counter[str] = Counter()
        for run in self.runs:
            refusals.update(run.refusals)
        shares = self._second_shares()
        absent = [run.success for run in first if run.absent]
        spls = [run.spl for run in first if run.spl is not None]
        table = [
            at_least('success, first mission [share]', mean(run.success for run in first), 0.8),
            *([Measure('success where the target is absent [share]', mean(absent))]
              if absent else []),
            Measure('SPL, first mission', mean(spls) if spls else math.nan),
            Measure('SPL undefined, first mission', len(first) - len(spls)),
            Measure('simulated time, first mission, median [s]',
                    median(run.simulated_s for run in first)),
            Measure('model calls, first mission, median',
                    median(run.model_calls for run in first)),
            at_least('says arrived and not here only where it is so [share]',
                     mean(run.honest for run in self.runs), 1.0),
            at_most('collisions a mission, mean', mean(run.collisions for run in self.runs), 0.5),
            at_most('unvetted goals', sum(len(run.unvetted) for run in self.runs), 0),
            Measure('times real time, median', median(run.speed for run in self.runs)),
            *([Measure('left out, for nobody could judge', self.left_out)]
              if self.left_out else []),
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
        """Return second way / first of each case in which both missions had somewhere to go."""
        second = {run.case: run for run in self.runs if run.number == 2}
        pairs = [(run, second[run.case]) for run in self.runs
                 if run.number == 1 and not run.absent and run.case in second]
        return [two.path_m / one.path_m if one.reached and two.reached else float('inf')
                for one, two in pairs]


def check_case(case: Case) -> None:
    """Make sure that a case can be carried out, as far as this shows without generating its world.

    Raises:
        ConfigError: a profile or the world does not exist, or a value is out of its range.
    """
    if case.world.partition(':')[0] != GENERATED:
        load_world(case.world)
    load_profile(ModelProfile, case.model_profile)
    load_profile(NavigatorProfile, case.navigator_profile)
    load_profile(RobotProfile, case.robot_profile)
    build(MemoryConfig, {'embedder': case.embedder})
    build(RobotConfig, {'people': case.people})
    shape_of(case.body_shape)
    refusal = refusal_of(case.goal, BeliefConfig().max_goal_chars)
    if refusal:
        raise ConfigError(f'the goal {case.goal[:60]!r} is refused: {refusal}')


def run_case(case: Case, folder: Path) -> Iterator[Run]:
    """Carry the missions of a case out.

    Args:
        case: what.
        folder: for journals and memory; is made, and must not be there yet.

    Raises:
        Ambiguous: the goal names several things; nothing was carried out.
        ConfigError: the world or a profile makes no sense.
    """
    folder.mkdir(parents=True)
    known: OccupancyGrid | None = None
    with open_home(case.world, case.body) as make_body:
        for number in range(1, case.runs + 1):
            run, known = _run(case, number, folder, known, make_body)
            yield run


def configs_for(shape: Shape) -> dict[str, Any]:
    """Return what belief and verifier are told of a body, as an operator would.

    Stand-offs are measured from the middle of the robot: the nose of one that is not round takes
    more.
    """
    verifier, belief = VerifierConfig(), BeliefConfig()
    longer_m = max(0.0, max((x for x, _ in shape.corners), default=0.0) - USUAL.radius_m)
    return {'belief': replace(belief, stand_off_m=belief.stand_off_m + longer_m),
            'verifier': replace(verifier, **shape.told, **{
                name: getattr(verifier, name) + longer_m for name in (
                    'stand_off_near_m', 'stand_off_best_m', 'stand_off_far_m',
                    'stand_off_last_m')})}


def _run(case: Case, number: int, folder: Path, known: OccupancyGrid | None,
         make_body: MakeBody) -> tuple[Run, OccupancyGrid]:
    journals, shape = folder / f'journal{number}', shape_of(case.body_shape)
    configs, profile = configs_for(shape), load_profile(RobotProfile, case.robot_profile)
    configs['verifier'] = replace(configs['verifier'], policy=case.policy)
    stand_off_m = configs['belief'].stand_off_m
    if profile.camera.no_depth:
        configs['belief'] = replace(configs['belief'],
                                    stand_off_m=stand_off_m - _BEARINGS_ERR_M)
    setup = Setup(
        case.goal, case.seed, folder / 'memory.sqlite', journals / SESSION,
        load_profile(ModelProfile, case.model_profile),
        load_profile(NavigatorProfile, case.navigator_profile), known, mapping=True,
        configs={'memory': MemoryConfig(embedder=case.embedder), **configs})
    body = make_body(case.seed, profile=profile, people=case.people,
                     moving_doors=case.moving_doors, shape=shape)
    try:
        truth = Truth(body, FrameMemory(), lambda: 0)
        judge = Judge(truth.ask)
        target = judge.target_if_there(case.goal)
        mission = Mission(body, setup)
        try:
            record = mission.run(BeliefConfig().time_limit_s + _LIMIT_SLACK_S)
        finally:
            mission.close()
        if target is None:
            ruling, shortest_m = judge.rule_without(), math.inf
        else:
            ruling = judge.rule(target, stand_off_m)
            shortest_m = shortest_way_m(body.stage, target, stand_off_m)
    finally:
        body.close()
    merged = folder / f'journal{number}.jsonl'
    merge_journals(journals, merged)
    goals = audit(merged, mission.navigator.received)
    belief = record.belief
    outcome = belief.outcome if belief is not None else None
    run = Run(
        **asdict(judgement(outcome, ruling, shortest_m, absent=target is None)),
        world=case.world, seed=case.seed, goal=case.goal, number=number,
        outcome=outcome.value if outcome is not None else 'timeout',
        reason=belief.reason if belief is not None else 'no belief came',
        words=ruling.words, path_m=ruling.driven_m, shortest_m=shortest_m,
        model_calls=mission.model.calls,
        refusals={code.value: count for code, count in sorted(record.refusals.items())},
        collisions=ruling.collisions, goals_sent=goals.sent, unvetted=goals.unvetted,
        simulated_s=record.simulated_s, wall_s=record.wall_s)
    return run, mission.robot.map


def judgement(outcome: Outcome | None, ruling: Ruling, shortest_m: float, *,
              absent: bool) -> Judgement:
    """Return what an outcome is worth by the truth.

    Args:
        outcome: what the robot says; None if it came to no end.
        ruling: how it truly stands.
        shortest_m: the shortest way to the target; infinite where none leads there.
        absent: there is no target.
    """
    arrived, not_here = outcome is Outcome.ARRIVED, outcome is Outcome.NOT_HERE
    reached = arrived and ruling.reached
    spl = None
    if 0.0 < shortest_m < math.inf:
        spl = reached * shortest_m / max(ruling.driven_m, shortest_m)
    return Judgement(
        absent, reached, success=reached or (absent and not_here),
        honest=not (arrived and not ruling.reached) and not (not_here and shortest_m < math.inf),
        spl=spl)


def describe(run: Run) -> str:
    """Return a run as one line."""
    mark = 'reached' if run.reached else 'rightly not found' if run.success else 'NOT REACHED'
    shortest = f'{run.shortest_m:.1f} m' if run.shortest_m < math.inf else 'no way'
    return (f'{run.world} seed {run.seed} mission {run.number}, {run.goal!r}: {mark}, '
            f'{run.outcome} ({run.reason}); {run.words}; {run.path_m:.1f} m driven of '
            f'{shortest}; {run.model_calls} calls, {run.collisions} collisions, '
            f'{len(run.unvetted)} unvetted; {run.simulated_s:.0f} s at {run.speed:.1f}x')


def cases_of(worlds: Sequence[str], seeds: Sequence[int], goals: Sequence[str],
             **options: str | int) -> list[Case]:
    """Return a case for each goal and seed: in the world of that number where it says `{seed}`."""
    return [Case(world.replace('{seed}', str(seed)), seed, goal,
                 **options)  # type: ignore[arg-type]
            for world in worlds for goal in goals for seed in seeds]
