"""Looks are frozen with depth that can be used, and refused with the reason otherwise."""

import math
from typing import Any

import cv2
import numpy as np
import pytest
from builders import CAMERA, Room, base_T_CAMERA
from geometry_msgs.msg import TransformStamped
from rclpy.time import Time
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, LaserScan
from tf2_ros import Buffer

from semantic_nav.contracts.core import Event
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.depth import LookFreezer
from semantic_nav.nodes.ros.robot_pose import Frames
from semantic_nav.nodes.ros.transforms import transform
from semantic_nav.verify.effects import FreezeLook
from semantic_nav.verify.events import LookFrozen, LookNotFrozen

STAMP_NS = 20_000_000_000
WIDTH, HEIGHT = 8, 4
PIXELS = WIDTH * HEIGHT
#: Levels of what was told of depth and camera.
TOLD: list[Level] = []
TOPIC = '/robot/camera/depth/image_raw'
#: Encodings of no depth, and bytes of a pixel in each.
WRONG = {'rgb8': 3, 'bgr8': 3, '16UC3': 6, '32FC2': 8, 'mono8': 1, '8UC1': 1, '16SC1': 2,
         '32SC1': 4, '64FC1': 8, '': 2, 'nonsense': 2}


def picture(encoding: str = '16UC1', size: int = 2, **fields: Any) -> Image:
    message = Image(height=HEIGHT, width=WIDTH, encoding=encoding, step=size * WIDTH,
                    data=b'\1' * size * PIXELS)
    message.header.stamp, message.header.frame_id = Time(nanoseconds=STAMP_NS).to_msg(), 'camera'
    for name, value in fields.items():
        setattr(message, name, value)
    return message


def calibration(fx: float = 10.0, fy: float = 10.0, cx: float = 4.0,
                cy: float = 2.0) -> CameraInfo:
    return CameraInfo(width=WIDTH, height=HEIGHT,
                      k=[fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0])


def frozen(message: Image, camera: CameraInfo | None = None,
           depth_camera: CameraInfo | None = None, **how: bool) -> Event:
    """Return what becomes of a look with this depth picture."""
    events: list[Event] = []
    freezer = LookFreezer(transforms(), Frames('map', 'odom', 'base_link'), TOPIC, 0.2,
                          events.append, lambda level, text: TOLD.append(level), **how)
    freezer.take_camera(calibration() if camera is None else camera)
    if depth_camera is not None:
        freezer.take_depth_camera(depth_camera)
    freezer.take_depth(message)
    freezer.freeze(FreezeLook('look-s-1', STAMP_NS, 'camera', 0.0))
    (event,) = events
    return event


def transforms(ahead_m: float = 0.0) -> Buffer:
    buffer = Buffer()
    for parent, child in (('odom', 'base_link'), ('base_link', 'camera'),
                          ('camera', 'camera_depth'), ('base_link', 'body')):
        link = TransformStamped(child_frame_id=child)
        link.header.frame_id = parent
        turn = link.transform.rotation
        turn.x, turn.y, turn.z, turn.w = (
            (-0.5, 0.5, -0.5, 0.5) if child == 'camera' else (0.0, 0.0, 0.0, 1.0))
        link.transform.translation.x = {'camera_depth': 0.1, 'base_link': ahead_m}.get(child, 0.0)
        link.transform.translation.z = 1.0 if parent == 'base_link' else 0.0
        buffer.set_transform_static(link, 'test')
    return buffer


def refused(message: Image, camera: CameraInfo | None = None) -> str:
    event = frozen(message, camera)
    assert isinstance(event, LookNotFrozen) and event.look_id == 'look-s-1'
    return event.reason


@pytest.mark.parametrize(('encoding', 'kind', 'value'), [
    ('16UC1', np.uint16, 1500), ('mono16', np.uint16, 1500), ('32FC1', np.float32, 1.5)])
def test_depth_is_taken_in_millimetres_and_in_metres(encoding: str, kind: type,
                                                     value: float) -> None:
    data = np.full(PIXELS, value, kind)
    event = frozen(picture(encoding, data.itemsize, data=data.tobytes()))
    assert isinstance(event, LookFrozen)
    assert event.depth_mm.dtype == np.uint16 and (event.depth_mm == 1500).all()
    assert event.depth_mm.shape == (HEIGHT, WIDTH)


