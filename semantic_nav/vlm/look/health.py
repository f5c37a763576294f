"""Health reports of the hypothesis core."""

from collections.abc import Sequence

from semantic_nav.contracts.core import Report
from semantic_nav.contracts.documents import Hypothesis
from semantic_nav.contracts.vocabulary import Level, Source
from semantic_nav.vlm.events import ModelProved
from semantic_nav.vlm.look.breaker import BreakerState, Circuit
from semantic_nav.vlm.look.schema_offer import SchemaOffer
from semantic_nav.vlm.prompt.budget import over_budget
from semantic_nav.vlm.prompt.manifest import Manifest


def circuit(state: BreakerState) -> Report:
    """Report on the circuit breaker."""
    level, text = Level.WARN, (f'the model failed {state.failures} times in a row '
                               f'({state.last_error}): left alone for a while')
    if state.circuit is Circuit.CLOSED:
        level, text = Level.OK, 'the model is asked'
    elif state.circuit is Circuit.HALF_OPEN:
        text = f'the next look tries the model again after {state.failures} failures'
    return Report('circuit', level, text, (
        ('failures', state.failures), ('retry_in_s', round(state.retry_in_s))))


def context(manifest: Manifest, warnings: Sequence[str]) -> Report:
    """Report on whether prompts fit into the model's context window.

    Args:
        manifest: manifest of the last prompt, sent or not.
        warnings: other warnings about the window.
    """
    level, text = (Level.WARN, '; '.join(warnings)) if warnings else (
        Level.OK, 'prompts fit into the context window')
    if not manifest.within_budget:
        level, text = Level.ERROR, over_budget(manifest)
    return Report('context', level, text, (
        ('estimated_tokens', manifest.estimated_tokens), ('budget_tokens', manifest.budget_tokens),
        ('window_tokens', manifest.window_tokens)))


def tools(rounds: int, off: str) -> list[Report]:
    """Report on whether the model is offered tools; empty if it is not meant to be.

    Args:
        rounds: turns of a look with tools.
        off: reason why it is offered none although it should be; empty if it is.
    """
    if not rounds:
        return []
    level, text = (Level.WARN, f'the model is offered none: {off}') if off else (
        Level.OK, 'the model may use tools')
    return [Report('tools', level, text, (('rounds', rounds),))]


def schema(offer: SchemaOffer) -> Report:
    """Report on whether the server's replies showed that it does not enforce the schema."""
    level, text = (Level.WARN, (
        'the model server does not hold replies to the schema, so the model is told it in words; '
        'update the server, or set think to unsaid')) if offer.learnt else (
        Level.OK, 'replies are taken to be held to the schema')
    if not offer.held:
        level, text = Level.WARN, (
            'replies that were held to the schema were empty or had no end, so the model is told '
            'it in words and the server does not hold them; update the server')
    return Report('schema', level, text, (('unheld_replies', offer.unheld),))


def proof(proved: ModelProved | None) -> Report:
    """Report on whether the model has proved that it answers and sees.

    Args:
        proved: result of its last proof; None if it was asked nothing yet.
    """
    if proved is None:
        return Report('proof', Level.WARN, 'the model was asked nothing since the start')
    level = Level.ERROR if not proved.ok else Level.WARN if proved.doubted else Level.OK
    return Report('proof', level, proved.words)


def look(hypothesis: Hypothesis, read_otherwise: int) -> Report:
    """Report on the answer to the last look.

    Args:
        hypothesis: answer.
        read_otherwise: number of replies so far that were read as meant, though not written as
            asked for.
    """
    meta = hypothesis.meta
    level, text = (Level.OK, 'answered by the model') if hypothesis.source is Source.MODEL else (
        Level.WARN, f'answered by the fallback: {meta.vlm_error}')
    return Report('look', level, text, (
        ('latency_ms', round(meta.vlm_latency_ms)), ('retries', meta.vlm_retry_count),
        ('replies_reread', read_otherwise)))


def no_look(reason: str) -> Report:
    """Report on a look without a picture, with the reason."""
    return Report('look', Level.WARN, reason)
