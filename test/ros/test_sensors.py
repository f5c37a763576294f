"""What is said of a scanner by what came since the last time."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_nav2 import Rig, running
from sensor_msgs.msg import LaserScan

from semantic_nav.contracts.core import Event
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.scans import judge_scan
from semantic_nav.nodes.ros.sensors import Sensors
from semantic_nav.verify.events import SensorBlind, SensorHeard
from semantic_nav.verify.floor.surroundings import SCAN


@pytest.fixture
def rig(ros_domain: int, tmp_path: Path) -> Iterator[Rig]:
    with running(Rig, ros_domain, tmp_path) as made:
        yield made


def scan(rig: Rig, metres: float, frame: str) -> LaserScan:
    message = LaserScan(angle_increment=math.tau / 360, range_min=0.05, range_max=25.0,
                        ranges=[metres] * 360)
    message.header.frame_id = frame
    message.header.stamp = rig.peer.get_clock().now().to_msg()
    return message


@pytest.mark.parametrize(('echoes', 'heard', 'words'), [
    ({'one': 2.0, 'two': math.inf, 'three': math.inf}, SensorHeard, 'messages of 3 frames'),
    ({'one': math.inf, 'two': 2.0}, SensorHeard, '(one, two): give each sensor its own'),
    ({'one': math.inf, 'two': math.inf}, SensorBlind, 'none of 360 rays met anything'),
    ({'one': 2.0}, SensorHeard, 'heard')])
def test_scanner_is_blind_where_none_of_its_echoes_met_anything(
        rig: Rig, echoes: dict[str, float], heard: type[Event], words: str) -> None:
    """A scanner may send its echoes one after the other on one topic (sick_scan_xd issue 342)."""
    events: list[Event] = []
    said: list[tuple[Level, str]] = []
    came: list[LaserScan] = []
    sensors = Sensors(rig.peer, events.append, lambda _, level, text, **__: said.append(
        (level, text)), [((LaserScan,), 'scan', SCAN, came.append)], {SCAN: judge_scan})
    sensors.listen(wanted=True)
    publisher = rig.peer.create_publisher(LaserScan, 'scan', qos.IMAGES)
    rig.until(lambda: publisher.get_subscription_count() > 0)
    for number, (frame, metres) in enumerate(echoes.items(), 1):
        publisher.publish(scan(rig, metres, frame))
        rig.until(lambda number=number: len(came) == number)
    sensors.tell()
    sensors.listen(wanted=False)
    (event,), ((level, text),) = events, said
    assert isinstance(event, heard) and words in text
    assert level is (Level.OK if text == 'heard' else Level.WARN)
