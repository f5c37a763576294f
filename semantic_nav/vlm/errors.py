"""Errors between a question and the model's reply, by name."""

from typing import ClassVar

from semantic_nav.contracts.errors import (
    ModelReplyError,
    ModelTimeout,
    ModelUnavailable,
    SemanticNavError,
)

_MAX_NAME = 300


class ConnectionFailed(ModelUnavailable):
    """No server listens there, or the connection broke."""

    error: ClassVar[str] = 'connection_failed'


class ServerRefused(ModelUnavailable):
    """The server answered with an error instead of a reply."""

    def __init__(self, said: str, status: int, backend: str = 'ollama') -> None:
        """Keep the words of a backend's server, with the HTTP status, or -1 within a stream."""
        super().__init__(f'the model server refused with status {status}: {said}' if status >= 0
                         else f'the model server broke off: {said}')
        self.error = f'{backend}_error:{said}'
        self.status = status
        self.said = said


class MissingField(ModelReplyError):
    """The server's reply lacks a field that its protocol promises."""

    error: ClassVar[str] = 'missing_response_field'


class EmptyReply(MissingField):
    """The server's reply holds no words and no calls."""

    error: ClassVar[str] = 'empty_reply'


class ReplyTooLong(ModelReplyError):
    """The server sent more than any reply needs."""

    error: ClassVar[str] = 'reply_too_long'


class BadPicture(SemanticNavError):
    """A picture is damaged; a server might answer nevertheless."""

    error: ClassVar[str] = 'bad_picture'


class RemoteModel(ModelUnavailable):
    """The server on this machine would have the question answered by another machine."""

    error: ClassVar[str] = 'remote_model'


class CallCancelled(SemanticNavError):
    """The call was broken off on request."""

    error: ClassVar[str] = 'cancelled'


def error_name(error: SemanticNavError) -> str:
    """The name under which an error appears in a hypothesis."""
    if isinstance(error, ModelTimeout):
        return 'timeout'
    name: str = getattr(error, 'error', 'bad_reply' if isinstance(error, ModelReplyError)
                        else 'model_unavailable')
    return name[:_MAX_NAME]
