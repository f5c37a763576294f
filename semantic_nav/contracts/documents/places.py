"""What the memory tells of places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval, MaxLen

from semantic_nav.contracts.documents.observations import Point
from semantic_nav.contracts.fields import Count, Fraction, Id, Label, Name, NotNegative, Text
from semantic_nav.contracts.geometry import Pose2D

#: Tags that a document tells of a place.
MOST_TAGS = 64


@dataclass(frozen=True)
class Candidate:
    """A remembered place for the goal.

    Attributes:
        pose: the stored viewpoint in the map frame.
        score: 0..1, what the threshold is compared with. Of what retrieval finds, places that are
            far, or uncertain, lose up to a tenth of it, but do not fall below the threshold.
        reasons: why, in words.
        provenance: the session in which the place was first seen; empty where nobody knows.
        found_at: where an earlier mission for the same words found its target from here, in the
            map frame; None where none did.
        found_deep_m: how far that reaches along the line of sight.
        distance_m: from the robot to the viewpoint, straight; None where nobody knows where it is.
        seen_ago_s: since the place was seen last, by the calendar; None where nobody knows.
        uncertainty: chance that a look there does not show what is remembered, 0..1, by visits and
            age; 1 where nothing is known of it.
    """

    node_id: Id
    pose: Pose2D
    score: Fraction
    embedding_score: Annotated[float, Interval(ge=-1, le=1)]
    keyword_score: Fraction
    summary: Text
    tags: Annotated[tuple[Label, ...], MaxLen(MOST_TAGS)]
    reasons: Annotated[tuple[Text, ...], MaxLen(16)]
    provenance: Name = ''
    found_at: Point | None = None
    found_deep_m: NotNegative = 0.0
    distance_m: NotNegative | None = None
    seen_ago_s: NotNegative | None = None
    uncertainty: Fraction = 1.0


@dataclass(frozen=True)
class CandidateNode:
    """A place and its score, without all that is remembered of it."""

    node_id: Id
    score: Fraction


@dataclass(frozen=True)
class Candidates:
    """Places for the goal, best first; what looks have disproved is not among them.

    Attributes:
        threshold: of this ranking and embedder; from here on a place is likely.
        places_total: how many places the memory holds on this map.
        retrieval_ran: whether the goal has words to look up.
        retrieval_topk: what retrieval alone found, best first, whatever looks have disproved.
        retrieval_best_score: the first one's; None where nothing was found.
        retrieval_threshold_pass: whether that reaches the threshold.
        looked_at: places that were offered for this goal before, and were looked at from their
            viewpoints since without the target.
    """

    map_id: Name
    embedder: Name
    threshold: Fraction
    candidates: Annotated[tuple[Candidate, ...], MaxLen(20)]
    places_total: Count
    retrieval_ran: bool = False
    retrieval_topk: Annotated[tuple[CandidateNode, ...], MaxLen(20)] = ()
    retrieval_best_score: Fraction | None = None
    retrieval_threshold_pass: bool = False
    looked_at: Annotated[tuple[Id, ...], MaxLen(100)] = ()


@dataclass(frozen=True)
class Way:
    """A way from one remembered place to another.

    Attributes:
        node_id: where it leads.
    """

    node_id: Id
    length_m: NotNegative


@dataclass(frozen=True)
class PlaceDescription:
    """All that is remembered of a place.

    Attributes:
        pose: the stored viewpoint in the map frame.
        kind: what the model called it; may be empty.
        name: what an operator called it; empty for nothing.
        seen_ago_s: how long ago it was seen last, by the calendar.
        provenance: the session in which it was first seen.
        ways: to the places next to it, the shortest first.
    """

    node_id: Id
    pose: Pose2D
    kind: Label
    summary: Text
    tags: Annotated[tuple[Label, ...], MaxLen(MOST_TAGS)]
    visits: Count
    seen_ago_s: float
    provenance: Name
    ways: Annotated[tuple[Way, ...], MaxLen(8)]
    name: Label = ''