@pytest.mark.parametrize('encoding', WRONG)
def test_pictures_that_hold_no_depth_are_refused(encoding: str) -> None:
    reason = refused(picture(encoding, WRONG[encoding]))
    assert TOPIC in reason and repr(encoding) in reason and '16UC1, mono16, 32FC1' in reason


@pytest.mark.parametrize('spoil', [{'data': bytes(7)}, {'step': 3},
                                   {'height': 0}, {'width': 0}, {'width': 0, 'height': 0}])
def test_depth_of_a_wrong_size_is_refused(spoil: dict[str, Any]) -> None:
    assert TOPIC in refused(picture(**spoil))


@pytest.mark.parametrize('spoil', [
    {'fx': 0.0}, {'fx': -10.0}, {'fy': 0.0}, {'fx': math.nan}, {'fy': math.nan},
    {'fx': math.inf}, {'cx': math.nan}, {'cy': math.nan}, {'cx': -math.inf}, {'fx': 1e-300},
    {'fy': 1e-3}, {'fx': 1e6}, {'cx': -1.0}, {'cy': 4.5}])
def test_calibration_that_is_none_is_refused(spoil: dict[str, float]) -> None:
    assert 'not calibrated' in refused(picture(), calibration(**spoil))
    assert TOLD[-1] is Level.WARN
    assert isinstance(frozen(picture()), LookFrozen)
    assert TOLD[-1] is Level.OK


def test_calibration_that_is_too_large_to_be_scaled_is_refused() -> None:
    camera = calibration(fx=1e308)
    camera.width, camera.height, camera.k[2], camera.k[5] = 2, 1, 1.0, 0.5
    assert 'not calibrated' in refused(picture(), camera)


def test_calibration_of_no_picture_is_refused() -> None:
    for size in ({'width': 0}, {'height': 0}):
        camera = calibration()
        for name, value in size.items():
            setattr(camera, name, value)
        assert 'not calibrated' in refused(picture(), camera)


@pytest.mark.parametrize('frame', ['camera_depth', ''])
def test_depth_that_is_not_registered_to_the_picture_is_refused(frame: str) -> None:
    message = picture()
    message.header.frame_id = frame
    reason = refused(message)
    assert TOPIC in reason and repr(frame) in reason and "'camera'" in reason


def beside() -> Image:
    """Return depth of 1 m from a camera 0.1 m to the right of the picture's."""
    data = np.full(PIXELS, 1000, np.uint16)
    message = picture(data=data.tobytes())
    message.header.frame_id = 'camera_depth'
    return message


def test_depth_of_a_camera_beside_is_registered_by_tf() -> None:
    event = frozen(beside(), calibration(), calibration(), apart=True)
    assert isinstance(event, LookFrozen)
    # 0.1 m are a pixel at 1 m.
    assert not event.depth_mm[:, 0].any() and (event.depth_mm[:, 1:] == 1000).all()
    assert (event.intrinsics.width_px, event.intrinsics.fx) == (WIDTH, 10.0)


def test_finer_picture_gets_depth_in_as_many_pixels_as_were_measured() -> None:
    fine = calibration(20.0, 20.0, 8.5, 4.5)
    fine.width, fine.height = 2 * WIDTH, 2 * HEIGHT
    event = frozen(beside(), fine, calibration(), apart=True)
    assert isinstance(event, LookFrozen) and event.depth_mm.shape == (HEIGHT, WIDTH)
    assert (event.intrinsics.fx, event.intrinsics.cx) == (10.0, 4.0)
    assert (event.depth_mm[:, 1:] == 1000).all()


def test_depth_camera_that_says_nothing_of_itself_is_waited_for() -> None:
    event = frozen(beside(), calibration(), None, apart=True)
    assert isinstance(event, LookNotFrozen) and 'depth camera' in event.reason
    for camera, own in ((calibration(fx=0.0), calibration()), (calibration(), calibration(0.0))):
        event = frozen(beside(), camera, own, apart=True)
        assert isinstance(event, LookNotFrozen) and 'not calibrated' in event.reason


def scan(**fields: Any) -> LaserScan:
    message = LaserScan(angle_min=-1.0, angle_increment=0.5, range_min=0.1, range_max=8.0,
                        ranges=[1.0, 0.05, 9.0, math.inf, math.nan])
    message.header.stamp, message.header.frame_id = Time(nanoseconds=STAMP_NS).to_msg(), 'camera'
    for name, value in fields.items():
        setattr(message, name, value)
    return message


