"""One real question to a model: whoever asks it learns whether looks would be answered."""

import base64
import io
import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from apis import APIS, Api
from fake_ollama import Exchange, FakeOllama, Json, fake_ollama, tokens_read
from numpy.typing import NDArray
from PIL import Image

from semantic_nav.vlm import proving
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.errors import CallCancelled
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.looker import EXAMPLE_BOX, EXAMPLE_GOAL, example_picture
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
    assert not proof.doubted
    assert 'was not found, though the picture took 500 of the tokens' in proof.notes[-1]
    server.answers[api.path] = api.said('no JSON')
    proof = prove(config, provider, FOUND, threading.Event())
    assert not proof.ok and 'no reply passes: PARSE_FAIL' in proof.words
    assert not any('mug' in note for note in proof.notes)
    server.answers[api.path] = lambda exchange: exchange.send(
        500, api.error('the key is sk-secret-seven'), Content_Type='application/json')
    proof = prove(config, provider, FOUND, threading.Event(), secrets=('sk-secret-seven',))
    assert not proof.ok and 'the key is ***' in proof.words


FOUND_ELSEWHERE = json.dumps({
    **json.loads(REPLY), 'action': 'approach', 'target_status': 'visible',
    'target_box': [700, 100, 800, 200]})


@pytest.mark.parametrize(('reply', 'model'), [
    (REPLY, 'eyes'), (FOUND_ELSEWHERE, 'eyes'), (REPLY, 'qwen3-vl:8b')])
@pytest.mark.parametrize('api', APIS, ids=lambda api: str(api.backend))
def test_a_picture_that_costs_no_tokens_never_reached_the_model(
        api: Api, server: FakeOllama, reply: str, model: str) -> None:
    """What never gets the picture answers well, too (ollama issue 13549)."""
    config = HypothesisConfig(vlm_backend=api.backend, base_url=server.url, model=model)
    server.answers[api.path], server.counts = api.said(reply), (1000, 1000)
    proof = prove(config, api.provider(server.url, model=model), replace(FOUND, model=model),
                  threading.Event())
    assert (proof.ok, proof.doubted, proof.notes) == (True, True, ())
    assert proof.words.startswith(f'the picture never reached {model}')
    assert 'counted 1000 tokens with the picture and 1000 without' in proof.words
    assert '--mmproj' in proof.words
    [shown, bare] = [json.dumps(body) for _, body in api.asks(server)]
    assert '/9j/' in shown and '/9j/' not in bare
    assert all(EXAMPLE_GOAL in sent for sent in (shown, bare))


@pytest.mark.parametrize(('reply', 'counts', 'asked', 'blind'), [
    (REPLY, (1206, 1200), 2, True), (REPLY, (1201, 1200), 2, False),
    (REPLY, (1264, 1200), 2, False), (REPLY, (0, 0), 1, False), (REPLY, (300, 300), 1, False),
    (REPLY, (1200, 300), 2, False), (REPLY, (1200, 0), 2, False), (REPLY, (1200, 1700), 2, False),
    ('no JSON', (1200, 1200), 2, False)],
    ids=['Ollama puts a mark in its place', 'Ollama counts one beside the prompt', 'a small tile',
         'nothing is counted', 'cached tokens are not', 'those of the beginning are not',
         'only once', 'only the second time', 'no reply passes'])
def test_counts_that_leave_a_doubt_prove_nothing(server: FakeOllama, reply: str,
                                                 counts: tuple[int, int], asked: int,
                                                 blind: bool) -> None:
    api = APIS[0]
    config = HypothesisConfig(base_url=server.url, model='eyes', box_convention='permille')
    server.answers[api.path], server.counts = api.said(reply), counts
    proof = prove(config, api.provider(server.url, model='eyes'), FOUND, threading.Event())
    assert (len(api.asks(server)), proof.doubted) == (asked, blind)
    assert any('hand pictures to the model?' in note for note in proof.notes) is (
        reply == REPLY and not blind and counts[0] not in (1201, 1264))


