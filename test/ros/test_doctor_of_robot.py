"""What the doctor says of nodes that run, are missing, or are misheard."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy
from executors import spun
from fake_nav2 import NAMESPACE, Rig, rig_of
from nav_msgs.msg import OccupancyGrid
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Image, LaserScan, PointCloud2
from std_msgs.msg import String

from semantic_nav.contracts.vocabulary import Level
from semantic_nav.doctor.finding import Finding
from semantic_nav.doctor.robot import RobotDoctor, middleware
from semantic_nav.nodes.belief import BeliefNode
from semantic_nav_sim.running import isolation


@pytest.fixture
def rig(ros_domain: int, tmp_path: Path) -> Iterator[Rig]:
    # In a domain of its own: of a node that another test has killed the graph tells for a while.
    with isolation.own_domain() as domain:
        assert domain != ros_domain
        context = Context()
        rclpy.init(context=context, domain_id=domain)
        with rig_of(context, tmp_path) as made:
            yield made
        rclpy.shutdown(context=context)


def findings(rig: Rig, namespace: str = NAMESPACE) -> dict[str, Finding]:
    doctor = RobotDoctor(namespace, context=rig.context)
    try:
        return {one.about: one for one in doctor.findings(2.5)}
    finally:
        doctor.close()


def test_nodes_that_are_missing_are_named(rig: Rig) -> None:
    found = findings(rig, 'elsewhere')
    assert {about for about, one in found.items() if one.level is Level.ERROR} == {
        'hypothesis', 'memory', 'belief', 'verifier', 'Nav2'}
    assert 'nav.launch.py' in found['belief'].mend


@pytest.mark.parametrize(('said', 'own', 'level', 'words'), [
    (['rmw_fastrtps_cpp'] * 2, 'rmw_fastrtps_cpp', Level.OK, 'rmw_fastrtps_cpp'),
    ([], 'rmw_zenoh_cpp', Level.WARN, 'rmw_zenoh_cpp was not proved'),
    (['rmw_zenoh_cpp was not proved with this package'], 'rmw_fastrtps_cpp', Level.WARN,
     'nodes run on rmw_zenoh_cpp, and this shell on rmw_fastrtps_cpp')])
def test_middleware_is_named(said: list[str], own: str, level: Level, words: str) -> None:
    found = middleware(said, own)
    assert found.level is level and found.words.startswith(words)
    assert bool(found.mend) == (level is not Level.OK)


def test_node_is_told_by_what_it_says_and_whom_it_cannot_hear(rig: Rig) -> None:
    node = rig.make(BeliefNode)
    node.trigger_configure()
    node.trigger_activate()
    other = rig.add(Node('other', context=rig.context, namespace=NAMESPACE))
    other.create_publisher(String, 'semantic_nav/goal', QoSProfile(
        depth=1, reliability=ReliabilityPolicy.BEST_EFFORT))
    topic = f'belief: /{NAMESPACE}/semantic_nav/goal'
    with spun(rig.executor):
        # On a busy machine nodes are found later than the doctor looks.
        for _ in range(10):
            found = findings(rig)
            if topic in found and 'belief: listeners' in found:
                break
    assert found['belief: listeners'].level is not Level.OK
    assert found['belief: listeners'].mend == 'start the node that is missing'
    misheard = found[topic]
    assert misheard.level is Level.ERROR
    assert misheard.words.startswith('other publishes with a QoS')
    # Another test may have killed one in this domain just now.
    assert 'belief' not in found or 'killed some seconds ago' in found['belief'].words
    assert found['memory'].level is Level.ERROR


@pytest.mark.parametrize(('timeout_ms', 'level', 'words'), [
    (20, Level.WARN, 'is 20 ms'), (1000, Level.OK, 'is 1000 ms'),
    (None, Level.OK, 'has no default_server_timeout')])
def test_timeout_of_nav2_is_looked_at(rig: Rig, timeout_ms: int | None, level: Level,
                                      words: str) -> None:
    nav2 = rig.add(Node('bt_navigator', context=rig.context, namespace=NAMESPACE,
                        allow_undeclared_parameters=True))
    if timeout_ms is not None:
        nav2.declare_parameter('default_server_timeout', timeout_ms)
    with spun(rig.executor):
        found = findings(rig)['Nav2']
    assert found.level is level and words in found.words
    assert bool(found.mend) == (level is not Level.OK)


@pytest.mark.parametrize(('heard', 'spoken', 'level', 'words'), [
    ((LaserScan, OccupancyGrid), (), Level.WARN, 'it hears no depth'),
    ((LaserScan, PointCloud2), (), Level.WARN, 'and nobody publishes sensor_msgs/msg/PointCloud2'),
    ((LaserScan, PointCloud2), (PointCloud2,), Level.OK, 'it hears depth on /robot/heard_1'),
    ((Image,), (Image,), Level.OK, 'it hears depth on /robot/heard_0')])
def test_local_costmap_that_hears_no_depth_is_named(
        rig: Rig, heard: tuple[type, ...], spoken: tuple[type, ...], level: Level,
        words: str) -> None:
    costmap = rig.add(Node('local_costmap', context=rig.context,
                           namespace=f'{NAMESPACE}/local_costmap'))
    camera = rig.add(Node('camera', context=rig.context, namespace=NAMESPACE))
    for number, kind in enumerate(heard):
        topic = f'/{NAMESPACE}/heard_{number}'
        costmap.create_subscription(kind, topic, lambda _: None, 1)
        if kind in spoken:
            camera.create_publisher(kind, topic, 1)
    with spun(rig.executor):
        found = costmaps(rig, words)
    assert found.level is level and words in found.words
    assert bool(found.mend) == (level is not Level.OK)


def test_robot_without_a_depth_camera_is_not_told_to_hear_one(rig: Rig) -> None:
    costmap = rig.add(Node('local_costmap', context=rig.context,
                           namespace=f'{NAMESPACE}/local_costmap'))
    costmap.create_subscription(LaserScan, 'scan', lambda _: None, 1)
    verifier = rig.add(Node('verifier', context=rig.context, namespace=NAMESPACE))
    verifier.declare_parameter('depth_topic', '')
    with spun(rig.executor):
        found = costmaps(rig, 'no depth camera')
    assert found.level is Level.OK and 'no depth camera' in found.words


def costmaps(rig: Rig, words: str) -> Finding:
    """Return what is said of the local costmap; on a busy machine nodes are found late."""
    for _ in range(10):
        found = findings(rig).get('local_costmap')
        if found is not None and words in found.words:
            break
    assert found is not None
    return found


def test_running_nodes_whose_parameters_disagree_are_named(rig: Rig) -> None:
    memory = rig.add(Node('memory', context=rig.context, namespace=NAMESPACE))
    memory.declare_parameter('map_frame', 'home')
    verifier = rig.add(Node('verifier', context=rig.context, namespace=NAMESPACE))
    for name, value in (('map_frame', 'map'), ('other_cameras', ''), ('stand_off_last_m', 1.1),
                        ('cancel_max_s', 5.0), ('settle_max_s', 4.0)):
        verifier.declare_parameter(name, value)
    with spun(rig.executor):
        # On a busy machine nodes are found later than the doctor looks.
        for _ in range(10):
            found = findings(rig).get('agreement')
            if found is not None:
                break
    assert found is not None and found.level is Level.ERROR
    assert found.words.startswith(
        "map_frame of memory ('home') must be the same as map_frame of verifier ('map')")
    assert found.mend.startswith('set map_frame of memory or map_frame of verifier')


def test_nav2_that_does_not_answer_is_said_to_hang(rig: Rig) -> None:
    rig.add(Node('bt_navigator', context=rig.context, namespace=NAMESPACE))
    found = findings(rig)['Nav2']
    assert found.level is Level.WARN and found.mend == 'see whether it hangs'
