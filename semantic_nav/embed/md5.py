"""An embedder that compares nothing: the MD5 of a text, spread over a vector."""

import hashlib
from collections.abc import Sequence

import numpy as np

from semantic_nav.embed.embedder import Vectors
from semantic_nav.embed.words import tokens

_BLOCK = hashlib.md5().digest_size


class Md5Embedder:
    """Equal texts have equal vectors; any two others are as good as at right angles.

    Texts are equal that have the same words in the same order. So retrieval goes by words alone
    where nothing better is there, and a test knows each vector. Over `dimension` numbers the
    cosine of two texts that differ has a standard deviation of 1 / sqrt(dimension).
    """

    def __init__(self, dimension: int = 512) -> None:
        """Make vectors of this length, a multiple of 16."""
        self._dimension = dimension

    @property
    def name(self) -> str:
        """What the parameter `embedder` calls it."""
        return 'md5'

    @property
    def id(self) -> str:
        """The scheme, its dimension and its version."""
        return f'md5-{self._dimension}-v1'

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text, shape (n, d); zero for a text without words."""
        result = np.zeros((len(texts), self._dimension), np.float32)
        for row, text in zip(result, texts, strict=True):
            if words := tokens(text):
                row[:] = _spread(' '.join(words), self._dimension)
        return result


def _spread(text: str, dimension: int) -> Vectors:
    digest = hashlib.md5(text.encode(errors='surrogatepass'), usedforsecurity=False).digest()
    blocks = (hashlib.md5(digest + number.to_bytes(4, 'big'), usedforsecurity=False).digest()
              for number in range(dimension // _BLOCK))
    values = np.frombuffer(b''.join(blocks), np.uint8) - 127.5
    return (values / np.linalg.norm(values)).astype(np.float32)
