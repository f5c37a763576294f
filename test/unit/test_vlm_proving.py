"""One real question to a model: whoever asks it learns whether looks would be answered."""

import json
import threading
from collections.abc import Iterator

import pytest
from apis import APIS, Api
from fake_ollama import FakeOllama, fake_ollama

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.errors import CallCancelled
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.proving import prove

FOUND = ModelProbed(True, '', 'eyes', '', True, None, 0, None)
REPLY = json.dumps({'action': 'explore', 'target_status': 'not_visible', 'confidence_percent': 40,
                    'scene': {'place': 'kitchen', 'objects': []}, 'rationale': 'none'})


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    with fake_ollama() as running:
        yield running


@pytest.mark.parametrize('api', APIS, ids=lambda api: str(api.backend))
def test_a_model_is_proved_by_an_answer_alone(api: Api, server: FakeOllama) -> None:
    config = HypothesisConfig(vlm_backend=api.backend, base_url=server.url, model='eyes')
    provider = api.provider(server.url, model='eyes')
    server.answers[api.path] = api.said(REPLY)
    proof = prove(config, provider, FOUND, threading.Event())
    assert proof.ok and proof.words.startswith('eyes answered a look by the schema')
    server.answers[api.path] = api.said('no JSON')
    proof = prove(config, provider, FOUND, threading.Event())
    assert not proof.ok and 'no reply passes: PARSE_FAIL' in proof.words
    server.answers[api.path] = lambda exchange: exchange.send(
        500, api.error('the key is sk-secret-seven'), Content_Type='application/json')
    proof = prove(config, provider, FOUND, threading.Event(), secrets=('sk-secret-seven',))
    assert not proof.ok and 'the key is ***' in proof.words


def test_a_proof_that_is_broken_off_proves_nothing(server: FakeOllama) -> None:
    api = APIS[0]
    cancelled = threading.Event()

    def answer(exchange: object) -> None:
        cancelled.set()
        server.release.wait()

    server.answers[api.path] = answer
    config = HypothesisConfig(base_url=server.url, model='eyes')
    with pytest.raises(CallCancelled):
        prove(config, api.provider(server.url, model='eyes'), FOUND, cancelled)
