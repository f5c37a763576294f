"""One act under way, from its plan to its result."""

from dataclasses import dataclass
from enum import Enum, auto

from semantic_nav.contracts.documents import ActRequest, Document, Result
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.verify.plan import Plan


class Stage(Enum):
    """How far it got: the robot comes to rest, a path is sought, driven, the robot rests."""

    HALTING = auto()
    ASKING_PATH = auto()
    DRIVING = auto()
    SETTLING = auto()


@dataclass
class Drive:
    """An act under way; all times are of the steady clock.

    Attributes:
        stage: how far it got.
        tries: goals of the plan that led nowhere.
        nav_goal_id, goal: as announced.
        faced: the turn towards the target was sent.
        cancelled_because, cancelled_ns: why and since when it is to end early.
        result: what is published once the robot stands.
        settle_ns: since when a standstill is waited for.
        began_yaw: of the robot when the act began, in the map frame, in rad.
    """

    step: Document
    act: ActRequest
    plan: Plan
    began_ns: int
    stage: Stage = Stage.HALTING
    tries: int = 0
    request_id: str = ''
    nav_goal_id: str = ''
    goal: Pose2D | None = None
    faced: bool = False
    cancelled_because: str = ''
    cancelled_ns: int = 0
    result: Result | None = None
    settle_ns: int = 0
    began_yaw: float = 0.0

    @property
    def is_sent(self) -> bool:
        """Tell whether the navigator has had a goal of it."""
        return self.stage in (Stage.DRIVING, Stage.SETTLING)

    def left_m(self, robot: Pose2D | None) -> float:
        """Return the distance from the robot to the goal in m; a turn has none."""
        if robot is None or self.goal is None or self.faced:
            return 0.0
        return robot.distance_to(self.goal.x, self.goal.y)

    def left_to_face_rad(self, robot: Pose2D | None) -> float | None:
        """Return the turn that the robot still needs to face the target, unless it was sent."""
        target = self.plan.target
        if target is None or robot is None or self.faced or self.plan.turn_rad is not None:
            return None
        return robot.bearing_to(target[0], target[1])
