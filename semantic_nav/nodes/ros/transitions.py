"""Requests for a transition that the state of a node does not allow."""

from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNode


def refuse_forbidden_transitions(node: LifecycleNode) -> None:
    """Answer such requests with success=false; in rclpy they end the process."""
    # The service is not public; what handles its requests cannot be overridden.
    service = node._service_change_state
    change = service.callback

    def change_state(request: Any, response: Any) -> Any:
        try:
            return change(request, response)
        except rclpy_implementation.RCLError as error:
            wanted, (_, state) = request.transition, node._state_machine.current_state
            node.get_logger().warning(
                f'the transition {wanted.label or wanted.id} is not allowed in the state {state}: '
                f'{error}')
            response.success = False
            return response

    service.callback = change_state
