"""The worker: one thread, room for one waiting question, every question answered once."""

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pytest
from questions import JPEG, PATIENCE_S, said

from semantic_nav.contracts.errors import ModelReplyError, ModelTimeout, ModelUnavailable
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import Question, Reply, ToolCall
from semantic_nav.vlm.errors import CallCancelled, ConnectionFailed, MissingField, ServerRefused
from semantic_nav.vlm.events import AskModel, ModelFailed, ModelProbed, ModelProved, ModelReplied
from semantic_nav.vlm.prompt.prompt import Prompt
from semantic_nav.vlm.providers.question import question_of
from semantic_nav.vlm.providers.worker import ModelWorker, Prove

Answer = ModelReplied | ModelFailed
FINE = ModelProbed(True, 'fine', 'm', '', True, None, 0, True)


class Scripted:
    """A provider that waits until the test lets it answer."""

    def __init__(self) -> None:
        self.asked: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.outcomes: queue.SimpleQueue[Reply | Exception] = queue.SimpleQueue()
        self.asides: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.probe_hangs = False
        self.broken_probe = False
        self.on_gpu: bool | None = True
        self.warm_up_fails = False
        self.note = ''

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

    def probe(self, cancelled: threading.Event) -> ModelProbed:
        if self.broken_probe:
            raise RuntimeError('a bug')
        self.asides.put('probe')
        if self.probe_hangs:
            assert cancelled.wait(PATIENCE_S)
            self.probe_hangs = False
            raise CallCancelled('cancelled')
        if self.note:
            return replace(FINE, message=self.note, notes=(self.note,))
        return replace(FINE, on_gpu=self.on_gpu)

    def warm_up(self, found: ModelProbed, cancelled: threading.Event) -> bool:
        assert found.on_gpu is None
        self.asides.put('warm up')
        if self.warm_up_fails:
            raise ServerRefused('out of memory', 500)
        self.on_gpu = True
        return True


class Setup:
    def __init__(self, warm_up: bool = False, secrets: tuple[str, ...] = (),
                 prove: Prove | None = None) -> None:
        self.provider = Scripted()
        self.there = True
        self.worker = ModelWorker(
            self.provider, partial(question_of, config=HypothesisConfig(), seed=0), warm_up,
            secrets, lambda: self.there, prove)
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


def test_a_server_that_goes_and_comes_while_nobody_asks_is_probed_again(setup: Setup) -> None:
    found: queue.SimpleQueue[ModelProbed] = queue.SimpleQueue()
    setup.worker.probe(found.put)
    found.get(timeout=PATIENCE_S)
    for there in (False, True):
        setup.there = there
        found.get(timeout=PATIENCE_S)


def test_a_reply_comes_back_with_its_latency(setup: Setup) -> None:
    setup.submit('a')
    assert setup.running() == 'a'
    setup.provider.outcomes.put(replace(said('text', 'stop', 10, 20), first_part_ms=7.0))
    answer = setup.answer()
    assert isinstance(answer, ModelReplied)
    assert answer == ModelReplied('a', 'text', answer.latency_ms, 'stop', 10, 20,
                                  first_part_ms=7.0)
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


def test_a_key_that_a_server_repeats_is_hidden() -> None:
    setup = Setup(secrets=('gate "key" seven',))
    setup.submit('a')
    setup.provider.outcomes.put(ServerRefused('no entry with gate "key" seven', 401))
    failed = setup.answer()
    assert isinstance(failed, ModelFailed)
    assert failed.error == 'ollama_error:no entry with ***'
    assert 'seven' not in failed.message + failed.stack
    setup.submit('b')
    setup.provider.outcomes.put(said('{"rationale": "gate \\"key\\" seven"}'))
    replied = setup.answer()
    assert isinstance(replied, ModelReplied)
    assert replied.text == '{"rationale": "***"}'
    setup.submit('c')
    setup.provider.outcomes.put(Reply((ToolCall('id-1', 'recall_places', {
        'query': 'gate "key" seven', 'k': 3}),)))
    called = setup.answer()
    assert isinstance(called, ModelReplied)
    assert called.calls == (ToolCall('id-1', 'recall_places', {'query': '***', 'k': 3}),)
    setup.submit('d')
    setup.provider.outcomes.put(Reply((ToolCall(
        'id-1', 'recall_places', {}, 'no JSON', '{"query": "gate \\"key\\" seven"'),)))
    called = setup.answer()
    assert isinstance(called, ModelReplied)
    assert called.calls[0].raw == '{"query": "***"'
    setup.provider.note = 'gate "key" seven is wrong'
    found = probed(setup)()
    assert (found.message, found.notes) == ('*** is wrong', ('*** is wrong',))
    setup.worker.close()


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


