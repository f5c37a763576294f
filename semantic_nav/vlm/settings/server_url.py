"""The check of model server URLs: this machine, or allowed hosts."""

import ipaddress
import re
from urllib.parse import urlsplit

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.loopback import is_loopback

_DEFAULT_PORTS = {'http': 80, 'https': 443}
#: Endings of a URL that all mean the same server.
_END = re.compile(r'(/v1(/chat/completions)?)?/?\Z')
#: Path of a gateway; a version segment in it would be a misplaced one of the API's own.
_GATEWAY = re.compile(r'(/(?!v[0-9]+(/|\Z))[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*')
_CHAT = '/chat/completions'
_HOST_NAME = re.compile(r'[a-z0-9]([a-z0-9.-]*[a-z0-9])?')


def allowed_hosts(text: str) -> frozenset[str]:
    """The hosts of a list with commas, in lower case.

    Raises:
        ConfigError: one is neither a host name nor an address.
    """
    hosts = frozenset(host.strip().lower() for host in text.split(',') if host.strip())
    for host in hosts:
        if not _HOST_NAME.fullmatch(host) and not _is_address(host):
            raise ConfigError(f'parameter allowed_hosts = {text!r}: {host!r} is no host name or '
                              f'address; write names with commas, without ports')
    return hosts


def server_url(base_url: str, allowed: frozenset[str] = frozenset(),
               where: str = 'parameter base_url') -> str:
    """The URL `scheme://host:port/path` of a model server on this machine or an allowed host.

    The URL is rebuilt from its parts, so that this check and the HTTP client read it alike. The
    path is that of a gateway, usually empty; a `/v1` at its end is dropped.

    Args:
        base_url: URL as the operator wrote it.
        allowed: other hosts to which pictures may be sent.
        where: source of the URL, for an error.

    Raises:
        ConfigError: the URL is malformed, carries credentials or names another machine.
    """
    def refuse(reason: str) -> ConfigError:
        return ConfigError(f'{where} = {base_url!r}: {reason}')

    if not base_url.isascii() or not base_url.isprintable() or ' ' in base_url or '\\' in base_url:
        raise refuse('a URL holds printable ASCII only')
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname or '', parts.port
    except ValueError as error:
        raise refuse(str(error)) from error
    if port == 0:
        raise refuse('no server listens on port 0')
    if parts.scheme not in _DEFAULT_PORTS:
        raise refuse('expected http://host:port or https://host:port')
    if '@' in parts.netloc:
        raise refuse('credentials do not belong here')
    path = _END.sub('', parts.path, count=1)
    if path.endswith(_CHAT) or not _GATEWAY.fullmatch(path) or parts.query or parts.fragment:
        raise refuse('after the port may follow the path of a gateway, then /v1 or '
                     '/v1/chat/completions, and nothing else')
    if host not in allowed and not is_loopback(host):
        raise refuse(f'pictures stay on the robot, and {host or "no host"} is not this machine; '
                     f'use localhost, 127.0.0.1 or [::1], or name it in allowed_hosts')
    shown = f'[{host}]' if ':' in host else host
    return f'{parts.scheme}://{shown}:{port or _DEFAULT_PORTS[parts.scheme]}{path}'


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
