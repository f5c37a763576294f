"""The parameters of the hypothesis node, and which model servers it may talk to."""

import ipaddress
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.parameters import parameter

_DEFAULT_PORTS = {'http': 80, 'https': 443}
#: Model families that write boxes in pixels of the picture sent; the others write 0-1000.
_PIXEL_FAMILIES = ('qwen2.5vl', 'qwen2.5-vl', 'qwen25vl')


class BoxConvention(StrEnum):
    """How a model writes boxes."""

    PERMILLE = 'permille'
    PIXELS = 'pixels'


def local_server(base_url: str) -> str:
    """Return `scheme://host:port` of a model server on this machine.

    The URL is put together anew from its parts, so that nothing of it can mean one thing to this
    check and another to the HTTP client.

    Raises:
        ConfigError: the URL is malformed, carries credentials or names another machine.
    """
    def refuse(reason: str) -> ConfigError:
        return ConfigError(f'parameter base_url = {base_url!r}: {reason}')

    if not base_url.isascii() or not base_url.isprintable() or ' ' in base_url or '\\' in base_url:
        raise refuse('a URL holds printable ASCII only')
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname or '', parts.port
    except ValueError as error:
        raise refuse(str(error)) from error
    if parts.scheme not in _DEFAULT_PORTS:
        raise refuse('expected http://host:port or https://host:port')
    if '@' in parts.netloc:
        raise refuse('credentials do not belong here')
    if parts.path not in ('', '/') or parts.query or parts.fragment:
        raise refuse('nothing may follow the port')
    if not _is_loopback(host):
        raise refuse(f'pictures stay on the robot, and {host or "no host"} is not this machine; '
                     f'use localhost, 127.0.0.1 or [::1]')
    shown = f'[{host}]' if ':' in host else host
    return f'{parts.scheme}://{shown}:{port or _DEFAULT_PORTS[parts.scheme]}'


def _is_loopback(host: str) -> bool:
    if host == 'localhost':
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class HypothesisConfig:
    """Parameters of the hypothesis node.

    Raises:
        ConfigError: `base_url` is not a server on this machine.
    """

    vlm_backend: str = parameter(
        'ollama', 'Who answers: a model server, or a script of ready replies for trials.',
        choices=('ollama', 'mock'))
    model: str = parameter('qwen2.5vl:7b', 'Name of the vision-language model on the server.')
    base_url: str = parameter(
        'http://localhost:11434', 'The model server; only this machine is allowed.')
    temperature: float = parameter(0.2, 'Sampling temperature of the model.', 0.0, 2.0)
    max_retries: int = parameter(
        1, 'How often a reply that fails the gate is sent back for repair.', 0, 2)
    num_predict: int = parameter(512, 'Longest reply in tokens.', 32, 8192)
    num_ctx: int = parameter(
        8192, 'Context window in tokens; a change makes the server load the model anew.',
        2048, 262144)
    keep_alive: str = parameter(
        '30m', 'How long the server keeps the model loaded after a call, as a duration.')
    think: bool = parameter(False, 'Let a thinking model think before it answers.')
    jpeg_quality: int = parameter(85, 'JPEG quality of the pictures sent.', 30, 95)
    image_long_side_px: int = parameter(
        644, 'Longer side of the pictures sent, brought to a multiple of 28 pixels. A model that '
        'writes boxes in pixels gets at least 1024 patches of 28 by 28 whatever this says.',
        56, 2016)
    box_convention: str = parameter(
        'auto', 'How the model writes boxes: 0-1000, or pixels of the picture sent; auto goes by '
        'the model name.', choices=('auto', 'permille', 'pixels'))
    target_memory_s: float = parameter(
        60.0, 'How long after its last sight the fallback still approaches the target, in '
        'seconds.', 0.0, 3600.0)
    picture_timeout_s: float = parameter(
        3.0, 'How long to wait for a picture from the camera, in seconds.', 0.1, 60.0)
    mock_script: str = parameter(
        '', 'File of ready replies for vlm_backend mock, one JSON value a line; empty: explore.')

    def __post_init__(self) -> None:
        """Check what ranges cannot say."""
        local_server(self.base_url)
        if not self.model.strip():
            raise ConfigError("parameter model = '': name a model that the server has")

    @property
    def server(self) -> str:
        """`scheme://host:port` of the model server."""
        return local_server(self.base_url)

    @property
    def boxes(self) -> BoxConvention:
        """How the model writes boxes."""
        if self.box_convention != 'auto':
            return BoxConvention(self.box_convention)
        family = self.model.lower().rsplit('/', 1)[-1]
        if self.vlm_backend == 'ollama' and family.startswith(_PIXEL_FAMILIES):
            return BoxConvention.PIXELS
        return BoxConvention.PERMILLE
