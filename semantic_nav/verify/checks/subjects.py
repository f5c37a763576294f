"""What is checked before the robot moves, and why it is refused."""

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
    """Why something is refused.

    Attributes:
        goal: where it would have led, in the map frame, where that is known.
        exploration: how far it has come, where the act explores.
        wedged: nothing can be planned from where the robot is until it gets free.
        cramped: wedged, for want of room to turn.
        jumped: the localisation has jumped, and may settle.
        unseen: x and y of unknown floor on a path, in the map frame, where that is all.
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
    """An act and the hypothesis that it names, as far as that is known."""

    act: ActRequest
    proposal: Proposal | None


@dataclass(frozen=True)
class Here:
    """Where the robot is now, and whether enough is known to decide anything, or to drive on."""


@dataclass(frozen=True)
class Planned:
    """A way that is to begin where the robot is now."""


@dataclass(frozen=True)
class UnderWay:
    """A drive under way.

    Attributes:
        leaving: closed floor on which the robot has been all the way.
        before: where it was a moment ago; None where it has just begun.
    """

    leaving: frozenset[str]
    before: Pose2D | None = None


@dataclass(frozen=True)
class Started:
    """An act under way that has not driven yet, with its beginning on the steady clock."""

    act: ActRequest
    began_ns: int


@dataclass(frozen=True)
class Node:
    """A remembered place."""

    node_id: str


@dataclass(frozen=True)
class Goal:
    """A point of the map frame where the robot is to stand, in metres.

    Attributes:
        yaw: the heading at which it is to stand, in rad; None where any does.
    """

    x: float
    y: float
    yaw: float | None = None

    @classmethod
    def of(cls, pose: Pose2D) -> Self:
        """Return a pose as a goal."""
        return cls(pose.x, pose.y, pose.yaw)

    @property
    def pose(self) -> Pose2D:
        """The pose, to be shown: 0 where any heading does."""
        return Pose2D(self.x, self.y, self.yaw or 0.0)


@dataclass(frozen=True)
class Turn:
    """A turn on the spot.

    Attributes:
        pose: where it begins, in the map frame.
        turn_rad: positive to the left.
    """

    pose: Pose2D
    turn_rad: float


@dataclass(frozen=True)
class NodeGoal:
    """The pose in the map frame from which a remembered place is visited."""

    node_id: str
    pose: Pose2D


@dataclass(frozen=True)
class Target:
    """A point of the map frame where something is to be approached, in metres."""

    x: float
    y: float


@dataclass(frozen=True)
class InPicture:
    """A target in the map frame, and from where anything of it is in the picture, by its height.

    Attributes:
        height_m: of its middle over the floor.
        near_m, far_m: least and greatest distance of the robot.
    """

    target: tuple[float, float]
    height_m: float
    near_m: float
    far_m: float


@dataclass(frozen=True)
class StandOffs:
    """How many poses were found within a distance of a target, in the map frame.

    Attributes:
        blocked: one to which a way would lead if nothing blocked it; None for none.
    """

    target: tuple[float, float]
    within_m: float
    found: int
    blocked: UnreachedPart | None = None


@dataclass(frozen=True)
class Views:
    """How many views the exploration policy has left, and what is out of its reach.

    Attributes:
        from_two_places: share of the reachable floor that was looked at from two places, 0..1;
            None where that is not asked.
        nooks: corners that furniture closes, which are no reason to wait.
    """

    found: int
    unreached: tuple[UnreachedPart, ...] = ()
    from_two_places: float | None = None
    nooks: tuple[UnreachedPart, ...] = ()


@dataclass(frozen=True)
class Halting:
    """A standstill that is waited for, since a moment of the steady clock."""

    since_ns: int


@dataclass(frozen=True)
class Path:
    """The answer of Nav2's planner for a goal in the map frame.

    Attributes:
        answer: with a path from the robot on, where there is one.
        past_stall: the only ways that are known lead past where the robot got stuck.
        beside_m: how far from the robot the planner began the path.
    """

    goal: Pose2D
    answer: PathAnswered
    past_stall: bool = False
    beside_m: float = 0.0


Subject = (Proposed | Here | Planned | Started | Node | Goal | Turn | NodeGoal | Target | InPicture
           | StandOffs | Views | UnderWay | Halting | Path)
HERE, PLANNED = Here(), Planned()


def words_of(error: Exception) -> str:
    """Return what a check that failed says of itself."""
    return f'the checks failed: {error!r}'[:300]
