"""Where a model is asked, and the limits and headers of every call to it."""

import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event as Flag
from urllib.parse import urlsplit

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.loopback import is_loopback
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.http.guard import Guard

#: The variable that holds the key of a backend; the others get none.
_KEY_VARIABLES = {'openai': 'OPENAI_API_KEY', 'anthropic': 'ANTHROPIC_API_KEY'}
#: What is received in one call at most; a streamed reply takes about 150 bytes a token.
_MAX_WIRE_BYTES = 8 << 20
_PORTS = {'http': 80, 'https': 443}
#: A server that is there takes a connection at once, also while it answers another one.
_LISTENS_S = 1.0


@dataclass(frozen=True)
class Server:
    """A model server.

    Attributes:
        url: `scheme://host:port`.
        allowed: hosts besides this machine that may be talked to.
        timeout_s: for one call, whatever its deadline.
        headers: what is sent besides the protocol's own, keys among it; names in lower case.
    """

    url: str
    allowed: frozenset[str] = frozenset()
    timeout_s: float = 120.0
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, config: HypothesisConfig, environ: Mapping[str, str]) -> 'Server':
        """Return the server of a configuration.

        Args:
            config: the parameters.
            environ: where the key stands if no file is named.

        Raises:
            ConfigError: the file of the key or of the headers cannot be read.
        """
        headers = _headers(config.extra_headers_file)
        if config.vlm_backend in _KEY_VARIABLES:
            key = (_read(config.api_key_file, 'api_key_file').strip() if config.api_key_file
                   else environ.get(_KEY_VARIABLES[config.vlm_backend], '').strip())
            if key:
                _check_value(key, 'the key')
                headers |= ({'x-api-key': key} if config.vlm_backend == 'anthropic'
                            else {'authorization': f'Bearer {key}'})
        return cls(config.base_url, config.hosts, config.request_timeout_s, headers)

    @property
    def secrets(self) -> frozenset[str]:
        """What of it no log may hold: the words of its headers."""
        return frozenset(word for value in self.headers.values() for word in value.split())

    def listens(self) -> bool:
        """Tell whether somebody takes connections there; nothing is sent.

        Nobody knocks again and again at a machine of which only a name is known, or a public one:
        the next question tells.
        """
        parts = urlsplit(self.url)
        if not parts.hostname or not _is_near(parts.hostname):
            return True
        try:
            socket.create_connection(
                (parts.hostname, parts.port or _PORTS.get(parts.scheme, 80)), _LISTENS_S).close()
        except (OSError, UnicodeError):
            return False
        return True

    def guard(self, deadline_s: float, cancelled: Flag) -> Guard:
        """Return the limits of one call, which begins now."""
        return Guard(min(deadline_s, self.timeout_s), _MAX_WIRE_BYTES, cancelled)


def _is_near(host: str) -> bool:
    """Tell whether an address is of this machine or of its own network."""
    try:
        return is_loopback(host) or ipaddress.ip_address(host).is_private
    except ValueError:
        return False


def _headers(path: str) -> dict[str, str]:
    """Return the headers of a file, one `Name: value` a line."""
    headers = {}
    for line in _read(path, 'extra_headers_file').splitlines() if path else ():
        if not line.strip() or line.startswith('#'):
            continue
        name, colon, value = line.partition(':')
        name = name.strip().lower()
        # The line itself is not shown, for it may hold a key.
        if not colon or not name.isascii() or not name.replace('-', '').isalnum():
            raise ConfigError(f'parameter extra_headers_file = {path!r}: expected lines of the '
                              f'form `Name: value`')
        _check_value(value.strip(), f'the header {name}')
        headers[name] = value.strip()
    return headers


def _read(path: str, parameter: str) -> str:
    try:
        return Path(path).expanduser().read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f'parameter {parameter} = {path!r}: {error}') from error


def _check_value(value: str, what: str) -> None:
    if not value.isascii() or not value.isprintable():
        raise ConfigError(f'{what} holds characters that no header may hold')
