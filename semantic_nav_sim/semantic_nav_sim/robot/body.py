"""The body of the simulated robot: how it moves, and what its sensors must give.

Knows no ROS and no clock: whoever drives it says what time it is. Methods may be called from
several threads.
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
        stamp_ns: when, on the clock of whoever steps.
        true: pose of the base in the map.
        odom: its pose in the odom frame, as measured.
        map_t_odom: the localisation's correction.
        speed_m_s, turn_rad_s: as measured: ahead and round.
        sideways_m_s: as measured, to the left; 0 of a differential base.
        collisions: how often the base has run into something.
        distance_m: length of the path driven.
        moved: where the people and the doors are that move, by id.
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
    """The base ran into something.

    Attributes:
        stamp_ns: when.
        pose: of the base in the map, true.
        met: id of the object, or 'wall'.
    """

    stamp_ns: int
    pose: Pose2D
    met: str


@dataclass(frozen=True, eq=False)
class Depth:
    """One depth picture, as the sensor gives it.

    Attributes:
        snapshot: the robot at the picture's moment.
        camera: whose pixels these are: the robot's, or one that shrinks its pictures.
        depth_mm: uint16, shape (height, width), along the optical axis, 0 for none.
    """

    snapshot: Snapshot
    camera: CameraModel
    depth_mm: NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class Frame(Depth):
    """One colour picture and the depth of the same view, as the sensor gives them.

    Attributes:
        colour: uint8, shape (height, width, 3), RGB, of the size of the robot's camera.
    """

    colour: NDArray[np.uint8]


class Body(ABC):
    """One robot in one world, among what moves there.

    Attributes:
        stage: the world as it stands for the seed.
        camera: the model of the first camera.
        lidar: the scanner's model.
        profile: what is wrong with the robot.
        shape: of its base.
        map_shrink: how many times smaller than the camera's pictures depth for a map is.
        period_s: how often it is commanded where time is simulated.
    """

    camera: CameraModel
    lidar: LidarModel
    map_shrink: int
    period_s: float = CONTROL_PERIOD_S

    def __init__(self, stage: Stage, *, profile: RobotProfile | None = None,
                 drive: Drive = Drive.DIFFERENTIAL, people: int = 0,
                 moving_doors: bool = False, shape: Shape | None = None) -> None:
        """Put the robot at its start.

        Args:
            stage: the world as it stands for a seed, which is that of all noise, too.
            profile: what is wrong with the robot; None for the profile 'default'.
            drive: what its wheels can do.
            people: how many walk about.
            moving_doors: whether the doors inside close and open.
            shape: of the base; None for the usual one.

        Raises:
            ConfigError: there are not so many people.
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
        """Set the wanted speeds: ahead, round and to the left; they hold for COMMAND_TIMEOUT_S."""
        with self._lock:
            self._command = (speed_m_s, turn_rad_s, sideways_m_s)
            self._command_ns = now_ns

    def step(self, now_ns: int) -> Snapshot:
        """Let the time pass until now and return the robot as it is then.

        Time that runs backwards or stands moves nothing; of a long gap only the end counts.
        """
        with self._lock:
            last = now_ns if self._stamp_ns is None else self._stamp_ns
            passed_s = (now_ns - last) / 1e9
            dt_s = min(passed_s, LONGEST_STEP_S)
            if now_ns != self._stamp_ns:
                self._stamp_ns, self._latest = now_ns, None
            if dt_s > 0:
                # Only the robot loses time in a gap: the home's life goes on.
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
        """Return the robot as it was at the last step."""
        with self._lock:
            return self._snapshot()

    def collisions(self) -> list[Collision]:
        """Return what the base has run into so far, the first one first."""
        with self._lock:
            return list(self._collisions)

    @abstractmethod
    def scan(self) -> tuple[Snapshot, NDArray[np.float32]]:
        """Return a laser scan of the last step's moment, and that moment.

        Its ranges have the shape (rays,), in metres: infinite for no return, NaN where the
        measurement failed.
        """

    def camera_of(self, name: str) -> CameraModel:
        """Return the model of a camera; the first one has no name."""
        return self.camera if not name else replace(
            self.camera, yaw_rad=self.profile.other_cameras[name])

    @abstractmethod
    def frame(self, camera: str = '') -> Frame:
        """Return what a camera sees at the last step's moment; the first one has no name."""

    @abstractmethod
    def depth(self, camera: str = '') -> 'Future[Depth]':
        """Begin with the depth of the last step's moment, without colour, for a map.

        It is `map_shrink` times smaller than the camera's pictures, in both directions: a map's
        cells are far larger than their pixels.
        """

    @abstractmethod
    def sightings(self, then: Snapshot, camera: str = '') -> list[Sighting]:
        """Return which objects a camera truly saw at a moment, the largest first."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what was opened."""

    def _snapshot(self) -> Snapshot:
        # Nothing moves but in a step; between two of them many ask.
        if self._latest is None:
            self._latest = self._measured()
        return self._latest

    def _measured(self) -> Snapshot:
        base, odometry = self._base, self._odometry
        # Wheels that only roll ahead do not notice that a wall pushes them aside.
        sideways_m_s = (odometry.sideways_m_s if self._drive is Drive.OMNIDIRECTIONAL else 0.0)
        return Snapshot(self._stamp_ns or 0, base.pose, odometry.pose,
                        self._localisation.map_t_odom, odometry.speed_m_s, odometry.turn_rad_s,
                        sideways_m_s, base.collisions, base.distance_m, self._actors.placings)
