"""The token budget, calibrated by the server's window and token counts."""

from collections import deque

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.look.known_model import KnownModel
from semantic_nav.vlm.prompt.budget import MARGIN, Budget, window_to_ask_for
from semantic_nav.vlm.prompt.manifest import TOOLS, Manifest
from semantic_nav.vlm.prompt.tokens import least_of_picture

#: Advice for pictures that do not reach the model.
GIVE_IT_EYES = ('let the server load a model that sees, with its projector (--mmproj of '
                'llama.cpp) and a chat template for pictures, or update the server')
#: Window below which the operator is warned, in tokens.
SMALL_WINDOW = 16000
#: Number of newest replies that calibrate an estimate.
_CALIBRATED_BY = 8
#: Bounds of the calibration: it takes at most the margin away, and distrusts much larger counts.
_LEAST_FACTOR, _MOST_FACTOR = 1.0 / MARGIN, 2.0
#: Shares that a server counts at least if it reads the whole prompt: of the sure tokens, and of
#: those expected from its earlier counts.
_SURE_SHARE, _EXPECTED_SHARE = 0.7, 0.8
#: Smallest and largest share of our count of texts that a server counts; the rest is the picture.
_LEAST_TEXT, _MOST_TEXT = 0.8, 1.1
#: Fewest tokens of a resized picture; with fewer it was cut off or not counted.
_FEWEST_OF_PICTURE = 64


class TokenBudget:
    """The token budget, which follows the server's window and its counts.

    Attributes:
        truncation: warning that the server did not read all of the last prompt; empty if it did.
        shrunk: warning that it seems to have resized the picture; empty if it does not. The counts
            show it from about a tenth of the picture's area on.
    """

    def __init__(self, config: HypothesisConfig, model: KnownModel | None = None) -> None:
        """Begin without knowledge of the server.

        Args:
            config: parameters of the hypothesis node.
            model: model whose pictures are counted; None for that of the configuration.
        """
        self._config = config
        self._model = model or KnownModel(config)
        self._served = 0
        self._identity = ('', '')
        self._ratios: deque[float] = deque(maxlen=_CALIBRATED_BY)
        self.truncation = self.shrunk = ''
        #: Sizes of pictures that the server has read whole.
        self._read_whole: set[tuple[int, int]] = set()

    @property
    def now(self) -> Budget:
        """The budget of the next prompt."""
        config = self._config
        window = window_to_ask_for(config, self._served)
        factor = min(max(*self._ratios, _LEAST_FACTOR), _MOST_FACTOR) if self._ratios else 1.0
        return Budget(self._model.counted_as, window,
                      max(config.token_reserve, config.num_predict), factor)

    def probed(self, event: ModelProbed) -> None:
        """Take in a probe: the window, and another model."""
        if not event.ok:
            return
        self._served = max(event.window_tokens, 0)
        if (event.model, event.digest) != self._identity:
            self._identity = (event.model, event.digest)
            self._ratios.clear()
            self._read_whole.clear()

    def counted(self, manifest: Manifest, prompt_tokens: int,
                sent_px: tuple[int, int] | None = None) -> None:
        """Compare the server's count of a prompt with its manifest.

        Args:
            manifest: manifest of the prompt.
            prompt_tokens: count of the server; 0 if it gave none.
            sent_px: width and height of the sent picture, if boxes depend on that size; else None.
        """
        if prompt_tokens <= 0 or manifest.counted_tokens <= 0:
            return
        self.shrunk = self._shrunk(manifest, prompt_tokens, sent_px) if sent_px else ''
        # A chat template words tools as it likes, so they tell nothing about the counts of texts.
        telling = all(part.name != TOOLS for part in manifest.parts)
        expected = manifest.counted_tokens * min(self._ratios, default=0.0) if telling else 0.0
        least = int(max(manifest.sure_tokens * _SURE_SHARE, expected * _EXPECTED_SHARE))
        self.truncation = '' if self.shrunk else _truncation(manifest, prompt_tokens, least)
        if telling and not (self.truncation or self.shrunk):
            self._ratios.append(prompt_tokens / manifest.counted_tokens)

    def _shrunk(self, manifest: Manifest, prompt_tokens: int, sent_px: tuple[int, int]) -> str:
        sent = least_of_picture(self._model.counted_as, *sent_px)
        words = manifest.sure_tokens - sent
        read = prompt_tokens - int(_LEAST_TEXT * words)
        if read >= sent:
            self._read_whole.add(sent_px)
        # A server may not count the beginning of a prompt that it has read before.
        if sent_px in self._read_whole or (
                prompt_tokens - _MOST_TEXT * words < _FEWEST_OF_PICTURE):
            return ''
        width_px, height_px = sent_px
        return (f'the model server made the picture smaller, or cut the prompt: of '
                f'{prompt_tokens} tokens that it counted, at most {read} are the picture of '
                f'{width_px} x {height_px} pixels, which takes {sent}; boxes in pixels count for '
                f'nothing until it reads all of it: raise its limit to {width_px * height_px} '
                f'pixels (max_pixels of vLLM and SGLang) or {sent} tokens (--image-max-tokens of '
                f'llama.cpp), or give it a longer context')

    @property
    def warnings(self) -> list[str]:
        """Warnings for the operator."""
        window = self.now.window_tokens
        found = [words for words in (self.shrunk, self.truncation) if words]
        if window < SMALL_WINDOW:
            why = 'num_ctx' if window == self._config.num_ctx else 'the model server'
            found.append(f'{why} limits the context to {window} tokens; {SMALL_WINDOW} or more '
                         f'leave room for what is remembered')
        return found


def _truncation(manifest: Manifest, prompt_tokens: int, least_tokens: int) -> str:
    words = manifest.words_tokens
    if prompt_tokens >= manifest.window_tokens:
        sign = f'which fills the window of {manifest.window_tokens}'
    elif prompt_tokens >= least_tokens:
        return ''
    elif _LEAST_TEXT * words <= prompt_tokens < _MOST_TEXT * words + _FEWEST_OF_PICTURE:
        return (f'the picture seems never to have reached the model: the server counted '
                f'{prompt_tokens} tokens, about as many as the words alone, and at least '
                f'{least_tokens} were sent; {GIVE_IT_EYES}')
    else:
        sign = f'at least {least_tokens} were sent'
    return (f'the model server cut the prompt: it counted {prompt_tokens} tokens, {sign}; start '
            f'it with a longer context, or lower num_ctx to what it has')
