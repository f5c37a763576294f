"""Depth of the last second, with the transforms at the stamp of a picture."""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from rclpy.time import Time
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, LaserScan
from tf2_ros import Buffer

from semantic_nav.contracts.camera import Intrinsics, Size
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros.calibration import doubt_of_axis, intrinsics_of, published_size
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.conversions import same_frame
from semantic_nav.nodes.ros.depth_pixels import millimetres_of
from semantic_nav.nodes.ros.frame_tree import doubt_of_tree, fault_of_tree
from semantic_nav.nodes.ros.robot_pose import Frames
from semantic_nav.nodes.ros.scans import fault_of_angles, fault_of_unit, scan_of
from semantic_nav.nodes.ros.transforms import transform
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.effects import FreezeLook
from semantic_nav.verify.events import CameraMounted, LookFrozen, LookNotFrozen
from semantic_nav.verify.grounding.depth_pairing import DepthPairing
from semantic_nav.verify.grounding.floor_shown import floor_shown
from semantic_nav.verify.grounding.lens import registered, without_lens
from semantic_nav.verify.grounding.mount import doubt_of_place, fault_of_axis, fault_of_place
from semantic_nav.verify.grounding.plausible import fault_of_mount, plausible
from semantic_nav.verify.grounding.repeats import Repeats, fingerprint_of
from semantic_nav.verify.grounding.sizes import UNKNOWN, LookSizes, SteadySizes
from semantic_nav.verify.grounding.unmeasured import doubt_of_near, fault_of_blind

#: Takers of an event, and of a statement: its level and words.
Answer, Tell = Callable[[Event], None], Callable[[Level, str], None]