def frozen_without_depth(message: LaserScan, camera: CameraInfo | None) -> Event:
    events: list[Event] = []
    freezer = LookFreezer(transforms(), Frames('map', 'odom', 'base_link'), '', 0.2,
                          events.append, lambda level, text: TOLD.append(level))
    if camera is not None:
        freezer.take_camera(camera)
    freezer.take_scan(message)
    freezer.freeze(FreezeLook('look-s-1', STAMP_NS, 'camera', 0.0))
    (event,) = events
    return event


def test_without_a_depth_camera_looks_are_frozen_with_a_scan() -> None:
    event = frozen_without_depth(scan(), calibration())
    assert isinstance(event, LookFrozen) and event.scan is not None
    assert event.depth_mm.size == 0 and event.intrinsics.width_px == WIDTH
    assert (event.scan.angle_min_rad, event.scan.step_rad) == (-1.0, 0.5)
    np.testing.assert_equal(event.scan.ranges_m, np.array(
        [1.0, math.nan, math.nan, math.inf, math.nan], np.float32))
    assert event.scan.reach_m == 8.0
    assert TOLD[-1] is Level.OK


@pytest.mark.parametrize(('fields', 'camera', 'words'), [
    ({}, None, 'camera_info'), ({}, calibration(fx=0.0), 'not calibrated'),
    ({'ranges': []}, calibration(), 'no rays'), ({'angle_increment': 0.0}, calibration(), 'steps'),
    ({'angle_min': math.nan}, calibration(), 'did not fill in'),
    ({'ranges': [math.nan] * 5}, calibration(), 'measures nothing'),
    ({'angle_min': -180.0, 'angle_increment': 1.0}, calibration(), 'degrees')])
def test_scan_that_cannot_be_used_is_refused(fields: dict[str, Any], camera: CameraInfo | None,
                                             words: str) -> None:
    event = frozen_without_depth(scan(**fields), camera)
    assert isinstance(event, LookNotFrozen) and words in event.reason


def test_with_a_depth_camera_no_scan_is_waited_for() -> None:
    events: list[Event] = []
    freezer = LookFreezer(transforms(), Frames('map', 'odom', 'base_link'), TOPIC, 0.2,
                          events.append, lambda level, text: TOLD.append(level))
    freezer.take_camera(calibration())
    freezer.take_scan(scan())
    freezer.freeze(FreezeLook('look-s-1', STAMP_NS, 'camera', 0.0))
    (event,) = events
    assert isinstance(event, LookNotFrozen) and 'depth' in event.reason


def through(model: str, *coefficients: float) -> CameraInfo:
    camera = calibration(cx=3.5, cy=1.5)
    camera.distortion_model, camera.d = model, list(coefficients)
    return camera


@pytest.mark.parametrize(('model', 'count'), [
    ('plumb_bob', 5), ('plumb_bob', 4), ('rational_polynomial', 8), ('rational_polynomial', 12),
    ('rational_polynomial', 14), ('thin_prism', 12), ('equidistant', 4), ('fisheye', 4)])
def test_lens_is_undone_where_the_picture_is_raw(model: str, count: int) -> None:
    camera = through(model, 0.1, *[0.0] * (count - 1))
    depth_mm = np.arange(1000, 1000 + PIXELS, dtype=np.uint16)
    raw = frozen(picture(data=depth_mm.tobytes()), camera)
    assert isinstance(raw, LookFrozen) and raw.intrinsics.distortion is not None
    assert raw.depth_mm.shape == (HEIGHT, WIDTH)
    rectified = frozen(picture(data=depth_mm.tobytes()), camera, rectified=True)
    assert isinstance(rectified, LookFrozen) and rectified.intrinsics.distortion is None
    assert (rectified.depth_mm.ravel() == depth_mm).all()


@pytest.mark.parametrize(('model', 'coefficients'), [
    ('plumb_bob', (0.1,)), ('of_tomorrow', (0.1,) * 5), ('equidistant', (math.nan, 0, 0, 0))])
def test_lens_that_is_none_is_refused(model: str, coefficients: tuple[float, ...]) -> None:
    event = frozen(picture(), through(model, *coefficients))
    assert isinstance(event, LookNotFrozen) and repr(model) in event.reason
    assert isinstance(frozen(picture(), through(model, *coefficients), rectified=True), LookFrozen)


