"""The goal in hand, and the places that are offered for it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import Output
from semantic_nav.contracts.documents import (
    Belief,
    Candidate,
    CandidateNode,
    Candidates,
    Document,
    Step,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.goal_in_hand import GoalChange, GoalInHand
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.vocabulary import Purpose
from semantic_nav.embed.words import tokens
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.embed_queue import checked
from semantic_nav.memory.events import Embed, Started
from semantic_nav.memory.graph import PlaceGraph
from semantic_nav.memory.place import Place
from semantic_nav.memory.place_index import PlaceIndex
from semantic_nav.memory.retrieval import RANKINGS, Match, QueryPose, Ranked
from semantic_nav.memory.scene import name_of_goal
from semantic_nav.memory.thresholds import likely_threshold

#: Most places that are offered for a goal.
_MOST_OFFERED = 5
#: Share of the threshold below which a place is no candidate: a candidate is worth a visit.
_FLOOR_SHARE = 0.5
#: Decimals of a score whose change makes the candidates worth publishing again.
_SAID_DECIMALS = 2
#: Most disproved places that are named.
_MOST_LOOKED_AT = 100


@dataclass
class OpenGoal:
    """The memory's state of the mission.

    Attributes:
        purpose, place: as of `Belief`.
        cause_id: the document that began the goal or changed its words.
        request_id: of the embedding under way; empty for none.
        vector: of the text, shape (d,); None if there is none yet.
        no_vector_reason: reason why there will be none; empty if there is one or it is expected.
        looked_at: places that a look from their viewpoint has disproved.
        offered: places that were candidates of this goal.
        published: the newest published candidates.
    """

    id: str
    text: str
    cause_id: str
    purpose: Purpose = Purpose.FIND
    place: str = ''
    request_id: str = ''
    vector: NDArray[np.float32] | None = None
    no_vector_reason: str = ''
    looked_at: set[str] = field(default_factory=set)
    offered: set[str] = field(default_factory=set)
    published: Candidates | None = None

    @property
    def has_words(self) -> bool:
        """Tell whether the goal has words to look up; else retrieval does not run."""
        return self.purpose is Purpose.FIND and bool(tokens(self.text))

    @property
    def comparable(self) -> bool:
        """Tell whether the goal's vector is there, is not needed, or will not come."""
        return self.vector is not None or bool(self.no_vector_reason) or not self.has_words


