"""One picture at a time from a camera that is listened to only while one is wanted."""

from collections.abc import Callable
from typing import Any

import numpy as np
from cv_bridge import CvBridge, CvBridgeError
from numpy.typing import NDArray
from rclpy.node import Node
from sensor_msgs.msg import Image

from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.clock import stamp_ns, steady_timer
from semantic_nav.vlm.events import (
    CropPicture,
    PictureCropped,
    PictureFailed,
    PictureTaken,
    TakePicture,
)
from semantic_nav.vlm.picture import Picture


class Camera:
    """Takes the first picture after a moment; a newer wish replaces one that is still open."""

    def __init__(self, node: Node, name: str, topic: str, answer: Callable[[Event], None],
                 prepare: Callable[[NDArray[np.uint8]], Picture],
                 cut: Callable[[NDArray[np.uint8], Box], Picture]) -> None:
        """Stay silent until a picture is wanted.

        Args:
            node: subscribes.
            name: of the camera.
            topic: of sensor_msgs/Image.
            answer: gets the picture or the failure.
            prepare: encodes a picture, uint8, shape (height, width, 3), red first.
            cut: encodes a part of such a picture.
        """
        self._node = node
        self._name, self._topic = name, topic
        self._answer = answer
        self._prepare, self._cut = prepare, cut
        self._bridge = CvBridge()
        self._wish: TakePicture | None = None
        self._newest_ns: int | None = None
        #: Stamp and original of the picture that was given last.
        self._taken: tuple[int, NDArray[np.uint8]] | None = None
        self._subscription: Any = None
        self._timer: Any = None

    @property
    def present(self) -> bool:
        """Tell whether anybody publishes pictures."""
        # Counting does not follow remappings by itself.
        return self._node.count_publishers(self._node.resolve_topic_name(self._topic)) > 0

    def take(self, wish: TakePicture) -> None:
        """Begin to listen."""
        self.close()
        self._wish = wish
        self._newest_ns = None
        self._subscription = self._node.create_subscription(
            Image, self._topic, self._on_image, qos.IMAGES)
        self._timer = steady_timer(self._node, wish.timeout_s, self._on_timeout)

    def crop(self, wish: CropPicture) -> None:
        """Answer with a part of the picture that was given last."""
        if self._taken is None or self._taken[0] != wish.stamp_ns:
            self._answer(PictureFailed(wish.request_id, 'that picture is not kept any more'))
            return
        part = self._cut(self._taken[1], wish.box)
        self._answer(PictureCropped(
            wish.request_id, part.jpeg, part.sent_width_px, part.sent_height_px))

    def close(self) -> None:
        """Stop listening; an open wish is forgotten."""
        self._wish = None
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def _on_image(self, message: Image) -> None:
        wish, stamp = self._wish, stamp_ns(message.header.stamp)
        self._newest_ns = stamp
        if wish is None or stamp <= wish.after_ns:
            return
        self.close()
        try:
            rgb = self._bridge.imgmsg_to_cv2(message, desired_encoding='rgb8')
            picture = self._prepare(rgb)
        except (CvBridgeError, ValueError, TypeError) as error:
            self._answer(PictureFailed(
                wish.request_id, f'a picture in {message.encoding!r} cannot be used: '
                f'{str(error)[:200]}'))
            return
        self._taken = (stamp, rgb)
        self._answer(PictureTaken(
            wish.request_id, stamp, message.header.frame_id, picture.jpeg, picture.width_px,
            picture.height_px, picture.sent_width_px, picture.sent_height_px, self._name))

    def _on_timeout(self) -> None:
        wish = self._wish
        if wish is None:
            return
        topic = self._node.resolve_topic_name(self._topic)
        if self._newest_ns is None:
            reason = f'no picture came on {topic} within {wish.timeout_s:.1f} s'
        else:
            late_s = seconds(wish.after_ns - self._newest_ns)
            reason = (f'the newest picture on {topic} is {late_s:.2f} s older than asked for; '
                      f'do camera and robot share a clock?')
        self.close()
        self._answer(PictureFailed(wish.request_id, reason))
