"""The way that was driven, and from which room to which it led."""

import pytest

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.bench.driven_way import DrivenWay, room_crossings
from semantic_nav_sim.world.description import Room

LOOK = ('wall', 'floor', 'ceiling')
DEN = Room('den', 'den', (0.0, 0.0), (3.0, 3.0), *LOOK)
STORE = Room('store', 'store', (3.0, 0.0), (5.0, 3.0), *LOOK)


@pytest.mark.parametrize(('xs', 'count'), [
    ((), 0), ((1.0, 2.0), 0), ((1.0, 4.0), 1), ((1.0, 2.9, 3.1, 2.9, 3.1, 1.0), 0),
    ((1.0, 3.1, 3.4, 2.9, 2.0), 2), ((3.0, 4.0), 0), ((1.0, 7.0, 4.0), 1)])
def test_a_room_is_entered_where_the_robot_is_inside(xs: tuple[float, ...], count: int) -> None:
    assert room_crossings([(x, 1.5) for x in xs], [DEN, STORE]) == count


def test_a_way_has_no_more_points_than_it_needs() -> None:
    poses = [Pose2D(0.0, 0.0, 0.0), Pose2D(0.05, 0.0, 0.0), Pose2D(0.111, 0.0, 0.0),
             Pose2D(0.111, 0.0, 2.0), Pose2D(0.5, 0.0, 2.0)]
    now = iter(poses)
    way = DrivenWay(poses[0], lambda: next(now))
    for _ in poses:
        way.note()
    assert way.points == [(0.0, 0.0), (0.11, 0.0), (0.5, 0.0)]
