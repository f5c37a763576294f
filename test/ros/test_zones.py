"""Zones, keep-out mask and speed limits over ROS."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from builders import Room
from fake_nav2 import PATIENT, FakeRobot, Rig, running
from nav2_msgs.msg import SpeedLimit
from nav_msgs.msg import OccupancyGrid as GridMessage
from rclpy.context import Context
from rclpy.lifecycle import TransitionCallbackReturn
from std_msgs.msg import Header

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.verifier import VerifierNode
from semantic_nav_sim.navigator.ros_messages import map_to_msg
from semantic_nav_sim.navigator.ros_speed_limit import obey_speed_limits

ERROR = 2
START = Pose2D(2.0, 3.0, 0.0)
SLOW = {'names': ['hall'], 'kind': 'speed', 'max_speed_mps': 0.2,
        'polygon': [[1, 2], [3, 2], [3, 4], [1, 4]]}


class Bench(Rig):
    """The verifier and a robot."""

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__(context, folder)
        self.robot = self.add(FakeRobot(context, Room(), START))
        self.limits: list[SpeedLimit] = []
        self.peer.create_subscription(SpeedLimit, 'speed_limit', self.limits.append, 10)

    def zones(self, *zones: dict[str, Any]) -> str:
        path = self.folder / 'zones.yaml'
        path.write_text(yaml.safe_dump({'frame_id': 'map', 'zones': list(zones)}))
        return str(path)


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[Bench]:
    with running(Bench, ros_domain, tmp_path) as made:
        yield made


def test_fields_are_those_of_nav2() -> None:
    assert SpeedLimit.get_fields_and_field_types() == {
        'header': 'std_msgs/Header', 'percentage': 'boolean', 'speed_limit': 'double'}


@pytest.mark.parametrize('content', [None, 'a: [', 'frame_id: odom\nzones: []\n'])
def test_verifier_with_a_broken_file_does_not_become_active(
        content: str | None, bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    path = bench.folder / 'broken.yaml'
    if content is not None:
        path.write_text(content)
    node = bench.make(VerifierNode, zones_file=str(path), **PATIENT)
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert f'zones_file {path}' in capfd.readouterr().err


def test_speed_limit_is_told_in_a_zone_beyond_it_and_again_at_activation(bench: Bench) -> None:
    node = bench.start(VerifierNode, zones_file=bench.zones(SLOW), **PATIENT)
    bench.until(lambda: [one.speed_limit for one in bench.limits] == [0.2])
    assert not bench.limits[0].percentage and bench.limits[0].header.frame_id == 'map'
    bench.robot.pose = Pose2D(4.0, 3.0, 0.0)
    bench.until(lambda: [one.speed_limit for one in bench.limits] == [0.2, 0.0])
    assert node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS
    bench.until(lambda: [one.speed_limit for one in bench.limits] == [0.2, 0.0, 0.0])


def test_keep_out_mask_is_awaited_and_taken(bench: Bench) -> None:
    node = bench.start(VerifierNode, keepout_mask_topic='keepout_filter_mask', **PATIENT)
    bench.until(lambda: 'waiting for' in bench.statements.get('verifier: keepout', (0, ''))[1])
    assert node.core._surroundings.keepout.missing
    publisher = bench.peer.create_publisher(GridMessage, 'keepout_filter_mask', qos.STATE)
    message = map_to_msg(Room().map(), Header(
        stamp=bench.peer.get_clock().now().to_msg(), frame_id='odom'))
    publisher.publish(message)
    bench.until(lambda: bench.statements.get('verifier: keepout', (0, ''))[0] == ERROR)
    message.header.frame_id = 'map'
    publisher.publish(message)
    bench.until(lambda: node.core._surroundings.keepout.mask is not None)
    assert not node.core._surroundings.keepout.missing


def test_stand_in_obeys_what_is_told(bench: Bench) -> None:
    obeyed: list[tuple[float, bool]] = []
    obey_speed_limits(bench.peer, lambda limit, *, percentage: obeyed.append((limit, percentage)))
    publisher = bench.peer.create_publisher(SpeedLimit, 'speed_limit', qos.STATE)
    bench.until(lambda: publisher.get_subscription_count() > 0)
    publisher.publish(SpeedLimit(percentage=True, speed_limit=30.0))
    bench.until(lambda: obeyed)
    assert obeyed == [(30.0, True)]
