"""Values from environment variables for empty parameters.

They are checked here, so that an error names the variable and not a parameter.
"""

import ipaddress
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.vlm.settings.backends import BACKENDS, backend_of
from semantic_nav.vlm.settings.choices import RESPONSE_FORMATS, TOOL_CHOICES, one_of
from semantic_nav.vlm.settings.server_url import allowed_hosts, server_url

_BACKEND = 'VLM_BACKEND'
_OPENAI_URL, _OPENAI_ENDPOINT = 'OPENAI_BASE_URL', 'OPENAI_ENDPOINT'
_V1 = '/v1'
_OPENAI_ENDS = (f'{_V1}/chat/completions', _V1)
_OPENAI_TIMEOUT = 'OPENAI_TIMEOUT'
#: Variables of the backend openai with a few allowed words.
_OPENAI_WORDS = {
    'response_format': ('OPENAI_RESPONSE_FORMAT', RESPONSE_FORMATS),
    'tool_choice': ('OPENAI_TOOL_CHOICE', TOOL_CHOICES),
}
_LONGEST_S = 3600.0
_OLLAMA_HOST, _OLLAMA_PORT = 'OLLAMA_HOST', 'OLLAMA_PORT'
_SCHEME_PORTS = {'http': 80, 'https': 443}
_USUAL_PORT = 11434
_MOST_PORT = 65535
#: Client's address of a server that listens on all interfaces.
_ANYWHERE = {'0.0.0.0': '127.0.0.1', '::': '::1'}


def with_environment(values: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    """The parameters, with empty ones from the environment where it has them.

    Keys are not read here: they are not parameters, which are written to journals.

    Args:
        values: parameters of the hypothesis node by name.
        environ: the environment.

    Raises:
        ConfigError: the value of a variable is not allowed.
    """
    said = {name: value.strip() for name, value in environ.items() if value.strip()}
    filled = dict(values)
    if not filled.get('vlm_backend') and _BACKEND in said:
        filled['vlm_backend'] = backend_of(said[_BACKEND], f'environment {_BACKEND}').name
    backend = str(filled.get('vlm_backend', '')).strip().lower() or 'ollama'
    found: dict[str, Any] = {}
    if backend == 'openai':
        found = _of_openai(said, filled)
    elif backend == 'ollama' and said.keys() & {_OLLAMA_HOST, _OLLAMA_PORT} and not filled.get(
            'base_url'):
        found = {'base_url': _ollama_url(said, _allowed(filled))}
    return filled | {name: value for name, value in found.items()
                     if value and not filled.get(name)}


def _of_openai(said: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if not values.get('base_url'):
        found['base_url'] = _openai_url(said, _allowed(values))
    for name, (variable, choices) in _OPENAI_WORDS.items():
        if variable in said and not values.get(name):
            found[name] = one_of(f'environment {variable}', said[variable], choices)
    if _OPENAI_TIMEOUT in said and not values.get('request_timeout_s'):
        found['request_timeout_s'] = _seconds(_OPENAI_TIMEOUT, said[_OPENAI_TIMEOUT])
    return found


def _allowed(values: Mapping[str, Any]) -> frozenset[str]:
    return allowed_hosts(str(values.get('allowed_hosts', '')))


def _openai_url(said: Mapping[str, str], allowed: frozenset[str]) -> str:
    """The URL of the server, with the path of the endpoint if that is set.

    Either of the two variables may hold the `/v1`, or both.
    """
    base, endpoint = said.get(_OPENAI_URL, ''), said.get(_OPENAI_ENDPOINT, '')
    url = server_url(base, allowed, f'environment {_OPENAI_URL}') if base else ''
    where = f'environment {_OPENAI_ENDPOINT}'
    if not endpoint:
        return url
    if '://' in endpoint:
        return url or server_url(endpoint, allowed, where)
    path = f'/{endpoint.strip("/")}'
    if base.rstrip('/').endswith(_V1) and not path.startswith(_V1):
        path = f'{_V1}{path}'
    # Without a URL, an endpoint that does not begin with a slash may be meant as a host.
    if not path.endswith(_OPENAI_ENDS) or not (url or endpoint.startswith('/')):
        raise ConfigError(f'{where} = {endpoint!r}: expected a URL, or a path that ends in '
                          f'{_OPENAI_ENDS[0]}')
    return server_url(f'{url or BACKENDS["openai"].base_url}{path}', allowed, where)


def _ollama_url(said: Mapping[str, str], allowed: frozenset[str]) -> str:
    """The URL by the rules of Ollama's own client: host, port and scheme are optional.

    The variable also tells a server its interfaces: all of them mean this machine to a client. A
    port from OLLAMA_PORT, which some containers set, goes to a host without one.
    """
    usual = _port(said[_OLLAMA_PORT]) if _OLLAMA_PORT in said else 0
    bare = said.get(_OLLAMA_HOST, 'localhost').strip('"\'')
    scheme, with_scheme, rest = bare.partition('://')
    if not with_scheme:
        scheme, rest = 'http', bare
    with suppress(ValueError):  # an IPv6 address may lack brackets
        rest = f'[{ipaddress.IPv6Address(rest)}]'
    url = f'{scheme}://{rest}'
    with suppress(ValueError):
        parts = urlsplit(url)
        host = _ANYWHERE.get(parts.hostname or '127.0.0.1', parts.hostname or '127.0.0.1')
        port = parts.port
        if port is None:
            port = usual or (_SCHEME_PORTS.get(scheme, _USUAL_PORT) if with_scheme
                             else _USUAL_PORT)
        if '@' not in parts.netloc:
            shown = f'[{host}]' if ':' in host else host
            url = parts._replace(netloc=f'{shown}:{port}').geturl()
    return server_url(url, allowed, f'environment {_OLLAMA_HOST}')


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= _MOST_PORT:
        raise ConfigError(f'environment {_OLLAMA_PORT} = {text!r}: expected a port, 1 to '
                          f'{_MOST_PORT}')
    return int(text)


def _seconds(variable: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds <= _LONGEST_S:
        raise ConfigError(f'environment {variable} = {text!r}: expected seconds, more than 0 and '
                          f'at most {_LONGEST_S:.0f}')
    return seconds
