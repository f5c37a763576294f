"""From a box and a depth picture to a place, against geometry that is known."""

import math

import numpy as np
import pytest
from builders import CAMERA, Block, Room, base_T_CAMERA, box_of, mounted, project, tilted
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import uniform_filter
from strategies import examples

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.errors import GroundingError
from semantic_nav.contracts.geometry import Pose2D, Transform, wrap_angle
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding.camera_view import CameraView
from semantic_nav.verify.grounding.grounding import (
    PICTURE_MARGIN,
    Grounded,
    box_bearing,
    ground_box,
    overlooks,
)

CONFIG = VerifierConfig()
ROBOT = Pose2D(2.0, 3.0, 0.0)
FINE = Intrinsics(640, 480, 480.0, 480.0, 319.5, 239.5)


def rolled(roll_rad: float) -> Transform:
    """Return a turn of a camera about its axis."""
    return Transform((0.0, 0.0, 0.0), (0.0, 0.0, math.sin(roll_rad / 2), math.cos(roll_rad / 2)))


def picture(block: Block, robot: Pose2D = ROBOT, camera: Intrinsics = CAMERA,
            base_T_camera: Transform = base_T_CAMERA, room: Room | None = None):
    """Return depth, camera pose and the box of a block in a room."""
    map_T_camera = Transform.from_pose(robot) @ base_T_camera
    depth = (room or Room()).depth(map_T_camera, camera, [block])
    return depth, map_T_camera, box_of(map_T_camera, camera, block)


@pytest.mark.parametrize('yaw', [0.0, 0.7, -2.0, math.pi])
@pytest.mark.parametrize('distance_m', [0.8, 2.0, 3.0])
@pytest.mark.parametrize('tilt_rad', [0.0, 0.2])
def test_board_is_found_to_the_centimetre(yaw: float, distance_m: float, tilt_rad: float) -> None:
    """A thin upright board square to the camera, at a place that is known."""
    robot = Pose2D(4.0, 3.0, yaw)
    height_m = 1.0 - math.tan(tilt_rad) * distance_m
    base_T_camera = tilted(tilt_rad)
    map_T_camera = Transform.from_pose(robot) @ base_T_camera
    # What the camera sees of a plane at a known depth, without a renderer in between.
    depth_m = distance_m * math.cos(tilt_rad) + (1.0 - height_m) * math.sin(tilt_rad)
    depth = np.full((FINE.height_px, FINE.width_px), round(depth_m * 1000), np.uint16)
    expected = map_T_camera.apply(np.array([0.0, 0.0, depth_m]))
    found = ground_box((400, 400, 600, 600), depth, FINE, map_T_camera, CONFIG)
    np.testing.assert_allclose(found.position, expected, atol=0.01)
    assert found.distance_m == pytest.approx(depth_m, abs=0.02)
    assert not found.provisional


@pytest.mark.parametrize(('camera', 'heading', 'base_T_camera'), [
    (FINE, 0.0, base_T_CAMERA),
    (CAMERA, math.pi / 2, mounted(math.pi / 2, 0.0, 0.2)),
    (Intrinsics(320, 200, 310.0, 290.0, 140.0, 110.0), -1.0, mounted(-1.0, 0.15, -0.2, 1.3, 0.3)),
    (Intrinsics(200, 320, 150.0, 150.0, 99.5, 150.0), math.pi, mounted(math.pi, -0.4, 0.1, 0.6)),
    (Intrinsics(640, 360, 200.0, 200.0, 319.5, 179.5), 2.2, mounted(2.2, -0.2, 0.3, 1.1, -0.1))])
