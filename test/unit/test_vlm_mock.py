"""The script of ready replies."""

import json
import threading
from pathlib import Path

import pytest
from questions import question

from semantic_nav.contracts.errors import ConfigError, ModelTimeout
from semantic_nav.contracts.hypothesis import CanonicalHypothesis
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.errors import CallCancelled, ServerRefused
from semantic_nav.vlm.gate.gate import GateContext, gate
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav.vlm.providers.mock_provider import MockProvider
from semantic_nav.vlm.providers.ollama_provider import OllamaProvider
from semantic_nav.vlm.providers.provider import Provider


def ask(provider: Provider, deadline_s: float = 10.0, cancelled: bool = False) -> str:
    flag = threading.Event()
    if cancelled:
        flag.set()
    return provider.ask(question(), deadline_s, flag).text


def script(folder: Path, *lines: object) -> str:
    path = folder / 'replies.jsonl'
    path.write_text(''.join(json.dumps(line) + '\n' for line in lines) + '\n')
    return str(path)


def test_without_a_script_it_explores() -> None:
    config = HypothesisConfig(vlm_backend='mock')
    provider = make_provider(config)
    assert isinstance(provider, MockProvider)
    assert provider.probe(threading.Event()).ok
    hypothesis = gate(ask(provider), GateContext(config.boxes, (644, 476), frozenset()))
    assert isinstance(hypothesis, CanonicalHypothesis)


def test_the_lines_come_in_order_and_over_again(tmp_path: Path) -> None:
    provider = MockProvider(script(tmp_path, {'a': 1}, 'plain text', {
        'delay_s': 0.001, 'reply': {'b': 'ü'}}))
    assert [ask(provider) for _ in range(4)] == ['{"a": 1}', 'plain text', '{"b": "ü"}',
                                                 '{"a": 1}']


def test_it_can_fail_and_be_late(tmp_path: Path) -> None:
    provider = MockProvider(script(tmp_path, {'error': 'out of memory'}, {'delay_s': 600}))
    with pytest.raises(ServerRefused, match='out of memory'):
        ask(provider)
    with pytest.raises(ModelTimeout):
        ask(provider, deadline_s=0.01)
    provider = MockProvider(script(tmp_path, {'delay_s': 600}))
    with pytest.raises(CallCancelled):
        ask(provider, deadline_s=500.0, cancelled=True)


@pytest.mark.parametrize('text', ['', '\n', '[1]\n', 'nonsense\n', '{"delay_s": "long"}\n',
                                  '{"delay_s": true}\n', '{"delay_s": -1}\n'])
def test_a_script_that_cannot_be_used_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / 'replies.jsonl'
    path.write_text(text)
    with pytest.raises(ConfigError, match=r'replies\.jsonl'):
        MockProvider(str(path))
    with pytest.raises(ConfigError, match='missing'):
        MockProvider(str(tmp_path / 'missing'))


def test_the_other_backend_is_a_server() -> None:
    assert isinstance(make_provider(HypothesisConfig()), OllamaProvider)
