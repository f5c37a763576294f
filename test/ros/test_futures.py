"""Whatever goes wrong with the answer of a future is told, on every executor."""

import time
from collections.abc import Callable, Iterator

import pytest
import rclpy
from fake_nav2 import PATIENCE_S
from rclpy.context import Context
from rclpy.executors import Executor, MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future

from semantic_nav.nodes.ros.beginning import make_executor
from semantic_nav.nodes.ros.futures import when_done


@pytest.fixture(params=[make_executor, SingleThreadedExecutor, MultiThreadedExecutor],
                ids=['as the nodes', 'single', 'multi'])
def executor(ros_domain: int, request: pytest.FixtureRequest) -> Iterator[Executor]:
    context = Context()
    rclpy.init(context=context, domain_id=ros_domain)
    node = Node('waits', context=context)
    made = request.param(context=context)
    made.add_node(node)
    yield made
    made.shutdown()
    node.destroy_node()
    rclpy.shutdown(context=context)


def spun_until(executor: Executor, condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        executor.spin_once(timeout_sec=0.05)


def test_result_is_handed_over(executor: Executor) -> None:
    taken: list[object] = []
    future = Future(executor=executor)
    when_done(future, taken.append, taken.append)
    future.set_result(3)
    spun_until(executor, lambda: taken)
    assert taken == [3]


def test_answer_that_cannot_be_used_is_told(executor: Executor) -> None:
    failures: list[Exception] = []
    future = Future(executor=executor)
    when_done(future, lambda results: results[0], failures.append)
    future.set_result([])
    spun_until(executor, lambda: failures)
    assert isinstance(failures[0], IndexError)


def test_call_that_failed_is_told(executor: Executor) -> None:
    failures: list[Exception] = []
    future, error = Future(executor=executor), RuntimeError('no server')
    when_done(future, lambda result: None, failures.append)
    future.set_exception(error)
    spun_until(executor, lambda: failures)
    assert failures == [error]
