"""Switch of the hypothesis node's model, while no step is open."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rclpy.task import Future

from semantic_nav.nodes.ros.futures import when_done

_NODE = 'hypothesis'
#: Time limit of the whole switch, in s; a node that hangs is not waited for.
_PATIENCE_S = 30.0
_DOWN = (Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_CLEANUP)
_UP = (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE)

Told = Callable[[bool, str], None]


class ModelSwitch:
    """Deactivates and cleans up the node, sets the model, configures and activates it.

    If the model is refused, the node comes up again with its previous one.
    """

    def __init__(self, node: Node) -> None:
        """Create clients of the hypothesis node's services, in the namespace of a node."""
        self._states = node.create_client(ChangeState, f'{_NODE}/change_state')
        self._parameters = node.create_client(SetParameters, f'{_NODE}/set_parameters')
        self._tell: Told | None = None
        self._until_s = 0.0
        self._number = 0
        self._refusal = self._awaited = ''

    def begin(self, model: str, tell: Told) -> None:
        """Start a switch; `tell` gets its success, and the result in words."""
        if self._tell is not None:
            tell(False, 'another switch is under way')
            return
        self._tell, self._until_s = tell, time.monotonic() + _PATIENCE_S
        self._number, self._refusal, self._awaited = self._number + 1, '', model
        self.go_on()

    def go_on(self) -> None:
        """Start once the services are found, and give up a switch that takes too long."""
        if self._tell is None:
            return
        if self._awaited and self._states.service_is_ready() and (
                self._parameters.service_is_ready()):
            model, self._awaited = self._awaited, ''
            self._change(_DOWN, lambda: self._set(model))
        elif time.monotonic() > self._until_s:
            self._end(False, f'the node {_NODE} ' + (
                'is not there' if self._awaited else
                'did not answer, and may be down: see its log, and switch again'))

    def _change(self, transitions: Sequence[int], then: Callable[[], None]) -> None:
        if not transitions:
            then()
            return
        request = ChangeState.Request(transition=Transition(id=transitions[0]))

        def done(answer: Any) -> None:
            # A node that is down already, as after a failed switch, refuses to go down.
            if answer.success or transitions[0] in _DOWN:
                self._change(transitions[1:], then)
            else:
                self._end(False, f'the node {_NODE} refused a transition; see its log')

        self._when_done(self._states.call_async(request), done)

    def _set(self, model: str) -> None:
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=model)
        request = SetParameters.Request(parameters=[Parameter(name='model', value=value)])

        def done(answer: Any) -> None:
            refused = [one.reason or 'it was refused' for one in answer.results
                       if not one.successful]
            self._refusal = '' if answer.results and not refused else '; '.join(refused) or (
                f'the node {_NODE} did not say that it took the model')
            self._change(_UP, lambda: self._end(
                not self._refusal, self._refusal or f'the model is {model} now; resume'))

        self._when_done(self._parameters.call_async(request), done)

    def _when_done(self, future: Future, take: Callable[[Any], None]) -> None:
        number = self._number

        def done(answer: Any) -> None:
            # A late answer belongs to no switch any more.
            if self._tell is not None and number == self._number:
                take(answer)

        def failed(error: Exception) -> None:
            self._end(False, f'the node {_NODE} gave an answer that cannot be used ({error!r}), '
                             'and may be down: see its log, and switch again')

        when_done(future, done, failed)

    def _end(self, switched: bool, words: str) -> None:
        tell, self._tell, self._awaited = self._tell, None, ''
        if tell is not None:
            tell(switched, words)
