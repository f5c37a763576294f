"""What a server says about itself: JSON over the guarded transport, whichever client asks it."""

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
#: Anthropic's API asks for it; the others pass it over.
_HEADERS = {'anthropic-version': '2023-06-01'}
_Transport = guarded_transport(httpx, httpcore)


class ServerJson:
    """A few questions to one server, within a few seconds together; use it as a context."""

    def __init__(self, server: Server, backend: str, cancelled: Flag,
                 deadline_s: float = _TIMEOUT_S) -> None:
        """Ask nothing yet.

        Args:
            server: whom.
            backend: its name in an error.
            cancelled: breaks it off when set.
            deadline_s: for all questions together, if it is shorter than usual.
        """
        self._backend = backend
        self._client = httpx.Client(
            base_url=server.url, transport=_Transport(
                server.guard(min(_TIMEOUT_S, deadline_s), cancelled), server),
            headers=_HEADERS, follow_redirects=False, trust_env=False)

    def __enter__(self) -> 'ServerJson':
        """Return itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """Close the connection."""
        self._client.close()

    def get(self, path: str, body: Json | None = None) -> Json:
        """Return the JSON object at a path.

        Args:
            path: on the server.
            body: sent as a POST, if any.

        Raises:
            ServerRefused: it answered with an error or elsewhere.
            ModelReplyError: it answered with something else than a JSON object.
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
        """Return the same; None where the server does not know the path or the thing asked for.

        Raises:
            Errors of `get`, but for a 404.
        """
        try:
            return self.get(path, body)
        except ServerRefused as error:
            if error.status == httpx.codes.NOT_FOUND:
                return None
            raise


def entries(value: Json | None, key: str) -> list[Json]:
    """Return the objects of a list in a reply; none where it is no list."""
    found = (value or {}).get(key)
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(
        found, list) else []


def inside(value: object, *keys: str) -> object:
    """Return what stands at the end of these keys; None where one of them is missing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def count_of(value: object) -> int:
    """Return a count, 0 for what is none."""
    return value if type(value) is int and value > 0 else 0


def words_of(value: object) -> str:
    """Return a text, printable; an empty one for what is none."""
    return shown(value) if isinstance(value, str) else ''
