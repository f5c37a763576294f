"""The localisation's service that has it take in one more scan although the robot stands."""

from rclpy.client import Client
from rclpy.node import Node
from std_srvs.srv import Empty

from semantic_nav.verify.effects import RefineLocalisation


class Refiner:
    """Calls it, where it is there."""

    def __init__(self, node: Node, service: str) -> None:
        """Name it; empty where none is to be called."""
        self._node = node
        self._client: Client | None = node.create_client(Empty, service) if service else None

    def refine(self, _effect: RefineLocalisation) -> None:
        """Call it once."""
        # Where nobody serves it a request would pend for ever.
        if self._client is not None and self._client.service_is_ready():
            self._client.call_async(Empty.Request())

    def destroy(self) -> None:
        """Destroy the client."""
        if self._client is not None:
            self._node.destroy_client(self._client)
