"""What is still to be written to the store."""

from collections.abc import Callable
from enum import StrEnum

from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.memory.events import ForgetFailed, ForgetPlace, SaveFailed, SavePlace
from semantic_nav.memory.place import Edge, Place, PlaceVector

_SAVE_AGAIN_NS = 10 * NS_PER_S


class StoreState(StrEnum):
    """What has become of the store."""

    LOADING = 'loading'
    READY = 'ready'
    FAILED = 'failed'


class Saver:
    """Asks for writes while the store is open, and again where one failed.

    Attributes:
        state: of the store; nothing is written unless it is ready.
        reason: why the store failed, or the last write; empty while all is well.
        left_out: how many rows of the store cannot be used.
        left_out_reason: which ones, and why.
    """

    def __init__(self) -> None:
        """Begin with a store that is loading."""
        self.state = StoreState.LOADING
        self.reason = ''
        self.left_out, self.left_out_reason = 0, ''
        self._unsaved: dict[str, set[Edge]] = {}
        self._unforgotten: dict[str, ForgetPlace] = {}
        self._again_ns = 0

    @property
    def unsaved(self) -> int:
        """How many places could not be written, or taken away, yet."""
        return len(self._unsaved) + len(self._unforgotten)

    def loading(self) -> None:
        """Write nothing until the store is open."""
        self.state = StoreState.LOADING

    def opened(self, left_out: int = 0, left_out_reason: str = '') -> None:
        """Begin to write; so many rows of what was stored cannot be used, and why."""
        self.state = StoreState.READY
        self.left_out, self.left_out_reason = left_out, left_out_reason
        self.reason = ''

    def failed(self, reason: str) -> None:
        """Stop writing: the store cannot be used."""
        self.state = StoreState.FAILED
        self.reason = reason

    def save(self, place: Place, vector: PlaceVector | None = None,
             edge: Edge | None = None) -> list[SavePlace]:
        """Return the write of a place, or nothing where there is no store to write to."""
        if self.state is not StoreState.READY:
            return []
        return [SavePlace(place, vector, edge)]

    def forget(self, effect: ForgetPlace) -> list[ForgetPlace]:
        """Return the removal of a place, or nothing where there is no store."""
        self._unsaved.pop(effect.place_id, None)
        if self.state is not StoreState.READY:
            return []
        self._unforgotten[effect.place_id] = effect
        return [effect]

    def forgotten(self, place_id: str) -> None:
        """Take note that a place is gone."""
        self._unforgotten.pop(place_id, None)
        self.place_saved()

    def forget_failed(self, event: ForgetFailed, now: Now) -> None:
        """Try a removal again after a while."""
        self.reason = event.reason
        self._again_ns = now.steady_ns + _SAVE_AGAIN_NS

    def place_saved(self) -> None:
        """Take note that writing works."""
        if not self.unsaved:
            self.reason = ''

    def place_failed(self, event: SaveFailed, now: Now) -> None:
        """Keep what could not be written for another try."""
        edges = self._unsaved.setdefault(event.place_id, set())
        if event.edge is not None:
            edges.add(event.edge)
        self.reason = event.reason
        self._again_ns = now.steady_ns + _SAVE_AGAIN_NS

    def again(self, now: Now, get: Callable[[str], Place | None],
              get_vector: Callable[[str], PlaceVector | None],
              ) -> list[SavePlace | ForgetPlace]:
        """Return the writes whose time for another try has come."""
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
