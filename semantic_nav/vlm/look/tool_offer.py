"""The offer of tools for the model's next turn."""

from semantic_nav.contracts.clock import Now
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import Tool
from semantic_nav.vlm.events import ModelFailed, ModelProbed
from semantic_nav.vlm.look.look_under_way import LookUnderWay, Taken
from semantic_nav.vlm.look.tools import tools

#: Calls that must fit after an offer: the turn with tools and the answer, each as long as the
#: longest so far.
_CALLS_LEFT = 2
_MS_PER_S = 1000.0


class ToolOffer:
    """The offer of tools, by the abilities of model and server and the share of a look.

    Attributes:
        off: reason why no tools are offered although they should be; empty while they are.
    """

    def __init__(self, config: HypothesisConfig) -> None:
        """Trust the server until it denies tools."""
        self._config = config
        self.off = ''

    @property
    def wanted(self) -> bool:
        """Tell whether tools are offered at all."""
        return self._config.tool_rounds > 0 and not self.off

    def probed(self, event: ModelProbed) -> None:
        """Take note of a probe; one that does not tell about tools changes nothing."""
        if event.tools is False:
            self.off = (f'{event.model} has no tools on this server; choose a model that has, '
                        f'update the server, or set tool_rounds to 0')
        elif event.tools:
            self.off = ''

    def is_refusal(self, event: ModelFailed) -> bool:
        """Tell whether a server that was offered tools may have failed because of them."""
        return event.error.startswith(f'{self._config.vlm_backend}_error:')

    def replied(self, look: LookUnderWay) -> None:
        """Switch tools off if a question was refused with them and answered without."""
        if look.tools_refusal:
            self.off = f'the server refused a question with tools: {look.tools_refusal}'

    def now(self, look: LookUnderWay, taken: Taken, now: Now) -> tuple[Tool, ...]:
        """The tools for the next turn of a look; empty for none."""
        had = len(taken.prompt.turns)
        enough_s = _CALLS_LEFT * look.longest_ms / _MS_PER_S
        if not self.wanted or look.tools_over or had >= self._config.tool_rounds or (
                look.left_s(now) < enough_s or not look.has_calls(_CALLS_LEFT)):
            return ()
        return tools(look.boxes)
