"""Time that the product itself adds to a model call, in gate, request and client."""

import base64
import http.client
import json
import random
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median, quantiles
from typing import TypeVar

import httpx
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import DocumentReceived, Effect, Output
from semantic_nav.contracts.documents import Document, LookRequest, Step
from semantic_nav.contracts.hypothesis import CanonicalHypothesis
from semantic_nav.contracts.vocabulary import Status, StepKind
from semantic_nav.show.table import Measure, at_most
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import Question
from semantic_nav.vlm.core import HypothesisCore
from semantic_nav.vlm.events import AskModel, PictureTaken, TakePicture
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.gate.gate import GateContext, gate
from semantic_nav.vlm.picture import prepare
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav.vlm.providers.provider import Provider
from semantic_nav.vlm.providers.question import question_of
from semantic_nav_sim.bench.instant_server import InstantServer, instant_server

E = TypeVar('E', bound=Effect)

REPLY_BYTES = 2048
_GATES_A_ROUND = 20
_DEADLINE_S = 60.0
_NO_TIME = Now(0, 0, 0)
_SENT_PX = (1036, 784)


def measure(rounds: int, seed: int) -> list[Measure]:
    """Measure gate and calls.

    Args:
        rounds: number of calls of each kind; twenty times as many replies pass the gate.
        seed: of pictures and replies.
    """
    rng = random.Random(seed)
    return [*_gate_measures(rounds * _GATES_A_ROUND, rng), *_call_measures(rounds, rng)]


# Gate

def _gate_measures(count: int, rng: random.Random) -> list[Measure]:
    context = GateContext(BoxConvention.PIXELS, _SENT_PX, frozenset())
    good = [reply(rng) for _ in range(100)]
    bad = [text.replace('"visible"', '"seen"') for text in good]
    assert all(isinstance(gate(text, context), CanonicalHypothesis) for text in good)
    assert not any(isinstance(gate(text, context), CanonicalHypothesis) for text in bad)

    def p99_ms(texts: Sequence[str]) -> float:
        took = [_took_ms(partial(gate, texts[n % len(texts)], context)) for n in range(count)]
        return quantiles(took, n=100)[98]

    return [at_most('gate, reply of 2 kB accepted, p99 [ms]', p99_ms(good), 1.0),
            at_most('gate, reply of 2 kB refused, p99 [ms]', p99_ms(bad), 1.0)]


def reply(rng: random.Random) -> str:
    """Return a valid reply of exactly REPLY_BYTES, with as many objects as a reply may hold."""
    def box() -> list[int]:
        x, y = rng.uniform(0, 500), rng.uniform(0, 300)
        return [round(v) for v in (x, y, x + rng.uniform(20, 500), y + rng.uniform(20, 400))]

    names = ('chair', 'wooden table', 'potted plant', 'red mug', 'bookshelf', 'floor lamp')
    value = {
        'action': 'approach', 'target_status': 'visible', 'confidence_percent': rng.randrange(101),
        'target_box': box(), 'navigation_goal': None, 'rotate_deg': None,
        'explore_bearing_deg': None, 'node_id': None, 'clarification_question': None,
        'scene': {'place': 'living room',
                  'objects': [{'name': rng.choice(names), 'box': box()} for _ in range(12)]},
        'rationale': 'The target stands on the table to the left.'}
    text = json.dumps(value, indent=1)
    return text + ' ' * (REPLY_BYTES - len(text))


# Calls

