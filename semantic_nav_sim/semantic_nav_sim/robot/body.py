"""The body of the simulated robot: its motion, and the measurements of its sensors.

It knows no ROS and no clock: the caller gives the time. Its methods are thread-safe.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav_sim.navigator.config import CONTROL_PERIOD_S
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.actors import Actors, Surroundings
from semantic_nav_sim.robot.base import Base, BaseLimits, Drive
from semantic_nav_sim.robot.camera import CameraModel
from semantic_nav_sim.robot.hull import PARTING_M
from semantic_nav_sim.robot.lidar_model import LidarModel
from semantic_nav_sim.robot.localisation import Localisation
from semantic_nav_sim.robot.odometry import Odometry
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.shape import USUAL, Shape
from semantic_nav_sim.robot.sightings import Sighting
from semantic_nav_sim.world.floor_plan import BAND_M
from semantic_nav_sim.world.footprints import Cleared, Footprints
from semantic_nav_sim.world.scene import Placing, Stage

COMMAND_TIMEOUT_S = 0.5
LONGEST_STEP_S = 0.1


@dataclass(frozen=True)
class Snapshot:
    """The robot at one moment.

    Attributes:
        stamp_ns: time, on the caller's clock.
        true: pose of the base in the map frame.
        odom: measured pose of the base in the odom frame.
        map_t_odom: correction by the localisation.
        speed_m_s, turn_rad_s: measured, ahead and about the z axis.
        sideways_m_s: measured, to the left; 0 for a differential base.
        collisions: number so far.
        distance_m: length of the driven path.
        moved: placings of the people and doors that move, by id.
    """

    stamp_ns: int
    true: Pose2D
    odom: Pose2D
    map_t_odom: Pose2D
    speed_m_s: float
    turn_rad_s: float
    sideways_m_s: float
    collisions: int
    distance_m: float
    moved: Mapping[str, Placing] = field(default_factory=dict)


@dataclass(frozen=True)
class Collision:
    """A collision of the base.

    Attributes:
        stamp_ns: time of the collision.
        pose: true, of the base in the map frame.
        met: id of the object, or 'wall'.
    """

    stamp_ns: int
    pose: Pose2D
    met: str


@dataclass(frozen=True, eq=False)
class Depth:
    """One depth picture, as the sensor gives it.

    Attributes:
        snapshot: of the robot at the picture's stamp.
        camera: model of the picture: the robot's camera, or a shrunk version of it.
        depth_mm: uint16, shape (height, width), along the optical axis, 0 for no measurement.
    """

    snapshot: Snapshot
    camera: CameraModel
    depth_mm: NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class Frame(Depth):
    """One colour picture with the depth of that view, as the sensor gives them.

    Attributes:
        colour: uint8, shape (height, width, 3), RGB, in the resolution of the robot's camera.
    """

    colour: NDArray[np.uint8]


class Body(ABC):
    """One robot in one world, among moving obstacles.

    Attributes:
        stage: the world for a seed.
        camera: the model of the first camera.
        lidar: model of the scanner.
        profile: faults of the robot.
        shape: of the base.
        map_shrink: divisor of the camera's resolution for map depth.
        period_s: control period in simulated time.
    """

    camera: CameraModel
    lidar: LidarModel
    map_shrink: int
    period_s: float = CONTROL_PERIOD_S

    def __init__(self, stage: Stage, *, profile: RobotProfile | None = None,
                 drive: Drive = Drive.DIFFERENTIAL, people: int = 0,
                 moving_doors: bool = False, shape: Shape | None = None) -> None:
        """Place the robot at its start.

        Args:
            stage: the world for a seed, from which all noise is drawn, too.
            profile: faults of the robot; None for the profile 'default'.
            drive: kinematics of its wheels.
            people: number of people who walk about.
            moving_doors: whether inner doors close and open.
            shape: of the base; None for the usual one.

        Raises:
            ConfigError: the world has fewer people.
        """
        self.stage, seed = stage, stage.seed
        self._lock = threading.Lock()
        self.profile = profile = profile or load_profile(RobotProfile)
        self.shape = shape = shape or USUAL
        self._actors = Actors(stage, people, moving_doors, shape.radius_m)
        colliders, names = zip(*stage.named_colliders(without=self._actors.doors), strict=True)
        fixed = Cleared(Footprints(colliders, *BAND_M, names), stage.scene.world.low,
                        stage.scene.world.high, shape.radius_m + 2 * PARTING_M)
        self._base = Base(Surroundings(fixed, self._actors), stage.start, BaseLimits(shape),
                          drive)
        self._drive = drive
        self._collisions: list[Collision] = []
        self._odometry = Odometry(stage.start, seed, profile.odometry)
        self._localisation = Localisation(stage.start, seed, profile.localisation)
        self._command = (0.0, 0.0, 0.0)
        self._command_ns = 0
        self._stamp_ns: int | None = None
        self._latest: Snapshot | None = None

    def command(self, speed_m_s: float, turn_rad_s: float, now_ns: int,
                sideways_m_s: float = 0.0) -> None:
        """Set the wanted speeds: ahead, turn and to the left; they hold for COMMAND_TIMEOUT_S."""
        with self._lock:
            self._command = (speed_m_s, turn_rad_s, sideways_m_s)
            self._command_ns = now_ns

    def step(self, now_ns: int) -> Snapshot:
        """Advance to a time and return the robot's state.

        Nothing moves if time stands still or runs backwards. The robot moves for at most
        LONGEST_STEP_S.
        """
        with self._lock:
            last = now_ns if self._stamp_ns is None else self._stamp_ns
            passed_s = (now_ns - last) / 1e9
            dt_s = min(passed_s, LONGEST_STEP_S)
            if now_ns != self._stamp_ns:
                self._stamp_ns, self._latest = now_ns, None
            if dt_s > 0:
                # Only the robot loses time in a gap: people and doors go on.
                self._actors.step(passed_s, self._base.pose)
                fresh = 0 <= now_ns - self._command_ns <= COMMAND_TIMEOUT_S * 1e9
                ahead, turn, left = self._command if fresh else (0.0, 0.0, 0.0)
                before = self._base.collisions
                self._base.step(ahead, turn, dt_s, left)
                if self._base.collisions > before:
                    self._collisions.append(Collision(now_ns, self._base.pose, self._base.met))
                self._odometry.update(self._base.pose, dt_s)
                self._localisation.update(self._base.pose, self._odometry.pose, dt_s)
            return self._snapshot()

    def snapshot(self) -> Snapshot:
        """The robot's state at the last step."""
        with self._lock:
            return self._snapshot()

    def collisions(self) -> list[Collision]:
        """The collisions so far, in order of time."""
        with self._lock:
            return list(self._collisions)

    @abstractmethod
    def scan(self) -> tuple[Snapshot, NDArray[np.float32]]:
        """Return the state at the last step and a laser scan of that time.

        The ranges have the shape (rays,), in metres: infinite for no return, NaN for a failed
        measurement.

        """

    def camera_of(self, name: str) -> CameraModel:
        """The model of a camera; the first one has no name."""
        return self.camera if not name else replace(
            self.camera, yaw_rad=self.profile.other_cameras[name])

    @abstractmethod
    def frame(self, camera: str = '') -> Frame:
        """The view of a camera at the last step; the first one has no name."""

    @abstractmethod
    def depth(self, camera: str = '') -> 'Future[Depth]':
        """Start the depth picture of the last step, without colour, for a map.

        It is `map_shrink` times smaller than the camera's pictures along each axis, since the
        cells of a map are far larger than their pixels.
        """

    @abstractmethod
    def sightings(self, then: Snapshot, camera: str = '') -> list[Sighting]:
        """The objects that a camera truly saw at a given state, the largest first."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""

    def _snapshot(self) -> Snapshot:
        # Nothing moves between two steps, and many callers ask for the state.
        if self._latest is None:
            self._latest = self._measured()
        return self._latest

    def _measured(self) -> Snapshot:
        base, odometry = self._base, self._odometry
        # A differential base does not measure that a wall pushes it aside.
        sideways_m_s = (odometry.sideways_m_s if self._drive is Drive.OMNIDIRECTIONAL else 0.0)
        return Snapshot(self._stamp_ns or 0, base.pose, odometry.pose,
                        self._localisation.map_t_odom, odometry.speed_m_s, odometry.turn_rad_s,
                        sideways_m_s, base.collisions, base.distance_m, self._actors.placings)
