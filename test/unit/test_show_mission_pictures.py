"""The picture of a mission from above: what it says is what can be counted on it."""

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.show.house import House, Rectangle
from semantic_nav.show.mission_pictures import (
    MissionSketch,
    Overview,
    _numbered,
    draw_map,
    places_in_words,
)

START, END = Pose2D(1.0, 1.0, 0.0), Pose2D(3.0, 2.0, 1.0)
#: The colour of a remembered place, and the height of the legend below the map.
GREEN, LEGEND_PX = (20, 150, 90), 92


def dots(*places: Pose2D) -> int:
    """Count the places that can be seen on the map."""
    overview = Overview(Image.new('RGB', (80, 60), (200, 200, 200)), 0.0, 0.0, 0.05)
    drawn = draw_map(overview, MissionSketch(
        'find it', 'seed 1', (START, END), places, (), (2.0, 2.0), END))
    colours = np.asarray(drawn)[:-LEGEND_PX]
    return int(ndimage.label((colours == GREEN).all(axis=2))[1])


@pytest.mark.parametrize(('places', 'seen', 'words'), [
    ((), 0, '0 places remembered'),
    ((START,), 1, '1 place remembered'),
    ((START, END), 2, '2 places remembered'),
    ((START, START, Pose2D(1.0, 1.0, 2.0)), 1, '3 places remembered at 1 spot'),
    ((START, Pose2D(1.05, 1.05, 0.0), END, Pose2D(2.0, 1.0, 0.0), END), 3,
     '5 places remembered at 3 spots')])
def test_words_and_dots_agree(places: tuple[Pose2D, ...], seen: int, words: str) -> None:
    assert dots(*places) == seen
    assert places_in_words(places) == words


def test_house_is_what_the_truth_tells() -> None:
    corners = {'x0': 0.0, 'y0': 1.0, 'x1': 2.0, 'y1': 3.0}
    house = House.of({'rooms': [{**corners, 'name': 'hall_1', 'kind': 'hall'}],
                      'doorways': [corners]})
    assert house == House((Rectangle(0.0, 1.0, 2.0, 3.0, 'hall'),),
                          (Rectangle(0.0, 1.0, 2.0, 3.0),))


def test_doorway_is_seen_and_a_room_is_named() -> None:
    overview = Overview(Image.new('RGB', (80, 60), (100, 100, 100)), 0.0, 0.0, 0.05)
    plain = MissionSketch('find it', 'seed 1', (), (), (), None, END)
    marked = MissionSketch('find it', 'seed 1', (), (), (), None, END, (), House(
        (Rectangle(0.0, 0.0, 2.0, 2.0, 'hall'),), (Rectangle(1.0, 2.0, 1.8, 2.2),)))
    without, drawn = (np.asarray(draw_map(overview, one)).astype(int)[:-LEGEND_PX]
                      for one in (plain, marked))
    rows, columns = np.nonzero((without != drawn).any(axis=2))
    x_m, y_m = columns / 90.0, (drawn.shape[0] - rows) / 90.0
    door = (x_m > 0.98) & (x_m < 1.82) & (y_m > 1.98) & (y_m < 2.22)
    assert door.sum() > 0.9 * 72 * 18
    name = (x_m < 2.0) & (y_m < 1.0)
    assert name.sum() > 100 and (door | name).all()


def test_few_looks_bear_their_number_and_no_two_in_one_place() -> None:
    looks = [Pose2D(0.1 * step, 0.0, 0.0) for step in range(100)]
    numbered = _numbered(looks)
    assert numbered[0] == (1, looks[0]) and 8 <= len(numbered) <= 20
    assert all(looks[number - 1] == pose for number, pose in numbered)
    assert _numbered([START] * 30) == [(1, START)] and _numbered([]) == []
