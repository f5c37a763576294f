"""The outline of the robot over ROS, as a costmap of Nav2 tells it."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import Room
from fake_nav2 import PATIENT, FakeRobot, Rig, running
from geometry_msgs.msg import Point32, Polygon, PolygonStamped
from rclpy.context import Context
from std_msgs.msg import Header

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.footprint_topic import corners_of
from semantic_nav.nodes.verifier import VerifierNode
from semantic_nav_sim.navigator.config import NavigatorConfig
from semantic_nav_sim.navigator.geometry import Pose
from semantic_nav_sim.navigator.ros_messages import footprint_to_msg

TEXT = '[[0.37, 0.27], [0.37, -0.27], [-0.37, -0.27], [-0.37, 0.27]]'
CORNERS = ((0.37, 0.27), (0.37, -0.27), (-0.37, -0.27), (-0.37, 0.27))
TOPIC = 'global_costmap/published_footprint'
START = Pose2D(2.0, 3.0, 0.7)


class Bench(Rig):
    """The verifier and a robot."""

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__(context, folder)
        self.robot = self.add(FakeRobot(context, Room(), START))
        self.outline = self.peer.create_publisher(PolygonStamped, TOPIC, qos.EVENTS)


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[Bench]:
    with running(Bench, ros_domain, tmp_path) as made:
        yield made


@pytest.mark.parametrize(('config', 'count'), [
    (NavigatorConfig(footprint=TEXT), 4), (NavigatorConfig(), 16)])
def test_outline_comes_back_into_the_frame_of_the_robot(config: NavigatorConfig,
                                                        count: int) -> None:
    costmap = config.costmap(Room().map())
    message = footprint_to_msg(costmap, Pose(START.x, START.y, START.yaw), Header(frame_id='map'))
    corners = corners_of(message, Transform.from_pose(START).inverse())
    assert len(corners) == count
    if config.footprint:
        assert corners == CORNERS
    else:
        assert {round(math.hypot(x, y), 2) for x, y in corners} == {config.robot_radius}


def test_verifier_takes_what_a_costmap_tells_and_names_what_is_none(bench: Bench) -> None:
    bench.start(VerifierNode, footprint_topic=TOPIC, **PATIENT)
    bench.statement('verifier: footprint', 1)

    def tell(*corners: tuple[float, float]) -> None:
        stamp = bench.peer.get_clock().now().to_msg()
        bench.outline.publish(PolygonStamped(
            header=Header(frame_id='base_link', stamp=stamp),
            polygon=Polygon(points=[Point32(x=x, y=y) for x, y in corners])))

    timer = bench.peer.create_timer(0.1, lambda: tell(*CORNERS[:2]))
    bench.statement('verifier: footprint', 2)
    bench.peer.destroy_timer(timer)
    bench.peer.create_timer(0.1, lambda: tell(*CORNERS))
    bench.statement('verifier: footprint', 0)
