"""The backends by name, with what each one takes where nothing is set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from semantic_nav.contracts.errors import ConfigError

if TYPE_CHECKING:
    from semantic_nav.vlm.config import HypothesisConfig
    from semantic_nav.vlm.provider import Provider

_Make = Callable[['HypothesisConfig', Mapping[str, str]], 'Provider']
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Backend:
    """One way to reach a model.

    Attributes:
        base_url: where its server usually listens.
        model: what is asked where no model is named.
        make: makes its provider; only then its client library is imported, which takes a second.
    """

    name: str
    base_url: str
    model: str
    make: _Make


def _ollama(config: HypothesisConfig, environ: Mapping[str, str]) -> Provider:
    from semantic_nav.vlm.ollama_provider import OllamaProvider
    from semantic_nav.vlm.server import Server
    return OllamaProvider(config, Server.of(config, environ))


def _openai(config: HypothesisConfig, environ: Mapping[str, str]) -> Provider:
    from semantic_nav.vlm.openai_provider import OpenAIProvider
    from semantic_nav.vlm.server import Server
    return OpenAIProvider(config, Server.of(config, environ))


def _anthropic(config: HypothesisConfig, environ: Mapping[str, str]) -> Provider:
    from semantic_nav.vlm.server import Server
    try:
        from semantic_nav.vlm.anthropic_provider import AnthropicProvider
    except ModuleNotFoundError as error:
        raise ConfigError(f'parameter vlm_backend = {config.vlm_backend!r}: the package '
                          f'{error.name} is missing; run `pip install anthropic`') from error
    return AnthropicProvider(config, Server.of(config, environ))


def _mock(config: HypothesisConfig, environ: Mapping[str, str]) -> Provider:
    from semantic_nav.vlm.mock_provider import MockProvider
    del environ
    return MockProvider(config.mock_script)


BACKENDS = {backend.name: backend for backend in (
    Backend('ollama', 'http://localhost:11434', 'qwen2.5vl:7b', _ollama),
    Backend('openai', 'http://localhost:8080', 'Qwen/Qwen2.5-VL-7B-Instruct', _openai),
    Backend('anthropic', 'https://api.anthropic.com', 'claude-sonnet-5', _anthropic),
    Backend('mock', '', 'script', _mock),
)}
DEFAULT_BACKEND = 'ollama'


def backend_of(name: str) -> Backend:
    """Return the backend of a name, in whatever case; the default one of an empty name.

    Raises:
        ConfigError: there is none of that name.
    """
    backend = BACKENDS.get(name.strip().lower() or DEFAULT_BACKEND)
    if backend is None:
        raise ConfigError(f'parameter vlm_backend = {name!r}: allowed are {", ".join(BACKENDS)}')
    return backend


def make_provider(config: HypothesisConfig, environ: Mapping[str, str] = _NOTHING) -> Provider:
    """Return the provider that a configuration asks for.

    Args:
        config: the parameters.
        environ: the environment, for keys only.

    Raises:
        ConfigError: its client library is missing, or a file that it needs cannot be read.
    """
    return BACKENDS[config.vlm_backend].make(config, environ)
