"""A case carried out by the informed search, which is a bound and no robot: see `informed`."""

import math
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.explore.overlooked import BLIND_M
from semantic_nav.explore.viewpoints import ExploreSettings
from semantic_nav_sim.bench.cases import Case
from semantic_nav_sim.bench.driven_way import room_crossings
from semantic_nav_sim.bench.informed import InformedSearch
from semantic_nav_sim.bench.likely_places import habit_of, places_of
from semantic_nav_sim.bench.optimal import open_floor, shortest_way_m
from semantic_nav_sim.bench.runs import Run, judgement
from semantic_nav_sim.bench.true_sight import TrueSight
from semantic_nav_sim.judge import Ruling, outline_of
from semantic_nav_sim.robot.base import BaseLimits
from semantic_nav_sim.world.floor_plan import floor_plan
from semantic_nav_sim.world.scene import Stage

#: Largest height of the bottom of an object that stands on the floor, in metres.
_FLOOR_M = 0.05


def bound_of(case: Case, number: int, stage: Stage, targets: Sequence[dict[str, Any]],
             stand_off_m: float) -> Run:
    """The run of a mission of the informed search.

    Args:
        case: goal and home.
        number: of the mission; the search remembers nothing of earlier ones.
        stage: the home as it stands.
        targets: objects of which any will do; empty if the target is absent.
        stand_off_m: distance to one of them that the robot must reach.
    """
    began, grid = time.perf_counter(), floor_plan(stage.scene)
    open_cells = open_floor(grid)
    habit = habit_of(case.goal, on_floor=any(_stands_on_floor(one) for one in targets))
    search = InformedSearch(grid, open_cells, places_of(habit, stage.scene, open_cells, grid),
                            TrueSight(stage.scene, grid, BLIND_M))
    at = np.array([one['position'][:2] for one in targets], np.float64).reshape(-1, 2)
    parts = np.array([point for one in targets for point in outline_of(one)], np.float64)
    walk, found = search.run(stage.start, parts.reshape(-1, 2))
    shortest_m = shortest_way_m(stage, targets, stand_off_m)
    left_m = shortest_way_m(stage, targets, stand_off_m, walk.pose)
    reached = found and math.isfinite(left_m)
    path_m = walk.way_m + (left_m if reached else 0.0)
    simulated_s = walk.time_s + (
        left_m / BaseLimits.speed_m_s + ExploreSettings.look_s if reached else 0.0)
    outcome = Outcome.ARRIVED if reached else Outcome.NOT_HERE
    words = f'seen after {walk.way_m:.1f} m' if found else 'nowhere in sight'
    ruling = Ruling(reached, words, None, walk.pose, 0, path_m, reached)
    return Run(
        **asdict(judgement(outcome, ruling, shortest_m, left_m, absent=not targets)),
        world=case.world, seed=case.seed, goal=case.goal, number=number, outcome=outcome.value,
        reason='computed on the true map', words=words, path_m=path_m, shortest_m=shortest_m,
        model_calls=0, refusals={}, collisions=0, goals_sent=0, unvetted=(),
        simulated_s=simulated_s, wall_s=time.perf_counter() - began,
        room_crossings=room_crossings(walk.points, stage.scene.world.rooms),
        options=case.options, driven=tuple(walk.points),
        stands=(walk.pose.x, walk.pose.y, walk.pose.yaw),
        target=(float(at[0, 0]), float(at[0, 1])) if len(at) else None)


def _stands_on_floor(target: dict[str, Any]) -> bool:
    return bool(target['position'][2] - target['size'][2] / 2 <= _FLOOR_M)
