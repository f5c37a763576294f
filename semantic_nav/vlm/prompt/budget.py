"""The token budget of a prompt."""

import math
from dataclasses import dataclass

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.prompt.manifest import Manifest

#: Name of the error for a prompt that was too long to be sent.
OVER_BUDGET = 'over_budget'
#: Factor on an estimate, because tokenizers differ.
MARGIN = 1.2
#: Context window that is assumed if the server does not tell it, in tokens.
UNKNOWN_WINDOW = 32768


@dataclass(frozen=True)
class Budget:
    """The token budget of one prompt.

    Attributes:
        model: model whose pictures are counted.
        window_tokens: context window that the server is asked for.
        reserve_tokens: part of the window that is kept for the reply.
        factor: correction of our counts; 1 before the first reply.
    """

    model: str
    window_tokens: int
    reserve_tokens: int
    factor: float = 1.0

    @property
    def limit_tokens(self) -> int:
        """Longest prompt in tokens."""
        return max(self.window_tokens - self.reserve_tokens, 0)

    def estimate(self, counted_tokens: int) -> int:
        """A count with calibration and margin."""
        return math.ceil(counted_tokens * self.factor * MARGIN)

    def holds(self, counted_tokens: int) -> bool:
        """Tell whether a prompt with this count of tokens may be sent."""
        return self.estimate(counted_tokens) <= self.limit_tokens


def over_budget(manifest: Manifest) -> str:
    """The cost of a prompt that is too long, in words, with advice."""
    return (f'a prompt of about {manifest.estimated_tokens} tokens, allowed are '
            f'{manifest.budget_tokens} of a window of {manifest.window_tokens}; raise num_ctx and '
            f'the window of the server, or lower image_long_side_px or token_reserve')


def window_to_ask_for(config: HypothesisConfig, served_tokens: int) -> int:
    """The context window that a server is asked for, in tokens.

    Args:
        config: parameters, with the longest window wanted.
        served_tokens: window of the model; 0 if unknown.
    """
    return min(config.num_ctx, served_tokens or UNKNOWN_WINDOW)
