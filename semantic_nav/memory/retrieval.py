"""Retrieval of the places that fit a goal: two rankings, by name."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.clock import Now, seconds
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.embed.words import content_words, tokens, words
from semantic_nav.memory.place import Place
from semantic_nav.memory.place_index import PlaceIndex

EMBEDDING_WEIGHT = 0.8
KEYWORD_WEIGHT = 0.2
#: Decimals of a score: the precision of the cosine of float32 vectors, whose last bits depend on
#: their row. Without rounding, equal places would have unequal scores.
_DECIMALS = 6
#: `classic`: distance from 0.5 within which an embedding says nothing.
_GUARD = 0.05


#: Largest share of its score that a far place loses, and that an uncertain one loses.
_FAR_SHARE, _UNCERTAIN_SHARE = 0.05, 0.05
#: Distance at which a place has lost 63 % of the first share, in m.
_FAR_M = 10.0
#: Time after which half of a home's remembered things may be elsewhere, in s.
_HALF_LIFE_S = 30 * 86400.0


@dataclass(frozen=True, eq=False)
class PlaceConditions:
    """Distance, age and uncertainty of places at the time of a query; each of shape (n,).

    Attributes:
        distance_m: from the robot to the viewpoint, straight; None if its pose is unknown.
        age_s: since the place was seen last.
        uncertainty: chance that the next look there does not show the remembered things, 0..1.
    """

    distance_m: NDArray[np.float64] | None
    age_s: NDArray[np.float64]
    uncertainty: NDArray[np.float64]

    @property
    def left(self) -> NDArray[np.float64]:
        """Share of a score that is left, 0.9..1."""
        left = 1.0 - _UNCERTAIN_SHARE * self.uncertainty
        if self.distance_m is None:
            return left
        return left - _FAR_SHARE * -np.expm1(-self.distance_m / _FAR_M)


@dataclass(frozen=True)
class QueryPose:
    """The robot's pose at a query, None if unknown, and the time of the query."""

    robot: Pose2D | None
    now: Now

    def standing(self, index: PlaceIndex, rows: NDArray[np.intp] | list[int]) -> PlaceConditions:
        """The standing of some places.

        A place that showed the remembered things in n visits does so again with the chance
        (n + 1) / (n + 2), by Laplace's rule of succession, and that fades with its age.
        """
        age_s = np.maximum(seconds(self.now.calendar_ns) - index.seen_s[rows], 0.0)
        visits = index.visits[rows]
        uncertainty = 1.0 - (visits + 1) / (visits + 2) * np.exp2(-age_s / _HALF_LIFE_S)
        if self.robot is None:
            return PlaceConditions(None, age_s, uncertainty)
        x, y = (index.poses[rows, :2] - (self.robot.x, self.robot.y)).T
        return PlaceConditions(np.hypot(x, y), age_s, uncertainty)


@dataclass(frozen=True, eq=False)
class Query:
    """A goal, ready to be compared.

    Attributes:
        words: the goal's words that are compared, each once, in order.
        vector: unit vector, shape (d,), float32; None if the goal could not be embedded.
        no_vector_reason: reason why it could not.
    """

    words: tuple[str, ...]
    vector: NDArray[np.float32] | None
    no_vector_reason: str = ''


