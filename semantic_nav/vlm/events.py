"""What the hypothesis core hears of the camera and the model, and what it asks for."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

from semantic_nav.contracts.core import Effect, Event
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.vlm.conversation import Image, Thinking, Tool, ToolCall, ToolResult
from semantic_nav.vlm.manifest import Manifest


@dataclass(frozen=True)
class Exchange:
    """A reply that failed the gate, and what the model was told of it."""

    reply: str
    complaint: str


@dataclass(frozen=True)
class ToolTurn:
    """A turn in which the model called tools, and what came of it.

    Attributes:
        thoughts: what it thought before, where the server wants that back.
        calls: the tools.
        results: theirs, in the same order.
    """

    thoughts: tuple[Thinking, ...]
    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult, ...]


@dataclass(frozen=True)
class Prompt:
    """All that the model is told besides the picture.

    Attributes:
        version: of the template.
        system: its role and rules.
        user: the request with one fenced JSON block of context; the picture goes with it.
        schema: the JSON schema that the server holds the reply to.
        repairs: the exchanges after that, oldest first.
        manifest: what it is made of and costs; empty where nobody assembled it.
        window_tokens: the context window to ask the server for; 0 leaves it to the parameters.
        turns: in which it has used tools, oldest first; they stand before the repairs.
        tools: what it may use in its next turn.
    """

    version: str
    system: str
    user: str
    schema: dict[str, Any]
    repairs: tuple[Exchange, ...] = ()
    manifest: Manifest = Manifest()
    window_tokens: int = 0
    turns: tuple[ToolTurn, ...] = ()
    tools: tuple[Tool, ...] = ()

    @property
    def sha256(self) -> str:
        """SHA-256 of what is sent, in hexadecimal; pictures of tools stand in it with theirs."""
        parts: list[Any] = [self.version, self.system, self.user, self.schema,
                            [[repair.reply, repair.complaint] for repair in self.repairs]]
        if self.turns or self.tools:
            parts += [[asdict(tool) for tool in self.tools], [_plain(turn) for turn in self.turns]]
        text = json.dumps(parts, ensure_ascii=True, separators=(',', ':'))
        return hashlib.sha256(text.encode()).hexdigest()


def _plain(turn: ToolTurn) -> Any:
    """Return a turn as JSON values, each picture as its SHA-256."""
    return [[asdict(thought) for thought in turn.thoughts], [asdict(call) for call in turn.calls],
            [[result.id, result.is_error,
              [hashlib.sha256(part.jpeg).hexdigest() if isinstance(part, Image) else part.text
               for part in result.parts]] for result in turn.results]]


@dataclass(frozen=True)
class PictureTaken(Event):
    """The camera's first picture after the moment asked for.

    Attributes:
        stamp_ns: of the picture, on the ROS clock.
        frame_id: the camera's optical frame.
        jpeg: as it is sent to the model.
        width_px: of the original picture.
        height_px: of the original picture.
        sent_width_px: of `jpeg`.
        sent_height_px: of `jpeg`.
    """

    request_id: str
    stamp_ns: int
    frame_id: str
    jpeg: bytes
    width_px: int
    height_px: int
    sent_width_px: int
    sent_height_px: int


@dataclass(frozen=True)
class PictureCropped(Event):
    """A part of the original of the newest picture.

    Attributes:
        jpeg: as it is sent to the model.
        width_px: of `jpeg`.
        height_px: of `jpeg`.
    """

    request_id: str
    jpeg: bytes
    width_px: int
    height_px: int


@dataclass(frozen=True)
class PictureFailed(Event):
    """No picture came, or one that cannot be used; or there is no part of it to be had."""

    request_id: str
    reason: str


@dataclass(frozen=True)
class ModelReplied(Event):
    """The model finished.

    Attributes:
        finish_reason: the server's word, such as `stop` or `length`; empty where it said none.
        prompt_tokens: as the server counted them; 0 where it did not say.
        reply_tokens: likewise.
        calls: the tools that it wants to use before it answers.
        thoughts: what it thought before, where the server wants that back with the calls.
        first_part_ms: until the first piece of the reply came; 0 if unknown.
    """

    request_id: str
    text: str
    latency_ms: float
    finish_reason: str
    prompt_tokens: int
    reply_tokens: int
    calls: tuple[ToolCall, ...] = ()
    thoughts: tuple[Thinking, ...] = ()
    first_part_ms: float = 0.0


@dataclass(frozen=True)
class ModelFailed(Event):
    """The model did not answer.

    Attributes:
        error: what it is called in a hypothesis's `vlm_error`, such as `timeout`.
        message: what happened, in words.
        stack: the end of the traceback, for the request log.
    """

    request_id: str
    error: str
    message: str
    latency_ms: float
    stack: str = ''


@dataclass(frozen=True)
class ModelProbed(Event):
    """The model's server was asked what it can do.

    Attributes:
        ok: a question would be answered.
        message: what was found, and what to do about it, in words.
        digest: of the model; empty where the server did not say.
        vision, tools: whether the model can see and call tools; None where unknown.
        window_tokens: the model's context window; 0 where unknown.
        on_gpu: whether all of the model is on a GPU; None where unknown.
        notes: what works badly, each with what to do about it.
    """

    ok: bool
    message: str
    model: str
    digest: str
    vision: bool | None
    tools: bool | None
    window_tokens: int
    on_gpu: bool | None
    notes: tuple[str, ...] = ()

    @classmethod
    def failed(cls, model: str, message: str) -> 'ModelProbed':
        """Return that a question would not be answered, when nothing else is known."""
        return cls(False, message, model, '', None, None, 0, None)


@dataclass(frozen=True)
class TakePicture(Effect):
    """Report the first picture whose stamp is later than `after_ns` on the ROS clock."""

    request_id: str
    after_ns: int
    timeout_s: float


@dataclass(frozen=True)
class CropPicture(Effect):
    """Cut a part out of the original of a picture; answered by PictureCropped or PictureFailed.

    Attributes:
        stamp_ns: of the picture.
        box: in per mille of it.
    """

    request_id: str
    stamp_ns: int
    box: Box


@dataclass(frozen=True)
class AskModel(Effect):
    """Ask the model; the answer is due within `deadline_s` from now."""

    request_id: str
    prompt: Prompt
    jpeg: bytes
    deadline_s: float


@dataclass(frozen=True)
class CancelModel(Effect):
    """Break a call off; whatever still comes of it is dropped."""

    request_id: str


#: What a journal of this core may hold besides documents.
RECORD_KINDS: tuple[type, ...] = (PictureTaken, PictureFailed, PictureCropped, ModelReplied,
                                  ModelFailed, ModelProbed, TakePicture, CropPicture, AskModel,
                                  CancelModel)

#: Schemas of the documents that this core takes in, and of those that it writes.
READS = ('step', 'candidates', 'observation', 'reply')
WRITES = ('look', 'hypothesis', 'query')
