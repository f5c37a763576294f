"""Depth of the last second, and the transforms that belong to a picture's stamp."""

import time
from collections.abc import Callable

import numpy as np
from cv_bridge import CvBridge, CvBridgeError
from numpy.typing import NDArray
from rclpy.time import Time
from sensor_msgs.msg import CameraInfo, Image
from tf2_ros import Buffer, TransformException

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.conversions import same_frame, transform_of
from semantic_nav.nodes.ros.robot_pose import Frames
from semantic_nav.verify.depth_pairing import DepthPairing
from semantic_nav.verify.events import FreezeLook, LookFrozen, LookNotFrozen
from semantic_nav.verify.plausible import plausible

#: How depth comes: two in millimetres, the last in metres.
_ENCODINGS = ('16UC1', 'mono16', '32FC1')


class LookFreezer:
    """Freezes depth and TF of a look without blocking: asked again whenever something came."""

    def __init__(self, buffer: Buffer, frames: Frames, topic: str, tolerance_s: float,
                 answer: Callable[[Event], None], tell: Callable[[Level, str], None]) -> None:
        """Wait for looks to freeze.

        Args:
            buffer: where transforms are looked up.
            frames: of the robot.
            topic: of the depth pictures, for what people read.
            tolerance_s: how far depth and picture may lie apart.
            answer: gets the events.
            tell: takes level and words of what is to be known of depth and camera.
        """
        self._buffer = buffer
        self._frames = frames
        self._topic = topic
        self._pairing = DepthPairing(tolerance_s, self._frozen)
        self._answer, self._say = answer, tell
        self._camera: CameraInfo | None = None

    def take_depth(self, message: Image) -> None:
        """Keep a depth picture."""
        self._tell(self._pairing.take(
            message, stamp_ns(message.header.stamp), time.monotonic_ns()))

    def take_camera(self, message: CameraInfo) -> None:
        """Keep the intrinsics."""
        self._camera = message

    def freeze(self, effect: FreezeLook) -> None:
        """Answer now or before the wait is over."""
        self._tell(self._pairing.freeze(effect, time.monotonic_ns()))

    def try_pending(self) -> None:
        """Try every open look again."""
        self._tell(self._pairing.retry(time.monotonic_ns()))

    def clear(self) -> None:
        """Forget everything."""
        self._pairing.clear()

    def _tell(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, LookNotFrozen):
                self._say(Level.WARN, event.reason)
            else:
                self._say(Level.OK, 'the newest look has its depth')
            self._answer(event)

    def _frozen(self, effect: FreezeLook, depth: Image) -> LookFrozen:
        camera = self._camera
        if camera is None:
            raise LookupError('no camera_info came')
        if not same_frame(depth.header.frame_id, effect.camera_frame):
            raise LookupError(
                f'the depth on {self._topic} is in the frame {depth.header.frame_id!r}, the '
                f'picture in {effect.camera_frame!r}: depth must be registered to the picture')
        when = Time(nanoseconds=effect.stamp_ns)
        try:
            odom_T_camera = self._buffer.lookup_transform(
                self._frames.odom, effect.camera_frame, when)
            odom_T_base = self._buffer.lookup_transform(self._frames.odom, self._frames.base, when)
        except TransformException as error:
            raise LookupError(str(error)) from error
        try:
            millimetres = millimetres_of(depth)
        except ValueError as error:
            raise LookupError(f'the depth on {self._topic} cannot be used: {error}') from error
        if not (camera.width and camera.height):
            raise LookupError('the camera is not calibrated: camera_info has no size')
        intrinsics = intrinsics_of(camera, millimetres.shape)
        frozen = LookFrozen(effect.look_id, millimetres, intrinsics,
                            transform_of(odom_T_camera), transform_of(odom_T_base))
        believed = plausible(frozen)
        if isinstance(believed, LookNotFrozen):
            raise LookupError(believed.reason)
        return frozen


def millimetres_of(message: Image) -> NDArray[np.uint16]:
    """Return depth as REP 118 has it (float metres, or integer millimetres) in uint16 mm.

    Raises:
        ValueError: it is no picture of depth.
    """
    if message.encoding not in _ENCODINGS:
        raise ValueError(f'it comes as {message.encoding!r} and not as one of '
                         f'{", ".join(_ENCODINGS)}')
    try:
        array = CvBridge().imgmsg_to_cv2(message, desired_encoding='passthrough')
    except (CvBridgeError, ValueError, TypeError) as error:
        raise ValueError(f'it comes as {message.encoding}, but {str(error)[:200]}') from error
    if array.ndim != 2 or not array.size:
        raise ValueError(f'it has {message.width} x {message.height} pixels')
    if message.encoding != '32FC1':
        return np.ascontiguousarray(array, dtype=np.uint16)
    metres = np.nan_to_num(array.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    return (metres * 1000.0).clip(0, np.iinfo(np.uint16).max).astype(np.uint16)


def intrinsics_of(camera: CameraInfo, shape: tuple[int, ...]) -> Intrinsics:
    """Return the intrinsics, scaled where the depth picture is of another size."""
    height, width = shape
    sx, sy = width / camera.width, height / camera.height
    fx, _, cx, _, fy, cy = map(float, camera.k[:6])
    # Pixels begin half of one before the middle of the first, at which (0, 0) is.
    return Intrinsics(width, height, fx * sx, fy * sy, (cx + 0.5) * sx - 0.5,
                      (cy + 0.5) * sy - 0.5)
