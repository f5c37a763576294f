"""The provider of a configuration."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.providers.provider import Provider

_Make = Callable[[HypothesisConfig, Mapping[str, str]], Provider]
_NOTHING: Mapping[str, str] = MappingProxyType({})


def _ollama(config: HypothesisConfig, environ: Mapping[str, str]) -> Provider:
    from semantic_nav.vlm.providers.ollama_provider import OllamaProvider
    return OllamaProvider(config, Server.of(config, environ))


def _openai(config: HypothesisConfig, environ: Mapping[str, str]) -> Provider:
    from semantic_nav.vlm.providers.openai_provider import OpenAIProvider
    return OpenAIProvider(config, Server.of(config, environ))


def _anthropic(config: HypothesisConfig, environ: Mapping[str, str]) -> Provider:
    try:
        from semantic_nav.vlm.providers.anthropic_provider import AnthropicProvider
    except ModuleNotFoundError as error:
        raise ConfigError(f'parameter vlm_backend = {config.vlm_backend!r}: the package '
                          f'{error.name} is missing; run `pip install anthropic`') from error
    return AnthropicProvider(config, Server.of(config, environ))


def _mock(config: HypothesisConfig, environ: Mapping[str, str]) -> Provider:
    from semantic_nav.vlm.providers.mock_provider import MockProvider
    del environ
    return MockProvider(config.mock_script)


#: Each function imports its client library only when called, as that takes a second.
_MAKES: dict[str, _Make] = {
    'ollama': _ollama, 'openai': _openai, 'anthropic': _anthropic, 'mock': _mock}


def make_provider(config: HypothesisConfig, environ: Mapping[str, str] = _NOTHING) -> Provider:
    """The provider of a configuration.

    Args:
        config: the parameters.
        environ: the environment, for keys only.

    Raises:
        ConfigError: its client library is missing, or a file that it needs cannot be read.
    """
    return _MAKES[config.vlm_backend](config, environ)
