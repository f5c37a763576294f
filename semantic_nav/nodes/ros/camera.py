"""Pictures of the cameras, one at a time; a camera is heard only while a picture is wanted."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from sensor_msgs.msg import CompressedImage, Image

from semantic_nav.contracts.core import Event
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.clock import stamp_ns, steady_timer
from semantic_nav.nodes.ros.hearing import PICTURES, Hearing, Topics, why_silent
from semantic_nav.nodes.ros.pixels import pixels_of
from semantic_nav.vlm.events import CropPicture, PictureFailed, TakePicture
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.picture import Picture
from semantic_nav.vlm.picture_taker import PictureTaker

#: Period of the check for publishers while a picture is wanted, in s.
_LOOK_S = 0.1


class Camera:
    """Source of the first picture after a moment; a newer request replaces an open one.

    Attributes:
        name: name of the camera.
    """

    def __init__(self, node: Node, name: str, topic: str, answer: Callable[[Event], None],
                 prepare: Callable[[NDArray[np.uint8], BoxConvention], Picture],
                 cut: Callable[[NDArray[np.uint8], Box], Picture]) -> None:
        """Stay silent until a picture is wanted.

        Args:
            node: owns the subscription.
            name: name of the camera.
            topic: topic of sensor_msgs/Image or CompressedImage, whichever is published.
            answer: gets the picture or the failure.
            prepare: encodes a picture, uint8, shape (height, width, 3), red first.
            cut: encodes a part of such a picture.
        """
        self._node = node
        self.name, self._topic = name, topic
        self._answer = answer
        self._taker = PictureTaker(prepare, cut, name)
        self._hearing: Hearing | None = None
        self._timers: tuple[Any, ...] = ()
        self._topics = Topics(node, ((PICTURES, topic),))

    @property
    def topic(self) -> str:
        """Topic of its pictures, remapped."""
        return self._node.resolve_topic_name(self._topic)

    @property
    def present(self) -> bool:
        """Tell whether anybody publishes pictures."""
        # count_publishers does not follow remappings by itself.
        return self._node.count_publishers(self.topic) > 0

    @property
    def misfit(self) -> str:
        """Fault in words if another type than pictures is published; empty otherwise."""
        level, words = self._topics.state()
        return words if level is Level.ERROR else ''

    def take(self, wish: TakePicture) -> None:
        """Begin to listen for a picture."""
        self.close()
        self._taker.ask(wish)
        hearing = self._hearing = Hearing(
            self._node, PICTURES, self._topic, self._on_picture, qos.IMAGES)
        self._timers = (
            steady_timer(self._node, _LOOK_S, hearing.adapt),
            steady_timer(self._node, wish.timeout_s, lambda: self._on_timeout(wish)))

    def crop(self, wish: CropPicture) -> None:
        """Answer with a part of a recent picture of this camera."""
        self._answer(self._taker.crop(wish))

    def close(self) -> None:
        """Stop listening; an open request is dropped."""
        self._taker.forget()
        if self._hearing is not None:
            self._hearing.destroy()
            self._hearing = None
        for timer in self._timers:
            self._node.destroy_timer(timer)
        self._timers = ()

    def _on_picture(self, message: Image | CompressedImage) -> None:
        encoding = message.format if isinstance(message, CompressedImage) else message.encoding
        event = self._taker.take(stamp_ns(message.header.stamp), message.header.frame_id, encoding,
                                 lambda: pixels_of(message))
        if event is not None:
            self.close()
            self._answer(event)

    def _on_timeout(self, wish: TakePicture) -> None:
        event = self._taker.give_up(wish, self.topic, why_silent(self._node, self._topic))
        if event is not None:
            self.close()
            misfit = self.misfit
            self._answer(PictureFailed(wish.request_id, misfit) if misfit else event)


class Cameras:
    """The cameras by name; one request is open at a time."""

    def __init__(self, cameras: Sequence[Camera], answer: Callable[[Event], None]) -> None:
        """Stay silent until a picture is wanted.

        Args:
            cameras: the cameras, the first one first.
            answer: gets the failure if no camera has the requested name.
        """
        self._first, self._answer = cameras[0], answer
        self._by_name = {camera.name: camera for camera in cameras}
        self._chosen = self._first

    @property
    def absent(self) -> tuple[Camera, ...]:
        """Cameras without a publisher of pictures."""
        return tuple(camera for camera in self._by_name.values() if not camera.present)

    @property
    def misfits(self) -> str:
        """Faults in words of cameras on whose topics another type is published; empty if none."""
        return '; '.join(filter(None, (camera.misfit for camera in self._by_name.values())))

    def take(self, wish: TakePicture) -> None:
        """Begin to listen to the named camera, and to no other."""
        self._chosen.close()
        chosen = self._named(wish) if wish.camera else self._first
        if chosen is not None:
            self._chosen = chosen
            chosen.take(wish)

    def crop(self, wish: CropPicture) -> None:
        """Answer with a part of a recent picture."""
        camera = self._named(wish)
        if camera is not None:
            camera.crop(wish)

    def _named(self, wish: TakePicture | CropPicture) -> Camera | None:
        """The camera that a wish names; None, and the wish has failed, if there is no such."""
        camera = self._by_name.get(wish.camera)
        if camera is None:
            self._answer(PictureFailed(
                wish.request_id, f'there is no camera {wish.camera!r}, only '
                                 f'{", ".join(self._by_name)}'))
        return camera

    def close(self) -> None:
        """Stop listening; an open request is dropped."""
        self._chosen.close()
