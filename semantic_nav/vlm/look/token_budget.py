"""The token budget, learnt from what the server says and counts."""

from collections import deque

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.look.known_model import KnownModel
from semantic_nav.vlm.prompt.budget import MARGIN, Budget, window_to_ask_for
from semantic_nav.vlm.prompt.manifest import TOOLS, Manifest

#: A window below this leaves little room; the operator is told.
SMALL_WINDOW = 16000
#: Replies whose count an estimate is calibrated by.
_CALIBRATED_BY = 8
#: Calibration takes at most the margin away, and believes no server that counts much more.
_LEAST_FACTOR, _MOST_FACTOR = 1.0 / MARGIN, 2.0
#: A server that reads the whole prompt counts at least this share of what is sure, and of what its
#: own earlier counts let expect.
_SURE_SHARE, _EXPECTED_SHARE = 0.7, 0.8


class TokenBudget:
    """Follows the server: its window, and how its counts compare with ours.

    Attributes:
        truncation: in words, where the server did not read all of the last prompt; else empty.
    """

    def __init__(self, config: HypothesisConfig, model: KnownModel | None = None) -> None:
        """Know nothing of the server yet.

        Args:
            config: the parameters.
            model: whose pictures are counted; None for what its name tells.
        """
        self._config = config
        self._model = model or KnownModel(config)
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
        return Budget(self._model.counted_as, window,
                      max(config.token_reserve, config.num_predict), factor)

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
