"""Where a target may still be, told in squares."""

from dataclasses import replace

import numpy as np
import pytest
from builders import Block, Room

from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.likely_squares import SQUARE_M, likely_squares


def test_before_any_look_only_what_stands_there_makes_a_difference() -> None:
    grid = Room(blocks=(Block((2.0, 4.0), (2.0, 3.0)),)).map()
    squares = likely_squares(GoalCoverage.none(grid), ())
    share = {(one.x, one.y): one.share for one in squares}
    assert max(share.values()) == 1.0
    on_table = [value for (x, y), value in share.items() if 2.5 < x < 3.5 and 2.2 < y < 2.8]
    on_floor = [value for (x, y), value in share.items() if 5.0 < x < 7.0 and 2.0 < y < 4.0]
    assert on_table and on_floor and min(on_table) > max(on_floor)
    xs = sorted({one.x for one in squares})
    assert np.diff(xs) == pytest.approx(SQUARE_M)


def test_what_was_looked_at_is_less_likely_and_a_sighting_more() -> None:
    grid = Room().map()
    before = GoalCoverage.none(grid)
    chances = np.ones(grid.shape)
    chances[:, :grid.shape[1] // 2] = 0.2
    looked = replace(before, overlooked=tuple(
        replace(one, chance=chances) for one in before.overlooked))
    middle_m = grid.shape[1] * grid.resolution_m / 2
    inside = [one for one in likely_squares(looked, ()) if 1.0 < one.y < 3.0
              and 1.0 < one.x < 2 * middle_m - 1.0 and abs(one.x - middle_m) > SQUARE_M]
    west, east = ([one.share for one in inside if (one.x < middle_m) is side]
                  for side in (True, False))
    assert max(west) == pytest.approx(0.2 * min(east), rel=0.05)
    likeliest = max(likely_squares(looked, [(1.5, 2.0)]), key=lambda one: one.share)
    assert abs(likeliest.x - 1.5) < SQUARE_M and abs(likeliest.y - 2.0) < SQUARE_M
