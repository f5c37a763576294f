"""Sends hostile replies through the gate: `make fuzz`, or run it with `--help`.

Each must end in a hypothesis that keeps the contract or in a typed refusal. Exit code 1 if one
does not, with the numbers of those replies, which `--first` and `--count 1` bring back.
"""

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from hostile_replies import HostileReply, hostile_reply
from second_judge import validator
from tqdm import tqdm

from semantic_nav.contracts.codec import from_plain, to_plain
from semantic_nav.contracts.hypothesis import Action, CanonicalHypothesis, TargetStatus
from semantic_nav.contracts.schemas import check
from semantic_nav.contracts.vocabulary import Status
from semantic_nav.vlm.gate.gate import GateContext, GateKind, GateRefusal, gate
from semantic_nav.vlm.prompt.assembly import PromptContext, build, with_repair
from semantic_nav.vlm.prompt.budget import Budget

Gate = Callable[[str, GateContext], CanonicalHypothesis | GateRefusal]
_SHOWN_FAILURES = 10
_LONGEST_MESSAGE = 400


@dataclass
class Tally:
    """What came of the replies.

    Attributes:
        outcomes: by how the reply was made and what became of it.
        failures: number of the reply, and what is wrong.
        slowest_ms: the most processor time that one reply took the gate.
    """

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)
    slowest_ms: float = 0.0

    @property
    def total(self) -> int:
        return self.outcomes.total()


def fuzz(count: int, seed: int, first: int = 0, gate: Gate = gate) -> Tally:
    """Send replies through a gate and look at what comes out.

    Args:
        count: how many.
        seed: of the replies.
        first: the number of the first one.
        gate: the gate.
    """
    tally = Tally()
    for number in tqdm(range(first, first + count), unit='reply', disable=None):
        reply = hostile_reply(seed, number)
        began = time.thread_time()
        try:
            result = gate(reply.text, reply.context)
            tally.slowest_ms = max(tally.slowest_ms, (time.thread_time() - began) * 1e3)
            outcome = outcome_of(result, reply)
        except Exception as error:  # noqa: BLE001 (whatever it is, it is a finding)
            outcome = 'FAILED'
            tally.failures.append((number, f'{reply.kind}: {error!r}'))
        tally.outcomes[reply.kind, outcome] += 1
    return tally


def outcome_of(result: object, reply: HostileReply) -> str:
    """Return what became of a reply.

    Raises:
        AssertionError: the result does not keep the contract of the gate.
    """
    if isinstance(result, GateRefusal):
        assert reply.kind != 'valid', f'refused: {result}'
        assert_typed_refusal(result, reply.text)
        return result.kind.value
    assert type(result) is CanonicalHypothesis, f'a {type(result).__name__}'
    assert_validated(result, reply.context)
    return 'hypothesis'


def assert_typed_refusal(refusal: GateRefusal, text: str) -> None:
    """Hold a refusal to its types, and to what is done with it: logged, published, sent back."""
    assert type(refusal.kind) is GateKind
    assert refusal.path.startswith('$')
    assert refusal.schema_path.startswith('#/') or not refusal.schema_path
    assert (refusal.kind is GateKind.SCHEMA_BAD) == bool(refusal.schema_path)
    assert 0 < len(refusal.message) < _LONGEST_MESSAGE
    str(refusal).encode()
    [repair] = with_repair(_PROMPT, text, refusal, _BUDGET).repairs
    repair.reply.encode()
    assert not set('`<>\n') & set(repair.complaint)


def assert_validated(hypothesis: CanonicalHypothesis, context: GateContext) -> None:
    """Hold a hypothesis to the schema, by both judges, and to what no schema says."""
    plain = to_plain(hypothesis)
    check('vlm_hypothesis', plain)
    assert validator('vlm_hypothesis').is_valid(plain)
    text = json.dumps(plain, allow_nan=False, ensure_ascii=False)
    text.encode()
    assert from_plain(json.loads(text), CanonicalHypothesis) == hypothesis
    assert type(hypothesis.action) is Action
    assert type(hypothesis.target_status) is TargetStatus
    assert math.isfinite(hypothesis.confidence)
    for box in (hypothesis.target_box, *(one.box for one in hypothesis.scene.objects)):
        assert box is None or (0 <= box[0] < box[2] <= 1000 and 0 <= box[1] < box[3] <= 1000)
    if hypothesis.action is Action.GOTO_NODE:
        assert hypothesis.node_id in context.place_ids
    if hypothesis.action is Action.APPROACH:
        assert hypothesis.target_status is not TargetStatus.NOT_VISIBLE


def lines_of(tally: Tally) -> list[str]:
    """Return what came of it, for people."""
    outcomes = sorted({outcome for _, outcome in tally.outcomes})
    lines = [' | '.join(f'{word:>12}' for word in ('replies', *outcomes))]
    for kind in sorted({kind for kind, _ in tally.outcomes}):
        figures = (tally.outcomes[kind, outcome] for outcome in outcomes)
        lines.append(' | '.join(f'{word:>12}' for word in (kind, *figures)))
    lines += [f'reply {number}: {what}' for number, what in tally.failures[:_SHOWN_FAILURES]]
    hypotheses = sum(n for (_, outcome), n in tally.outcomes.items() if outcome == 'hypothesis')
    return [*lines, f'{tally.total} replies: {hypotheses} hypotheses, all validated, '
                    f'{tally.total - hypotheses - len(tally.failures)} typed refusals, '
                    f'{len(tally.failures)} failures; slowest {tally.slowest_ms:.1f} ms']


def main(args: list[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--count', type=int, default=100_000)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--first', type=int, default=0, metavar='NUMBER',
                        help='number of the first reply')
    chosen = parser.parse_args(args)
    tally = fuzz(chosen.count, chosen.seed, chosen.first)
    print('\n'.join(lines_of(tally)))
    return 1 if tally.failures else 0


_BUDGET = Budget('qwen2.5vl:7b', 16384, 2000)
_PROMPT = build(PromptContext('find the red mug', Status.SEARCHING, (), None, (28, 28)),
                hostile_reply(0, 0).context.boxes, _BUDGET)

if __name__ == '__main__':
    sys.exit(main())
