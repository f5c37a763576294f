"""A sample of `make fuzz`, and what it would say of a gate that is broken."""

from collections import Counter

import pytest
from fuzz_gate import fuzz, lines_of, main
from hostile_replies import hostile_reply

from semantic_nav.contracts.hypothesis import Action, CanonicalHypothesis, TargetStatus
from semantic_nav.vlm.gate.gate import GateContext, GateKind, GateRefusal, gate

pytestmark = pytest.mark.slow

COUNT = 3000


def test_a_sample_of_hostile_replies_breaks_nothing() -> None:
    tally = fuzz(COUNT, seed=1)
    assert tally.failures == []
    assert tally.total == COUNT
    kinds, outcomes = Counter[str](), Counter[str]()
    for (kind, outcome), count in tally.outcomes.items():
        kinds[kind] += count
        outcomes[outcome] += count
    assert min(kinds.values()) > COUNT / 20, kinds
    assert set(outcomes) == {'hypothesis', 'PARSE_FAIL', 'SCHEMA_BAD', 'SEMANTIC_BAD'}
    assert min(outcomes.values()) > COUNT / 50, outcomes


def test_a_seed_and_a_number_are_always_the_same_reply() -> None:
    replies = [hostile_reply(7, number) for number in range(50)]
    assert replies == [hostile_reply(7, number) for number in range(50)]
    assert replies[30:] == [hostile_reply(7, number) for number in range(30, 50)]
    assert replies != [hostile_reply(8, number) for number in range(50)]


def breaks(text: str, context: GateContext) -> CanonicalHypothesis | GateRefusal:
    raise RecursionError(text[:3])


def refuses_all(text: str, context: GateContext) -> CanonicalHypothesis | GateRefusal:
    return GateRefusal(GateKind.PARSE_FAIL, '$', 'no')


def invents(text: str, context: GateContext) -> CanonicalHypothesis | GateRefusal:
    return CanonicalHypothesis(Action.APPROACH, TargetStatus.VISIBLE, 2.0)


def goes_anywhere(text: str, context: GateContext) -> CanonicalHypothesis | GateRefusal:
    return CanonicalHypothesis(Action.GOTO_NODE, TargetStatus.NOT_VISIBLE, 0.5, node_id='99')


def knows_all_nodes(text: str, context: GateContext) -> CanonicalHypothesis | GateRefusal:
    wide = GateContext(context.boxes, context.sent_px, context.place_ids | {'99', 'Memory-s-1'})
    return gate(text, wide)


@pytest.mark.parametrize('broken', [breaks, refuses_all, invents, goes_anywhere, knows_all_nodes])
def test_a_broken_gate_is_found_out(broken: object) -> None:
    tally = fuzz(300, seed=1, gate=broken)
    assert tally.failures
    number, what = tally.failures[0]
    assert f'reply {number}: {what}' in lines_of(tally)
    assert f'{len(tally.failures)} failures' in lines_of(tally)[-1]


def test_the_figure_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['--count', '50', '--seed', '3', '--first', '100']) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-1].startswith('50 replies: ') and ' 0 failures' in said[-1]
    assert said == lines_of(fuzz(50, seed=3, first=100))[:-1] + said[-1:]
