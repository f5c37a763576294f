"""What a camera shows again though it moved."""

import math

import numpy as np
import pytest

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.verify.events import LookFrozen, Scan
from semantic_nav.verify.grounding.repeats import Repeats, fingerprint_of

#: Of a camera that looks ahead: z ahead, x to the right.
LEVEL = Transform((0.0, 0.0, 1.0), (-0.5, 0.5, -0.5, 0.5))


def seen_from(x: float, y: float, yaw: float) -> Transform:
    return Transform.from_pose(Pose2D(x, y, yaw)) @ LEVEL


@pytest.mark.parametrize(('pose', 'words'), [
    ((1.0, 2.0, 0.5), ''), ((1.02, 2.02, 0.55), ''),
    # Along a wall a camera without noise sees the same for long.
    ((1.0 - math.sin(0.5), 2.0 + math.cos(0.5), 0.5), ''),
    ((1.0, 2.0, 0.7), '0.0 m and 11 degrees'), ((1.0, 2.0, 0.5 - math.pi), '0.0 m and 180'),
    ((1.0 + math.cos(0.5), 2.0 + math.sin(0.5), 0.5), '1.0 m and 0 degrees')])
def test_camera_that_moved_shows_something_else(pose: tuple[float, float, float],
                                                words: str) -> None:
    repeats = Repeats()
    assert repeats.moved('a', seen_from(1.0, 2.0, 0.5)) == ''
    assert words in (moved := repeats.moved('a', seen_from(*pose))) and bool(moved) is bool(words)
    assert repeats.moved('b', seen_from(*pose)) == ''


def test_steps_that_are_small_add_up() -> None:
    repeats = Repeats()
    told = [repeats.moved('a', seen_from(0.0, 0.0, 0.04 * step)) for step in range(4)]
    assert [bool(words) for words in told] == [False, False, False, True]


def test_what_tells_nothing_is_no_repetition() -> None:
    repeats = Repeats()
    for pose in ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)):
        assert repeats.moved('', seen_from(*pose)) == ''


def look(depth_mm: np.ndarray, ranges_m: np.ndarray | None = None) -> LookFrozen:
    here = Transform.identity()
    scan = None if ranges_m is None else Scan(ranges_m.astype(np.float32), 0.0, 0.1, here)
    return LookFrozen('look-1', depth_mm, Intrinsics(8, 4, 10.0, 10.0, 4.0, 2.0), here, here, scan)


def test_equal_measurements_have_one_fingerprint() -> None:
    depth = np.arange(1, 33, dtype=np.uint16).reshape(4, 8)
    assert fingerprint_of(look(depth)) == fingerprint_of(look(depth.copy())) != ''
    assert fingerprint_of(look(depth)) != fingerprint_of(look(depth + np.uint16(1)))
    assert fingerprint_of(look(np.zeros_like(depth))) == '', 'it is blind'
    ranges = np.array([1.0, 2.0, np.inf])
    none = np.zeros((0, 0), np.uint16)
    assert fingerprint_of(look(none, ranges)) == fingerprint_of(look(none, ranges.copy())) != ''
    assert fingerprint_of(look(none, np.full(3, np.inf))) == '', 'it meets nothing'