def test_a_model_that_thinks_needs_more_tokens_for_a_count(server: FakeOllama) -> None:
    api = APIS[0]
    config = HypothesisConfig(base_url=server.url, model='eyes')

    def answer(exchange: Exchange) -> None:
        if exchange.body['options']['num_predict'] == config.num_predict:
            api.said(REPLY)(exchange)
        else:
            api.begin(exchange)
            api.thought(exchange, 'Where could it be?')
            api.end(exchange, 'length')

    server.answers[api.path], server.counts = answer, (1200, 1200)
    provider = api.provider(server.url, model='eyes')
    assert prove(config, provider, FOUND, threading.Event()).doubted
    limits = [body['options']['num_predict'] for _, body in api.asks(server)]
    assert limits == [config.num_predict, 32, config.num_predict]


def test_a_question_without_the_picture_may_fail_or_be_broken_off(server: FakeOllama) -> None:
    api, cancelled = APIS[0], threading.Event()
    config = HypothesisConfig(base_url=server.url, model='eyes')
    provider = api.provider(server.url, model='eyes')

    def answer(exchange: Exchange) -> None:
        if tokens_read(exchange) == 1700:
            api.said(REPLY)(exchange)
        elif cancelled_too:
            cancelled.set()
            server.release.wait()
        else:
            exchange.send(400, api.error('a picture is needed'))

    server.answers[api.path], cancelled_too = answer, False
    proof = prove(config, provider, FOUND, cancelled)
    assert proof.ok and not proof.doubted and 'hand pictures to the model?' in proof.notes[-1]
    cancelled_too = True
    with pytest.raises(CallCancelled):
        prove(config, provider, FOUND, cancelled)


def test_the_mirrored_picture_may_go_unanswered_and_is_not_asked_of_a_slow_model(
        server: FakeOllama, monkeypatch: pytest.MonkeyPatch) -> None:
    api, cancelled = APIS[0], threading.Event()
    config = HypothesisConfig(base_url=server.url, model='eyes', box_convention='permille')
    provider = api.provider(server.url, model='eyes')

    def answer(exchange: Exchange) -> None:
        if len(api.asks(server)) == 1:
            api.said(looks_at(exchange.body))(exchange)
        elif cancelled_too:
            cancelled.set()
            server.release.wait()
        else:
            exchange.send(500, api.error('out of memory'))

    server.answers[api.path], cancelled_too = answer, False
    proof = prove(config, provider, FOUND, cancelled)
    assert (proof.ok, proof.doubted, proof.notes, len(api.asks(server))) == (True, False, (), 2)
    server.requests.clear()
    cancelled_too = True
    with pytest.raises(CallCancelled):
        prove(config, provider, FOUND, cancelled)
    server.requests.clear()
    cancelled.clear()
    monkeypatch.setattr(proving, '_QUICK_MS', 0.0)
    assert prove(config, provider, FOUND, cancelled).ok and len(api.asks(server)) == 1


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


def red_box(rgb: NDArray[np.uint8]) -> list[int]:
    """Return the box of what is red, in thousandths."""
    red, green = (rgb[..., channel].astype(int) for channel in (0, 1))
    down, across = np.nonzero(red - green > 100)
    edges = across.min(), down.min(), across.max(), down.max()
    return [round(1000 * int(edge) / length)
            for edge, length in zip(edges, 2 * rgb.shape[1::-1], strict=True)]


def test_the_mug_of_the_built_in_picture_stands_where_it_is_said_to() -> None:
    assert np.allclose(red_box(example_picture()), EXAMPLE_BOX, atol=4)


def looks_at(body: Json) -> str:
    """Return the reply of a model that sees what is red."""
    picture = re.findall(r'/9j/[^"]*', json.dumps(body))[-1]
    rgb = np.asarray(Image.open(io.BytesIO(base64.b64decode(picture))))
    return json.dumps({**json.loads(FOUND_ELSEWHERE), 'target_box': red_box(rgb)})


