"""What is known of the model that answers: its name, and its family."""

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import ModelProbed, ModelReplied
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.families import family_of


class KnownModel:
    """Follows what the server says of the model, and under which name it answers.

    Attributes:
        name: of the model that is asked.
    """

    def __init__(self, config: HypothesisConfig) -> None:
        """Go by the name of the configuration."""
        self._config = config
        self.name = config.model
        self._family = family_of(config.model)

    @property
    def boxes(self) -> BoxConvention:
        """How the model is asked to write boxes."""
        return self._config.boxes_of(self._family)

    @property
    def counted_as(self) -> str:
        """The name by which pictures are counted in tokens."""
        return self._family.name if self._family is not None else self.name

    def probed(self, found: ModelProbed) -> None:
        """Take note of what the server says of the model."""
        if found.ok:
            self.name = found.model
            self._family = family_of(found.family, found.model) or self._family

    def replied(self, reply: ModelReplied) -> None:
        """Take note of the name under which the server answers, where nothing else tells."""
        if self._family is None:
            self._family = family_of(reply.answered_as)
