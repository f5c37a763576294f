"""The picture of a mission from above: what it says is what can be counted on it."""

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.show.mission_pictures import MissionSketch, draw_map, places_in_words
from semantic_nav.sim.truth_client import Overview

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
