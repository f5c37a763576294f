"""`vlm ping` and `vlm ask`: abilities of the model, and its hypothesis for one picture."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event as Flag

from semantic_nav.cli.vlm_look import TrialFailed, looker_of, read_picture, secrets_of
from semantic_nav.contracts.codec import to_plain
from semantic_nav.contracts.errors import ModelUnavailable
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import ModelFailed, ModelProbed, ModelReplied
from semantic_nav.vlm.look.tools import LOOK_AT
from semantic_nav.vlm.looker import NOT_HERE, Seen
from semantic_nav.vlm.prompt.manifest import Manifest
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav.vlm.providers.provider import Provider
from semantic_nav.vlm.proving import prove

_MS_PER_S = 1000.0


def ping(config: HypothesisConfig) -> int:
    """Print the abilities of server and model, and the result of one real question.

    Raises:
        ModelUnavailable: a question would not be answered.
        TrialFailed: the question got no answer, or none by the schema, or nothing shows that the
            picture reaches the model, or its boxes are read wrong.
    """
    provider = make_provider(config, os.environ)
    found = tell(provider)
    proof = prove(config, provider, found, Flag(), secrets_of(config))
    if proof.doubted or not proof.ok:
        raise TrialFailed(f'unproved: {proof.words}' if proof.ok else proof.words)
    print('\n'.join([proof.words, *(f'note: {note}' for note in proof.notes)]))
    return 0


def tell(provider: Provider) -> ModelProbed:
    """Print the abilities of a server and its model, in the words of the diagnostics.

    Raises:
        ModelUnavailable: a question would not be answered.
    """
    found = provider.probe(Flag())
    if not found.ok:
        raise ModelUnavailable(found.message)
    print('\n'.join(found_lines(found)), flush=True)
    return found


def found_lines(found: ModelProbed) -> Iterator[str]:
    """Yield the findings of a probe in lines."""
    words = {True: 'yes', False: 'no', None: 'not known'}
    yield found.message
    yield f'  sees pictures   {words[found.vision]}'
    yield f'  calls tools     {words[found.tools]}'
    yield f'  context window  {found.window_tokens or "not known"}'
    for note in found.notes:
        yield f'note: {note}'


def ask(config: HypothesisConfig, image: Path, goal: str, deadline_s: float) -> int:
    """Print the prompt of a picture, the model's reply, and the gate's hypothesis.

    Raises:
        ModelUnavailable: a question would not be answered.
        TrialFailed: the gate let no reply through, or none came.
    """
    rgb = read_picture(image)
    looker = looker_of(config, deadline_s)
    print('\n'.join(found_lines(looker.ready())))
    if config.tool_rounds:
        print(f'note: of its tools only {LOOK_AT} works here; to the others it is said that '
              f'{NOT_HERE}')
    seen = looker.look(rgb, goal)
    print('\n'.join(_seen_lines(seen)))
    if not seen.valid:
        raise TrialFailed(f'no hypothesis of the model: '
                          f'{seen.failure or seen.hypothesis.meta.vlm_error}')
    return 0


def _seen_lines(seen: Seen) -> Iterator[str]:
    if seen.manifest.parts:
        yield from _manifest_lines(seen.manifest)
    for result in seen.results:
        yield from _result_lines(result)
    for warning in seen.warnings:
        yield f'note: {warning}'
    yield f'hypothesis, by the {seen.hypothesis.source}:'
    yield json.dumps(to_plain(seen.hypothesis.hypothesis), indent=1)


def _manifest_lines(manifest: Manifest) -> Iterator[str]:
    yield (f'prompt {manifest.version}: about {manifest.estimated_tokens} tokens of '
           f'{manifest.budget_tokens}, SHA-256 {manifest.sha256}')
    width = max(len(part.name) for part in manifest.parts)
    for part in manifest.parts:
        yield f'  {part.name:<{width}}  {part.tokens}'


def _result_lines(result: ModelReplied | ModelFailed) -> Iterator[str]:
    taken_s = result.latency_ms / _MS_PER_S
    if isinstance(result, ModelFailed):
        yield f'no reply after {taken_s:.1f} s: {result.error}'
        return
    yield (f'reply after {taken_s:.1f} s, {result.prompt_tokens} tokens read and '
           f'{result.reply_tokens} written, finish reason {result.finish_reason or "not told"}:')
    yield _plain(result.text)
    for call in result.calls:
        arguments = json.dumps(call.arguments, ensure_ascii=False)
        yield _plain(f'calls {call.name} {call.raw or arguments}')


def _plain(text: str) -> str:
    """A text of the model without control characters, which a terminal would obey."""
    return ''.join(one if one.isprintable() or one == '\n' else ' ' for one in text)
