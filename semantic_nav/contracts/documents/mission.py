"""The mission as belief holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import MaxLen

from semantic_nav.contracts.documents.places import CandidateNode
from semantic_nav.contracts.fields import Count, Fraction, IdOrEmpty, NotNegative, Text
from semantic_nav.contracts.vocabulary import Outcome, Phase, Purpose, Status


@dataclass(frozen=True)
class Budgets:
    """What the mission has used and may use."""

    time_s: NotNegative
    time_limit_s: NotNegative
    model_calls: Count
    model_calls_limit: Count
    distance_m: NotNegative
    distance_limit_m: NotNegative
    refusals: Count
    refusals_limit: Count


#: What a mission that waits does next begins with this.
WAIT = 'wait'


@dataclass(frozen=True)
class Belief:
    """The mission as it is.

    Attributes:
        stands: of one that is paused or has ended: whether the verifier said then that the robot
            stands; None where it was not asked.
        p_here: how likely the target is here; 1 once the robot has arrived, None before the first
            look and where nothing is searched for.
        place: where it leads, of the purpose `go`: the id of a remembered place, or its name.
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

    @property
    def waits(self) -> bool:
        """Whether the mission waits by itself, before it looks or tries again."""
        return self.phase is Phase.LOOKING and self.next_action.startswith(WAIT)
