"""Which places fit a goal, and which lie near a pose."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.embed.words import content_words, words
from semantic_nav.memory.place import Place

EMBEDDING_WEIGHT = 0.8
KEYWORD_WEIGHT = 0.2
#: Scores closer than this count as equal; the sums of a matrix product differ in the last bits.
_SAME_SCORE = 1e-6
_FIRST_CAPACITY = 64


@dataclass(frozen=True, eq=False)
class Query:
    """A goal, ready to be compared.

    Attributes:
        words: the content words of the goal, in order.
        vector: unit vector, shape (d,), float32; None where the goal could not be embedded.
        no_vector_reason: why it could not.
    """

    words: tuple[str, ...]
    vector: NDArray[np.float32] | None
    no_vector_reason: str = ''

    @classmethod
    def of_text(cls, text: str, vector: NDArray[np.float32] | None,
                no_vector_reason: str = '') -> 'Query':
        """Return the query of a goal's text."""
        return cls(tuple(content_words(text)), vector, no_vector_reason)


@dataclass(frozen=True)
class Match:
    """How well a place fits a query.

    Attributes:
        score: 0.8 times the cosine, where positive, plus 0.2 times the keyword score; 0..1.
        embedding_score: cosine of the vectors, -1..1; 0 where one of them is missing.
        keyword_score: share of the query's words that the place names, 0..1.
    """

    place_id: str
    score: float
    embedding_score: float
    keyword_score: float
    reasons: tuple[str, ...]


