"""Ollama's own client, with the limits and the errors of this package."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpcore
import httpx
import ollama
import pydantic

from semantic_nav.contracts.errors import ModelReplyError
from semantic_nav.vlm.errors import ConnectionFailed, MissingField, ServerRefused
from semantic_nav.vlm.http.guard import Guard
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.http.transport import guarded_transport
from semantic_nav.vlm.providers.ollama_lines import checked_lines
from semantic_nav.vlm.quoting import shown

_Transport = guarded_transport(httpx, httpcore)


def client_of(server: Server, guard: Guard, model: str = '') -> ollama.Client:
    """A client of a server for one call; use it as a context manager.

    Args:
        server: server to ask.
        guard: guard of the call.
        model: model that is asked, if any; an answer from a machine that is not allowed raises
            RemoteModel.
    """
    mend = (checked_lines(model, server.allowed),) if model else ()
    transport = _Transport(guard, server, *mend)
    return ollama.Client(host=server.url, transport=transport, follow_redirects=False,
                         trust_env=False, timeout=guard.check())


@contextmanager
def named_errors() -> Iterator[None]:
    """Translate the errors of the client library into those of this package."""
    try:
        yield
    except ollama.ResponseError as error:
        said = shown(str(error.error)) or f'HTTP {error.status_code}'
        raise ServerRefused(said, error.status_code) from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpx.TransportError, OSError) as error:
        raise ConnectionFailed(f'the connection to the model server broke: {error}') from error
    except pydantic.ValidationError as error:
        raise MissingField(f'the model server left out {_fields(error)}') from error
    # The client trusts the server to send JSON objects.
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError,
            httpx.HTTPError) as error:
        raise ModelReplyError(
            f'the model server does not speak its protocol: {shown(str(error))}') from error


def _fields(error: pydantic.ValidationError) -> str:
    names = ['.'.join(str(part) for part in item['loc']) for item in error.errors()]
    return shown(', '.join(names))
