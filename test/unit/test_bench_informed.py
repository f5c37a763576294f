"""The bound: where a thing may lie, what is seen of it, and in which order it is looked for."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import small_world
from bench_runs import GOOD
from builders import Room

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.bench.block import Bars, block_of
from semantic_nav_sim.bench.cases import INFORMED, Case, Options, check_case
from semantic_nav_sim.bench.informed import InformedSearch
from semantic_nav_sim.bench.likely_places import LikelyPlaces, _shares, habit_of, places_of
from semantic_nav_sim.bench.missions import run_case
from semantic_nav_sim.bench.optimal import open_floor
from semantic_nav_sim.bench.true_sight import TrueSight
from semantic_nav_sim.world.floor_plan import floor_plan
from semantic_nav_sim.world.generator.habits import ROAMING_SUPPORTS, Habit
from semantic_nav_sim.world.loading import world_from
from semantic_nav_sim.world.scene import WorldScene, build_scene

START = Pose2D(1.0, 1.5, 0.0)


@pytest.fixture(scope='module')
def home() -> WorldScene:
    """Return the small home: its table stands in the north, its stool behind the door."""
    return build_scene(world_from(small_world.document()))


def places(home: WorldScene, habit: Habit) -> LikelyPlaces:
    grid = floor_plan(home)
    return places_of(habit, home, open_floor(grid), grid)


@pytest.mark.parametrize(('goal', 'kind', 'most'), [
    ('find the red mug', 'mug', 7), ('find the green mug', 'mug', 5),
    ('where is my backpack ?', 'backpack', 1), ('find the toy car', 'toy car', 1),
    ('find the unheard of', '', 1)])
def test_goal_is_sought_where_its_kind_is_laid(goal: str, kind: str, most: int) -> None:
    assert (habit_of(goal).kind, habit_of(goal).most) == (kind, most)


@pytest.mark.parametrize(('rooms', 'most', 'shares'), [
    (['a'], 7, [1.0]),
    (['a', 'a', 'b'], 1, [0.25, 0.25, 0.5]),
    (['a', 'a', 'b'], 2, [0.25, 0.25, 0.5]),
    (['a', 'a', 'b'], 7, [1 / 3, 1 / 3, 1 / 3]),
    (['a', 'a', 'a', 'b'], 3, [2 / 9, 2 / 9, 2 / 9, 1 / 3])])
def test_rooms_are_drawn_before_more_of_one_room(rooms: list[str], most: int,
                                                 shares: list[float]) -> None:
    assert _shares(rooms, most) == pytest.approx(shares)


def test_thing_may_lie_on_its_furniture_alone(home: WorldScene) -> None:
    found = places(home, Habit('mug', ('dining table', 'stool', 'piano')))
    on_table = np.abs(found.points - (2.3, 2.4)).max(axis=1) < 0.41
    on_stool = np.hypot(*(found.points - (4.5, 0.5)).T) < 0.3
    assert (on_table | on_stool).all()
    assert found.chances[on_table].sum() == pytest.approx(0.5)
    assert found.chances[on_stool].sum() == pytest.approx(0.5)
    in_den = places(home, Habit('mug', ('dining table', 'stool'), rooms=('den',)))
    assert len(in_den.points) == on_table.sum()
    assert not len(places(home, Habit('mug', ('piano',))).points)


def test_things_on_the_floor_lie_beside_something(home: WorldScene) -> None:
    found = places(home, Habit('ball', ('floor',), rooms=('store',)))
    assert len(found.points) > 10 and (found.points[:, 0] > 3.0).all()
    assert found.chances.sum() == pytest.approx(1.0)
    assert not (np.hypot(*(found.points - (4.0, 1.6)).T) < 0.3).any(), 'the middle is free'


@pytest.mark.parametrize(('point', 'seen'), [
    ((2.3, 2.4), True),         # on the table, over its edge
    ((3.5, 1.5), True),         # through the door
    ((3.6, 0.4), False),        # behind the wall beside it
    ((4.6, 1.5), False),        # through the door, too far
    ((0.3, 1.5), False)])       # behind the robot
def test_sight_ends_at_walls_and_its_range(home: WorldScene, point: tuple[float, float],
                                           seen: bool) -> None:
    sight = TrueSight(home, floor_plan(home), 3.5)
    yaw = math.atan2(point[1] - START.y, point[0] - START.x) if point[0] > 1.0 else 0.0
    assert bool(sight.seen(replace(START, yaw=yaw), np.array([point]))[0]) == seen
    assert not sight.seen(replace(START, yaw=yaw + 0.7), np.array([point]))[0], 'off the picture'


class Everywhere(TrueSight):
    """Sees what is near, whatever stands between."""

    def __init__(self, range_m: float) -> None:
        self._range_m, self._half_rad = range_m, 0.6

    def all_round(self, x, y, points):
        return np.hypot(*(points - (x, y)).T) <= self._range_m


def search(*places: tuple[float, float, float]) -> InformedSearch:
    """Return that of a room of 8 m by 6 m, with places and chances."""
    grid = Room().map()
    points = np.array(places)
    return InformedSearch(grid, open_floor(grid), LikelyPlaces(points[:, :2], points[:, 2]),
                          Everywhere(1.0))


MIDDLE = Pose2D(4.0, 3.0, 0.0)
NOWHERE = np.array([[100.0, 100.0]])


@pytest.mark.parametrize(('west', 'first'), [(0.9, -1), (0.5, 1)])
def test_likely_and_near_come_first(west: float, first: int) -> None:
    """The east is nearer, and before the robot."""
    walk, found = search((1.0, 3.0, west), (6.5, 3.0, 1.0 - west)).run(MIDDLE, NOWHERE)
    xs = np.array(walk.points)[:, 0] - 4.0
    assert not found and xs[np.abs(xs) > 0.6][0] * first > 0
    assert not walk.left.any(), 'it ends when all was seen'


def test_order_is_the_best_over_all_not_the_best_next() -> None:
    """What is a little nearer, and alone on its side, is left for the end."""
    walk, _ = search((2.35, 3.0, 0.25), (6.0, 3.0, 0.25), (7.2, 3.0, 0.25),
                     (7.2, 4.9, 0.25)).run(replace(MIDDLE, yaw=math.pi / 2), NOWHERE)
    xs = np.array(walk.points)[:, 0] - 4.0
    assert xs[np.abs(xs) > 0.6][0] > 0


def test_search_ends_where_the_target_comes_in_sight() -> None:
    """On the way, a metre before it: 1.5 m at 0.6 m/s after one look."""
    walk, found = search((7.0, 3.0, 1.0)).run(MIDDLE, np.array([[6.5, 3.0]]))
    assert found and walk.way_m == pytest.approx(1.5, abs=0.3)
    assert walk.time_s == pytest.approx(3.0 + walk.way_m / 0.6, abs=0.3)
    here, _ = search((7.0, 3.0, 1.0)).run(MIDDLE, np.array([[4.5, 3.0]]))
    assert here.way_m == 0.0 and here.time_s == 3.0


def test_missions_of_the_bound_are_judged_as_all_are(tmp_path: Path) -> None:
    folder = small_world.write_world(tmp_path / 'home')
    case = Case(world=str(folder), seed=small_world.SEED_STOOL, goal='find the red mug', runs=1,
                policy=INFORMED)
    check_case(case)
    (run,) = run_case(case, tmp_path / 'run')
    assert run.outcome == 'not_here' and run.false_not_here, 'no mug is ever laid on a stool'
    (run,) = run_case(replace(case, seed=small_world.SEED_TABLE), tmp_path / 'other')
    assert run.reached and run.shortest_m <= run.path_m < run.shortest_m + 2.0
    assert run.spl == pytest.approx(run.shortest_m / run.path_m) and run.options.policy == INFORMED


def test_table_of_the_bound_tells_only_what_there_is() -> None:
    runs = [replace(GOOD, options=Options(policy=INFORMED))]
    lines = {one.name: one for one in block_of(runs, Bars())}
    assert lines['SPL, first mission'].figure == 0.8
    assert all(one.bar == '' and one.holds is None for one in lines.values())
    assert not [name for name in lines if 'calls' in name or 'collisions' in name]
    assert len(lines) < len(block_of([GOOD], Bars()))


def test_roaming_things_are_laid_on_known_furniture() -> None:
    assert set(habit_of('the red mug').supports) == set(ROAMING_SUPPORTS)


def test_furniture_may_stand_in_any_room_and_a_part_of_it_is_enough(home: WorldScene) -> None:
    habit = habit_of('find the sofa', on_floor=True)
    points = places(home, habit).points
    assert all(any(room.contains(*point) for point in points) for room in home.world.rooms)
    assert habit_of('find the television').supports == ()
    assert len(places(home, habit_of('find the television')).points)


class FromCentres(Everywhere):
    """Sees from the middle of a cell alone; nobody looks so often."""

    looks = 0

    def all_round(self, x, y, points):
        self.looks += 1
        assert self.looks < 5000, 'it looks there for ever'
        seen = super().all_round(x, y, points)
        return seen if np.allclose(((x - 0.025) / 0.05, (y - 0.025) / 0.05),
                                   np.rint(((x - 0.025) / 0.05, (y - 0.025) / 0.05))) else (
            np.zeros_like(seen))


def test_view_from_where_it_stands_is_looked_at_once() -> None:
    grid = Room().map()
    places = LikelyPlaces(np.array([(4.6, 3.0)]), np.array([1.0]))
    aside = Pose2D(4.03, 3.03, 0.0)
    _, found = InformedSearch(grid, open_floor(grid), places, FromCentres(1.0)).run(
        aside, np.zeros((0, 2)))
    assert not found
