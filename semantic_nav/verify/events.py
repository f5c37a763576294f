"""What reaches the verifier besides documents."""

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
    """TF told where the robot is."""

    stamp_ns: int
    map_T_base: Transform
    map_T_odom: Transform


@dataclass(frozen=True)
class PoseMissing(Event):
    """TF does not tell where the robot is."""

    reason: str


@dataclass(frozen=True)
class MapReceived(Event):
    """The map came: unknown space and frontiers."""

    grid: OccupancyGrid


@dataclass(frozen=True)
class MapMissing(Event):
    """A map came that cannot be used; the one before it stays."""

    reason: str


@dataclass(frozen=True)
class CostmapMissing(Event):
    """A costmap came that cannot be used; the one before it stays, and grows old."""

    reason: str


@dataclass(frozen=True)
class CostmapReceived(Event):
    """The global costmap came, its updates applied."""

    grid: OccupancyGrid


@dataclass(frozen=True)
class ZonesReceived(Event):
    """These are the zones of the map, from now on."""

    zones: Zones


@dataclass(frozen=True)
class KeepoutAwaited(Event):
    """There is to be a keep-out mask."""


@dataclass(frozen=True)
class KeepoutReceived(Event):
    """The keep-out mask came."""

    grid: OccupancyGrid


@dataclass(frozen=True)
class KeepoutMissing(Event):
    """A keep-out mask came that cannot be used; the one before it stays."""

    reason: str


@dataclass(frozen=True)
class SensorHeard(Event):
    """A sensor lives.

    Attributes:
        name: of the sensor, as in `Surroundings.sensors`.
        stamp_ns: of its newest message, on the ROS clock.
    """

    name: str
    stamp_ns: int


@dataclass(frozen=True)
class SensorBlind(Event):
    """A sensor lives, and measures nothing.

    Attributes:
        name: of the sensor, as in `Surroundings.sensors`.
        stamp_ns: of its newest message, on the ROS clock.
        reason: in words.
        within_m: nothing was met within it, which may be so; 0 where measuring itself failed.
    """

    name: str
    stamp_ns: int
    reason: str
    within_m: float


@dataclass(frozen=True)
class HoldHeard(Event):
    """The pause topic says whether the robot is to stand."""

    held: bool


@dataclass(frozen=True)
class HoldAwaited(Event):
    """There is a pause topic; nobody knows yet what it says."""


@dataclass(frozen=True)
class ChargeHeard(Event):
    """The battery holds this share of its charge, 0 to 1."""

    share: float


@dataclass(frozen=True)
class UncertaintyHeard(Event):
    """The localisation tells how sure it is: standard deviations of place and yaw."""

    position_m: float
    yaw_rad: float


@dataclass(frozen=True)
class CameraMounted(Event):
    """There is a further camera besides the first one, and it sits so on the robot.

    Attributes:
        camera: its name.
        base_T_camera: of the optical frame (z forward, x right, y down).
    """

    camera: str
    intrinsics: Intrinsics
    base_T_camera: Transform


@dataclass(frozen=True, eq=False)
class Scan:
    """What a laser scanner measured (sensor_msgs/LaserScan).

    Attributes:
        ranges_m: float32, shape (rays,): infinite where nothing was met, NaN where the measurement
            failed (REP 117).
        angle_min_rad, step_rad: bearing of the first ray, and from ray to ray.
        odom_T_scanner: of its frame (x ahead, z up).
        reach_m: how far it measures; 0 where that is unknown: then a ray that met nothing shows
            nothing.
    """

    ranges_m: NDArray[np.float32]
    angle_min_rad: float
    step_rad: float
    odom_T_scanner: Transform
    reach_m: float = 0.0


@dataclass(frozen=True)
class ScanTaken(Event):
    """A scan, thinned, to be compared with the map.

    Attributes:
        at: x and y of the scanner, in the frame of the odometry.
        ends: x and y of what its level rays met, in that frame.
    """

    at: tuple[float, float]
    ends: Corners


@dataclass(frozen=True, eq=False)
class LookFrozen(Event):
    """What the robot measured when a picture was taken.

    Attributes:
        depth_mm: uint16, shape of the depth picture, 0 where nothing was measured; shape (0, 0) of
            a robot without a depth camera, which has a scan.
        intrinsics: of the depth picture, or of the picture where there is no depth.
        odom_T_camera: of the optical frame (z forward, x right, y down).
        odom_T_base: of the robot.
        scan: of a robot without a depth camera.
        near: share of the depth picture that told something nearer than is believed, and is 0 now.
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
        points: of the path in the map frame, shape (n, 2).
    """

    request_id: str
    status: NavStatus
    code: int
    points: NDArray[np.float64]


@dataclass(frozen=True)
class NavAnswered(Event):
    """The navigator took a goal or refused it.

    Attributes:
        held_back: the node did not send it: the navigator knows nothing of it.
    """

    nav_goal_id: str
    accepted: bool
    reason: str = ''
    held_back: bool = False


@dataclass(frozen=True)
class NavFinished(Event):
    """The navigator ended a goal.

    Attributes:
        reason: why it is lost; empty where it is not.
    """

    nav_goal_id: str
    status: NavStatus
    code: int
    reason: str = ''


@dataclass(frozen=True)
class NavServersAwaited(Event):
    """The servers of Nav2 are asked what is wrong with them; they say so in less than a second."""


@dataclass(frozen=True)
class NavServersHeard(Event):
    """The servers of Nav2 say what is wrong with them; empty where nothing is."""

    fault: str


@dataclass(frozen=True)
class NavGoalsAwaited(Event):
    """The navigator is to say which goals it has in hand; what it said before is over."""


@dataclass(frozen=True)
class NavGoalsHeard(Event):
    """The navigator has these goals in hand, whoever sent them, by their UUIDs."""

    nav_goal_ids: tuple[str, ...]


@dataclass(frozen=True)
class FootprintAwaited(Event):
    """Nav2 is to tell the outline of the robot; nobody knows yet what it says."""


@dataclass(frozen=True)
class FootprintHeard(Event):
    """Nav2 tells the outline of the robot, in base_link."""

    corners: Corners


@dataclass(frozen=True)
class BeliefLost(Event):
    """The belief gives no sign of life any more: nobody would end what it asked for."""


@dataclass(frozen=True)
class Deactivating(Event):
    """The node is about to stop: nothing may be left driving."""


#: Events and effects, as journals record them.
RECORD_KINDS = (
    FootprintAwaited, FootprintHeard,
    PoseResolved, PoseMissing, MapReceived, MapMissing, CostmapReceived, CostmapMissing,
    ZonesReceived, KeepoutAwaited, KeepoutReceived, KeepoutMissing, SensorHeard, SensorBlind,
    HoldHeard, HoldAwaited, ChargeHeard, UncertaintyHeard, CameraMounted, ScanTaken,
    LookFrozen, LookNotFrozen, PathAnswered, NavAnswered, NavFinished, NavServersAwaited,
    NavServersHeard, NavGoalsAwaited, NavGoalsHeard, BeliefLost, Deactivating,
    WatchSurroundings, FreezeLook, AskPath, SendNav, SendSpin, SendBackUp, ClearCostmaps,
    RefineLocalisation, LimitSpeed, ShowCandidates, ShowSearch, CancelNav, StopNav)

#: Schemas of the documents that this core takes in, and of those that it writes.
READS = ('step', 'look', 'hypothesis', 'candidates', 'belief', 'query')
WRITES = ('observation', 'verdict', 'pose', 'reply')
