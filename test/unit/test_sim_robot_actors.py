"""People who walk and doors that move: seeded, in free space, never into the robot."""

import math

import numpy as np
import pytest
import small_world

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.robot.actors import Actors, Surroundings
from semantic_nav_sim.robot.base import Base, BaseLimits
from semantic_nav_sim.robot.lidar import Lidar
from semantic_nav_sim.robot.person import RADIUS_M
from semantic_nav_sim.robot.profile import ScanErrors
from semantic_nav_sim.world.floor_plan import BAND_M
from semantic_nav_sim.world.footprints import Footprints
from semantic_nav_sim.world.loading import world_from
from semantic_nav_sim.world.mujoco_model import compile_solids
from semantic_nav_sim.world.scene import Placing, build_scene, stage

SCENE = build_scene(world_from(small_world.document()))
FIXED = Footprints(SCENE.fixed_colliders(), *BAND_M)
ROBOT_M = BaseLimits().shape.radius_m
CORNER = Pose2D(0.5, 0.5, 0.0)
DOORWAY = Pose2D(3.0, 1.45, 0.0)
DOOR = 'store_door'


def actors(seed: int = 5, people: int = 1, doors: bool = False) -> Actors:
    return Actors(stage(SCENE, seed), people, doors, ROBOT_M)


def life(moving: Actors, seconds: float, robot: Pose2D = CORNER, step_s: float = 0.1
         ) -> list[dict[str, Placing]]:
    """Let time pass; returns where everything was at every step."""
    seen = [dict(moving.placings)]
    for _ in range(round(seconds / step_s)):
        moving.step(step_s, robot)
        seen.append(dict(moving.placings))
    return seen


def track(seen: list[dict[str, Placing]], name: str = 'person_1') -> np.ndarray:
    return np.array([placings[name].position[:2] for placings in seen])


def test_life_is_a_function_of_seed_and_time() -> None:
    first = life(actors(doors=True), 60.0)[-1]
    assert life(actors(doors=True), 60.0, step_s=1.0)[-1] == first
    assert life(actors(seed=6, doors=True), 60.0)[-1] != first


def test_person_walks_through_both_rooms_at_a_walking_pace() -> None:
    walked = track(life(actors(), 240.0))
    rooms = {SCENE.world.room_at(x, y).name for x, y in walked}
    assert rooms == {'den', 'store'}
    steps_m = np.hypot(*np.diff(walked, axis=0).T)
    assert 0.05 < steps_m.max() <= 1.1 * 0.1 + 1e-6
    assert 0.1 < (steps_m > 0).mean() < 0.9, 'it walks and it rests'


def test_person_looks_where_it_walks() -> None:
    seen = life(actors(), 120.0)
    walked, yaws = track(seen), [one['person_1'].yaw_rad for one in seen]
    off = [abs(math.remainder(math.atan2(*(after - before)[::-1]) - yaw, math.tau))
           for before, after, yaw in zip(walked, walked[1:], yaws[1:], strict=False)
           if np.hypot(*(after - before)) > 0.05]
    assert np.median(off) < 0.2


def test_people_walk_through_nothing_and_nobody() -> None:
    seen = life(actors(people=3), 120.0)
    tracks = [track(seen, f'person_{n}') for n in (1, 2, 3)]
    for walked in tracks:
        assert min(FIXED.nearest(x, y, 1.0)[0] for x, y in walked[::5]) > RADIUS_M
        assert np.hypot(*(walked - (CORNER.x, CORNER.y)).T).min() > RADIUS_M + ROBOT_M + 0.3
    started_m = np.hypot(*(tracks[0][0] - tracks[1][0]))
    assert np.hypot(*(tracks[0] - tracks[1]).T).min() > min(2 * RADIUS_M + 0.1, started_m - 0.01)


