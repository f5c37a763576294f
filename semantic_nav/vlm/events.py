"""What the hypothesis core hears of the camera and the model, and what it asks for."""

from dataclasses import dataclass

from semantic_nav.contracts.core import Effect, Event
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA
from semantic_nav.vlm.conversation import ServerTimes, Thinking, ToolCall
from semantic_nav.vlm.errors import BadPicture, CallCancelled, ConnectionFailed, EmptyReply
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.prompt.manifest import Manifest
from semantic_nav.vlm.prompt.prompt import Prompt

#: So many looks are under way at once at most; the original of the picture of each is kept.
MOST_LOOKS = 4


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
        camera: name of the camera that took it.
        fingerprint: the same for equal pictures alone; empty where nobody can tell.
    """

    request_id: str
    stamp_ns: int
    frame_id: str
    jpeg: bytes
    width_px: int
    height_px: int
    sent_width_px: int
    sent_height_px: int
    camera: str = DEFAULT_CAMERA
    fingerprint: str = ''


@dataclass(frozen=True)
class PictureCropped(Event):
    """A part of the original of a picture.

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
        times: what the server says that it took.
        answered_as: the name under which the server answered; empty where it said none.
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
    times: ServerTimes = ServerTimes()
    answered_as: str = ''


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

    @property
    def tells_of_model(self) -> bool:
        """Whether this speaks against the model or its server."""
        return self.error not in {BadPicture.error, CallCancelled.error}

    @property
    def is_empty(self) -> bool:
        """Whether the model replied, and said nothing."""
        return self.error == EmptyReply.error

    @property
    def broke(self) -> bool:
        """Whether the connection broke, or none was made."""
        return self.error == ConnectionFailed.error


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
        offered: names of models that the server has.
        family: of the model, by its name in `FAMILIES`, as the server tells it or a name does;
            empty where unknown.
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
    offered: tuple[str, ...] = ()
    family: str = ''

    @classmethod
    def failed(cls, model: str, message: str) -> 'ModelProbed':
        """Return that a question would not be answered, when nothing else is known."""
        return cls(False, message, model, '', None, None, 0, None)


@dataclass(frozen=True)
class ModelProved(Event):
    """One real question to the model came to its end; see `vlm/proving.py`.

    Attributes:
        ok: it was answered by the schema.
        words: what came of it, and where it is not ok, or doubted, what to do about it.
        doubted: nothing shows that the picture reaches the model, or its boxes are read wrong.
    """

    ok: bool
    words: str
    doubted: bool = False


@dataclass(frozen=True)
class TakePicture(Effect):
    """Report the first picture whose stamp is later than `after_ns` on the ROS clock.

    Attributes:
        camera: name of the one that takes it; empty for the first.
        boxes: how the model writes boxes, on which the size depends at which it is sent.
    """

    request_id: str
    after_ns: int
    timeout_s: float
    camera: str = ''
    boxes: BoxConvention = BoxConvention.PERMILLE


@dataclass(frozen=True)
class CropPicture(Effect):
    """Cut a part out of the original of a picture; answered by PictureCropped or PictureFailed.

    Attributes:
        stamp_ns: of the picture.
        box: in per mille of it.
        camera: name of the camera that took it.
    """

    request_id: str
    stamp_ns: int
    box: Box
    camera: str = DEFAULT_CAMERA


@dataclass(frozen=True)
class AskModel(Effect):
    """Ask the model; the answer is due within `deadline_s` from now."""

    request_id: str
    prompt: Prompt
    jpeg: bytes
    deadline_s: float


@dataclass(frozen=True)
class LogUnsentPrompt(Effect):
    """Put into the request log that a prompt was too long to be sent; nothing comes back.

    Attributes:
        look_id: the look document that it belongs to.
        manifest: what it would have cost.
    """

    look_id: str
    manifest: Manifest


@dataclass(frozen=True)
class CancelModel(Effect):
    """Break a call off; whatever still comes of it is dropped."""

    request_id: str


#: What a journal of this core may hold besides documents.
RECORD_KINDS: tuple[type, ...] = (PictureTaken, PictureFailed, PictureCropped, ModelReplied,
                                  ModelFailed, ModelProbed, ModelProved, TakePicture, CropPicture,
                                  AskModel, CancelModel, LogUnsentPrompt)

#: Schemas of the documents that this core takes in, and of those that it writes.
READS = ('step', 'belief', 'candidates', 'observation', 'reply')
WRITES = ('look', 'hypothesis', 'query')
