"""Subjects of the checks before a motion, and the rejection that a check returns."""

from dataclasses import dataclass
from typing import Self

from semantic_nav.contracts.documents import ActRequest
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.explore.exploration import Exploration
from semantic_nav.explore.unreached import UnreachedPart
from semantic_nav.verify.events import PathAnswered
from semantic_nav.verify.tracking.findings import Proposal


@dataclass(frozen=True)
class Rejection:
    """Refusal of a subject.

    Attributes:
        goal: pose that was refused, in the map frame; None where unknown.
        exploration: state of the exploration, if the act explores.
        wedged: nothing can be planned from the robot's pose until it gets free.
        cramped: wedged, because there is no room to turn.
        jumped: the localisation has jumped, and may settle.
        unseen: x and y of unknown floor on a path, in the map frame, if that is the only reason.
    """

    code: Code
    reason: str
    goal: Pose2D | None = None
    exploration: Exploration | None = None
    wedged: bool = False
    cramped: bool = False
    jumped: bool = False
    unseen: tuple[float, float] | None = None


@dataclass(frozen=True)
class Proposed:
    """An act and the hypothesis that it names, if that is known."""

    act: ActRequest
    proposal: Proposal | None


@dataclass(frozen=True)
class Claim:
    """A proposal that counts only with enough confidence of the model."""

    proposal: Proposal


@dataclass(frozen=True)
class Motionless:
    """A proposal of an action that drives nowhere."""

    proposal: Proposal


@dataclass(frozen=True)
class Approach:
    """A proposal to approach the target in a box, or a pose that the model names."""

    proposal: Proposal


@dataclass(frozen=True)
class Here:
    """The current state of the robot, as far as it must be known to decide or to drive on."""


@dataclass(frozen=True)
class Planned:
    """A motion that is to begin at the robot's current pose."""


@dataclass(frozen=True)
class UnderWay:
    """A drive under way.

    Attributes:
        leaving: names of the closed floor on which the robot has been all the way.
        before: previous pose of the robot, in the map frame; None where the drive has just begun.
    """

    leaving: frozenset[str]
    before: Pose2D | None = None


@dataclass(frozen=True)
class ActStart:
    """An act under way that has not driven yet, with its start on the steady clock."""

    act: ActRequest
    began_ns: int


@dataclass(frozen=True)
class RememberedPlace:
    """A remembered place."""

    node_id: str


@dataclass(frozen=True)
class GoalPose:
    """A goal pose in the map frame, in m; its heading may be open.

    Attributes:
        yaw: heading of the robot, in rad; None for any.
    """

    x: float
    y: float
    yaw: float | None = None

    @classmethod
    def of(cls, pose: Pose2D) -> Self:
        """The goal pose with the values of a pose."""
        return cls(pose.x, pose.y, pose.yaw)

    @property
    def pose(self) -> Pose2D:
        """The pose for display; its heading is 0 where any will do."""
        return Pose2D(self.x, self.y, self.yaw or 0.0)


@dataclass(frozen=True)
class Turn:
    """A turn on the spot.

    Attributes:
        pose: pose where it begins, in the map frame.
        turn_rad: angle, positive to the left.
    """

    pose: Pose2D
    turn_rad: float


@dataclass(frozen=True)
class VisitPose:
    """The pose in the map frame from which a remembered place is visited."""

    node_id: str
    pose: Pose2D


@dataclass(frozen=True)
class Target:
    """Position of something to approach, in the map frame, in m."""

    x: float
    y: float


@dataclass(frozen=True)
class InPicture:
    """A target in the map frame, and the distances at which part of it is in the picture.

    Attributes:
        height_m: height of its middle over the floor.
        near_m, far_m: least and greatest of these distances of the robot, by the height alone.
    """

    target: tuple[float, float]
    height_m: float
    near_m: float
    far_m: float


@dataclass(frozen=True)
class StandOffs:
    """Number of stand-off poses found within a distance of a target in the map frame.

    Attributes:
        blocked: a stand-off pose that is reachable but for a blockage; None for none.
    """

    target: tuple[float, float]
    within_m: float
    found: int
    blocked: UnreachedPart | None = None


@dataclass(frozen=True)
class Views:
    """Number of views that the exploration policy has left, and the floor out of reach.

    Attributes:
        from_two_places: share of the reachable floor that was looked at from two places, 0..1;
            None where that does not matter.
        nooks: corners closed off by furniture, which are no reason to wait.
    """

    found: int
    unreached: tuple[UnreachedPart, ...] = ()
    from_two_places: float | None = None
    nooks: tuple[UnreachedPart, ...] = ()


@dataclass(frozen=True)
class Halting:
    """A wait for the robot to stand, since a time of the steady clock."""

    since_ns: int


@dataclass(frozen=True)
class Path:
    """The answer of Nav2's planner for a goal pose in the map frame.

    Attributes:
        answer: planner's answer; its path, if any, begins at the robot.
        past_stall: every known way leads past a place where the robot got stuck.
        beside_m: distance from the robot to the start of the planner's path.
    """

    goal: Pose2D
    answer: PathAnswered
    past_stall: bool = False
    beside_m: float = 0.0


Subject = (Proposed | Claim | Motionless | Approach | Here | Planned | ActStart | RememberedPlace
           | GoalPose | Turn | VisitPose | Target | InPicture | StandOffs | Views | UnderWay
           | Halting | Path)
HERE, PLANNED = Here(), Planned()


def words_of(error: Exception) -> str:
    """Words for a check that raised an error."""
    return f'the checks failed: {error!r}'[:300]
