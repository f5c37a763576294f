"""The node with the action `find`: offers missions to other programs; no mission needs it."""

import math
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

import rclpy
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import PoseStamped
from rclpy.action.server import ServerGoalHandle
from rclpy.context import Context
from semantic_nav_msgs.action import Find

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.documents import Belief, Document, RobotPose
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.ending import ENDING
from semantic_nav.errand import Errand, Stage
from semantic_nav.nodes.ros.beginning import begin
from semantic_nav.nodes.ros.clock import steady_timer, to_stamp
from semantic_nav.nodes.ros.conversions import pose_stamped
from semantic_nav.nodes.ros.core_log import logged_by
from semantic_nav.nodes.ros.executor import make_executor
from semantic_nav.nodes.ros.names import PREFIX
from semantic_nav.nodes.ros.operator_node import OperatorNode
from semantic_nav.nodes.ros.patient_action_server import PatientActionServer

_LOOK_S = 0.1
#: What belief and robot have to stop when this node is told to end.
_FAREWELL_S = 3.0


@dataclass
class _Served:
    """A goal of a client, and what becomes of it."""

    handle: ServerGoalHandle
    errand: Errand


class FindNode(OperatorNode):
    """Offers missions as an action; it is an operator of the belief like any other.

    Subscribes: belief, observation, hypothesis, pose and what else an `OperatorNode` hears.
    Publishes: goal.
    Services: uses cancel (std_srvs/Trigger).
    Actions: find (semantic_nav_msgs/Find).
    """

    def __init__(self, context: Context | None = None, namespace: str = '') -> None:
        """Offer the action."""
        super().__init__(self._on_document, context, namespace, name='find')
        self._served: list[_Served] = []
        self._server = PatientActionServer(
            self, Find, f'{PREFIX}/find', lambda: not ENDING.asked, self._on_goal,
            partial(self._on_cancel, why='the client of the action asked for it'))
        steady_timer(self, _LOOK_S, self.look_after)

    def destroy_node(self) -> None:
        """Take the action away too, which a node does not do by itself."""
        self._server.destroy()
        super().destroy_node()

    @property
    def idle(self) -> bool:
        """Tell whether no goal is open."""
        return not self._served

    def cancel_all(self) -> None:
        """Ask for the end of all missions that began here."""
        for served in self._served:
            self._on_cancel(served.handle, why='the node with the action is told to end')

    def abandon(self) -> None:
        """End what is still open, though nobody knows how the missions end."""
        for served in self._served:
            served.errand.abandon('the node with the action has ended')
        self.look_after()

    def look_after(self) -> None:
        """Look after all goals that are open."""
        for served in list(self._served):
            if served.errand.poll(time.monotonic()) is Stage.OVER:
                self._served.remove(served)
                self._conclude(served.handle, served.errand)

    def _on_goal(self, handle: ServerGoalHandle) -> None:
        goal = handle.request
        self._served.append(_Served(handle, Errand(
            self, partial(self.say, goal.goal), time.monotonic(),
            _seconds(goal.time_allowance) or None)))

    def _on_cancel(self, handle: ServerGoalHandle, why: str) -> bool:
        for served in self._served:
            if served.handle == handle:
                served.errand.cancel(why)
                return True
        return False

    def _on_document(self, document: Document) -> None:
        for served in self._served:
            served.errand.take(document)
            if isinstance(document.body, Belief | RobotPose):
                served.handle.publish_feedback(feedback(served.errand))

    def _conclude(self, handle: ServerGoalHandle, errand: Errand) -> None:
        message = result(errand)
        if errand.outcome is Outcome.ARRIVED:
            handle.succeed()
        elif errand.outcome is Outcome.CANCELLED and handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        self.get_logger().info(f'{handle.request.goal!r}: {message.outcome}, {message.reason}')
        self._server.conclude(handle, message)


def result(errand: Errand) -> Any:
    """Return how a mission ended."""
    return Find.Result(
        outcome=Find.Result.ERROR if errand.outcome is None else errand.outcome.value,
        reason=errand.reason, stands=errand.stands, p_here=_p_here(errand),
        evidence=errand.evidence, goal_id=errand.goal_id, robot_pose=_robot_pose(errand),
        target_pose=_target_pose(errand))


def feedback(errand: Errand) -> Any:
    """Return how a mission stands."""
    belief = errand.belief
    if belief is None:
        return Find.Feedback(state='waiting', doing=errand.stage.value, p_here=math.nan,
                             robot_pose=_robot_pose(errand))
    return Find.Feedback(
        state=belief.phase.value, doing='; '.join(filter(None, (
            belief.next_action, belief.reason))), question=belief.question,
        time_s=belief.budgets.time_s, distance_m=belief.budgets.distance_m,
        model_calls=belief.budgets.model_calls, p_here=_p_here(errand),
        robot_pose=_robot_pose(errand))


def _p_here(errand: Errand) -> float:
    known = errand.belief.p_here if errand.belief is not None else None
    return math.nan if known is None else known


def _robot_pose(errand: Errand) -> PoseStamped:
    document = errand.robot
    if document is None or not isinstance(document.body, RobotPose):
        return PoseStamped()
    return pose_stamped(document.body.pose, document.frame_id, document.stamp_ns)


def _target_pose(errand: Errand) -> PoseStamped:
    message, track = PoseStamped(), errand.target
    if track is not None and errand.seen is not None:
        message.header.frame_id = errand.seen.frame_id
        message.header.stamp = to_stamp(errand.seen.stamp_ns)
        point = message.pose.position
        point.x, point.y, point.z = track.position
    return message


def _seconds(time_allowance: Duration) -> float:
    """Return the time that a mission may take; none where it is not positive."""
    return max(0.0, time_allowance.sec + time_allowance.nanosec / NS_PER_S)


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; the missions that began here end with it."""
    begin(args)
    with ExitStack() as end:
        end.callback(ENDING.over)
        end.callback(rclpy.shutdown)
        node = FindNode()
        end.callback(node.destroy_node)
        end.enter_context(logged_by(node))
        executor = make_executor()
        end.callback(executor.shutdown)
        executor.add_node(node)
        while not ENDING.asked:
            executor.spin_once(timeout_sec=0.5)
        node.cancel_all()
        deadline_s = time.monotonic() + _FAREWELL_S
        while not node.idle and time.monotonic() < deadline_s:
            executor.spin_once(timeout_sec=0.05)
        node.abandon()
        # The results are still to be sent.
        for _ in range(5):
            executor.spin_once(timeout_sec=0.05)
    return 0


if __name__ == '__main__':
    sys.exit(main())
