"""Where to look next: reachable poses that show floor which was not looked at yet."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.grid import OCCUPIED, OccupancyGrid
from semantic_nav.explore.sight import RAYS, cast

#: A way shorter than this is a turn on the spot, in metres.
LEAST_WAY_M = 0.3
_HEADINGS = 12
#: Positions whose rays are cast at once: each takes some hundred kilobytes.
_AT_ONCE = 128


@dataclass(frozen=True)
class ExploreSettings:
    """How viewpoints are found and compared.

    Attributes:
        spacing_m: between the positions that are tried.
        range_m: how far a look counts.
        half_angle_rad: half of the camera's horizontal field of view.
        min_gain_m2: a viewpoint that shows less is not worth the way.
        furniture_worth: how many times its area furniture counts: things lie on it.
        speed_mps, turn_rate_radps: for the time that a way takes.
        look_s: time that a look takes.
        dormant_m, dormant_rad: what lies so near to an earlier viewpoint is not tried again.
    """

    spacing_m: float = 0.5
    range_m: float = 4.0
    half_angle_rad: float = 0.6
    min_gain_m2: float = 0.5
    furniture_worth: float = 3.0
    speed_mps: float = 0.4
    turn_rate_radps: float = 0.8
    look_s: float = 3.0
    dormant_m: float = 0.4
    dormant_rad: float = 0.4


@dataclass(frozen=True)
class Viewpoint:
    """A pose worth looking from.

    Attributes:
        gain_m2: area that it would show and that was not looked at.
        way_m: length of the way there.
        score: gain per second.
    """

    pose: Pose2D
    gain_m2: float
    way_m: float
    score: float


def rank_viewpoints(grid: OccupancyGrid, way_m: NDArray[np.float32], looked: NDArray[np.bool_],
                    robot: Pose2D, dormant: Sequence[Pose2D], settings: ExploreSettings,
                    bearing_hint_rad: float | None = None) -> list[Viewpoint]:
    """Return poses that show unlooked floor, best gain per second first.

    The gain of a pose is the area of cells along its rays, over furniture but not through walls,
    each counted with the area of its polar sample. Furniture counts more than floor, and the
    unknown near what is known counts as floor.

    Args:
        grid: the map.
        way_m: distance field from the robot, shape as the map's.
        looked: cells that were looked at, shape as the map's.
        robot: its pose in the map frame.
        dormant: viewpoints that were tried already.
        settings: see there.
        bearing_hint_rad: a direction from the robot's heading that is preferred.
    """
    positions = _positions(grid, way_m, robot, settings)
    gains = _gains(grid, looked, positions, settings)
    headings = np.arange(_HEADINGS) * (2 * math.pi / _HEADINGS)
    found = []
    for index, heading in zip(*np.nonzero(gains >= settings.min_gain_m2), strict=True):
        row, column = (int(v) for v in positions[index])
        x, y = grid.centre_of(row, column)
        pose = Pose2D(x, y, wrap_angle(float(headings[heading])))
        if any(pose.distance_to(other.x, other.y) < settings.dormant_m
               and abs(wrap_angle(pose.yaw - other.yaw)) < settings.dormant_rad
               for other in dormant):
            continue
        gain, way = float(gains[index, heading]), float(way_m[row, column])
        score = gain / _seconds(robot, pose, way, settings)
        if bearing_hint_rad is not None:
            off = wrap_angle(robot.bearing_to(x, y) - bearing_hint_rad) if way > LEAST_WAY_M else (
                wrap_angle(pose.yaw - robot.yaw - bearing_hint_rad))
            score *= 1.0 + 0.5 * math.cos(off)
        found.append(Viewpoint(pose, gain, way, score))
    found.sort(key=lambda view: (-view.score, view.pose.x, view.pose.y, view.pose.yaw))
    return found


def _positions(grid: OccupancyGrid, way_m: NDArray[np.float32], robot: Pose2D,
               settings: ExploreSettings) -> NDArray[np.int64]:
    step = max(1, round(settings.spacing_m / grid.resolution_m))
    rows, columns = np.nonzero(np.isfinite(way_m[::step, ::step]))
    lattice = np.stack([rows, columns], axis=1) * step
    here = np.array([grid.cell_of(robot.x, robot.y)])
    return np.concatenate([here, lattice]) if grid.contains(*here[0]) else lattice


def _gains(grid: OccupancyGrid, looked: NDArray[np.bool_], positions: NDArray[np.int64],
           settings: ExploreSettings) -> NDArray[np.float64]:
    """Return the gain in square metres of each position and heading."""
    parts = [_gains_of_some(grid, looked, positions[first:first + _AT_ONCE], settings)
             for first in range(0, len(positions), _AT_ONCE)]
    return np.concatenate(parts) if parts else np.zeros((0, _HEADINGS))


def _gains_of_some(grid: OccupancyGrid, looked: NDArray[np.bool_], positions: NDArray[np.int64],
                   settings: ExploreSettings) -> NDArray[np.float64]:
    pace = 2 if grid.resolution_m <= 0.1 else 1
    angles = np.linspace(0.0, 2 * math.pi, RAYS, endpoint=False)
    rows, columns, seen, distances_m = cast(grid, positions, angles, settings.range_m, pace)
    area = distances_m * (pace * grid.resolution_m) * (2 * math.pi / RAYS)
    worth = np.where(grid.cells[rows, columns] >= OCCUPIED, settings.furniture_worth, 1.0)
    per_ray = ((seen & ~looked[rows, columns]) * area * worth).sum(axis=2)
    wide = max(1, round(settings.half_angle_rad / (2 * math.pi / RAYS)))
    window = np.arange(-wide, wide + 1)
    centres = np.arange(_HEADINGS) * (RAYS // _HEADINGS)
    gains: NDArray[np.float64] = per_ray[:, (centres[:, None] + window) % RAYS].sum(axis=2)
    return gains


def _seconds(robot: Pose2D, pose: Pose2D, way_m: float, settings: ExploreSettings) -> float:
    """Return how long it takes to get there and look, roughly."""
    turn = abs(wrap_angle(pose.yaw - robot.yaw))
    if way_m > LEAST_WAY_M:
        direction = math.atan2(pose.y - robot.y, pose.x - robot.x)
        turn = abs(wrap_angle(direction - robot.yaw)) + abs(wrap_angle(pose.yaw - direction))
    return settings.look_s + way_m / settings.speed_mps + turn / settings.turn_rate_radps
