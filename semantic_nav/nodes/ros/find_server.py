"""Server of the action `find`, by which programs, page and command line begin missions."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from builtin_interfaces.msg import Duration
from rclpy.action.server import ServerGoalHandle
from semantic_nav_msgs.action import Find

from semantic_nav.belief.goal import Goal, tour, way_to
from semantic_nav.belief.mission_record import MAKE_SURE, MissionRecord
from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.documents import Belief, Document, RobotPose
from semantic_nav.contracts.vocabulary import Outcome
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.nodes.ros.find_messages import feedback, result
from semantic_nav.nodes.ros.names import PREFIX
from semantic_nav.nodes.ros.patient_action_server import PatientActionServer

_GOALS: dict[str, Callable[[str, Any], Goal]] = {
    '': lambda goal_id, asked: Goal(goal_id, asked.goal_text),
    Find.Goal.FIND: lambda goal_id, asked: Goal(goal_id, asked.goal_text),
    Find.Goal.GO: lambda goal_id, asked: way_to(goal_id, asked.place),
    Find.Goal.TOUR: lambda goal_id, asked: tour(goal_id)}
_SUCCESS = (Outcome.ARRIVED, Outcome.TOURED)


@dataclass
class _Served:
    """A goal of a client, and the record of its mission."""

    handle: ServerGoalHandle
    record: MissionRecord
    until_s: float
    instead_of: MissionRecord
    cancelled_for: str = ''


class FindServer:
    """Action server of missions, which keeps each goal until its mission is over.

    It lasts as long as its node, and takes goals while the node is active.
    """

    def __init__(self, node: CoreNode, begin: Callable[[Goal], None],
                 cancel: Callable[[str], bool]) -> None:
        """Offer the action.

        Args:
            node: owns the server.
            begin: begins a mission.
            cancel: asks for the end of a mission by its goal_id; tells whether that is accepted.
        """
        self._node, self._begin, self._cancel = node, begin, cancel
        self._served: dict[str, _Served] = {}
        self._newest = MissionRecord('')
        self._robot: Document | None = None
        self._server = PatientActionServer(
            node, Find, f'{PREFIX}/find', lambda: node.listens, self._on_goal, self._on_cancel)

    def destroy(self) -> None:
        """Destroy the action server."""
        self._server.destroy()

    @property
    def settled(self) -> bool:
        """Tell whether no goal is open, and every result has had the time to arrive."""
        return not self._served and self._server.settled

    def take(self, document: Document) -> None:
        """Take a document that the belief heard or published."""
        if isinstance(document.body, RobotPose):
            self._robot = document
        self._newest = self._newest.newest(document)
        for served in list(self._served.values()):
            before, served.record = served.record, served.record.after(document)
            if served.record is before:
                continue
            if isinstance(document.body, Belief | RobotPose):
                served.handle.publish_feedback(feedback(served.record, served.instead_of))

    def look_after(self) -> None:
        """Conclude goals whose missions ended, and cancel missions over their time allowance.

        A cancel may end a mission at once, before rclpy counts its goal as canceling. So goals are
        concluded only here.
        """
        for served in list(self._served.values()):
            if served.record.ended:
                self._conclude(served)
            elif time.monotonic() > served.until_s and not served.cancelled_for:
                served.cancelled_for = (
                    f'the mission took longer than {_seconds(served.handle.request):.0f} s')
                self._cancel(served.record.goal_id)

    def abandon(self) -> None:
        """Conclude all goals, also those whose end is unknown."""
        for served in list(self._served.values()):
            self._conclude(served)

    def _on_goal(self, handle: ServerGoalHandle) -> None:
        asked, goal_id = handle.request, bytes(handle.goal_id.uuid).hex()
        allowance_s = _seconds(asked)
        before = self._newest.open
        served = self._served[goal_id] = _Served(
            handle, MissionRecord(goal_id, robot=self._robot),
            time.monotonic() + allowance_s if allowance_s else math.inf, before)
        make = _GOALS.get(asked.kind)
        if make is None:
            self._conclude(served, Outcome.REFUSED,
                           f'kind is {", ".join(filter(None, _GOALS))}, not {asked.kind!r}')
            return
        self._begin(make(goal_id, asked))
        if not served.record.ended:
            handle.publish_feedback(feedback(served.record, before))

    def _on_cancel(self, handle: ServerGoalHandle) -> bool:
        served = self._served.get(bytes(handle.goal_id.uuid).hex())
        if served is None:
            return False
        served.cancelled_for = served.cancelled_for or 'the client of the action asked for it'
        return self._cancel(served.record.goal_id)

    def _conclude(self, served: _Served, outcome: Outcome | None = None,
                  reason: str = '') -> None:
        record, handle = served.record, served.handle
        del self._served[record.goal_id]
        outcome = outcome or record.outcome
        if outcome in _SUCCESS:
            handle.succeed()
        elif handle.is_cancel_requested and outcome in (Outcome.CANCELLED, Outcome.REFUSED):
            handle.canceled()
        else:
            handle.abort()
        if not reason:
            told = record.belief.reason if record.ended and record.belief is not None else (
                f'the belief node has ended; {MAKE_SURE}')
            reason = '; '.join(filter(None, (served.cancelled_for, told)))
        self._server.conclude(handle, result(record, outcome, reason))


def _seconds(asked: Any) -> float:
    """Time allowance of a mission, in s; 0, for no limit, if it is not positive."""
    allowance: Duration = asked.time_allowance
    return max(0.0, allowance.sec + allowance.nanosec / NS_PER_S)
