"""What OpenAI's API and Anthropic's have in common besides asking: `/v1/models`."""

from threading import Event as Flag

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.providers import models_probe
from semantic_nav.vlm.providers.probing import probed

#: The clients want a key; what is really sent stands in the server's headers.
NO_KEY = 'none'


class ModelsApi:
    """Probes a server that lists its models; such a server loads its model when it starts."""

    def __init__(self, config: HypothesisConfig, server: Server) -> None:
        """Talk to a server; nothing is sent yet.

        Args:
            config: model and options.
            server: where it is, and the limits of a call.
        """
        self._config = config
        self._server = server

    def probe(self, cancelled: Flag) -> ModelProbed:
        """Ask `/v1/models` for the model, and llama.cpp for more; see `Provider.probe`."""
        return probed(models_probe.probe, self._config, self._server, cancelled)

    def warm_up(self, found: ModelProbed, cancelled: Flag) -> bool:
        """Do nothing; see `Provider.warm_up`."""
        del found, cancelled
        return False
