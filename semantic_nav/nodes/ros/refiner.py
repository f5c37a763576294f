"""Refinement of the localisation, which takes in one more scan although the robot stands."""

from rclpy.client import Client
from rclpy.node import Node
from std_srvs.srv import Empty

from semantic_nav.verify.effects import RefineLocalisation


class Refiner:
    """Client of the localisation's update service, where there is one."""

    def __init__(self, node: Node, service: str) -> None:
        """Name the service; an empty name for none."""
        self._node = node
        self._client: Client | None = node.create_client(Empty, service) if service else None

    def refine(self, _effect: RefineLocalisation) -> None:
        """Call the service once."""
        # Without a server the request would pend for ever.
        if self._client is not None and self._client.service_is_ready():
            self._client.call_async(Empty.Request())

    def destroy(self) -> None:
        """Destroy the client."""
        if self._client is not None:
            self._node.destroy_client(self._client)