def test_person_waits_for_the_robot_and_then_goes_elsewhere() -> None:
    walked = track(life(actors(), 240.0, DOORWAY))
    away_m = np.hypot(*(walked - (DOORWAY.x, DOORWAY.y)).T)
    assert away_m.min() > RADIUS_M + ROBOT_M + 0.3
    assert len({SCENE.world.room_at(x, y).name for x, y in walked}) == 1, 'the robot is in the way'
    later = walked[len(walked) // 2:]
    assert np.ptp(later[:, 0]) > 0.3, 'and yet it does not stand there for ever'


def test_door_closes_and_opens() -> None:
    yaws = np.array([one[DOOR].yaw_rad for one in life(actors(people=0, doors=True), 240.0)])
    rest = SCENE.objects[DOOR].placing.yaw_rad
    assert yaws[0] == pytest.approx(rest)
    assert max(abs(math.remainder(yaw + math.pi / 2, math.tau)) for yaw in yaws) == pytest.approx(
        abs(math.remainder(rest + math.pi / 2, math.tau)))
    closed = np.array([abs(math.remainder(yaw + math.pi / 2, math.tau)) < 1e-6 for yaw in yaws])
    assert closed.any() and not closed.all()
    assert np.abs(np.diff(closed.astype(int))).sum() >= 2, 'it opens again'
    assert np.abs([math.remainder(step, math.tau) for step in np.diff(yaws)]).max() < 0.2


def test_door_waits_for_whoever_is_in_its_way() -> None:
    moving = actors(people=0, doors=True)
    for _ in range(2400):
        moving.step(0.1, DOORWAY)
        gap, *_ = moving.nearest(DOORWAY.x, DOORWAY.y, 1.0)
        assert gap > ROBOT_M
    assert abs(math.remainder(moving.placings[DOOR].yaw_rad + math.pi / 2, math.tau)) > 0.3


def test_door_that_is_held_up_is_opened_again() -> None:
    seen = life(actors(people=0, doors=True), 240.0, DOORWAY)
    off = np.array([abs(math.remainder(one[DOOR].yaw_rad - SCENE.objects[DOOR].placing.yaw_rad,
                                       math.tau)) for one in seen])
    assert off.max() > 0.3, 'it tries'
    assert (off < 0.05).mean() > 0.5
    held = np.diff(np.flatnonzero(np.diff(off > 0.05)))
    assert held[::2].max() * 0.1 < 10.0, 'and is never ajar for long'


def test_closed_door_stops_the_robot_and_the_open_one_does_not() -> None:
    moving = actors(people=0, doors=True)
    fixed = Footprints(stage(SCENE, 5).colliders(without=moving.doors), *BAND_M)
    surroundings = Surroundings(fixed, moving)
    assert surroundings.nearest(3.0, 1.45, 0.5)[0] > ROBOT_M
    while abs(math.remainder(moving.placings[DOOR].yaw_rad + math.pi / 2, math.tau)) > 1e-6:
        moving.step(0.1, CORNER)
    assert surroundings.nearest(2.95, 1.45, 0.5)[0] < ROBOT_M
    assert surroundings.nearest(2.95, 1.45, 0.5).name == DOOR


def test_robot_that_drives_into_somebody_has_run_into_something() -> None:
    # With this seed somebody stands in the free.
    moving = actors(seed=1)
    x, y = moving.placings['person_1'].position[:2]
    base = Base(Surroundings(FIXED, moving), Pose2D(x - 0.8, y, 0.0))
    for _ in range(150):
        base.step(0.5, 0.0, 0.02)
    assert (base.collisions, base.met) == (1, 'person_1')
    assert base.pose.distance_to(x, y) == pytest.approx(ROBOT_M + RADIUS_M, abs=0.01)


def test_scan_sees_people_and_doors_where_they_are() -> None:
    model = compile_solids(SCENE, [*SCENE.objects.values(), *SCENE.people])
    lidar = Lidar(model, stage(SCENE, 1), 0, ScanErrors())
    here = Pose2D(1.5, 1.45, 0.0)
    free_m = lidar.scan(here)[180]
    person = {'person_1': Placing((2.3, 1.45, 0.0), 0.7)}
    assert lidar.scan(here, person)[180] == pytest.approx(0.8 - RADIUS_M, abs=0.04)
    gone = {'person_1': Placing((0.5, 2.5, 0.0), 0.7)}
    assert lidar.scan(here, gone)[180] == pytest.approx(free_m, abs=0.05)
    hinge = SCENE.objects[DOOR].placing.position
    closed = {**gone, DOOR: Placing(hinge, -math.pi / 2)}
    assert lidar.scan(here, closed)[180] == pytest.approx(1.5, abs=0.06)


def test_nothing_moves_where_nothing_was_asked_for() -> None:
    still = actors(people=0)
    still.step(10.0, CORNER)
    assert dict(still.placings) == {} and still.doors == frozenset()
    assert still.nearest(1.0, 1.0, 5.0)[0] == math.inf


def test_more_people_than_there_are_is_told() -> None:
    with pytest.raises(ConfigError, match='people = 4'):
        actors(people=4)


def test_truth_names_those_who_walk_and_no_one_else() -> None:
    on_stage = stage(SCENE, 1)
    assert not [one for one in on_stage.truth() if one.kind == 'person']
    [person] = [one for one in on_stage.truth({'person_2': Placing((4.0, 1.5, 0.0), 0.0)})
                if one.kind == 'person']
    assert (person.id, person.name, person.room) == ('person_2', 'person', 'store')
