"""The name and the family of the model that answers, as far as known."""

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import ModelProbed, ModelReplied
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.families import family_of


class KnownModel:
    """The model's name and family, which follow the server's probes and replies.

    Attributes:
        name: name of the model that is asked.
    """

    def __init__(self, config: HypothesisConfig) -> None:
        """Begin with the name in the configuration."""
        self._config = config
        self.name = config.model
        self._family = family_of(config.model)

    @property
    def boxes(self) -> BoxConvention:
        """The box convention asked of the model."""
        return self._config.boxes_of(self._family)

    @property
    def counted_as(self) -> str:
        """The name by which the tokens of pictures are counted."""
        return self._family.name if self._family is not None else self.name

    def probed(self, found: ModelProbed) -> None:
        """Take note of a probe of the model."""
        if found.ok:
            self.name = found.model
            self._family = family_of(found.family, found.model) or self._family

    def replied(self, reply: ModelReplied) -> None:
        """Take the family from the name under which the server answers, if it is unknown."""
        if self._family is None:
            self._family = family_of(reply.answered_as)
