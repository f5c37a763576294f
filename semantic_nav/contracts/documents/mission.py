"""The state of a mission, as the belief publishes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import MaxLen

from semantic_nav.contracts.documents.places import CandidateNode
from semantic_nav.contracts.fields import Count, Fraction, IdOrEmpty, NotNegative, Text
from semantic_nav.contracts.vocabulary import Outcome, Phase, Purpose, Status


@dataclass(frozen=True)
class Budgets:
    """Budgets of a mission: what is used, and the limits."""

    time_s: NotNegative
    time_limit_s: NotNegative
    model_calls: Count
    model_calls_limit: Count
    distance_m: NotNegative
    distance_limit_m: NotNegative
    refusals: Count
    refusals_limit: Count


@dataclass(frozen=True)
class Belief:
    """State of a mission.

    Attributes:
        stands: for a paused or ended mission, true if the verifier confirmed then that the robot
            stands still; None if it was not asked.
        p_here: probability that the target is here; 1 after arrival, None before the first
            look and for missions that search for nothing.
        place: destination of a mission of purpose `go`: id or name of a remembered place.
        waits: the mission waits by itself before a look or another try of an act.
        pause_requested: a pause was requested, and only a resume ends it; false while the robot
            is merely held, after which the mission goes on by itself.
    """

    goal_text: Text
    status: Status
    phase: Phase
    outcome: Outcome | None
    reason: Text
    candidate_nodes: Annotated[tuple[CandidateNode, ...], MaxLen(20)]
    question: Annotated[str, MaxLen(300)]
    rejection_reason: Text
    next_action: Text
    budgets: Budgets
    stands: bool | None = None
    p_here: Fraction | None = None
    purpose: Purpose = Purpose.FIND
    place: IdOrEmpty = ''
    waits: bool = False
    pause_requested: bool = False
