"""One real question to the model, as a look asks it: the proof that looks would be answered.

A probe asks a server what it can do; whether its model answers in the form that is asked for, with
a picture, only an answer shows.
"""

from collections.abc import Collection
from dataclasses import dataclass
from threading import Event as Flag

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.errors import CallCancelled
from semantic_nav.vlm.events import ModelFailed, ModelProbed
from semantic_nav.vlm.looker import EXAMPLE_GOAL, Looker, Seen, example_picture
from semantic_nav.vlm.providers.provider import Provider

_MS_PER_S = 1000.0


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
    return Proof(seen.valid, _words(found.model, seen), seen.warnings)


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
