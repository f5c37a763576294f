"""The canonical hypothesis: a model's reply in this project's own form."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
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
_Question = Annotated[str, Len(1, 300)]
#: Metres in the frame of the goal.
GoalCoordinate = Annotated[float, Interval(ge=-10_000, le=10_000)]


class Action(StrEnum):
    """Action that a hypothesis proposes."""

    APPROACH = 'approach'
    EXPLORE = 'explore'
    ROTATE = 'rotate'
    GOTO_NODE = 'goto_node'
    ASK_CLARIFICATION = 'ask_clarification'
    STOP = 'stop'


class TargetStatus(StrEnum):
    """Claim of a hypothesis about the target in the picture."""

    VISIBLE = 'visible'
    NOT_VISIBLE = 'not_visible'
    AMBIGUOUS = 'ambiguous'


@dataclass(frozen=True)
class NavigationGoal:
    """A goal pose that a model names outright; it counts only near something grounded."""

    frame_id: Literal['map', 'base_link']
    x: GoalCoordinate
    y: GoalCoordinate
    yaw: Angle


@json_form(omit_none=True)
@dataclass(frozen=True)
class SceneObject:
    """An object that the model sees."""

    name: ObjectName
    box: Box | None = None


@dataclass(frozen=True)
class Scene:
    """The model's account of the whole picture."""

    place: Label
    objects: Annotated[tuple[SceneObject, ...], MaxLen(12)] = ()

    def without_boxes(self) -> Scene:
        """The scene with the names of its objects alone."""
        return Scene(self.place, tuple(SceneObject(one.name) for one in self.objects))


def _needs(action: Action, then: dict[str, Any]) -> dict[str, Any]:
    return {'if': {'properties': {'action': {'const': action.value}}, 'required': ['action']},
            'then': then}


def _only_with(action: Action) -> Any:
    """An optional field that means something with one action only."""
    return field(default=None, metadata={'only_with': action})


@json_form(omit_none=True, allOf=[
    _needs(Action.APPROACH, {'oneOf': [{'required': ['target_box']},
                                       {'required': ['navigation_goal']}]}),
    _needs(Action.GOTO_NODE, {'required': ['node_id']}),
    _needs(Action.ROTATE, {'required': ['rotate_rad']}),
    _needs(Action.ASK_CLARIFICATION, {'required': ['clarification_question']})])
@dataclass(frozen=True)
class CanonicalHypothesis:
    """A hypothesis in canonical form: boxes in per mille of the original picture.

    To add a field: one line here, with its limits; `= None` where a model may leave it out, and
    `_only_with(action)` where it means something with one action alone. The wire schema and its
    conversion follow from here (`vlm/gate/wire.py`); the prompt explains its use.

    Bearings are relative to the camera's heading, positive to the left. Enumerations and numbers
    stand before texts: the model is asked for them in this order.
    """

    action: Action
    target_status: TargetStatus
    confidence: Fraction
    target_box: Box | None = None
    navigation_goal: NavigationGoal | None = _only_with(Action.APPROACH)
    rotate_rad: Angle | None = _only_with(Action.ROTATE)
    explore_bearing_rad: Angle | None = _only_with(Action.EXPLORE)
    node_id: Id | None = _only_with(Action.GOTO_NODE)
    clarification_question: _Question | None = _only_with(Action.ASK_CLARIFICATION)
    scene: Scene = Scene('')
    rationale: Annotated[str, MaxLen(400)] = ''


#: Fields that mean something with one action only. They are left out where a model gives them with
#: another, as models do that fill every field.
ONLY_WITH: dict[str, Action] = {
    one.name: one.metadata['only_with'] for one in fields(CanonicalHypothesis)
    if 'only_with' in one.metadata}