@pytest.mark.parametrize('picture_frame', ['camera', '/camera'])
@pytest.mark.parametrize('depth_frame', ['camera', '/camera'])
def test_slash_before_a_frame_is_nothing(picture_frame: str, depth_frame: str) -> None:
    freezer = Freezer()
    info = calibration()
    info.header.frame_id = '/camera'
    freezer.take_camera(info)
    message = picture()
    message.header.frame_id = depth_frame
    assert isinstance(freezer.look(message, frame=picture_frame), LookFrozen)
    assert freezer.told[-1][0] is Level.OK
    assert freezer.mounted('left').base_T_camera.translation == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(('frame', 'words'), [
    ('', 'names no frame'), ('default_cam', "'default_cam'")])
def test_frame_that_places_no_camera_is_refused_with_the_cure(frame: str, words: str) -> None:
    freezer = Freezer()
    freezer.take_camera(calibration())
    message = picture()
    message.header.frame_id = frame
    event = freezer.look(message, frame=frame)
    assert isinstance(event, LookNotFrozen) and words in event.reason and len(event.reason) < 300
    assert 'static_transform_publisher' in event.reason or 'optical' in event.reason


def test_frame_of_the_body_is_told() -> None:
    freezer = Freezer()
    freezer.take_camera(calibration())
    message = picture()
    message.header.frame_id = 'body'
    freezer.look(message, frame='body')
    level, words = freezer.told[-1]
    assert level is Level.WARN and '90 degrees up' in words and 'optical' in words


def seen_from(metres_up: float, ahead_m: float = 0.0, **how: Any) -> tuple[
        LookFreezer, list[Event], list[tuple[Level, str]]]:
    """Return a freezer of a camera that TF has at a height, and what it answers and tells."""
    buffer, events, told = Buffer(), [], []
    for parent, child in (('odom', 'base_link'), ('base_link', 'camera')):
        link = TransformStamped(child_frame_id=child)
        link.header.frame_id, turn = parent, link.transform.rotation
        turn.x, turn.y, turn.z, turn.w = (
            (-0.5, 0.5, -0.5, 0.5) if child == 'camera' else (0.0, 0.0, 0.0, 1.0))
        place = link.transform.translation
        place.x, place.z = (ahead_m, metres_up) if child == 'camera' else (0.0, 0.0)
        buffer.set_transform_static(link, 'test')
    freezer = LookFreezer(buffer, Frames('map', 'odom', 'base_link'), TOPIC, 0.2, events.append,
                          lambda *words: told.append(words), **how)
    info = CameraInfo(width=CAMERA.width_px, height=CAMERA.height_px, k=[
        CAMERA.fx, 0.0, CAMERA.cx, 0.0, CAMERA.fy, CAMERA.cy, 0.0, 0.0, 1.0])
    freezer.take_camera(info)
    freezer.take_depth_camera(info)
    return freezer, events, told


@pytest.mark.parametrize(('up_m', 'words'), [
    (0.0, 'on the floor'), (-1.0, 'under the floor'), (20.0, '20 m above')])
def test_camera_that_cannot_sit_there_is_refused_with_the_cure(up_m: float, words: str) -> None:
    freezer, events, told = seen_from(up_m)
    freezer.take_depth(depth_message(np.zeros((CAMERA.height_px, CAMERA.width_px), np.uint16)))
    freezer.freeze(FreezeLook('look-s-1', STAMP_NS, 'camera', 0.0))
    (event,) = events
    assert isinstance(event, LookNotFrozen) and words in event.reason
    assert told == [(Level.WARN, event.reason)] and "frame 'camera'" in event.reason


def linked(*links: tuple[str, str]) -> Buffer:
    """Return a buffer with frames one on the other, as they came."""
    buffer = Buffer()
    for number, (parent, child) in enumerate(links):
        link = TransformStamped(child_frame_id=child)
        link.header.frame_id, link.header.stamp = parent, Time(nanoseconds=STAMP_NS).to_msg()
        link.transform.translation.z = 0.5 if child.startswith('camera') else 0.0
        turn = link.transform.rotation
        turn.x, turn.y, turn.z, turn.w = (
            (-0.5, 0.5, -0.5, 0.5) if child == 'camera' else (0.0, 0.0, 0.0, 1.0))
        (buffer.set_transform if number else buffer.set_transform_static)(link, 'test')
    return buffer


