"""The result of a mission by the truth, however it was carried out."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from semantic_nav.contracts.documents import Belief
from semantic_nav.journal.files import Audit
from semantic_nav_sim.bench.cases import Case
from semantic_nav_sim.bench.driven_way import Point, room_crossings
from semantic_nav_sim.bench.labels import fitting
from semantic_nav_sim.bench.optimal import shortest_way_m
from semantic_nav_sim.bench.robot_configs import stand_off_m
from semantic_nav_sim.bench.runs import Run, judgement
from semantic_nav_sim.judge import Judge, Ruling
from semantic_nav_sim.world.description import WorldDescription
from semantic_nav_sim.world.scene import Stage

Json = dict[str, Any]


def targets_of(case: Case, truth: Callable[[str], Any], world: WorldDescription) -> list[Json]:
    """The objects of which any will do for the goal; empty if the target is absent.

    Args:
        case: with the goal.
        truth: answers 'world', see `Judge`.
        world: of the case.

    Raises:
        Unjudged: the goal has no label and names no known kind of thing.
    """
    if case.fits is not None:
        return fitting(case.fits, truth('world')['objects'], world)
    return Judge(truth).targets_of(case.goal)


@dataclass(frozen=True)
class Standing:
    """The robot's final position relative to the target.

    Attributes:
        ruling: on the final pose and the target.
        shortest_m, left_m: length of the shortest way to the target, from the start and from the
            final pose; infinite if there is none.
        absent: whether there is no target.
    """

    ruling: Ruling
    shortest_m: float
    left_m: float
    absent: bool

    @classmethod
    def of(cls, case: Case, judge: Judge, targets: Sequence[Json], stage: Stage) -> Self:
        """Measure it, while the simulator still runs."""
        near_m = stand_off_m(case)
        ruling, shortest_m, left_m = judge.rule_any(targets, near_m), math.inf, math.inf
        if targets:
            shortest_m = shortest_way_m(stage, targets, near_m)
            left_m = shortest_way_m(stage, targets, near_m, ruling.robot)
        return cls(ruling, shortest_m, left_m, not targets)


@dataclass(frozen=True)
class Carried:
    """A mission that is over.

    Attributes:
        belief: the last one; None if none came.
        refusals: number of verdicts with each code but OK.
        goals: audit of the motion goals and the verdicts before them.
        driven: points of the true way.
    """

    belief: Belief | None
    refusals: dict[str, int]
    model_calls: int
    goals: Audit
    driven: Sequence[Point]
    simulated_s: float
    wall_s: float


def run_of(case: Case, number: int, carried: Carried, standing: Standing,
           world: WorldDescription) -> Run:
    """The run of a finished mission."""
    belief, ruling = carried.belief, standing.ruling
    outcome = belief.outcome if belief is not None else None
    return Run(
        **asdict(judgement(outcome, ruling, standing.shortest_m, standing.left_m,
                           absent=standing.absent)),
        world=case.world, seed=case.seed, goal=case.goal, number=number,
        outcome=outcome.value if outcome is not None else 'timeout',
        reason=belief.reason if belief is not None else 'no belief came',
        words=ruling.words, path_m=ruling.driven_m, shortest_m=standing.shortest_m,
        model_calls=carried.model_calls, refusals=carried.refusals,
        collisions=ruling.collisions, goals_sent=carried.goals.sent,
        unvetted=carried.goals.unvetted, simulated_s=carried.simulated_s, wall_s=carried.wall_s,
        room_crossings=room_crossings(carried.driven, world.rooms), options=case.options,
        p_here=belief.p_here if belief is not None else None,
        driven=tuple(carried.driven), stands=(ruling.robot.x, ruling.robot.y, ruling.robot.yaw),
        target=ruling.target[:2] if ruling.target is not None else None)