@dataclass(frozen=True)
class Match:
    """The fit of a place to a query; the ranking defines the two parts.

    Attributes:
        score: 0..1.
        embedding_score: by the vectors, -1..1.
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
        total: the order of the ranking, 0..1.
        cosine: of the vectors, -1..1.
        embedding: the ranking's score of the cosine.
        keyword: share of the query's words, 0..1.
        ranked: mask of the places that count.
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
        """The words of a text, in order."""

    @abstractmethod
    def words_of_goal(self, text: str) -> tuple[str, ...]:
        """The words of a goal that are compared, each once, in order."""

    @abstractmethod
    def words_of_place(self, place: Place) -> Iterable[str]:
        """The words by which a place is found, each once."""

    @abstractmethod
    def scores(self, index: PlaceIndex, query: Query, floor: float) -> Scores:
        """The scores of all places.

        Args:
            index: the places.
            query: as from `query`.
            floor: as of `Ranked`.
        """

    def query(self, text: str, vector: NDArray[np.float32] | None,
              no_vector_reason: str = '') -> Query:
        """The query of a goal's text and its unit vector, shape (d,)."""
        return Query(self.words_of_goal(text), vector, no_vector_reason)

    def reasons(self, query: Query, place: Place, cosine: float | None) -> tuple[str, ...]:
        """Reasons why a place fits, in words; the cosine is None if no vectors were compared."""
        reasons = [f"names '{phrase}'" for phrase in self._named_phrases(query.words, place)]
        if query.vector is None:
            reasons.append(f'keywords only: {query.no_vector_reason[:200] or "no embedding"}')
        elif cosine is None:
            reasons.append('keywords only: the place has no embedding yet')
        else:
            reasons.append(f'similarity {cosine:.2f}')
        return tuple(reasons[-16:])

    def _named_phrases(self, query: tuple[str, ...], place: Place) -> list[str]:
        """The query's words that a place names; words side by side there form one phrase."""
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
    overlap = the share of the goal's words that summary or names have. The score is halved if no
    word agrees and the embedding is within 0.05 of 0.5, which says nothing.
    """

    def split(self, text: str) -> list[str]:
        """The words as they are."""
        return tokens(text)

    def words_of_goal(self, text: str) -> tuple[str, ...]:
        """All words."""
        return tuple(dict.fromkeys(tokens(text)))

    def words_of_place(self, place: Place) -> Iterable[str]:
        """All words of summary and names."""
        return set(tokens(' '.join((place.summary, *place.tags))))

    def scores(self, index: PlaceIndex, query: Query, floor: float) -> Scores:
        """The scores of all places; none is left out, whatever the floor."""
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
        """The words, plurals folded."""
        return words(text)

    def words_of_goal(self, text: str) -> tuple[str, ...]:
        """The words that name the target."""
        return tuple(content_words(text))

    def words_of_place(self, place: Place) -> Iterable[str]:
        """The words of summary and names that carry meaning."""
        return set(content_words(' '.join((place.summary, *place.tags))))

    def scores(self, index: PlaceIndex, query: Query, floor: float) -> Scores:
        """The scores; a place of score 0, or compared and below the floor, is not ranked."""
        keyword = index.overlaps(query.words)
        cosine = index.cosines(query.vector)
        total = np.clip(np.round(
            EMBEDDING_WEIGHT * np.clip(cosine, 0, 1) + KEYWORD_WEIGHT * keyword, _DECIMALS), 0, 1)
        compared = index.has_vector & (query.vector is not None)
        return Scores(total, cosine, cosine, keyword, (total > 0) & (~compared | (total >= floor)))


#: By the name in the parameter `ranking`.
RANKINGS: dict[str, Ranking] = {'content_words': ContentWords(), 'classic': Classic()}


class Ranked:
    """All places of an index, compared with a query."""

    def __init__(self, ranking: Ranking, index: PlaceIndex, query: Query,
                 floor: float = 0.0) -> None:
        """Compare.

        Args:
            ranking: the ranking.
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
        """Places that fit best, best first, equal ones by ascending id.

        Args:
            limit: largest number of places, 1 or more.
            excluded: ids of places to leave out.
        """
        return [self._match(row, float(self._scores.total[row]))
                for row in self._best_rows(limit, excluded)]

    def best_from(self, here: QueryPose, limit: int, threshold: float = 1.0,
                  excluded: Iterable[str] = ()) -> list[Match]:
        """Places most worth a visit: of those that fit equally well, near and sure ones first.

        A far or uncertain place loses up to a tenth of its score, but does not fall below the
        threshold by it.

        Args:
            here: pose and time of the query.
            limit: largest number of places, 1 or more.
            threshold: score from which a place is likely.
            excluded: ids of places to leave out.
        """
        first = self._best_rows(limit, excluded)
        if not first:
            return []
        fit = self._scores.total
        # No place below these can become better than the last of them.
        among = self._scores.ranked & (
            fit >= fit[first[-1]] * (1.0 - _FAR_SHARE - _UNCERTAIN_SHARE))
        rows, worth = np.flatnonzero(among), fit.copy()
        worth[rows] = np.maximum(
            np.round(fit[rows] * here.standing(self._index, rows).left, _DECIMALS),
            np.where(fit[rows] >= threshold, threshold, 0.0))
        return [self._match(row, float(worth[row]))
                for row in self._index.best(worth, limit, among, excluded)]

    def _best_rows(self, limit: int, excluded: Iterable[str]) -> list[int]:
        return self._index.best(self._scores.total, limit, self._scores.ranked, excluded)

    def _match(self, row: int, score: float) -> Match:
        scores, index = self._scores, self._index
        place = index.places[row]
        cosine = None
        if self._query.vector is not None and index.has_vector[row]:
            cosine = float(scores.cosine[row])
        return Match(place.id, score,
                     round(float(scores.embedding[row]), _DECIMALS),
                     round(float(scores.keyword[row]), _DECIMALS),
                     self._ranking.reasons(self._query, place, cosine))
