"""One real question to the model, as a look asks it: the proof that looks would be answered.

A probe asks a server for its abilities; only an answer shows that its model answers in the form
asked for, with a picture. A model that never gets the picture answers well, too. If it did not
find the object in the picture, the server's token counts tell, as pictures cost tokens. If the
server keeps the answer to an earlier picture, the model seems to find the object, but at the same
spot of a mirrored picture.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from threading import Event as Flag

from semantic_nav.contracts.hypothesis import Box
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import Image, Question
from semantic_nav.vlm.errors import CallCancelled, MissingField
from semantic_nav.vlm.events import AskModel, ModelFailed, ModelProbed, ModelReplied
from semantic_nav.vlm.gate.boxes import BoxConvention, iou
from semantic_nav.vlm.gate.gate import GateContext, GateRefusal, gate
from semantic_nav.vlm.look.token_budget import GIVE_IT_EYES
from semantic_nav.vlm.looker import EXAMPLE_BOX, EXAMPLE_GOAL, Looker, Seen, example_picture
from semantic_nav.vlm.providers.caller import Caller
from semantic_nav.vlm.providers.provider import Provider
from semantic_nav.vlm.providers.question import question_of

_MS_PER_S = 1000.0
#: Smallest IoU of a box that counts as the mug's.
_FITS = 0.3
#: Smallest gain in IoU that speaks for another reading than that in use.
_BETTER = 0.2
#: Scales to which a server might have resized the picture that it got.
_SCALES = tuple(percent / 100 for percent in range(20, 301, 5) if percent != 100)
#: Fewest tokens of a picture; a mark in its place, such as Ollama's [img-0], takes fewer.
_FEWEST_OF_PICTURE = 16
#: Tokens of a picture beside the prompt: Ollama counts one for Llama 3.2 Vision (ollama 7592).
_BESIDE = 1
#: Share of the words' tokens below which a server's count leaves out cached or cut parts.
_SURE_SHARE = 0.7
#: Longest latency of a model that is asked for the mirrored picture too, in ms.
_QUICK_MS = 20_000.0
#: Longest reply to a prompt without its picture, in tokens: only the prompt's count matters.
_SHORTEST_REPLY = 32
#: Advice for a server that does not tell pictures apart.
_UNCACHED = ("switch the model server's prompt or prefix cache off (--no-enable-prefix-caching of "
             'vLLM), and any cache of answers before it, or update it')


@dataclass(frozen=True)
class Proof:
    """The outcome of the question.

    Attributes:
        ok: a reply passed the gate.
        words: outcome, with advice if it is not ok, or doubted.
        notes: flaws, each with advice.
        doubted: nothing shows that the picture reaches the model, or its boxes are read wrong.
    """

    ok: bool
    words: str
    notes: tuple[str, ...] = ()
    doubted: bool = False


@dataclass(frozen=True)
class _Counts:
    """Token counts of the server for a prompt, with its picture and without."""

    shown: int
    bare: int

    @property
    def picture(self) -> int:
        return self.shown - self.bare

    @property
    def blind(self) -> bool:
        return self.picture < _FEWEST_OF_PICTURE and self.picture != _BESIDE


def prove(config: HypothesisConfig, provider: Provider, found: ModelProbed, cancelled: Flag,
          secrets: Collection[str] = ()) -> Proof:
    """Ask for a look at the built-in picture, with repairs; two looks at most.

    If the mug was not found, the prompt is sent again without the picture, for a short reply. If
    it was found, and quickly, a look at the mirrored picture follows.

    Args:
        config: parameters of the hypothesis node.
        provider: provider of the model.
        found: findings of a probe that was ok.
        cancelled: flag that another thread sets to break it off.
        secrets: words that are hidden where a server repeats them.

    Raises:
        CallCancelled: `cancelled` was set.
    """
    looker = Looker(config, provider, config.request_timeout_s, secrets, cancelled)
    looker.take(found)
    seen = looker.look(example_picture(), EXAMPLE_GOAL)
    for result in seen.results:
        _raise_if_cancelled(result)
    words, note = _words(found.model, seen), _misread(seen)
    if not seen.valid:
        return Proof(False, words, (*seen.warnings, *filter(None, [note])))
    if note:
        return Proof(True, note, seen.warnings, doubted=True)
    if _finds(seen):
        if seen.hypothesis.meta.vlm_latency_ms < _QUICK_MS and _finds_it_there(looker):
            words = (f'{found.model} answers every picture as the first: its box of the mug '
                     f'stayed where it was in the mirrored picture; {_UNCACHED}')
            return Proof(True, words, seen.warnings, doubted=True)
        return Proof(True, words, seen.warnings)
    counts = _counts(seen, config, provider, cancelled)
    if counts is not None and counts.blind:
        others = tuple(note for note in seen.warnings if GIVE_IT_EYES not in note)
        return Proof(True, f'the picture never reached {found.model}, as far as can be told: it '
                     f'answered by the schema and did not find the mug, and the server counted '
                     f'{counts.shown} tokens with the picture and {counts.bare} without; '
                     f'{GIVE_IT_EYES}', others, doubted=True)
    return Proof(True, words, (*seen.warnings, _unfound(seen, counts)))


def _finds_it_there(looker: Looker) -> bool:
    """Tell whether a look at the mirrored picture finds the mug where the original has it.

    Raises:
        CallCancelled: the question was broken off.
    """
    mirrored = looker.look(example_picture()[:, ::-1], EXAMPLE_GOAL)
    for result in mirrored.results:
        _raise_if_cancelled(result)
    return mirrored.valid and _finds(mirrored)


def _raise_if_cancelled(result: ModelReplied | ModelFailed) -> None:
    """Raise CallCancelled if a call was broken off."""
    if isinstance(result, ModelFailed) and result.error == CallCancelled.error:
        raise CallCancelled('the question was broken off')


def _counts(seen: Seen, config: HypothesisConfig, provider: Provider,
            cancelled: Flag) -> _Counts | None:
    """Send the first answered prompt without its picture; None if the counts tell nothing.

    Args:
        seen: result of the look.
        config: parameters of the hypothesis node.
        provider: provider of the model.
        cancelled: flag that breaks it off.

    Raises:
        CallCancelled: `cancelled` was set.
    """
    request, shown = next(
        (request, result.prompt_tokens) for request, result in zip(
            seen.requests, seen.results, strict=True) if isinstance(result, ModelReplied))
    sure = _SURE_SHARE * request.prompt.manifest.words_tokens
    if shown < sure:
        return None
    for num_predict in (_SHORTEST_REPLY, config.num_predict):
        without_picture = partial(
            _without_picture, config=replace(config, num_predict=num_predict))
        result = Caller(provider, without_picture).call(
            request, config.request_timeout_s, cancelled)
        _raise_if_cancelled(result)
        # A reply cut off within its thoughts comes without a count.
        if isinstance(result, ModelReplied) or result.error != MissingField.error:
            break
    if isinstance(result, ModelFailed) or not sure <= result.prompt_tokens <= shown:
        return None
    return _Counts(shown, result.prompt_tokens)


def _without_picture(request: AskModel, config: HypothesisConfig) -> Question:
    question = question_of(request, config, seed=0)
    return replace(question, messages=tuple(
        replace(message, parts=tuple(
            part for part in message.parts if not isinstance(part, Image)))
        for message in question.messages))


def _words(model: str, seen: Seen) -> str:
    meta = seen.hypothesis.meta
    if seen.valid:
        repaired = ' after a repair' if meta.vlm_retry_count else ''
        return (f'{model} answered a look by the schema{repaired}, in '
                f'{meta.vlm_latency_ms / _MS_PER_S:.1f} s')
    if seen.failure:
        return f'{model} gave no answer to a look: {seen.failure}'
    return (f'{model} answers, but no reply passes: {meta.vlm_error}; `vlm ask PICTURE GOAL` '
            f'shows the replies: choose another model, or see docs/models.md')


def _misread(seen: Seen) -> str:
    """The other convention or size that the mug's box fits, in words; empty if there is none.

    A box elsewhere speaks for another convention or picture size only if it fits that one: a model
    may be too small to find anything.

    Args:
        seen: result of a look at the built-in picture.
    """
    if not seen.replies:
        return ''
    text, context = _reading(seen)
    used = _fit(text, context)
    if used >= _FITS:
        return ''
    others = {boxes: _fit(text, replace(context, boxes=boxes)) for boxes in BoxConvention}
    best = max(others, key=lambda boxes: others[boxes])
    if others[best] >= max(_FITS, used + _BETTER):
        return (f'the box of the mug in the built-in picture fits {best} and not {seen.boxes}, '
                f'which is in use: set box_convention: {best}, after `vlm eval DIR` says the same')
    if seen.boxes is BoxConvention.PIXELS:
        width_px, height_px = seen.sent_px
        sizes = [(round(width_px * scale), round(height_px * scale)) for scale in _SCALES]
        fits = {size: _fit(text, replace(context, sent_px=size)) for size in sizes}
        size = max(fits, key=lambda one: fits[one])
        if fits[size] >= max(_FITS, used + _BETTER):
            return (f'the box of the mug in the built-in picture fits a picture of about '
                    f'{size[0]} x {size[1]} pixels, and {width_px} x {height_px} were sent: the '
                    f'model server changes its size, and boxes in pixels are read wrong; raise '
                    f'its limit to {width_px * height_px} pixels (max_pixels of vLLM and SGLang)')
    return ''


def _unfound(seen: Seen, counts: _Counts | None) -> str:
    """Words for a mug that was not found.

    Args:
        seen: result of a look at the built-in picture, whose last reply passed.
        counts: token counts of its prompt; None if they tell nothing.
    """
    box = _box(*_reading(seen))
    if box is not None:
        where = ', '.join(f'{side:.0f}' for side in box)
        return (f'the box of the mug in the built-in picture lies elsewhere, at {where} '
                f'thousandths: the model may not find what it is asked for; `vlm eval DIR` tells '
                f'how often')
    why = (': does the server hand pictures to the model?' if counts is None else
           f', though the picture took {counts.picture} of the tokens that the server counted:')
    return (f'the mug in the built-in picture was not found{why} `vlm ask PICTURE GOAL` shows '
            f'what it sees; choose another model')


def _reading(seen: Seen) -> tuple[str, GateContext]:
    """The last reply, and the context for reading it."""
    return seen.replies[-1].text, GateContext(seen.boxes, seen.sent_px, frozenset())


def _box(text: str, context: GateContext) -> Box | None:
    read = gate(text, context)
    return None if isinstance(read, GateRefusal) else read.target_box


def _finds(seen: Seen) -> bool:
    """Tell whether the box of the last reply is that of the mug in the built-in picture."""
    return _fit(*_reading(seen)) >= _FITS


def _fit(text: str, context: GateContext) -> float:
    box = _box(text, context)
    return 0.0 if box is None else iou(box, EXAMPLE_BOX)
