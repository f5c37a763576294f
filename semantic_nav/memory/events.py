"""What the memory core asks of its shell, and what comes back."""

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
        name: as the parameter `embedder` calls it.
        dimension: of its vectors.
        embedder_doubt: why it is another embedder than was asked for; else empty.
    """

    embedder: str
    name: str
    dimension: int
    embedder_doubt: str = ''


@dataclass(frozen=True, eq=False)
class StoreLoaded(Event):
    """The store is open.

    Attributes:
        places: of the map asked for.
        edges: between them.
        vector_ids: the places that have a vector of the embedder asked for, n of them.
        vectors: shape (n, d), float32, in the order of `vector_ids`.
        left_out: how many rows cannot be used.
        left_out_reason: which ones, and why; empty where there are none.
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
        vectors: one row a text of the request, shape (n, d), float32.
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
    """A place is on the disk."""

    place_id: str


@dataclass(frozen=True)
class SaveFailed(Event):
    """A place, and the edge that came with it, could not be written."""

    place_id: str
    edge: Edge | None
    reason: str


@dataclass(frozen=True)
class PlaceForgotten(Event):
    """A place is on the disk no more."""

    place_id: str


@dataclass(frozen=True)
class ForgetFailed(Event):
    """A place could not be taken from the disk."""

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
    """Write a place, its vector where one is given, and an edge; answered when it is done."""

    place: Place
    vector: PlaceVector | None
    edge: Edge | None


@dataclass(frozen=True)
class ForgetPlace(Effect):
    """Take a place, its vectors and the ways to it from the disk; answered when it is done."""

    map_id: str
    place_id: str


@dataclass(frozen=True)
class HidePlace(Effect):
    """Show people a place no more."""

    place_id: str


@dataclass(frozen=True)
class ShowPlaces(Effect):
    """Show people these places and ways, besides what was shown.

    Of the same place or way the newer form counts, and of all the places those that were seen
    last. So a look adds one place to the journal, however many there are.
    """

    places: tuple[Place, ...]
    edges: tuple[Edge, ...]


#: Every event and effect of this core, for the journal.
RECORD_KINDS: tuple[type, ...] = (
    DocumentReceived, Tick, Started, StoreLoaded, StoreFailed, Embedded, EmbedFailed, PlaceSaved,
    SaveFailed, PlaceForgotten, ForgetFailed, LoadStore, Embed, SavePlace, ForgetPlace, HidePlace,
    ShowPlaces)

#: Schemas of the documents that this core takes in, and of those that it writes.
READS = ('pose', 'observation', 'hypothesis', 'step', 'belief', 'query')
WRITES = ('candidates', 'reply')
