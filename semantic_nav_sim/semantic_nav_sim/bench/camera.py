"""Cameras in simulated time: pictures on request, and their depth for the verifier."""

from collections.abc import Callable, Mapping

import numpy as np

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA
from semantic_nav.verify.effects import FreezeLook
from semantic_nav.verify.events import CameraMounted, LookFrozen, Scan
from semantic_nav.verify.grounding.depth_pairing import DepthPairing
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import CropPicture, TakePicture
from semantic_nav.vlm.picture import crop, prepare
from semantic_nav.vlm.picture_taker import PictureTaker
from semantic_nav_sim.bench.robot import Robot, intrinsics_of
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.bench.sensor_link import SensorLink
from semantic_nav_sim.robot.body import Body, Frame
from semantic_nav_sim.robot.camera import CAMERA_T_OPTICAL
from semantic_nav_sim.robot.frame_memory import FrameMemory
from semantic_nav_sim.robot.outbox import Outbox

CAMERA_FRAME = 'camera_color_optical_frame'
_PERIOD_NS = NS_PER_S // 10
#: Colour and depth of the simulated camera share a stamp.
_TOLERANCE_S = 0.0
#: Number of scans that are kept for pictures.
_SCANS = 16
_NO_DEPTH = np.zeros((0, 0), np.uint16)


class Camera:
    """A camera that renders only the pictures that are asked for.

    Attributes:
        link: delivers the pictures.
    """

    def __init__(self, body: Body, robot: Robot, scheduler: Scheduler, seed: int,
                 memory: FrameMemory, config: HypothesisConfig, name: str = '') -> None:
        """Attach to a camera of a body.

        Args:
            body: carries the camera.
            robot: is stepped to the time of each picture.
            scheduler: gives the time.
            seed: of lost and late pictures.
            memory: keeps the pictures for the model's eyes.
            config: of the pictures that are sent.
            name: of the camera; empty for the first one.
        """
        self._body, self._robot, self._scheduler = body, robot, scheduler
        self._memory, self._name = memory, name
        self._frame_id = f'{name}_{CAMERA_FRAME}' if name else CAMERA_FRAME
        self._taker = PictureTaker(lambda rgb, boxes: prepare(rgb, config, boxes),
                                   lambda rgb, box: crop(rgb, box, config),
                                   name or DEFAULT_CAMERA)
        self._scans: dict[int, Scan] = {}
        self._pairing = DepthPairing(_TOLERANCE_S, self._frozen)
        self.link = SensorLink(
            scheduler, Outbox[Frame](seed, f'pictures {name}'.strip(), body.profile.pictures),
            self._arrived)
        self._answer: Callable[[Event], None] = lambda event: None
        self._answer_look: Callable[[Event], None] = lambda event: None

    def take(self, effect: TakePicture, answer: Callable[[Event], None]) -> None:
        """Report the first picture of a 10 Hz camera that arrives, taken after a given time."""
        self._taker.ask(effect)
        self._answer = answer
        self._scheduler.after(effect.timeout_s, lambda: self._give_up(effect))
        self._shoot_after(effect, max(effect.after_ns, self._scheduler.clock_ns))

    def forget(self) -> None:
        """Drop the wish for a picture."""
        self._taker.forget()

    def crop(self, effect: CropPicture, answer: Callable[[Event], None]) -> None:
        """Report a crop of an earlier picture."""
        event = self._taker.crop(effect)
        self._scheduler.after(0.0, lambda: answer(event))

    def freeze(self, effect: FreezeLook, answer: Callable[[Event], None]) -> None:
        """Report the depth and the robot's measured pose at a picture's stamp."""
        self._answer_look = answer

        def retry() -> None:
            self._tell(self._pairing.retry(self._scheduler.now_ns))

        events = self._pairing.freeze(effect, self._scheduler.now_ns)
        self._scheduler.after(0.0, lambda: self._tell(events))
        self._scheduler.after(effect.wait_s, retry)

    def _shoot_after(self, wish: TakePicture, moment_ns: int) -> None:
        due_ns = (moment_ns // _PERIOD_NS + 1) * _PERIOD_NS

        def shoot() -> None:
            self._robot.snapshot  # noqa: B018 - lets the time pass up to this moment
            if self._taker.wish is not wish:
                return
            if self.link.silent or not self._send():
                self._shoot_after(wish, self._scheduler.clock_ns)

        self._scheduler.after((due_ns - self._scheduler.clock_ns) / NS_PER_S, shoot)

    def _send(self) -> bool:
        frame = self._body.frame(self._name)
        if self._body.profile.camera.no_depth:
            # Few looks wait at a time, so few scans are kept.
            self._scans = {**dict(list(self._scans.items())[-_SCANS:]),
                           frame.snapshot.stamp_ns: self._scan()}
        return self.link.send(frame)

    def _arrived(self, frame: Frame) -> None:
        stamp_ns = frame.snapshot.stamp_ns
        self._memory.add(frame.colour, frame.snapshot, self._name)
        self._tell(self._pairing.take(frame, stamp_ns, self._scheduler.now_ns))
        event = self._taker.take(stamp_ns, self._frame_id, 'rgb8', lambda: frame.colour)
        if event is not None:
            self._answer(event)

    def _give_up(self, wish: TakePicture) -> None:
        event = self._taker.give_up(wish, f'{self._name or DEFAULT_CAMERA}/image_raw')
        if event is not None:
            self._answer(event)

    def _tell(self, events: list[Event]) -> None:
        for event in events:
            self._answer_look(event)

    def _frozen(self, effect: FreezeLook, frame: Frame) -> LookFrozen:
        odom_T_base = Transform.from_pose(frame.snapshot.odom)
        scan = self._scans.get(frame.snapshot.stamp_ns)
        return LookFrozen(
            effect.look_id, frame.depth_mm if scan is None else _NO_DEPTH,
            intrinsics_of(frame.camera),
            odom_T_base @ frame.camera.base_t_camera @ CAMERA_T_OPTICAL, odom_T_base, scan)

    def _scan(self) -> Scan:
        """The scan at this moment, which replaces depth."""
        lidar = self._body.lidar
        now, ranges = self._body.scan()
        return Scan(ranges, lidar.angle_min_rad, lidar.step_rad, Transform.from_pose(now.odom)
                    @ Transform((0.0, 0.0, lidar.height_m), (0.0, 0.0, 0.0, 1.0)),
                    lidar.range_max_m)


class Cameras:
    """All cameras of a body. Pictures come from the named one, and one wish is open at a time."""

    def __init__(self, first: Camera, others: Mapping[str, Camera]) -> None:
        """Start without a wish."""
        self._by_name = {DEFAULT_CAMERA: first, **others}
        self._chosen = first

    def take(self, effect: TakePicture, answer: Callable[[Event], None]) -> None:
        """See `Camera`."""
        self._chosen.forget()
        self._chosen = self._by_name[effect.camera or DEFAULT_CAMERA]
        self._chosen.take(effect, answer)

    def crop(self, effect: CropPicture, answer: Callable[[Event], None]) -> None:
        """See `Camera`."""
        self._by_name[effect.camera].crop(effect, answer)

    def freeze(self, effect: FreezeLook, answer: Callable[[Event], None]) -> None:
        """See `Camera`."""
        self._by_name[effect.camera].freeze(effect, answer)


def mounted(body: Body) -> list[CameraMounted]:
    """The mounts of the cameras of a body, without the first one."""
    models = {name: body.camera_of(name) for name in body.profile.other_cameras}
    return [CameraMounted(name, intrinsics_of(model), model.base_t_camera @ CAMERA_T_OPTICAL)
            for name, model in models.items()]