def _call_measures(rounds: int, rng: random.Random) -> list[Measure]:
    pictures = [picture(rng.randrange(2**32)) for _ in range(4)]
    with instant_server(reply(rng)) as server:
        config = HypothesisConfig(base_url=server.url)
        provider = make_provider(config)
        # The first call also asks for the model's placement on CPU or GPU.
        ask(provider, request_of(pictures[0], config), config)
        overheads_ms = [
            _until_received_ms(pictures[n % len(pictures)], config, provider, server)
            for n in range(rounds)]
        request = request_of(pictures[0], config)
        question = question_of(request, config, seed=0)
        put(provider, question)
        sent = server.received
        ways: dict[str, Callable[[], object]] = {
            'provider': lambda: put(provider, question),
            'by hand': by_hand(server.url, sent, request.jpeg),
            'bytes': lambda: _post_bytes(server, sent)}
        # In turns, so that other load on the machine affects all of them.
        took: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                took[name].append(_took_ms(way))
    medians = {name: median(times) for name, times in took.items()}
    return [
        at_most('picture of 640x480 in to request at the server, p95 [ms]',
                quantiles(overheads_ms, n=20)[18], 20.0),
        at_most('model call, provider / httpx by hand', medians['provider'] / medians['by hand'],
                1.2),
        Measure('model call, provider, median [ms]', medians['provider']),
        Measure('model call, httpx by hand, median [ms]', medians['by hand']),
        Measure('ready bytes by http.client, median [ms]', medians['bytes'])]


def picture(seed: int) -> NDArray[np.uint8]:
    """Return a picture, shape (480, 640, 3), as smooth and as noisy as that of a camera."""
    rng = np.random.default_rng(seed)
    smooth = gaussian_filter(rng.normal(0, 1, (480, 640, 3)), (6, 6, 0)) * 400 + 120
    rgb: NDArray[np.uint8] = np.clip(smooth + rng.normal(0, 3, smooth.shape), 0, 255).astype(
        np.uint8)
    return rgb


def _until_received_ms(rgb: NDArray[np.uint8], config: HypothesisConfig, provider: Provider,
                       server: InstantServer) -> float:
    began_s = time.perf_counter()
    ask(provider, request_of(rgb, config), config)
    return (server.received_s - began_s) * 1000.0


def request_of(rgb: NDArray[np.uint8], config: HypothesisConfig) -> AskModel:
    """The effect by which the core asks the model about a picture."""
    core = HypothesisCore(config, 'bench')
    step = Step(StepKind.LOOK, 'find the red mug', LookRequest(
        _DEADLINE_S, False, False, False, Status.SEARCHING, None))
    take = _one(TakePicture, core.handle(
        DocumentReceived(Document('step', '', 'goal', 0, '', step)), _NO_TIME))
    sent = prepare(rgb, config)
    return _one(AskModel, core.handle(PictureTaken(
        take.request_id, 1, 'camera', sent.jpeg, sent.width_px, sent.height_px,
        sent.sent_width_px, sent.sent_height_px), _NO_TIME))


def _one(kind: type[E], outputs: Sequence[Output]) -> E:
    """Return the only effect of a kind."""
    [effect] = [output for output in outputs if isinstance(output, kind)]
    return effect


def ask(provider: Provider, request: AskModel, config: HypothesisConfig) -> str:
    """The provider's reply to a request, which is put as the node's worker puts it."""
    return put(provider, question_of(request, config, seed=0))


def put(provider: Provider, question: Question) -> str:
    """The provider's reply to a question."""
    return provider.ask(question, _DEADLINE_S, threading.Event()).text


def by_hand(url: str, body: bytes, jpeg: bytes) -> Callable[[], str]:
    """Return a function that makes a call without client library, guard and types.

    Like the provider it encodes the request from the picture, opens its own connection, and reads
    the reply line by line.

    Args:
        url: of the server.
        body: request that the provider sent.
        jpeg: picture in that request.
    """
    request = json.loads(body)

    def call() -> str:
        request['messages'][1]['images'] = [base64.b64encode(jpeg).decode()]
        content = json.dumps(request, ensure_ascii=False, separators=(',', ':')).encode()
        text = []
        with httpx.Client(trust_env=False, verify=False) as client, client.stream(
                'POST', f'{url}/api/chat', content=content) as response:
            text = [json.loads(line)['message']['content'] for line in response.iter_lines()]
        return ''.join(text)

    return call


def _post_bytes(server: InstantServer, body: bytes) -> bytes:
    host, port = server.server_address[:2]
    connection = http.client.HTTPConnection(str(host), port)
    connection.request('POST', '/api/chat', body)
    answer = connection.getresponse().read()
    connection.close()
    return answer


def _took_ms(call: Callable[[], object]) -> float:
    began_s = time.perf_counter()
    call()
    return (time.perf_counter() - began_s) * 1000.0
