"""Questions of a person to the memory, which need no goal."""

from rclpy.node import Node
from std_msgs.msg import String

from semantic_nav.contracts.codec import encode_document
from semantic_nav.contracts.documents import Document, ToolQuery
from semantic_nav.contracts.ids import Ids
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.names import PREFIX, new_session


class Queries:
    """Publisher of questions; the answers are documents `reply`, whose cause is the question."""

    def __init__(self, node: Node) -> None:
        """Ask in the name of a node."""
        self._node = node
        self._ids = Ids(node.get_name(), new_session())
        self._publisher = node.create_publisher(String, f'{PREFIX}/query', qos.EVENTS)

    @property
    def heard(self) -> bool:
        """Tell whether the memory listens, and its answers would arrive."""
        return any(one.node_name == 'memory' for one in (
            self._node.get_subscriptions_info_by_topic(self._publisher.topic_name))) and any(
            one.node_name == 'memory' for one in (
                self._node.get_publishers_info_by_topic(f'{PREFIX}/reply')))

    def ask(self, query: ToolQuery) -> str:
        """Publish a question, and return its id."""
        document = Document(self._ids.mint(), '', '', self._node.get_clock().now().nanoseconds,
                            '', query)
        self._publisher.publish(String(data=encode_document(document)))
        return document.id
