"""How many tokens a prompt may take, learnt from what the server says and counts."""

import math
from collections import deque
from dataclasses import dataclass
from typing import ClassVar

from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.manifest import TOOLS, Manifest

#: What is added to an estimate, for tokenizers differ.
MARGIN = 1.2
#: Where the server does not tell how long a context it can hold.
UNKNOWN_WINDOW = 32768
#: A window below this leaves little room; the operator is told.
SMALL_WINDOW = 16000
#: Replies whose count an estimate is calibrated by.
_CALIBRATED_BY = 8
#: Calibration takes at most the margin away, and believes no server that counts much more.
_LEAST_FACTOR, _MOST_FACTOR = 1.0 / MARGIN, 2.0
#: A server that reads the whole prompt counts at least this share of what is sure, and of what its
#: own earlier counts let expect.
_SURE_SHARE, _EXPECTED_SHARE = 0.7, 0.8


class OverBudgetError(SemanticNavError):
    """A prompt is longer than its budget; nothing of it was sent."""

    error: ClassVar[str] = 'over_budget'

    def __init__(self, manifest: Manifest) -> None:
        """Say what it would cost."""
        super().__init__(
            f'a prompt of about {manifest.estimated_tokens} tokens, allowed are '
            f'{manifest.budget_tokens} of a window of {manifest.window_tokens}; raise num_ctx and '
            f'the window of the server, or lower image_long_side_px or token_reserve')
        self.manifest = manifest


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


def hold_to_budget(manifest: Manifest) -> None:
    """Refuse a prompt that is too long; to be called before it is sent.

    Raises:
        OverBudgetError: it is.
    """
    if not manifest.within_budget:
        raise OverBudgetError(manifest)


def window_to_ask_for(config: HypothesisConfig, served_tokens: int) -> int:
    """Return the context window that a server is asked for, in tokens.

    Args:
        config: the longest one wanted.
        served_tokens: what the model can hold; 0 where unknown.
    """
    return min(config.num_ctx, served_tokens or UNKNOWN_WINDOW)


class TokenBudget:
    """Follows the server: its window, and how its counts compare with ours.

    Attributes:
        truncation: in words, where the server did not read all of the last prompt; else empty.
    """

    def __init__(self, config: HypothesisConfig) -> None:
        """Know nothing of the server yet."""
        self._config = config
        self._served = 0
        self._identity = ('', '')
        self._ratios: deque[float] = deque(maxlen=_CALIBRATED_BY)
        self.truncation = ''

    @property
    def now(self) -> Budget:
        """The budget of the next prompt."""
        config = self._config
        window = window_to_ask_for(config, self._served)
        factor = min(max(*self._ratios, _LEAST_FACTOR), _MOST_FACTOR) if self._ratios else 1.0
        return Budget(config.model, window, max(config.token_reserve, config.num_predict),
                      factor)

    def probed(self, event: ModelProbed) -> None:
        """Take in what the server says of the model."""
        if not event.ok:
            return
        self._served = max(event.window_tokens, 0)
        if (event.model, event.digest) != self._identity:
            self._identity = (event.model, event.digest)
            self._ratios.clear()

    def counted(self, manifest: Manifest, prompt_tokens: int) -> None:
        """Compare what a server counted with the bill; 0 where it did not count."""
        if prompt_tokens <= 0 or manifest.counted_tokens <= 0:
            return
        # What a chat template makes of tools says nothing of how texts are counted.
        telling = all(part.name != TOOLS for part in manifest.parts)
        expected = manifest.counted_tokens * min(self._ratios, default=0.0) if telling else 0.0
        least = int(max(manifest.sure_tokens * _SURE_SHARE, expected * _EXPECTED_SHARE))
        self.truncation = _truncation(manifest, prompt_tokens, least)
        if telling and not self.truncation:
            self._ratios.append(prompt_tokens / manifest.counted_tokens)

    @property
    def warnings(self) -> list[str]:
        """What an operator should know, in words."""
        window = self.now.window_tokens
        found = [self.truncation] if self.truncation else []
        if window < SMALL_WINDOW:
            why = 'num_ctx' if window == self._config.num_ctx else 'the model server'
            found.append(f'{why} limits the context to {window} tokens; {SMALL_WINDOW} or more '
                         f'leave room for what is remembered')
        return found


def _truncation(manifest: Manifest, prompt_tokens: int, least_tokens: int) -> str:
    if prompt_tokens >= manifest.window_tokens:
        sign = f'which fills the window of {manifest.window_tokens}'
    elif prompt_tokens < least_tokens:
        sign = f'at least {least_tokens} were sent'
    else:
        return ''
    return (f'the model server cut the prompt: it counted {prompt_tokens} tokens, {sign}; start '
            f'it with a longer context, or lower num_ctx to what it has')
