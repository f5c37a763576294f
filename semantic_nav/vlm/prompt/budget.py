"""How many tokens a prompt may take."""

import math
from dataclasses import dataclass

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.prompt.manifest import Manifest

#: What the error is called where a prompt was too long, so that nothing of it was sent.
OVER_BUDGET = 'over_budget'
#: What is added to an estimate, for tokenizers differ.
MARGIN = 1.2
#: Where the server does not tell how long a context it can hold.
UNKNOWN_WINDOW = 32768


@dataclass(frozen=True)
class Budget:
    """What one prompt may cost.

    Attributes:
        model: whose pictures are counted.
        window_tokens: the context window that the server is asked for.
        reserve_tokens: of the window, kept for the reply.
        factor: by which counts are corrected; 1 before the first reply.
    """

    model: str
    window_tokens: int
    reserve_tokens: int
    factor: float = 1.0

    @property
    def limit_tokens(self) -> int:
        """What the prompt may take."""
        return max(self.window_tokens - self.reserve_tokens, 0)

    def estimate(self, counted_tokens: int) -> int:
        """Return a count with calibration and margin."""
        return math.ceil(counted_tokens * self.factor * MARGIN)

    def holds(self, counted_tokens: int) -> bool:
        """Tell whether a prompt of so many counted tokens may be sent."""
        return self.estimate(counted_tokens) <= self.limit_tokens


def over_budget(manifest: Manifest) -> str:
    """Return what a prompt that is too long would cost, in words, and what to do about it."""
    return (f'a prompt of about {manifest.estimated_tokens} tokens, allowed are '
            f'{manifest.budget_tokens} of a window of {manifest.window_tokens}; raise num_ctx and '
            f'the window of the server, or lower image_long_side_px or token_reserve')


def window_to_ask_for(config: HypothesisConfig, served_tokens: int) -> int:
    """Return the context window that a server is asked for, in tokens.

    Args:
        config: the longest one wanted.
        served_tokens: what the model can hold; 0 where unknown.
    """
    return min(config.num_ctx, served_tokens or UNKNOWN_WINDOW)
