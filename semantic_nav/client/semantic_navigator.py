"""Missions from a program, in the manner of Nav2's simple commander."""

import asyncio
import time
from collections.abc import Callable
from threading import Condition, Thread
from typing import Any, Self

from rclpy.context import Context

from semantic_nav.belief.mission_record import MissionRecord
from semantic_nav.client.mission_client import (
    CANCELLED_S,
    HOME,
    MissionClient,
    MissionStage,
    NoAnswer,
    Request,
)
from semantic_nav.contracts.documents import Document
from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav.nodes.ros.clock import steady_timer
from semantic_nav.nodes.ros.find_messages import feedback, result
from semantic_nav.nodes.ros.mission_client_node import OperatorNode

_LOOK_S = 0.05
_SCHEMAS = ('belief', 'observation', 'hypothesis', 'pose')


class SemanticNavigator:
    """Client of one robot for programs; it runs one mission at a time.

    It spins a node of its own in a thread of its own, so it works beside any other node and
    executor of the process, such as Nav2's `BasicNavigator`. Call `rclpy.init` first. A new
    mission ends any other that is under way, also one of another client. The client follows its
    mission across a restart of the belief node.
    """

    def __init__(self, namespace: str = '', *, name: str = 'semantic_navigator',
                 context: Context | None = None) -> None:
        """Join the graph.

        Args:
            namespace: namespace of the robot.
            name: name of the node.
            context: context of rclpy; None for the default one.
        """
        self._changed = Condition()
        self._mission: MissionClient | None = None
        # The mission that the belief spoke of last, and the one that ours ended.
        self._newest = self._instead_of = MissionRecord('')
        self._closed = False
        self._node = OperatorNode(self._take, context, namespace, name=name, schemas=_SCHEMAS)
        self._executor = make_executor(context)
        self._executor.add_node(self._node)
        steady_timer(self._node, _LOOK_S, self._look_after)
        self._thread = Thread(target=self._spin, name=name, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        """The navigator itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the graph."""
        self.close()

    def close(self) -> None:
        """Leave the graph; a mission that is under way goes on."""
        self._closed = True
        self._thread.join()
        self._executor.shutdown()
        self._node.destroy_node()

    def find(self, goal_text: str, timeout_s: float | None = None) -> str:
        """Begin a mission that finds what the words name, and return its goal_id.

        Args:
            goal_text: the goal in words, as "find the red mug".
            timeout_s: the mission is cancelled after this time; None: only its own limits hold.

        Raises:
            NoAnswer: no belief node takes the goal.
        """
        return self._begin(lambda: self._node.find(goal_text), timeout_s)

    def go(self, place: str = HOME, timeout_s: float | None = None) -> str:
        """Begin a drive to a remembered place, by its name or its id; see `find`."""
        return self._begin(lambda: self._node.go(place), timeout_s)

    def tour(self, timeout_s: float | None = None) -> str:
        """Begin a tour of the whole home; see `find`."""
        return self._begin(self._node.tour, timeout_s)

    def is_task_complete(self) -> bool:
        """Tell whether no mission of this navigator is under way."""
        with self._changed:
            return self._mission is None or self._mission.stage is MissionStage.OVER

    def get_feedback(self) -> Any:
        """State of the mission as a `Find.Feedback`; None before the first mission."""
        with self._changed:
            return None if self._mission is None else (
                feedback(self._mission.record, self._instead_of))

    def get_result(self, timeout_s: float | None = None) -> Any:
        """Wait for the end of the mission, and return its `Find.Result`.

        Its `outcome` is `Find.Result.ERROR` if the end is unknown; `reason` says why.

        Args:
            timeout_s: longest wait, in s; None for ever.

        Raises:
            TimeoutError: the mission goes on.
            ValueError: no mission was begun.
        """
        with self._changed:
            mission = self._mission
            if mission is None:
                raise ValueError('no mission was begun')
            if not self._changed.wait_for(lambda: mission.stage is MissionStage.OVER, timeout_s):
                raise TimeoutError(f'the mission goes on after {timeout_s:.1f} s')
            return result(mission.record, mission.outcome, mission.reason)

    async def result(self) -> Any:
        """Wait for the end of the mission as `get_result` does, while other tasks run."""
        while not self.is_task_complete():
            await asyncio.sleep(_LOOK_S)
        return self.get_result()

    def cancel(self, reason: str = 'the program asked for it') -> None:
        """Ask for the end of the mission; the mission is over when the robot stands."""
        with self._changed:
            if self._mission is not None:
                self._mission.cancel(reason)

    def answer(self, words: str) -> None:
        """Answer the open question, which is `question` in the feedback."""
        self._node.answer(words)

    def pause(self) -> None:
        """Pause the robot and its mission, also that of another client.

        Raises:
            NoAnswer: the belief node refuses, or does not answer.
        """
        self._request('pause')

    def resume(self) -> None:
        """Resume a paused mission; see `pause`. It goes on once nothing holds the robot either."""
        self._request('resume')

    def is_pause_requested(self) -> bool:
        """Tell whether the mission under way, of any client, is paused until a `resume`.

        The feedback says `paused` of a robot that is merely held too, which goes on by itself.
        """
        with self._changed:
            belief = self._newest.open.belief
            return belief is not None and belief.pause_requested

    def _begin(self, ask: Callable[[], Request], timeout_s: float | None) -> str:
        def ask_now() -> Request:
            # The mission under way is known only now.
            self._instead_of = self._newest.open
            return ask()

        mission = MissionClient(self._node, ask_now, time.monotonic(), timeout_s)
        with self._changed:
            self._mission = mission
            self._changed.wait_for(lambda: mission.stage is not MissionStage.SEEKING)
            if mission.error:
                raise NoAnswer(mission.error)
            return mission.record.goal_id

    def _request(self, name: str) -> None:
        answer = self._node.request(name)
        until_s = time.monotonic() + CANCELLED_S
        while not answer.done():
            if time.monotonic() > until_s:
                raise NoAnswer(f'the belief node did not answer to the {name}')
            time.sleep(_LOOK_S)
        if not answer.result().success:
            raise NoAnswer(answer.result().message)

    def _take(self, document: Document) -> None:
        with self._changed:
            self._newest = self._newest.newest(document)
            if self._mission is not None:
                self._mission.take(document)

    def _look_after(self) -> None:
        with self._changed:
            if self._mission is not None:
                self._mission.poll(time.monotonic())
                self._changed.notify_all()

    def _spin(self) -> None:
        while not self._closed:
            self._executor.spin_once(timeout_sec=0.1)
