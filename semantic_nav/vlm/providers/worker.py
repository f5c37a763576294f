"""A thread that asks the model, with a slot for one waiting question: the newest."""

import logging
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from semantic_nav.contracts.errors import SemanticNavError
from semantic_nav.vlm.conversation import Question
from semantic_nav.vlm.errors import CallCancelled
from semantic_nav.vlm.events import (
    AskModel,
    ModelFailed,
    ModelProbed,
    ModelProved,
    ModelReplied,
)
from semantic_nav.vlm.providers.caller import Caller
from semantic_nav.vlm.providers.provider import Provider
from semantic_nav.vlm.redaction import Redaction

Answered = Callable[[ModelReplied | ModelFailed], None]
Probed = Callable[[ModelProbed | ModelProved], None]
#: Function that asks the model one real question after a probe; the flag breaks it off.
Prove = Callable[[ModelProbed, threading.Event], ModelProved]

#: Period of the check that the server is there, while it is idle.
_LOOK_S = 1.0

logger = logging.getLogger(__name__)


@dataclass
class _Job:
    request: AskModel
    answered: Answered
    due: float
    cancelled: threading.Event = field(default_factory=threading.Event)

    def fail(self, error: str, message: str, latency_ms: float = 0.0) -> None:
        self.answered(ModelFailed(self.request.request_id, error, message, latency_ms))


class ModelWorker:
    """A worker that asks one question at a time, and answers each exactly once until close().

    Answers come in the worker's thread, or in the caller's if a waiting question is replaced or
    cancelled.
    """

    def __init__(self, provider: Provider, question: Callable[[AskModel], Question],
                 warm_up: bool = False, secrets: Collection[str] = (),
                 listens: Callable[[], bool] = lambda: True,
                 prove: Prove | None = None) -> None:
        """Start the thread.

        Args:
            provider: provider of the model.
            question: function from a request to its question.
            warm_up: have the model loaded if a probe finds that it is not.
            secrets: words that are hidden where a server repeats them.
            listens: predicate that the server is there; a change of it starts another probe.
            prove: function that asks one real question after each probe, until one is answered
                without doubt, or a look is answered while there is no doubt.
        """
        self._provider = provider
        self._caller = Caller(provider, question, secrets)
        self._warm_up = warm_up
        self._hide = Redaction(secrets)
        self._listens = listens
        self._prove = prove
        self._is_doubted = False
        self._is_there = True
        # Receiver of the last probe's findings.
        self._told: Probed | None = None
        self._wake = threading.Condition()
        self._waiting: _Job | None = None
        self._running: _Job | None = None
        self._probe: Probed | None = None
        self._aside: threading.Event | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name='model', daemon=True)
        self._thread.start()

    def submit(self, request: AskModel, answered: Answered) -> None:
        """Ask as soon as the thread is free; this question replaces one that still waits."""
        job = _Job(request, answered, time.monotonic() + request.deadline_s)
        with self._wake:
            replaced, self._waiting = self._waiting, job
            if self._aside is not None:
                self._aside.set()
            self._wake.notify()
        if replaced is not None:
            replaced.fail('cancelled', 'a newer question took its place')

    def probe(self, probed: Probed) -> None:
        """Probe the provider while no question is waiting, and have the model loaded.

        A question breaks both off; they are repeated after it.
        """
        with self._wake:
            self._probe = self._told = probed
            self._wake.notify()

    @property
    def is_proved(self) -> bool:
        """Tell whether no real question follows a probe any more."""
        return self._prove is None

    def cancel(self, request_id: str) -> None:
        """Break off a waiting or running question; an unknown one is ignored."""
        with self._wake:
            waiting = self._waiting
            if self._running is not None and self._running.request.request_id == request_id:
                self._running.cancelled.set()
            if waiting is None or waiting.request.request_id != request_id:
                return
            self._waiting = None
        waiting.fail('cancelled', 'the call was cancelled')

    def close(self, timeout_s: float = 2.0) -> None:
        """Break everything off and wait for the thread to end; nothing is answered after this."""
        with self._wake:
            self._closed = True
            if self._running is not None:
                self._running.cancelled.set()
            if self._aside is not None:
                self._aside.set()
            self._wake.notify()
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while True:
            with self._wake:
                woken = self._wake.wait_for(
                    lambda: self._closed or self._waiting is not None or self._probe is not None,
                    _LOOK_S)
                if self._closed:
                    return
            if not woken:
                self._look_for_the_server()
                continue
            with self._wake:
                job, self._waiting = self._waiting, None
                self._running = job
                probed = None
                if job is None:
                    probed, self._probe = self._probe, None
                    self._aside = threading.Event()
            if job is not None:
                self._answer(job)
            elif probed is not None:
                self._report(probed)

    def _look_for_the_server(self) -> None:
        before, self._is_there = self._is_there, self._listens()
        if self._is_there is not before:
            with self._wake:
                self._probe = self._probe or self._told

    def _answer(self, job: _Job) -> None:
        result = self._caller.call(job.request, job.due - time.monotonic(), job.cancelled)
        with self._wake:
            self._running = None
            closed = self._closed
        if isinstance(result, ModelReplied) and not self._is_doubted:
            # The answer to a look's own question is better evidence.
            self._prove = None
        if not closed:
            job.answered(result)

    def _report(self, probed: Probed) -> None:
        cancelled = self._aside
        assert cancelled is not None
        try:
            found = self._provider.probe(cancelled)
            self._tell(probed, found)
            if self._warm_up and found.ok and found.on_gpu is None:
                found = self._load(probed, found, cancelled)
            if self._prove is not None and found.ok:
                proved = self._prove(found, cancelled)
                if proved.ok:
                    self._is_doubted = proved.doubted
                    self._prove = self._prove if proved.doubted else None
                self._say(probed, proved)
        except CallCancelled:
            with self._wake:
                self._probe = self._probe or probed
        except Exception as error:
            logger.exception('the model provider broke')
            self._tell(probed, ModelProbed.failed('', repr(error)))
        with self._wake:
            self._aside = None

    def _load(self, probed: Probed, found: ModelProbed,
              cancelled: threading.Event) -> ModelProbed:
        """Have the model loaded; returns the findings after that."""
        try:
            if not self._provider.warm_up(found, cancelled):
                return found
            found = self._provider.probe(cancelled)
        except CallCancelled:
            raise
        except SemanticNavError as error:
            found = replace(
                found, ok=False, message=f'{found.model} cannot be loaded: {error}; choose a '
                f'smaller model or a smaller num_ctx, and look at the log of the server')
        self._tell(probed, found)
        return found

    def _tell(self, probed: Probed, found: ModelProbed) -> None:
        self._say(probed, replace(found, message=self._hide(found.message),
                                  notes=tuple(map(self._hide, found.notes))))

    def _say(self, probed: Probed, event: ModelProbed | ModelProved) -> None:
        with self._wake:
            closed = self._closed
        if not closed:
            probed(event)
