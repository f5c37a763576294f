"""The simulator's model server, with eyes that see a room and nothing in it."""

from collections.abc import Iterator
from contextlib import contextmanager

from semantic_nav_sim.model.card import ModelCard
from semantic_nav_sim.model.engine import Engine
from semantic_nav_sim.model.eyes import Sight
from semantic_nav_sim.model.http_server import ModelHttpServer

MODEL = 'qwen2.5vl:7b'


class _SeesNothing:
    """Eyes that are shut."""

    def look(self, picture: bytes) -> Sight:
        del picture
        return Sight(True, 64, 48, 'kitchen')


@contextmanager
def model_server() -> Iterator[str]:
    """Run the server on a free loopback port; gives its URL."""
    with ModelHttpServer('127.0.0.1', 0, Engine(ModelCard(MODEL), _SeesNothing())) as server:
        yield server.url
