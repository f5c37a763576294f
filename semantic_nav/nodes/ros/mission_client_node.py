"""Client's node: begins missions and receives their documents."""

import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future
from semantic_nav_msgs.action import Find
from std_msgs.msg import String
from std_srvs.srv import Trigger
from unique_identifier_msgs.msg import UUID

from semantic_nav.belief.events import REQUESTS
from semantic_nav.contracts.codec import decode_document
from semantic_nav.contracts.documents import Document
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.signs_of_life import Sign
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.futures import when_done
from semantic_nav.nodes.ros.names import PREFIX

_SCHEMAS = ('belief', 'step', 'look', 'hypothesis', 'observation', 'verdict', 'pose',
            'reply')
#: Silence after which a belief is gone, in s; it gives a sign of life every 0.15 s.
_SILENT_S = 1.5


class MissionRequest:
    """Handle of a mission that was asked for.

    Attributes:
        goal_id: id of the mission, known at once.
    """

    def __init__(self, client: ActionClient, goal: Any) -> None:
        """Send the goal."""
        identifier = uuid.uuid4()
        self.goal_id = identifier.hex
        self._answer: Future = client.send_goal_async(
            goal, goal_uuid=UUID(uuid=list(identifier.bytes)))

    @property
    def accepted(self) -> bool | None:
        """True if the belief took the goal; None before it has answered."""
        return bool(self._answer.result().accepted) if self._answer.done() else None

    def cancel(self) -> None:
        """Ask the belief to end the mission, as soon as it has taken the goal."""
        # A goal that was never taken needs no cancel.
        when_done(self._answer, _cancel, lambda error: None)


def _cancel(handle: ClientGoalHandle) -> None:
    if handle.accepted:
        handle.cancel_goal_async()


class OperatorNode(Node):  # type: ignore[misc]
    """Client node of an operator: begins missions and receives documents."""

    def __init__(self, take: Callable[[Document], None], context: Context | None = None,
                 namespace: str = '', *, name: str = 'semantic_nav_operator',
                 schemas: Sequence[str] = _SCHEMAS) -> None:
        """Hand every document to `take`.

        Args:
            take: gets the documents.
            context: context of the node.
            namespace: namespace of the robot.
            name: name of the node.
            schemas: schemas of the documents, which are the names of their topics.
        """
        super().__init__(name, context=context, namespace=namespace)
        self._take, self._schemas = take, schemas
        self._missions = ActionClient(self, Find, f'{PREFIX}/find')
        self._answers = self.create_publisher(String, f'{PREFIX}/answer', qos.EVENTS)
        self._requests = {name: self.create_client(Trigger, f'{PREFIX}/{name}')
                          for name in REQUESTS}
        self._sign: tuple[str, float] = '', 0.0
        self.create_subscription(String, f'{PREFIX}/alive/belief', self._on_sign, qos.ALIVE)
        for schema in schemas:
            self.create_subscription(
                String, f'{PREFIX}/{schema}',
                lambda message, schema=schema: self._on_message(message, schema),
                qos.OF_READER[schema])

    def destroy_node(self) -> None:
        """Destroy the action client too, which a node does not do by itself."""
        self._missions.destroy()
        super().destroy_node()

    @property
    def belief_session(self) -> str:
        """Session of the belief node in charge; empty if none gives signs of life."""
        session, at_s = self._sign
        return session if time.monotonic() - at_s < _SILENT_S else ''

    @property
    def heard(self) -> bool:
        """Tell whether the action server of the belief is there."""
        return bool(self._missions.server_is_ready())

    @property
    def ready(self) -> bool:
        """Tell whether a goal would be taken, its belief received, and requests served."""
        return (self.heard and all(one.service_is_ready() for one in self._requests.values())
                and self.count_publishers(f'{PREFIX}/belief') > 0)

    @property
    def hears_all(self) -> bool:
        """Tell whether each kind of document has a publisher, so that no first one is lost."""
        return all(self.count_publishers(f'{PREFIX}/{schema}') > 0 for schema in self._schemas)

    @property
    def action_name(self) -> str:
        """Full name of the action."""
        return str(self.resolve_service_name(f'{PREFIX}/find'))

    @property
    def answer_topic(self) -> str:
        """Full name of the topic of answers."""
        return str(self._answers.topic_name)

    def find(self, goal_text: str) -> MissionRequest:
        """Ask for a mission that finds what the words name."""
        return MissionRequest(self._missions, Find.Goal(kind=Find.Goal.FIND, goal_text=goal_text))

    def go(self, place: str) -> MissionRequest:
        """Send the robot to a remembered place, by its id or its name."""
        return MissionRequest(self._missions, Find.Goal(kind=Find.Goal.GO, place=place))

    def tour(self) -> MissionRequest:
        """Ask for a tour of the whole home."""
        return MissionRequest(self._missions, Find.Goal(kind=Find.Goal.TOUR))

    def answer(self, words: str) -> None:
        """Publish an answer to the open question."""
        self._answers.publish(String(data=words))

    def request(self, name: str) -> Future:
        """Call one of `REQUESTS`; the future holds the answer of the belief."""
        return self._requests[name].call_async(Trigger.Request())

    def _on_sign(self, message: String) -> None:
        sign = Sign.of(message.data)
        if sign is not None and not sign.aside:
            self._sign = sign.session, time.monotonic()

    def _on_message(self, message: String, schema: str) -> None:
        try:
            document = decode_document(message.data, schema)
        except ContractError as error:
            self.get_logger().warning(f'dropped a message: {error}')
            return
        self._take(document)
