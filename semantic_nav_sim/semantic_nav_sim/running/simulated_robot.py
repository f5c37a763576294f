"""The whole product beside the built-in simulator, as separate processes in a ROS domain."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from semantic_nav.bringup.processes import (
    NavSettings,
    navigation_processes,
    operator_processes,
    recorder_processes,
)
from semantic_nav.client.mission_client import LAST_WORDS_S
from semantic_nav.client.narrator import Narrator
from semantic_nav.client.waiting import wait_until
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.contracts.share import share_path
from semantic_nav.nodes.ros.mission_client_node import OperatorNode
from semantic_nav_sim.judge import Judge
from semantic_nav_sim.ports import with_ports
from semantic_nav_sim.processes import SimSettings, simulator_processes
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.running.goal_witness import GoalWitness
from semantic_nav_sim.running.isolation import isolated
from semantic_nav_sim.running.run_folder import RunFolder
from semantic_nav_sim.running.supervisor import GRACE_S, SHORT_GRACE_S, Supervisor, undisturbed
from semantic_nav_sim.truth_client import TruthClient

#: The first start builds the world: meshes, light, map.
_WORLD_TIMEOUT_S = 240.0
_READY_TIMEOUT_S = 60.0
_GOAL_TIMEOUT_S = 10.0


class NotReady(SemanticNavError):
    """The simulation did not become ready in time."""


class SimulatedRobot:
    """All processes of a simulated robot, and its operator.

    Attributes:
        narrator: narrates the mission of `say`.
        listener: gets the documents of all missions, also of those from other clients.
        lost: a sentence for each optional process that has ended.
    """

    def __init__(self, run: RunFolder, settings: SimSettings, narrator: Narrator,
                 nav: NavSettings | None = None, namespace: str = '') -> None:
        """Choose free ports; nothing runs before `with`."""
        self.run = run
        self.settings = with_ports(settings)
        self.narrator = narrator
        self.listener: Callable[[Document], None] = lambda document: None
        self.lost: list[str] = []
        self.truth = TruthClient(self.settings.truth_url)
        self.judge = Judge(self.truth.get)
        common = {'journal_dir': str(run.journals), 'journal_blobs': True}
        nav = nav or NavSettings()
        cameras = {'other_cameras': ','.join(load_profile(
            RobotProfile, settings.robot_profile).other_cameras)}
        shaped = {**self.settings.of_verifier, **cameras, **nav.of_node.get('verifier', {})}
        asked = {'request_log_dir': str(run.requests), **cameras,
                 **nav.of_node.get('hypothesis', {})}
        # Explicit, since the environment may name another server.
        self._nav = replace(nav, vlm_backend=nav.vlm_backend or 'ollama',
                            base_url=self.settings.base_url, model=self.settings.model,
                            memory_db=str(run.memory), common={**common, **nav.common},
                            of_node={**nav.of_node, 'hypothesis': asked,
                                     'verifier': shaped})
        self._namespace = namespace
        self.supervisor = Supervisor(run.logs, share_path('config', 'semantic_nav.yaml'),
                                     namespace)
        self._context = Context()

    def __enter__(self) -> Self:
        """Start everything and wait until a goal would be heard."""
        with undisturbed():
            rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
            self.operator = OperatorNode(self._take, context=self._context,
                                         namespace=self._namespace)
            self.witness = GoalWitness(self.operator)
            self._executor = SingleThreadedExecutor(context=self._context)
            self._executor.add_node(self.operator)
        try:
            self._start()
        except BaseException:
            self._end(SHORT_GRACE_S)
            raise
        return self

    def _start(self) -> None:
        for process in (*recorder_processes(self._nav), *operator_processes(self._nav),
                        *simulator_processes(self.settings)):
            self.supervisor.start(process)
        self._wait(self.truth.ready, _WORLD_TIMEOUT_S, 'the simulated world')
        for process in navigation_processes(self._nav):
            self.supervisor.start(process)
        self._wait(lambda: self.operator.heard, _READY_TIMEOUT_S, 'the belief node')
        self._wait(lambda: self.operator.hears_all, _READY_TIMEOUT_S, 'what the nodes publish')

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """End all processes, with a short grace if the block raised."""
        self._end(GRACE_S if kind is None else SHORT_GRACE_S)

    def _end(self, grace_s: float) -> None:
        try:
            self.exit_codes = self.supervisor.stop(grace_s)
        finally:
            self._executor.shutdown()
            self.operator.destroy_node()
            rclpy.shutdown(context=self._context)

    def say(self, goal: str) -> None:
        """Request a mission and wait until the belief node has accepted it."""
        asked = self.operator.find(goal)
        self._wait(lambda: asked.accepted, _GOAL_TIMEOUT_S, 'the belief to take the goal up')
        self.narrator.begin(asked.goal_id)

    def until_over(self, limit_s: float) -> bool:
        """Follow the mission to its end; returns False on timeout.

        Raises:
            ProcessDied: see `until`.
        """
        return self.until(lambda: self.narrator.outcome is not None, limit_s)

    def hear_out(self) -> None:
        """Take the last documents of the mission, which may still be on their way."""
        self.until(lambda: False, LAST_WORDS_S)
        self.narrator.settle()

    def until(self, condition: Any, timeout_s: float) -> bool:
        """Follow the mission until a condition holds; returns False on timeout.

        Raises:
            ProcessDied: a required process ended.
        """
        return wait_until(condition, self.spin, timeout_s)

    def spin(self) -> None:
        """Handle received messages, and check that all required processes still run."""
        with undisturbed():
            self._executor.spin_once(timeout_sec=0.1)
        for words in self.supervisor.check():
            self.lost.append(words)
            self.narrator.say(f'lost      {words}')

    def _wait(self, condition: Any, timeout_s: float, what: str) -> None:
        if not self.until(condition, timeout_s):
            raise NotReady(f'{what} did not come up within {timeout_s:.0f} s; '
                           f'the logs are in {self.run.logs}')

    def _take(self, document: Document) -> None:
        self.narrator.take(document)
        self.listener(document)


@contextmanager
def simulated_robot(run: RunFolder, settings: SimSettings, narrator: Narrator,
                    nav: NavSettings | None = None, namespace: str = '',
                    domain: str = '') -> Iterator[SimulatedRobot]:
    """Hold a simulated robot in a ROS domain, by default one of its own, on loopback only.

    ROS logs to the logs of the run, unless the environment names another folder.
    """
    run.logs.mkdir(parents=True, exist_ok=True)
    with isolated(run.logs, domain), SimulatedRobot(
            run, settings, narrator, nav, namespace) as robot:
        yield robot

