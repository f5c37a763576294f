"""Topics of others: heard with whatever quality of service they are offered, and named before a
mission where nobody publishes them as they are heard."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import CAMERA, Room, look_request
from executors import spun
from fake_nav2 import NAMESPACE, PATIENT, FakeRobot, Rig, _info, running
from geometry_msgs.msg import PolygonStamped
from nav_msgs.msg import OccupancyGrid as GridMessage
from rclpy.context import Context
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, CompressedImage, Image, PointCloud2
from std_msgs.msg import String
from stranger import stranger

from semantic_nav.contracts.documents import Step
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Level, StepKind
from semantic_nav.doctor.robot import RobotDoctor
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.hearing import PICTURES, Hearing
from semantic_nav.nodes.verifier import VerifierNode

START = Pose2D(2.0, 3.0, 0.0)
VOLATILE = QoSProfile(depth=5, reliability=ReliabilityPolicy.RELIABLE,
                      durability=DurabilityPolicy.VOLATILE)
BEST_EFFORT = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT,
                         durability=DurabilityPolicy.VOLATILE)
KEPT_BEST_EFFORT = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT,
                              durability=DurabilityPolicy.TRANSIENT_LOCAL)
PROFILES = {'kept': qos.STATE, 'volatile': VOLATILE, 'best effort': BEST_EFFORT,
            'kept, best effort': KEPT_BEST_EFFORT}


class Bench(Rig):
    """A robot without map, costmap and depth, which the tests publish in their own way."""

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__(context, folder)
        self.robot = self.add(FakeRobot(context, Room(), START))
        self.robot.silent |= {'map', 'costmap'}

    def publish(self, kind: type, topic: str, profile: QoSProfile, message: Any) -> Any:
        """Publish a message again and again."""
        publisher = self.peer.create_publisher(kind, topic, profile)
        self.peer.create_timer(0.2, lambda: publisher.publish(message))
        return publisher

    def found(self, about: Callable[[str], bool]) -> list[str]:
        """Return what the doctor finds wrong with some topics."""
        doctor = RobotDoctor(NAMESPACE, context=self.context)
        try:
            with spun(self.executor):
                return [one.words for one in doctor.findings(2.5)
                        if one.level is Level.ERROR and about(one.about)]
        finally:
            doctor.close()


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[Bench]:
    with running(Bench, ros_domain, tmp_path) as made:
        yield made


@pytest.mark.parametrize('profile', PROFILES.values(), ids=PROFILES)
@pytest.mark.parametrize('wish', [qos.STATE, qos.EVENTS], ids=['state', 'events'])
@pytest.mark.parametrize('late', [False, True], ids=['before', 'after'])
def test_writers_are_heard_whatever_they_offer(bench: Bench, profile: QoSProfile,
                                               wish: QoSProfile, late: bool) -> None:
    heard: list[str] = []

    def listen() -> None:
        hearing = Hearing(bench.peer, String, 'said',
                          lambda message: heard.append(message.data), wish)
        bench.peer.create_timer(0.1, hearing.adapt)

    if late:
        bench.publish(String, 'said', profile, String(data='it'))
        listen()
    else:
        listen()
        bench.publish(String, 'said', profile, String(data='it'))
    bench.until(lambda: heard)


def test_what_one_writer_keeps_is_heard_beside_one_that_keeps_nothing(bench: Bench) -> None:
    """As a map server beside a bridge: the map is published once, before anybody listens."""
    heard: set[str] = set()
    bench.peer.create_publisher(String, 'said', qos.STATE).publish(String(data='kept'))
    bench.publish(String, 'said', BEST_EFFORT, String(data='told'))
    hearing = Hearing(bench.peer, String, 'said', lambda message: heard.add(message.data))
    bench.peer.create_timer(0.1, hearing.adapt)
    bench.until(lambda: heard == {'kept', 'told'})


@pytest.mark.parametrize(('wish', 'strong', 'weak'), [
    (qos.STATE, qos.STATE, VOLATILE), (qos.STATE, qos.STATE, BEST_EFFORT),
    (qos.EVENTS, VOLATILE, BEST_EFFORT)], ids=['kept', 'kept, best effort', 'best effort'])
def test_what_comes_by_two_subscriptions_is_taken_once(
        bench: Bench, wish: QoSProfile, strong: QoSProfile, weak: QoSProfile) -> None:
    heard: list[str] = []
    hearing = Hearing(bench.peer, String, 'said', lambda message: heard.append(message.data),
                      wish)
    writers = [bench.peer.create_publisher(String, 'said', one) for one in (strong, weak)]

    def both_hear() -> bool:
        hearing.adapt()
        return [one.get_subscription_count() for one in writers] == [2, 1]

    bench.until(both_hear)
    beats: list[None] = []
    bench.peer.create_timer(0.1, lambda: beats.append(None))
    said = ['strong', 'weak', 'strong', 'strong', 'weak', 'weak']
    for words in said:
        writers[words == 'weak'].publish(String(data=words))
        seen = len(beats)
        # What comes twice comes at once; only the newest is kept for a reader that is slow.
        bench.until(lambda seen=seen: len(beats) >= seen + 2)
    bench.until(lambda: len(heard) >= len(said))
    assert heard == said


def test_word_kept_from_before_hides_no_later_one_of_another(bench: Bench) -> None:
    """An emergency stop is kept for late comers, a joystick beside it tells changes only."""
    heard: list[str] = []
    kept = bench.peer.create_publisher(String, 'said', qos.STATE)
    kept.publish(String(data='stop'))
    told = bench.peer.create_publisher(String, 'said', VOLATILE)
    hearing = Hearing(bench.peer, String, 'said', lambda message: heard.append(message.data))

    def both_hear() -> bool:
        hearing.adapt()
        return [one.get_subscription_count() for one in (kept, told)] == [2, 1]

    bench.until(both_hear)
    bench.until(lambda: heard == ['stop'])
    bench.spin(1.1)
    for words in ('go', 'stop'):
        told.publish(String(data=words))
        bench.until(lambda words=words: heard[-1] == words)
    assert heard == ['stop', 'go', 'stop']


def test_subscriptions_are_those_that_the_publishers_need(bench: Bench) -> None:
    """One that does not fit would be warned of in the log, again and again."""
    hearing = Hearing(bench.peer, String, 'said', lambda message: None)
    keeps = DurabilityPolicy.TRANSIENT_LOCAL

    def durabilities() -> list[bool]:
        hearing.adapt()
        return sorted(one.qos_profile.durability == keeps for one in (
            bench.peer.get_subscriptions_info_by_topic(f'/{NAMESPACE}/said')))

    bench.until(lambda: durabilities() == [True])
    weak = bench.peer.create_publisher(String, 'said', VOLATILE)
    bench.until(lambda: durabilities() == [False])
    strong = bench.peer.create_publisher(String, 'said', qos.STATE)
    bench.until(lambda: durabilities() == [False, True])
    bench.peer.destroy_publisher(weak)
    bench.until(lambda: durabilities() == [True])
    bench.peer.destroy_publisher(strong)
    hearing.destroy()
    bench.until(lambda: not bench.peer.get_subscriptions_info_by_topic(f'/{NAMESPACE}/said'))


@pytest.mark.parametrize('topic', ['image', 'image/compressed'])
@pytest.mark.parametrize('published', [Image, CompressedImage])
@pytest.mark.parametrize('late', [False, True], ids=['before', 'after'])
def test_of_several_types_the_published_one_is_heard(
        bench: Bench, ros_domain: int, topic: str, published: type, late: bool) -> None:
    heard: list[Any] = []

    def listen() -> None:
        hearing = Hearing(bench.peer, PICTURES, topic, heard.append, qos.IMAGES)
        bench.peer.create_timer(0.1, hearing.adapt)

    with stranger(ros_domain) as camera:
        if not late:
            listen()
        publisher = camera.create_publisher(published, topic, BEST_EFFORT)
        bench.peer.create_timer(0.1, lambda: publisher.publish(published()))
        if late:
            listen()
        bench.until(lambda: heard)
        assert isinstance(heard[0], published)


@pytest.mark.parametrize('profile', [VOLATILE, BEST_EFFORT], ids=['volatile', 'best effort'])
def test_map_and_costmap_of_publishers_that_keep_nothing_are_heard(bench: Bench,
                                                                   profile: QoSProfile) -> None:
    """navigation2 issue 4146: maps come through ros1_bridge."""
    room = bench.robot.room
    bench.start(VerifierNode, **PATIENT)
    bench.publish(GridMessage, 'map', profile, bench.robot.grid_message(room.map()))
    publisher = bench.peer.create_publisher(GridMessage, 'global_costmap/costmap', profile)
    bench.peer.create_timer(0.2, lambda: publisher.publish(
        bench.robot.grid_message(room.costmap(0))))
    for name in ('map', 'costmap'):
        bench.statement(f'verifier: {name}', 0, 'received')
    assert not bench.found(lambda about: about.endswith(('/map', '/costmap')))


def test_calibration_that_is_published_once_is_heard(bench: Bench) -> None:
    bench.robot.silent.add('camera')
    info = bench.peer.create_publisher(CameraInfo, 'calibration', qos.STATE)
    info.publish(_info(CAMERA))
    node = bench.start(VerifierNode, **{**PATIENT, 'camera_info_topic': 'calibration'})
    bench.say(Step(StepKind.LOOK, 'find the mug', look=look_request()), goal='goal-s-1')
    bench.until(lambda: node._freezers._by_name['camera']._camera is not None)


def test_topics_of_other_types_are_named_before_any_mission(bench: Bench,
                                                            ros_domain: int) -> None:
    bench.robot.silent |= {'depth', 'scan'}
    for publisher in (bench.robot._depth, bench.robot._scan):
        bench.robot.destroy_publisher(publisher)
    with stranger(ros_domain) as driver:
        for topic in ('camera/depth/image_raw', 'scan'):
            driver.create_publisher(PointCloud2, topic, BEST_EFFORT)
        bench.start(VerifierNode, **PATIENT)
        bench.statement('verifier: topics', 2, 'sensor_msgs/msg/Image is heard: name the topic of')
        bench.statement('verifier: topics', 2, 'pointcloud_to_laserscan')
        (words,) = bench.found(lambda about: about == 'verifier: topics')
        assert '/robot/scan comes as sensor_msgs/msg/PointCloud2 of stranger' in words


def test_topic_of_another_type_in_this_very_process_ends_nothing(bench: Bench) -> None:
    """In one process a topic has one type, so that the subscription cannot even be made."""
    bench.robot.silent.add('scan')
    bench.robot.destroy_publisher(bench.robot._scan)
    bench.publish(PointCloud2, 'cloud', BEST_EFFORT, PointCloud2())
    bench.start(VerifierNode, **{**PATIENT, 'scan_topic': 'cloud'})
    bench.statement('verifier: topics', 2, 'pointcloud_to_laserscan')


def test_topics_that_nobody_publishes_are_named_before_any_mission(bench: Bench) -> None:
    bench.start(VerifierNode, **{**PATIENT, 'scan_topic': 'laser', 'footprint_topic': 'outline'})
    bench.statement('verifier: topics', 1, 'nobody publishes /robot/outline, /robot/laser')
    bench.publish(PolygonStamped, 'outline', VOLATILE, PolygonStamped())
    bench.statement('verifier: topics', 1, 'nobody publishes /robot/laser')


def test_scanner_is_proved_after_the_start_and_then_left_alone(bench: Bench) -> None:
    bench.robot.ranges = [math.nan] * 36
    bench.start(VerifierNode, **PATIENT)
    bench.statement('verifier: laser scan', 1, 'none of 36 rays measured anything')
    bench.robot.ranges = [2.0] * 36
    bench.statement('verifier: laser scan', 0, 'heard')
    bench.until(lambda: not bench.robot._scan.get_subscription_count())
