"""The providers by the name of their backend."""

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.mock_provider import MockProvider
from semantic_nav.vlm.ollama_provider import OllamaProvider
from semantic_nav.vlm.provider import Provider


def make_provider(config: HypothesisConfig, seed: int = 0) -> Provider:
    """Return the provider that a configuration asks for.

    Args:
        config: the parameters.
        seed: of the model's sampling.

    Raises:
        ConfigError: its script cannot be read.
    """
    if config.vlm_backend == 'mock':
        return MockProvider(config.mock_script)
    return OllamaProvider(config, seed)
