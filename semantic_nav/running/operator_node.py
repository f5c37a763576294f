"""The operator's side of the topics: says a goal and follows the mission."""

import time
from collections.abc import Callable

from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import String
from std_srvs.srv import Trigger

from semantic_nav.contracts.codec import decode_document
from semantic_nav.contracts.documents import Belief, Document
from semantic_nav.contracts.errors import ContractError
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.core_node import PREFIX

#: What an operator may ask of the belief: the names of its services.
REQUESTS = ('cancel', 'pause', 'resume')
_SCHEMAS = ('belief', 'step', 'look', 'hypothesis', 'observation', 'verdict', 'pose')


class OperatorNode(Node):  # type: ignore[misc]
    """Publishes words, receives documents."""

    def __init__(self, take: Callable[[Document], None], context: Context | None = None,
                 namespace: str = '') -> None:
        """Hand every document to `take`."""
        super().__init__('semantic_nav_operator', context=context, namespace=namespace)
        self._take = take
        self._goals = self.create_publisher(String, f'{PREFIX}/goal', qos.EVENTS)
        self._answers = self.create_publisher(String, f'{PREFIX}/answer', qos.EVENTS)
        self._requests = {name: self.create_client(Trigger, f'{PREFIX}/{name}')
                          for name in REQUESTS}
        self._said: str | None = None
        self._before: set[str] = set()
        self.goal_id: str | None = None
        for schema in _SCHEMAS:
            self.create_subscription(
                String, f'{PREFIX}/{schema}',
                lambda message, schema=schema: self._on_message(message, schema),
                qos.OF_READER[schema])

    @property
    def heard(self) -> bool:
        """Tell whether the belief listens to goals; others may too, as a recorder."""
        return any(one.node_name == 'belief'
                   for one in self.get_subscriptions_info_by_topic(self.goal_topic))

    @property
    def ready(self) -> bool:
        """Tell whether a goal would be heard, its belief be received, and requests be served."""
        return (self.heard and all(one.service_is_ready() for one in self._requests.values())
                and self.count_publishers(f'{PREFIX}/belief') > 0)

    @property
    def goal_topic(self) -> str:
        """The full name of the topic of goals."""
        return str(self._goals.topic_name)

    @property
    def answer_topic(self) -> str:
        """The full name of the topic of answers."""
        return str(self._answers.topic_name)

    def say(self, goal: str) -> None:
        """Publish a goal; `goal_id` follows from the first belief that repeats it."""
        self._said = goal
        self._goals.publish(String(data=goal))

    def answer(self, words: str) -> None:
        """Publish an answer to the open question."""
        self._answers.publish(String(data=words))

    def request(self, name: str) -> Future:
        """Ask for one of `REQUESTS`; the future holds what the belief answered."""
        return self._requests[name].call_async(Trigger.Request())

    def _on_message(self, message: String, schema: str) -> None:
        try:
            document = decode_document(message.data, schema)
        except ContractError as error:
            self.get_logger().warning(f'dropped a message: {error}')
            return
        if isinstance(document.body, Belief):
            self._recognise(document)
        self._take(document)

    def _recognise(self, document: Document) -> None:
        """Tell our mission from those that were there before we spoke."""
        if self._said is None:
            self._before.add(document.goal_id)
        elif self.goal_id is None and document.goal_id not in self._before:
            self.goal_id = document.goal_id


def wait_until(condition: Callable[[], bool], spin: Callable[[], None], timeout_s: float) -> bool:
    """Spin until a condition holds; returns False when the time is over."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        spin()
    return True
