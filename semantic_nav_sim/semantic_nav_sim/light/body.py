"""The light body: the simulated robot without MuJoCo and without rendering.

Stands in for `Simulation` for many missions: it moves, collides, measures and errs like the full
one, among the same people and doors. Its scans and depth are computed from outlines, boxes and
cylinders. The content of its pictures is known, not rendered: their colour only distinguishes
them. Its control period, and so that of its scans, is twice as long. It cannot be used for
anything that reads colours.
"""

from concurrent.futures import Future

import numpy as np
from numpy.typing import NDArray

from semantic_nav_sim.light.eye import Sight, look
from semantic_nav_sim.light.scanner import true_ranges
from semantic_nav_sim.light.solids import StageSolids
from semantic_nav_sim.mapper.config import MapperConfig
from semantic_nav_sim.robot.body import Body, Depth, Frame, Snapshot
from semantic_nav_sim.robot.camera import CameraModel
from semantic_nav_sim.robot.camera_noise import SensorNoise
from semantic_nav_sim.robot.lidar_model import LidarModel, ScanNoise
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.shape import Shape
from semantic_nav_sim.robot.sightings import Sighting, sightings
from semantic_nav_sim.world.scene import WorldScene, stage

#: Divisor of the pixels that gives the rays, along each axis: for a look, and for the map.
LOOK_SHRINK = MAP_SHRINK = 2
#: Solids beyond this distance are left out of map depth, since they are not mapped.
_MAP_RANGE_M = MapperConfig().depth_range + 0.5
#: Least number of rays of a sighting.
_FEWEST_RAYS = 2
#: Columns and rows of the colour patches that distinguish pictures.
_PATCHES = (8, 6)
#: Darkest and brightest patch: harder edges would change too much under JPEG.
_DARK, _BRIGHT = 64, 192


class LightBody(Body):
    """A robot that computes what the full body renders."""

    map_shrink = MAP_SHRINK
    period_s = 0.1

    def __init__(self, scene: WorldScene, seed: int, *, profile: RobotProfile | None = None,
                 people: int = 0, moving_doors: bool = False,
                 shape: Shape | None = None, moved: float = 0.0, usual: bool = False) -> None:
        """Place the robot at its start.

        Args:
            scene: the home.
            seed: start pose, places of movable things, noise, life of the home.
            profile, people, moving_doors, shape: as in `Body`.
            moved, usual: see `stage`.
        """
        super().__init__(stage(scene, seed, moved, usual=usual), profile=profile, people=people,
                         moving_doors=moving_doors, shape=shape)
        self.camera, self.lidar = CameraModel(), LidarModel()
        self._solids = StageSolids(self.stage, self.lidar.height_m, self._actors.doors)
        self._scan_noise = ScanNoise(seed, self.profile.scan, self.lidar)
        self._noise = SensorNoise(seed, self.profile.camera)
        self._last: tuple[Snapshot, str, Sight] | None = None

    def scan(self) -> tuple[Snapshot, NDArray[np.float32]]:
        """See `Body`."""
        now = self.snapshot()
        edges = self._solids.edges(now.moved)
        return now, self._scan_noise.measured(true_ranges(edges, self.lidar, now.true))

    def frame(self, camera: str = '') -> Frame:
        """See `Body`; the colour is patches that depend only on time and camera."""
        now, model = self.snapshot(), self.camera_of(camera).shrunk(LOOK_SHRINK)
        depth_mm = self._noise.depth_mm(self._look(now, camera).depth_m)
        cameras = ('', *self.profile.other_cameras)
        # A zero at the end does not change the seed.
        seed = now.stamp_ns, cameras.index(camera)
        return Frame(now, model, depth_mm, _patches(seed, model))

    def depth(self, camera: str = '') -> 'Future[Depth]':
        """See `Body`; it is ready at once."""
        now, model = self.snapshot(), self.camera_of(camera).shrunk(MAP_SHRINK)
        seen = look(self._solids.solids(now.moved), self._ceiling_m, model, now.true,
                    _MAP_RANGE_M)
        done: Future[Depth] = Future()
        done.set_result(Depth(now, model, self._noise.depth_mm(seen.depth_m)))
        return done

    def sightings(self, then: Snapshot, camera: str = '') -> list[Sighting]:
        """See `Body`."""
        found = sightings(self._look(then, camera).owners, self.stage.truth(then.moved),
                          self.camera_of(camera).shrunk(LOOK_SHRINK), then.true, _FEWEST_RAYS)
        return [seen.scaled(LOOK_SHRINK, LOOK_SHRINK) for seen in found]

    def close(self) -> None:
        """Release nothing."""

    @property
    def _ceiling_m(self) -> float:
        return self.stage.scene.world.wall_height

    def _look(self, then: Snapshot, camera: str) -> Sight:
        """The view of a camera at a given state; the last one is cached."""
        if self._last is None or self._last[:2] != (then, camera):
            self._last = then, camera, look(
                self._solids.solids(then.moved), self._ceiling_m,
                self.camera_of(camera).shrunk(LOOK_SHRINK), then.true)
        return self._last[2]


def _patches(seed: tuple[int, int], camera: CameraModel) -> NDArray[np.uint8]:
    """A unique picture, uint8, shape (height, width, 3)."""
    across, down = _PATCHES
    patches = np.random.default_rng(seed).integers(
        _DARK, _BRIGHT, (down, across, 3), np.uint8)
    return patches.repeat(camera.height // down, axis=0).repeat(camera.width // across, axis=1)
