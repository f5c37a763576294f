"""The node of the operator page beside a belief that does not answer."""

from collections.abc import Iterator

import pytest
import rclpy
from executors import shut_down, spun, until
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_msgs.msg import String

from semantic_nav.nodes.ros import qos
from semantic_nav.operator import node as operator_node
from semantic_nav.operator.wish import Wish


@pytest.fixture
def page(ros_domain: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[operator_node.OperatorPage]:
    """A page whose belief hears goals and does nothing, not even serve."""
    del ros_domain
    monkeypatch.setattr(operator_node, 'CANCELLED_S', 0.5)
    monkeypatch.setattr(operator_node, 'TAKEN_UP_S', 0.5)
    context = Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    executor = SingleThreadedExecutor(context=context)
    page = operator_node.OperatorPage(context, 'robot1')
    belief = Node('belief', context=context, namespace='robot1')
    belief.create_subscription(String, 'semantic_nav/goal', lambda message: None, qos.EVENTS)
    executor.add_node(page.node)
    executor.add_node(belief)
    with spun(executor):
        until(lambda: page.node.heard)
        yield page
    shut_down(executor)
    page.node.destroy_node()
    belief.destroy_node()
    rclpy.shutdown(context=context)


def test_a_cancel_that_nobody_answers_is_told(page: operator_node.OperatorPage) -> None:
    told: list[tuple[bool, str]] = []
    page.desk.wishes.put(Wish(
        'cancel', '', lambda done, words, reply: told.append((done, words))))
    until(lambda: bool(told))
    assert told == [(False, 'the belief node did not answer; make sure that the robot stands')]


def test_a_goal_that_is_not_taken_up_is_waited_for_no_more(
        page: operator_node.OperatorPage) -> None:
    """A later one of the same words, of somebody else, would be taken for it."""
    page.desk.wishes.put(Wish('goal', 'find the mug', lambda done, words, reply: None))
    until(lambda: page.node.goal_id is None and bool(page._said))
    until(lambda: not page._said)
    assert not page.node._open


@pytest.mark.parametrize('deed', ['name', 'forget'])
def test_without_a_memory_nothing_is_named_or_forgotten(
        page: operator_node.OperatorPage, deed: str) -> None:
    told: list[tuple[bool, str]] = []
    page.desk.wishes.put(Wish(
        deed, 'home', lambda done, words, reply: told.append((done, words)), 'here'))
    until(lambda: bool(told))
    assert told == [(False, 'the memory does not answer; is its node started and active?')]
