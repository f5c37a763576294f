"""The simulated robot: base, odometry, localisation, lidar and camera over one stage.

Knows no ROS and no clock: whoever drives it says what time it is. Methods may be called from
several threads.
"""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.sim.profiles import load_profile
from semantic_nav.sim.robot.actors import Actors, Surroundings
from semantic_nav.sim.robot.base import Base, BaseLimits, Drive
from semantic_nav.sim.robot.camera import CameraModel
from semantic_nav.sim.robot.camera_noise import SensorNoise
from semantic_nav.sim.robot.lidar import Lidar, LidarModel
from semantic_nav.sim.robot.localisation import Localisation
from semantic_nav.sim.robot.odometry import Odometry
from semantic_nav.sim.robot.profile import RobotProfile
from semantic_nav.sim.robot.renderer import Renderer
from semantic_nav.sim.robot.studio import Studio
from semantic_nav.sim.world.floor_plan import BAND_M
from semantic_nav.sim.world.footprints import Footprints
from semantic_nav.sim.world.scene import Placing, Stage, stage
from semantic_nav.sim.world.scene_cache import load_scene

COMMAND_TIMEOUT_S = 0.5
LONGEST_STEP_S = 0.1
T = TypeVar('T')


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
        depth_mm: uint16, shape (height, width), along the optical axis, 0 for none.
    """

    snapshot: Snapshot
    depth_mm: NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class Frame(Depth):
    """One colour picture and the depth that is registered to it, as the sensor gives them.

    Attributes:
        colour: uint8, shape (height, width, 3), RGB.
    """

    colour: NDArray[np.uint8]


class Simulation:
    """One robot in one world.

    Attributes:
        stage: the world as it stands for the seed.
        camera: the camera's model.
        lidar: the scanner's model.
        profile: what is wrong with the robot.
    """

    def __init__(self, world: str | Studio, seed: int, camera: CameraModel | None = None, *,
                 profile: RobotProfile | None = None, drive: Drive = Drive.DIFFERENTIAL,
                 people: int = 0, moving_doors: bool = False) -> None:
        """Load a world, or build it the first time, and put the robot at its start.

        Args:
            world: its name or path; or its studio, which is shared with other simulations and
                stays open.
            seed: start pose, places of movable things, noise, life of the home.
            camera: the camera's model; None for the usual one, or the studio's.
            profile: what is wrong with the robot; None for the profile 'default'.
            drive: what its wheels can do.
            people: how many walk about.
            moving_doors: whether the doors inside close and open.

        Raises:
            ConfigError: the world is wrong, or nothing can be drawn on this machine.
        """
        scene = load_scene(world) if isinstance(world, str) else world.scene
        self.stage: Stage = stage(scene, seed)
        self._lock = threading.Lock()
        self.profile = profile = profile or load_profile(RobotProfile)
        self._actors = Actors(self.stage, people, moving_doors, BaseLimits().radius_m)
        colliders, names = zip(*self.stage.named_colliders(without=self._actors.doors),
                               strict=True)
        fixed = Footprints(colliders, *BAND_M, names)
        self._base = Base(Surroundings(fixed, self._actors), self.stage.start, drive=drive)
        self._drive = drive
        self._collisions: list[Collision] = []
        self._odometry = Odometry(self.stage.start, seed, profile.odometry)
        self._localisation = Localisation(self.stage.start, seed, profile.localisation)
        self._studio = world if isinstance(world, Studio) else Studio(scene, camera)
        self._shares_studio = isinstance(world, Studio)
        self.camera = self._studio.camera
        self._lidar = Lidar(self._studio.model, self.stage, seed, profile.scan)
        self._noise = SensorNoise(seed, profile.camera)
        self._command = (0.0, 0.0, 0.0)
        self._command_ns = 0
        self._stamp_ns: int | None = None
        self._renderer = Renderer(self._studio, self.stage)

    @property
    def lidar(self) -> LidarModel:
        """The scanner's model."""
        return self._lidar.model

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
            self._stamp_ns = now_ns
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

    def scan(self) -> tuple[Snapshot, NDArray[np.float32]]:
        """Return a laser scan of the last step's moment, and that moment."""
        with self._lock:
            snapshot = self._snapshot()
            return snapshot, self._lidar.scan(snapshot.true, snapshot.moved)

    def frame(self) -> Frame:
        """Draw what the camera sees at the last step's moment; waits for the drawing thread."""
        snapshot = self.snapshot()

        def draw(renderer: Renderer) -> Frame:
            view = renderer.view(snapshot.true, snapshot.moved)
            colour = self._noise.colour(view.colour)
            return Frame(snapshot, self._noise.depth_mm(view.depth_m), colour)

        return self.draw(draw).result()

    def depth(self, shrink: int = 1) -> 'Future[Depth]':
        """Let the drawing thread draw the depth of the last step's moment, without colour.

        Args:
            shrink: how many times smaller the picture is than the camera's, in both directions.
        """
        snapshot = self.snapshot()

        def draw(renderer: Renderer) -> Depth:
            depth_m = renderer.depth(snapshot.true, snapshot.moved, shrink)
            return Depth(snapshot, self._noise.depth_mm(depth_m))

        return self.draw(draw)

    def draw(self, job: Callable[[Renderer], T]) -> 'Future[T]':
        """Let the drawing thread run a job."""
        return self._studio.submit(lambda: job(self._renderer))

    def close(self) -> None:
        """Stop drawing; a shared studio stays open."""
        if not self._shares_studio:
            self._studio.close()

    def _snapshot(self) -> Snapshot:
        base, odometry = self._base, self._odometry
        # Wheels that only roll ahead do not notice that a wall pushes them aside.
        sideways_m_s = (odometry.sideways_m_s if self._drive is Drive.OMNIDIRECTIONAL else 0.0)
        return Snapshot(self._stamp_ns or 0, base.pose, odometry.pose,
                        self._localisation.map_t_odom, odometry.speed_m_s, odometry.turn_rad_s,
                        sideways_m_s, base.collisions, base.distance_m, self._actors.placings)
