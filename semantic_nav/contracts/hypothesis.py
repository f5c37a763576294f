"""The canonical hypothesis: what the house makes of a model's reply."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal

from annotated_types import Interval, Len, MaxLen

from semantic_nav.contracts.fields import (
    Angle,
    Fraction,
    Id,
    Keywords,
    Label,
    ObjectName,
    json_form,
)

_PerMille = Annotated[float, Interval(ge=0, le=1000)]
#: x1, y1, x2, y2 in per mille of the original picture's width and height.
Box = Annotated[tuple[_PerMille, _PerMille, _PerMille, _PerMille], Keywords(
    {'description': 'x1, y1, x2, y2 in per mille of the original picture'})]
_Coordinate = Annotated[float, Interval(ge=-10_000, le=10_000)]


class Action(StrEnum):
    """What a hypothesis proposes."""

    APPROACH = 'approach'
    EXPLORE = 'explore'
    ROTATE = 'rotate'
    GOTO_NODE = 'goto_node'
    ASK_CLARIFICATION = 'ask_clarification'
    STOP = 'stop'


class TargetStatus(StrEnum):
    """What a hypothesis claims of the target in the picture."""

    VISIBLE = 'visible'
    NOT_VISIBLE = 'not_visible'
    AMBIGUOUS = 'ambiguous'


@dataclass(frozen=True)
class NavigationGoal:
    """A pose that a model names outright; it counts only near something grounded."""

    frame_id: Literal['map', 'base_link']
    x: _Coordinate
    y: _Coordinate
    yaw: Angle


@json_form(omit_none=True)
@dataclass(frozen=True)
class SceneObject:
    """Something the model sees."""

    name: ObjectName
    box: Box | None = None


@dataclass(frozen=True)
class Scene:
    """What the model makes of the whole picture."""

    place: Label
    objects: Annotated[tuple[SceneObject, ...], MaxLen(12)] = ()


def _needs(action: Action, then: dict[str, Any]) -> dict[str, Any]:
    return {'if': {'properties': {'action': {'const': action.value}}, 'required': ['action']},
            'then': then}


@json_form(omit_none=True, allOf=[
    _needs(Action.APPROACH, {'oneOf': [{'required': ['target_box']},
                                       {'required': ['navigation_goal']}]}),
    _needs(Action.GOTO_NODE, {'required': ['node_id']}),
    _needs(Action.ROTATE, {'required': ['rotate_rad']}),
    _needs(Action.ASK_CLARIFICATION, {'required': ['clarification_question']})])
@dataclass(frozen=True)
class CanonicalHypothesis:
    """A hypothesis in canonical form: boxes in per mille of the original picture.

    A field that defaults to None may be left out by the model. Bearings are relative to
    where the camera looked, positive to the left. Enumerations and numbers stand before
    texts, as the model is asked for them in this order.
    """

    action: Action
    target_status: TargetStatus
    confidence: Fraction
    target_box: Box | None = None
    navigation_goal: NavigationGoal | None = None
    rotate_rad: Angle | None = None
    explore_bearing_rad: Angle | None = None
    node_id: Id | None = None
    clarification_question: Annotated[str, Len(1, 300)] | None = None
    scene: Scene = Scene('')
    rationale: Annotated[str, MaxLen(400)] = ''