@pytest.mark.parametrize('off_rad', [-0.2, 0.0, 0.2])
def test_each_camera_finds_a_thing_at_the_same_place(
        camera: Intrinsics, heading: float, base_T_camera: Transform, off_rad: float) -> None:
    """Beside the axis too; the robot is turned so that this camera has it in the picture."""
    post = Block((4.97, 5.03), (3.97, 4.03), (0.6, 1.2))
    towards = math.atan2(4.0 - ROBOT.y, 5.0 - ROBOT.x)
    robot = Pose2D(ROBOT.x, ROBOT.y, towards - heading + off_rad)
    depth, map_T_camera, box = picture(post, robot, camera, base_T_camera)
    found = ground_box(box, depth, camera, map_T_camera, CONFIG)
    assert math.dist(found.position[:2], (5.0, 4.0)) < 0.05
    assert found.position[2] == pytest.approx(0.9, abs=0.1)
    off = box_bearing(box, camera, base_T_camera) - robot.bearing_to(5.0, 4.0)
    assert abs(wrap_angle(off)) < 0.15


@pytest.mark.parametrize(('column', 'row'), [(0, 0), (79, 59), (159, 119), (20, 100)])
def test_pixel_lies_where_camera_info_says(column: int, row: int) -> None:
    """The middle of the upper left pixel is (0, 0), as with OpenCV."""
    depth = np.zeros((120, 160), np.uint16)
    depth[row, column] = 2000
    box = (column / 0.16, row / 0.12, (column + 1) / 0.16, (row + 1) / 0.12)
    found = ground_box(box, depth, CAMERA, Transform.identity(), CONFIG)
    np.testing.assert_allclose(found.position, [
        (column - CAMERA.cx) / CAMERA.fx * 2.0, (row - CAMERA.cy) / CAMERA.fy * 2.0, 2.0])
    u, v = project(Transform.identity(), CAMERA, found.position)
    assert (u, v) == (pytest.approx(column), pytest.approx(row))


def test_floor_at_the_depth_of_a_thing_is_no_part_of_it() -> None:
    """Under a table that is seen from above the floor is as far off as its edge."""
    top = Block((3.6, 4.4), (2.6, 3.4), (0.68, 0.72))
    legs = [Block((x, x + 0.04), (y, y + 0.04), (0.0, 0.68))
            for x in (3.6, 4.36) for y in (2.6, 3.36)]
    depth, map_T_camera, box = picture(
        Block((3.6, 4.4), (2.6, 3.4), (0.0, 0.72)), Pose2D(2.0, 3.0, 0.0), FINE, tilted(0.2))
    depth = Room(blocks=[top, *legs]).depth(map_T_camera, FINE)
    assert ground_box(box, depth, FINE, map_T_camera, CONFIG).position[2] > 0.5


def test_large_box_is_read_in_steps_and_found_where_it_was() -> None:
    big = Intrinsics(1280, 960, 960.0, 960.0, 639.5, 479.5)
    block = Block((3.2, 3.3), (2.6, 3.4), (0.6, 1.4))
    found = []
    for camera in (CAMERA, big):
        depth, map_T_camera, box = picture(block, camera=camera)
        found.append(ground_box(box, depth, camera, map_T_camera, CONFIG).position)
    np.testing.assert_allclose(*found, atol=0.02)


@pytest.mark.parametrize('block', [
    Block((4.0, 4.1), (2.9, 3.1), (0.9, 1.1)),
    Block((4.0, 4.1), (3.4, 3.6), (0.7, 0.9)),
    Block((3.5, 3.6), (2.2, 2.4), (1.1, 1.3))])
def test_box_in_a_room_is_found_to_a_few_centimetres(block: Block) -> None:
    depth, map_T_camera, box = picture(block, camera=FINE)
    found = ground_box(box, depth, FINE, map_T_camera, CONFIG)
    front = (block.x[0], sum(block.y) / 2, sum(block.z) / 2)
    np.testing.assert_allclose(found.position, front, atol=0.05)
    assert all(0 < sigma < 0.15 for sigma in found.sigma_m)


def test_small_thing_is_not_taken_for_the_wall_behind_it() -> None:
    block = Block((4.0, 4.08), (2.96, 3.04), (0.96, 1.04))
    depth, map_T_camera, box = picture(block)
    x1, y1, x2, y2 = box
    loose = (x1 - 3, y1 - 3, x2 + 3, y2 + 3)
    found = ground_box(loose, depth, CAMERA, map_T_camera, CONFIG)
    assert found.position[0] == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize('off', [
    (-0.05, -0.05, 0.05, 0.05), (-0.12, 0.0, 0.12, 0.0), (0.1, 0.1, 0.1, 0.1),
    (-0.15, -0.1, 0.05, 0.05), (0.0, -0.12, 0.1, 0.12)])
