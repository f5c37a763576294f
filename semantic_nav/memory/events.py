"""Effects and events of the memory core."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.core import DocumentReceived, Effect, Event, Tick
from semantic_nav.memory.place import Edge, Place, PlaceVector


@dataclass(frozen=True)
class Started(Event):
    """The embedder is loaded, and the worker is ready for effects.

    Attributes:
        embedder: its id.
        name: its name in the parameter `embedder`.
        dimension: of its vectors.
        embedder_doubt: reason why it is not the requested embedder; else empty.
    """

    embedder: str
    name: str
    dimension: int
    embedder_doubt: str = ''


@dataclass(frozen=True, eq=False)
class StoreLoaded(Event):
    """The store is open.

    Attributes:
        places: of the requested map.
        edges: between them.
        vector_ids: the n places that have a vector of the requested embedder.
        vectors: shape (n, d), float32, in the order of `vector_ids`.
        left_out: number of rows that cannot be used.
        left_out_reason: these rows and their faults; empty for none.
    """

    places: tuple[Place, ...]
    edges: tuple[Edge, ...]
    vector_ids: tuple[str, ...]
    vectors: NDArray[np.float32]
    left_out: int = 0
    left_out_reason: str = ''


@dataclass(frozen=True)
class StoreFailed(Event):
    """The store cannot be used; the reason names it."""

    reason: str


@dataclass(frozen=True, eq=False)
class Embedded(Event):
    """Texts were embedded.

    Attributes:
        vectors: one row for each text of the request, shape (n, d), float32.
    """

    request_id: str
    vectors: NDArray[np.float32]


@dataclass(frozen=True)
class EmbedFailed(Event):
    """Texts could not be embedded."""

    request_id: str
    reason: str


@dataclass(frozen=True)
class PlaceSaved(Event):
    """A place was written to the disk."""

    place_id: str


@dataclass(frozen=True)
class SaveFailed(Event):
    """A place, and the edge that came with it, could not be written."""

    place_id: str
    edge: Edge | None
    reason: str


@dataclass(frozen=True)
class PlaceForgotten(Event):
    """A place was removed from the disk."""

    place_id: str


@dataclass(frozen=True)
class ForgetFailed(Event):
    """A place could not be removed from the disk."""

    place_id: str
    reason: str


@dataclass(frozen=True)
class LoadStore(Effect):
    """Open the store and read one map, with the vectors of one embedder."""

    map_id: str
    embedder: str
    dimension: int


@dataclass(frozen=True)
class Embed(Effect):
    """Embed texts; answered by Embedded or EmbedFailed."""

    request_id: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class SavePlace(Effect):
    """Write a place, and its vector and an edge if given; answered when it is done."""

    place: Place
    vector: PlaceVector | None
    edge: Edge | None


@dataclass(frozen=True)
class ForgetPlace(Effect):
    """Remove a place, its vectors and its ways from the disk; answered when it is done."""

    map_id: str
    place_id: str


@dataclass(frozen=True)
class HidePlace(Effect):
    """Stop showing a place to people."""

    place_id: str


@dataclass(frozen=True)
class ShowPlaces(Effect):
    """Show people these places and ways, in addition to those shown before.

    A newer form of a place or way replaces the older one, and only the places seen last are shown.
    So a look adds one place to the journal, however many there are.
    """

    places: tuple[Place, ...]
    edges: tuple[Edge, ...]


#: Every event and effect of this core, for the journal.
RECORD_KINDS: tuple[type, ...] = (
    DocumentReceived, Tick, Started, StoreLoaded, StoreFailed, Embedded, EmbedFailed, PlaceSaved,
    SaveFailed, PlaceForgotten, ForgetFailed, LoadStore, Embed, SavePlace, ForgetPlace, HidePlace,
    ShowPlaces)

#: Schemas of the documents that this core reads, and of those that it writes.
READS = ('pose', 'observation', 'hypothesis', 'step', 'belief', 'query')
WRITES = ('candidates', 'reply')
