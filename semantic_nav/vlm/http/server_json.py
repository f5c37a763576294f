"""A server's JSON about itself, over the guarded transport, for every backend."""

from threading import Event as Flag
from types import TracebackType

import httpcore
import httpx

from semantic_nav.contracts.errors import ModelReplyError
from semantic_nav.contracts.schemas import Json, loads_strict
from semantic_nav.vlm.errors import ConnectionFailed, ServerRefused
from semantic_nav.vlm.http.client_errors import said_in
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.http.transport import guarded_transport
from semantic_nav.vlm.quoting import shown

#: Servers answer such questions at once, also while they load a model.
_TIMEOUT_S = 5.0
#: Required by Anthropic's API; the others ignore it.
_HEADERS = {'anthropic-version': '2023-06-01'}
_Transport = guarded_transport(httpx, httpcore)


class ServerJson:
    """A client for a few questions to one server within seconds; use it as a context manager."""

    def __init__(self, server: Server, backend: str, cancelled: Flag,
                 deadline_s: float = _TIMEOUT_S) -> None:
        """Prepare the client; nothing is sent yet.

        Args:
            server: server to ask.
            backend: name of the backend in an error.
            cancelled: flag that breaks it off.
            deadline_s: time for all questions together, if shorter than the default.
        """
        self._backend = backend
        self._client = httpx.Client(
            base_url=server.url, transport=_Transport(
                server.guard(min(_TIMEOUT_S, deadline_s), cancelled), server),
            headers=_HEADERS, follow_redirects=False, trust_env=False)

    def __enter__(self) -> 'ServerJson':
        """The client itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """Close the connection."""
        self._client.close()

    def get(self, path: str, body: Json | None = None) -> Json:
        """The JSON object at a path.

        Args:
            path: path on the server.
            body: body of a POST; None for a GET.

        Raises:
            ServerRefused: it answered with an error or a redirect.
            ModelReplyError: it answered with something other than a JSON object.
            ConnectionFailed: it did not answer.
            ModelTimeout, CallCancelled: see `Guard`.
        """
        try:
            reply = self._client.request('GET' if body is None else 'POST', path, json=body)
        except (httpcore.NetworkError, httpcore.ProtocolError, httpx.TransportError,
                OSError) as error:
            raise ConnectionFailed(f'the connection to the model server broke: {error}') from error
        try:
            value = loads_strict(reply.text)
        except (ValueError, RecursionError):
            value = None
        if not reply.is_success:
            said = said_in(value) or f'HTTP {reply.status_code}'
            raise ServerRefused(said, reply.status_code, self._backend)
        if not isinstance(value, dict):
            raise ModelReplyError(f'{path} of the model server is no JSON object but '
                                  f'{shown(reply.text[:60])!r}')
        return value

    def ask(self, path: str, body: Json | None = None) -> Json | None:
        """The JSON object at a path; None if the server does not know the path or the thing.

        Raises:
            Errors of `get`, except for a 404.
        """
        try:
            return self.get(path, body)
        except ServerRefused as error:
            if error.status == httpx.codes.NOT_FOUND:
                return None
            raise


def entries(value: Json | None, key: str) -> list[Json]:
    """The objects of a list in a reply; empty if it is not a list."""
    found = (value or {}).get(key)
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(
        found, list) else []


def inside(value: object, *keys: str) -> object:
    """The value under nested keys; None if one of them is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def count_of(value: object) -> int:
    """A value as a count; 0 if it is not one."""
    return value if type(value) is int and value > 0 else 0


def words_of(value: object) -> str:
    """A value as printable text; empty if it is not a text."""
    return shown(value) if isinstance(value, str) else ''
