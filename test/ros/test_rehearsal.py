"""The look that the verifier tries after its start, with depth as it is published."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from builders import CAMERA, Room
from fake_nav2 import PATIENT, FakeRobot, Rig, _info, running
from rclpy.context import Context
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.verifier import VerifierNode

OK, WARN = 0, 1


class Packer:
    """A publisher of depth that packs each picture, as compressed_image_transport does."""

    def __init__(self, publisher: Any) -> None:
        self._publisher = publisher
        self.get_subscription_count = publisher.get_subscription_count

    def publish(self, image: Image) -> None:
        depth = np.frombuffer(bytes(image.data), np.uint16).reshape(image.height, image.width)
        self._publisher.publish(CompressedImage(
            header=image.header, format='16UC1; png compressed ',
            data=cv2.imencode('.png', depth)[1].tobytes()))


class Bench(Rig):
    """The verifier and a robot that stands in a room."""

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__(context, folder)
        self.robot = self.add(FakeRobot(context, Room(), Pose2D(2.0, 3.0, 0.0)))


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[Bench]:
    with running(Bench, ros_domain, tmp_path) as made:
        yield made


@pytest.mark.parametrize('packed', [False, True])
def test_look_is_tried_before_any_goal(bench: Bench, packed: bool) -> None:
    robot = bench.robot
    if packed:
        robot.destroy_publisher(robot._depth)
        robot._depth = Packer(robot.create_publisher(
            CompressedImage, 'camera/depth/image_raw', qos.IMAGES))
    bench.start(VerifierNode, **PATIENT)
    bench.statement('verifier: proof', OK, 'fits together')


def test_what_does_not_fit_together_is_told_before_any_goal(bench: Bench) -> None:
    bench.robot.calibrated = False
    bench.start(VerifierNode, **PATIENT)
    bench.statement('verifier: proof', WARN, 'calibrat')


def test_calibration_without_a_frame_takes_that_of_the_depth(bench: Bench) -> None:
    """A look takes that of the picture, so the trial must not fail where it does not."""
    robot = bench.robot
    robot.silent.add('camera')
    calibration = robot.create_publisher(CameraInfo, 'camera/camera_info', qos.STATE)
    calibration.publish(_info(CAMERA))
    bench.start(VerifierNode, **PATIENT)
    bench.statement('verifier: proof', OK, 'fits together')
