"""The backends by name, with their defaults."""

from dataclasses import dataclass

from semantic_nav.contracts.errors import ConfigError


@dataclass(frozen=True)
class Backend:
    """One way to reach a model.

    Attributes:
        base_url: default URL of its server.
        model: default model.
    """

    name: str
    base_url: str
    model: str


BACKENDS = {backend.name: backend for backend in (
    Backend('ollama', 'http://localhost:11434', 'qwen2.5vl:7b'),
    Backend('openai', 'http://localhost:8080', 'Qwen/Qwen2.5-VL-7B-Instruct'),
    Backend('anthropic', 'https://api.anthropic.com', 'claude-sonnet-5'),
    Backend('mock', '', 'script'),
)}
DEFAULT_BACKEND = 'ollama'


def backend_of(name: str, where: str = 'parameter vlm_backend') -> Backend:
    """The backend of a name in any case; the default one for an empty name.

    Args:
        name: name of the backend.
        where: source of the name, for an error.

    Raises:
        ConfigError: there is no backend of that name.
    """
    backend = BACKENDS.get(name.strip().lower() or DEFAULT_BACKEND)
    if backend is None:
        raise ConfigError(f'{where} = {name!r}: allowed are {", ".join(BACKENDS)}')
    return backend
