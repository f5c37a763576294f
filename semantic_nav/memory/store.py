"""What a store of places is; SQLite on the robot is one."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from semantic_nav.memory.place import Edge, Place, PlaceVector


@dataclass(frozen=True, eq=False)
class StoredMap:
    """All that a store holds of one map.

    Attributes:
        vector_ids: the places that have a vector of the embedder asked for, n of them.
        vectors: shape (n, d), float32, in the order of `vector_ids`.
        left_out: how many rows cannot be used.
        left_out_reason: which ones, and why, for people; empty where there are none.
    """

    places: tuple[Place, ...]
    edges: tuple[Edge, ...]
    vector_ids: tuple[str, ...]
    vectors: NDArray[np.float32]
    left_out: int = 0
    left_out_reason: str = ''

    @property
    def unembedded(self) -> tuple[str, ...]:
        """The places without a vector of this embedder: new, or embedded by another one."""
        embedded = set(self.vector_ids)
        return tuple(place.id for place in self.places if place.id not in embedded)


class Store(Protocol):
    """Keeps places. One thread uses it."""

    def load(self, map_id: str, embedder: str, dimension: int) -> StoredMap:
        """Return one map, with the vectors of one embedder; what cannot be used is left out.

        Raises:
            StoreError: it cannot be read.
        """

    def save(self, place: Place, vector: PlaceVector | None = None,
             edge: Edge | None = None) -> None:
        """Write a place, new or changed, with what is given besides; all of it or nothing.

        When this returns, neither the end of the process nor of the power loses it. Vectors of a
        summary that the place no longer has are dropped.

        Raises:
            StoreError: it cannot be written.
        """

    def forget(self, map_id: str, place_id: str) -> None:
        """Take a place away, with its vectors and the ways to it; all of it or nothing.

        Raises:
            StoreError: it cannot be written.
        """

    def close(self) -> None:
        """Let go of the store."""
