"""`bench model`: that it measures what it says, not how fast this machine is."""

import json
import random
from pathlib import Path

import pytest

from semantic_nav.contracts.hypothesis import CanonicalHypothesis
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.gate.gate import GateContext, gate
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav_sim.bench.boundary import REPLY_BYTES, ask, by_hand, picture, reply, request_of
from semantic_nav_sim.bench.instant_server import instant_server
from semantic_nav_sim.cli.bench import main

BARS = {'gate, reply of 2 kB accepted, p99 [ms]': '<= 1',
        'gate, reply of 2 kB refused, p99 [ms]': '<= 1',
        'picture of 640x480 in to request at the server, p95 [ms]': '<= 20',
        'model call, provider / httpx by hand': '<= 1.2'}


def test_the_table_is_printed_and_written(tmp_path: Path,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / 'figures.json'
    code = main(['model', '--rounds', '3', '--seed', '5', '--json', str(file)])
    measures = json.loads(file.read_text(encoding='utf-8'))['measures']
    assert {one['name']: one['bar'] for one in measures if one['bar']} == BARS
    assert all(one['figure'] > 0 for one in measures)
    assert code == (1 if any(one['holds'] is False for one in measures) else 0)
    head, *lines = capsys.readouterr().out.splitlines()
    assert [word.strip() for word in head.split('|')] == ['measure', 'figure', 'bar', 'holds']
    assert [line.split(' | ')[0].strip() for line in lines] == [one['name'] for one in measures]


def test_replies_are_two_kilobytes_and_differ_by_seed() -> None:
    context = GateContext(HypothesisConfig().boxes, (1036, 784), frozenset())
    texts = [reply(random.Random(seed)) for seed in range(20)]
    assert {len(text.encode()) for text in texts} == {REPLY_BYTES}
    assert len(set(texts)) == 20
    assert texts[3] == reply(random.Random(3))
    for text in texts:
        assert isinstance(gate(text, context), CanonicalHypothesis)


def test_provider_and_hand_send_the_same_bytes_and_read_the_same_reply() -> None:
    with instant_server('{"it": "works"}') as server:
        config = HypothesisConfig(base_url=server.url)
        request = request_of(picture(1), config)
        provider = make_provider(config)
        said = ask(provider, request, config)
        sent = server.received
        assert len(sent) > len(request.jpeg)
        assert said == by_hand(server.url, sent, request.jpeg)() == '{"it": "works"}'
        assert json.loads(server.received) == json.loads(sent)
        assert len(server.received) == len(sent)


def test_too_few_rounds_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(['model', '--rounds', '1'])
    assert ended.value.code == 2
    assert '--rounds' in capsys.readouterr().err
