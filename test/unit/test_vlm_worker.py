"""The worker: one thread, room for one waiting question, every question answered once."""

import queue
import threading
from collections.abc import Iterator
from functools import partial

import pytest
from questions import JPEG, PATIENCE_S, said

from semantic_nav.contracts.errors import ModelReplyError, ModelTimeout, ModelUnavailable
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import Question, Reply
from semantic_nav.vlm.events import AskModel, ModelFailed, ModelReplied, Prompt
from semantic_nav.vlm.provider import (
    CallCancelled,
    ConnectionFailed,
    MissingField,
    ProbeResult,
    ServerRefused,
)
from semantic_nav.vlm.question import question_of
from semantic_nav.vlm.worker import ModelWorker

Answer = ModelReplied | ModelFailed


class Scripted:
    """A provider that waits until the test lets it answer."""

    def __init__(self) -> None:
        self.asked: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.outcomes: queue.SimpleQueue[Reply | Exception] = queue.SimpleQueue()
        self.probes = 0
        self.broken_probe = False

    def ask(self, question: Question, deadline_s: float, cancelled: threading.Event) -> Reply:
        assert question.messages[1].images[0].jpeg == JPEG
        self.asked.put(question.messages[1].text)
        while not cancelled.wait(0.005):
            try:
                outcome = self.outcomes.get_nowait()
            except queue.Empty:
                continue
            if isinstance(outcome, Exception):
                raise outcome
            return outcome
        raise CallCancelled('cancelled')

    def probe(self) -> ProbeResult:
        if self.broken_probe:
            raise RuntimeError('a bug')
        self.probes += 1
        return ProbeResult(True, 'fine')


class Setup:
    def __init__(self) -> None:
        self.provider = Scripted()
        self.worker = ModelWorker(
            self.provider, partial(question_of, config=HypothesisConfig(), seed=0))
        self.answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()

    def submit(self, name: str) -> None:
        self.worker.submit(AskModel(name, Prompt('v', '', name, {}), JPEG, PATIENCE_S),
                           self.answers.put)

    def running(self) -> str:
        return self.provider.asked.get(timeout=PATIENCE_S)

    def answer(self) -> Answer:
        return self.answers.get(timeout=PATIENCE_S)


@pytest.fixture
def setup() -> Iterator[Setup]:
    one = Setup()
    yield one
    one.worker.close()


def test_a_reply_comes_back_with_its_latency(setup: Setup) -> None:
    setup.submit('a')
    assert setup.running() == 'a'
    setup.provider.outcomes.put(said('text', 'stop', 10, 20))
    answer = setup.answer()
    assert isinstance(answer, ModelReplied)
    assert answer == ModelReplied('a', 'text', answer.latency_ms, 'stop', 10, 20)
    assert 0 < answer.latency_ms < PATIENCE_S * 1000


@pytest.mark.parametrize(('error', 'name'), [
    (ConnectionFailed('x'), 'connection_failed'), (ModelTimeout('x'), 'timeout'),
    (ServerRefused('no such model', 404), 'ollama_error:no such model'),
    (MissingField('x'), 'missing_response_field'), (CallCancelled('x'), 'cancelled'),
    (ModelReplyError('x'), 'bad_reply'), (ModelUnavailable('x'), 'model_unavailable'),
    (ZeroDivisionError('x'), 'internal_error'),
])
def test_every_error_has_a_name_and_the_thread_lives_on(setup: Setup, error: Exception,
                                                        name: str) -> None:
    setup.submit('a')
    setup.provider.outcomes.put(error)
    answer = setup.answer()
    assert isinstance(answer, ModelFailed)
    assert (answer.request_id, answer.error) == ('a', name)
    setup.submit('b')
    setup.provider.outcomes.put(said('text'))
    assert setup.answer().request_id == 'b'


def test_the_newest_question_takes_the_waiting_place(setup: Setup) -> None:
    setup.submit('a')
    assert setup.running() == 'a'
    setup.submit('b')
    setup.submit('c')
    replaced = setup.answer()
    assert isinstance(replaced, ModelFailed)
    assert (replaced.request_id, replaced.error) == ('b', 'cancelled')
    setup.provider.outcomes.put(said('text'))
    assert setup.answer().request_id == 'a'
    assert setup.running() == 'c'


def test_a_running_question_can_be_cancelled(setup: Setup) -> None:
    setup.submit('a')
    assert setup.running() == 'a'
    setup.worker.cancel('unknown')
    setup.submit('b')
    setup.worker.cancel('a')
    cancelled = setup.answer()
    assert isinstance(cancelled, ModelFailed)
    assert (cancelled.request_id, cancelled.error) == ('a', 'cancelled')
    assert setup.running() == 'b'


def test_a_waiting_question_can_be_cancelled(setup: Setup) -> None:
    setup.submit('a')
    assert setup.running() == 'a'
    setup.submit('b')
    setup.worker.cancel('b')
    assert setup.answer().request_id == 'b'
    setup.provider.outcomes.put(said('text'))
    assert setup.answer().request_id == 'a'
    assert setup.provider.asked.empty()


def test_a_probe_is_reported(setup: Setup) -> None:
    probed: queue.SimpleQueue[ProbeResult] = queue.SimpleQueue()
    setup.worker.probe(probed.put)
    assert probed.get(timeout=PATIENCE_S) == ProbeResult(True, 'fine')
    setup.provider.broken_probe = True
    setup.worker.probe(probed.put)
    assert not probed.get(timeout=PATIENCE_S).ok


def test_closing_breaks_off_and_answers_no_more() -> None:
    setup = Setup()
    setup.submit('a')
    assert setup.running() == 'a'
    setup.submit('b')
    setup.worker.close(PATIENCE_S)
    assert setup.answers.empty()
    assert 'model' not in {thread.name for thread in threading.enumerate()}
