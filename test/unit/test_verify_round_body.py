"""A round robot on Nav2's path: what it touches, and the unknown floor beside it."""

from dataclasses import replace

import numpy as np
import pytest
from builders import Block, Room
from hypothesis import given
from hypothesis import strategies as st
from situations import Known

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Code, NavStatus
from semantic_nav.verify.checks import first_rejection
from semantic_nav.verify.events import PathAnswered
from semantic_nav.verify.round_body import RoundBody
from semantic_nav.verify.subjects import Path, Rejection

START = Pose2D(1.0, 3.0, 0.0)
SQUARE = '[[0.2, 0.2], [0.2, -0.2], [-0.2, -0.2], [-0.2, 0.2]]'
#: How wide the costmap of these rooms holds the robot to be, in metres.
RADIUS_M = 0.22


def known(*blocks: Block, unknown: tuple[float, float, float, float] | None = None,
          robot: Pose2D = START, **config: object) -> Known:
    """Return a room in which nothing is known of a part."""
    made = Known(Room(blocks=list(blocks)), robot, **config)
    if unknown is not None:
        x0, y0, x1, y1 = unknown
        for take in (made.take_map, made.take_costmap):
            grid = (made.surroundings.map if take == made.take_map
                    else made.surroundings.costmap)
            (top, left), (bottom, right) = grid.cell_of(x0, y0), grid.cell_of(x1, y1)
            cells = grid.cells.copy()
            cells[top:bottom, left:right] = -1
            take(replace(grid, cells=cells))
    return made


def judged(made: Known, *points: tuple[float, float]) -> Rejection | None:
    """Return what becomes of a path."""
    pieces = [(START.x, START.y), *points]
    fine = np.concatenate([np.linspace(a, b, 60)
                           for a, b in zip(pieces, pieces[1:], strict=False)])
    return first_rejection(made.situation, Path(
        Pose2D(*points[-1], 0.0), PathAnswered('path-1', NavStatus.SUCCEEDED, 0, fine)))


TABLE = Block((3.0, 4.0), (2.6, 3.4), (0.0, 0.8))
CHAIR = Block((3.0, 3.4), (4.5, 4.9), (0.0, 0.8))


@pytest.mark.parametrize('footprint', ['', SQUARE])
@pytest.mark.parametrize(('unknown', 'refused'), [
    ((3.0, 2.5, 3.6, 3.5), True), ((3.0, 3.1, 3.6, 3.6), True), ((3.0, 3.4, 3.6, 3.9), False),
    (None, False)])
def test_robot_of_any_shape_is_led_over_no_unknown_floor(
        footprint: str, unknown: tuple[float, float, float, float] | None, refused: bool) -> None:
    made = known(CHAIR, unknown=unknown, footprint=footprint)
    rejection = judged(made, (6.0, 3.0))
    assert (rejection is not None) is refused
    if rejection is not None:
        assert rejection.code is Code.PATH_INVALID and 'unknown floor at (' in rejection.reason


@pytest.mark.parametrize('footprint', ['', SQUARE])
def test_robot_of_any_shape_is_led_past_things_and_not_into_them(footprint: str) -> None:
    made = known(TABLE, footprint=footprint)
    rejection = judged(made, (6.0, 3.0))
    assert rejection is not None and rejection.code is Code.PATH_INVALID
    assert 'would come over something at (' in rejection.reason
    assert judged(made, (2.0, 4.2), (5.0, 4.2), (6.0, 3.0)) is None


def test_round_robot_gets_away_from_what_it_touches_and_from_what_is_unknown_under_it() -> None:
    beside = Block((0.9, 1.1), (3.15, 3.3), (0.0, 0.8))
    assert judged(known(beside), (6.0, 3.0)) is None
    assert judged(known(unknown=(0.9, 2.9, 1.1, 3.1)), (6.0, 3.0)) is None
    ahead = Block((1.3, 1.4), (2.9, 3.1), (0.0, 0.8))
    assert judged(known(beside, ahead), (6.0, 3.0)) is not None


def test_path_is_no_longer_than_a_way_may_be() -> None:
    made = known(way_max_m=8.0)
    assert judged(made, (6.0, 3.0)) is None
    rejection = judged(made, (2.0, 1.0), (5.0, 1.0), (6.0, 3.0), (5.0, 5.0))
    assert rejection is not None and rejection.code is Code.TOO_FAR
    assert rejection.reason == 'the path to (5.00, 5.00) is 10 m long'


@given(st.floats(0.0, 0.6), st.floats(0.3, 0.6))
def test_unknown_floor_counts_from_as_near_as_the_robot_is_wide(away_m: float,
                                                                wide_m: float) -> None:
    made = known(CHAIR, unknown=(3.0, 3.0 + away_m, 3.0 + wide_m, 3.9 + away_m))
    around = made.surroundings
    met = RoundBody(around.map, around.costmap, START).met_along(
        np.array([(1.0, 3.0), (6.0, 3.0)]))
    # To a cell, of which the middle counts.
    if away_m <= RADIUS_M - 0.1:
        assert met is not None and met.code is Code.UNKNOWN_SPACE
    if away_m >= RADIUS_M + 0.05:
        assert met is None
