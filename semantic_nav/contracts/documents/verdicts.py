"""Verdicts: the verifier's decision on an act, and the result of the act."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from semantic_nav.contracts.fields import (
    Angle,
    Count,
    Id,
    Keywords,
    Label,
    NotNegative,
    Text,
    Word,
    exactly_one,
    json_form,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import ActOutcome, Code, NavStatus

#: A UUID in hexadecimal.
Uuid = Annotated[str, Keywords({'pattern': '^[0-9a-f]{32}$'})]


@dataclass(frozen=True)
class Decision:
    """The verifier's decision on an act, before anything moves.

    Attributes:
        nav_goal_id: UUID of the action goal that is about to be sent, in hexadecimal.
        goal: goal pose in the map frame (for a spin: the final heading).
        turn_rad: angle of a spin; None for any other motion.
        back_up_m: distance of a back-up; None for any other motion.
    """

    code: Code
    reason: Text
    nav_goal_id: Uuid | None = None
    goal: Pose2D | None = None
    turn_rad: Angle | None = None
    back_up_m: NotNegative | None = None


@dataclass(frozen=True)
class Result:
    """Result of an accepted act.

    Attributes:
        nav_status: final status of the Nav2 action goal.
        nav_code: error code of Nav2.
        code: code of what was missing; None if nothing was, or if it was Nav2.
        camera: name of the camera to look through from here, where the robot need not move for its
            next view; empty for the first.
    """

    outcome: ActOutcome
    reason: Text
    nav_status: NavStatus = NavStatus.NONE
    nav_code: Count = 0
    distance_left_m: NotNegative = 0.0
    code: Code | None = None
    camera: Label = ''


@json_form(oneOf=exactly_one(decision='object', result='object'))
@dataclass(frozen=True)
class Verdict:
    """A decision on an act, or later its result: one of the two. The cause is the step."""

    action: Word
    hypothesis_id: Id | None
    decision: Decision | None = None
    result: Result | None = None