@pytest.mark.parametrize('holes', [0.0, 0.3])
def test_box_that_is_off_is_not_grounded_on_the_wall_behind(
        off: tuple[float, ...], holes: float) -> None:
    """A mug 2.2 m off, 0.95 m before a wall, in a box whose edges are off by shares of it."""
    mug = Block((4.2, 4.28), (2.94, 3.06), (0.94, 1.06))
    robot = Pose2D(1.9, 3.0, 0.0)
    depth, map_T_camera, box = picture(mug, robot, FINE, room=Room(
        blocks=[Block((5.15, 5.2), (0.0, 6.0), (0.0, 2.5))]))
    depth[np.random.default_rng(1).random(depth.shape) < holes] = 0
    width, height = box[2] - box[0], box[3] - box[1]
    poor = tuple(np.add(box, np.multiply(off, (width, height, width, height))).tolist())
    found = ground_box(poor, depth, FINE, map_T_camera, CONFIG)
    assert found.position[0] == pytest.approx(4.2, abs=0.1) and not found.unclear


def test_wall_behind_a_thing_that_fills_less_than_its_box_is_not_what_is_meant() -> None:
    """The thing ends within the sides of the box; what goes on beside them only hides."""
    mug = Block((4.2, 4.28), (2.94, 3.06), (0.94, 1.06))
    wall = Room(blocks=[Block((5.15, 5.2), (0.0, 6.0), (0.0, 2.5))])
    depth, map_T_camera, (x1, y1, x2, y2) = picture(mug, Pose2D(1.9, 3.0, 0.0), FINE, room=wall)
    wide, high = 0.25 * (x2 - x1), 0.1 * (y2 - y1)
    found = ground_box((x1, y1 - high, x2 + wide, y2 + high), depth, FINE, map_T_camera, CONFIG)
    assert found.position[0] == pytest.approx(4.2, abs=0.1)


@pytest.mark.parametrize('off_px', [-12, 0, 12])
def test_back_of_a_chair_is_clear_though_one_sees_through_it(off_px: int) -> None:
    """Depth that is not registered shows it some pixels beside its box."""
    bars = [Block((4.0, 4.04), (2.75, 3.25), (z, z + 0.07)) for z in (0.75, 0.9, 1.05)]
    posts = [Block((4.0, 4.04), (y, y + 0.06), (0.6, 1.12)) for y in (2.75, 3.19)]
    whole = Block((4.0, 4.04), (2.75, 3.25), (0.75, 1.12))
    _, map_T_camera, (x1, y1, x2, y2) = picture(whole, camera=FINE)
    off = off_px / FINE.width_px * 1000.0
    depth = Room(blocks=[*bars, *posts]).depth(map_T_camera, FINE)
    found = ground_box((x1 + off, y1, x2 + off, y2), depth, FINE, map_T_camera, CONFIG)
    assert not found.unclear and found.position[0] == pytest.approx(4.0, abs=0.05)


@pytest.mark.parametrize('edge_m', [2.98, 3.0, 3.01])
def test_what_stands_before_a_thing_is_not_taken_for_it(edge_m: float) -> None:
    """A bowl before a mug covers a corner of the mug's box, up to half of it."""
    mug = Block((4.0, 4.08), (2.96, 3.04), (0.94, 1.06))
    bowl = Block((3.4, 3.5), (2.8, edge_m), (0.7, 1.03))
    depth, map_T_camera, box = picture(mug, camera=FINE, room=Room(blocks=[bowl]))
    found = ground_box(box, depth, FINE, map_T_camera, CONFIG)
    assert found.position[0] == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize('edge_px', [1, 3])
