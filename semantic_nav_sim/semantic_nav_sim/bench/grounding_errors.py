"""Position errors of the verifier's groundings, against the truth of generated homes."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import quantiles

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.errors import GroundingError
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.show.table import Measure, at_most, between
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.grounding.grounding import Grounded, ground_box
from semantic_nav_sim.bench.robot import intrinsics_of
from semantic_nav_sim.light.eye import look
from semantic_nav_sim.light.solids import StageSolids
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.camera import CAMERA_T_OPTICAL, CameraModel
from semantic_nav_sim.robot.camera_noise import SensorNoise
from semantic_nav_sim.robot.lidar_model import LidarModel
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.sightings import sightings
from semantic_nav_sim.world.scene import Stage, stage
from semantic_nav_sim.world.scene_cache import load_scene

_HOMES = 8
_NEAREST_M, _FARTHEST_M = 1.0, 4.0
#: Least visible share of an object. No model would draw a box around less.
_IN_VIEW = 0.5
_TRIES = 400
#: Squared errors in three dimensions over their covariance follow chi square with three degrees of
#: freedom: its mean, variance, and 0.95 and 0.999 quantiles.
_CHI2_MEAN, _CHI2_VARIANCE, _CHI2_P95, _CHI2_P999 = 3.0, 6.0, 7.815, 16.27
#: Two-sided 95 % of a normal distribution.
_DEVIATIONS = 1.96
#: Number of views that are grounded.
_VIEWS = 200
#: Repetitions of each view, for timing and for other edges of its box.
_ROUNDS = 5
#: Standard deviation of the edges of a poor box, as a share of its size.
_EDGES_OFF = 0.05
#: Distance from the thing, in metres, beyond which a grounding is of another thing.
ELSEWHERE_M = 0.3


@dataclass(frozen=True)
class View:
    """One object in one picture.

    Attributes:
        box: around it, in per mille of the picture.
        depth_mm: as the camera measured it.
        thing: points of its visible part, in the map frame, in metres, shape (n, 3).
    """

    box: Box
    depth_mm: NDArray[np.uint16]
    camera: CameraModel
    map_T_camera: Transform
    thing: NDArray[np.float64]

    @property
    def true(self) -> NDArray[np.float64]:
        """The centroid of its visible part, in the map frame, in metres."""
        middle: NDArray[np.float64] = self.thing.mean(axis=0)
        return middle

    def away_m(self, found: Grounded) -> float:
        """Distance from a grounding to the nearest point of the thing."""
        return float(np.linalg.norm(self.thing - found.position, axis=1).min())

    def grounded(self, config: VerifierConfig) -> Grounded | None:
        """The verifier's grounding of it; None if there is none."""
        try:
            return ground_box(self.box, self.depth_mm, intrinsics_of(self.camera),
                              self.map_T_camera, config)
        except GroundingError:
            return None


def measures(seed: int) -> list[Measure]:
    """The table: cost and errors of groundings, and whether the covariance covers the errors.

    About one grounding in a hundred or two hundred is of another thing, which no covariance
    covers. Each squared error is clipped at the 0.999 quantile.
    """
    # The simulator gives the exact mount of its camera.
    config = replace(VerifierConfig(), camera_error_m=0.0, camera_error_rad=0.0)
    seen = list(views(_VIEWS, seed))
    took_ms = [_took_ms(view, config) for _ in range(_ROUNDS) for view in seen]
    grounded = [(view, view.grounded(config)) for view in seen]
    sure = [(np.array(found.position) - view.true, np.array(found.covariance).reshape(3, 3))
            for view, found in grounded if found is not None and not found.provisional]
    errors_m = [float(np.linalg.norm(error)) for error, _ in sure]
    squares = np.array([error @ np.linalg.solve(covariance, error) for error, covariance in sure])
    off = _DEVIATIONS * math.sqrt(_CHI2_VARIANCE / len(sure))
    return [
        at_most('grounding of a box, p99 [ms]', quantiles(took_ms, n=100)[98], 3.0),
        Measure('objects at 1 to 4 m that are grounded surely [share]', len(sure) / _VIEWS),
        at_most('their error, median [m]', float(np.median(errors_m)), 0.05),
        at_most('their error, 95th percentile [m]', float(np.percentile(errors_m, 95)), 0.15),
        between('their error over their covariance, squared, mean',
                float(squares.clip(max=_CHI2_P999).mean()), _CHI2_MEAN - off, _CHI2_MEAN + off),
        Measure('the same within 95 % of chi square [share]',
                float((squares <= _CHI2_P95).mean())),
        *_measures_of_poor_boxes(seen, seed)]


