"""Position errors of groundings without depth, against the truth of generated homes."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import FREE, OccupancyGrid
from semantic_nav.contracts.hypothesis import Box
from semantic_nav.show.table import Measure, at_most
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.events import LookFrozen, Scan, UncertaintyHeard
from semantic_nav.verify.grounding.grounding import Grounded
from semantic_nav.verify.grounding.ray import Ray
from semantic_nav.verify.tracking.look_in_map import placed_of
from semantic_nav_sim.bench.grounding_errors import box_of, chi_square, points_of
from semantic_nav_sim.bench.robot import intrinsics_of
from semantic_nav_sim.light.eye import look
from semantic_nav_sim.light.scanner import true_ranges
from semantic_nav_sim.light.solids import StageSolids
from semantic_nav_sim.model.profile import ModelProfile
from semantic_nav_sim.profiles import load_profile
from semantic_nav_sim.robot.camera import CAMERA_T_OPTICAL, CameraModel
from semantic_nav_sim.robot.lidar_model import LidarModel, ScanNoise
from semantic_nav_sim.robot.profile import RobotProfile
from semantic_nav_sim.robot.sightings import sightings
from semantic_nav_sim.world.floor_plan import floor_plan
from semantic_nav_sim.world.scene import Stage, stage
from semantic_nav_sim.world.scene_cache import load_scene

_HOMES, _APPROACHES = 8, 64
#: Ranges in metres: distance of the first look, approach before each further look, and offset to
#: either side of the line of sight.
_FIRST_M, _NEARER_M, _ASIDE_M = (2.0, 5.0), (0.5, 1.5), 0.6
_LOOKS, _NEAREST_M, _TRIES = 3, 0.8, 4_000
#: Largest angle between the heading and the bearing of the target.
_TURNED_RAD = 0.3
#: Least visible share of an object. With less in view it is up to the model to find it.
_IN_VIEW = 0.5
#: Divisor of the camera's resolution, along each axis.
_SHRINK = 2
_NO_DEPTH = np.zeros((0, 0), np.uint16)
_Found = tuple[NDArray[np.float64], Grounded]


@dataclass(frozen=True)
class Look:
    """One of several looks at an object on the way to it.

    Attributes:
        box: as a model draws it, in per mille of the picture.
        frozen: the robot's measurements.
        true: centroid of the visible part, in the map frame, in metres.
    """

    box: Box
    frozen: LookFrozen
    true: NDArray[np.float64]


def measures(seed: int) -> list[Measure]:
    """The table: errors of the first and the last look, and whether the covariance covers them.

    A real model may draw poorer boxes than this one. So an error may be smaller than the
    covariance says, but not larger.
    """
    first: list[_Found] = []
    last: list[_Found] = []
    for looks, plan in approaches(_APPROACHES, seed):
        found = list(grounded(looks, plan))
        if found:
            first.append(found[0])
            last.append(found[-1])
    sure = [(true, place) for true, place in last if not place.unclear]
    squares = np.array([_squared(*one) for one in (*first, *last)])
    mean, p95, most = chi_square()
    return [
        Measure('without depth: error of a first look, median [m]', _median_m(first)),
        at_most(f'without depth: after {_LOOKS} looks on the way, median [m]', _median_m(last),
                0.15),
        Measure(f'without depth: sure after {_LOOKS} looks [share]', len(sure) / _APPROACHES),
        at_most('without depth: error of these, median [m]', _median_m(sure), 0.1),
        at_most('without depth: error over covariance, squared, mean',
                float(squares.clip(max=most).mean()), mean),
        Measure('without depth: the same within 95 % of chi square [share]',
                float((squares <= p95).mean()))]


def _median_m(found: Sequence[_Found]) -> float:
    return float(np.median([np.linalg.norm(np.array(place.position) - true)
                            for true, place in found]))


def _squared(true: NDArray[np.float64], place: Grounded) -> float:
    error = np.array(place.position) - true
    return float(error @ np.linalg.solve(np.array(place.covariance).reshape(3, 3), error))


def grounded(looks: Sequence[Look], plan: OccupancyGrid) -> Iterator[_Found]:
    """Yield the true and the grounded place for each look, given the looks before it."""
    rays: tuple[Ray, ...] = ()
    for one in looks:
        placed = placed_of(one.frozen, Transform.identity(), UncertaintyHeard(0.0, 0.0), plan)
        place, _ = placed.ground(one.box, VerifierConfig(), (rays,))
        if place is not None:
            rays = place.rays
            yield one.true, place


def approaches(count: int, seed: int) -> Iterator[tuple[list[Look], OccupancyGrid]]:
    """Yield looks on the way to an object, and the map. Each home yields about as many."""
    rng = np.random.default_rng(seed)
    for home in range(_HOMES):
        world = stage(load_scene(f'generated:{seed + home}:6'), seed)
        plan = floor_plan(world.scene)
        solids = StageSolids(world, LidarModel().height_m, frozenset())
        found = 0
        for _ in range(_TRIES):
            looks = list(_looks_at_something(world, solids, plan, rng))
            if len(looks) == _LOOKS:
                yield looks, plan
                found += 1
            if found == (count + home) // _HOMES:
                break


def _looks_at_something(world: Stage, solids: StageSolids, plan: OccupancyGrid,
                        rng: np.random.Generator) -> Iterator[Look]:
    camera, lidar = CameraModel().shrunk(_SHRINK), LidarModel()
    # Each look has independent errors. Those of AMCL drift, so that successive looks share them.
    robot, model = load_profile(RobotProfile, 'slam'), load_profile(ModelProfile).eyes
    truths = world.truth()
    movable = [one for one in truths if world.scene.objects[one.id].movable]
    target = movable[int(rng.integers(len(movable)))]
    at_x, at_y, _ = target.position
    away_m, angle = rng.uniform(*_FIRST_M), rng.uniform(-math.pi, math.pi)
    for _ in range(_LOOKS):
        aside_m = rng.uniform(-_ASIDE_M, _ASIDE_M)
        x = at_x - away_m * math.cos(angle) - aside_m * math.sin(angle)
        y = at_y - away_m * math.sin(angle) + aside_m * math.cos(angle)
        away_m = max(_NEAREST_M, away_m - rng.uniform(*_NEARER_M))
        base = Pose2D(x, y, math.atan2(at_y - y, at_x - x) + rng.uniform(
            -_TURNED_RAD, _TURNED_RAD))
        if plan.value_at(x, y) != FREE:
            return
        sight = look(solids.solids({}), world.scene.world.wall_height, camera, base)
        seen = [one for one in sightings(sight.owners, truths, camera, base)
                if one.truth is target and not one.edge and one.share >= _IN_VIEW]
        if not seen:
            return
        off = rng.normal(0.0, [robot.localisation.noise_m] * 2 + [robot.localisation.noise_rad])
        map_T_base = Transform.from_pose(Pose2D(x + off[0], y + off[1], base.yaw + off[2]))
        base_T_camera = camera.base_t_camera @ CAMERA_T_OPTICAL
        x1, y1, x2, y2 = seen[0].box
        errors_px = [model.jitter * size + model.jitter_px / _SHRINK
                     for size in (x2 - x1, y2 - y1)] * 2
        left, top, right, bottom = (np.array(seen[0].box) + rng.normal(0.0, errors_px)).tolist()
        ranges = ScanNoise(int(rng.integers(1 << 30)), robot.scan, lidar).measured(
            true_ranges(solids.edges({}), lidar, base))
        mount = Transform((0.0, 0.0, lidar.height_m), (0.0, 0.0, 0.0, 1.0))
        yield Look(
            box_of((left, top, right, bottom), camera),
            LookFrozen('look', _NO_DEPTH, intrinsics_of(camera), map_T_base @ base_T_camera,
                       map_T_base, Scan(ranges, lidar.angle_min_rad, lidar.step_rad,
                                        map_T_base @ mount, lidar.range_max_m)),
            points_of(sight.depth_m, sight.owners == truths.index(target), camera,
                      Transform.from_pose(base) @ base_T_camera).mean(axis=0))
