"""Whether the model is told the schema in words, for its server does not hold replies to it."""

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import ModelProbed, ModelReplied
from semantic_nav.vlm.gate.held import had_no_grammar
from semantic_nav.vlm.look.look_under_way import Taken

#: So many replies that no grammar gave, of one model, make the words stay.
_ENOUGH = 2
_CUT_OFF = 'length'


class SchemaOffer:
    """Learns from replies whether a server holds them to the schema that it was sent.

    Attributes:
        unheld: replies of the model that no grammar could have given.
        freed: replies that passed once the server was not asked to hold them any more, after one
            that was empty or had no end.
    """

    def __init__(self, config: HypothesisConfig) -> None:
        """Trust the server until its replies say otherwise."""
        self._config = config
        self._identity = ('', '')
        self.unheld = self.freed = 0

    @property
    def held(self) -> bool:
        """Whether the server is asked to hold replies to the schema."""
        return self.freed < _ENOUGH

    @property
    def in_words(self) -> bool:
        """Whether every prompt tells the schema."""
        return self._config.schema_in_words or self.learnt or not self.held

    @property
    def learnt(self) -> bool:
        """Whether it does so for what the server's replies were."""
        return self.unheld >= _ENOUGH

    def probed(self, event: ModelProbed) -> None:
        """Begin again with another model."""
        identity = (event.model, event.digest)
        if event.ok and identity != self._identity:
            self._identity, self.unheld, self.freed = identity, 0, 0

    def passed(self, taken: Taken) -> None:
        """Take note of a reply that passed."""
        self.freed += taken.prompt.unheld

    def refused(self, taken: Taken, reply: ModelReplied) -> bool:
        """Take note of a refused reply; tell whether the repair must tell the schema.

        A reply to a question with tools was held to nothing, and one that was cut off may have
        been held to all.
        """
        prompt = taken.prompt
        if prompt.tools or prompt.unheld or reply.finish_reason == _CUT_OFF or not had_no_grammar(
                reply.text, taken.context.boxes):
            return False
        if not prompt.schema_in_words:
            self.unheld += 1
        return True
