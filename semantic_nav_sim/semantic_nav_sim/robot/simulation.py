"""The simulated robot with rendered pictures, on one stage."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from semantic_nav_sim.robot.base import Drive
from semantic_nav_sim.robot.body import Body, Depth, Frame, Snapshot
from semantic_nav_sim.robot.camera import CameraModel
from semantic_nav_sim.robot.camera_noise import SensorNoise
from semantic_nav_sim.robot.lidar import Lidar
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.renderer import Overview, Renderer
from semantic_nav_sim.robot.shape import Shape
from semantic_nav_sim.robot.sightings import Sighting, sightings
from semantic_nav_sim.robot.studio import Studio
from semantic_nav_sim.world.scene import stage
from semantic_nav_sim.world.scene_cache import load_scene

T = TypeVar('T')


class Simulation(Body):
    """The full body: MuJoCo casts the rays of scans, and OpenGL renders the pictures."""

    map_shrink = 2

    def __init__(self, world: str | Studio, seed: int, camera: CameraModel | None = None, *,
                 profile: RobotProfile | None = None, drive: Drive = Drive.DIFFERENTIAL,
                 people: int = 0, moving_doors: bool = False,
                 shape: Shape | None = None, moved: float = 0.0, usual: bool = False) -> None:
        """Load a world, or build it the first time, and place the robot at its start.

        Args:
            world: name or path; or its studio, which other simulations may share, and which stays
                open.
            seed: start pose, places of movable things, noise, life of the home.
            camera: model of the camera; None for the default one, or the studio's.
            profile, drive, people, moving_doors, shape: as in `Body`.
            moved, usual: see `stage`.

        Raises:
            ConfigError: the world is invalid, or this machine cannot render.
        """
        scene = load_scene(world) if isinstance(world, str) else world.scene
        super().__init__(stage(scene, seed, moved, usual=usual), profile=profile, drive=drive,
                         people=people, moving_doors=moving_doors, shape=shape)
        self._studio = world if isinstance(world, Studio) else Studio(scene, camera)
        self._shares_studio = isinstance(world, Studio)
        self.camera = self._studio.camera
        self._lidar = Lidar(self._studio.model, self.stage, seed, self.profile.scan)
        self.lidar = self._lidar.model
        self._noise = SensorNoise(seed, self.profile.camera)
        self._renderer = Renderer(self._studio, self.stage)

    def scan(self) -> tuple[Snapshot, NDArray[np.float32]]:
        """See `Body`."""
        with self._lock:
            snapshot = self._snapshot()
            return snapshot, self._lidar.scan(snapshot.true, snapshot.moved)

    def frame(self, camera: str = '') -> Frame:
        """See `Body`; waits for the render thread."""
        snapshot, model = self.snapshot(), self.camera_of(camera)

        def draw(renderer: Renderer) -> Frame:
            view = renderer.view(snapshot.true, snapshot.moved, model)
            colour = self._noise.colour(view.colour)
            return Frame(snapshot, model, self._noise.depth_mm(view.depth_m), colour)

        return self.draw(draw).result()

    def depth(self, camera: str = '', *, whole: bool = False) -> 'Future[Depth]':
        """See `Body`; runs on the render thread.

        Args:
            camera: as in `Body`.
            whole: full resolution, as in its camera_info.
        """
        shrink = 1 if whole else self.map_shrink
        snapshot, model = self.snapshot(), self.camera_of(camera)

        def draw(renderer: Renderer) -> Depth:
            depth_m = renderer.depth(snapshot.true, snapshot.moved, shrink, model)
            return Depth(snapshot, model.shrunk(shrink), self._noise.depth_mm(depth_m))

        return self.draw(draw)

    def sightings(self, then: Snapshot, camera: str = '') -> list[Sighting]:
        """See `Body`; waits for the render thread."""
        model = self.camera_of(camera)
        objects = self.draw(
            lambda renderer: renderer.objects(then.true, then.moved, model)).result()
        return sightings(objects, self.stage.truth(then.moved), model, then.true)

    def overview(self) -> Overview:
        """Render the world from above; waits for the render thread."""
        return self.draw(lambda renderer: renderer.overview()).result()

    def draw(self, job: Callable[[Renderer], T]) -> 'Future[T]':
        """Run a job on the render thread."""
        return self._studio.submit(lambda: job(self._renderer))

    def close(self) -> None:
        """Stop rendering; a shared studio stays open."""
        if not self._shares_studio:
            self._studio.close()
