"""Check whether Nav2's local costmap hears more than the plane of a scan."""

from collections.abc import Callable

from rclpy.node import Node, NodeNameNonExistentError

from semantic_nav.contracts.vocabulary import Level
from semantic_nav.doctor.finding import Finding, good

_NODE = _ABOUT = 'local_costmap'
#: Types of a costmap's subscriptions that show nothing outside the scanner's plane, or no floor at
#: all. A type that is not listed, such as the slices of a mapper, may show depth.
_FLAT = frozenset({
    'sensor_msgs/msg/LaserScan', 'sensor_msgs/msg/Range', 'nav_msgs/msg/OccupancyGrid',
    'map_msgs/msg/OccupancyGridUpdate', 'nav2_msgs/msg/CostmapFilterInfo', 'std_msgs/msg/Bool',
    'geometry_msgs/msg/Polygon', 'geometry_msgs/msg/PolygonStamped', 'bond/msg/Status',
    'nav_msgs/msg/Odometry', 'tf2_msgs/msg/TFMessage', 'rosgraph_msgs/msg/Clock',
    'rcl_interfaces/msg/ParameterEvent', 'lifecycle_msgs/msg/TransitionEvent'})
_HARM = 'it drives into what is not in their plane, as a table top'


def local_costmap(node: Node, *, has_depth: Callable[[], bool]) -> list[Finding]:
    """Findings about the local costmap; none if Nav2 has none.

    Args:
        node: reads the graph, in the namespace of the robot.
        has_depth: tells whether the robot has a depth camera, as far as is known.
    """
    where = f'{node.get_namespace().rstrip("/")}/{_NODE}'
    try:
        heard = node.get_subscriber_names_and_types_by_node(_NODE, where)
    except NodeNameNonExistentError:
        return []
    deep = [(topic, kind) for topic, kinds in heard for kind in kinds if kind not in _FLAT]
    spoken = [topic for topic, kind in deep if any(
        one.topic_type == kind for one in node.get_publishers_info_by_topic(topic))]
    if spoken:
        return [good(_ABOUT, f'it hears depth on {", ".join(spoken)}')]
    if deep:
        topic, kind = deep[0]
        return [Finding(
            Level.WARN, _ABOUT, f'it is to hear depth on {topic}, and nobody publishes {kind} '
            f'there: with scans alone {_HARM}', 'start who does, or name the topic of the camera '
            'in its observation_sources')]
    if not has_depth():
        return [good(_ABOUT, f'it hears scans alone, as the robot has no depth camera: {_HARM}')]
    return [Finding(
        Level.WARN, _ABOUT, f'it hears no depth: with scans alone {_HARM}',
        'give it the points of the depth camera as an observation source, as '
        'config/nav2_params.yaml does')]