ROBOT = ('map', 'odom'), ('odom', 'base_footprint'), ('base_footprint', 'base_link')


@pytest.mark.parametrize(('links', 'beside'), [
    ((*ROBOT, ('base_link', 'camera_link'), ('camera_link', 'camera')), ''),
    # On the other frame of the base, and above the base.
    ((*ROBOT, ('base_footprint', 'camera_link'), ('camera_link', 'camera')), ''),
    ((('odom', 'camera_link'), ('camera_link', 'base_link'), ('camera_link', 'camera')), ''),
    # The odometry hangs on the base.
    ((('map', 'base_link'), ('base_link', 'odom'), ('base_link', 'camera')), ''),
    # The odometry of the camera publishes, too.
    ((*ROBOT, ('base_link', 'camera_link'), ('camera_link', 'camera'), ('odom', 'camera_link')),
     "'camera_link' on 'odom'"),
    ((*ROBOT, ('map', 'camera_odom'), ('camera_odom', 'camera')), "'camera_odom' on 'map'"),
    ((*ROBOT, ('base_link', 'camera'), ('odom', 'camera')), "'camera' on 'odom'")])
def test_camera_that_hangs_beside_the_robot_is_refused_with_the_cure(
        links: tuple[tuple[str, str], ...], beside: str) -> None:
    events: list[Event] = []
    freezer = LookFreezer(linked(*links), Frames('map', 'odom', 'base_link'), TOPIC, 0.2,
                          events.append, lambda *_: None)
    info = calibration()
    info.header.frame_id = 'camera'
    freezer.take_camera(info)
    freezer.take_depth(picture())
    freezer.freeze(FreezeLook('look-s-1', STAMP_NS, '/camera', 0.0))
    (event,) = events
    if not beside:
        assert isinstance(event, LookFrozen) and freezer.mounted('left')
        return
    assert isinstance(event, LookNotFrozen) and beside in event.reason and (
        'publish_tf' in event.reason) and len(event.reason) < 300
    with pytest.raises(LookupError, match=beside):
        freezer.mounted('left')


@pytest.mark.parametrize(('reach_m', 'taken'), [(0.3, False), (2.0, True)])
def test_camera_is_carried_by_the_outline(reach_m: float, taken: bool) -> None:
    freezer, events, _ = seen_from(1.0, ahead_m=2.4, reach_m=reach_m)
    freezer.take_depth(depth_message(np.zeros((CAMERA.height_px, CAMERA.width_px), np.uint16)))
    freezer.freeze(FreezeLook('look-s-1', STAMP_NS, 'camera', 0.0))
    assert isinstance(events[0], LookFrozen) is taken


def depth_message(depth_mm: np.ndarray) -> Image:
    return picture(width=CAMERA.width_px, height=CAMERA.height_px, step=2 * CAMERA.width_px,
                   data=depth_mm.tobytes())


