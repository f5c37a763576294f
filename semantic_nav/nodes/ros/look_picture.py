"""Picture of the last look with the answer of the model, for RViz."""

import cv2
import numpy as np
from numpy.typing import NDArray
from rclpy.lifecycle import LifecycleNode
from sensor_msgs.msg import Image

from semantic_nav.contracts.documents import Document, Hypothesis
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.clock import to_stamp
from semantic_nav.nodes.ros.names import PREFIX
from semantic_nav.vlm.events import PictureTaken

#: Colours, RGB.
_THING, _TARGET, _INK, _PAPER = (90, 150, 255), (230, 40, 40), (30, 30, 30), (255, 255, 255)
_FONT, _SIZE = cv2.FONT_HERSHEY_SIMPLEX, 0.45
#: Number of looks held whose answer may still come.
_MOST_HELD = 4


class LookPicture:
    """Publisher of `look_picture` while somebody listens: boxes, names, proposal of the model."""

    def __init__(self, node: LifecycleNode) -> None:
        """Begin without a picture."""
        self._node = node
        self._publisher = node.create_publisher(Image, f'{PREFIX}/look_picture', qos.DISPLAY)
        self._held: list[PictureTaken] = []

    def taken(self, picture: PictureTaken) -> None:
        """Hold a picture until its answer comes."""
        self._held = [*self._held, picture][-_MOST_HELD:]

    def follow(self, document: Document) -> None:
        """Publish the picture of a hypothesis."""
        body = document.body
        if not isinstance(body, Hypothesis) or not self._publisher.get_subscription_count():
            return
        of_it = [one for one in self._held if one.stamp_ns == document.stamp_ns]
        if not of_it:
            return
        picture = of_it[-1]
        message = _message(drawn(picture.jpeg, body))
        message.header.stamp = to_stamp(picture.stamp_ns)
        message.header.frame_id = picture.frame_id
        self._publisher.publish(message)

    def close(self) -> None:
        """Destroy the publisher."""
        self._node.destroy_publisher(self._publisher)


def drawn(jpeg: bytes, hypothesis: Hypothesis) -> NDArray[np.uint8]:
    """Picture with the objects that the model saw, uint8, RGB, shape (height, width, 3)."""
    pixels = cv2.cvtColor(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR),
                          cv2.COLOR_BGR2RGB)
    said = hypothesis.hypothesis
    for thing in said.scene.objects:
        if thing.box is not None and thing.box != said.target_box:
            _draw_box(pixels, thing.box, thing.name, _THING)
    if said.target_box is not None:
        _draw_box(pixels, said.target_box, f'target {said.confidence:.0%}', _TARGET)
    _write(pixels, f'{said.scene.place}: {said.action.value}, {said.target_status.value} '
           f'({hypothesis.source.value})', (4, pixels.shape[0] - 6), _PAPER)
    return np.asarray(pixels, np.uint8)


def _draw_box(pixels: NDArray[np.uint8], box: Box, words: str,
              colour: tuple[int, int, int]) -> None:
    height, width = pixels.shape[:2]
    x1, y1, x2, y2 = (round(value / 1000.0 * side) for value, side in zip(
        box, (width, height) * 2, strict=True))
    cv2.rectangle(pixels, (x1, y1), (x2, y2), colour, 2)
    _write(pixels, words, (x1 + 2, max(12, y1 - 4)), colour)


def _write(pixels: NDArray[np.uint8], words: str, at: tuple[int, int],
           colour: tuple[int, int, int]) -> None:
    # OpenCV's font has ASCII only.
    plain = words.encode('ascii', 'replace').decode()
    for thick, ink in ((3, _INK), (1, colour)):
        cv2.putText(pixels, plain, at, _FONT, _SIZE, ink, thick, cv2.LINE_AA)


def _message(pixels: NDArray[np.uint8]) -> Image:
    height, width = pixels.shape[:2]
    return Image(height=height, width=width, encoding='rgb8', step=3 * width,
                 data=pixels.tobytes())
