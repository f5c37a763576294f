"""Witness of what the navigator really received: the status topics of its motion actions."""

from action_msgs.msg import GoalStatusArray
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default

#: The actions of Nav2 that move a robot.
MOTION_ACTIONS = ('navigate_to_pose', 'spin', 'backup')


class GoalWitness:
    """Collects the UUIDs of all motion goals, whoever sent them.

    Attributes:
        received: UUIDs in hexadecimal.
    """

    def __init__(self, node: Node) -> None:
        """Listen on behalf of a node."""
        self.received: set[str] = set()
        for action in MOTION_ACTIONS:
            node.create_subscription(GoalStatusArray, f'{action}/_action/status', self._on_status,
                                     qos_profile_action_status_default)

    def _on_status(self, message: GoalStatusArray) -> None:
        for status in message.status_list:
            self.received.add(bytes(status.goal_info.goal_id.uuid).hex())
