"""The doctor takes a look with each camera, and names what is wrong with it before any mission."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import CAMERA, Room
from executors import spun
from fake_nav2 import NAMESPACE, PATIENT, FakeRobot, Rig, running
from rclpy.context import Context
from rclpy.node import Node
from sensor_msgs.msg import Image

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.doctor.finding import Finding
from semantic_nav.doctor.robot import RobotDoctor
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.verifier import VerifierNode

ABOUT = 'camera front'


class Bench(Rig):
    """A robot with a verifier, and of the hypothesis node what the doctor asks it.

    Attributes:
        frame, size, encoding: of the pictures.
    """

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__(context, folder)
        self.robot = self.add(FakeRobot(context, Room(), Pose2D(2.0, 3.0, 0.0)))
        self.frame, self.encoding = 'camera', 'rgb8'
        self.size = CAMERA.width_px, CAMERA.height_px
        hypothesis = self.add(Node('hypothesis', context=context, namespace=NAMESPACE))
        hypothesis.declare_parameter('image_topic', 'front/image')
        hypothesis.declare_parameter('camera_name', 'front')
        hypothesis.declare_parameter('other_cameras', '')

    def shoot(self) -> None:
        """Publish pictures, again and again."""
        publisher = self.peer.create_publisher(Image, 'front/image', qos.IMAGES)

        def picture() -> None:
            width, height = self.size
            message = Image(width=width, height=height, encoding=self.encoding, step=3 * width,
                            data=bytes([90]) * (3 * width * height))
            message.header.stamp = self.peer.get_clock().now().to_msg()
            message.header.frame_id = self.frame
            publisher.publish(message)

        self.peer.create_timer(0.1, picture)

    def found(self, expected: str, about: str = ABOUT, **parameters: Any) -> Finding:
        """Return what the doctor says of the camera, or in the end what else."""
        self.start(VerifierNode, **PATIENT, **parameters)
        with spun(self.executor):
            # On a busy machine nodes are found later than the doctor looks.
            for _ in range(20):
                doctor = RobotDoctor(NAMESPACE, context=self.context)
                try:
                    found = {one.about: one for one in doctor.findings(0.5)}
                finally:
                    doctor.close()
                # TF and depth come yet, as after the start of a robot.
                if about in found and expected in found[about].words:
                    break
        return found[about]


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[Bench]:
    with running(Bench, ros_domain, tmp_path) as made:
        yield made


def test_camera_that_is_well_is_told_as_people_can_check_it(bench: Bench) -> None:
    bench.shoot()
    found = bench.found('a look has')
    assert found.level is Level.OK, found
    assert found.words == (
        'a look has its depth: 160 x 120 pixels, 67 degrees wide; by TF it sits 1.00 m high, '
        '0.10 m ahead, and looks 0 degrees down')


def test_frame_of_the_body_is_told_with_the_cure(bench: Bench) -> None:
    bench.frame = bench.robot.depth_frame = 'base_link'
    bench.shoot()
    found = bench.found('90 degrees up')
    assert found.level is Level.WARN and '90 degrees up' in found.words
    assert 'optical' in found.words and 'troubleshooting' in found.mend


def test_picture_of_another_view_is_told_with_all_sizes(bench: Bench) -> None:
    bench.size = (250, 250)
    bench.shoot()
    found = bench.found('not of one view')
    assert found.level is Level.ERROR
    assert 'picture 250 x 250, depth 160 x 120, camera_info 160 x 120' in found.words


def test_pictures_that_cannot_be_used_are_told(bench: Bench) -> None:
    bench.encoding = 'h264'
    bench.shoot()
    found = bench.found('cannot be used')
    assert found.level is Level.ERROR and 'front/image cannot be used' in found.words


def test_camera_that_is_silent_is_told_with_the_topics_that_are_not(bench: Bench) -> None:
    bench.peer.create_publisher(Image, 'other/image', qos.IMAGES)
    found = bench.found('other/image')
    assert found.level is Level.ERROR and found.words.startswith(
        'no picture came: nobody publishes /robot/front/image; pictures are published on ')
    assert '/robot/other/image' in found.words and 'image_topic' in found.mend


def test_pictures_that_do_not_arrive_are_told_from_a_camera_that_is_missing(bench: Bench) -> None:
    bench.peer.create_publisher(Image, 'front/image', qos.IMAGES)
    found = bench.found('nothing arrives')
    assert found.level is Level.ERROR and found.words.startswith(
        'no picture came: peer publishes /robot/front/image, and nothing arrives')
    assert 'container' in found.words and found.words.count('/robot/front/image') == 1


def test_depth_that_does_not_arrive_is_told_beside_the_picture(bench: Bench) -> None:
    bench.robot.silent.add('depth')
    bench.shoot()
    found = bench.found('nothing arrives')
    assert found.level is Level.ERROR and 'no depth picture came; ' in found.words
    assert 'publishes /robot/camera/depth/image_raw, and nothing arrives' in found.words


def test_cameras_that_the_two_nodes_name_differently_are_told(bench: Bench) -> None:
    found = bench.found('knows', about='cameras', other_cameras='left')
    assert found.level is Level.ERROR
    assert found.words == 'the verifier knows camera, left, and the hypothesis node front'
    assert 'camera_name' in found.mend


def test_robot_without_our_nodes_has_no_cameras_of_ours(bench: Bench) -> None:
    doctor = RobotDoctor('elsewhere', context=bench.context)
    try:
        with spun(bench.executor):
            assert not [one for one in doctor.findings(0.2) if one.about.startswith('camera')]
    finally:
        doctor.close()
