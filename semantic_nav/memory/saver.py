"""Pending writes to the store."""

from collections.abc import Callable
from enum import StrEnum

from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.memory.events import ForgetFailed, ForgetPlace, SaveFailed, SavePlace
from semantic_nav.memory.place import Edge, Place, PlaceVector

_SAVE_AGAIN_NS = 10 * NS_PER_S


class StoreState(StrEnum):
    """State of the store."""

    LOADING = 'loading'
    READY = 'ready'
    FAILED = 'failed'


class Saver:
    """Requests writes while the store is open, and repeats those that failed.

    Attributes:
        state: of the store; nothing is written unless it is ready.
        reason: of the failure of the store, or of the last write; empty while all is well.
        left_out: number of rows of the store that cannot be used.
        left_out_reason: these rows and their faults.
    """

    def __init__(self) -> None:
        """Start with a store that is loading."""
        self.state = StoreState.LOADING
        self.reason = ''
        self.left_out, self.left_out_reason = 0, ''
        self._unsaved: dict[str, set[Edge]] = {}
        self._unforgotten: dict[str, ForgetPlace] = {}
        self._again_ns = 0

    @property
    def unsaved(self) -> int:
        """Number of places that could not yet be written or removed."""
        return len(self._unsaved) + len(self._unforgotten)

    def loading(self) -> None:
        """Write nothing until the store is open."""
        self.state = StoreState.LOADING

    def opened(self, left_out: int = 0, left_out_reason: str = '') -> None:
        """Start to write; `left_out` rows of the store cannot be used."""
        self.state = StoreState.READY
        self.left_out, self.left_out_reason = left_out, left_out_reason
        self.reason = ''

    def failed(self, reason: str) -> None:
        """Stop writing: the store cannot be used."""
        self.state = StoreState.FAILED
        self.reason = reason

    def save(self, place: Place, vector: PlaceVector | None = None,
             edge: Edge | None = None) -> list[SavePlace]:
        """The write of a place, or nothing without a store to write to."""
        if self.state is not StoreState.READY:
            return []
        return [SavePlace(place, vector, edge)]

    def forget(self, effect: ForgetPlace) -> list[ForgetPlace]:
        """The removal of a place, or nothing without a store."""
        self._unsaved.pop(effect.place_id, None)
        if self.state is not StoreState.READY:
            return []
        self._unforgotten[effect.place_id] = effect
        return [effect]

    def forgotten(self, place_id: str) -> None:
        """Record that a place was removed."""
        self._unforgotten.pop(place_id, None)
        self.place_saved()

    def forget_failed(self, event: ForgetFailed, now: Now) -> None:
        """Try a removal again after a while."""
        self.reason = event.reason
        self._again_ns = now.steady_ns + _SAVE_AGAIN_NS

    def place_saved(self) -> None:
        """Record that writing works."""
        if not self.unsaved:
            self.reason = ''

    def place_failed(self, event: SaveFailed, now: Now) -> None:
        """Keep a place that could not be written for another try."""
        edges = self._unsaved.setdefault(event.place_id, set())
        if event.edge is not None:
            edges.add(event.edge)
        self.reason = event.reason
        self._again_ns = now.steady_ns + _SAVE_AGAIN_NS

    def again(self, now: Now, get: Callable[[str], Place | None],
              get_vector: Callable[[str], PlaceVector | None],
              ) -> list[SavePlace | ForgetPlace]:
        """The writes that are due for another try."""
        if not self.reason or not self.unsaved or now.steady_ns < self._again_ns:
            return []
        unsaved, self._unsaved = self._unsaved, {}
        writes: list[SavePlace | ForgetPlace] = [*self._unforgotten.values()]
        self._again_ns = now.steady_ns + _SAVE_AGAIN_NS
        for place_id, edges in unsaved.items():
            place = get(place_id)
            if place is not None:
                writes += self.save(place, get_vector(place_id))
                for edge in sorted(edges, key=lambda edge: edge.from_id):
                    writes += self.save(place, None, edge)
        return writes
