"""What OpenAI's API and Anthropic's have in common besides asking: `/v1/models`."""

from dataclasses import replace
from threading import Event as Flag

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.providers import models_probe
from semantic_nav.vlm.providers.extra_fields import ExtraFields
from semantic_nav.vlm.providers.probing import probed, taken_over

#: The clients want a key; what is really sent stands in the server's headers.
NO_KEY = 'none'


class ModelsApi:
    """Probes a server that lists its models; such a server loads its model when it starts."""

    def __init__(self, config: HypothesisConfig, server: Server, extras: ExtraFields) -> None:
        """Talk to a server; nothing is sent yet.

        Args:
            config: model and options.
            server: where it is, and the limits of a call.
            extras: the fields of a request that it may refuse.
        """
        self._config = self._given = config
        self._server = server
        self._extras = extras

    def probe(self, cancelled: Flag) -> ModelProbed:
        """Ask `/v1/models` for the model, and llama.cpp for more; see `Provider.probe`."""
        found = probed(models_probe.probe, self._given, self._server, cancelled)
        self._config = taken_over(self._given, found)
        return replace(found, notes=(*found.notes, *self._extras.notes))

    def warm_up(self, found: ModelProbed, cancelled: Flag) -> bool:
        """Do nothing; see `Provider.warm_up`."""
        del found, cancelled
        return False
