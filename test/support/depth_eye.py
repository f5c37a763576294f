"""A camera that publishes the depth of one thing before it, for tests."""

import numpy as np
from depth_views import CAMERA, Thing, seen_by_camera
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, Image
from tf2_ros import StaticTransformBroadcaster

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.nodes.ros import qos
from semantic_nav_sim.robot import ros_messages as messages
from semantic_nav_sim.robot.camera import CAMERA_T_OPTICAL, CameraModel

#: Half a metre before a round robot and as high as a table's top, which a scan passes under.
THING: Thing = (0.8, 1.2, 0.75, 0.04)


class Eye(Node):
    """One camera in the middle of a robot that looks ahead, whatever its name.

    Args:
        camera: its name.
        base: frame of the robot.
        encoding: 16UC1 or 32FC1.
        namespace: of its topics.
        shrunk: how many times smaller than CAMERA's its pictures are, in both directions.
        told: what camera_info says; None for the truth.
    """

    def __init__(self, camera: str, base: str, encoding: str = '16UC1', namespace: str = '',
                 shrunk: int = 1, told: CameraModel | None = None) -> None:
        super().__init__(f'{camera}_eye', namespace=namespace)
        self._frame, self._encoding = f'{camera}_optical', encoding
        self._millimetres = seen_by_camera(Pose2D(0.0, 0.0, 0.0), THING)[::shrunk, ::shrunk]
        self._told = told or CAMERA.shrunk(shrunk)
        self._static_tf = StaticTransformBroadcaster(self)
        self._static_tf.sendTransform(messages.transform(
            0, base, self._frame, CAMERA.base_t_camera @ CAMERA_T_OPTICAL))
        self._depth = self.create_publisher(Image, f'{camera}/depth/image_raw', qos.IMAGES)
        self._info = self.create_publisher(CameraInfo, f'{camera}/camera_info', qos.IMAGES)
        self.create_timer(0.1, self._look)

    def _look(self) -> None:
        stamp_ns = self.get_clock().now().nanoseconds
        self._info.publish(messages.camera_info(stamp_ns, self._frame, self._told))
        image = messages.image(stamp_ns, self._frame, np.ascontiguousarray(self._millimetres))
        if self._encoding == '32FC1':
            metres = (self._millimetres / 1000.0).astype(np.float32)
            image.encoding, image.step, image.data = '32FC1', 4 * image.width, metres.tobytes()
        self._depth.publish(image)
