"""A real Ollama server with a real vision model, for `make test-ollama`.

SEMANTIC_NAV_TEST_OLLAMA is its URL, SEMANTIC_NAV_TEST_OLLAMA_MODEL the model's name. The name of
this file keeps it out of the other tests; `test_check_ollama.py` runs it against the stand-in.
"""

import os
import threading
import time

import numpy as np
import pytest
from questions import question

from semantic_nav.contracts.hypothesis import CanonicalHypothesis
from semantic_nav.contracts.vocabulary import Status
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.errors import CallCancelled, ServerRefused
from semantic_nav.vlm.gate.gate import GateContext, gate
from semantic_nav.vlm.look.token_budget import TokenBudget
from semantic_nav.vlm.picture import prepare
from semantic_nav.vlm.prompt.assembly import PromptContext, build
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav.vlm.providers.provider import Provider

#: To load a model from a slow disk, and to answer without a GPU.
LONG_S = 600.0
pytestmark = pytest.mark.timeout(1800)
CONFIG = HypothesisConfig(
    base_url=os.environ['SEMANTIC_NAV_TEST_OLLAMA'], request_timeout_s=LONG_S,
    model=os.environ.get('SEMANTIC_NAV_TEST_OLLAMA_MODEL', ''))


@pytest.fixture(scope='module')
def provider() -> Provider:
    made = make_provider(CONFIG)
    assert made.warm_up(made.probe(threading.Event()), threading.Event())
    return made


def test_the_model_is_there_and_sees(provider: Provider) -> None:
    found = provider.probe(threading.Event())
    print(found)
    assert found.ok, found.message
    assert found.vision
    assert found.window_tokens > 0
    assert found.on_gpu is not None, 'it was loaded just now'


def test_a_look_becomes_a_hypothesis(provider: Provider) -> None:
    rgb = np.full((480, 640, 3), 200, np.uint8)
    rgb[200:280, 300:360] = (200, 30, 30)
    picture = prepare(rgb, CONFIG)
    sent_px = (picture.sent_width_px, picture.sent_height_px)
    prompt = build(PromptContext('find the red box', Status.SEARCHING, (), None, sent_px),
                   CONFIG.boxes, TokenBudget(CONFIG).now)
    asked = question(prompt, picture.jpeg, max_tokens=CONFIG.num_predict,
                     window_tokens=prompt.window_tokens)
    reply = provider.ask(asked, LONG_S, threading.Event())
    print(reply)
    assert reply.finish_reason == 'stop'
    assert reply.usage.prompt_tokens > 0 and reply.usage.reply_tokens > 0
    found = gate(reply.text, GateContext(CONFIG.boxes, sent_px, frozenset()))
    assert isinstance(found, CanonicalHypothesis), found


def ask_on(provider: Provider, cancelled: threading.Event) -> None:
    """Ask until it is cancelled, for a fast model may have answered before."""
    while True:
        provider.ask(question(max_tokens=2000), LONG_S, cancelled)


def test_a_call_that_is_cancelled_leaves_the_model_free(provider: Provider) -> None:
    cancelled = threading.Event()
    timer = threading.Timer(0.2, cancelled.set)
    timer.start()
    with pytest.raises(CallCancelled):
        ask_on(provider, cancelled)
    began = time.monotonic()
    assert provider.ask(question(max_tokens=8), LONG_S, threading.Event()).text
    print(f'free again after {time.monotonic() - began:.1f} s')


def test_a_model_that_is_not_there_is_told() -> None:
    config = HypothesisConfig(base_url=CONFIG.base_url, model='no-such-model:1b')
    nobody = make_provider(config)
    assert 'ollama pull no-such-model:1b' in nobody.probe(threading.Event()).message
    with pytest.raises(ServerRefused, match='not found'):
        nobody.ask(question(), LONG_S, threading.Event())
