"""Access control of the page by the request's host, origin and session token."""

import hmac
import os
import secrets
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from pathlib import Path

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.loopback import is_loopback

_LOOPBACK = ('127.0.0.1', 'localhost', '[::1]')
_LEAST_TOKEN_CHARS = 16
_MOST_TOKEN_BYTES = 4096
#: Most sessions that are open at once; the oldest one is dropped first.
_MOST_SESSIONS = 64
#: Headers of every response: nothing loads from elsewhere, and no inline script runs.
SECURITY_HEADERS = (
    ('content-security-policy',
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
     "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"),
    ('x-content-type-options', 'nosniff'), ('x-frame-options', 'DENY'),
    # With no referrer at all, forms would send no origin.
    ('referrer-policy', 'same-origin'), ('cross-origin-opener-policy', 'same-origin'),
    ('cross-origin-resource-policy', 'same-origin'), ('cache-control', 'no-store'),
    ('permissions-policy', 'camera=(), geolocation=(), microphone=(self)'))


def read_token(bind: str, path: str) -> str:
    """The token that clients must send; empty if none is needed and none is set.

    Raises:
        ConfigError: a token is needed and none is set, or its file cannot be used.
    """
    if not path:
        if is_loopback(bind):
            return ''
        raise ConfigError(f'bind {bind} lets other machines in: name a token_file, or bind '
                          '127.0.0.1 and come through a tunnel')
    try:
        with Path(path).expanduser().open('rb') as file:
            status = os.fstat(file.fileno())
            content = file.read(_MOST_TOKEN_BYTES)
    except OSError as error:
        raise ConfigError(f'token_file {path} cannot be read: {error.strerror}') from error
    if not stat.S_ISREG(status.st_mode) or stat.S_IMODE(status.st_mode) & 0o077:
        raise ConfigError(f'token_file {path} may be read by others: `chmod 600` it, and choose '
                          'another token')
    token = content.decode('utf-8', 'replace').strip()
    if len(token) < _LEAST_TOKEN_CHARS:
        raise ConfigError(f'token_file {path} holds {len(token)} characters, '
                          f'{_LEAST_TOKEN_CHARS} are due at least')
    return token


@dataclass
class PageGuard:
    """Judges requests by their headers.

    Attributes:
        hosts: the page's host names, each with its port.
        token: that clients must send; empty for none.
    """

    hosts: frozenset[str]
    token: str = ''
    _sessions: dict[str, None] = field(default_factory=dict)

    @classmethod
    def of(cls, bind: str, port: int, names: str = '', token: str = '') -> 'PageGuard':
        """The guard of an address.

        Args:
            bind: address that is listened on.
            port: port that is listened on.
            names: further host names of the page, separated by commas.
            token: that clients must send; empty for none.
        """
        address = f'[{bind}]' if ':' in bind else bind
        named: Iterable[str] = (name.strip().lower() for name in names.split(',') if name.strip())
        return cls(frozenset(f'{name}:{port}' for name in (*_LOOPBACK, address, *named)), token)

    @property
    def cookie(self) -> str:
        """Name of the cookie, with the port, as all ports of a host share their cookies."""
        port = next(iter(self.hosts)).rpartition(':')[2]
        return f'semantic_nav_operator_{port}'

    def refusal(self, headers: Iterable[tuple[bytes, bytes]], *, needs_origin: bool) -> str:
        """The reason why a request is refused by its host or origin; empty if it is not.

        Args:
            headers: names in lower case.
            needs_origin: of a websocket, for which every browser sends one.
        """
        found = list(headers)
        hosts, origins = (
            [value.decode('latin-1') for name, value in found if name == wanted]
            for wanted in (b'host', b'origin'))
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return 'this page is not called by that host; see allowed_hosts'
        if len(origins) > 1 or (needs_origin and not origins):
            return 'no origin'
        if origins and origins[0].lower() != f'http://{hosts[0].lower()}':
            return 'another page may not speak here'
        return ''

    def knows(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        """Tell whether a request has a session that was begun with the token."""
        if not self.token:
            return True
        for name, value in headers:
            if name != b'cookie':
                continue
            try:
                morsel = SimpleCookie(value.decode('latin-1')).get(self.cookie)
            except CookieError:
                continue
            if morsel is not None and any(
                    hmac.compare_digest(morsel.value.encode(), one.encode())
                    for one in self._sessions):
                return True
        return False

    def begin(self, token: str) -> str | None:
        """The cookie of a new session; None for a wrong token."""
        if not self.token or not hmac.compare_digest(token.encode(), self.token.encode()):
            return None
        session = secrets.token_urlsafe(32)
        self._sessions[session] = None
        while len(self._sessions) > _MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return f'{self.cookie}={session}; HttpOnly; SameSite=Strict; Path=/'
