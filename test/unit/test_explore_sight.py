"""What looks show by the map."""

import numpy as np
import pytest
from builders import Block, Room

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.explore.sight import Eye, seen_from_two_places, visible_cells

EYE = Pose2D(2.0, 3.0, 0.0)
HALF_RAD, RANGE_M = 0.6, 3.0


def twice(*eyes: Pose2D, room: Room | None = None) -> np.ndarray:
    return seen_from_two_places((room or Room()).map(), [Eye(one, HALF_RAD) for one in eyes],
                                RANGE_M)


def seen(eye: Pose2D) -> np.ndarray:
    return visible_cells(Room().map(), (eye.x, eye.y), eye.yaw, HALF_RAD, RANGE_M)


@pytest.mark.parametrize('eyes', [
    (), (EYE,), (EYE, EYE), (EYE, Pose2D(2.0, 3.0, 0.3)), (EYE, Pose2D(2.0, 3.4, 0.0))])
def test_looks_from_one_place_are_one(eyes: tuple[Pose2D, ...]) -> None:
    assert not twice(*eyes).any()


def test_cells_that_two_looks_from_apart_share_are_seen_from_two_places() -> None:
    other = Pose2D(2.0, 3.6, -0.2)
    assert (twice(EYE, other) == (seen(EYE) & seen(other))).all()
    assert (twice(EYE, EYE, other) == twice(EYE, other)).all()


def test_looks_that_share_nothing_are_no_second_ones() -> None:
    assert not twice(EYE, Pose2D(1.0, 3.0, 3.1)).any()


def test_wall_hides_from_the_second_place_too() -> None:
    room = Room(blocks=[Block((3.0, 3.1), (0.0, 6.0))])
    found = twice(EYE, Pose2D(4.0, 3.0, 0.0), room=room)
    assert not found.any()
