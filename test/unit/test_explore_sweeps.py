"""The exploration policy: coarse to fine, then from nearby."""

from dataclasses import dataclass, replace

import numpy as np
from builders import Room

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.explore.coverage import Coverage, GoalCoverage
from semantic_nav.explore.distance_field import distance_field
from semantic_nav.explore.policy import ExplorationPolicy, NextViews, Search
from semantic_nav.explore.sight import APART_M
from semantic_nav.explore.sweeps import Sweeps
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.planning.exploring import new_exploration

ROBOT = Pose2D(2.0, 3.0, 0.0)
POLICY = Sweeps(look_range_m=3.0, min_gain_m2=1.5)


def covered(looked: np.ndarray) -> Coverage:
    return replace(Coverage.none(Room().map()), looked=looked)


def search(in_range: np.ndarray | None = None, nearby: np.ndarray | None = None,
           **fields: object) -> Search:
    """Return a search in an empty room, in which nothing was looked at."""
    room = Room()
    grid, cost = room.map(), room.costmap(0)
    nothing = np.zeros(grid.shape, np.bool_)
    way_m = distance_field((cost.cells >= 0) & (cost.cells < 99),
                           grid.cell_of(ROBOT.x, ROBOT.y), grid.resolution_m)
    coverage = replace(GoalCoverage.none(grid),
                       in_range=covered(nothing if in_range is None else in_range),
                       nearby=covered(nothing if nearby is None else nearby))
    return replace(Search(grid, way_m, coverage, ROBOT, (), 0.6, None, lambda pose: True,
                          views_wanted=10_000),
                   **fields)


def all_but(rows: slice, columns: slice) -> np.ndarray:
    looked = np.ones(Room().map().shape, np.bool_)
    looked[rows, columns] = False
    return looked


ALL = all_but(slice(0, 0), slice(0, 0))
#: Floor worth a way in the second sweep, but not in the first.
LITTLE = all_but(slice(50, 70), slice(100, 118))


def test_first_sweep_goes_on_while_it_shows_anything() -> None:
    answer = POLICY.next_views(search())
    assert answer.views and answer.policy == POLICY


def test_small_gaps_come_second() -> None:
    answer = POLICY.next_views(search(in_range=LITTLE))
    assert answer.views and answer.policy == replace(POLICY, sweep=1)
    assert all(view.gain_m2 < POLICY.min_gain_m2 for view in answer.views)


def test_what_was_seen_from_afar_comes_last() -> None:
    answer = POLICY.next_views(search(in_range=ALL))
    assert answer.views and answer.policy == replace(POLICY, sweep=2)


def test_search_ends_when_all_was_looked_at_from_nearby() -> None:
    answer = POLICY.next_views(search(in_range=ALL, nearby=ALL))
    assert answer == NextViews((), replace(POLICY, sweep=2))


def test_what_was_looked_at_from_one_place_comes_last_and_only_where_that_is_asked() -> None:
    answer = POLICY.next_views(search(in_range=ALL, nearby=ALL, from_two_places=LITTLE))
    assert not answer.views, 'too little for a way'
    answer = POLICY.next_views(search(in_range=ALL, nearby=ALL, from_two_places=~ALL))
    assert answer.views and answer.policy == replace(POLICY, sweep=3)
    assert POLICY.next_views(search(in_range=ALL, from_two_places=~ALL)).policy.sweep == 2
    assert not answer.policy.next_views(search(in_range=ALL, nearby=ALL)).views


def test_second_look_is_from_another_place() -> None:
    before = Pose2D(4.0, 3.0, 0.0)
    answer = POLICY.next_views(search(in_range=ALL, nearby=ALL, from_two_places=~ALL,
                                      done=(before,)))
    assert answer.views
    assert all(view.pose.distance_to(before.x, before.y) >= APART_M for view in answer.views)


def test_sweep_that_is_over_does_not_come_again() -> None:
    """Else a map that grows by a cell would begin everything anew."""
    later = POLICY.next_views(search(in_range=ALL)).policy
    again = later.next_views(search(nearby=LITTLE))
    assert again.policy == later
    assert len(again.views) < len(POLICY.next_views(search()).views)


def test_asking_changes_nothing() -> None:
    wanted = search(in_range=LITTLE)
    assert POLICY.next_views(wanted) == POLICY.next_views(wanted)
    assert POLICY.sweep == 0


def test_views_lie_where_the_robot_may_stand_or_stands_already() -> None:
    answer = POLICY.next_views(search(may_stand=lambda pose: pose.x < 1.5))
    assert {view.pose.x < 1.5 for view in answer.views if view.way_m >= 0.3} == {True}
    assert any(view.way_m < 0.3 for view in answer.views)


def test_robot_need_not_be_able_to_stand_where_it_only_turns() -> None:
    views = POLICY.next_views(search(may_stand=lambda pose: False)).views
    assert views and all(view.is_turn(ROBOT) for view in views)
    # Straight ahead it need not turn: it would be sent to a place close by.
    assert not any(abs(view.pose.yaw) < 0.1 for view in views)
    ahead = POLICY.next_views(search()).views
    assert any(view.way_m < 0.3 and abs(view.pose.yaw) < 0.1 for view in ahead)


def test_no_more_than_the_wanted_are_named_or_looked_into() -> None:
    asked = []
    answer = POLICY.next_views(search(
        views_wanted=3, may_stand=lambda pose: asked.append(pose) or pose.x > 2.0))
    assert answer.views == POLICY.next_views(
        search(may_stand=lambda pose: pose.x > 2.0)).views[:3]
    assert len(asked) < 50


def test_done_viewpoints_are_left_out() -> None:
    best = POLICY.next_views(search()).views[0].pose
    for view in POLICY.next_views(search(done=(best,))).views:
        assert view.pose != best


@dataclass(frozen=True)
class _Nowhere:
    """Another policy: there is never anything to look at."""

    asked: int = 0

    def next_views(self, search: Search) -> NextViews:
        del search
        return NextViews((), _Nowhere(self.asked + 1))


def test_any_policy_has_the_same_face() -> None:
    policies: list[ExplorationPolicy] = [new_exploration(VerifierConfig()).first, _Nowhere()]
    for policy in policies:
        answer = policy.next_views(search())
        assert isinstance(answer.views, tuple) and answer.policy is not None
