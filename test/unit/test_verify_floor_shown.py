"""The floor of a look tells of a wrong focal length, unit, height or tilt."""

import math
from dataclasses import replace

import numpy as np
import pytest
from builders import CAMERA, Block, Room, frozen, tilted

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.verify.events import LookFrozen
from semantic_nav.verify.grounding.floor_shown import ShownFloor, floor_shown

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


#: Leaves no plane of the floor, and hides most of what is near.
FURNITURE = (Block((3.3, 3.9), (2.6, 3.4), (0.0, 0.75)), Block((4.5, 5.0), (3.8, 4.6), (0.0, 0.5)))


@pytest.mark.parametrize('times', [2.0, 4.0, 10.0])
@pytest.mark.parametrize('down_rad', [0.0, 0.3])
def test_unit_is_named_where_furniture_leaves_no_plane(times: float, down_rad: float) -> None:
    floor = floor_shown(look(down_rad, blocks=FURNITURE, times=times))
    assert floor.grave and not floor.there
    assert f'as if it counted {1.0 / times:g} mm' in str(floor) and len(str(floor)) < 300
    assert not str(floor_shown(look(down_rad, blocks=FURNITURE)))


@pytest.mark.parametrize('table_m', [0.7, 0.75, 0.8])
@pytest.mark.parametrize('times', [2.0, 4.0, 10.0])
def test_table_before_the_camera_does_not_hide_a_finer_unit(times: float, table_m: float) -> None:
    table = Block((3.1, 3.9), (2.4, 3.6), (0.0, table_m))
    floor = floor_shown(look(0.0, blocks=(table,), times=times))
    assert floor.grave and 'm below' in str(floor)


def test_steps_down_are_told_and_refuse_nothing() -> None:
    """From 2.5 m on the floor lies 1 m lower, as far as a depth camera measures."""
    base_T_camera = tilted(0.2)
    map_T_camera = Transform.from_pose(HERE) @ base_T_camera
    depths = [Room(40.0, 40.0).depth(Transform((20.0, 20.0, height_m), map_T_camera.rotation),
                                     CAMERA) for height_m in (1.0, 2.0)]
    shown = np.where(depths[0] < 2500, *depths)
    floor = floor_shown(frozen('look', np.where(shown < 8000, shown, np.uint16(0)), HERE,
                               base_T_camera))
    assert 'steps' in str(floor) and not floor.grave


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


#: The ceiling of a room that has one.
CEILING = Block((0.0, 8.0), (0.0, 6.0), (2.5, 2.6))


def rolled(true_deg: int, told_deg: int, down_rad: float, height_m: float,
           blocks: tuple[Block, ...]) -> LookFrozen:
    """Return a look of a camera that is turned about its axis otherwise than TF says."""
    up = Transform((0.0, 0.0, height_m - 1.0), (0.0, 0.0, 0.0, 1.0))
    true, told = (up @ tilted(down_rad) @ Transform(
        (0.0, 0.0, 0.0), (0.0, 0.0, math.sin(math.radians(deg) / 2.0),
                          math.cos(math.radians(deg) / 2.0))) for deg in (true_deg, told_deg))
    return frozen('look', Room().depth(Transform.from_pose(HERE) @ true, CAMERA, blocks), HERE,
                  told)


@pytest.mark.parametrize(('height_m', 'blocks'), [
    (1.0, ()), (1.0, FURNITURE), (0.4, (*FURNITURE, CEILING))])
@pytest.mark.parametrize('down_rad', [0.0, 0.3])
@pytest.mark.parametrize(('true_deg', 'told_deg'), [
    (90, 0), (180, 0), (270, 0), (0, 90), (0, 180), (0, 270)])
def test_roll_that_contradicts_tf_is_named(
        true_deg: int, told_deg: int, down_rad: float, height_m: float,
        blocks: tuple[Block, ...]) -> None:
    floor = floor_shown(rolled(true_deg, told_deg, down_rad, height_m, blocks))
    assert floor == ShownFloor(grave=True, roll_deg=(true_deg - told_deg) % 360)
    assert f'by {floor.roll_deg} degrees about its z axis' in str(floor)
    assert ('upside down' in str(floor)) is (floor.roll_deg == 180) and len(str(floor)) < 300


@pytest.mark.parametrize('blocks', [
    FURNITURE, (*FURNITURE, CEILING), (TABLE, CEILING)])
@pytest.mark.parametrize('deg', [0, 90, 180])
@pytest.mark.parametrize('down_rad', [0.0, 0.3])
@pytest.mark.parametrize('height_m', [0.4, 1.25])
def test_roll_that_tf_knows_is_no_fault(deg: int, down_rad: float, height_m: float,
                                        blocks: tuple[Block, ...]) -> None:
    """A ceiling may be as far above the camera as the floor is below it, and that be hidden."""
    assert not floor_shown(rolled(deg, deg, down_rad, height_m, blocks)).roll_deg


@pytest.mark.parametrize('times', [0.0, 1.0])
def test_ceiling_is_no_floor_where_that_is_not_seen(times: float) -> None:
    """What is near below the camera is hidden by a table, or nearer than depth measures."""
    shown = rolled(0, 0, 0.0, 1.25, (TABLE, CEILING))
    depth = shown.depth_mm.copy()
    depth[60:] = (depth[60:] * times).astype(np.uint16)
    assert not str(floor_shown(replace(shown, depth_mm=depth)))


@pytest.mark.parametrize('base_m', [-0.3, 0.4])
def test_odometry_that_climbed_is_named_in_place_of_the_camera(base_m: float) -> None:
    """A 3D odometry drifts up or down, and the camera with it (spot_ros issue 71)."""
    shown = rolled(0, 0, 0.2, 1.0, ())
    by = Transform((0.0, 0.0, base_m), (0.0, 0.0, 0.0, 1.0))
    floor = floor_shown(replace(shown, odom_T_camera=by @ shown.odom_T_camera,
                                odom_T_base=by @ shown.odom_T_base))
    assert f'has the robot {base_m:.2f} m high' in str(floor) and 'two_d_mode' in str(floor)
    assert 'as if the camera sat' not in str(floor) and len(str(floor)) < 300


@pytest.mark.parametrize(('true_m', 'told_m', 'grave'), [
    (1.0, 0.3, True), (1.0, 0.05, True), (1.0, 0.0, True), (1.0, -0.05, True),
    # base_link is at the height of an axle, and TF does not tell that.
    (0.15, -0.05, False), (0.3, -0.05, False)])
@pytest.mark.parametrize('blocks', [(), FURNITURE])
def test_height_of_the_camera_is_named_before_the_unit(
        true_m: float, told_m: float, grave: bool, blocks: tuple[Block, ...]) -> None:
    shown = rolled(0, 0, 0.2, true_m, blocks)
    lower = Transform((0.0, 0.0, told_m - true_m), (0.0, 0.0, 0.0, 1.0))
    floor = floor_shown(replace(shown, odom_T_camera=lower @ shown.odom_T_camera))
    height = f'm high, not {told_m:.2f} m'
    assert floor.grave is grave and height in str(floor) and len(str(floor)) < 300
    assert str(floor).index(height) < str(floor).index('unit of the depth')
