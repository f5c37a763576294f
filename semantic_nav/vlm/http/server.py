"""The model server, with the limits and headers of every call."""

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

#: Environment variable with the key of a backend; other backends get no key.
_KEY_VARIABLES = {'openai': 'OPENAI_API_KEY', 'anthropic': 'ANTHROPIC_API_KEY'}
#: Most bytes received in one call; a streamed reply takes about 150 bytes per token.
_MAX_WIRE_BYTES = 8 << 20
_PORTS = {'http': 80, 'https': 443}
#: Time to connect: a running server accepts at once, also while it answers another call.
_LISTENS_S = 1.0


@dataclass(frozen=True)
class Server:
    """A model server.

    Attributes:
        url: `scheme://host:port`.
        allowed: hosts that may be called, besides this machine.
        timeout_s: longest time for one call, whatever its deadline.
        headers: headers besides the protocol's own, keys included; names in lower case.
    """

    url: str
    allowed: frozenset[str] = frozenset()
    timeout_s: float = 120.0
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, config: HypothesisConfig, environ: Mapping[str, str]) -> 'Server':
        """The server of a configuration.

        Args:
            config: the parameters.
            environ: environment that holds the key if no file is named.

        Raises:
            ConfigError: the file of the key or of the headers cannot be read, or is malformed.
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
        """Words that no log may hold: those of its headers."""
        return frozenset(word for value in self.headers.values() for word in value.split())

    def listens(self) -> bool:
        """Tell whether the server accepts connections; nothing is sent.

        A public address, or a host known by name only, is not tried, and counts as listening: the
        next question tells.
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
        """The guard of a call that begins now."""
        return Guard(min(deadline_s, self.timeout_s), _MAX_WIRE_BYTES, cancelled)


def _is_near(host: str) -> bool:
    """Tell whether an address is that of this machine or of a private network."""
    try:
        return is_loopback(host) or ipaddress.ip_address(host).is_private
    except ValueError:
        return False


def _headers(path: str) -> dict[str, str]:
    """The headers of a file, one `Name: value` per line."""
    headers = {}
    for line in _read(path, 'extra_headers_file').splitlines() if path else ():
        if not line.strip() or line.startswith('#'):
            continue
        name, colon, value = line.partition(':')
        name = name.strip().lower()
        # The line itself is not shown, because it may hold a key.
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