def test_floor_that_lies_elsewhere_refuses_a_look_until_it_was_seen_in_its_place() -> None:
    depth = Room().depth(Transform((2.0, 3.0, 1.0), base_T_CAMERA.rotation), CAMERA)
    for up_m, half_first in ((1.5, False), (1.0, True), (1.0, False)):
        freezer, events, told = seen_from(up_m)
        for number, message in enumerate((
                depth // 2 if half_first else depth, depth, depth // 2)):
            freezer.clear()
            freezer.take_depth(depth_message(message))
            freezer.freeze(FreezeLook(f'look-s-{number}', STAMP_NS, 'camera', 0.0))
        kinds = [type(event) for event in events]
        if up_m == 1.5:
            assert kinds == [LookNotFrozen] * 3
            assert '0.50 m above that of TF' in events[0].reason
        else:
            assert kinds == [LookNotFrozen if half_first else LookFrozen, LookFrozen, LookFrozen]
            assert told[1][0] is Level.OK
            assert told[2][0] is Level.WARN and '0.50 m above that of TF' in told[2][1]


def test_depth_that_is_too_near_is_told_with_the_cure() -> None:
    depth = Room().depth(Transform((2.0, 3.0, 1.0), base_T_CAMERA.rotation), CAMERA)
    depth[:, :60] = 60
    freezer, events, told = seen_from(1.0)
    freezer.take_depth(depth_message(depth))
    freezer.freeze(FreezeLook('look-s-1', STAMP_NS, 'camera', 0.0))
    (event,), ((level, words),) = events, told
    assert isinstance(event, LookFrozen) and not event.depth_mm[:, :60].any()
    assert level is Level.WARN and 'the depth is nearer than 0.25 m for 38% of' in words
    assert 'lens' in words


def test_depth_that_is_upside_down_against_tf_refuses_each_look() -> None:
    """Whatever passed for floor before: walls and tables of a turned picture do, at times."""
    depth = Room().depth(Transform((2.0, 3.0, 1.0), base_T_CAMERA.rotation), CAMERA)
    freezer, events, _ = seen_from(1.0)
    for number, message in enumerate((depth, depth[::-1, ::-1].copy())):
        freezer.clear()
        freezer.take_depth(depth_message(message))
        freezer.freeze(FreezeLook(f'look-s-{number}', STAMP_NS, 'camera', 0.0))
    assert [type(event) for event in events] == [LookFrozen, LookNotFrozen]
    assert 'upside down against TF' in events[1].reason


def test_camera_info_in_another_frame_than_the_picture_is_doubted() -> None:
    freezer = Freezer()
    info = calibration()
    info.header.frame_id = 'camera_depth'
    freezer.take_camera(info)
    assert isinstance(freezer.look(picture()), LookFrozen)
    level, words = freezer.told[-1]
    assert level is Level.WARN and "'camera_depth'" in words and "'camera'" in words


def test_transforms_that_lag_say_by_how_much() -> None:
    buffer = Buffer()
    for second in (18, 19):
        link = TransformStamped(child_frame_id='base_link')
        link.header.frame_id, link.transform.rotation.w = 'odom', 1.0
        link.header.stamp.sec = second
        buffer.set_transform(link, 'test')
    for when_s, words in ((19.6, '0.60 s behind the picture'), (17.5, '1.50 s ahead')):
        with pytest.raises(LookupError) as caught:
            transform(buffer, 'odom', 'base_link', Time(seconds=when_s))
        assert words in str(caught.value) and 'clocks of base and camera' in str(caught.value)
        assert len(str(caught.value)) < 300
    assert transform(buffer, '/odom', '/base_link', Time()).translation == (0.0, 0.0, 0.0)


def sized(width: int, height: int) -> Image:
    return picture(width=width, height=height, step=2 * width,
                   data=b'\1' * 2 * width * height)


class Freezer(LookFreezer):
    """A freezer of looks, which remembers what it answers and tells."""

    def __init__(self, **how: bool) -> None:
        self.events: list[Event] = []
        self.told: list[tuple[Level, str]] = []
        super().__init__(transforms(), Frames('map', 'odom', 'base_link'), TOPIC, 0.2,
                         self.events.append, lambda *told: self.told.append(told), **how)

    def look(self, message: Image | CompressedImage, size: tuple[int, int] = (WIDTH, HEIGHT),
             frame: str = 'camera', fingerprint: str = '') -> Event:
        self.clear()
        self.take_depth(message)
        self.freeze(FreezeLook(f'look-s-{len(self.events)}', STAMP_NS, frame, 0.0, 'camera',
                               *size, fingerprint))
        return self.events[-1]

    def drive(self, ahead_m: float) -> None:
        """Be so far ahead of the beginning."""
        self._buffer = transforms(ahead_m)


def test_sizes_of_picture_depth_and_calibration_are_compared() -> None:
    freezer = Freezer()
    freezer.take_camera(calibration())
    assert isinstance(freezer.look(picture()), LookFrozen)
    for message, size in ((sized(WIDTH, 2 * HEIGHT), (WIDTH, HEIGHT)),
                          (picture(), (30, 30)), (sized(32, 24), (32, 24))):
        event = freezer.look(message, size)
        assert isinstance(event, LookNotFrozen)
        for told in (size, (message.width, message.height), (WIDTH, HEIGHT)):
            assert f'{told[0]} x {told[1]}' in event.reason
    assert isinstance(freezer.look(picture(), (10 * WIDTH, 10 * HEIGHT)), LookFrozen)


def depth_of(value_mm: int) -> Image:
    return picture(data=np.full(PIXELS, value_mm, np.uint16).tobytes())


def test_camera_that_shows_the_same_from_elsewhere_is_refused() -> None:
    """Its driver hangs, and stamps the old picture anew (librealsense issues 5885, 14932)."""
    freezer = Freezer()
    freezer.take_camera(calibration())
    for depth_mm, fingerprint, ahead_m, words in (
            (1500, 'a', 0.0, ''), (1501, 'a', 0.0, ''), (1502, 'a', 0.4, "camera 'camera' shows"),
            (1502, 'b', 0.8, 'depth camera shows'), (1503, 'b', 0.8, ''), (1504, 'c', 1.2, '')):
        freezer.drive(ahead_m)
        event = freezer.look(depth_of(depth_mm), fingerprint=fingerprint)
        if not words:
            assert isinstance(event, LookFrozen), event
        else:
            assert isinstance(event, LookNotFrozen)
            assert words in event.reason and '0.4 m and 0 degrees before' in event.reason


def test_compressed_depth_is_taken_too() -> None:
    freezer = Freezer()
    freezer.take_camera(calibration())
    depth_mm = np.full((HEIGHT, WIDTH), 1500, np.uint16)
    message = CompressedImage(header=picture().header, format='16UC1; compressedDepth png',
                              data=bytes(12) + cv2.imencode('.png', depth_mm)[1].tobytes())
    event = freezer.look(message)
    assert isinstance(event, LookFrozen) and (event.depth_mm == 1500).all()


def test_each_camera_of_two_is_compared_with_its_own_calibration() -> None:
    freezer = Freezer(apart=True)
    freezer.take_camera(calibration())
    own = calibration(20.0, 20.0, 5.5, 5.5)
    own.width = own.height = 12
    freezer.take_depth_camera(own)
    square = sized(12, 12)
    square.header.frame_id = 'camera_depth'
    assert isinstance(freezer.look(square), LookFrozen)
    for message, size in ((square, (30, 30)), (beside(), (WIDTH, HEIGHT))):
        event = freezer.look(message, size)
        assert isinstance(event, LookNotFrozen) and 'not of one view' in event.reason


def test_sizes_that_change_from_look_to_look_are_named() -> None:
    freezer = Freezer()
    freezer.take_camera(calibration())
    freezer.look(picture())
    small = sized(WIDTH // 2, HEIGHT // 2)
    event = freezer.look(small)
    assert isinstance(event, LookNotFrozen) and f'{WIDTH // 2} x {HEIGHT // 2}' in event.reason
    assert isinstance(freezer.look(small), LookFrozen)
    level, words = freezer.told[-1]
    assert level is Level.WARN and f'{WIDTH} x {HEIGHT}' in words
    freezer.look(small)
    assert freezer.told[-1][0] is Level.OK


def test_axis_that_is_not_near_the_middle_is_told() -> None:
    freezer = Freezer()
    freezer.take_camera(calibration(cx=2.0))
    assert isinstance(freezer.look(picture()), LookFrozen)
    level, words = freezer.told[-1]
    assert level is Level.WARN and '(2, 2) of 8 x 4' in words


@pytest.mark.parametrize('number', [0, 65535])
def test_depth_camera_that_measures_nothing_is_named(number: int) -> None:
    freezer = Freezer()
    freezer.take_camera(calibration())
    assert isinstance(freezer.look(picture(
        data=np.full(PIXELS, number, np.uint16).tobytes())), LookFrozen)
    level, words = freezer.told[-1]
    assert level is Level.WARN and '0 of 32 pixels' in words and 'covered' in words
    freezer.look(picture(data=np.array([1000, *[number] * (PIXELS - 1)], np.uint16).tobytes()))
    assert freezer.told[-1][0] is Level.OK


def test_number_that_an_unregistered_camera_fills_in_is_nothing() -> None:
    freezer, events, told = seen_from(1.0, apart=True)
    depth = np.full((CAMERA.height_px, CAMERA.width_px), 10000, np.uint16)
    message = depth_message(depth)
    message.header.frame_id = 'camera'
    freezer.take_depth(message)
    freezer.freeze(FreezeLook('look-s-1', STAMP_NS, 'camera', 0.0))
    assert isinstance(events[0], LookFrozen) and not events[0].depth_mm.any()
    assert told[-1][0] is Level.WARN and '0 of 19200 pixels' in told[-1][1]
