"""The embedders by name."""

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.embed.embedder import EMBEDDERS, Embedder
from semantic_nav.embed.hashing import HashEmbedder
from semantic_nav.embed.minilm import MiniLmEmbedder

#: The embedder that needs no package or file that could be missing.
FALLBACK_EMBEDDER = 'hash'


def load_embedder(name: str) -> Embedder:
    """An embedder, loaded and ready.

    Raises:
        ConfigError: the name is unknown, or a package that the embedder needs is not installed.
    """
    match name:
        case 'minilm':
            return MiniLmEmbedder()
        case 'hash':
            return HashEmbedder()
        case _:
            raise ConfigError(f'unknown embedder {name!r}: allowed are {", ".join(EMBEDDERS)}')
