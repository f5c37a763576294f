"""Which places fit a goal: two rankings, by name."""

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
#: Decimals of a score: as exact as the cosine of float32 vectors, whose last bits depend on the
#: row that they stand in. Without it equal places would not be equal.
_DECIMALS = 6
#: `classic`: an embedding this near to the middle says nothing.
_GUARD = 0.05


#: Share of its score that a place loses at most where it is far, and where it is uncertain.
_FAR_SHARE, _UNCERTAIN_SHARE = 0.05, 0.05
#: A place so far off has lost 63 % of the first, in metres.
_FAR_M = 10.0
#: After so long one half of what a home's places are remembered for may be elsewhere, in s.
_HALF_LIFE_S = 30 * 86400.0


@dataclass(frozen=True, eq=False)
class Standing:
    """How places stand to the robot and to the time at which it asks; each of shape (n,).

    Attributes:
        distance_m: from the robot to the viewpoint, straight; None where nobody knows where it is.
        age_s: since the place was seen last.
        uncertainty: chance that the next look there does not show what is remembered, 0..1.
    """

    distance_m: NDArray[np.float64] | None
    age_s: NDArray[np.float64]
    uncertainty: NDArray[np.float64]

    @property
    def left(self) -> NDArray[np.float64]:
        """Share that is left of a score, 0.9..1."""
        left = 1.0 - _UNCERTAIN_SHARE * self.uncertainty
        if self.distance_m is None:
            return left
        return left - _FAR_SHARE * -np.expm1(-self.distance_m / _FAR_M)


@dataclass(frozen=True)
class Here:
    """Where the robot is when it asks, None where nobody knows, and when, by the calendar."""

    robot: Pose2D | None
    now: Now

    def standing(self, index: PlaceIndex, rows: NDArray[np.intp] | list[int]) -> Standing:
        """Return how some places stand.

        A place that showed what was remembered in n visits does so again with the chance
        (n + 1) / (n + 2), by Laplace's rule of succession, and that fades with its age.
        """
        age_s = np.maximum(seconds(self.now.calendar_ns) - index.seen_s[rows], 0.0)
        visits = index.visits[rows]
        uncertainty = 1.0 - (visits + 1) / (visits + 2) * np.exp2(-age_s / _HALF_LIFE_S)
        if self.robot is None:
            return Standing(None, age_s, uncertainty)
        x, y = (index.poses[rows, :2] - (self.robot.x, self.robot.y)).T
        return Standing(np.hypot(x, y), age_s, uncertainty)


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
        """Return the places that fit best, best first, equal ones by ascending id.

        Args:
            limit: how many at most, 1 or more.
            excluded: ids of places to leave out.
        """
        return [self._match(row, float(self._scores.total[row]))
                for row in self._best_rows(limit, excluded)]

    def best_from(self, here: Here, limit: int, threshold: float = 1.0,
                  excluded: Iterable[str] = ()) -> list[Match]:
        """Return the places most worth a visit: of those that fit alike, near and sure ones.

        What is far or uncertain loses up to a tenth of its score, and none falls below the
        threshold by it.

        Args:
            here: where and when the robot asks.
            limit: how many at most, 1 or more.
            threshold: score from which on a place is likely.
            excluded: ids of places to leave out.
        """
        first = self._best_rows(limit, excluded)
        if not first:
            return []
        fit = self._scores.total
        # Nothing below these can become better than the last of them.
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