class LookFreezer:
    """Freezer of depth and TF for looks, without blocking: it retries when something arrives."""

    def __init__(self, buffer: Buffer, frames: Frames, topic: str, tolerance_s: float,
                 answer: Answer, tell: Tell, *,
                 rectified: bool = False, apart: bool = False,
                 reach_m: float = 0.0, nearest_m: float = VerifierConfig.ground_min_m) -> None:
        """Wait for looks to freeze.

        Args:
            buffer: TF buffer for lookups.
            frames: frames of the robot.
            topic: topic of the depth pictures, for messages to people; empty without a depth
                camera: scans take the place of depth pictures.
            tolerance_s: largest time between depth and picture, in s.
            answer: gets the events.
            tell: takes level and words of the state of depth and camera.
            rectified: the lens is undone in pictures and depth.
            apart: depth has a camera of its own, and is not registered to the picture.
            reach_m: reach of the robot's outline from its frame, in m; 0 if unknown.
            nearest_m: nearer depth counts as not measured, in m.
        """
        self._buffer = buffer
        self._frames = frames
        self._topic = topic
        self._pairing = DepthPairing(
            tolerance_s, self._frozen, 'depth picture' if topic else 'scan')
        self._answer, self._say = answer, tell
        self._rectified, self._apart, self._reach_m = rectified, apart, reach_m
        self._nearest_m = nearest_m
        self._camera: CameraInfo | None = None
        self._depth_camera: CameraInfo | None = None
        self._sizes = SteadySizes()
        self._pictures, self._measurements = Repeats(), Repeats()
        self._floor_seen = False
        #: Sizes of the newest look, and the doubts about the newest look that was frozen.
        self._newest, self._doubt = LookSizes(), ''

    def take_depth(self, message: Image | CompressedImage) -> None:
        """Keep a depth picture."""
        self._tell(self._pairing.take(
            message, stamp_ns(message.header.stamp), time.monotonic_ns()))

    def take_scan(self, message: LaserScan) -> None:
        """Keep a scan, if there is no depth camera."""
        if not self._topic:
            self._tell(self._pairing.take(
                message, stamp_ns(message.header.stamp), time.monotonic_ns()))

    def take_camera(self, message: CameraInfo) -> None:
        """Keep the intrinsics of the picture."""
        self._camera = message

    def take_depth_camera(self, message: CameraInfo) -> None:
        """Keep the intrinsics of a separate depth camera."""
        self._depth_camera = message

    def freeze(self, effect: FreezeLook) -> None:
        """Answer now, or at the latest when the wait of the look is over."""
        self._tell(self._pairing.freeze(effect, time.monotonic_ns()))

    def try_pending(self) -> None:
        """Try every open look again."""
        self._tell(self._pairing.retry(time.monotonic_ns()))

    def clear(self) -> None:
        """Forget everything."""
        self._pairing.clear()

    def mounted(self, name: str) -> CameraMounted:
        """Pose of the camera on the robot now, with its intrinsics.

        Raises:
            LookupError: camera_info or TF is missing, or cannot be true.
        """
        info = self._camera
        if info is None:
            raise LookupError('no camera_info came')
        mounted = CameraMounted(
            name, self._camera_of(info),
            transform(self._buffer, self._frames.base, info.header.frame_id, Time()))
        fault = (fault_of_tree(self._buffer, self._frames, info.header.frame_id)
                 or fault_of_mount(mounted, self._reach_m))
        if fault:
            raise LookupError(fault)
        return mounted

    def _tell(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, LookNotFrozen):
                self._say(Level.WARN, event.reason)
            elif self._doubt:
                self._say(Level.WARN, f'the newest look is doubtful: {self._doubt}')
            else:
                self._say(Level.OK, 'the newest look has its depth' if self._topic
                          else 'the newest look has its scan')
            self._answer(event)

    def _frozen(self, effect: FreezeLook,
                measured: Image | CompressedImage | LaserScan) -> LookFrozen:
        look = (self._with_scan if isinstance(measured, LaserScan) else self._with_depth)(
            effect, measured)
        self._refuse_repeats(effect, look)
        floor = floor_shown(look)
        self._floor_seen |= floor.there
        # Once the floor was in place, something hides it; only a rolled camera remains a fault.
        if floor.roll_deg or (floor.grave and not self._floor_seen):
            raise LookupError(str(floor))
        base_T_camera = look.odom_T_base.inverse() @ look.odom_T_camera
        self._doubt = '; '.join(filter(None, dict.fromkeys((
            doubt_of_near(look, self._nearest_m) or fault_of_blind(look),
            *self._doubts(effect.camera_frame), str(floor),
            doubt_of_place(base_T_camera, look.odom_T_base.translation[2]),
            doubt_of_tree(self._buffer, self._frames, effect.camera_frame),
            fault_of_axis(base_T_camera)))))
        return look

    def _refuse_repeats(self, effect: FreezeLook, look: LookFrozen) -> None:
        """Refuse a look with the content of an earlier one that was taken elsewhere.

        Raises:
            LookupError: names the sensor whose driver hangs.
        """
        measured = 'scanner' if look.scan is not None else 'depth camera'
        hanging = {
            f'camera {effect.camera!r}': self._pictures.moved(
                effect.fingerprint, look.odom_T_camera),
            measured: self._measurements.moved(fingerprint_of(look), look.odom_T_camera)}
        for what, moved in hanging.items():
            if moved:
                raise LookupError(
                    f'the {what} shows the very same as {moved} before, by the odometry: its '
                    'driver hangs, so restart it; or the odometry moves while the robot stands')

    def _with_depth(self, effect: FreezeLook, depth: Image | CompressedImage) -> LookFrozen:
        info, depth_frame = self._camera, depth.header.frame_id
        own_info = self._depth_camera if self._apart else info
        if info is None:
            raise LookupError('no camera_info came')
        if own_info is None:
            raise LookupError('no camera_info of the depth camera came')
        odom_T_base = self._odom_T(self._frames.base, effect.stamp_ns)
        odom_T_camera = self._odom_T(effect.camera_frame, effect.stamp_ns)
        if not self._apart and not same_frame(depth_frame, effect.camera_frame):
            raise LookupError(
                f'the depth on {self._topic} is in the frame {depth_frame!r}, the picture in '
                f'{effect.camera_frame!r}: depth must be registered to the picture, or '
                'depth_info_topic name the intrinsics of its own camera')
        try:
            millimetres = millimetres_of(depth)
        except ValueError as error:
            raise LookupError(f'the depth on {self._topic} cannot be used: {error}') from error
        height, width = millimetres.shape
        self._newest = self._compared(effect, (width, height), own_info)
        own = self._camera_of(own_info, (width, height))
        odom_T_depth = self._odom_T(depth_frame, stamp_ns(depth.header.stamp)) if (
            self._apart) else odom_T_camera
        measured = self._believed(
            LookFrozen(effect.look_id, millimetres, own, odom_T_depth, odom_T_base), effect)
        if not self._apart:
            return replace(measured, depth_mm=without_lens(measured.depth_mm, own))
        camera = self._camera_of(info)
        look = self._believed(replace(
            measured, intrinsics=camera, odom_T_camera=odom_T_camera, depth_mm=np.zeros(
                (camera.height_px, camera.width_px), np.uint16)), effect)
        # With more pixels than the depth picture there would be gaps.
        share = min(1.0, own.fx / camera.fx)
        camera = camera.resized(*(max(1, round(pixels * share)) for pixels in (
            camera.width_px, camera.height_px)))
        return replace(look, intrinsics=camera, depth_mm=registered(
            measured.depth_mm, own, camera, odom_T_camera.inverse() @ odom_T_depth))

    def _with_scan(self, effect: FreezeLook, scan: LaserScan) -> LookFrozen:
        info = self._camera
        if info is None:
            raise LookupError('no camera_info came')
        fault = fault_of_angles(scan) or fault_of_unit(scan)
        if fault:
            raise LookupError(fault)
        self._newest = self._compared(effect, UNKNOWN, info)
        camera = self._camera_of(info)
        odom_T_scanner = self._odom_T(scan.header.frame_id, stamp_ns(scan.header.stamp))
        return self._believed(LookFrozen(
            effect.look_id, np.zeros((0, 0), np.uint16), camera,
            self._odom_T(effect.camera_frame, effect.stamp_ns),
            self._odom_T(self._frames.base, effect.stamp_ns), scan_of(scan, odom_T_scanner)),
            effect)

    def _odom_T(self, frame: str, when_ns: int) -> Transform:
        return transform(self._buffer, self._frames.odom, frame, Time(nanoseconds=when_ns))

    def _compared(self, effect: FreezeLook, depth: Size, own_info: CameraInfo) -> LookSizes:
        """Sizes of a look.

        Raises:
            LookupError: the sizes do not belong to one view.
        """
        picture = effect.width_px, effect.height_px
        assert self._camera is not None
        try:
            calibrated = published_size(self._camera)
            if self._apart:
                faults = (LookSizes(depth=depth, calibrated=published_size(own_info)).fault,
                          LookSizes(picture, calibrated=calibrated).fault)
                sizes = LookSizes(picture, calibrated=calibrated)
            else:
                sizes = LookSizes(picture, depth, calibrated)
                faults = (self._sizes.fault(effect.look_id, sizes),)
        except ValueError as error:
            raise LookupError(f'the camera cannot be used: {error}') from error
        if any(faults):
            raise LookupError(next(filter(None, faults)))
        return sizes

    def _doubts(self, camera_frame: str) -> list[str]:
        """Doubts about the calibration of a look, in words."""
        infos = [one for one in (self._camera, self._depth_camera) if one is not None]
        told = infos[0].header.frame_id
        other = '' if not told or same_frame(told, camera_frame) else (
            f'camera_info is in the frame {told!r}, the picture in {camera_frame!r}: name the '
            'camera_info of the picture')
        return [self._sizes.change(self._newest), other, *(
            doubt_of_axis(info, rectified=self._rectified) for info in infos)]

    def _camera_of(self, info: CameraInfo, size: Size | None = None) -> Intrinsics:
        """Intrinsics of a picture of this size, or of the published one."""
        try:
            width, height = size or published_size(info)
            return intrinsics_of(info, (height, width), rectified=self._rectified)
        except ValueError as error:
            raise LookupError(f'the camera cannot be used: {error}') from error

    def _believed(self, frozen: LookFrozen, effect: FreezeLook) -> LookFrozen:
        beside = fault_of_tree(self._buffer, self._frames, effect.camera_frame)
        if beside:
            raise LookupError(beside)
        believed = plausible(frozen, self._nearest_m)
        if isinstance(believed, LookFrozen):
            base_T_camera = frozen.odom_T_base.inverse() @ frozen.odom_T_camera
            # The core refuses a wrong axis: that frame is another, and its place tells nothing.
            fault = '' if fault_of_axis(base_T_camera) else fault_of_place(
                base_T_camera, self._reach_m, frozen.odom_T_base.translation[2])
            if not fault:
                return believed
        else:
            assert isinstance(believed, LookNotFrozen)
            fault = believed.reason
        raise LookupError(f'the picture is in the frame {effect.camera_frame!r}: {fault}')