def test_hollow_thing_is_not_taken_for_the_wall_behind_it(edge_px: int) -> None:
    """Most of a chair's box shows what is seen between its legs and over its seat.

    At its edges the camera may measure depths between, where nothing is.
    """
    legs = [Block((4.0, 4.05), (y, y + 0.05), (0.0, 0.9)) for y in (2.75, 3.2)]
    seat = Block((4.0, 4.05), (2.75, 3.25), (0.4, 0.48))
    whole = Block((4.0, 4.05), (2.75, 3.25), (0.0, 0.9))
    _, map_T_camera, box = picture(whole, camera=FINE)
    depth = uniform_filter(Room().depth(map_T_camera, FINE, [*legs, seat]), edge_px)
    found = ground_box(box, depth, FINE, map_T_camera, CONFIG)
    assert found.position[0] == pytest.approx(4.0, abs=0.1)


def test_far_end_of_a_bed_is_not_something_behind_it() -> None:
    """From its foot a bed has two metres of depth, and is one thing all the same."""
    bed = Block((3.0, 5.0), (2.2, 3.8), (0.0, 0.6))
    depth, map_T_camera, box = picture(bed, camera=FINE)
    found = ground_box(box, depth, FINE, map_T_camera, CONFIG)
    assert not found.unclear
    x, y, _ = found.position
    assert bed.x[0] <= x <= bed.x[1] and y == pytest.approx(3.0, abs=0.1)


def test_rug_is_grounded_on_the_floor_that_it_covers() -> None:
    rug = Block((2.5, 5.0), (2.2, 3.8), (0.0, 0.01))
    depth, map_T_camera, box = picture(rug, camera=FINE)
    found = ground_box(box, depth, FINE, map_T_camera, CONFIG)
    assert not found.unclear and found.position[2] == pytest.approx(0.0, abs=0.05)
    assert rug.x[0] <= found.position[0] <= rug.x[1]


ROW = [Block((4.0, 4.6), (2.4, 3.0), (0.0, 0.9)), Block((4.0, 4.6), (3.02, 3.62), (0.0, 0.9))]


@pytest.mark.parametrize('robot', [
    Pose2D(3.0, 1.6, 0.9), Pose2D(2.6, 1.4, 0.8), Pose2D(3.0, 4.4, -0.9)])
def test_thing_is_not_taken_for_its_neighbour_in_a_row(robot: Pose2D) -> None:
    """From the side the front of a row is one surface that goes on over both machines."""
    near, far = ROW if robot.y < 3.0 else ROW[::-1]
    depth, map_T_camera, box = picture(far, robot, FINE, room=Room(blocks=[near]))
    found = ground_box(box, depth, FINE, map_T_camera, CONFIG)
    x, y, _ = found.position
    assert (far.x[0] - 0.05 <= x <= far.x[1] and far.y[0] - 0.05 <= y <= far.y[1]) or found.unclear


def hidden_part(left_of_y: float) -> Grounded:
    """Ground a wardrobe of which a screen hides all that lies right of a line."""
    wardrobe = Block((5.0, 5.6), (2.5, 3.5), (0.0, 2.0))
    screen = Block((3.5, 3.55), (1.5, left_of_y), (0.0, 1.9))
    depth, map_T_camera, box = picture(wardrobe, camera=FINE, room=Room(blocks=[screen]))
    return ground_box(box, depth, FINE, map_T_camera, CONFIG)


def test_box_that_shows_two_things_is_unclear() -> None:
    """Whether the wardrobe is meant or what hides most of it nobody can tell."""
    seen, hidden = hidden_part(2.6), hidden_part(3.1)
    assert not seen.unclear and not seen.provisional
    assert seen.position[0] == pytest.approx(5.0, abs=0.1)
    assert hidden.unclear and hidden.provisional
    # Its uncertainty reaches over both.
    assert hidden.sigma_m[0] > 0.5 > 0.2 > seen.sigma_m[0]


