"""The choice of the picture that answers a wish: the first one taken after a given time."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.contracts.stamps import SIMULATED_S, Stamps, words_of_gap
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA
from semantic_nav.vlm.content import fault_of_content, fingerprint
from semantic_nav.vlm.events import (
    MOST_LOOKS,
    CropPicture,
    PictureCropped,
    PictureFailed,
    PictureTaken,
    TakePicture,
)
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.picture import Picture

_REASON_CHARS = 300


class PictureTaker:
    """One wish for a picture of a camera, and the pictures of the looks under way.

    A newer wish replaces an open one.

    Attributes:
        wish: open wish; None if there is none.
    """

    def __init__(self, prepare: Callable[[NDArray[np.uint8], BoxConvention], Picture],
                 cut: Callable[[NDArray[np.uint8], Box], Picture],
                 camera: str = DEFAULT_CAMERA) -> None:
        """Begin without a wish.

        Args:
            prepare: function that encodes a picture, uint8, shape (height, width, 3), red first,
                for a model of a box convention.
            cut: function that encodes a part of such a picture.
            camera: name of the camera.
        """
        self._prepare, self._cut, self._camera = prepare, cut, camera
        self.wish: TakePicture | None = None
        self._newest_ns: int | None = None
        self._stamps = Stamps()
        #: Number of unusable pictures since the wish, and the fault of the last one.
        self._damaged, self._damage = 0, ''
        # Originals of the pictures that answered wishes, by their stamps, the newest last.
        self._taken: dict[int, NDArray[np.uint8]] = {}

    def ask(self, wish: TakePicture) -> None:
        """Open a wish."""
        self.wish, self._newest_ns, self._stamps = wish, None, Stamps()
        self._damaged, self._damage = 0, ''

    def forget(self) -> None:
        """Drop the wish."""
        self.wish = None

    def take(self, stamp_ns: int, frame_id: str, encoding: str,
             decode: Callable[[], NDArray[np.uint8]]) -> Event | None:
        """Take a picture in; an unusable one is skipped, as the next one may be whole.

        Args:
            stamp_ns: stamp of the picture, on the ROS clock.
            frame_id: optical frame of the camera.
            encoding: name of its encoding in ROS, for messages.
            decode: function that gives the picture, uint8, shape (height, width, 3), red first; it
                raises ValueError or TypeError if there is none.

        Returns:
            The event that ends the wish; None if this picture does not.
        """
        wish, self._newest_ns = self.wish, stamp_ns
        self._stamps.made_ns(stamp_ns, stamp_ns)
        if wish is None or stamp_ns <= wish.after_ns:
            return None
        try:
            rgb = decode()
            fault = fault_of_content(rgb)
            if fault:
                raise ValueError(fault)
            picture = self._prepare(rgb, wish.boxes)
        except (ValueError, TypeError) as error:
            self._damaged += 1
            self._damage = f'a picture in {encoding!r} cannot be used: {error}'[:_REASON_CHARS]
            return None
        self.wish = None
        kept = [*self._taken.items(), (stamp_ns, rgb)]
        self._taken = dict(kept[-MOST_LOOKS:])
        return PictureTaken(
            wish.request_id, stamp_ns, frame_id, picture.jpeg, picture.width_px,
            picture.height_px, picture.sent_width_px, picture.sent_height_px, self._camera,
            fingerprint(rgb))

    def give_up(self, wish: TakePicture, topic: str, silent: str = '') -> Event | None:
        """End a wish whose time is over; returns the failure, or None if it has ended before.

        Args:
            wish: wish whose time is over.
            topic: topic of the pictures.
            silent: reason why none came, in words, for the case that none did.
        """
        if self.wish is not wish:
            return None
        self.wish = None
        if self._damaged:
            return PictureFailed(wish.request_id, f'of {self._damaged} pictures on {topic} within '
                                 f'{wish.timeout_s:.1f} s none can be used; {self._damage}')
        if self._newest_ns is None:
            return PictureFailed(wish.request_id, f'no picture came on {topic} within '
                                                  f'{wish.timeout_s:.1f} s'
                                                  f'{silent and f": {silent}"}')
        late_s = seconds(wish.after_ns - self._newest_ns)
        return PictureFailed(wish.request_id, (
            f'nobody can tell when the pictures on {topic} were taken: {self._stamps.words}'
            if self._stamps.fault else words_of_gap(topic, late_s) if late_s >= SIMULATED_S else
            f'the newest picture on {topic} is {late_s:.2f} s older than asked for; do camera and '
            'robot share a clock?'))

    def crop(self, wish: CropPicture) -> Event:
        """A part of a recent picture, or the failure to cut it."""
        original = self._taken.get(wish.stamp_ns)
        if original is None:
            return PictureFailed(wish.request_id, 'that picture is not kept any more')
        part = self._cut(original, wish.box)
        return PictureCropped(wish.request_id, part.jpeg, part.sent_width_px, part.sent_height_px)
