"""Default file of a robot's places."""

from pathlib import Path

from semantic_nav.nodes.ros.names import PREFIX, ros_home


def default_memory(namespace: str) -> Path:
    """File of the robot of a namespace; robots of one home share none.

    It is memory.sqlite without a namespace, and memory.fleet.robot1.sqlite for /fleet/robot1: no
    name in ROS holds a dot.
    """
    return ros_home() / PREFIX / '.'.join(('memory', *filter(None, namespace.split('/')),
                                           'sqlite'))
