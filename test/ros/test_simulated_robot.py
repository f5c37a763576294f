"""The simulated robot as programs hold it: signals do not break into what rclpy does."""

import signal
import time
from pathlib import Path

import pytest
from fake_belief import beliefs

from semantic_nav.client.narrator import Narrator
from semantic_nav.client.waiting import wait_until
from semantic_nav.nodes.ros.mission_client_node import OperatorNode
from semantic_nav_sim.processes import SimSettings
from semantic_nav_sim.running.run_folder import RunFolder
from semantic_nav_sim.running.simulated_robot import SimulatedRobot


def test_not_all_is_heard_while_a_node_publishes_nothing_yet(ros_domain: int) -> None:
    del ros_domain
    with beliefs() as start:
        node = start(lambda node: None)
        operator = OperatorNode(lambda document: None, context=node.context, schemas=['belief'],
                                namespace=node.get_namespace())
        other = OperatorNode(lambda document: None, context=node.context, name='other',
                             namespace=node.get_namespace())
        assert wait_until(lambda: operator.hears_all, lambda: time.sleep(0.05), 10.0)
        assert not other.hears_all, 'nobody publishes steps'
        for one in (operator, other):
            one.destroy_node()


def test_signal_waits_for_the_end_of_a_callback(
        ros_domain: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of its work it would leave rclpy in no state to be shut down."""
    del ros_domain
    monkeypatch.setattr(SimulatedRobot, '_start', lambda self: None)
    run = RunFolder(tmp_path, tmp_path / 'memory.sqlite')
    done: list[str] = []

    def interrupted() -> None:
        signal.raise_signal(signal.SIGINT)
        done.append('the callback')

    def wait_for_it() -> None:
        with SimulatedRobot(run, SimSettings(), Narrator(lambda line: None)) as robot:
            robot.operator.create_timer(0.01, interrupted)
            robot.until(lambda: False, 10.0)

    with pytest.raises(KeyboardInterrupt):
        wait_for_it()
    assert done == ['the callback']
