"""The camera in simulated time: a picture when one is wanted, and its depth for the verifier."""

from collections import deque
from collections.abc import Callable

from semantic_nav.bench.agenda import Agenda
from semantic_nav.bench.body import Body, intrinsics_of
from semantic_nav.bench.post import Post
from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.geometry import Transform
from semantic_nav.sim.robot.camera import CAMERA_T_OPTICAL
from semantic_nav.sim.robot.frame_memory import FrameMemory
from semantic_nav.sim.robot.outbox import Outbox
from semantic_nav.sim.robot.simulation import Frame, Simulation
from semantic_nav.verify.events import FreezeLook, LookFrozen, LookNotFrozen
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import (
    CropPicture,
    PictureCropped,
    PictureFailed,
    PictureTaken,
    TakePicture,
)
from semantic_nav.vlm.picture import crop, prepare

CAMERA_FRAME = 'camera_color_optical_frame'
_PERIOD_NS = NS_PER_S // 10
_KEPT_FRAMES = 8


class Camera:
    """Takes the pictures that are asked for; those between them are never drawn."""

    def __init__(self, simulation: Simulation, body: Body, agenda: Agenda, seed: int,
                 memory: FrameMemory, config: HypothesisConfig) -> None:
        """Look through the simulated camera.

        Args:
            simulation: draws.
            body: is stepped to the moment of a picture.
            agenda: gives the time.
            seed: of what is lost or late.
            memory: remembers the pictures for the model's eyes.
            config: how pictures are sent.
        """
        self._simulation, self._body, self._agenda = simulation, body, agenda
        self._memory, self._config = memory, config
        self._frames: deque[Frame] = deque(maxlen=_KEPT_FRAMES)
        self._post = Post(agenda, Outbox[Frame](seed, 'pictures', simulation.profile.pictures),
                          self._arrived)
        self._wish: TakePicture | None = None
        self._answer: Callable[[Event], None] = lambda event: None

    def take(self, effect: TakePicture, answer: Callable[[Event], None]) -> None:
        """Report the first picture of a 10 Hz camera that comes and was taken after a moment."""
        self._wish, self._answer = effect, answer
        self._agenda.after(effect.timeout_s, lambda: self._give_up(effect))
        self._shoot_after(effect, max(effect.after_ns, self._agenda.now_ns))

    def _shoot_after(self, wish: TakePicture, moment_ns: int) -> None:
        due_ns = (moment_ns // _PERIOD_NS + 1) * _PERIOD_NS

        def shoot() -> None:
            self._body.snapshot  # noqa: B018 - lets the time pass up to this moment
            if self._wish is wish and not self._post.send(self._simulation.frame()):
                self._shoot_after(wish, due_ns)

        self._agenda.after((due_ns - self._agenda.now_ns) / NS_PER_S, shoot)

    def _arrived(self, frame: Frame) -> None:
        wish, stamp_ns = self._wish, frame.snapshot.stamp_ns
        self._frames.append(frame)
        self._memory.add(frame.colour, frame.snapshot)
        if wish is None or stamp_ns <= wish.after_ns:
            return
        self._wish = None
        picture = prepare(frame.colour, self._config)
        self._answer(PictureTaken(
            wish.request_id, stamp_ns, CAMERA_FRAME, picture.jpeg, picture.width_px,
            picture.height_px, picture.sent_width_px, picture.sent_height_px))

    def crop(self, effect: CropPicture, answer: Callable[[Event], None]) -> None:
        """Report a part of a picture that was taken."""
        frame = next((frame for frame in self._frames
                      if frame.snapshot.stamp_ns == effect.stamp_ns), None)
        event: Event = PictureFailed(effect.request_id, 'that picture is not kept any more')
        if frame is not None:
            part = crop(frame.colour, effect.box, self._config)
            event = PictureCropped(effect.request_id, part.jpeg, part.sent_width_px,
                                   part.sent_height_px)
        self._agenda.after(0.0, lambda: answer(event))

    def _give_up(self, wish: TakePicture) -> None:
        if self._wish is wish:
            self._wish = None
            self._answer(PictureFailed(wish.request_id,
                                       f'no picture came within {wish.timeout_s:.1f} s'))

    def freeze(self, effect: FreezeLook, answer: Callable[[Event], None]) -> None:
        """Report depth and transforms of a picture's stamp."""
        frame = next((frame for frame in self._frames
                      if frame.snapshot.stamp_ns == effect.stamp_ns), None)
        self._agenda.after(0.0, lambda: answer(
            self._frozen(effect.look_id, frame) if frame is not None
            else LookNotFrozen(effect.look_id, 'no depth picture came')))

    def _frozen(self, look_id: str, frame: Frame) -> LookFrozen:
        camera = self._simulation.camera
        odom_T_base = Transform.from_pose(frame.snapshot.odom)
        return LookFrozen(
            look_id, frame.depth_mm, intrinsics_of(camera),
            odom_T_base @ camera.base_t_camera @ CAMERA_T_OPTICAL, odom_T_base)
