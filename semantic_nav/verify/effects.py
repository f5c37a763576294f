"""What the shell of the verifier must do; most results come back as events."""

from dataclasses import dataclass
from typing import ClassVar

from semantic_nav.contracts.core import Effect
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA, Code
from semantic_nav.explore.likely_squares import LikelySquare
from semantic_nav.verify.zones import SpeedLimit


@dataclass(frozen=True)
class WatchSurroundings(Effect):
    """Feed only this much from now on; before the first one, as little as the defaults.

    Attributes:
        depth: keep the depth pictures of the last second, for the looks to come, and tell how new
            the newest message of each sensor is.
        costmap: feed each costmap, and the newest at once.
        pose_period_s: time from one resolved pose to the next.
        pose_kept_back_s: how long poses are kept back that tell nothing new (`PoseFeed`).
    """

    depth: bool = False
    costmap: bool = False
    pose_period_s: float = 1.0
    pose_kept_back_s: float = 0.0


@dataclass(frozen=True)
class FreezeLook(Effect):
    """Keep depth and TF of a picture's stamp; answered by LookFrozen or LookNotFrozen.

    Attributes:
        camera: name of the camera that took it, whose depth is wanted.
        width_px, height_px: of the picture; 0 where nobody tells.
        fingerprint: the same for equal pictures alone; empty where nobody can tell.
    """

    look_id: str
    stamp_ns: int
    camera_frame: str
    wait_s: float
    camera: str = DEFAULT_CAMERA
    width_px: int = 0
    height_px: int = 0
    fingerprint: str = ''


@dataclass(frozen=True)
class AskPath(Effect):
    """Ask the planner; answered by PathAnswered."""

    request_id: str
    goal: Pose2D
    timeout_s: float


@dataclass(frozen=True)
class SendNav(Effect):
    """Drive to a pose in the map frame; answered by NavAnswered, then NavFinished."""

    durable: ClassVar[bool] = True
    nav_goal_id: str
    goal: Pose2D


@dataclass(frozen=True)
class SendSpin(Effect):
    """Turn on the spot; answered as SendNav."""

    durable: ClassVar[bool] = True
    nav_goal_id: str
    angle_rad: float
    time_allowance_s: float


@dataclass(frozen=True)
class SendBackUp(Effect):
    """Drive straight backwards; answered as SendNav."""

    durable: ClassVar[bool] = True
    nav_goal_id: str
    distance_m: float
    speed_mps: float
    time_allowance_s: float


@dataclass(frozen=True)
class ClearCostmaps(Effect):
    """Let Nav2 forget what is in its costmaps beside the map; the sensors fill them again.

    Attributes:
        local: in the local one, too.
    """

    local: bool = True


@dataclass(frozen=True)
class RefineLocalisation(Effect):
    """Have the localisation take in one more scan although the robot stands; nobody answers."""


@dataclass(frozen=True)
class LimitSpeed(Effect):
    """Let the controller drive no faster from now on; where there are speed zones."""

    limit: SpeedLimit


@dataclass(frozen=True)
class CandidatePose:
    """A pose where the robot might stand, in the map frame.

    Attributes:
        code: of the first check that refuses it; OK where none does.
    """

    pose: Pose2D
    code: Code


@dataclass(frozen=True)
class ShowCandidates(Effect):
    """Show people where the robot might stand before a target; nobody answers."""

    candidates: tuple[CandidatePose, ...]


@dataclass(frozen=True)
class ShowSearch(Effect):
    """Show people where the target may still be, and the views to look from next, best first."""

    views: tuple[Pose2D, ...]
    squares: tuple[LikelySquare, ...]


@dataclass(frozen=True)
class CancelNav(Effect):
    """Cancel a goal of the navigator, whatever became of it."""

    nav_goal_id: str


@dataclass(frozen=True)
class StopNav(Effect):
    """Cancel every goal of the navigator, and what follows a path without one."""
