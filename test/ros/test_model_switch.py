"""The switch of the model over services that answer as no node of ours does."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import rclpy
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import SetParameters
from rclpy.context import Context
from rclpy.executors import Executor, MultiThreadedExecutor
from rclpy.node import Node
from test_futures import spun_until

from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav.operator.model_switch import ModelSwitch

DOWN_AND_UP = [Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_CLEANUP,
               Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE]


@pytest.fixture(params=[make_executor, MultiThreadedExecutor], ids=['as the page', 'multi'])
def executor(ros_domain: int, request: pytest.FixtureRequest) -> Iterator[Executor]:
    context = Context()
    rclpy.init(context=context, domain_id=ros_domain)
    made = request.param(context=context)
    nodes = [Node(name, context=context) for name in ('page', 'other')]
    for node in nodes:
        made.add_node(node)
    yield made
    made.shutdown()
    for node in nodes:
        node.destroy_node()
    rclpy.shutdown(context=context)


def switched(executor: Executor, results: list[SetParametersResult], wanted: list[int],
             ) -> tuple[bool, str]:
    """Switch with a node that answers so, once all transitions were asked for."""
    page, other = executor.get_nodes()
    asked: list[int] = []

    def change(request: Any, response: Any) -> Any:
        asked.append(request.transition.id)
        response.success = True
        return response

    def set_(request: Any, response: Any) -> Any:
        del request
        response.results = results
        return response

    other.create_service(ChangeState, 'hypothesis/change_state', change)
    other.create_service(SetParameters, 'hypothesis/set_parameters', set_)
    told: list[tuple[bool, str]] = []
    switch = ModelSwitch(page)
    go_on: Callable[[], None] = switch.go_on
    page.create_timer(0.1, go_on)
    switch.begin('another', lambda done, words: told.append((done, words)))
    spun_until(executor, lambda: told)
    assert asked == wanted
    return told[0]


def test_model_is_switched(executor: Executor) -> None:
    done, words = switched(executor, [SetParametersResult(successful=True)], DOWN_AND_UP)
    assert done and 'another' in words


def test_refusal_is_told_and_the_node_comes_up_again(executor: Executor) -> None:
    done, words = switched(executor, [SetParametersResult(reason='no such model')], DOWN_AND_UP)
    assert not done and words == 'no such model'


def test_empty_answer_ends_nothing_but_the_switch(executor: Executor) -> None:
    done, words = switched(executor, [], DOWN_AND_UP)
    assert not done and 'did not say that it took the model' in words
