"""Parameters of running nodes, by their services."""

import time
from typing import Any

from rcl_interfaces.srv import GetParameters
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.parameter import parameter_value_to_python

_ANSWER_S, _STEP_S = 3.0, 0.1


def parameters_of(node: Node, executor: Executor, of: str, names: tuple[str, ...],
                  ) -> dict[str, Any]:
    """Parameters of a node, None for one without a value; none at all if it does not answer.

    Args:
        node: asks.
        executor: the one of that node.
        of: name of the node that is asked.
        names: of the parameters.
    """
    client = node.create_client(GetParameters, f'{of}/get_parameters')
    try:
        until_s = time.monotonic() + _ANSWER_S
        while not client.service_is_ready() and time.monotonic() < until_s:
            executor.spin_once(timeout_sec=_STEP_S)
        if not client.service_is_ready():
            return {}
        answer = client.call_async(GetParameters.Request(names=names))
        executor.spin_until_future_complete(answer, _ANSWER_S)
        values = answer.result().values if answer.done() else []
        return dict(zip(names, map(parameter_value_to_python, values), strict=False))
    finally:
        node.destroy_client(client)
