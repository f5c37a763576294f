"""An embedder without a model: hashed character trigrams."""

import hashlib
import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from semantic_nav.embed.embedder import Vectors
from semantic_nav.embed.words import content_words

_EDGE = '\x00'


class HashEmbedder:
    """An embedder of spelling, not meaning: texts that share words, or parts of them, are near.

    Each content word has one weight, spread over its trigrams, edges included; a
    trigram's index and sign are a hash that no process or platform changes (Weinberger et al.,
    Feature Hashing for Large Scale Multitask Learning, ICML 2009).
    """

    def __init__(self, dimension: int = 512) -> None:
        """Make vectors of this length."""
        self._dimension = dimension

    @property
    def name(self) -> str:
        """Name of it in the parameter `embedder`."""
        return 'hash'

    @property
    def id(self) -> str:
        """Name of the scheme, with its dimension and version."""
        return f'hash-trigram-{self._dimension}-v1'

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, one per text, shape (n, d); zero for a text without content words."""
        result = np.zeros((len(texts), self._dimension), np.float32)
        for row, text in zip(result, texts, strict=True):
            for word in content_words(text):
                trigrams = _trigrams(word)
                weight = 1 / math.sqrt(len(trigrams))
                for trigram in trigrams:
                    index, sign = _slot(trigram, self._dimension)
                    row[index] += sign * weight
            length = float(np.linalg.norm(row))
            if length > 0:
                row /= length
        return result


def _trigrams(word: str) -> list[str]:
    padded = f'{_EDGE}{word}{_EDGE}'
    return [padded[start:start + 3] for start in range(max(1, len(padded) - 2))]


@lru_cache(maxsize=65536)
def _slot(trigram: str, dimension: int) -> tuple[int, float]:
    digest = hashlib.blake2b(trigram.encode(), digest_size=8).digest()
    number = int.from_bytes(digest, 'big')
    return (number >> 1) % dimension, 1.0 if number & 1 else -1.0
