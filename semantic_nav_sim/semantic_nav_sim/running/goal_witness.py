"""Witness of the motion goals that the navigator received, by their actions' status topics."""

import math
from functools import partial

from action_msgs.msg import GoalStatus, GoalStatusArray
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default

from semantic_nav.nodes.ros.clock import stamp_ns

_DRIVE = 'navigate_to_pose'
#: Nav2's actions that move a robot.
MOTION_ACTIONS = (_DRIVE, 'spin', 'backup')
_RUNNING = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING)


class GoalWitness:
    """Collects the UUIDs of all motion goals, from any client.

    Attributes:
        received: UUIDs in hexadecimal.
    """

    def __init__(self, node: Node) -> None:
        """Subscribe with a node."""
        self.received: set[str] = set()
        # Times of acceptance by goal, and times when a drive was seen to have ended, in
        # nanoseconds.
        self._accepted_ns: dict[str, dict[str, int]] = {action: {} for action in MOTION_ACTIONS}
        self._ended_ns: dict[str, int] = {}
        self._clock = node.get_clock()
        for action in MOTION_ACTIONS:
            node.create_subscription(GoalStatusArray, f'{action}/_action/status',
                                     partial(self._on_status, action),
                                     qos_profile_action_status_default)

    @property
    def in_drive(self) -> set[str]:
        """Goals of spin and backup that were accepted while navigate_to_pose had a current goal.

        Those without an announcement are recoveries, which bt_navigator sends by itself. Only the
        times of acceptance count, since the order of messages from two topics means nothing.
        """
        drives = [(began_ns, self._ended_ns.get(goal_id, math.inf))
                  for goal_id, began_ns in self._accepted_ns[_DRIVE].items()]
        return {goal_id for action in MOTION_ACTIONS if action != _DRIVE
                for goal_id, stamp_ns in self._accepted_ns[action].items()
                if any(began_ns <= stamp_ns <= ended_ns for began_ns, ended_ns in drives)}

    def _on_status(self, action: str, message: GoalStatusArray) -> None:
        for one in message.status_list:
            goal_id = bytes(one.goal_info.goal_id.uuid).hex()
            self.received.add(goal_id)
            self._accepted_ns[action].setdefault(goal_id, stamp_ns(one.goal_info.stamp))
            if action == _DRIVE and one.status not in _RUNNING:
                self._ended_ns.setdefault(goal_id, self._clock.now().nanoseconds)
