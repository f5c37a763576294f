"""Errors of the clients of OpenAI and Anthropic, translated into those of this package."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpcore2
import httpx2

from semantic_nav.contracts.errors import ModelReplyError, SemanticNavError
from semantic_nav.contracts.schemas import Json, loads_strict
from semantic_nav.vlm.errors import ConnectionFailed, ServerRefused
from semantic_nav.vlm.quoting import shown


@contextmanager
def named_errors(library: Any, backend: str) -> Iterator[None]:
    """Translate the errors of a client library into those of this package.

    Args:
        library: `openai` or `anthropic`, which use the same names of errors.
        backend: name of the backend in an error.
    """
    try:
        yield
    except library.APIStatusError as error:
        # An error within a stream has the status with which the stream began.
        status = error.status_code if error.status_code >= httpx2.codes.MULTIPLE_CHOICES else -1
        said = said_in(error.body) or f'HTTP {error.status_code}'
        raise ServerRefused(said, status, backend) from error
    except library.APIConnectionError as error:
        # The client wraps the errors of the transport.
        if isinstance(error.__cause__, SemanticNavError):
            raise error.__cause__ from None
        raise _broken(error.__cause__ or error) from error
    except library.APIError as error:
        raise ServerRefused(said_in(error.body) or shown(error.message), -1, backend) from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpx2.TransportError,
            OSError) as error:
        raise _broken(error) from error
    # The client trusts the server to keep to its protocol.
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError,
            httpx2.HTTPError) as error:
        raise ModelReplyError(
            f'the model server does not speak its protocol: {shown(str(error))}') from error


def whole_reply(response: httpx2.Response, backend: str) -> Json | None:
    """The reply of a server that does not stream; None if a stream of events follows.

    The clients assume such a stream without a check.

    Raises:
        ServerRefused: the body is an error in spite of its status.
        ModelReplyError: the body is neither a stream of events nor a JSON object.
    """
    kind = response.headers.get('content-type', '').partition(';')[0].strip().lower()
    if kind == 'text/event-stream':
        return None
    if kind == 'application/json':
        body = loads_strict(response.read().decode())
        if isinstance(body, dict) and body.get('error'):
            raise ServerRefused(said_in(body), response.status_code, backend)
        if isinstance(body, dict):
            return body
    raise ModelReplyError(f'the model server answered with {shown(kind) or "no content type"} '
                          f'instead of a stream of events')


def said_in(body: object) -> str:
    """The words of an error body in any form."""
    while isinstance(body, dict):
        body = next((body[key] for key in ('message', 'error', 'detail') if body.get(key)), None)
    if isinstance(body, list):
        return shown('; '.join(filter(None, map(_breach, body))))
    return shown(body) if isinstance(body, str) else ''


def _breach(item: object) -> str:
    """The words of an entry in FastAPI's list of request faults: place and fault."""
    if not isinstance(item, dict):
        return item if isinstance(item, str) else ''
    place, words = item.get('loc'), item.get('msg')
    where = '.'.join(map(str, place)) if isinstance(place, list) else ''
    return f'{where}: {words}' if where and isinstance(words, str) else said_in(item)


def _broken(error: BaseException) -> ConnectionFailed:
    return ConnectionFailed(f'the connection to the model server broke: {error}')
