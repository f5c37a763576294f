"""The interface of an embedder: text in, unit vectors out."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
#: Values of the parameter `embedder`.
EMBEDDERS = ('minilm', 'hash')


class Embedder(Protocol):
    """A model that turns texts into vectors, whose dot product is their similarity.

    Vectors of two embedders do not mix: each is stored with the id of its embedder.
    """

    @property
    def name(self) -> str:
        """Name of it, one of EMBEDDERS."""

    @property
    def id(self) -> str:
        """Model and version; another id means incompatible vectors."""

    @property
    def dimension(self) -> int:
        """Length d of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector per text, which depends on neither the process nor the other texts.

        Args:
            texts: n texts of any length; text beyond the model's window is ignored.

        Returns:
            Shape (n, d), float32. Each row has length 1, or is zero for a text without words.
        """
