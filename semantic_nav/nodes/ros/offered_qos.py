"""QoS in the words of rosbag2, which plays a topic as it was published."""

from collections.abc import Sequence

import yaml
from rclpy.duration import Duration
from rclpy.qos import QoSProfile

from semantic_nav.contracts.clock import NS_PER_S


def offered_qos(writers: Sequence[QoSProfile]) -> str:
    """QoS of a topic's publishers, as YAML for `offered_qos_profiles` of its channel."""
    return yaml.safe_dump([{
        'history': one.history.short_key,
        'depth': one.depth,
        'reliability': one.reliability.short_key,
        'durability': one.durability.short_key,
        'deadline': _time(one.deadline),
        'lifespan': _time(one.lifespan),
        'liveliness': one.liveliness.short_key,
        'liveliness_lease_duration': _time(one.liveliness_lease_duration),
        'avoid_ros_namespace_conventions': one.avoid_ros_namespace_conventions,
    } for one in writers], sort_keys=False)


def _time(duration: Duration) -> dict[str, int]:
    sec, nsec = divmod(duration.nanoseconds, NS_PER_S)
    return {'sec': sec, 'nsec': nsec}