def probed(setup: Setup) -> Callable[[], ModelProbed]:
    """Ask for a probe, and return what fetches one finding after the other."""
    found: queue.SimpleQueue[ModelProbed] = queue.SimpleQueue()
    setup.worker.probe(found.put)
    return partial(found.get, timeout=PATIENCE_S)


def test_a_probe_is_reported(setup: Setup) -> None:
    assert probed(setup)() == FINE
    setup.provider.broken_probe = True
    assert not probed(setup)().ok


def test_a_question_breaks_a_probe_off_and_it_is_made_up_for(setup: Setup) -> None:
    setup.provider.probe_hangs = True
    found = probed(setup)
    assert setup.provider.asides.get(timeout=PATIENCE_S) == 'probe'
    setup.submit('a')
    assert setup.running() == 'a'
    setup.provider.outcomes.put(said('text'))
    assert setup.answer().request_id == 'a'
    assert found() == FINE


def test_a_model_that_is_not_loaded_is_warmed_up() -> None:
    setup = Setup(warm_up=True)
    setup.provider.on_gpu = None
    found = probed(setup)
    assert [found().on_gpu, found().on_gpu] == [None, True]
    assert [setup.provider.asides.get(timeout=PATIENCE_S) for _ in range(3)] == [
        'probe', 'warm up', 'probe']
    assert probed(setup)().on_gpu is True
    setup.worker.close()
    assert setup.provider.asides.qsize() == 1


def test_a_model_that_cannot_be_loaded_would_not_answer() -> None:
    setup = Setup(warm_up=True)
    setup.provider.on_gpu, setup.provider.warm_up_fails = None, True
    found = probed(setup)
    assert found().ok
    failed = found()
    assert not failed.ok
    assert 'm cannot be loaded' in failed.message and 'out of memory' in failed.message
    setup.worker.close()


def test_nothing_is_warmed_up_unasked(setup: Setup) -> None:
    setup.provider.on_gpu = None
    assert probed(setup)().on_gpu is None
    setup.worker.close(PATIENCE_S)
    assert setup.provider.asides.qsize() == 1


def test_one_question_is_asked_after_probes_until_it_is_answered_well() -> None:
    outcomes = [ModelProved(False, 'it rambles'), ModelProved(True, 'it answers')]
    asked = iter(outcomes)
    setup = Setup(prove=lambda found, cancelled: next(asked))
    heard: queue.SimpleQueue[ModelProbed | ModelProved] = queue.SimpleQueue()
    for proved in outcomes:
        setup.worker.probe(heard.put)
        assert [heard.get(timeout=PATIENCE_S) for _ in range(2)] == [FINE, proved]
    setup.worker.probe(heard.put)
    assert heard.get(timeout=PATIENCE_S) == FINE
    setup.worker.close(PATIENCE_S)
    assert heard.empty()


def test_an_answered_look_does_not_hide_that_pictures_do_not_reach_the_model() -> None:
    outcomes = [ModelProved(True, 'it is blind', doubted=True), ModelProved(False, 'it rambles'),
                ModelProved(True, 'it sees')]
    asked = iter(outcomes)
    setup = Setup(prove=lambda found, cancelled: next(asked))
    heard: queue.SimpleQueue[ModelProbed | ModelProved] = queue.SimpleQueue()
    for proved in outcomes:
        setup.worker.probe(heard.put)
        assert [heard.get(timeout=PATIENCE_S) for _ in range(2)] == [FINE, proved]
        setup.submit('a')
        setup.provider.outcomes.put(said('text'))
        setup.answer()
        assert setup.worker.is_proved is (proved is outcomes[-1])
    setup.worker.close(PATIENCE_S)


def test_a_question_of_a_look_breaks_the_proof_off_and_takes_its_place() -> None:
    proving = threading.Event()

    def prove(found: ModelProbed, cancelled: threading.Event) -> ModelProved:
        proving.set()
        assert cancelled.wait(PATIENCE_S)
        raise CallCancelled('cancelled')

    setup = Setup(prove=prove)
    heard: queue.SimpleQueue[ModelProbed | ModelProved] = queue.SimpleQueue()
    setup.worker.probe(heard.put)
    assert proving.wait(PATIENCE_S)
    setup.submit('a')
    assert setup.running() == 'a'
    setup.provider.outcomes.put(said('text'))
    assert setup.answer().request_id == 'a'
    assert [heard.get(timeout=PATIENCE_S) for _ in range(2)] == [FINE, FINE]
    setup.worker.close(PATIENCE_S)
    assert heard.empty()


def test_closing_breaks_off_and_answers_no_more() -> None:
    setup = Setup()
    setup.submit('a')
    assert setup.running() == 'a'
    setup.submit('b')
    setup.worker.close(PATIENCE_S)
    assert setup.answers.empty()
    assert 'model' not in {thread.name for thread in threading.enumerate()}
