"""What an embedder is: text in, unit vectors out; and which there are."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
#: What the parameter `embedder` may say.
EMBEDDERS = ('minilm', 'hash')


class Embedder(Protocol):
    """Turns texts into vectors whose dot product tells how much they have in common.

    Vectors of two embedders do not mix: each is kept with the id of the one that made it.
    """

    @property
    def name(self) -> str:
        """One of EMBEDDERS."""

    @property
    def id(self) -> str:
        """Model and version; another id means other vectors."""

    @property
    def dimension(self) -> int:
        """The length d of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text, the same in every process and whatever stands beside it.

        Args:
            texts: n texts of any length; what is beyond the model's window does not count.

        Returns:
            Shape (n, d), float32. Each row has length 1, or is zero for a text without words.
        """
