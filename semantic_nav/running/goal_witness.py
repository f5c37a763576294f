"""Witness of what the navigator really received: the status topics of its motion actions."""

from functools import partial

from action_msgs.msg import GoalStatus, GoalStatusArray
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default

_DRIVE = 'navigate_to_pose'
#: The actions of Nav2 that move a robot.
MOTION_ACTIONS = (_DRIVE, 'spin', 'backup')
_RUNNING = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING)


class GoalWitness:
    """Collects the UUIDs of all motion goals, whoever sent them.

    Attributes:
        received: UUIDs in hexadecimal.
        in_drive: those of spin and backup that came while navigate_to_pose had a goal in hand: of
            these, what nobody announced is a recovery, which bt_navigator sends by itself.
    """

    def __init__(self, node: Node) -> None:
        """Listen on behalf of a node."""
        self.received: set[str] = set()
        self.in_drive: set[str] = set()
        self._drives = False
        for action in MOTION_ACTIONS:
            node.create_subscription(GoalStatusArray, f'{action}/_action/status',
                                     partial(self._on_status, action),
                                     qos_profile_action_status_default)

    def _on_status(self, action: str, message: GoalStatusArray) -> None:
        if action == _DRIVE:
            self._drives = any(one.status in _RUNNING for one in message.status_list)
        goals = {bytes(one.goal_info.goal_id.uuid).hex() for one in message.status_list}
        if action != _DRIVE and self._drives:
            self.in_drive |= goals - self.received
        self.received |= goals
