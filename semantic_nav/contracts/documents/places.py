"""Documents of the memory on remembered places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Interval, MaxLen

from semantic_nav.contracts.documents.observations import Point
from semantic_nav.contracts.fields import Count, Fraction, Id, Label, Name, NotNegative, Text
from semantic_nav.contracts.geometry import Pose2D

#: Largest number of tags of a place in a document.
MOST_TAGS = 64


@dataclass(frozen=True)
class Candidate:
    """A remembered place for the goal.

    Attributes:
        pose: stored viewpoint in the map frame.
        score: 0..1, compared with the threshold. Retrieved places that are far or uncertain lose
            up to a tenth of it, but do not fall below the threshold.
        reasons: reasons for the score, in words.
        provenance: session in which the place was first seen; empty if unknown.
        found_at: position where an earlier mission for the same words found its target from here,
            in the map frame; None if none did.
        found_deep_m: depth of that target along the line of sight.
        distance_m: straight distance from the robot to the viewpoint; None if the robot's pose is
            unknown.
        seen_ago_s: time since the place was seen last, by the calendar; None if unknown.
        uncertainty: probability that a look there does not show what is remembered, 0..1, from
            visits and age; 1 if nothing is known of it.
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
    """A remembered place and its score, without its description."""

    node_id: Id
    score: Fraction


@dataclass(frozen=True)
class Candidates:
    """Places for the goal, best first, without those that looks have disproved.

    Attributes:
        threshold: score from which a place is likely, for this ranking and embedder.
        places_total: number of places that the memory holds on this map.
        retrieval_ran: true if the goal has words to look up.
        retrieval_topk: places found by retrieval alone, best first, also those that looks have
            disproved.
        retrieval_best_score: score of the first of these; None if nothing was found.
        retrieval_threshold_pass: true if that score reaches the threshold.
        looked_at: places that were offered for this goal, and were then looked at from their
            viewpoints without the target.
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
    """An edge from one remembered place to another.

    Attributes:
        node_id: place at its end.
    """

    node_id: Id
    length_m: NotNegative


@dataclass(frozen=True)
class PlaceDescription:
    """Full description of a remembered place.

    Attributes:
        pose: stored viewpoint in the map frame.
        kind: the model's word for it; may be empty.
        name: the operator's name for it; empty if it has none.
        seen_ago_s: time since it was seen last, by the calendar.
        provenance: session in which it was first seen.
        ways: edges to the neighbouring places, the shortest first.
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
