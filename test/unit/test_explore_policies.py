"""Policies of the search beside the sweeps: where each looks first, and when it ends."""

from dataclasses import replace

import numpy as np
import pytest
from builders import Block, Room

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import UNKNOWN, OccupancyGrid
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.distance_field import distance_field
from semantic_nav.explore.likely_first import LikelyFirst
from semantic_nav.explore.policy import Search
from semantic_nav.explore.sweeps import Sweeps
from semantic_nav.explore.viewpoints import Viewpoint
from semantic_nav.verify.config import VerifierConfig
from semantic_nav_sim.policies.compared import POLICIES
from semantic_nav_sim.policies.nearest_frontier import NearestFrontier

ROBOT = Pose2D(4.0, 3.0, 0.0)


def search(grid: OccupancyGrid | None = None, coverage: GoalCoverage | None = None,
           **fields: object) -> Search:
    grid = grid or Room().map()
    way_m = distance_field(grid.free, grid.cell_of(ROBOT.x, ROBOT.y), grid.resolution_m)
    return replace(Search(grid, way_m, coverage or GoalCoverage.none(grid), ROBOT, (), 0.6, None,
                          lambda pose: True, views_wanted=50), **fields)


def policy(name: str) -> object:
    return POLICIES[name](3.0, 1.5)