class Offers:
    """Follows the goal, and publishes its candidates whenever they change."""

    def __init__(self, config: MemoryConfig, graph: PlaceGraph, ids: Ids, embed_ids: Ids,
                 robot: Callable[[Now], Pose2D | None]) -> None:
        """Start without a goal.

        Args:
            config: of the memory.
            graph: the places.
            ids, embed_ids: mint the ids of documents and of embeddings.
            robot: returns the robot's pose in the map frame; None if unknown.
        """
        self._robot = robot
        self._config = config
        self._graph = graph
        self._ids = ids
        self._embed_ids = embed_ids
        self._embedder: Started | None = None
        self._in_hand = GoalInHand()
        self._goal: OpenGoal | None = None

    @property
    def looked_at(self) -> int:
        """Number of places that this goal's looks have disproved."""
        return len(self._goal.looked_at) if self._goal is not None else 0

    @property
    def searches(self) -> bool:
        """Tell whether something may be the target: not on a tour, nor on the way to a place."""
        return self._goal is None or self._goal.purpose is Purpose.FIND

    @property
    def unsaid(self) -> bool:
        """Tell whether there is a goal without published candidates."""
        return self._goal is not None and self._goal.published is None

    def owns(self, document: Document) -> bool:
        """Tell whether a document belongs to the goal in hand, and that is open."""
        return self._in_hand.open and self._in_hand.owns(document)

    def keep_early(self, document: Document) -> bool:
        """Keep a document whose goal has not begun; False if its goal is an earlier one."""
        return not self._in_hand.owns(document) and self._in_hand.keep_early(document)

    def early(self) -> list[Document]:
        """The documents that waited for the goal that has just begun."""
        documents: list[Document] = []
        self._in_hand.early(documents.append)
        return documents

    def compare_with(self, embedder: Started) -> list[Output]:
        """Use an embedder from now on."""
        self._embedder = embedder
        return self._embed()

    def follow(self, document: Document, body: Step | Belief,
               now: Now) -> tuple[GoalChange, list[Output]]:
        """Start, change or end the goal by a step or a belief."""
        change = self._in_hand.follow(document, now.steady_ns)
        goal, text = self._goal, body.goal_text
        if change is GoalChange.ENDED:
            self._goal = None
        elif change is GoalChange.BEGAN:
            self._goal = OpenGoal(document.goal_id, text, document.id, body.purpose, body.place)
        elif change is GoalChange.REWORDED and goal is not None:
            self._goal = OpenGoal(goal.id, text, document.id, goal.purpose, goal.place,
                                  looked_at=goal.looked_at, offered=goal.offered)
        return change, [] if self._goal is goal or self._goal is None else self._embed()

    def embedded(self, request_id: str, vectors: NDArray[np.float32] | None,
                 reason: str) -> bool:
        """Take the embedding of the goal's words, or its failure; False for another's embedding.

        Args:
            request_id: of the embedding.
            vectors: shape (1, d); None if the embedder failed.
            reason: of that failure.
        """
        goal, embedder = self._goal, self._embedder
        if goal is None or embedder is None or goal.request_id != request_id:
            return False
        vectors, goal.no_vector_reason = checked(vectors, reason, 1, embedder.dimension)
        goal.request_id = ''
        goal.vector = vectors[0] if vectors is not None else None
        return True

    def look(self, places: Iterable[Place], *, target_seen: bool) -> None:
        """Strike out the places at a look's viewpoint, or restore them if it showed the target."""
        if self._goal is not None:
            ids = {place.id for place in places}
            if target_seen:
                self._goal.looked_at -= ids
            else:
                self._goal.looked_at |= ids

    def publish(self, now: Now) -> list[Output]:
        """The candidates, if they are complete and differ from the last ones."""
        goal, embedder = self._goal, self._embedder
        if goal is None or embedder is None or not goal.comparable:
            return []
        candidates = self._candidates(goal, embedder, now)
        if goal.published is not None and _steady(candidates) == _steady(goal.published):
            return []
        goal.published = candidates
        goal.offered |= {one.node_id for one in candidates.candidates}
        return [Document(self._ids.mint(), goal.cause_id, goal.id, now.clock_ns,
                         self._config.map_frame, candidates)]

    def _embed(self) -> list[Output]:
        if self._goal is None or self._embedder is None or not self._goal.has_words:
            return []
        self._goal.request_id = self._embed_ids.mint()
        return [Embed(self._goal.request_id, (self._goal.text,))]

    def _candidates(self, goal: OpenGoal, embedder: Started, now: Now) -> Candidates:
        """Candidates from retrieval that the goal's looks have not disproved."""
        config, index = self._config, self._graph.index
        threshold = (config.likely_threshold if config.likely_threshold >= 0
                     else likely_threshold(config.ranking, embedder.name))
        sought = name_of_goal(goal.text) if goal.purpose is Purpose.FIND else ''
        here = QueryPose(self._robot(now), now)
        found: list[Match] = []
        offered: list[Match] = []
        if goal.has_words:
            ranking = RANKINGS[config.ranking]
            query = ranking.query(goal.text, goal.vector, goal.no_vector_reason)
            ranked = Ranked(ranking, index, query, _FLOOR_SHARE * threshold)
            found = ranked.best(_MOST_OFFERED)
            offered = ranked.best_from(here, _MOST_OFFERED, threshold, goal.looked_at)
        offered = [_found_before(match, index, sought) for match in offered]
        offered.sort(key=lambda match: -match.score)
        if goal.place:
            offered = [Match(one.id, 1.0, 0.0, 1.0, ('the operator named it',))
                       for one in index.called(goal.place)]
        best_score = found[0].score if found else None
        return Candidates(
            map_id=config.map_id, embedder=embedder.embedder, threshold=threshold,
            candidates=tuple(candidate_of(match, index, here, sought) for match in offered),
            places_total=len(index), retrieval_ran=goal.has_words,
            retrieval_topk=tuple(CandidateNode(one.place_id, one.score) for one in found),
            retrieval_best_score=best_score,
            retrieval_threshold_pass=best_score is not None and best_score >= threshold,
            looked_at=tuple(sorted(goal.offered & goal.looked_at)[:_MOST_LOOKED_AT]))


def _found_before(match: Match, index: PlaceIndex, sought: str) -> Match:
    """A match, with the top score if a mission for the same words found its target there."""
    place = index.get(match.place_id)
    if place is None or place.found_as(sought) is None:
        return match
    return replace(match, score=1.0, reasons=(*match.reasons, 'it was found from here before'))


def _steady(candidates: Candidates) -> Candidates:
    """The candidates without small changes: the robot's drive and passing time."""
    return replace(candidates, candidates=tuple(replace(
        one, score=round(one.score, _SAID_DECIMALS), distance_m=None, seen_ago_s=None,
        uncertainty=1.0) for one in candidates.candidates))


def candidate_of(match: Match, index: PlaceIndex, here: QueryPose, sought: str = '') -> Candidate:
    """The candidate of a matching place, which the index holds.

    Args:
        match: the match.
        index: of the places.
        here: pose and time of the query.
        sought: name of the goal's target; empty for none.
    """
    place = index.get(match.place_id)
    assert place is not None
    found = place.found_as(sought)
    standing = here.standing(index, [index.row_of(place.id)])
    return Candidate(
        node_id=place.id, pose=place.pose, score=match.score,
        embedding_score=match.embedding_score, keyword_score=match.keyword_score,
        summary=place.summary, tags=place.tags, reasons=match.reasons, provenance=place.session,
        found_at=None if found is None else found.position,
        found_deep_m=0.0 if found is None else found.deep_m,
        distance_m=(None if standing.distance_m is None
                    else round(float(standing.distance_m[0]), 2)),
        seen_ago_s=round(float(standing.age_s[0]), 1),
        uncertainty=round(float(standing.uncertainty[0]), 3))
