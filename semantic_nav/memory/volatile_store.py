"""A store that lasts until it is closed."""

import numpy as np

from semantic_nav.contracts.errors import StoreError
from semantic_nav.memory.place import Edge, Place, PlaceVector
from semantic_nav.memory.sound import sound_map
from semantic_nav.memory.store import StoredMap


class VolatileStore:
    """Places in the process alone, for trials and for robots that may write nowhere."""

    def __init__(self) -> None:
        """Start empty."""
        self._places: dict[tuple[str, str], Place] = {}
        self._vectors: dict[tuple[str, str, str], PlaceVector] = {}
        self._edges: dict[tuple[str, str, str], Edge] = {}
        self._open = True

    def load(self, map_id: str, embedder: str, dimension: int) -> StoredMap:
        """One map, with the vectors of one embedder."""
        self._check_open()
        found = [vector for (map_of, _, made_by), vector in self._vectors.items()
                 if (map_of, made_by) == (map_id, embedder)]
        vectors = [vector for vector in found if len(vector.values) == dimension]
        faults = [f'vector of {vector.place_id[:80]!a}: it has the length {len(vector.values)}'
                  for vector in found if len(vector.values) != dimension]
        rows = np.zeros((len(vectors), dimension), np.float32)
        for row, vector in zip(rows, vectors, strict=True):
            row[:] = vector.values
        return sound_map(
            [place for (map_of, _), place in self._places.items() if map_of == map_id],
            [edge for (map_of, *_), edge in self._edges.items() if map_of == map_id],
            [vector.place_id for vector in vectors], rows, faults)

    def save(self, place: Place, vector: PlaceVector | None = None,
             edge: Edge | None = None) -> None:
        """Keep a place, new or changed, and its vector and an edge if given."""
        self._check_open()
        key = (place.map_id, place.id)
        before = self._places.get(key)
        if before is not None and before.summary != place.summary:
            for stale in [of for of in self._vectors if of[:2] == key]:
                del self._vectors[stale]
        self._places[key] = place
        if vector is not None:
            self._vectors[place.map_id, vector.place_id, vector.embedder] = vector
        if edge is not None:
            self._edges[place.map_id, edge.from_id, edge.to_id] = edge

    def forget(self, map_id: str, place_id: str) -> None:
        """Remove a place, with its vectors and the ways to it."""
        self._check_open()
        self._places.pop((map_id, place_id), None)
        self._vectors = {key: vector for key, vector in self._vectors.items()
                         if key[:2] != (map_id, place_id)}
        self._edges = {key: edge for key, edge in self._edges.items()
                       if key[0] != map_id or place_id not in key[1:]}

    def close(self) -> None:
        """Forget everything."""
        self._open = False
        self._places.clear()
        self._vectors.clear()
        self._edges.clear()

    def _check_open(self) -> None:
        if not self._open:
            raise StoreError('the memory is closed')
