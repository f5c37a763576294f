"""Records of the request log, from the node's questions, answers and documents."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.contracts.documents import Document, Hypothesis, Look, ModelMeta
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import ServerTimes, ToolCall
from semantic_nav.vlm.events import (
    AskModel,
    LogUnsentPrompt,
    ModelFailed,
    ModelProbed,
    ModelReplied,
)
from semantic_nav.vlm.prompt.budget import OVER_BUDGET
from semantic_nav.vlm.prompt.manifest import Manifest

_NS_PER_MS = 1e6


@dataclass(frozen=True)
class RequestError:
    """The error of a request without a reply.

    Attributes:
        code: name as in `vlm_error`.
        stack: traceback; empty if nothing was raised.
    """

    code: str
    message: str
    stack: str = ''


@dataclass(frozen=True)
class RequestRecord:
    """One request to the model, or one that was too long to be sent.

    Attributes:
        time: time of the request, in UTC, by ISO 8601.
        request_id: id as in the journal; empty if nothing was sent.
        look_id: id of its look document; empty if that was published before the node was
            activated.
        estimated_tokens: length of the prompt, with calibration and margin.
        prompt_tokens, reply_tokens: counts of the server; 0 if it gave none.
        latency_ms: latency of the model.
        first_part_ms: time until the first piece of its reply came; 0 if unknown.
        times: durations of this request by the server.
        total_ms: time from the node's decision to ask until it had the answer.
        meta: provenance of the hypothesis that ended the look; None if none did.
        calls: tool calls instead of an answer.
        model_digest: digest of the model at the last probe before the question; empty if the
            server gave none.
    """

    uuid: str
    time: str
    request_id: str
    look_id: str
    goal_id: str
    backend: str
    model: str
    prompt_sha256: str
    manifest: Manifest
    estimated_tokens: int
    prompt_tokens: int
    reply_tokens: int
    reply: str
    finish_reason: str
    latency_ms: float
    total_ms: float
    meta: ModelMeta | None
    error: RequestError | None
    calls: tuple[ToolCall, ...] = ()
    model_digest: str = ''
    first_part_ms: float = 0.0
    times: ServerTimes = ServerTimes()


@dataclass
class _Request:
    effect: AskModel
    look_id: str
    goal_id: str
    asked: Now
    model_digest: str
    answer: ModelReplied | ModelFailed | None = None
    total_ms: float = 0.0


#: Function that takes a record and the sent picture; the picture is empty if none was sent.
Write = Callable[[RequestRecord, bytes], None]


class RequestRecorder:
    """A recorder that follows requests from question to hypothesis; for use in one thread.

    A record is written when its look has ended, as its meta is known only then.
    """

    def __init__(self, config: HypothesisConfig, write: Write, mint: Callable[[], str]) -> None:
        """Begin without requests.

        Args:
            config: parameters with model and backend.
            write: function that takes the records; it must not block.
            mint: function that gives each record its UUID.
        """
        self._config, self._write, self._mint = config, write, mint
        self._open: dict[str, _Request] = {}
        self._unsent: LogUnsentPrompt | None = None
        self._look_id = self._goal_id = self._model_digest = ''
        self._model = config.model

    def probed(self, event: ModelProbed) -> None:
        """Take note of the model that answers from now on."""
        if event.ok:
            self._model_digest, self._model = event.digest, event.model

    def asked(self, effect: AskModel, now: Now) -> None:
        """Take note of a question; it belongs to the look that was published last."""
        self._open[effect.request_id] = _Request(
            effect, self._look_id, self._goal_id, now, self._model_digest)

    def answered(self, event: ModelReplied | ModelFailed, now: Now) -> None:
        """Take note of the answer to a question."""
        request = self._open.get(event.request_id)
        if request is not None:
            request.answer = event
            request.total_ms = (now.steady_ns - request.asked.steady_ns) / _NS_PER_MS

    def unsent(self, effect: LogUnsentPrompt) -> None:
        """Take note of a question that was too long; the look's hypothesis follows at once."""
        self._unsent = effect

    def published(self, document: Document, now: Now) -> None:
        """Follow a published document, a look or its hypothesis."""
        body = document.body
        if isinstance(body, Look):
            self._look_id, self._goal_id = document.id, document.goal_id
        if not isinstance(body, Hypothesis):
            return
        for request in [one for one in self._open.values() if one.answer is not None]:
            of_this_look = request.look_id == document.cause_id
            self._end(request, body.meta if of_this_look else None)
        unsent, self._unsent = self._unsent, None
        if unsent is not None and unsent.look_id == document.cause_id:
            self._refused(document, body.meta, unsent.manifest, now)

    def close(self) -> None:
        """Write the open requests."""
        for request in list(self._open.values()):
            self._end(request, None)

    def _end(self, request: _Request, meta: ModelMeta | None) -> None:
        effect, answer = request.effect, request.answer
        del self._open[effect.request_id]
        error = None
        if answer is None:
            error = RequestError('not_answered', 'the node was deactivated before')
        elif isinstance(answer, ModelFailed):
            error = RequestError(answer.error, answer.message, answer.stack)
        replied = answer if isinstance(answer, ModelReplied) else None
        self._write(RequestRecord(
            uuid=self._mint(), time=_iso(request.asked), request_id=effect.request_id,
            look_id=request.look_id, goal_id=request.goal_id,
            backend=self._config.vlm_backend, model=self._model,
            prompt_sha256=effect.prompt.sha256, manifest=effect.prompt.manifest,
            estimated_tokens=effect.prompt.manifest.estimated_tokens,
            prompt_tokens=replied.prompt_tokens if replied else 0,
            reply_tokens=replied.reply_tokens if replied else 0,
            reply=replied.text if replied else '',
            finish_reason=replied.finish_reason if replied else '',
            latency_ms=answer.latency_ms if answer else 0.0, total_ms=request.total_ms,
            meta=meta, error=error, calls=replied.calls if replied else (),
            model_digest=request.model_digest,
            first_part_ms=replied.first_part_ms if replied else 0.0,
            times=replied.times if replied else ServerTimes()), effect.jpeg)

    def _refused(self, document: Document, meta: ModelMeta, manifest: Manifest,
                 now: Now) -> None:
        self._write(RequestRecord(
            uuid=self._mint(), time=_iso(now), request_id='', look_id=document.cause_id,
            goal_id=document.goal_id, backend=meta.vlm_backend, model=meta.vlm_model,
            prompt_sha256=manifest.sha256, manifest=manifest,
            estimated_tokens=manifest.estimated_tokens, prompt_tokens=0, reply_tokens=0, reply='',
            finish_reason='', latency_ms=0.0, total_ms=0.0, meta=meta,
            error=RequestError(OVER_BUDGET, meta.vlm_error)), b'')


def _iso(now: Now) -> str:
    moment = datetime.fromtimestamp(now.calendar_ns / NS_PER_S, UTC)
    return moment.isoformat(timespec='milliseconds')
