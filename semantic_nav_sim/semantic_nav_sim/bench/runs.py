"""The result of a mission, and its judgement by the truth."""

import math
from dataclasses import dataclass, field

from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav_sim.bench.cases import Options
from semantic_nav_sim.judge import Ruling


@dataclass(frozen=True)
class Judgement:
    """The judgement of an outcome by the truth.

    Attributes:
        absent: the home holds nothing that the goal names.
        reached: the robot stands before the target, and says so.
        success: reached, or the robot says *not here* and the target is absent.
        honest: the robot claims neither a false arrival nor *not here* of a target that it could
            have reached.
        spl: success weighted by path length (Anderson et al., 2018, arXiv:1807.06757); None if
            undefined: no way to the target, or there already at the start.
        soft_spl: SPL with the covered share of the way to the target instead of success (Datta et
            al., 2020, arXiv:2009.03231), whatever the robot says.
        wrong_object: the robot says that it has arrived, in front of something else.
        false_not_here: the robot says *not here*, and could have reached the target.
    """

    absent: bool
    reached: bool
    success: bool
    honest: bool
    spl: float | None
    soft_spl: float | None
    wrong_object: bool
    false_not_here: bool


@dataclass(frozen=True)
class Run(Judgement):
    """The result of one mission.

    Attributes:
        options: the robot and its surroundings.
        path_m, shortest_m: length of the driven and of the shortest way; the latter is infinite if
            no way leads to the target, or there is none.
        goals_sent: number of motions that were started.
        unvetted: UUIDs of motion goals without a verdict before them.
        room_crossings: number of times that the driven way leads from one room to another.
        p_here: the robot's P(here) at the end; None if it states none.
        driven: points of the true way, in the map frame, in metres.
        stands: true final pose of the robot: x, y, yaw.
        target: x and y of the centre of the target; None if there is none.
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
    room_crossings: int
    options: Options = field(default_factory=Options)
    p_here: float | None = None
    driven: tuple[tuple[float, float], ...] = ()
    stands: tuple[float, float, float] | None = None
    target: tuple[float, float] | None = None

    @property
    def case(self) -> tuple[str, int, str]:
        """The case that it belongs to, whatever the robot."""
        return self.world, self.seed, self.goal

    @property
    def home(self) -> tuple[str, int]:
        """The home, with everything in its place."""
        return self.world, self.seed

    @property
    def speed(self) -> float:
        """The speed as a multiple of real time."""
        return self.simulated_s / self.wall_s


def judgement(outcome: Outcome | None, ruling: Ruling, shortest_m: float, left_m: float, *,
              absent: bool) -> Judgement:
    """The judgement of an outcome by the truth.

    Args:
        outcome: as the robot says; None if it came to no end.
        ruling: on the robot's true final pose.
        shortest_m: length of the shortest way to the target; infinite if there is none.
        left_m: length of the shortest way that was left at the end; not used if it was reached.
        absent: whether there is no target.
    """
    arrived, not_here = outcome is Outcome.ARRIVED, outcome is Outcome.NOT_HERE
    reached, reachable = arrived and ruling.reached, shortest_m < math.inf
    spl = soft_spl = None
    if reachable and shortest_m > 0.0:
        straight = shortest_m / max(ruling.driven_m, shortest_m)
        spl = reached * straight
        left_m = 0.0 if ruling.reached else left_m
        soft_spl = max(0.0, 1.0 - left_m / shortest_m) * straight
    return Judgement(
        absent, reached, success=reached or (absent and not_here),
        honest=not (arrived and not ruling.reached) and not (not_here and reachable),
        spl=spl, soft_spl=soft_spl,
        wrong_object=arrived and not ruling.reached and not ruling.near,
        false_not_here=not_here and reachable)


def describe(run: Run) -> str:
    """Format a run as one line."""
    mark = 'reached' if run.reached else 'rightly not found' if run.success else 'NOT REACHED'
    shortest = f'{run.shortest_m:.1f} m' if run.shortest_m < math.inf else 'no way'
    return (f'{run.world} seed {run.seed} mission {run.number}, {run.goal!r}: {mark}, '
            f'{run.outcome} ({run.reason}); {run.words}; {run.path_m:.1f} m driven of '
            f'{shortest}; {run.model_calls} calls, {run.collisions} collisions, '
            f'{len(run.unvetted)} unvetted; {run.simulated_s:.0f} s at {run.speed:.1f}x')
