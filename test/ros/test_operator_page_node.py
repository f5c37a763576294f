"""The node of the operator page beside a belief that does not answer."""

from collections.abc import Iterator

import pytest
import rclpy
from executors import shut_down, spun, until
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from semantic_nav_msgs.action import Find

from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav.nodes.ros.patient_action_server import PatientActionServer
from semantic_nav.operator import node as operator_node
from semantic_nav.operator.wish import Wish


@pytest.fixture
def page(ros_domain: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[operator_node.OperatorPage]:
    """A page whose belief takes goals and does nothing, and serves nothing else."""
    del ros_domain
    monkeypatch.setattr(operator_node, 'CANCELLED_S', 0.5)
    context = Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    executor = make_executor(context)
    page = operator_node.OperatorPage(context, 'robot1')
    belief = Node('belief', context=context, namespace='robot1')
    server = PatientActionServer(belief, Find, 'semantic_nav/find', lambda: True,
                                 lambda handle: None, lambda handle: False)
    executor.add_node(page.node)
    executor.add_node(belief)
    with spun(executor):
        until(lambda: page.node.heard)
        yield page
    shut_down(executor)
    page.node.destroy_node()
    server.destroy()
    belief.destroy_node()
    rclpy.shutdown(context=context)


def test_a_cancel_that_nobody_answers_is_told(page: operator_node.OperatorPage) -> None:
    told: list[tuple[bool, str]] = []
    page.desk.wishes.put(Wish(
        'cancel', '', lambda done, words, reply: told.append((done, words))))
    until(lambda: bool(told))
    assert told == [(False, 'the belief node did not answer; make sure that the robot stands')]


@pytest.mark.parametrize('deed', ['name', 'forget'])
def test_without_a_memory_nothing_is_named_or_forgotten(
        page: operator_node.OperatorPage, deed: str) -> None:
    told: list[tuple[bool, str]] = []
    page.desk.wishes.put(Wish(
        deed, 'home', lambda done, words, reply: told.append((done, words)), 'here'))
    until(lambda: bool(told))
    assert told == [(False, 'the memory does not answer; is its node started and active?')]