class PlaceIndex:
    """The places of one map, side by side in arrays."""

    def __init__(self, dimension: int) -> None:
        """Begin empty, for vectors of length d; with d = 0 only words are compared."""
        self._dimension = dimension
        self._places: list[Place] = []
        self._row_of: dict[str, int] = {}
        self._rows_of_word: dict[str, set[int]] = {}
        self._poses = np.zeros((_FIRST_CAPACITY, 3))
        self._vectors = np.zeros((_FIRST_CAPACITY, dimension), np.float32)
        self._has_vector = np.zeros(_FIRST_CAPACITY, bool)

    def __len__(self) -> int:
        """Return how many places there are."""
        return len(self._places)

    def __contains__(self, place_id: str) -> bool:
        """Tell whether there is a place of this id."""
        return place_id in self._row_of

    @property
    def places(self) -> Sequence[Place]:
        """All places, in the order in which they came."""
        return self._places

    def get(self, place_id: str) -> Place | None:
        """Return a place by its id."""
        row = self._row_of.get(place_id)
        return None if row is None else self._places[row]

    @property
    def unembedded(self) -> list[Place]:
        """The places without a vector."""
        return [place for place, has_vector in zip(self._places, self._has_vector, strict=False)
                if not has_vector]

    @property
    def vectors_total(self) -> int:
        """How many places have a vector."""
        return int(np.count_nonzero(self._has_vector))

    def vector(self, place_id: str) -> NDArray[np.float32] | None:
        """Return the vector of a place, shape (d,)."""
        row = self._row_of[place_id]
        return self._vectors[row].copy() if self._has_vector[row] else None

    def put(self, place: Place) -> None:
        """Add a place, or replace the one of its id; a vector of another summary goes."""
        row = self._row_of.get(place.id)
        if row is None:
            row = len(self._places)
            self._row_of[place.id] = row
            self._places.append(place)
            self._grow()
        else:
            if self._places[row].summary != place.summary:
                self._vectors[row] = 0
                self._has_vector[row] = False
            for word in _words_of(self._places[row]):
                self._rows_of_word[word].discard(row)
            self._places[row] = place
        self._poses[row] = (place.pose.x, place.pose.y, place.pose.yaw)
        for word in _words_of(place):
            self._rows_of_word.setdefault(word, set()).add(row)

    def set_vector(self, place_id: str, values: NDArray[np.float32]) -> None:
        """Set the unit vector of a place, shape (d,)."""
        row = self._row_of[place_id]
        self._vectors[row] = values
        self._has_vector[row] = True

    def near(self, pose: Pose2D, distance_m: float, turn_rad: float) -> list[Place]:
        """Return the places whose viewpoint lies within both limits, the nearest first."""
        poses = self._poses[:len(self)]
        distances = np.hypot(poses[:, 0] - pose.x, poses[:, 1] - pose.y)
        turns = np.abs(np.remainder(poses[:, 2] - pose.yaw + np.pi, 2 * np.pi) - np.pi)
        rows = np.flatnonzero((distances <= distance_m) & (turns <= turn_rad))
        return [self._places[row] for row in sorted(
            rows, key=lambda row: (distances[row], turns[row], self._places[row].id))]

    def rank(self, query: Query, limit: int, floor: float = 0.0,
             excluded: Collection[str] = ()) -> list[Match]:
        """Return the best places with a score above zero, best first, equal ones by their id.

        Args:
            query: its vector has the length d.
            limit: how many at most, 1 or more.
            floor: places whose vector was compared are left out below this score.
            excluded: ids of places to leave out.
        """
        cosines = self._cosines(query)
        keywords = self._keyword_scores(query)
        scores = EMBEDDING_WEIGHT * np.clip(cosines, 0, 1) + KEYWORD_WEIGHT * keywords
        for place_id in excluded:
            if place_id in self._row_of:
                scores[self._row_of[place_id]] = 0
        compared = self._has_vector[:len(self)] & (query.vector is not None)
        found = np.flatnonzero((scores > _SAME_SCORE) & (~compared | (scores >= floor)))
        if len(found) > limit:
            last = np.partition(scores[found], -limit)[-limit]
            found = found[scores[found] >= last - _SAME_SCORE]
        rows: list[int] = found.tolist()
        best = sorted(rows, key=lambda row: (-round(float(scores[row]), 6), self._places[row].id))
        return [Match(
            self._places[row].id, round(min(float(scores[row]), 1.0), 4),
            round(min(max(float(cosines[row]), -1.0), 1.0), 4), round(float(keywords[row]), 4),
            self._reasons(query, row, float(cosines[row]))) for row in best[:limit]]

    def _cosines(self, query: Query) -> NDArray[np.float64]:
        if query.vector is None:
            return np.zeros(len(self))
        return (self._vectors[:len(self)] @ query.vector).astype(np.float64)

    def _keyword_scores(self, query: Query) -> NDArray[np.float64]:
        counts = np.zeros(len(self))
        for word in query.words:
            rows = self._rows_of_word.get(word, set())
            counts[np.fromiter(rows, np.intp, len(rows))] += 1
        return counts / max(len(query.words), 1)

    def _reasons(self, query: Query, row: int, cosine: float) -> tuple[str, ...]:
        place = self._places[row]
        reasons = [f"names '{phrase}'" for phrase in _named_phrases(query.words, place)]
        if query.vector is None:
            reasons.append(f'keywords only: {query.no_vector_reason[:200] or "no embedding"}')
        elif not self._has_vector[row]:
            reasons.append('keywords only: the place has no embedding yet')
        else:
            reasons.append(f'similarity {cosine:.2f}')
        return tuple(reasons[-16:])

    def _grow(self) -> None:
        if len(self._places) > len(self._poses):
            more = len(self._poses)
            self._poses = np.pad(self._poses, ((0, more), (0, 0)))
            self._vectors = np.pad(self._vectors, ((0, more), (0, 0)))
            self._has_vector = np.pad(self._has_vector, (0, more))


def _words_of(place: Place) -> set[str]:
    return set(content_words(' '.join((place.summary, *place.tags))))


def _named_phrases(query: tuple[str, ...], place: Place) -> list[str]:
    """Return the query's words that a place names, those side by side there in one phrase."""
    texts = [f' {" ".join(words(text))} ' for text in (place.kind, *place.tags, place.summary)]
    phrases: list[str] = []
    for word in query:
        if not any(f' {word} ' in text for text in texts):
            continue
        longer = f'{phrases[-1]} {word}' if phrases else ''
        if longer and any(f' {longer} ' in text for text in texts):
            phrases[-1] = longer
        else:
            phrases.append(word)
    return phrases
