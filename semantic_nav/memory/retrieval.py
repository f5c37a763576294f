"""Which places fit a goal: two rankings, by name."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.embed.words import content_words, tokens, words
from semantic_nav.memory.place import Place
from semantic_nav.memory.place_index import PlaceIndex

EMBEDDING_WEIGHT = 0.8
KEYWORD_WEIGHT = 0.2
#: Decimals of a score: as exact as the cosine of float32 vectors, whose last bits depend on the
#: row that they stand in. Without it equal places would not be equal.
_DECIMALS = 6
#: `classic`: an embedding this near to the middle says nothing.
_GUARD = 0.05


@dataclass(frozen=True, eq=False)
class Query:
    """A goal, ready to be compared.

    Attributes:
        words: those of the goal that are compared, each once, in order.
        vector: unit vector, shape (d,), float32; None where the goal could not be embedded.
        no_vector_reason: why it could not.
    """

    words: tuple[str, ...]
    vector: NDArray[np.float32] | None
    no_vector_reason: str = ''


@dataclass(frozen=True)
class Match:
    """How well a place fits a query; what the two parts are, the ranking says.

    Attributes:
        score: 0..1.
        embedding_score: what the vectors say, -1..1.
        keyword_score: share of the query's words that the place has, 0..1.
    """

    place_id: str
    score: float
    embedding_score: float
    keyword_score: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of all places, each of shape (n,).

    Attributes:
        total: what they are ordered by, 0..1.
        cosine: of the vectors, -1..1.
        embedding: what the ranking makes of it.
        keyword: share of the query's words, 0..1.
        ranked: which places count at all.
    """

    total: NDArray[np.float64]
    cosine: NDArray[np.float64]
    embedding: NDArray[np.float64]
    keyword: NDArray[np.float64]
    ranked: NDArray[np.bool_]


class Ranking(ABC):
    """A way to compare places with a goal."""

    @abstractmethod
    def split(self, text: str) -> list[str]:
        """Return the words of a text, in order."""

    @abstractmethod
    def words_of_goal(self, text: str) -> tuple[str, ...]:
        """Return the words of a goal that are compared, each once, in order."""

    @abstractmethod
    def words_of_place(self, place: Place) -> Iterable[str]:
        """Return the words by which a place is found, each once."""

    @abstractmethod
    def scores(self, index: PlaceIndex, query: Query, floor: float) -> Scores:
        """Return the scores of all places.

        Args:
            index: the places.
            query: as from `query`.
            floor: as of `Ranked`.
        """

    def query(self, text: str, vector: NDArray[np.float32] | None,
              no_vector_reason: str = '') -> Query:
        """Return the query of a goal's text and its unit vector, shape (d,)."""
        return Query(self.words_of_goal(text), vector, no_vector_reason)

    def reasons(self, query: Query, place: Place, cosine: float | None) -> tuple[str, ...]:
        """Return in words why a place fits; the cosine is None where no vectors were compared."""
        reasons = [f"names '{phrase}'" for phrase in self._named_phrases(query.words, place)]
        if query.vector is None:
            reasons.append(f'keywords only: {query.no_vector_reason[:200] or "no embedding"}')
        elif cosine is None:
            reasons.append('keywords only: the place has no embedding yet')
        else:
            reasons.append(f'similarity {cosine:.2f}')
        return tuple(reasons[-16:])

    def _named_phrases(self, query: tuple[str, ...], place: Place) -> list[str]:
        """Return the query's words that a place names, those side by side there in one phrase."""
        texts = [f' {" ".join(self.split(text))} '
                 for text in (place.kind, *place.tags, place.summary)]
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


class Classic(Ranking):
    """All words as they are, and every place in its order.

    score = 0.8 embedding + 0.2 overlap, within 0..1, with embedding = (cosine + 1) / 2 and
    overlap = the share of the goal's words that summary or names have. Where no word agrees and
    the embedding is within 0.05 of 0.5, which says nothing, the score is halved.
    """

    def split(self, text: str) -> list[str]:
        """Return the words as they are."""
        return tokens(text)

    def words_of_goal(self, text: str) -> tuple[str, ...]:
        """Return all words."""
        return tuple(dict.fromkeys(tokens(text)))

    def words_of_place(self, place: Place) -> Iterable[str]:
        """Return all words of summary and names."""
        return set(tokens(' '.join((place.summary, *place.tags))))

    def scores(self, index: PlaceIndex, query: Query, floor: float) -> Scores:
        """Return the scores of all places; none is left out, whatever the floor."""
        del floor
        keyword = index.overlaps(query.words)
        cosine = index.cosines(query.vector)
        embedding = (cosine + 1) / 2
        total = EMBEDDING_WEIGHT * embedding + KEYWORD_WEIGHT * keyword
        total[(keyword == 0) & (np.abs(embedding - 0.5) < _GUARD)] *= 0.5
        return Scores(np.clip(np.round(total, _DECIMALS), 0, 1), cosine, embedding, keyword,
                      np.ones(len(index), bool))


class ContentWords(Ranking):
    """Words that carry meaning, plurals folded, and only places that fit.

    The embedding is the cosine; one below 0 does not count against the words.
    """

    def split(self, text: str) -> list[str]:
        """Return the words, plurals folded."""
        return words(text)

    def words_of_goal(self, text: str) -> tuple[str, ...]:
        """Return the words that say what is looked for."""
        return tuple(content_words(text))

    def words_of_place(self, place: Place) -> Iterable[str]:
        """Return the words of summary and names that say what is there."""
        return set(content_words(' '.join((place.summary, *place.tags))))

    def scores(self, index: PlaceIndex, query: Query, floor: float) -> Scores:
        """Return the scores of all places; without one, or compared and low, none counts."""
        keyword = index.overlaps(query.words)
        cosine = index.cosines(query.vector)
        total = np.clip(np.round(
            EMBEDDING_WEIGHT * np.clip(cosine, 0, 1) + KEYWORD_WEIGHT * keyword, _DECIMALS), 0, 1)
        compared = index.has_vector & (query.vector is not None)
        return Scores(total, cosine, cosine, keyword, (total > 0) & (~compared | (total >= floor)))


#: By the name that the parameter `ranking` gives them.
RANKINGS: dict[str, Ranking] = {'content_words': ContentWords(), 'classic': Classic()}


class Ranked:
    """All places of an index, compared with a query."""

    def __init__(self, ranking: Ranking, index: PlaceIndex, query: Query,
                 floor: float = 0.0) -> None:
        """Compare.

        Args:
            ranking: the way to do it.
            index: the places; it was made with the words of this ranking.
            query: its vector is as long as those of the index.
            floor: score below which a place is not worth a visit, for a ranking that leaves
                places out.
        """
        self._ranking = ranking
        self._index = index
        self._query = query
        self._scores = ranking.scores(index, query, floor)

    def best(self, limit: int, excluded: Iterable[str] = ()) -> list[Match]:
        """Return the best places, best first, equal ones by ascending id.

        Args:
            limit: how many at most, 1 or more.
            excluded: ids of places to leave out.
        """
        return [self._match(row) for row in self._index.best(
            self._scores.total, limit, self._scores.ranked, excluded)]

    def _match(self, row: int) -> Match:
        scores, index = self._scores, self._index
        place = index.places[row]
        cosine = None
        if self._query.vector is not None and index.has_vector[row]:
            cosine = float(scores.cosine[row])
        return Match(place.id, float(scores.total[row]),
                     round(float(scores.embedding[row]), _DECIMALS),
                     round(float(scores.keyword[row]), _DECIMALS),
                     self._ranking.reasons(self._query, place, cosine))