@pytest.mark.parametrize('hidden', [0.75, 0.85])
@pytest.mark.parametrize('side', [-1.0, 1.0])
def test_what_hides_most_of_a_thing_is_not_surely_taken_for_it(
        hidden: float, side: float) -> None:
    """Past the back of a chair a strip of a mug is seen; the back goes on beside its box."""
    mug = Block((4.0, 4.08), (2.94, 3.06), (0.94, 1.06))
    # It is nearer to the camera, so that less of it hides as much.
    edge_m = (hidden - 0.5) * 0.12 * (3.4 - ROBOT.x) / (4.0 - ROBOT.x)
    back = Block((3.4, 3.43), tuple(sorted((3.0 - side * 0.3, 3.0 + side * edge_m))), (0.4, 1.2))
    depth, map_T_camera, box = picture(mug, camera=FINE, room=Room(blocks=[back]))
    found = ground_box(box, depth, FINE, map_T_camera, CONFIG)
    assert found.unclear and found.provisional


def test_thing_beside_another_is_clear() -> None:
    """One surface may go on over several things: only what is seen past it makes it doubtful."""
    mug = Block((4.0, 4.08), (2.94, 3.06), (0.94, 1.06))
    kettle = Block((4.0, 4.2), (3.06, 3.3), (0.8, 1.2))
    depth, map_T_camera, box = picture(mug, camera=FINE, room=Room(blocks=[kettle]))
    found = ground_box(box, depth, FINE, map_T_camera, CONFIG)
    assert not found.unclear and found.position[0] == pytest.approx(4.0, abs=0.05)


@pytest.mark.parametrize('block', [
    Block((4.0, 4.6), (2.7, 3.3), (0.0, 0.9)), Block((4.0, 4.08), (2.96, 3.04), (0.94, 1.06)),
    Block((4.0, 4.05), (2.2, 3.8), (0.8, 1.6)), Block((4.0, 4.6), (2.7, 3.3), (0.0, 0.1))])
@pytest.mark.parametrize('turn_rad', [-0.4, 0.0, 0.4])
def test_thing_that_fills_its_box_is_clear(block: Block, turn_rad: float) -> None:
    x, y = 4.3 - 2.0 * math.cos(turn_rad), 3.0 - 2.0 * math.sin(turn_rad)
    depth, map_T_camera, box = picture(block, Pose2D(x, y, turn_rad), FINE)
    found = ground_box(box, depth, FINE, map_T_camera, CONFIG)
    assert not found.unclear


def test_position_follows_where_the_robot_was() -> None:
    block = Block((4.0, 4.1), (2.9, 3.1), (0.9, 1.1))
    depth, map_T_camera, box = picture(block)
    shifted = Transform.from_pose(Pose2D(1.0, -2.0, math.pi / 2)) @ map_T_camera
    here = np.array(ground_box(box, depth, CAMERA, map_T_camera, CONFIG).position)
    there = ground_box(box, depth, CAMERA, shifted, CONFIG).position
    np.testing.assert_allclose(there, [1.0 - here[1], -2.0 + here[0], here[2]], atol=1e-6)


@pytest.mark.parametrize('box', [
    (0.0, 400.0, 200.0, 600.0), (800.0, 400.0, 1000.0, 600.0), (400.0, 5.0, 600.0, 200.0),
    (400.0, 800.0, 600.0, 995.0)])
def test_cut_box_is_provisional(box: tuple[float, ...]) -> None:
    depth = np.full((120, 160), 2000, np.uint16)
    assert ground_box(box, depth, CAMERA, base_T_CAMERA, CONFIG).provisional


@pytest.mark.parametrize(('metres', 'provisional'), [(4.4, False), (4.6, True), (7.9, True)])
def test_far_box_is_provisional(metres: float, provisional: bool) -> None:
    depth = np.full((120, 160), round(metres * 1000), np.uint16)
    found = ground_box((450, 450, 550, 550), depth, CAMERA, base_T_CAMERA, CONFIG)
    assert found.provisional is provisional


@pytest.mark.parametrize('millimetres', [0, 1, 249, 8001, 65535])
def test_depth_that_is_not_believed_grounds_nothing(millimetres: int) -> None:
    depth = np.full((120, 160), millimetres, np.uint16)
    with pytest.raises(GroundingError, match=r'0\.25 and 8 m'):
        ground_box((450, 450, 550, 550), depth, CAMERA, base_T_CAMERA, CONFIG)


