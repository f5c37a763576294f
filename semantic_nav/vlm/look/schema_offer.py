"""The choice to put the schema into the prompt, for a server that does not enforce it."""

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import ModelProbed, ModelReplied
from semantic_nav.vlm.gate.held import had_no_grammar
from semantic_nav.vlm.look.look_under_way import Taken

#: Number of replies of one model from which the choice is lasting.
_ENOUGH = 2
_CUT_OFF = 'length'


class SchemaOffer:
    """Evidence from replies on whether a server enforces the schema that it is sent.

    Attributes:
        unheld: number of replies of the model that no grammar could have produced.
        freed: number of replies that passed without an enforced schema, after one with it that was
            empty or endless.
    """

    def __init__(self, config: HypothesisConfig) -> None:
        """Trust the server until its replies prove otherwise."""
        self._config = config
        self._identity = ('', '')
        self.unheld = self.freed = 0

    @property
    def held(self) -> bool:
        """Tell whether the server is asked to enforce the schema."""
        return self.freed < _ENOUGH

    @property
    def in_words(self) -> bool:
        """Tell whether every prompt holds the schema."""
        return self._config.schema_in_words or self.learnt or not self.held

    @property
    def learnt(self) -> bool:
        """Tell whether the server's replies proved that it does not enforce the schema."""
        return self.unheld >= _ENOUGH

    def probed(self, event: ModelProbed) -> None:
        """Start the counts again for another model."""
        identity = (event.model, event.digest)
        if event.ok and identity != self._identity:
            self._identity, self.unheld, self.freed = identity, 0, 0

    def passed(self, taken: Taken) -> None:
        """Take note of a reply that passed."""
        self.freed += taken.prompt.unheld

    def refused(self, taken: Taken, reply: ModelReplied) -> bool:
        """Take note of a refused reply; returns true if the repair must hold the schema.

        No schema is enforced for a question with tools, and a reply that was cut off may have been
        under one.
        """
        prompt = taken.prompt
        if prompt.tools or prompt.unheld or reply.finish_reason == _CUT_OFF or not had_no_grammar(
                reply.text, taken.context.boxes):
            return False
        if not prompt.schema_in_words:
            self.unheld += 1
        return True
