"""The floor of a look tells of a wrong focal length, unit, height or tilt."""

from dataclasses import replace

import numpy as np
import pytest
from builders import CAMERA, Block, Room, frozen, tilted

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.floor_shown import ShownFloor, floor_shown

HERE = Pose2D(2.0, 3.0, 0.0)
TABLE = Block((2.5, 4.0), (0.5, 5.5), (0.0, 0.7))


def look(down_rad: float = 0.2, *, blocks: tuple[Block, ...] = (), times: float = 1.0,
         hidden: bool = False) -> LookFrozen:
    base_T_camera = tilted(down_rad)
    depth = Room().depth(Transform.from_pose(HERE) @ base_T_camera, CAMERA, blocks)
    if hidden:
        depth = np.zeros_like(depth)
    return frozen('look', (depth * times).astype(np.uint16), HERE, base_T_camera)


def zoomed(times: float, down_rad: float = 0.0) -> LookFrozen:
    """Return a look whose camera_info has another focal length than its depth."""
    return replace(look(down_rad), intrinsics=replace(
        CAMERA, fx=CAMERA.fx * times, fy=CAMERA.fy * times))


def moved(up_m: float, down_rad: float) -> LookFrozen:
    """Return a look whose TF has the camera higher, or turned down more, than it is."""
    right = look()
    by = Transform((0.0, 0.0, up_m), (0.0, 0.0, 0.0, 1.0))
    return replace(right, odom_T_camera=by @ Transform.from_pose(HERE) @ tilted(
        0.2 + down_rad))


@pytest.mark.parametrize('right', [
    look(), look(0.0), look(0.4), look(blocks=(Block((3.5, 4.0), (2.5, 3.5)),)), moved(0.03, 0.01),
    zoomed(1.03)])
def test_floor_lies_where_it_is(right: LookFrozen) -> None:
    assert floor_shown(right) == ShownFloor(there=True)


@pytest.mark.parametrize(('wrong', 'side'), [
    (zoomed(1.5), 'above'), (zoomed(0.65), 'below'), (look(times=0.5), 'above'),
    (look(times=10.0), 'below'), (moved(0.5, 0.0), 'above'), (moved(-0.5, 0.0), 'below')])
def test_floor_that_lies_elsewhere_tells_of_a_wrong_geometry(wrong: LookFrozen, side: str) -> None:
    floor = floor_shown(wrong)
    assert floor.grave and f'm {side} that of TF' in str(floor) and len(str(floor)) < 300


@pytest.mark.parametrize(('off', 'words'), [
    (moved(0.25, 0.0), '0.25 m above that of TF, tilted by 0'),
    (zoomed(1.5, 0.2), '0.20 m above that of TF, tilted by 4'),
    (moved(0.0, 0.15), '0.34 m below that of TF, tilted by 7')])
def test_floor_that_is_off_is_grave_only_by_a_third_of_the_height(
        off: LookFrozen, words: str) -> None:
    floor = floor_shown(off)
    assert words in str(floor) and floor.grave is (abs(floor.above_m) > 0.3)


@pytest.mark.parametrize('nowhere', [
    look(hidden=True), look(-0.5), look(blocks=(Block((2.6, 2.7), (0.0, 6.0), (0.0, 2.0)),)),
    look(blocks=(TABLE,)), replace(look(), depth_mm=np.zeros((0, 0), np.uint16))])
def test_floor_that_is_hidden_tells_nothing(nowhere: LookFrozen) -> None:
    assert floor_shown(nowhere) == ShownFloor() and not str(floor_shown(nowhere))