def test_hole_in_the_depth_is_left_out() -> None:
    depth = np.full((120, 160), 2000, np.uint16)
    depth[56:64, 70:80] = 0
    found = ground_box((400, 400, 600, 600), depth, CAMERA, base_T_CAMERA, CONFIG)
    assert found.distance_m == pytest.approx(2.0, abs=0.02)


def test_too_few_pixels_ground_nothing() -> None:
    depth = np.zeros((120, 160), np.uint16)
    depth[59:60, 79:82] = 2000
    with pytest.raises(GroundingError):
        ground_box((400, 400, 600, 600), depth, CAMERA, base_T_CAMERA, CONFIG)


BOXES = st.tuples(*[st.floats(0, 1000)] * 4)


@settings(max_examples=examples(200))
@given(BOXES, st.sampled_from([(1, 1), (2, 3), (120, 160), (480, 640)]),
       st.sampled_from(['plane', 'noise', 'empty', 'near']))
def test_any_box_in_any_depth_is_grounded_or_refused(
        box: tuple[float, float, float, float], shape: tuple[int, int], content: str) -> None:
    """Boxes upside down, of no size, at the very edge: a place in view, or a GroundingError."""
    height, width = shape
    depth = {'plane': np.full(shape, 3000), 'empty': np.zeros(shape), 'near': np.full(shape, 100),
             'noise': np.random.default_rng(1).integers(0, 65536, shape)}[content]
    camera = Intrinsics(width, height, 0.75 * width, 0.75 * width, width / 2, height / 2)
    try:
        found = ground_box(box, depth.astype(np.uint16), camera, base_T_CAMERA, CONFIG)
    except GroundingError:
        assert content != 'plane'
        return
    assert content in ('plane', 'noise')
    assert all(map(math.isfinite, (*found.position, *found.sigma_m, found.distance_m)))
    assert CONFIG.ground_min_m <= found.distance_m < 1.7 * CONFIG.ground_max_m
    assert found.position[0] > base_T_CAMERA.translation[0], 'in front of the camera'


@pytest.mark.parametrize(('point', 'bearing'), [
    ((3.0, 0.0, 1.0), 0.0), ((3.0, 1.0, 1.0), math.atan2(1, 2.9)),
    ((3.0, -1.5, 0.5), math.atan2(-1.5, 2.9))])
@pytest.mark.parametrize('tilt_rad', [0.0, 0.2])
def test_bearing_of_a_box_is_positive_to_the_left(point, bearing: float, tilt_rad: float) -> None:
    base_T_camera = tilted(tilt_rad)
    u, v = project(base_T_camera, CAMERA, point)
    u, v = (u + 0.5) / CAMERA.width_px * 1000, (v + 0.5) / CAMERA.height_px * 1000
    found = box_bearing((u - 5, v - 5, u + 5, v + 5), CAMERA, base_T_camera)
    assert found == pytest.approx(bearing, abs=1e-6)


@pytest.mark.parametrize('yaw', [0.0, 2.5])
@pytest.mark.parametrize('height_m', [0.0, 0.5, 1.6, 2.4])
@pytest.mark.parametrize('tilt_rad', [-0.3, 0.0, 0.2])
@pytest.mark.parametrize('roll_rad', [0.0, math.pi, math.pi / 2, -math.pi / 2])
def test_nearest_view_of_something_low_or_high_is_where_it_leaves_the_picture(
        yaw: float, height_m: float, tilt_rad: float, roll_rad: float) -> None:
    robot = Pose2D(2.0, 3.0, yaw)
    map_T_base = Transform.from_pose(robot)
    map_T_camera = map_T_base @ tilted(tilt_rad) @ rolled(roll_rad)
    view = CameraView(CAMERA, map_T_base, map_T_camera)
    nearest_m, farthest_m = view.in_view_m(height_m, PICTURE_MARGIN)
    # Nothing hides anything here: whatever is in the picture is overlooked.
    depth = np.full((CAMERA.height_px, CAMERA.width_px), 60_000, np.uint16)

    def in_view(distance_m: float) -> bool:
        place = (robot.x + distance_m * math.cos(yaw), robot.y + distance_m * math.sin(yaw),
                 height_m)
        return overlooks(place, 0.1, 20.0, depth, CAMERA, map_T_camera)

    assert in_view(nearest_m + 0.01) and farthest_m == math.inf
    assert not in_view(nearest_m - 0.01)
    assert view.in_view_m(height_m)[0] <= nearest_m


