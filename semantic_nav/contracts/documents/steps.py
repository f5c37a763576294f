"""What belief wants done next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Interval, MaxLen

from semantic_nav.contracts.documents.observations import Point
from semantic_nav.contracts.fields import (
    Id,
    IdOrEmpty,
    Label,
    NotNegative,
    Text,
    exactly_one,
    json_form,
)
from semantic_nav.contracts.vocabulary import Code, Purpose, Status, StepKind


@dataclass(frozen=True)
class Refusal:
    """Why the last act of this goal was refused, for the model to read."""

    code: Code
    reason: Text


@dataclass(frozen=True)
class LookRequest:
    """The body of a look step.

    Attributes:
        deadline_s: for the whole look, on the receiver's steady clock.
        inform: a look while driving, which neither ends nor replaces the current step; the model
            has its picture after those of others that inform.
        confirm: the last look of a mission, which only a model may answer.
        fallback_only: the model is not asked, for it was refused too often in a row.
        model_calls_left: of the mission's budget, turns of tools and repairs included; None where
            nobody counts them.
        left_out: remembered places that are not offered for a while: the robot could not go
            there, or was there already.
        camera: name of the one through which to look; empty for the first.
    """

    deadline_s: Annotated[float, Interval(ge=0.1, le=3600)]
    inform: bool
    confirm: bool
    fallback_only: bool
    belief_target_status: Status
    last_refusal: Refusal | None
    model_calls_left: Annotated[int, Ge(1)] | None = None
    left_out: Annotated[tuple[Id, ...], MaxLen(32)] = ()
    camera: Label = ''


@json_form(oneOf=exactly_one(hypothesis_id='string', track_id='string'))
@dataclass(frozen=True)
class ActRequest:
    """The body of an act step: one of the two ids is given.

    Attributes:
        stale_after_s: the age of the look's picture from which on the act is refused.
        start_within_s: the act must start by then, on the receiver's steady clock.
        drive_budget_s: the drive is cancelled after this time.
        second_looks: where an act explores and all was looked at, it goes on to what may have been
            overlooked all the same.
        only_gaps: where it explores, only what nobody looked at is worth a view, not what may have
            been overlooked: the target is likely here no more.
    """

    hypothesis_id: Id | None
    track_id: Id | None
    stale_after_s: NotNegative
    start_within_s: NotNegative
    drive_budget_s: NotNegative
    second_looks: bool = False
    only_gaps: bool = False


@dataclass(frozen=True)
class RejectedTarget:
    """A target that was not confirmed: what is seen there counts again with better evidence.

    Attributes:
        track_id: of the verifier's track.
        position: where it was held to be, in the map frame.
    """

    track_id: Id
    position: Point


#: The kind of a step and the request that it carries.
_REQUESTS = [
    {'properties': {'kind': {'const': kind}, 'look': {'type': look}, 'act': {'type': act}}}
    for kind, look, act in (('look', 'object', 'null'), ('act', 'null', 'object'),
                            ('stop', 'null', 'null'))]


@json_form(oneOf=_REQUESTS)
@dataclass(frozen=True)
class Step:
    """What belief wants done next.

    Attributes:
        rejected: the targets of this goal that were not confirmed, the newest last.
        purpose, place: as of `Belief`.
    """

    kind: StepKind
    goal_text: Text
    look: LookRequest | None = None
    act: ActRequest | None = None
    reason: Text = ''
    rejected: Annotated[tuple[RejectedTarget, ...], MaxLen(32)] = ()
    purpose: Purpose = Purpose.FIND
    place: IdOrEmpty = ''
