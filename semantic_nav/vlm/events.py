"""Events and effects of the hypothesis core: its camera and its model."""

from dataclasses import dataclass

from semantic_nav.contracts.core import Effect, Event
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA
from semantic_nav.vlm.conversation import ServerTimes, Thinking, ToolCall
from semantic_nav.vlm.errors import BadPicture, CallCancelled, ConnectionFailed, EmptyReply
from semantic_nav.vlm.gate.boxes import BoxConvention
from semantic_nav.vlm.prompt.manifest import Manifest
from semantic_nav.vlm.prompt.prompt import Prompt

#: Most looks under way at once; the original picture of each is kept.
MOST_LOOKS = 4


@dataclass(frozen=True)
class PictureTaken(Event):
    """The camera's first picture after the time asked for.

    Attributes:
        stamp_ns: stamp of the picture, on the ROS clock.
        frame_id: optical frame of the camera.
        jpeg: picture as it is sent to the model.
        width_px: width of the original picture.
        height_px: height of the original picture.
        sent_width_px: width of `jpeg`.
        sent_height_px: height of `jpeg`.
        camera: name of the camera that took it.
        fingerprint: SHA-256 of the picture's pixels; empty for an even picture.
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
    """A part of an original picture.

    Attributes:
        jpeg: part as it is sent to the model.
        width_px: width of `jpeg`.
        height_px: height of `jpeg`.
    """

    request_id: str
    jpeg: bytes
    width_px: int
    height_px: int


@dataclass(frozen=True)
class PictureFailed(Event):
    """No usable picture came, or a part of one cannot be had."""

    request_id: str
    reason: str


@dataclass(frozen=True)
class ModelReplied(Event):
    """The model replied.

    Attributes:
        finish_reason: word of the server, such as `stop` or `length`; empty if it gave none.
        prompt_tokens: length of the prompt as the server counted it; 0 if it gave none.
        reply_tokens: length of the reply as the server counted it; 0 if it gave none.
        calls: tool calls before the answer.
        thoughts: thoughts before them, if the server wants them back with the calls.
        first_part_ms: time until the first piece of the reply came; 0 if unknown.
        times: durations by the server.
        answered_as: name under which the server answered; empty if it gave none.
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
        error: name for a hypothesis's `vlm_error`, such as `timeout`.
        message: description in words.
        stack: end of the traceback, for the request log.
    """

    request_id: str
    error: str
    message: str
    latency_ms: float
    stack: str = ''

    @property
    def tells_of_model(self) -> bool:
        """Tell whether the failure speaks against the model or its server."""
        return self.error not in {BadPicture.error, CallCancelled.error}

    @property
    def is_empty(self) -> bool:
        """Tell whether the model replied with nothing."""
        return self.error == EmptyReply.error

    @property
    def broke(self) -> bool:
        """Tell whether the connection broke, or none was made."""
        return self.error == ConnectionFailed.error


@dataclass(frozen=True)
class ModelProbed(Event):
    """The model's server was probed for its abilities.

    Attributes:
        ok: a question would be answered.
        message: findings in words, with advice.
        digest: digest of the model; empty if the server gave none.
        vision, tools: abilities of the model to see and to call tools; None if unknown.
        window_tokens: context window of the model; 0 if unknown.
        on_gpu: true if all of the model is on a GPU; None if unknown.
        notes: flaws, each with advice.
        offered: names of the models that the server has.
        family: name of the model's family in `FAMILIES`, from the server or from a name; empty if
            unknown.
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
        """A probe that failed: a question would not be answered, and nothing else is known."""
        return cls(False, message, model, '', None, None, 0, None)


@dataclass(frozen=True)
class ModelProved(Event):
    """The proof by one real question to the model ended; see `vlm/proving.py`.

    Attributes:
        ok: a reply passed the schema.
        words: outcome, with advice if it is not ok, or doubted.
        doubted: nothing shows that the picture reaches the model, or its boxes are read wrong.
    """

    ok: bool
    words: str
    doubted: bool = False


@dataclass(frozen=True)
class TakePicture(Effect):
    """Take the first picture whose stamp is later than `after_ns` on the ROS clock.

    Attributes:
        camera: name of the camera; empty for the first.
        boxes: box convention of the model, on which the size of the sent picture depends.
    """

    request_id: str
    after_ns: int
    timeout_s: float
    camera: str = ''
    boxes: BoxConvention = BoxConvention.PERMILLE


@dataclass(frozen=True)
class CropPicture(Effect):
    """Cut a part out of an original picture; answered by PictureCropped or PictureFailed.

    Attributes:
        stamp_ns: stamp of the picture.
        box: part in per mille of the picture.
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
    """Log a prompt that was too long to be sent; nothing comes back.

    Attributes:
        look_id: id of its look document.
        manifest: tokens that it would have cost.
    """

    look_id: str
    manifest: Manifest


@dataclass(frozen=True)
class CancelModel(Effect):
    """Break a call off; its late results are dropped."""

    request_id: str


#: Events and effects in a journal of this core, besides those that every core has.
RECORD_KINDS: tuple[type, ...] = (PictureTaken, PictureFailed, PictureCropped, ModelReplied,
                                  ModelFailed, ModelProbed, ModelProved, TakePicture, CropPicture,
                                  AskModel, CancelModel, LogUnsentPrompt)

#: Schemas of the documents that this core takes in, and of those that it writes.
READS = ('step', 'belief', 'candidates', 'observation', 'reply')
WRITES = ('look', 'hypothesis', 'query')
