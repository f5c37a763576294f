"""The stand-in for Nav2 in simulated time, on the simulated robot in the small world."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import small_world
from bench_rig import cache_beside

from semantic_nav.contracts.core import Event
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import FREE
from semantic_nav.contracts.vocabulary import NavStatus
from semantic_nav.verify.effects import (
    AskPath,
    CancelNav,
    ClearCostmaps,
    SendNav,
    SendSpin,
    StopNav,
)
from semantic_nav.verify.events import NavAnswered, NavFinished, PathAnswered
from semantic_nav_sim.bench.navigator import Navigator
from semantic_nav_sim.bench.robot import Robot
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.navigator.profile import NavigatorProfile
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.simulation import Simulation
from semantic_nav_sim.world.floor_plan import floor_plan

pytestmark = pytest.mark.slow

ONE, TWO = 'ab' * 16, 'cd' * 16
#: In the den, and in the store behind the door.
NEAR, FAR = Pose2D(2.0, 1.2, 0.0), Pose2D(4.2, 1.5, 0.0)
OUTSIDE = Pose2D(-3.0, -3.0, 0.0)
PATIENCE_S = 120.0


class Rig:
    """A robot that knows the small world, its navigator, and what that answers."""

    def __init__(self, world: str) -> None:
        with cache_beside(world):
            self.simulation = Simulation(world, small_world.SEED_TABLE,
                                         profile=load_profile(RobotProfile, 'none'))
        self.scheduler = Scheduler()
        self.robot = Robot(self.simulation, self.scheduler, small_world.SEED_TABLE,
                         floor_plan(self.simulation.stage.scene), mapping=False)
        self.answers: list[Event] = []
        self.navigator = Navigator(self.robot, self.scheduler, NavigatorProfile(),
                                   self.answers.append)

    def until(self, condition: Callable[[], bool]) -> None:
        assert self.scheduler.run(condition, PATIENCE_S), self.answers

    def ends(self) -> list[NavFinished]:
        return [event for event in self.answers if isinstance(event, NavFinished)]

    def until_moving(self) -> None:
        before = self.here
        self.until(lambda: self.here.distance_to(before.x, before.y) > 0.2)

    def passes(self, seconds: float) -> None:
        self.scheduler.run(lambda: False, seconds)

    @property
    def here(self) -> Pose2D:
        return self.robot.snapshot.true

    def stands(self) -> bool:
        self.passes(2.0)
        before = self.here
        self.passes(5.0)
        return self.here == before


@pytest.fixture
def rig(small_home: str) -> Iterator[Rig]:
    rig = Rig(small_home)
    yield rig
    rig.simulation.close()


def test_a_goal_is_accepted_and_reached(rig: Rig) -> None:
    rig.navigator.drive(SendNav(ONE, FAR))
    assert rig.answers == [], 'nothing is answered within the call'
    rig.until(lambda: len(rig.ends()) == 1)
    assert rig.answers == [NavAnswered(ONE, accepted=True), NavFinished(ONE, 'succeeded', 0)]
    assert rig.here.distance_to(FAR.x, FAR.y) < 0.3
    assert rig.stands()
    assert rig.navigator.received == [ONE]
    assert rig.robot.snapshot.collisions == 0


def test_the_local_costmap_is_cleared_only_where_the_effect_says_so(rig: Rig) -> None:
    rig.navigator.drive(SendNav(ONE, NEAR))
    rig.until(lambda: len(rig.ends()) == 1)
    held = rig.robot.local_costmap.cost.copy()
    rig.navigator.clear(ClearCostmaps(local=False))
    assert np.array_equal(rig.robot.local_costmap.cost, held)
    rig.navigator.clear(ClearCostmaps())
    assert not np.array_equal(rig.robot.local_costmap.cost, held)


def test_a_goal_outside_the_home_is_aborted(rig: Rig) -> None:
    rig.navigator.drive(SendNav(ONE, OUTSIDE))
    rig.until(lambda: len(rig.ends()) == 1)
    [end] = rig.ends()
    assert (end.nav_goal_id, end.status) == (ONE, 'aborted')
    assert end.code != 0


def test_a_new_goal_takes_the_place_of_the_one_before(rig: Rig) -> None:
    rig.navigator.drive(SendNav(ONE, FAR))
    rig.until_moving()
    rig.navigator.drive(SendNav(TWO, NEAR))
    rig.until(lambda: len(rig.ends()) == 2)
    assert rig.answers == [
        NavAnswered(ONE, accepted=True), NavFinished(ONE, 'aborted', 0),
        NavAnswered(TWO, accepted=True), NavFinished(TWO, 'succeeded', 0)]
    assert rig.here.distance_to(NEAR.x, NEAR.y) < 0.3
    assert rig.navigator.received == [ONE, TWO]


def test_cancel_ends_the_goal_that_it_names(rig: Rig) -> None:
    rig.navigator.drive(SendNav(ONE, FAR))
    rig.until_moving()
    rig.navigator.cancel(CancelNav(TWO))
    rig.passes(0.5)
    assert rig.ends() == []
    rig.navigator.cancel(CancelNav(ONE))
    assert rig.stands()
    assert rig.ends() == [NavFinished(ONE, 'canceled', 0)]
    assert rig.here.distance_to(FAR.x, FAR.y) > 0.5
    rig.navigator.cancel(CancelNav(ONE))
    rig.passes(1.0)
    assert len(rig.ends()) == 1, 'it has ended already'


def test_stop_ends_whatever_is_driven(rig: Rig) -> None:
    rig.navigator.stop(StopNav())
    rig.passes(1.0)
    assert rig.answers == []
    rig.navigator.drive(SendNav(ONE, FAR))
    rig.until_moving()
    rig.navigator.stop(StopNav())
    assert rig.stands()
    assert rig.ends() == [NavFinished(ONE, 'canceled', 0)]


@pytest.mark.parametrize('angle_rad', [1.2, -1.2])
def test_spin_turns_by_its_angle(rig: Rig, angle_rad: float) -> None:
    before = rig.here
    rig.navigator.turn(SendSpin(ONE, angle_rad, 20.0))
    rig.until(lambda: len(rig.ends()) == 1)
    assert rig.answers == [NavAnswered(ONE, accepted=True), NavFinished(ONE, 'succeeded', 0)]
    assert rig.stands()
    turned_rad = math.remainder(rig.here.yaw - before.yaw, math.tau)
    assert turned_rad == pytest.approx(angle_rad, abs=0.15)
    assert rig.here.distance_to(before.x, before.y) < 0.01


def test_spin_has_the_base_while_it_lasts_and_the_drive_after_it(rig: Rig) -> None:
    rig.navigator.drive(SendNav(ONE, FAR))
    rig.until_moving()
    rig.navigator.turn(SendSpin(TWO, 0.8, 20.0))
    rig.until(lambda: len(rig.ends()) == 1)
    assert rig.ends() == [NavFinished(TWO, 'succeeded', 0)]
    rig.until(lambda: len(rig.ends()) == 2)
    assert rig.ends()[1] == NavFinished(ONE, 'succeeded', 0)
    assert rig.here.distance_to(FAR.x, FAR.y) < 0.3


def test_spin_that_may_take_no_time_is_aborted(rig: Rig) -> None:
    rig.navigator.turn(SendSpin(ONE, 3.0, 0.2))
    rig.until(lambda: len(rig.ends()) == 1)
    assert (rig.ends()[0].status, rig.ends()[0].code) == ('aborted', 701)


def test_a_path_leads_from_the_robot_to_the_goal_or_there_is_none(rig: Rig) -> None:
    for number, goal in enumerate((FAR, OUTSIDE)):
        rig.navigator.ask_path(AskPath(f'request-{number}', goal, 10.0))
    rig.until(lambda: len(rig.answers) == 2)
    found, none = rig.answers
    assert isinstance(found, PathAnswered) and isinstance(none, PathAnswered)
    assert (found.request_id, found.status, found.code) == ('request-0', 'succeeded', 0)
    ends_m = [rig.here.distance_to(*found.points[0]), FAR.distance_to(*found.points[-1])]
    assert max(ends_m) < 0.1
    assert np.hypot(*np.diff(found.points, axis=0).T).sum() > 3.0
    assert (none.request_id, none.status) == ('request-1', 'aborted')
    assert none.code != 0 and none.points.shape == (0, 2)


def test_a_robot_needs_a_map_or_makes_one(rig: Rig) -> None:
    with pytest.raises(ConfigError, match='must make one'):
        Robot(rig.simulation, rig.scheduler, 0, None, mapping=False)


def test_a_robot_that_maps_learns_its_home(rig: Rig) -> None:
    scheduler = Scheduler()
    robot = Robot(rig.simulation, scheduler, 0, None, mapping=True)
    before = robot.map
    navigator = Navigator(robot, scheduler, NavigatorProfile(), rig.answers.append)
    navigator.drive(SendNav(ONE, Pose2D(2.2, 1.5, 0.0)))
    assert scheduler.run(lambda: len(rig.ends()) == 1, PATIENCE_S)
    assert robot.map is before, 'the navigator plans on what it was given'
    assert robot.take_map()
    learned = np.count_nonzero(robot.map.cells == FREE) - np.count_nonzero(before.cells == FREE)
    assert learned > 200, 'half a square metre'
    assert not robot.take_map(), 'nothing has changed since'
    costs = robot.costs()
    assert (costs.stamp_ns, costs.shape) == (scheduler.now_ns, robot.map.shape)


def test_what_a_dead_bt_navigator_followed_is_followed_to_its_end(rig: Rig) -> None:
    rig.navigator.drive(SendNav(ONE, FAR))
    rig.until_moving()
    rig.navigator.servers.lose_navigator()
    rig.navigator.cancel(CancelNav(ONE))
    rig.passes(PATIENCE_S)
    assert [one.status for one in rig.ends()] == [NavStatus.LOST], 'it says nothing any more'
    assert rig.here.distance_to(FAR.x, FAR.y) < 0.3


def test_other_things_go_wrong_from_a_moment_on(rig: Rig) -> None:
    rig.navigator.become(load_profile(NavigatorProfile, 'rejects'))
    rig.navigator.drive(SendNav(ONE, FAR))
    rig.navigator.become(NavigatorProfile())
    rig.navigator.drive(SendNav(TWO, FAR))
    rig.passes(1.0)
    assert rig.answers == [NavAnswered(ONE, accepted=False, reason='rejected'),
                           NavAnswered(TWO, accepted=True)]
