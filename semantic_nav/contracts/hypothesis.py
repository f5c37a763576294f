"""The canonical hypothesis: what the house makes of a model's reply."""

from dataclasses import dataclass
from enum import StrEnum

#: x1, y1, x2, y2 in per mille of the original picture's width and height.
Box = tuple[float, float, float, float]


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

    frame_id: str
    x: float
    y: float
    yaw: float


@dataclass(frozen=True)
class SceneObject:
    """Something the model sees."""

    name: str
    box: Box | None = None


@dataclass(frozen=True)
class Scene:
    """What the model makes of the whole picture."""

    place: str
    objects: tuple[SceneObject, ...] = ()


@dataclass(frozen=True)
class CanonicalHypothesis:
    """A proposal, valid by `schema/vlm_hypothesis.schema.json`.

    Bearings are relative to the heading at the picture's stamp, positive to the left.
    """

    action: Action
    target_status: TargetStatus
    confidence: float
    target_box: Box | None = None
    navigation_goal: NavigationGoal | None = None
    node_id: str | None = None
    rotate_rad: float | None = None
    explore_bearing_rad: float | None = None
    clarification_question: str | None = None
    scene: Scene = Scene('')
    rationale: str = ''