def _measures_of_poor_boxes(seen: Sequence[View], seed: int) -> list[Measure]:
    """Share of groundings on another thing where the edges of the boxes are off."""
    rng, config = np.random.default_rng(seed), VerifierConfig()
    poor = [replace(view, box=with_edges_off(view.box, rng)) for view in seen
            for _ in range(_ROUNDS)]
    sure = [(view, found) for view in poor
            if (found := view.grounded(config)) is not None and not found.provisional]
    return [
        Measure('sure with edges off by 5 % of the box [share]', len(sure) / len(poor)),
        at_most('of these more than 0.3 m from the thing [share]', float(np.mean(
            [view.away_m(found) > ELSEWHERE_M for view, found in sure])), 0.01),
        Measure('of these more than 0.3 m from its middle [share]', float(np.mean(
            [np.linalg.norm(view.true - found.position) > ELSEWHERE_M
             for view, found in sure])))]


def with_edges_off(box: Box, rng: np.random.Generator) -> Box:
    """Return a box whose edges are displaced, with a standard deviation of 5 % of its size.

    Args:
        box: in per mille of the picture.
        rng: of the errors.
    """
    left, top, right, bottom = box
    off = rng.normal(0.0, _EDGES_OFF, 4) * ((right - left, bottom - top) * 2)
    x1, y1, x2, y2 = (np.array(box) + off).clip(0.0, 1000.0).tolist()
    return x1, y1, x2, y2


def _took_ms(view: View, config: VerifierConfig) -> float:
    began_s = time.thread_time()
    view.grounded(config)
    return (time.thread_time() - began_s) * 1000.0


def views(count: int, seed: int) -> Iterator[View]:
    """Yield views of objects, about as many from each of several homes."""
    rng = np.random.default_rng(seed)
    profile = load_profile(RobotProfile, 'depth_holes')
    for home in range(_HOMES):
        world = stage(load_scene(f'generated:{seed + home}:6'), seed)
        noise = SensorNoise(seed + home, profile.camera)
        yield from _views_of(world, noise, rng, (count + home) // _HOMES)


def _views_of(world: Stage, noise: SensorNoise, rng: np.random.Generator,
              count: int) -> Iterator[View]:
    camera = CameraModel()
    solids = StageSolids(world, LidarModel().height_m, frozenset()).solids({})
    truths, ceiling_m = world.truth(), world.scene.world.wall_height
    rooms = world.scene.world.rooms
    found = 0
    for _ in range(_TRIES):
        room = rooms[int(rng.integers(len(rooms)))]
        x, y = rng.uniform(np.array(room.low) + 0.4, np.array(room.high) - 0.4)
        base = Pose2D(float(x), float(y), float(rng.uniform(-math.pi, math.pi)))
        sight = look(solids, ceiling_m, camera, base)
        clear = [one for one in sightings(sight.owners, truths, camera, base)
                 if _NEAREST_M <= one.distance_m <= _FARTHEST_M and not one.edge
                 and one.share >= _IN_VIEW]
        if not clear:
            continue
        chosen = clear[int(rng.integers(len(clear)))]
        owner = truths.index(chosen.truth)
        map_T_camera = Transform.from_pose(base) @ camera.base_t_camera @ CAMERA_T_OPTICAL
        yield View(box_of(chosen.box, camera),
                   noise.depth_mm(sight.depth_m), camera, map_T_camera,
                   points_of(sight.depth_m, sight.owners == owner, camera, map_T_camera))
        found += 1
        if found == count:
            return


def chi_square() -> tuple[float, float, float]:
    """Mean, 0.95 quantile and 0.999 quantile of chi square with three degrees of freedom."""
    return _CHI2_MEAN, _CHI2_P95, _CHI2_P999


def box_of(edges_px: tuple[float, float, float, float], camera: CameraModel) -> Box:
    """Convert a box from pixels to per mille of the picture."""
    x1, y1, x2, y2 = edges_px
    return (x1 / camera.width * 1000.0, y1 / camera.height * 1000.0,
            x2 / camera.width * 1000.0, y2 / camera.height * 1000.0)


def points_of(depth_m: NDArray[np.float32], of_object: NDArray[np.bool_], camera: CameraModel,
              map_T_camera: Transform) -> NDArray[np.float64]:
    """The points of an object that a picture shows, in the map frame, shape (n, 3)."""
    (cx, cy), focal = camera.centre_px, camera.focal_px
    rows, columns = np.nonzero(of_object)
    z = depth_m[rows, columns].astype(np.float64)
    return map_T_camera.apply(
        np.stack([(columns - cx) / focal * z, (rows - cy) / focal * z, z], axis=1))
