"""The model in simulated time: every profile ends each question once, as over HTTP."""

import io
import json
import threading
from dataclasses import replace

import pytest
from PIL import Image

from semantic_nav.contracts.core import Event
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import AskModel, CancelModel, ModelFailed, ModelReplied
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.wire import request_schema
from semantic_nav.vlm.prompt.prompt import Prompt
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav_sim.bench.model import Model
from semantic_nav_sim.bench.scheduler import Scheduler
from semantic_nav_sim.model.card import ModelCard
from semantic_nav_sim.model.engine import Engine
from semantic_nav_sim.model.eyes import SeenObject, Sight
from semantic_nav_sim.model.http_server import ModelHttpServer
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.profile_files import profile_names
from semantic_nav_sim.profiles import load_profile

DEADLINE_S = 60.0
BLOCK = {'goal': 'find the red mug', 'belief_target_status': 'searching', 'candidates': []}
PROMPT = Prompt('v', 'rules', f'```json\n{json.dumps(BLOCK)}\n```',
                request_schema(BoxConvention.PIXELS))
MUG = SeenObject('mug_1', 'red mug', 'mug', 'red', (200.0, 100.0, 260.0, 160.0), 3600, 1.5)
_out = io.BytesIO()
Image.new('RGB', (640, 480)).save(_out, 'JPEG')
JPEG = _out.getvalue()


class SeesTheMug:
    def look(self, picture: bytes) -> Sight:
        del picture
        return Sight(True, 640, 480, 'kitchen', (MUG,))


def asked(profile: str, deadline_s: float = DEADLINE_S) -> tuple[Event, float]:
    """Return what came of the fourth of four questions, and how long it took, in s."""
    scheduler, events = Scheduler(), []
    model = Model(HypothesisConfig(), SeesTheMug(), load_profile(ModelProfile, profile), 1,
                  scheduler)
    began_s = 0.0
    for number in range(4):
        began_s = scheduler.elapsed_s
        model.ask(AskModel(f'request-{number}', PROMPT, JPEG, deadline_s), events.append)
        assert scheduler.run(lambda count=number + 1: len(events) == count, 2 * deadline_s)
    assert model.calls == len({event.request_id for event in events}) == 4
    return events[-1], scheduler.elapsed_s - began_s


def test_a_probe_finds_what_one_over_http_finds() -> None:
    with ModelHttpServer('127.0.0.1', 0, Engine(
            ModelCard('qwen2.5vl:7b'), SeesTheMug())) as server:
        provider = make_provider(HypothesisConfig(base_url=server.url))
        assert provider.warm_up(provider.probe(threading.Event()), threading.Event())
        found = provider.probe(threading.Event())
    model = Model(HypothesisConfig(), SeesTheMug(), ModelProfile(), 1, Scheduler())
    assert model.probe() == replace(found, message=model.probe().message)


@pytest.mark.parametrize('name', profile_names('model'))
def test_every_question_ends_once_and_within_its_deadline(name: str) -> None:
    event, took_s = asked(name)
    assert isinstance(event, ModelReplied | ModelFailed)
    assert 0.0 <= took_s <= DEADLINE_S
    assert asked(name) == (event, took_s)


@pytest.mark.parametrize(('name', 'error', 'after_s'), [
    ('down', 'connection_failed', 0.0), ('dies', 'connection_failed', 0.0),
    ('flapping', 'connection_failed', 0.0), ('hang', 'timeout', DEADLINE_S),
    ('oversized', 'reply_too_long', 0.0),
    ('foreign', 'bad_reply', 0.0), ('endless', 'reply_too_long', 0.0)])
def test_a_question_that_is_not_answered(name: str, error: str, after_s: float) -> None:
    event, took_s = asked(name)
    assert isinstance(event, ModelFailed)
    assert (event.error, took_s) == (error, after_s)


def test_a_slow_model_answers_if_it_is_given_the_time() -> None:
    event, took_s = asked('slow')
    assert isinstance(event, ModelReplied)
    assert (took_s, event.latency_ms) == (20.0, 20_000.0)
    event, took_s = asked('slow', deadline_s=5.0)
    assert isinstance(event, ModelFailed)
    assert (event.error, took_s) == ('timeout', 5.0)


def test_a_question_that_was_broken_off_gets_no_answer() -> None:
    scheduler, events = Scheduler(), []
    model = Model(HypothesisConfig(), SeesTheMug(), load_profile(ModelProfile, 'slow'), 1,
                  scheduler)
    model.ask(AskModel('request-1', PROMPT, JPEG, DEADLINE_S), events.append)
    scheduler.run(lambda: False, 1.0)
    model.cancel(CancelModel('request-1'))
    scheduler.run(lambda: False, 100.0)
    assert events == []


def test_a_slow_speaker_takes_time_for_each_token() -> None:
    event, took_s = asked('slow_tokens')
    assert isinstance(event, ModelReplied)
    assert took_s == pytest.approx(event.reply_tokens / 2.0)


def test_a_question_takes_its_time_by_what_is_read_and_written() -> None:
    event, took_s = asked('jetson_orin')
    assert isinstance(event, ModelReplied)
    tokens_s = event.prompt_tokens / 500.0 + event.reply_tokens / 22.5
    assert tokens_s + 0.05 <= took_s <= tokens_s + 0.2
    assert asked('jetson_orin+latency_5s')[1] == 5.0
