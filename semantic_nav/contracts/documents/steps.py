"""Steps: the next look or act that the belief asks for."""

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
    """Reason why the last act of this goal was refused, for the model to read."""

    code: Code
    reason: Text


@dataclass(frozen=True)
class LookRequest:
    """The body of a look step.

    Attributes:
        deadline_s: time for the whole look, on the receiver's steady clock.
        inform: a look while driving, which neither ends nor replaces the current step; the model
            gets its picture after those of earlier looks that inform.
        confirm: the last look of a mission, which only a model may answer.
        fallback_only: the model is not asked: it was refused too often in a row, or the mission
            goes to a known place.
        model_calls_left: calls left in the mission's budget, turns of tools and repairs included;
            None if they are not counted.
        left_out: remembered places that are not offered for a while: the robot could not get
            there, or was there already.
        camera: name of the camera to look through; empty for the first.
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
        stale_after_s: age of the look's picture from which the act is refused.
        start_within_s: time within which the act must start, on the receiver's steady clock.
        drive_budget_s: time after which the drive is cancelled.
        second_looks: an act that explores goes on, once everything was looked at, to views of what
            may have been overlooked.
        only_gaps: an act that explores seeks only floor that no look covered, not what may have
            been overlooked: the target is no longer likely here.
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
    """A target that was not confirmed: a sighting there counts again with better evidence.

    Attributes:
        track_id: id of the verifier's track.
        position: its position, in the map frame.
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
    """The next look, act or stop that the belief asks for.

    Attributes:
        rejected: targets of this goal that were not confirmed, the newest last.
        purpose, place: as in `Belief`.
    """

    kind: StepKind
    goal_text: Text
    look: LookRequest | None = None
    act: ActRequest | None = None
    reason: Text = ''
    rejected: Annotated[tuple[RejectedTarget, ...], MaxLen(32)] = ()
    purpose: Purpose = Purpose.FIND
    place: IdOrEmpty = ''