def test_what_is_as_high_as_the_camera_is_in_view_from_anywhere() -> None:
    here = Transform.from_pose(ROBOT)
    near_m, far_m = CameraView(CAMERA, here, here @ tilted(0.2)).in_view_m(1.0)
    # The camera sits before the robot's middle.
    assert near_m == pytest.approx(0.1) and far_m == math.inf


@pytest.mark.parametrize(('height_m', 'tilt_rad'), [(0.2, -0.8), (2.5, 0.8)])
def test_what_the_camera_never_looks_at_is_in_view_from_nowhere(
        height_m: float, tilt_rad: float) -> None:
    here = Transform.from_pose(ROBOT)
    near_m, far_m = CameraView(CAMERA, here, here @ tilted(tilt_rad)).in_view_m(height_m)
    assert near_m == math.inf > far_m


def test_camera_that_looks_down_steeply_has_a_farthest_view_too() -> None:
    here = Transform.from_pose(ROBOT)
    near_m, far_m = CameraView(CAMERA, here, here @ tilted(0.9)).in_view_m(0.0)
    assert 0.0 < near_m < far_m < 3.0


@pytest.mark.parametrize('roll_rad', [math.pi, math.pi / 2, -math.pi / 2])
def test_camera_that_hangs_or_lies_on_its_side_shows_what_it_does_upright(
        roll_rad: float) -> None:
    here = Transform.from_pose(ROBOT)
    upright = CameraView(CAMERA, here, here @ tilted(0.2))
    turned = CAMERA if roll_rad == math.pi else Intrinsics(
        CAMERA.height_px, CAMERA.width_px, CAMERA.fy, CAMERA.fx, CAMERA.cy, CAMERA.cx)
    other = CameraView(turned, here, here @ tilted(0.2) @ rolled(roll_rad))
    assert other.half_angle_rad == pytest.approx(upright.half_angle_rad)
    for height_m in (0.0, 0.5, 1.6):
        assert other.in_view_m(height_m) == pytest.approx(upright.in_view_m(height_m), abs=0.01)


MUG_AT = (4.0, 3.0, 1.0)


def looked_at(depth_mm: int, hole_px: int = 0, size_m: float = 0.1, within_m: float = 3.0) -> bool:
    """Tell whether a wall so far away, with a hole in its depth, shows a place 1.9 m off."""
    map_T_camera = Transform.from_pose(ROBOT) @ base_T_CAMERA
    depth = np.full((FINE.height_px, FINE.width_px), depth_mm, np.uint16)
    u, v = (round(value) for value in project(map_T_camera, FINE, MUG_AT))
    depth[v - hole_px:v + hole_px + 1, u - hole_px:u + hole_px + 1] = 0
    return overlooks(MUG_AT, size_m, within_m, depth, FINE, map_T_camera)


def test_place_is_looked_at_where_depth_shows_it_or_what_lies_behind() -> None:
    assert looked_at(2000) and looked_at(4000) and not looked_at(1200)


def test_hole_in_the_depth_is_read_round_as_far_as_the_target_reaches() -> None:
    assert looked_at(2000, hole_px=4, size_m=0.5)
    assert not looked_at(2000, hole_px=4, size_m=0.01)


def test_look_from_farther_than_it_would_be_seen_shows_nothing_either_way() -> None:
    assert not looked_at(2000, within_m=1.5)


def test_size_of_a_small_box_errs_more() -> None:
    errors = []
    for edge in (25.0, 200.0):
        depth, map_T_camera, _ = picture(Block((4.0, 4.1), (2.0, 4.0), (0.0, 2.0)))
        box = (500.0 - edge / 2, 500.0 - edge / 2, 500.0 + edge / 2, 500.0 + edge / 2)
        errors.append(ground_box(box, depth, CAMERA, map_T_camera, CONFIG).size_error)
    np.testing.assert_allclose(errors, (0.26, 0.085), atol=0.01)
