"""One real question to the model, as a look asks it: the proof that looks would be answered.

A probe asks a server what it can do; whether its model answers in the form that is asked for, with
a picture, only an answer shows.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from threading import Event as Flag

from semantic_nav.contracts.hypothesis import Box
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.errors import CallCancelled
from semantic_nav.vlm.events import ModelFailed, ModelProbed
from semantic_nav.vlm.gate.boxes import BoxConvention, iou
from semantic_nav.vlm.gate.gate import GateContext, GateRefusal, gate
from semantic_nav.vlm.looker import EXAMPLE_BOX, EXAMPLE_GOAL, Looker, Seen, example_picture
from semantic_nav.vlm.providers.provider import Provider

_MS_PER_S = 1000.0
#: A box is that of the mug if it overlaps it by this much.
_FITS = 0.3
#: By so much another reading must fit better than that in use.
_BETTER = 0.2
#: Scales of a picture that a server might have sent on, against that which it got.
_SCALES = tuple(percent / 100 for percent in range(20, 301, 5) if percent != 100)


@dataclass(frozen=True)
class Proof:
    """What came of the question.

    Attributes:
        ok: a reply passed the gate.
        words: what came of it, and where it is not ok what to do about it.
        notes: what works badly, each with what to do about it.
    """

    ok: bool
    words: str
    notes: tuple[str, ...] = ()


def prove(config: HypothesisConfig, provider: Provider, found: ModelProbed, cancelled: Flag,
          secrets: Collection[str] = ()) -> Proof:
    """Ask for a look at the built-in picture, repairs and all; takes as long as a look does.

    Args:
        config: parameters of the hypothesis node.
        provider: who answers.
        found: by a probe of it, which was ok.
        cancelled: set from another thread to break it off.
        secrets: are hidden where a server repeats them.

    Raises:
        CallCancelled: `cancelled` was set.
    """
    looker = Looker(config, provider, config.request_timeout_s, secrets, cancelled)
    looker.take(found)
    seen = looker.look(example_picture(), EXAMPLE_GOAL)
    if any(isinstance(one, ModelFailed) and one.error == CallCancelled.error
           for one in seen.results):
        raise CallCancelled('the question was broken off')
    return Proof(seen.valid, _words(found.model, seen), (*seen.warnings, *_box_notes(seen)))


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


def _box_notes(seen: Seen) -> list[str]:
    """Return what is wrong with the box of the mug, in words; nothing where there is none.

    A box elsewhere tells of another convention or of another size of the picture only where it
    fits that: a model may be too small to find anything.

    Args:
        seen: a look at the built-in picture.
    """
    if not seen.replies:
        return []
    text, context = seen.replies[-1].text, GateContext(seen.boxes, seen.sent_px, frozenset())
    used = _fit(text, context)
    if used >= _FITS:
        return []
    others = {boxes: _fit(text, replace(context, boxes=boxes)) for boxes in BoxConvention}
    best = max(others, key=lambda boxes: others[boxes])
    if others[best] >= max(_FITS, used + _BETTER):
        return [f'the box of the mug in the built-in picture fits {best} and not {seen.boxes}, '
                f'which is in use: set box_convention: {best}, after `vlm eval DIR` says the same']
    if seen.boxes is BoxConvention.PIXELS:
        width_px, height_px = seen.sent_px
        sizes = [(round(width_px * scale), round(height_px * scale)) for scale in _SCALES]
        fits = {size: _fit(text, replace(context, sent_px=size)) for size in sizes}
        size = max(fits, key=lambda one: fits[one])
        if fits[size] >= max(_FITS, used + _BETTER):
            return [f'the box of the mug in the built-in picture fits a picture of about '
                    f'{size[0]} x {size[1]} pixels, and {width_px} x {height_px} were sent: the '
                    f'model server changes its size, and boxes in pixels are read wrong; raise '
                    f'its limit to {width_px * height_px} pixels (max_pixels of vLLM and SGLang)']
    box = _box(text, context)
    if box is None:
        return [] if not seen.valid else [
            'the mug in the built-in picture was not found: does the server hand pictures to the '
            'model? `vlm ask PICTURE GOAL` shows what it sees; choose another model']
    where = ', '.join(f'{side:.0f}' for side in box)
    return [f'the box of the mug in the built-in picture lies elsewhere, at {where} thousandths: '
            f'the model may not find what it is asked for; `vlm eval DIR` tells how often']


def _box(text: str, context: GateContext) -> Box | None:
    read = gate(text, context)
    return None if isinstance(read, GateRefusal) else read.target_box


def _fit(text: str, context: GateContext) -> float:
    box = _box(text, context)
    return 0.0 if box is None else iou(box, EXAMPLE_BOX)
