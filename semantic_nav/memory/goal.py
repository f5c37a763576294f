"""The goal in hand, and the places that are offered for it."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.documents import Candidate, Candidates
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.retrieval import Match, PlaceIndex, Query

#: A place below this share of the threshold is no candidate: what is offered is worth a visit.
_FLOOR_SHARE = 0.5


@dataclass
class OpenGoal:
    """What the memory holds of the mission.

    Attributes:
        cause_id: the belief document that opened the goal or changed its words.
        request_id: of the embedding under way; empty where none is.
        vector: of the text, shape (d,); None where there is none yet.
        no_vector_reason: why there will be none; empty where one is there or expected.
        checked: places that were looked at from their viewpoint without seeing the target.
        published: what was said last.
    """

    id: str
    text: str
    cause_id: str
    request_id: str = ''
    vector: NDArray[np.float32] | None = None
    no_vector_reason: str = ''
    checked: set[str] = field(default_factory=set)
    published: Candidates | None = None

    @property
    def comparable(self) -> bool:
        """Tell whether all is there that can be had to compare the goal with places."""
        return self.vector is not None or bool(self.no_vector_reason)


def offer(goal: OpenGoal, index: PlaceIndex, config: MemoryConfig, embedder: str,
          embedder_threshold: float) -> Candidates:
    """Return the places for a goal that its looks have not disproved, best first.

    Args:
        goal: with a vector, or a reason why it has none.
        index: all places of the map.
        config: says how many, and may set the threshold.
        embedder: its id.
        embedder_threshold: its own score from which on a place is likely, 0..1.
    """
    threshold = config.likely_threshold if config.likely_threshold >= 0 else embedder_threshold
    matches = index.rank(Query.of_text(goal.text, goal.vector, goal.no_vector_reason),
                         config.max_candidates, _FLOOR_SHARE * threshold, goal.checked)
    return Candidates(map_id=config.map_id, embedder=embedder, threshold=threshold,
                      candidates=tuple(candidate_of(match, index) for match in matches),
                      places_total=len(index))


def candidate_of(match: Match, index: PlaceIndex) -> Candidate:
    """Return what others are told of a place that fits; the index holds it."""
    place = index.get(match.place_id)
    assert place is not None
    return Candidate(
        node_id=place.id, pose=place.pose, score=match.score,
        embedding_score=match.embedding_score, keyword_score=match.keyword_score,
        summary=place.summary, tags=place.tags, reasons=match.reasons, provenance=place.session)
