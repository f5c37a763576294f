"""`vlm bench`: models compared on the same pictures."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, median

from semantic_nav.cli.vlm_look import TrialFailed, looker_of, read_picture, secrets_of
from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.show.table import aligned
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.looker import Rgb, Seen, example_picture
from semantic_nav.vlm.redaction import Redaction

_MS_PER_S = 1000.0
_HEAD = ('model', 'looks', 'valid', 'median s', 'longest s', 'tokens read', 'tokens written',
         'tokens/s')


def bench(config: HypothesisConfig, models: Sequence[str], images: Sequence[Path], goal: str,
          rounds: int, deadline_s: float) -> int:
    """Print latency, tokens and the share of valid replies of each model.

    A model is loaded before its time is taken; repairs of a reply count as part of their look.

    Raises:
        ConfigError: a picture cannot be read.
        TrialFailed: a model could not be asked, or gave no valid reply.
    """
    pictures = [read_picture(path) for path in images] or [example_picture()]
    rows: list[tuple[str, ...]] = [_HEAD]
    failed = []
    for model in models:
        try:
            looks = _looks(replace(config, model=model), pictures * rounds, goal, deadline_s)
        except SemanticNavError as error:
            print(f'{model}: {Redaction(secrets_of(config))(str(error))}', file=sys.stderr)
            looks = []
        rows.append(_row(model, looks))
        if not any(seen.valid for seen in looks):
            failed.append(model)
    print('\n'.join(aligned(rows)))
    if failed:
        raise TrialFailed(f'no valid reply of {", ".join(failed)}')
    return 0


def _looks(config: HypothesisConfig, pictures: Sequence[Rgb], goal: str,
           deadline_s: float) -> list[Seen]:
    looks = []
    looker = looker_of(config, deadline_s)
    looker.ready()
    for number, rgb in enumerate(pictures, start=1):
        looks.append(looker.look(rgb, goal))
        if not looks[-1].valid:
            print(f'{config.model}, look {number}: {looks[-1].hypothesis.meta.vlm_error}',
                  file=sys.stderr)
    return looks


def _row(model: str, looks: Sequence[Seen]) -> tuple[str, ...]:
    if not looks:
        return (model, '0', *['-'] * (len(_HEAD) - 2))
    latencies_s = [seen.hypothesis.meta.vlm_latency_ms / _MS_PER_S for seen in looks]
    replies = [reply for seen in looks for reply in seen.replies]
    written = sum(reply.reply_tokens for reply in replies)
    spent_s = sum(reply.latency_ms for reply in replies) / _MS_PER_S
    return (model, str(len(looks)), f'{mean(seen.valid for seen in looks):.0%}',
            f'{median(latencies_s):.2f}', f'{max(latencies_s):.2f}',
            f'{mean(reply.prompt_tokens for reply in replies):.0f}' if replies else '-',
            f'{written / len(replies):.0f}' if replies else '-',
            f'{written / spent_s:.1f}' if spent_s else '-')
