"""The queue of places that wait for their vector."""

from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.ids import Ids
from semantic_nav.memory.events import Embed
from semantic_nav.memory.place import Place, PlaceVector, phrases, vector_of

#: Places of one request: few, so that a goal does not wait long behind them.
_BATCH = 8


class EmbedQueue:
    """Requests the vectors of places, one request at a time, the newest place first.

    Attributes:
        request: the one under way; None for none.
    """

    def __init__(self, ids: Ids) -> None:
        """Start empty; `ids` mints the ids of requests."""
        self._ids = ids
        self._waiting: deque[str] = deque()
        self.request: Embed | None = None
        self._asked_for: dict[str, tuple[str, ...]] = {}

    def put_first(self, place_id: str) -> None:
        """Put a place at the front of the queue."""
        if place_id in self._waiting:
            self._waiting.remove(place_id)
        self._waiting.appendleft(place_id)

    def put_last(self, place_id: str) -> None:
        """Put a place at the end of the queue."""
        self._waiting.append(place_id)

    def clear(self) -> None:
        """Empty the queue; the answer of the request under way is not expected any more."""
        self._waiting.clear()
        self.request = None
        self._asked_for = {}

    def next_request(self, get: Callable[[str], Place | None]) -> Embed | None:
        """The next request; None while one is under way or nothing waits."""
        if self.request is not None:
            return None
        while self._waiting and len(self._asked_for) < _BATCH:
            place = get(self._waiting.popleft())
            if place is not None and (of_place := phrases(place)):
                self._asked_for[place.id] = of_place
        if not self._asked_for:
            return None
        texts = dict.fromkeys(text for of_place in self._asked_for.values() for text in of_place)
        self.request = Embed(self._ids.mint(), tuple(texts))
        return self.request

    def take(self, embedder: str, vectors: NDArray[np.float32] | None,
             get: Callable[[str], Place | None]) -> list[tuple[Place, PlaceVector]]:
        """End the request under way and return the vectors of its unchanged places.

        Args:
            embedder: its id.
            vectors: one row for each text of the request, shape (n, d); None if it failed.
            get: returns the current form of a place.
        """
        assert self.request is not None
        row_of = {text: row for row, text in enumerate(self.request.texts)}
        asked_for = self._asked_for
        self.request = None
        self._asked_for = {}
        if vectors is None:
            return []
        result = []
        for place_id, of_place in asked_for.items():
            place = get(place_id)
            # A place that has changed meanwhile waits in the queue again.
            if place is not None and phrases(place) == of_place:
                rows = vectors[[row_of[text] for text in of_place]]
                result.append((place, vector_of(place, embedder, rows)))
        return result


def checked(vectors: NDArray[np.float32] | None, reason: str, texts: int,
             dimension: int) -> tuple[NDArray[np.float32] | None, str]:
    """The vectors of a request if they are usable, else the reason why not.

    Args:
        vectors: the embedder's; None if it failed.
        reason: of that failure.
        texts: number of requested texts, n.
        dimension: of the embedder, d.

    Returns:
        The vectors, shape (n, d) and finite, and an empty reason; or None and the reason.
    """
    if vectors is None:
        return None, reason or 'the embedder failed'
    if vectors.shape != (texts, dimension):
        return None, f'vectors of shape {vectors.shape} came for {(texts, dimension)}'
    if not np.isfinite(vectors).all():
        return None, 'the vectors are not finite'
    return vectors, ''
