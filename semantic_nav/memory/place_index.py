"""The places of one map in arrays: compared with a goal, and found by their pose."""

from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.clock import seconds
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.memory.place import Place

_FIRST_CAPACITY = 64
#: Larger than any counter of an id.
_NUMBERS = 1 << 40


class PlaceIndex:
    """The places of one map, side by side in arrays; row i of each belongs to one place."""

    def __init__(self, dimension: int, words_of: Callable[[Place], Iterable[str]]) -> None:
        """Start empty.

        Args:
            dimension: of the vectors, d; with 0 only words are compared.
            words_of: the words by which a place is found.
        """
        self._dimension = dimension
        self._words_of = words_of
        self._places: list[Place] = []
        self._row_of: dict[str, int] = {}
        self._rows_of_word: dict[str, set[int]] = {}
        # These rows as arrays, cached for queried words until they change.
        self._arrays_of_word: dict[str, NDArray[np.intp]] = {}
        self._poses = np.zeros((_FIRST_CAPACITY, 3))
        self._vectors = np.zeros((_FIRST_CAPACITY, dimension), np.float32)
        self._has_vector = np.zeros(_FIRST_CAPACITY, bool)
        self._seen_s = np.zeros(_FIRST_CAPACITY)
        self._visits = np.zeros(_FIRST_CAPACITY)
        # An id consists of a prefix and a counter.
        self._prefixes: dict[str, int] = {}
        self._prefix_order = np.zeros(0, np.int64)
        self._id_prefix = np.zeros(_FIRST_CAPACITY, np.int64)
        self._id_number = np.zeros(_FIRST_CAPACITY, np.int64)

    def __len__(self) -> int:
        """Number of places."""
        return len(self._places)

    def __contains__(self, place_id: str) -> bool:
        """Tell whether there is a place of this id."""
        return place_id in self._row_of

    @property
    def places(self) -> Sequence[Place]:
        """All places, in the order of insertion."""
        return self._places

    def get(self, place_id: str) -> Place | None:
        """The place of an id; None if there is none."""
        row = self._row_of.get(place_id)
        return None if row is None else self._places[row]

    def called(self, words: str) -> list[Place]:
        """The place of this id, or of this name in an operator's spelling; none or one.

        Of several of that name, which two writers to a file may leave, it is the one seen last.
        """
        by_id = self.get(words)
        named = [by_id] if by_id is not None else [
            one for one in self._places if one.is_called(words)]
        return sorted(named, key=lambda one: one.last_seen_calendar_ns)[-1:]

    def without(self, place_id: str) -> 'PlaceIndex':
        """A copy of the index that lacks a place."""
        index = PlaceIndex(self._dimension, self._words_of)
        for place in self._places:
            if place.id != place_id:
                index.put(place)
                vector = self.vector(place.id)
                if vector is not None:
                    index.set_vector(place.id, vector)
        return index

    @property
    def unembedded(self) -> list[Place]:
        """The places without a vector."""
        return [place for place, has_vector in zip(self._places, self._has_vector, strict=False)
                if not has_vector]

    @property
    def vectors_total(self) -> int:
        """Number of places that have a vector."""
        return int(np.count_nonzero(self._has_vector))

    @property
    def has_vector(self) -> NDArray[np.bool_]:
        """Mask of the rows that have a vector, shape (n,)."""
        return self._has_vector[:len(self)]

    @property
    def poses(self) -> NDArray[np.float64]:
        """The viewpoints, shape (n, 3): x and y in m in the map frame, yaw in rad."""
        return self._poses[:len(self)]

    @property
    def seen_s(self) -> NDArray[np.float64]:
        """Time at which each place was seen last, shape (n,), in s since the Unix epoch."""
        return self._seen_s[:len(self)]

    @property
    def visits(self) -> NDArray[np.float64]:
        """Number of the robot's visits to each place, shape (n,)."""
        return self._visits[:len(self)]

    def row_of(self, place_id: str) -> int:
        """The row of a place, which must be there."""
        return self._row_of[place_id]

    def vector(self, place_id: str) -> NDArray[np.float32] | None:
        """The vector of a place, shape (d,); None if it has none."""
        row = self._row_of[place_id]
        return self._vectors[row].copy() if self._has_vector[row] else None

    def put(self, place: Place) -> None:
        """Add a place, or replace the one of its id; the vector of another summary is dropped."""
        row = self._row_of.get(place.id)
        if row is None:
            row = len(self._places)
            self._row_of[place.id] = row
            self._places.append(place)
            self._grow()
            self._put_id(row, place.id)
        else:
            if self._places[row].summary != place.summary:
                self._vectors[row] = 0
                self._has_vector[row] = False
            for word in self._words_of(self._places[row]):
                self._rows_of_word[word].discard(row)
                self._arrays_of_word.pop(word, None)
            self._places[row] = place
        self._poses[row] = (place.pose.x, place.pose.y, place.pose.yaw)
        self._seen_s[row] = seconds(place.last_seen_calendar_ns)
        self._visits[row] = place.visits
        for word in self._words_of(place):
            self._rows_of_word.setdefault(word, set()).add(row)
            self._arrays_of_word.pop(word, None)

    def set_vector(self, place_id: str, values: NDArray[np.float32]) -> None:
        """Set the unit vector of a place, shape (d,)."""
        row = self._row_of[place_id]
        self._vectors[row] = values
        self._has_vector[row] = True

    def near(self, pose: Pose2D, distance_m: float, turn_rad: float) -> list[Place]:
        """Places whose viewpoint lies within both limits, nearest first."""
        poses = self.poses
        distances = np.hypot(poses[:, 0] - pose.x, poses[:, 1] - pose.y)
        turns = np.abs(np.remainder(poses[:, 2] - pose.yaw + np.pi, 2 * np.pi) - np.pi)
        rows = np.flatnonzero((distances <= distance_m) & (turns <= turn_rad))
        return [self._places[row] for row in sorted(
            rows, key=lambda row: (distances[row], turns[row], self._places[row].id))]

    def cosines(self, vector: NDArray[np.float32] | None) -> NDArray[np.float64]:
        """Cosine of each place's vector with this unit vector, shape (n,), -1..1.

        It is 0 if one of the two is missing.
        """
        if vector is None:
            return np.zeros(len(self))
        return np.clip((self._vectors[:len(self)] @ vector).astype(np.float64), -1.0, 1.0)

    def overlaps(self, words: Collection[str]) -> NDArray[np.float64]:
        """Share of these words that each place has, shape (n,), 0..1; 0 for no words."""
        counts = np.zeros(len(self))
        for word in words:
            rows = self._rows_of_word.get(word)
            if rows:
                if word not in self._arrays_of_word:
                    self._arrays_of_word[word] = np.fromiter(rows, np.intp, len(rows))
                counts[self._arrays_of_word[word]] += 1
        return counts / max(len(words), 1)

    def best(self, scores: NDArray[np.float64], limit: int, among: NDArray[np.bool_],
             excluded: Iterable[str] = ()) -> list[int]:
        """The rows with the highest scores, highest first.

        Of equal scores the lower id comes first, with its counter compared as a number: place 2
        before place 10. Ids of several sessions are ordered by the session's name, which begins
        with the date: the older place comes first.

        Args:
            scores: of each place, shape (n,).
            limit: largest number of rows, 1 or more.
            among: mask of the rows that count, shape (n,).
            excluded: ids that do not count.
        """
        allowed = among.copy()
        allowed[[self._row_of[one] for one in excluded if one in self._row_of]] = False
        rows = np.flatnonzero(allowed)
        if len(rows) > limit:
            of_rows = scores[rows]
            last = np.partition(of_rows, -limit)[-limit]
            above, equal = rows[of_rows > last], rows[of_rows == last]
            room = limit - len(above)
            if len(equal) > room:
                equal = equal[np.argpartition(self._id_order(equal), room - 1)[:room]]
            rows = np.concatenate((above, equal))
        found: list[int] = rows[np.lexsort((self._id_order(rows), -scores[rows]))].tolist()
        return found

    def _put_id(self, row: int, place_id: str) -> None:
        prefix, _, number = place_id.rpartition('-')
        if not (number.isdecimal() and int(number) < _NUMBERS):
            prefix, number = place_id, '0'
        self._id_number[row] = int(number)
        self._id_prefix[row] = self._prefixes.setdefault(prefix, len(self._prefixes))

    def _id_order(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """A number for each row that grows with its id."""
        if len(self._prefix_order) < len(self._prefixes):
            self._prefix_order = np.zeros(len(self._prefixes), np.int64)
            for place, prefix in enumerate(sorted(self._prefixes)):
                self._prefix_order[self._prefixes[prefix]] = place
        order: NDArray[np.int64] = (
            self._prefix_order[self._id_prefix[rows]] * _NUMBERS + self._id_number[rows])
        return order

    def _grow(self) -> None:
        if len(self._places) > len(self._poses):
            more = len(self._poses)
            self._poses = np.pad(self._poses, ((0, more), (0, 0)))
            self._vectors = np.pad(self._vectors, ((0, more), (0, 0)))
            self._has_vector = np.pad(self._has_vector, (0, more))
            self._seen_s = np.pad(self._seen_s, (0, more))
            self._visits = np.pad(self._visits, (0, more))
            self._id_prefix = np.pad(self._id_prefix, (0, more))
            self._id_number = np.pad(self._id_number, (0, more))
