"""The camera's pictures for the page; the topic is subscribed to while a page is open."""

import time
from collections import deque

from rclpy.node import Node
from sensor_msgs.msg import CompressedImage, Image

from semantic_nav.contracts.documents import Document
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.ros.conversions import same_frame
from semantic_nav.nodes.ros.hearing import PICTURES, Hearing
from semantic_nav.nodes.ros.pixels import pixels_of
from semantic_nav.operator.desk import Desk
from semantic_nav.operator.heard import PictureShown
from semantic_nav.operator.images import jpeg_of

#: Newest camera pictures among which that of a reported look is sought.
_KEPT = 20
#: Shortest time between two pictures for the page, in s.
_PERIOD_S = 0.2


class CameraFeed:
    """Shows live pictures to the watching pages, and keeps the pictures of looks."""

    def __init__(self, node: Node, topic: str, desk: Desk) -> None:
        """Stay silent until a page is open.

        Args:
            node: subscribes.
            topic: of pictures, compressed or not.
            desk: gets the pictures.
        """
        self._node, self._topic, self._desk = node, topic, desk
        self._newest: deque[Image | CompressedImage] = deque(maxlen=_KEPT)
        self._hearing: Hearing | None = None
        self._due_s = 0.0

    def listen(self, wanted: bool) -> None:
        """Start or stop listening."""
        if wanted and self._hearing is None:
            self._hearing = Hearing(
                self._node, PICTURES, self._topic, self._on_image, qos.IMAGES)
        elif wanted and self._hearing is not None:
            self._hearing.adapt()
        elif self._hearing is not None:
            self._hearing.destroy()
            self._hearing = None
            self._newest.clear()

    def keep_look(self, look: Document) -> None:
        """Keep the picture of a look if it is among the newest pictures.

        Pictures of several cameras may bear one stamp; the frame tells which camera took one.
        """
        message = next((one for one in self._newest
                        if stamp_ns(one.header.stamp) == look.stamp_ns
                        and same_frame(one.header.frame_id, look.frame_id)), None)
        jpeg = None if message is None else self._jpeg(message)
        if jpeg is not None:
            self._desk.hear(PictureShown(look.id, lambda: jpeg))

    def _on_image(self, message: Image | CompressedImage) -> None:
        self._newest.append(message)
        now_s = time.monotonic()
        if self._desk.watching and now_s >= self._due_s:
            self._due_s = now_s + _PERIOD_S
            jpeg = self._jpeg(message)
            if jpeg is not None:
                self._desk.show(jpeg)

    def _jpeg(self, message: Image | CompressedImage) -> bytes | None:
        try:
            return jpeg_of(pixels_of(message))
        except ValueError as error:
            self._node.get_logger().warning(f'pictures are not shown: {error}',
                                            throttle_duration_sec=60.0)
            return None
