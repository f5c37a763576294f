"""Places with vectors of a few dimensions, for tests of retrieval."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.memory.place import Place, summarise

DIMENSION = 6


def make_place(place_id: str, tags: Sequence[str] = (), pose: Pose2D | None = None,
               kind: str = '') -> Place:
    return Place(place_id, 'home', pose or Pose2D(0, 0, 0), kind, tuple(tags),
                 summarise(kind, tuple(tags)), 0, 0, 1, 's')


def unit(*values: float) -> NDArray[np.float32]:
    vector = np.zeros(DIMENSION, np.float32)
    vector[:len(values)] = values
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def at_cosine(cosine: float) -> NDArray[np.float32]:
    """Return a unit vector at this cosine to unit(1)."""
    return unit(cosine, (1 - cosine ** 2) ** 0.5)
