"""Events of the verifier besides documents."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.core import Event
from semantic_nav.contracts.geometry import Transform
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.polygon import Corners
from semantic_nav.contracts.vocabulary import NavStatus
from semantic_nav.verify.effects import (
    AskPath,
    CancelNav,
    ClearCostmaps,
    FreezeLook,
    LimitSpeed,
    RefineLocalisation,
    SendBackUp,
    SendNav,
    SendSpin,
    ShowCandidates,
    ShowSearch,
    StopNav,
    WatchSurroundings,
)
from semantic_nav.verify.zones import Zones


@dataclass(frozen=True)
class PoseResolved(Event):
    """The robot's pose by TF."""

    stamp_ns: int
    map_T_base: Transform
    map_T_odom: Transform


@dataclass(frozen=True)
class PoseMissing(Event):
    """TF has no pose of the robot."""

    reason: str


@dataclass(frozen=True)
class MapReceived(Event):
    """A map came, with unknown space and frontiers."""

    grid: OccupancyGrid


@dataclass(frozen=True)
class MapMissing(Event):
    """A map came that cannot be used; the one before stays."""

    reason: str


@dataclass(frozen=True)
class CostmapMissing(Event):
    """A costmap came that cannot be used; the one before stays and ages."""

    reason: str


@dataclass(frozen=True)
class CostmapReceived(Event):
    """The global costmap came, with its updates applied."""

    grid: OccupancyGrid


@dataclass(frozen=True)
class ZonesReceived(Event):
    """The zones of the map, valid from now on."""

    zones: Zones


@dataclass(frozen=True)
class KeepoutAwaited(Event):
    """A keep-out mask is expected and has not come."""


@dataclass(frozen=True)
class KeepoutReceived(Event):
    """The keep-out mask came."""

    grid: OccupancyGrid


@dataclass(frozen=True)
class KeepoutMissing(Event):
    """A keep-out mask came that cannot be used; the one before stays."""

    reason: str


@dataclass(frozen=True)
class SensorHeard(Event):
    """A message of a sensor.

    Attributes:
        name: of the sensor, as in `Surroundings.sensors`.
        stamp_ns: of its newest message, on the ROS clock.
    """

    name: str
    stamp_ns: int


@dataclass(frozen=True)
class SensorBlind(Event):
    """A message of a sensor that measures nothing.

    Attributes:
        name: of the sensor, as in `Surroundings.sensors`.
        stamp_ns: of its newest message, on the ROS clock.
        reason: for people.
        within_m: range without any hit, which may be true; 0 if measuring itself failed.
    """

    name: str
    stamp_ns: int
    reason: str
    within_m: float


@dataclass(frozen=True)
class HoldHeard(Event):
    """A message of the pause topic: hold the robot, or let it drive."""

    held: bool


@dataclass(frozen=True)
class HoldAwaited(Event):
    """The pause topic is configured, and its first message has not come."""


@dataclass(frozen=True)
class ChargeHeard(Event):
    """Charge of the battery, from 0 to 1."""

    share: float


@dataclass(frozen=True)
class UncertaintyHeard(Event):
    """Uncertainty of the localisation: standard deviations of position and yaw."""

    position_m: float
    yaw_rad: float


@dataclass(frozen=True)
class CameraMounted(Event):
    """A further camera besides the first, and its mount on the robot.

    Attributes:
        camera: its name.
        base_T_camera: of the optical frame (z forward, x right, y down).
    """

    camera: str
    intrinsics: Intrinsics
    base_T_camera: Transform


@dataclass(frozen=True, eq=False)
class Scan:
    """A laser scan (sensor_msgs/LaserScan).

    Attributes:
        ranges_m: float32, shape (rays,): infinite for no hit, NaN for a failed measurement (REP
            117).
        angle_min_rad, step_rad: bearing of the first ray, and angle from ray to ray.
        odom_T_scanner: of its frame (x ahead, z up).
        reach_m: its range; 0 if unknown: then a ray without a hit shows nothing.
    """

    ranges_m: NDArray[np.float32]
    angle_min_rad: float
    step_rad: float
    odom_T_scanner: Transform
    reach_m: float = 0.0


