"""What the worker needs of whoever answers, and the names of what can go wrong."""

from dataclasses import dataclass
from threading import Event as Flag
from typing import ClassVar, Protocol

from semantic_nav.contracts.errors import (
    ModelReplyError,
    ModelTimeout,
    ModelUnavailable,
    SemanticNavError,
)
from semantic_nav.vlm.events import Prompt

_MAX_NAME = 300


class ConnectionFailed(ModelUnavailable):
    """Nobody listens there, or the connection broke."""

    error: ClassVar[str] = 'connection_failed'


class ServerRefused(ModelUnavailable):
    """The server answered with an error instead of a reply."""

    def __init__(self, said: str, status: int) -> None:
        """Keep what the server said, with the HTTP status or -1."""
        super().__init__(f'the model server refused with status {status}: {said}' if status >= 0
                         else f'the model server broke off: {said}')
        self.error = f'ollama_error:{said}'
        self.status = status


class MissingField(ModelReplyError):
    """The server's reply lacks what its protocol promises."""

    error: ClassVar[str] = 'missing_response_field'


class ReplyTooLong(ModelReplyError):
    """The server sent more than any reply needs."""

    error: ClassVar[str] = 'reply_too_long'


class CallCancelled(SemanticNavError):
    """The call was broken off on request."""

    error: ClassVar[str] = 'cancelled'


def error_name(error: SemanticNavError) -> str:
    """Return the name under which an error appears in a hypothesis."""
    if isinstance(error, ModelTimeout):
        return 'timeout'
    name: str = getattr(error, 'error', 'bad_reply' if isinstance(error, ModelReplyError)
                        else 'model_unavailable')
    return name[:_MAX_NAME]


@dataclass(frozen=True)
class Reply:
    """What the model said.

    Attributes:
        finish_reason: `stop`, `length` or another word of the server; empty where it said none.
        prompt_tokens: as the server counted them; 0 where it did not say.
        reply_tokens: likewise.
    """

    text: str
    finish_reason: str = ''
    prompt_tokens: int = 0
    reply_tokens: int = 0


@dataclass(frozen=True)
class ProbeResult:
    """Whether a question would be answered, and in words why not."""

    ok: bool
    message: str


class Provider(Protocol):
    """Answers questions about pictures; used from one thread, but for the flag."""

    def ask(self, prompt: Prompt, jpeg: bytes, deadline_s: float, cancelled: Flag) -> Reply:
        """Return the model's reply.

        Args:
            prompt: what the model is told.
            jpeg: the picture.
            deadline_s: for the whole call.
            cancelled: set from another thread to break the call off.

        Raises:
            ModelUnavailable: the server cannot be reached or refuses.
            ModelTimeout: the deadline passed.
            ModelReplyError: the server's answer is not of its protocol.
            CallCancelled: `cancelled` was set.
        """

    def probe(self) -> ProbeResult:
        """Tell whether a question would be answered; takes a few seconds at most."""
