"""Memory of published pictures, to recognise one that comes back."""

import threading
from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from semantic_nav_sim.robot.body import Snapshot

THUMBNAIL_PX = (48, 36)
KEPT_FRAMES = 300
# Root-mean-square difference, in grey levels, at which the similarity reaches 0.
UNLIKE_LEVELS = 40.0
THRESHOLD = 0.92

Thumbnail = NDArray[np.float32]


@dataclass(frozen=True)
class Match:
    """The most similar remembered picture.

    Attributes:
        snapshot: of the robot when the picture was taken.
        camera: name of its camera; empty for the first one.
        similarity: 1 for equal, 0 for unlike pictures.
    """

    snapshot: Snapshot
    camera: str
    similarity: float

    @property
    def found(self) -> bool:
        """Tell whether it is the sought picture."""
        return self.similarity >= THRESHOLD


def thumbnail(picture: Image.Image) -> Thumbnail:
    """A small version of a picture of any size, shape (3 * columns * rows,)."""
    small = picture.convert('RGB').resize(THUMBNAIL_PX, Image.Resampling.BOX)
    return np.asarray(small, np.float32).ravel()


class FrameMemory:
    """The last published pictures as thumbnails, each with the robot's state. Thread-safe."""

    def __init__(self, kept: int = KEPT_FRAMES) -> None:
        self._frames: deque[tuple[Thumbnail, Snapshot, str]] = deque(maxlen=kept)
        self._lock = threading.Lock()

    def add(self, colour: NDArray[np.uint8], snapshot: Snapshot, camera: str = '') -> None:
        """Remember a picture, uint8, shape (height, width, 3), and forget the oldest."""
        small = thumbnail(Image.fromarray(colour))
        with self._lock:
            self._frames.append((small, snapshot, camera))

    def best(self, picture: Image.Image) -> Match | None:
        """The most similar remembered picture; None if the memory is empty.

        Thumbnails are compared pixel by pixel. Compression, noise and a slightly different size
        average out in them; a mirrored, recoloured or other picture does not.
        """
        with self._lock:
            frames = list(self._frames)
        if not frames:
            return None
        difference = np.stack([small for small, _, _ in frames]) - thumbnail(picture)
        levels = np.sqrt(np.mean(difference ** 2, axis=1))
        # The newest of equally similar pictures.
        nearest = len(levels) - 1 - int(np.argmin(levels[::-1]))
        similarity = max(0.0, 1 - float(levels[nearest]) / UNLIKE_LEVELS)
        return Match(*frames[nearest][1:], similarity)
