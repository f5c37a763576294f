"""A look is evidence: how likely a thing was overlooked, by distance and by place."""

import numpy as np
import pytest

from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.explore.overlooked import AGAIN, BLIND_M, EYESIGHTS, Eyesight, Overlooked, Shown

EYES = Eyesight(share=1.0, recall=0.8, sure_m=2.0, blind_m=6.0)
#: Rows and columns of cells 1 m and 4 m before the place of the first look.
NEAR, FAR = (5, 15), (5, 45)


def grid_of(height: int = 20, width: int = 80, x: float = 0.0) -> OccupancyGrid:
    return OccupancyGrid(np.zeros((height, width), np.int8), 0.1, x, 0.0, 'map', 0)


def look(before: Overlooked, x: float = 0.55) -> Overlooked:
    """Return it after a look along +x that showed both cells."""
    shown = np.zeros(before.grid.shape, np.bool_)
    shown[NEAR] = shown[FAR] = True
    return before.after(Shown.of(shown, before.grid, (x, 0.55)))


def test_chance_falls_with_the_distance() -> None:
    chances = EYES.chance(np.array([0.5, 2.0, 4.0, 6.0, 9.0]))
    assert chances == pytest.approx([0.8, 0.8, 0.4, 0.0, 0.0])


def test_what_a_look_shows_from_nearby_is_overlooked_less_than_what_is_far() -> None:
    after = look(Overlooked.none(EYES, grid_of()))
    assert after.chance[NEAR] == pytest.approx(0.2)
    assert after.chance[FAR] == pytest.approx(0.6)
    assert (after.chance == 1.0).sum() == after.chance.size - 2


def test_nothing_is_ever_struck_out() -> None:
    after = Overlooked.none(EYES, grid_of())
    for step in range(6):
        after = look(after, 0.55 + 0.6 * (step % 2))
    assert 0.0 < after.chance[NEAR] < after.chance[FAR] < 0.2


def test_second_look_from_the_same_place_tells_little() -> None:
    first = look(Overlooked.none(EYES, grid_of()))
    same, other = look(first), look(first, 1.15)
    assert same.chance[NEAR] == pytest.approx(0.2 * (1 - AGAIN * 0.8))
    assert other.chance[NEAR] == pytest.approx(0.2 * 0.2)


def test_coming_nearer_from_about_the_same_place_tells_what_is_new() -> None:
    first = look(Overlooked.none(EYES, grid_of()))
    nearer = look(first, 0.95)
    # 0.4 from 4 m and 0.48 from 3.6 m; what both would have shown was shown once.
    assert nearer.chance[FAR] == pytest.approx(1 - 0.48)


def test_order_of_looks_from_places_apart_does_not_matter() -> None:
    there = look(look(Overlooked.none(EYES, grid_of()), 0.55), 1.55)
    back = look(look(Overlooked.none(EYES, grid_of()), 1.55), 0.55)
    assert np.allclose(there.chance, back.chance)


def test_what_was_looked_at_stays_where_it_is_when_the_map_grows() -> None:
    before = look(Overlooked.none(EYES, grid_of()))
    after = before.over(grid_of(20, 90, x=-1.0))
    assert after.chance.shape == (20, 90)
    assert after.chance[5, 25] == before.chance[NEAR] and after.chance[NEAR] == 1.0
    again = look(before).chance[NEAR]
    shown = np.zeros(after.grid.shape, np.bool_)
    shown[5, 25] = True
    same = after.after(Shown.of(shown, after.grid, (0.55, 0.55)))
    assert same.chance[5, 25] == pytest.approx(again), 'it knows from where was looked'


def test_map_of_another_resolution_begins_anew() -> None:
    before = look(Overlooked.none(EYES, grid_of()))
    coarse = OccupancyGrid(np.zeros((10, 40), np.int8), 0.2, 0.0, 0.0, 'map', 0)
    assert (before.over(coarse).chance == 1.0).all()


@pytest.mark.parametrize('x', [-9.0, -1.0, 0.5, 9.0])
def test_maps_that_overlap_a_little_or_not_at_all(x: float) -> None:
    before = look(Overlooked.none(EYES, grid_of()))
    after = before.over(grid_of(15, 80, x))
    column = NEAR[1] - round(x / 0.1)
    assert (after.chance < 1.0).sum() <= 2
    if 0 <= column < 80:
        assert after.chance[NEAR[0], column] == before.chance[NEAR]


def test_where_keen_eyes_would_have_found_it_poor_ones_are_likelier() -> None:
    """What was seen from afar is then worth a look from nearby, more than at the start."""
    assert sum(eyes.share for eyes in EYESIGHTS) == pytest.approx(1.0)
    assert max(eyes.blind_m for eyes in EYESIGHTS) == BLIND_M
    chances = [look(Overlooked.none(eyes, grid_of()), 3.05).chance[FAR] * eyes.share
               for eyes in EYESIGHTS]
    keen, poor = chances
    assert poor > 2.0 * keen, 'at 1.5 m keen eyes see it surely, poor ones less so'