def overlooked(grid: OccupancyGrid, west: float, east: float) -> GoalCoverage:
    """Return a coverage with these chances to have overlooked a thing in each half."""
    coverage = GoalCoverage.none(grid)
    chance = np.full(grid.shape, east)
    chance[:, :grid.shape[1] // 2] = west
    return replace(coverage, overlooked=tuple(
        replace(one, chance=chance) for one in coverage.overlooked))


@pytest.mark.parametrize('name', POLICIES)
def test_each_names_views_in_reach_and_the_same_twice(name: str) -> None:
    wall = Room(blocks=[Block((6.0, 6.1), (0.0, 6.0))]).map()
    grid = replace(wall, cells=np.where(
        np.arange(wall.shape[0])[:, None] > 90, np.int8(UNKNOWN), wall.cells))
    made = search(grid)
    answer = policy(name).next_views(made)
    assert answer.views and answer == policy(name).next_views(search(grid))
    for view in answer.views:
        row, column = grid.cell_of(view.pose.x, view.pose.y)
        assert np.isfinite(made.way_m[row, column]) and view.pose.x < 6.0


@pytest.mark.parametrize('name', POLICIES)
def test_none_names_a_view_where_the_robot_may_not_stand(name: str) -> None:
    answer = policy(name).next_views(search(may_stand=lambda pose: False))
    assert all(view.is_turn(ROBOT) for view in answer.views)


def test_likely_first_is_the_default() -> None:
    assert POLICIES[VerifierConfig().policy](3.0, 1.5) == LikelyFirst(3.0, 1.5)


@pytest.mark.parametrize(('west', 'east'), [(0.9, 0.1), (0.1, 0.9)])
def test_likely_first_looks_where_more_may_have_been_overlooked(west: float, east: float) -> None:
    grid = Room().map()
    best = policy('likely_first').next_views(search(grid, overlooked(grid, west, east))).views[0]
    assert (np.cos(best.pose.yaw) < 0) == (west > east)


def test_likely_first_comes_nearer_to_what_was_seen_from_afar() -> None:
    """No sweep would look again: all of it was looked at."""
    grid = Room().map()
    everything = np.ones(grid.shape, np.bool_)
    coverage = overlooked(grid, 0.6, 0.05)
    coverage = replace(coverage, **{name: replace(getattr(coverage, name), looked=everything)
                                    for name in ('in_range', 'nearby')})
    assert not policy('sweep').next_views(search(grid, coverage)).views
    answer = policy('likely_first').next_views(search(grid, coverage))
    assert answer.views and answer.policy == policy('likely_first')


def test_likely_first_leaves_the_rest_to_sweeps() -> None:
    """What nobody looked at from near counts for them, and ends the search or not."""
    grid = Room().map()
    answer = policy('likely_first').next_views(search(grid, overlooked(grid, 0.01, 0.01)))
    assert answer.views and isinstance(answer.policy, Sweeps)


def test_likely_first_goes_for_a_third_of_what_closes_a_gap() -> None:
    """Where something was taken for the target, it looks again once all was looked at."""
    grid = Room().map()
    everything = np.ones(grid.shape, np.bool_)
    coverage = GoalCoverage.none(grid)
    coverage = replace(coverage, in_range=replace(coverage.in_range, looked=everything))

    def views(chance: float, **fields: object) -> tuple[Viewpoint, ...]:
        looked = replace(coverage, overlooked=overlooked(grid, chance, chance).overlooked)
        return policy('likely_first').next_views(search(grid, looked, **fields)).views

    most = 1.5 / max(view.gain_m2 for view in views(1.0, views_wanted=10_000))
    again = {'from_two_places': np.zeros(grid.shape, np.bool_)}
    seen = {'sighted': [(ROBOT.x + 1.5, ROBOT.y)]}
    assert views(0.4 * most) and not views(0.3 * most, **again)
    assert not views(1.1 * most, only_gaps=True)
    assert not views(0.3 * most, **seen), 'it is looked at again last of all'
    assert views(0.3 * most, **seen, **again)
    assert views(0.3 * most, unsettled=seen['sighted']), 'what was not rejected is not'


def test_likely_first_comes_into_a_small_room_that_was_seen_from_its_door() -> None:
    """Keen eyes would have found it; poor ones see nothing from there."""
    walls = [Block((5.0, 5.1), (0.0, 4.4)), Block((5.0, 5.1), (5.2, 6.0)),
             Block((5.0, 6.8), (3.4, 3.5)), Block((6.8, 6.9), (3.4, 6.0))]
    grid = Room(blocks=walls).map()
    rows, columns = np.indices(grid.shape)
    x_m, y_m = grid.centres_of(rows, columns)
    small = (x_m > 5.1) & (x_m < 6.8) & (y_m > 3.5)
    coverage = GoalCoverage.none(grid)
    looked = np.ones(grid.shape, np.bool_)
    coverage = replace(
        coverage, in_range=replace(coverage.in_range, looked=looked),
        overlooked=tuple(replace(one, chance=np.where(small, chance, 0.02))
                         for one, chance in zip(coverage.overlooked, (0.2, 0.85), strict=True)))
    answer = policy('likely_first').next_views(search(grid, coverage))
    best = answer.views[0].pose
    assert answer.policy == policy('likely_first')
    assert small[grid.cell_of(best.x, best.y)] or np.cos(best.yaw) > 0.5
    assert max(view.gain_m2 for view in answer.views) < 1.5, 'less than closes a gap'


def test_nearest_frontier_goes_to_the_nearest_and_ends_without_any() -> None:
    grid = Room().map()
    assert not policy('nearest_frontier').next_views(search(grid)).views
    grid.cells[:, 140:] = UNKNOWN
    grid.cells[:, :20] = UNKNOWN
    views = policy('nearest_frontier').next_views(search(grid)).views
    ways = [view.way_m for view in views]
    assert isinstance(policy('nearest_frontier'), NearestFrontier) and ways == sorted(ways)
    assert np.cos(views[0].pose.yaw) > 0, 'the eastern border is nearer'


def test_random_walk_goes_elsewhere_after_another_look() -> None:
    first = policy('random_walk').next_views(search()).views
    later = policy('random_walk').next_views(search(done=(ROBOT,))).views
    assert first and later and first != later
    assert not policy('random_walk').next_views(
        search(way_m=np.full(Room().map().shape, np.inf, np.float32))).views


def test_likely_first_is_a_value() -> None:
    assert POLICIES['likely_first'](3.0, 1.5) == POLICIES['likely_first'](3.0, 1.5)
    assert isinstance(policy('likely_first'), LikelyFirst)
