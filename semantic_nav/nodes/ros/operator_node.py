"""The operator's side of the topics: says a goal and follows the mission."""

from collections.abc import Callable, Sequence

from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import String
from std_srvs.srv import Trigger

from semantic_nav.belief.without_target import TOUR, words_of_way
from semantic_nav.contracts.codec import decode_document
from semantic_nav.contracts.documents import Belief, Document
from semantic_nav.contracts.errors import ContractError
from semantic_nav.errand import Said
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.names import PREFIX

#: What an operator may ask of the belief: the names of its services.
REQUESTS = ('cancel', 'pause', 'resume')
_SCHEMAS = ('belief', 'step', 'look', 'hypothesis', 'observation', 'verdict', 'pose',
            'reply')


class OperatorNode(Node):  # type: ignore[misc]
    """Publishes words, receives documents."""

    def __init__(self, take: Callable[[Document], None], context: Context | None = None,
                 namespace: str = '', *, name: str = 'semantic_nav_operator',
                 schemas: Sequence[str] = _SCHEMAS) -> None:
        """Hand every document to `take`.

        Args:
            take: gets them.
            context: of the node.
            namespace: of the robot.
            name: of the node.
            schemas: of the documents, which are the names of their topics.
        """
        super().__init__(name, context=context, namespace=namespace)
        self._take, self._schemas = take, schemas
        self._goals = self.create_publisher(String, f'{PREFIX}/goal', qos.EVENTS)
        self._ways = self.create_publisher(String, f'{PREFIX}/go', qos.EVENTS)
        self._tours = self.create_client(Trigger, f'{PREFIX}/tour')
        self._answers = self.create_publisher(String, f'{PREFIX}/answer', qos.EVENTS)
        self._requests = {name: self.create_client(Trigger, f'{PREFIX}/{name}')
                          for name in REQUESTS}
        # What was said and is not taken up, the earliest first; the missions that were heard of.
        self._open: list[Said] = []
        self._known: set[str] = set()
        self._newest: Said | None = None
        for schema in schemas:
            self.create_subscription(
                String, f'{PREFIX}/{schema}',
                lambda message, schema=schema: self._on_message(message, schema),
                qos.OF_READER[schema])

    @property
    def goal_id(self) -> str | None:
        """The mission of the goal that was said last; None before it is taken up."""
        return self._newest.goal_id if self._newest is not None else None

    @property
    def listeners(self) -> frozenset[bytes]:
        """By what each belief that listens to goals can be told from the one before its start.

        Others may listen too, as a recorder.
        """
        return frozenset(bytes(one.endpoint_gid)
                         for one in self.get_subscriptions_info_by_topic(self.goal_topic)
                         if one.node_name == 'belief')

    @property
    def heard(self) -> bool:
        """Tell whether the belief listens to goals."""
        return bool(self.listeners)

    @property
    def ready(self) -> bool:
        """Tell whether a goal would be heard, its belief be received, and requests be served."""
        return (self.heard and all(one.service_is_ready() for one in (
            self._tours, *self._requests.values()))
                and self.count_subscribers(self._ways.topic_name) > 0
                and self.count_publishers(f'{PREFIX}/belief') > 0)

    @property
    def hears_all(self) -> bool:
        """Tell whether somebody publishes each kind of document, so that no first one is lost."""
        return all(self.count_publishers(f'{PREFIX}/{schema}') > 0 for schema in self._schemas)

    @property
    def goal_topic(self) -> str:
        """The full name of the topic of goals."""
        return str(self._goals.topic_name)

    @property
    def answer_topic(self) -> str:
        """The full name of the topic of answers."""
        return str(self._answers.topic_name)

    def say(self, goal: str) -> Said:
        """Publish a goal; its `goal_id` follows from the first belief that repeats it."""
        self._goals.publish(String(data=goal))
        return self._expect(goal)

    def go(self, place: str) -> Said:
        """Send the robot to a remembered place, by its id or its name."""
        self._ways.publish(String(data=place))
        return self._expect(words_of_way(place.strip()))

    def tour(self) -> Said:
        """Let the robot look at the whole home."""
        self._tours.call_async(Trigger.Request())
        return self._expect(TOUR)

    def _expect(self, words: str) -> Said:
        self._newest = Said(words)
        self._open.append(self._newest)
        return self._newest

    def forget(self, said: Said) -> None:
        """Wait no more for a goal to be taken up: another one may have the same words."""
        self._open.remove(said)

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
            self._recognise(document.goal_id, document.body)
        self._take(document)

    def _recognise(self, goal_id: str, belief: Belief) -> None:
        """Tell our missions from those that were there before we spoke, and from others'."""
        if goal_id in self._known:
            return
        self._known.add(goal_id)
        for said in self._open:
            if said.is_of(belief):
                said.goal_id = goal_id
                self._open.remove(said)
                return