def all_words(body: Json) -> str:
    return re.sub(r'/9j/[^"]*', '', json.dumps(body))


def words_of_the_system(body: Json) -> str:
    """Return what stands before the picture where a template puts that first of the user's."""
    return str(body.get('system') or body['messages'][0]['content'])


@pytest.mark.parametrize(('kept_by', 'blind'), [
    (json.dumps, False), (all_words, False), (words_of_the_system, False),
    (lambda body: 'one for all', True)],
    ids=['by all', 'by the words', 'by the words before the picture', 'whatever is asked'])
@pytest.mark.parametrize('api', APIS, ids=lambda api: str(api.backend))
def test_a_server_that_keeps_its_answers_is_not_asked_the_same_of_two_pictures(
        api: Api, server: FakeOllama, kept_by: Callable[[Json], str], blind: bool) -> None:
    """Words differ with the picture; where that is not enough, the mirrored mug shows it."""
    kept: dict[str, str] = {}

    def answer(exchange: Exchange) -> None:
        body = exchange.body
        api.said(kept.setdefault(kept_by(body), looks_at(body)))(exchange)

    server.answers[api.path] = answer
    config = HypothesisConfig(vlm_backend=api.backend, base_url=server.url, model='eyes',
                              box_convention='permille')
    provider = api.provider(server.url, model='eyes')
    for _ in range(2):
        proof = prove(config, provider, FOUND, threading.Event())
        assert (proof.ok, proof.doubted, proof.notes) == (True, blind, ())
        assert ('answers every picture as the first' in proof.words) is blind
        assert ('prefix cache off' in proof.words) is blind
    assert len(kept) == (1 if blind else 2), 'the same picture may be answered as before'
    assert len(api.asks(server)) == 4


#: The mug in thousandths.
MUG = [round(side) for side in EXAMPLE_BOX]


def pixels(width_px: int, height_px: int) -> list[int]:
    size = (width_px, height_px) * 2
    return [round(side * edge / 1000) for side, edge in zip(EXAMPLE_BOX, size, strict=True)]


@pytest.mark.parametrize(('convention', 'box', 'told'), [
    ('permille', MUG, ''), ('pixels', pixels(1036, 784), ''),
    ('permille_yx', MUG, 'fits permille and not permille_yx'),
    ('permille', [MUG[1], MUG[0], MUG[3], MUG[2]], 'fits permille_yx and not permille'),
    ('permille', pixels(644, 476), 'fits pixels and not permille'),
    ('permille', [700, 100, 800, 200], 'lies elsewhere, at 700, 100, 800, 200'),
    ('pixels', pixels(504, 392), 'fits a picture of about 518 x 392 pixels'),
    ('pixels', pixels(672, 504), 'fits a picture of about '), ('permille', None, '')])
def test_the_box_of_the_mug_tells_of_another_convention_or_size(
        server: FakeOllama, convention: str, box: list[int] | None, told: str) -> None:
    """One that is read wrong proves nothing; one that lies elsewhere is noted."""
    api = next(one for one in APIS if one.backend == 'openai')
    status = 'visible' if box else 'not_visible'
    reply = {**json.loads(REPLY), 'action': 'approach' if box else 'explore',
             'target_status': status, **({'target_box': box} if box else {})}
    server.answers[api.path] = api.said(json.dumps(reply))
    config = HypothesisConfig(vlm_backend='openai', base_url=server.url, model='eyes',
                              box_convention=convention)
    proof = prove(config, api.provider(server.url, model='eyes'), FOUND, threading.Event())
    assert proof.ok and (proof.doubted or 'fits' not in told)
    notes = [note for note in (proof.words, *proof.notes) if 'the box of the mug' in note]
    assert len(notes) == bool(told) and all(told in note for note in notes), notes
