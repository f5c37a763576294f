"""What the worker needs of whoever answers, and the names of what can go wrong."""

from threading import Event as Flag
from typing import ClassVar, Protocol

from semantic_nav.contracts.errors import (
    ModelReplyError,
    ModelTimeout,
    ModelUnavailable,
    SemanticNavError,
)
from semantic_nav.vlm.conversation import Question, Reply
from semantic_nav.vlm.events import ModelProbed

_MAX_NAME = 300
_MAX_SAID = 200


class ConnectionFailed(ModelUnavailable):
    """Nobody listens there, or the connection broke."""

    error: ClassVar[str] = 'connection_failed'


class ServerRefused(ModelUnavailable):
    """The server answered with an error instead of a reply."""

    def __init__(self, said: str, status: int, backend: str = 'ollama') -> None:
        """Keep what the server of a backend said, with the HTTP status or -1."""
        super().__init__(f'the model server refused with status {status}: {said}' if status >= 0
                         else f'the model server broke off: {said}')
        self.error = f'{backend}_error:{said}'
        self.status = status


class MissingField(ModelReplyError):
    """The server's reply lacks what its protocol promises."""

    error: ClassVar[str] = 'missing_response_field'


class ReplyTooLong(ModelReplyError):
    """The server sent more than any reply needs."""

    error: ClassVar[str] = 'reply_too_long'


class BadPicture(SemanticNavError):
    """A picture is damaged; a server might make something of it all the same."""

    error: ClassVar[str] = 'bad_picture'


class RemoteModel(ModelUnavailable):
    """The server on this machine would have the question answered by another machine."""

    error: ClassVar[str] = 'remote_model'


class CallCancelled(SemanticNavError):
    """The call was broken off on request."""

    error: ClassVar[str] = 'cancelled'


#: Calls that ended with these tell nothing of the model or its server.
NOT_THE_MODELS = frozenset({BadPicture.error, CallCancelled.error})


def error_name(error: SemanticNavError) -> str:
    """Return the name under which an error appears in a hypothesis."""
    if isinstance(error, ModelTimeout):
        return 'timeout'
    name: str = getattr(error, 'error', 'bad_reply' if isinstance(error, ModelReplyError)
                        else 'model_unavailable')
    return name[:_MAX_NAME]


def shown(text: str) -> str:
    """Return what a server said, short and printable."""
    return ''.join(character if character.isprintable() else ' '
                   for character in as_unicode(text[:_MAX_SAID])).strip()


def as_unicode(text: str) -> str:
    """Return a text without the halves of surrogate pairs that JSON lets through."""
    return text.encode('utf-8', 'replace').decode()


class Provider(Protocol):
    """Answers questions about pictures; used from one thread, but for the flag.

    Calls block: a worker has a thread for them, the flag breaks one off within 50 ms, and a call
    through the libraries' asynchronous clients was measured to take twice as long.
    """

    def ask(self, question: Question, deadline_s: float, cancelled: Flag) -> Reply:
        """Return the model's reply.

        Args:
            question: the conversation so far, and how to answer it.
            deadline_s: for the whole call.
            cancelled: set from another thread to break the call off.

        Raises:
            ModelUnavailable: the server cannot be reached or refuses.
            ModelTimeout: the deadline passed.
            ModelReplyError: the server's answer is not of its protocol.
            CallCancelled: `cancelled` was set.
        """

    def probe(self, cancelled: Flag) -> ModelProbed:
        """Tell what the server and its model can do; takes a few seconds at most.

        Args:
            cancelled: set from another thread to break it off.

        Raises:
            CallCancelled: `cancelled` was set.
        """

    def warm_up(self, found: ModelProbed, cancelled: Flag) -> bool:
        """Let the server load the model, so that the first question need not wait for it.

        Args:
            found: by the probe before.
            cancelled: set from another thread to break it off.

        Returns:
            Whether there was anything to load, after which a probe may know more.

        Raises:
            Errors of `ask`.
        """
