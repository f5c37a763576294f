"""The interface of a store of places; SQLite on the robot is one."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from semantic_nav.memory.place import Edge, Place, PlaceVector


@dataclass(frozen=True, eq=False)
class StoredMap:
    """The content of a store for one map.

    Attributes:
        vector_ids: the n places that have a vector of the requested embedder.
        vectors: shape (n, d), float32, in the order of `vector_ids`.
        left_out: number of rows that cannot be used.
        left_out_reason: these rows and their faults, for people; empty for none.
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
    """Keeps places; used by one thread."""

    def load(self, map_id: str, embedder: str, dimension: int) -> StoredMap:
        """One map, with the vectors of one embedder, without the rows that cannot be used.

        Raises:
            StoreError: it cannot be read.
        """

    def save(self, place: Place, vector: PlaceVector | None = None,
             edge: Edge | None = None) -> None:
        """Write a place, new or changed, and its vector and an edge if given; all or nothing.

        Once this returns, neither the end of the process nor a power failure loses it. Vectors of
        a summary that the place no longer has are dropped.

        Raises:
            StoreError: it cannot be written.
        """

    def forget(self, map_id: str, place_id: str) -> None:
        """Remove a place, with its vectors and the ways to it; all or nothing.

        Raises:
            StoreError: it cannot be written.
        """

    def close(self) -> None:
        """Close the store."""
