"""The status topic of an action without a server here (needs ROS)."""

from __future__ import annotations

from action_msgs.msg import GoalStatus as GoalStatusMessage
from action_msgs.msg import GoalStatusArray
from builtin_interfaces.msg import Time
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default

from semantic_nav_sim.navigator.goals import GoalStatus

#: Number of goals in the status, including ended ones.
_SHOWN = 20


class StatusTopic:
    """Publishes the status of goals as the server of their action would.

    Args:
        node: Owns the topic.
        action: Relative name of the action.
    """

    def __init__(self, node: Node, action: str) -> None:
        self._publisher = node.create_publisher(
            GoalStatusArray, f'{action}/_action/status', qos_profile_action_status_default)
        self._shown: dict[str, GoalStatusMessage] = {}

    def tell(self, goal_id: str, status: GoalStatus, now: Time) -> None:
        """Publish the status of all goals; a new goal is stamped now."""
        shown = self._shown.get(goal_id)
        if shown is None:
            shown = self._shown[goal_id] = GoalStatusMessage()
            shown.goal_info.goal_id.uuid = list(bytes.fromhex(goal_id))
            shown.goal_info.stamp = now
        shown.status = int(status)
        while len(self._shown) > _SHOWN:
            del self._shown[next(iter(self._shown))]
        self._publisher.publish(GoalStatusArray(status_list=list(self._shown.values())))
