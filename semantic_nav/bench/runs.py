"""What came of a mission, and what that is worth by the truth."""

import math
from dataclasses import dataclass, field

from semantic_nav.bench.cases import Options
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.sim.judge import Ruling


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
        options: with which robot, among whom.
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
    options: Options = field(default_factory=Options)

    @property
    def case(self) -> tuple[str, int, str]:
        """Which case it belongs to, whatever the robot."""
        return self.world, self.seed, self.goal

    @property
    def home(self) -> tuple[str, int]:
        """In which home it was, with everything in its place."""
        return self.world, self.seed

    @property
    def speed(self) -> float:
        """How many times faster than real time it was."""
        return self.simulated_s / self.wall_s


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
