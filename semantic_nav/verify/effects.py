"""Effects that the verifier's node carries out; most results come back as events."""

from dataclasses import dataclass
from typing import ClassVar

from semantic_nav.contracts.core import Effect
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import DEFAULT_CAMERA, Code
from semantic_nav.explore.likely_squares import LikelySquare
from semantic_nav.verify.zones import SpeedLimit


@dataclass(frozen=True)
class WatchSurroundings(Effect):
    """Limit the inputs of the core from now on; before the first one the defaults hold.

    Attributes:
        depth: keep the depth pictures of the last second for coming looks, and report the age of
            the newest message of each sensor.
        costmap: feed each costmap, and the newest at once.
        pose_period_s: time from one resolved pose to the next.
        pose_kept_back_s: longest time for which poses without news are kept back (`PoseFeed`).
    """

    depth: bool = False
    costmap: bool = False
    pose_period_s: float = 1.0
    pose_kept_back_s: float = 0.0


@dataclass(frozen=True)
class FreezeLook(Effect):
    """Freeze depth and TF at a picture's stamp; answered by LookFrozen or LookNotFrozen.

    Attributes:
        camera: name of the camera that took it, whose depth is wanted.
        width_px, height_px: of the picture; 0 if unknown.
        fingerprint: hash of the picture, equal only for equal pictures; empty if unknown.
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
    """Ask the planner for a path; answered by PathAnswered."""

    request_id: str
    goal: Pose2D
    timeout_s: float


@dataclass(frozen=True)
class SendNav(Effect):
    """Drive to a goal pose in the map frame; answered by NavAnswered, then NavFinished."""

    durable: ClassVar[bool] = True
    nav_goal_id: str
    goal: Pose2D


@dataclass(frozen=True)
class SendSpin(Effect):
    """Turn on the spot; answered like SendNav."""

    durable: ClassVar[bool] = True
    nav_goal_id: str
    angle_rad: float
    time_allowance_s: float


@dataclass(frozen=True)
class SendBackUp(Effect):
    """Drive straight backwards; answered like SendNav."""

    durable: ClassVar[bool] = True
    nav_goal_id: str
    distance_m: float
    speed_mps: float
    time_allowance_s: float


@dataclass(frozen=True)
class ClearCostmaps(Effect):
    """Clear all but the map from Nav2's costmaps; the sensors fill them again.

    Attributes:
        local: the local costmap too.
    """

    local: bool = True


@dataclass(frozen=True)
class RefineLocalisation(Effect):
    """Make the localisation use one more scan while the robot stands; not answered."""


@dataclass(frozen=True)
class LimitSpeed(Effect):
    """Set the controller's speed limit; only sent if there are speed zones."""

    limit: SpeedLimit


@dataclass(frozen=True)
class CandidatePose:
    """A possible stand-off pose, in the map frame.

    Attributes:
        code: of the first check that refuses it; OK if none does.
    """

    pose: Pose2D
    code: Code


@dataclass(frozen=True)
class ShowCandidates(Effect):
    """Show people the possible stand-off poses of a target; not answered."""

    candidates: tuple[CandidatePose, ...]


@dataclass(frozen=True)
class ShowSearch(Effect):
    """Show people the areas that may still hold the target, and the next views, best first."""

    views: tuple[Pose2D, ...]
    squares: tuple[LikelySquare, ...]


@dataclass(frozen=True)
class CancelNav(Effect):
    """Cancel a goal of the navigator, in any state."""

    nav_goal_id: str


@dataclass(frozen=True)
class StopNav(Effect):
    """Cancel every goal of the navigator, and any path following without a goal."""
