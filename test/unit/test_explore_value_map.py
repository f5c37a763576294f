"""The value map and the two policies that go by it, against figures worked out by hand."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from builders import Block, Room
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.embed.hashing import HashEmbedder
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.distance_field import distance_field
from semantic_nav.explore.policy import ExplorationPolicy, Search
from semantic_nav.explore.sight import Eye
from semantic_nav.explore.viewpoints import Viewpoint
from semantic_nav_sim.policies.apexnav_like import ApexNavLike, outstanding, tour
from semantic_nav_sim.policies.frontiers import frontier_views
from semantic_nav_sim.policies.value_map import Trust, ValueMap, likeness_by
from semantic_nav_sim.policies.vlfm_like import TRUST, VlfmLike

HALF = 0.6
#: A robot in the middle of a room of which only the middle was looked at.
ROBOT = Pose2D(4.0, 3.0, 0.0)
EAST, WEST = Eye(ROBOT, HALF, 'east'), Eye(replace(ROBOT, yaw=math.pi), HALF, 'west')
BEFORE = Eye(Pose2D(2.0, 3.0, 0.0), HALF)


def likeness(**alike: float) -> Any:
    def of(goal: str, scenes: Sequence[str]) -> NDArray[np.float64]:
        assert goal == 'find the red mug'
        return np.array([alike.get(scene, 0.0) for scene in scenes])

    return of


def value_of(eyes: Sequence[Eye], alike: Sequence[float], trust: Trust, off_rad: float,
             ) -> tuple[float, float]:
    """Return value and confidence 1.5 m from the robot, so far off its heading."""
    grid = replace(Room().map(), cells=np.zeros((120, 160), np.int8))
    made = ValueMap.of(grid, eyes, alike, 3.0, trust)
    cell = grid.cell_of(ROBOT.x + 1.5 * math.cos(off_rad), ROBOT.y + 1.5 * math.sin(off_rad))
    return float(made.value[cell]), float(made.confidence[cell])


@pytest.mark.parametrize(('off_rad', 'least', 'confidence'), [
    (0.0, 0.0, 1.0), (0.3, 0.0, 0.5), (0.3, 0.25, 0.625), (0.4, 0.0, 0.25), (0.8, 0.25, 0.0)])
def test_confidence_falls_with_the_squared_cosine(off_rad: float, least: float,
                                                  confidence: float) -> None:
    value, found = value_of([EAST], [0.4], Trust(least), off_rad)
    assert found == pytest.approx(confidence, abs=0.06)
    assert value == (pytest.approx(0.4) if confidence else 0.0)


def test_looks_are_weighed_by_their_confidence() -> None:
    """With c = 1, then 1/2: (0.5 * 0.6 + 1 * 0.3) / 1.5 and (0.25 + 1) / 1.5."""
    aside = Eye(replace(ROBOT, yaw=0.3), HALF)
    value, confidence = value_of([EAST, aside], [0.3, 0.6], Trust(), 0.0)
    assert value == pytest.approx(0.4, abs=0.01)
    assert confidence == pytest.approx(1.25 / 1.5, abs=0.02)


def test_weak_views_of_what_was_seen_better_do_not_count() -> None:
    aside = Eye(replace(ROBOT, yaw=0.55), HALF)
    assert value_of([EAST, aside], [0.3, 0.9], TRUST, 0.0)[0] == pytest.approx(0.3)
    assert value_of([EAST, aside], [0.3, 0.9], replace(TRUST, weak=0.0), 0.0)[0] > 0.4
    assert value_of([aside, EAST], [0.9, 0.3], TRUST, 0.0)[0] > 0.35, 'the better one does'


def test_value_around_a_point_is_the_median_of_what_was_seen() -> None:
    grid = Room().map()
    made = ValueMap(grid, np.zeros(grid.shape), np.zeros(grid.shape))
    assert made.around(4.0, 3.0, 0.5) == 0.0
    made.confidence[60, 78:83] = 1.0
    made.value[60, 78:83] = [0.1, 0.1, 0.3, 0.8, 0.9]
    made.value[60, 100] = made.confidence[60, 100] = 1.0
    assert made.around(4.0, 3.0, 0.5) == pytest.approx(0.3)
    assert made.around(0.0, 0.0, 0.5) == 0.0


def test_likeness_is_the_cosine_of_what_the_goal_means() -> None:
    """Words that only ask for it do not count, and what is opposed has nothing in common."""
    alike = likeness_by(HashEmbedder())
    same, none, silent = alike('find the red mug', ['red mug', 'sofa', ''])
    assert same == pytest.approx(1.0) and none < 0.2 and silent == 0.0
    assert none >= 0.0


def search(grid: OccupancyGrid | None = None, west: float = 2.0, east: float = 6.0,
           **fields: Any) -> Search:
    """Return one that has looked at all between two longitudes."""
    grid = grid or Room().map()
    coverage = GoalCoverage.none(grid)
    looked = np.zeros(grid.shape, np.bool_)
    looked[:, round(west / grid.resolution_m):round(east / grid.resolution_m)] = True
    coverage = replace(coverage, in_range=replace(coverage.in_range, looked=looked))
    way_m = distance_field(grid.free, grid.cell_of(ROBOT.x, ROBOT.y), grid.resolution_m)
    return replace(Search(grid, way_m, coverage, ROBOT, (), HALF, None, lambda pose: True, 50,
                          goal='find the red mug', eyes=(BEFORE, EAST, WEST)), **fields)


def first(policy: ExplorationPolicy, **fields: Any) -> Viewpoint:
    return policy.next_views(search(**fields)).views[0]


def test_views_stand_at_frontiers_and_look_over_them() -> None:
    views = frontier_views(search(), 3.0, 1.5)
    assert len(views) >= 4
    for view in views:
        assert min(abs(view.pose.x - 2.0), abs(view.pose.x - 6.0)) <= 0.55
        assert (math.cos(view.pose.yaw) > 0.0) == (view.pose.x > 4.0)
    assert all(one.pose.distance_to(other.pose.x, other.pose.y) >= 1.0
               for one in views for other in views if one is not other)
    assert frontier_views(search(west=0.0, east=8.0), 3.0, 1.5) == []
    assert frontier_views(search(), 3.0, 50.0) == []


def test_robot_turns_round_where_it_begins() -> None:
    here = replace(search(west=3.9, east=4.5), eyes=(EAST,))
    assert all(view.is_turn(ROBOT) for view in frontier_views(here, 3.0, 1.5))
    moved = replace(here, eyes=(BEFORE, EAST))
    assert not all(view.is_turn(ROBOT) for view in frontier_views(moved, 3.0, 1.5))


@pytest.mark.parametrize(('alike', 'sign'), [
    ({'east': 0.4, 'west': 0.1}, 1), ({'east': 0.1, 'west': 0.4}, -1)])
def test_vlfm_goes_to_the_frontier_of_the_best_value(alike: dict[str, float], sign: int) -> None:
    """However near the other one is."""
    near = replace(search(), robot=Pose2D(4.0 - sign, 3.0, 0.0))
    view = VlfmLike(3.0, 1.5, likeness(**alike)).next_views(near).views[0]
    assert (view.pose.x - 4.0) * sign > 0


@pytest.mark.parametrize(('more', 'kept'), [(0.005, True), (0.02, False)])
def test_vlfm_keeps_its_frontier_unless_it_is_clearly_beaten(more: float, kept: bool) -> None:
    policy = VlfmLike(3.0, 1.5, likeness(east=0.3, west=0.2))
    answer = policy.next_views(search())
    gone_to = answer.views[0].pose
    later = replace(answer.policy, likeness=likeness(east=0.3, west=0.3 + more))
    assert (first(later).pose == gone_to) == kept
    assert answer.policy == policy, 'no other policy: nothing is left undone'


def test_vlfm_forgets_a_frontier_that_is_none_any_more() -> None:
    answer = VlfmLike(3.0, 1.5, likeness(east=0.3, west=0.2)).next_views(search())
    assert first(answer.policy, east=8.0).pose.x < 4.0


@pytest.mark.parametrize(('values', 'indices'), [
    ([0.3, 0.3, 0.3], []),
    ([0.06, 0.05, 0.05, 0.05], []),             # deviation 0.004, largest / mean 1.14
    ([1.00, 1.08, 0.95], []),                   # largest / mean 1.07
    ([0.2, 0.1, 0.1, 0.1], [0]),
    ([0.1, 0.2, 0.19, 0.17, 0.1], [1, 2]),      # of mean 0.152: 0.9 * 0.2 / mean = 1.18
    ([0.23, 0.215, 0.17, 0.17, 0.215], [0]),     # 0.9 * 1.15 is less than 1.10
    ([0.0, 0.0], [])])
def test_apexnav_trusts_values_that_differ(values: list[float], indices: list[int]) -> None:
    assert outstanding(np.array(values)) == indices


def test_apexnav_goes_to_the_nearest_where_values_tell_nothing() -> None:
    near = {'robot': Pose2D(5.0, 3.0, 0.0)}
    near['way_m'] = distance_field(Room().map().free, (60, 100), 0.05)
    same = ApexNavLike(3.0, 1.5, likeness(east=0.2, west=0.2))
    assert first(same, **near).pose.x > 4.0
    west = ApexNavLike(3.0, 1.5, likeness(east=0.2, west=0.4))
    assert first(west, **near).pose.x < 4.0, 'where they do, not'


def test_apexnav_tours_what_stands_out_before_all_else() -> None:
    """In another order than that of how near they are."""
    eyes = (BEFORE, replace(EAST, half_angle_rad=1.2), replace(WEST, half_angle_rad=1.2))
    policy = ApexNavLike(3.0, 1.5, likeness(east=0.1, west=0.4))
    toured = policy.next_views(search(eyes=eyes)).views[:6]
    assert all(view.pose.x < 4.0 for view in toured)

    def length_m(views: Sequence[Viewpoint]) -> float:
        return views[0].way_m + sum(one.pose.distance_to(other.pose.x, other.pose.y)
                                    for one, other in pairwise(views))

    nearest_first = sorted(toured, key=lambda view: view.way_m)
    assert length_m(toured) < length_m(nearest_first) - 1.0


def test_tour_is_the_shortest_on_ways_not_through_walls() -> None:
    """A wall with a gap in the north: what lies just behind it comes last."""
    grid = Room(blocks=[Block((4.3, 4.4), (0.0, 5.0))]).map()
    made = search(grid)

    def at(x: float, y: float) -> Viewpoint:
        return Viewpoint(Pose2D(x, y, 0.0), 2.0, float(made.way_m[grid.cell_of(x, y)]), 1.0)

    here, behind, north = at(3.9, 1.0), at(4.8, 1.0), at(4.0, 5.4)
    assert tour([behind, north, here], made) == [here, north, behind]
    assert tour([behind], made) == [behind] and tour([], made) == []
