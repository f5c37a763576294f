"""The common part of OpenAI's and Anthropic's APIs besides asking: `/v1/models`."""

from dataclasses import replace
from threading import Event as Flag

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.providers import models_probe
from semantic_nav.vlm.providers.extra_fields import ExtraFields
from semantic_nav.vlm.providers.probing import probed, taken_over

#: Placeholder for the key that the clients require; the real one is in the server's headers.
NO_KEY = 'none'


class ModelsApi:
    """Base of providers whose server lists its models; it loads its model when it starts."""

    def __init__(self, config: HypothesisConfig, server: Server, extras: ExtraFields) -> None:
        """Prepare for a server; nothing is sent yet.

        Args:
            config: model and options.
            server: server and limits of a call.
            extras: parts of a request that it may refuse.
        """
        self._config = self._given = config
        self._server = server
        self._extras = extras

    def probe(self, cancelled: Flag) -> ModelProbed:
        """Ask `/v1/models` about the model, and llama.cpp for more; see `Provider.probe`."""
        found = probed(models_probe.probe, self._given, self._server, cancelled)
        self._config = taken_over(self._given, found)
        return replace(found, notes=(*found.notes, *self._extras.notes))

    def warm_up(self, found: ModelProbed, cancelled: Flag) -> bool:
        """Do nothing; see `Provider.warm_up`."""
        del found, cancelled
        return False