@dataclass(frozen=True)
class ScanTaken(Event):
    """A thinned scan for the comparison with the map.

    Attributes:
        at: x and y of the scanner, in the odometry frame.
        ends: x and y of the hits of its level rays, in the odometry frame.
    """

    at: tuple[float, float]
    ends: Corners


@dataclass(frozen=True, eq=False)
class LookFrozen(Event):
    """Depth and poses at the stamp of a picture.

    Attributes:
        depth_mm: uint16, shape (height, width), 0 for no measurement; shape (0, 0) for a robot
            without a depth camera, which has a scan.
        intrinsics: of the depth picture, or of the picture without depth.
        odom_T_camera: of the optical frame (z forward, x right, y down).
        odom_T_base: of the robot.
        scan: of a robot without a depth camera.
        near: share of the depth pixels that were nearer than is believed and have been set to 0.
    """

    look_id: str
    depth_mm: NDArray[np.uint16]
    intrinsics: Intrinsics
    odom_T_camera: Transform
    odom_T_base: Transform
    scan: Scan | None = None
    near: float = 0.0


@dataclass(frozen=True)
class LookNotFrozen(Event):
    """Depth or TF of a picture's stamp did not come."""

    look_id: str
    reason: str


@dataclass(frozen=True, eq=False)
class PathAnswered(Event):
    """The planner answered.

    Attributes:
        points: of the path in the map frame, in m, shape (n, 2).
    """

    request_id: str
    status: NavStatus
    code: int
    points: NDArray[np.float64]


@dataclass(frozen=True)
class NavAnswered(Event):
    """The navigator accepted or refused a goal.

    Attributes:
        held_back: the node did not send the goal, so the navigator does not know it.
    """

    nav_goal_id: str
    accepted: bool
    reason: str = ''
    held_back: bool = False


@dataclass(frozen=True)
class NavFinished(Event):
    """The navigator ended a goal.

    Attributes:
        reason: why the goal is lost; empty if it is not.
    """

    nav_goal_id: str
    status: NavStatus
    code: int
    reason: str = ''


@dataclass(frozen=True)
class NavServersAwaited(Event):
    """The servers of Nav2 are asked for their faults; the answer takes less than a second."""


@dataclass(frozen=True)
class NavServersHeard(Event):
    """The fault of Nav2's servers; empty for none."""

    fault: str


@dataclass(frozen=True)
class NavGoalsAwaited(Event):
    """The goals of the navigator are awaited; earlier news of them is void."""


@dataclass(frozen=True)
class NavGoalsHeard(Event):
    """UUIDs of the goals that the navigator has in hand, from any client."""

    nav_goal_ids: tuple[str, ...]


@dataclass(frozen=True)
class FootprintAwaited(Event):
    """The footprint by Nav2 is expected and has not come."""


@dataclass(frozen=True)
class FootprintHeard(Event):
    """The footprint by Nav2, in base_link."""

    corners: Corners


@dataclass(frozen=True)
class BeliefLost(Event):
    """The belief's sign of life has stopped, so nobody would end its acts."""


@dataclass(frozen=True)
class Deactivating(Event):
    """The node is about to stop and must leave no drive behind."""


#: Kinds of events and effects in the journal.
RECORD_KINDS = (
    FootprintAwaited, FootprintHeard,
    PoseResolved, PoseMissing, MapReceived, MapMissing, CostmapReceived, CostmapMissing,
    ZonesReceived, KeepoutAwaited, KeepoutReceived, KeepoutMissing, SensorHeard, SensorBlind,
    HoldHeard, HoldAwaited, ChargeHeard, UncertaintyHeard, CameraMounted, ScanTaken,
    LookFrozen, LookNotFrozen, PathAnswered, NavAnswered, NavFinished, NavServersAwaited,
    NavServersHeard, NavGoalsAwaited, NavGoalsHeard, BeliefLost, Deactivating,
    WatchSurroundings, FreezeLook, AskPath, SendNav, SendSpin, SendBackUp, ClearCostmaps,
    RefineLocalisation, LimitSpeed, ShowCandidates, ShowSearch, CancelNav, StopNav)

#: Schemas of the documents that this core reads, and of those that it writes.
READS = ('step', 'look', 'hypothesis', 'candidates', 'belief', 'query')
WRITES = ('observation', 'verdict', 'pose', 'reply')
