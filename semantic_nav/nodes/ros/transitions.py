"""Lifecycle transitions that are not allowed, or that fail."""

import traceback
from collections.abc import Callable
from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn


def refuse_forbidden_transitions(node: LifecycleNode) -> None:
    """Refuse such requests with success=false; in rclpy before Kilted they end the process."""
    # The service is private, and its request handler cannot be overridden.
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


def log_what_transitions_raise(node: LifecycleNode) -> None:
    """Log each exception of a transition's callback; rclpy turns it into an error silently."""
    # The callbacks are private, and their caller cannot be overridden.
    for state, callback in node._callbacks.items():
        node._callbacks[state] = _logged(node, callback)


def _logged(node: LifecycleNode, callback: Callable[[LifecycleState], TransitionCallbackReturn],
            ) -> Callable[[LifecycleState], TransitionCallbackReturn]:
    def call(state: LifecycleState) -> TransitionCallbackReturn:
        try:
            return callback(state)
        except Exception:
            node.get_logger().error(f'{callback.__name__} failed:\n{traceback.format_exc()}')
            raise

    return call
