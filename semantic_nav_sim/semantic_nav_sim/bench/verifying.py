"""Cost of the verifier's verdicts on a large map, and errors of its groundings."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from statistics import quantiles

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import FREE, INSCRIBED, LETHAL, UNKNOWN, OccupancyGrid
from semantic_nav.show.table import Measure, at_most
from semantic_nav.verify.checks.attempts import Attempts
from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE, PLANNED, GoalPose, Rejection
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.floor.body import Met
from semantic_nav.verify.floor.localisation import Localisation
from semantic_nav.verify.floor.round_body import RoundBody
from semantic_nav.verify.floor.surroundings import Surroundings
from semantic_nav.verify.planning.exploring import new_exploration
from semantic_nav.verify.planning.stand_off import stand_off_poses
from semantic_nav.verify.tracking.findings import Findings
from semantic_nav_sim.bench import bearing_errors, grounding_errors

_CELLS, _RESOLUTION_M = 1000, 0.05
#: A square of rooms: distance between walls, thickness of a wall, width of a door, in cells.
_ROOM, _WALL, _DOOR = 100, 3, 30
#: Inflation of the costmap: radius of the robot in metres, and decay of the cost beyond it, per
#: metre.
_RADIUS_M, _SCALING = 0.22, 3.0
#: Number of cheap verdicts for each expensive one.
_FEWER = 10
#: Distance that the robot drives between two verdicts, in metres.
_STEP_M = 0.1
#: Edge of the corner of a costmap that an update changes, in cells.
_CORNER = 60
#: Radii of rings round a target; the second ring is the usual one, in metres.
_SMALL_RING_M, _USUAL_RING_M = (0.55, 0.595), (0.55, 0.9)
#: Length along either axis of a path across small cells, in metres.
_FINE_WAY_M = 10.0
_NOW = Now(10**9, 10**9, 10**9)
_CONFIG = VerifierConfig()


def measure(rounds: int, seed: int) -> list[Measure]:
    """Measure verdicts and groundings.

    Args:
        rounds: number of verdicts of each kind; a tenth as many after changes of the map.
        seed: of the map, the poses and the views.
    """
    return [*_verdict_measures(rounds, np.random.default_rng(seed)),
            *grounding_errors.measures(seed), *bearing_errors.measures(seed)]


def _verdict_measures(rounds: int, rng: np.random.Generator) -> list[Measure]:
    few = max(2, rounds // _FEWER)
    grid = rooms(rng)
    costmap = inflated(grid)
    robot = point(costmap, rng)
    known = known_of(grid, costmap, robot)
    goals = [point(costmap, rng) for _ in range(rounds)]
    judge(known, goals[0])
    poses = [Pose2D(robot.x + _STEP_M * math.cos(step), robot.y + _STEP_M * math.sin(step), 0.0)
             for step in range(rounds)]
    maps = [rooms(rng) for _ in range(few)]
    worlds = [(other, inflated(other)) for other in maps]
    return [
        at_most('pose verdict, map and costmap unchanged, p99 [ms]',
                _p99_ms(partial(judge, known, goal) for goal in goals), 2.0),
        at_most('the same while the robot drives, p99 [ms]',
                _p99_ms(partial(_judge_from, known, pose, goal)
                        for pose, goal in zip(poses, goals, strict=True)), 2.0),
        at_most('first pose verdict after another map and costmap, p95 [ms]',
                _p95_ms(partial(_judge_in, other, cost, robot, point(cost, rng))
                        for other, cost in worlds), 60.0),
        at_most('pose verdict after an update of a corner of the costmap, p95 [ms]',
                _p95_ms(_after_updates(known, goals[:few], rng)), 10.0),
        *(at_most(f'ring of {_candidates(ring_m)} stand-off candidates, p99 [ms]',
                  _p99_ms(partial(ring, known, goal, ring_m) for goal in goals), 10.0)
          for ring_m in (_SMALL_RING_M, _USUAL_RING_M)),
        at_most('path of 14 m of a round robot, cells of 1 cm, p95 [ms]',
                _p95_ms(partial(follow, floor, goal) for floor, goal in zip(
                    [fine_floor()] * few, goals, strict=False)), 50.0)]


# Measured calls

def judge(known: Surroundings, goal: Pose2D) -> Rejection | None:
    """The verdict on a pose, before Nav2 is asked."""
    return first_rejection(_situation(known), HERE, PLANNED, GoalPose.of(goal))


def ring(known: Surroundings, target: Pose2D, ring_m: tuple[float, float]) -> tuple[Pose2D, ...]:
    """The stand-off poses round a target."""
    robot = known.robot.pose
    assert robot is not None
    return stand_off_poses(_situation(known), (target.x, target.y), (robot.x, robot.y), *ring_m,
                           ())


def follow(floor: OccupancyGrid, goal: Pose2D) -> Met | None:
    """The obstacle that a round robot would meet on a way across part of the floor."""
    along_m = np.linspace(1.0, 1.0 + _FINE_WAY_M, 200)
    return RoundBody(floor, floor, Pose2D(1.0, 1.0, 0.0), _RADIUS_M).met_along(
        np.stack([along_m, along_m * (1.0 + 0.01 * math.sin(goal.yaw))], axis=1))


def fine_floor() -> OccupancyGrid:
    """A hall of small cells, with unknown floor beside the ways across."""
    cells = np.full((2000, 2000), FREE, np.int8)
    cells[:500, 800:] = UNKNOWN
    return OccupancyGrid(cells, 0.01, 0.0, 0.0, 'map', _NOW.clock_ns)


def _judge_from(known: Surroundings, robot: Pose2D, goal: Pose2D) -> Rejection | None:
    return judge(replace(known, robot=_at(robot)), goal)


def _judge_in(grid: OccupancyGrid, costmap: OccupancyGrid, robot: Pose2D,
              goal: Pose2D) -> Rejection | None:
    return judge(known_of(grid, costmap, robot), goal)


def _after_updates(known: Surroundings, goals: Iterable[Pose2D],
                   rng: np.random.Generator) -> Iterator[Callable[[], object]]:
    """Yield verdicts, each after a change in a corner of the costmap."""
    newest = [known]

    def take_and_judge(costmap: OccupancyGrid, goal: Pose2D) -> None:
        newest.append(newest.pop().with_costmap(costmap))
        judge(newest[-1], goal)

    assert known.costmap is not None
    for goal in goals:
        cells = known.costmap.cells.copy()
        row, column = rng.integers(0, _CORNER - _WALL, 2).tolist()
        cells[:_CORNER, :_CORNER] = FREE
        cells[row:row + _WALL, column:column + _WALL] = LETHAL
        yield partial(take_and_judge, _grid(cells), goal)


def _situation(known: Surroundings) -> Situation:
    return Situation(_NOW, _CONFIG, 'goal', known, Findings(), Attempts(), None, frozenset(),
                     new_exploration(_CONFIG), {})


def _candidates(ring_m: tuple[float, float]) -> int:
    near_m, far_m = ring_m
    return round(math.pi * (far_m**2 - near_m**2) / _RESOLUTION_M**2)


def _p99_ms(calls: Iterable[Callable[[], object]]) -> float:
    return quantiles(map(took_ms, calls), n=100)[98]


def _p95_ms(calls: Iterable[Callable[[], object]]) -> float:
    return quantiles(map(took_ms, calls), n=20)[18]


def took_ms(call: Callable[[], object]) -> float:
    """The thread time of a call, in ms, which excludes other load on the machine."""
    began_s = time.thread_time()
    call()
    return (time.thread_time() - began_s) * 1000.0


# The world

def rooms(rng: np.random.Generator) -> OccupancyGrid:
    """The map of a square of rooms, each with a door to each of its neighbours."""
    cells = np.full((_CELLS, _CELLS), FREE, np.int8)
    for wall in range(_ROOM, _CELLS, _ROOM):
        for along in range(0, _CELLS, _ROOM):
            for walls in (cells, cells.T):
                door = along + int(rng.integers(2 * _WALL, _ROOM - _DOOR - 2 * _WALL))
                walls[wall:wall + _WALL, along:along + _ROOM] = LETHAL
                walls[wall:wall + _WALL, door:door + _DOOR] = FREE
    return _grid(cells)


def inflated(grid: OccupancyGrid) -> OccupancyGrid:
    """The costmap of a map, as Nav2 inflates it."""
    away_m = ndimage.distance_transform_edt(grid.cells < LETHAL) * _RESOLUTION_M
    cost = (INSCRIBED - 1) * np.exp(-_SCALING * (away_m - _RADIUS_M))
    cells = np.where(away_m <= _RADIUS_M, INSCRIBED, cost).astype(np.int8)
    cells[grid.cells == LETHAL] = LETHAL
    return _grid(cells)


def known_of(grid: OccupancyGrid, costmap: OccupancyGrid, robot: Pose2D) -> Surroundings:
    """Surroundings without any earlier knowledge."""
    return Surroundings(_at(robot), grid).with_costmap(costmap)


def _at(robot: Pose2D) -> Localisation:
    return Localisation(robot, stamp_ns=_NOW.clock_ns, missing='')


def _grid(cells: NDArray[np.int8]) -> OccupancyGrid:
    return OccupancyGrid(cells, _RESOLUTION_M, 0.0, 0.0, 'map', _NOW.clock_ns)


def point(costmap: OccupancyGrid, rng: np.random.Generator) -> Pose2D:
    """A pose where the robot may stand."""
    free = np.argwhere(costmap.cells <= _CONFIG.clear_cost)
    row, column = free[int(rng.integers(len(free)))].tolist()
    return Pose2D(*costmap.centre_of(row, column), float(rng.uniform(-math.pi, math.pi)))
