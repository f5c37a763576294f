"""Candidate viewpoints: reachable poses that show floor not looked at yet."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from semantic_nav.contracts.geometry import Pose2D, wrap_angle, wrap_angles
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.explore.sight import APART_M, RAYS, cast

#: Chance that a look shows things at some distances in m, in the shape of these.
Chance = Callable[[NDArray[np.float64]], NDArray[np.float64]]
#: Length of a way below which a viewpoint is where the robot stands, in m.
LEAST_WAY_M = 0.3
#: Least angle of a turn, in rad.
_LEAST_TURN_RAD = 0.1
_HEADINGS = 12
_YAWS = np.array([wrap_angle(step * 2 * math.pi / _HEADINGS) for step in range(_HEADINGS)])
#: numpy's cosine depends on the processor.
_COSINE = np.frompyfunc(math.cos, 1, 1)
#: Number of positions whose rays are cast at once: each takes some hundred kilobytes.
_AT_ONCE = 128
#: Number of nearest positions that are all tried; of those farther off about as many are tried.
_FINE = 2000


@dataclass(frozen=True, eq=False)
class Worth:
    """Worth of a look at each cell of a map.

    Attributes:
        cells: worth of each cell per area, in the shape of the map.
        chance: chance that a look shows a thing at some distance.
    """

    cells: NDArray[np.float64]
    chance: Chance = np.ones_like


@dataclass(frozen=True)
class ExploreSettings:
    """Settings by which viewpoints are found and compared.

    Attributes:
        spacing_m: spacing of the positions that are tried.
        range_m: range of a look.
        half_angle_rad: half of the camera's horizontal field of view.
        min_gain_m2: a viewpoint that shows less is not worth the way.
        speed_mps, turn_rate_radps: speeds for the time that a way takes.
        look_s: time that a look takes.
        dormant_m, dormant_rad: nearer to an earlier viewpoint than this none is tried again.
        again: share of the gain that a second look from about one place still has.
    """

    spacing_m: float = 0.5
    range_m: float = 4.0
    half_angle_rad: float = 0.6
    min_gain_m2: float = 0.5
    speed_mps: float = 0.4
    turn_rate_radps: float = 0.8
    look_s: float = 3.0
    dormant_m: float = 0.4
    dormant_rad: float = 0.4
    again: float = 1.0


@dataclass(frozen=True)
class Viewpoint:
    """A pose worth looking from.

    Attributes:
        gain_m2: worth of the area not looked at that it would show.
        way_m: length of the way there.
        score: gain per second.
    """

    pose: Pose2D
    gain_m2: float
    way_m: float
    score: float

    def is_turn(self, robot: Pose2D) -> bool:
        """Tell whether a robot only turns on the spot for it."""
        return self.way_m < LEAST_WAY_M and (
            abs(wrap_angle(self.pose.yaw - robot.yaw)) >= _LEAST_TURN_RAD)


def rank_viewpoints(grid: OccupancyGrid, way_m: NDArray[np.float32], worths: Sequence[Worth],
                    robot: Pose2D, dormant: Sequence[Pose2D], settings: ExploreSettings,
                    bearing_hint_rad: float | None = None,
                    looked_from: Sequence[Pose2D] = ()) -> Iterator[Viewpoint]:
    """Yield poses that show unlooked floor, best gain per second first.

    The gain of a pose is the worth of the cells along its rays, over furniture but not through
    walls, each times the area of its polar sample and the chance that a look shows it.

    Args:
        grid: the map.
        way_m: distance field from the robot, in the shape of the map.
        worths: of the cells; their sum counts.
        robot: its pose in the map frame.
        dormant: viewpoints that were tried already.
        settings: see `ExploreSettings`.
        bearing_hint_rad: preferred direction relative to the robot's heading; None for none.
        looked_from: poses from which pictures were taken.
    """
    positions = _positions(grid, way_m, worths, robot, settings)
    gains = _gains(grid, worths, positions, settings)
    rows, columns = positions.T
    x_m, y_m = grid.centres_of(rows, columns)
    gains *= _new_share(x_m, y_m, looked_from, settings)
    ways = way_m[rows, columns].astype(np.float64)
    bearing = np.arctan2(y_m - robot.y, x_m - robot.x)
    scores = gains / _seconds(robot, bearing, ways, settings)
    if bearing_hint_rad is not None:
        towards = np.where((ways > LEAST_WAY_M)[:, None], bearing[:, None], _YAWS)
        off = wrap_angles(wrap_angles(towards - robot.yaw) - bearing_hint_rad)
        scores *= 1.0 + 0.5 * np.asarray(_COSINE(off), np.float64)
    wanted = (gains >= settings.min_gain_m2) & ~_are_dormant(x_m, y_m, dormant, settings)
    index, heading = np.nonzero(wanted)
    order = np.lexsort((_YAWS[heading], y_m[index], x_m[index], -scores[index, heading]))
    for i, k in zip(index[order], heading[order], strict=True):
        yield Viewpoint(Pose2D(float(x_m[i]), float(y_m[i]), float(_YAWS[k])),
                        float(gains[i, k]), float(ways[i]), float(scores[i, k]))


def _are_dormant(x_m: NDArray[np.float64], y_m: NDArray[np.float64], dormant: Sequence[Pose2D],
                 settings: ExploreSettings) -> NDArray[np.bool_]:
    """Mask of the positions and headings that lie near a viewpoint that was tried."""
    found = np.zeros((len(x_m), _HEADINGS), np.bool_)
    for other in dormant:
        near = np.hypot(x_m - other.x, y_m - other.y) < settings.dormant_m
        alike = np.abs(wrap_angles(_YAWS - other.yaw)) < settings.dormant_rad
        found |= near[:, None] & alike
    return found


def _new_share(x_m: NDArray[np.float64], y_m: NDArray[np.float64], before: Sequence[Pose2D],
               settings: ExploreSettings) -> NDArray[np.float64]:
    """Share of its gain that each position and heading still has after earlier looks.

    From about one place a model errs alike: the part of the picture that an earlier look showed
    from there is worth little more.
    """
    overlap = np.zeros((len(x_m), _HEADINGS))
    for other in before if settings.again < 1.0 else ():
        near = np.hypot(x_m - other.x, y_m - other.y) < APART_M
        shared = 1.0 - np.abs(wrap_angles(_YAWS - other.yaw)) / (2 * settings.half_angle_rad)
        overlap[near] = np.maximum(overlap[near], shared)
    share: NDArray[np.float64] = 1.0 - (1.0 - settings.again) * overlap
    return share


def _positions(grid: OccupancyGrid, way_m: NDArray[np.float32], worths: Sequence[Worth],
               robot: Pose2D, settings: ExploreSettings) -> NDArray[np.int64]:
    """Rows and columns of the cells that are tried: the robot's, and those of a lattice."""
    step = max(1, round(settings.spacing_m / grid.resolution_m))
    ways = way_m[::step, ::step]
    rows, columns = np.nonzero(np.isfinite(ways) & _near_worth(grid, worths, step, settings))
    if len(rows) > _FINE:
        tried = ways[rows, columns] <= np.partition(ways[rows, columns], _FINE)[_FINE]
        # Farther off one in each tile: a corridor may lie between the lines of a wider lattice.
        stride = math.ceil(math.sqrt(len(rows) / _FINE))
        tiles = rows // stride * len(ways[0]) + columns // stride
        tried[np.unique(tiles, return_index=True)[1]] = True
        rows, columns = rows[tried], columns[tried]
    lattice = np.stack([rows, columns], axis=1) * step
    here = np.array([grid.cell_of(robot.x, robot.y)])
    return np.concatenate([here, lattice]) if grid.contains(*here[0]) else lattice


def _near_worth(grid: OccupancyGrid, worths: Sequence[Worth], step: int,
                settings: ExploreSettings) -> NDArray[np.bool_]:
    """Mask of the positions of a lattice that may show something; the others are not tried."""
    rows, columns = np.nonzero(np.any([worth.cells > 0.0 for worth in worths], axis=0))
    tiles = np.zeros([-(-size // step) for size in grid.shape], np.bool_)
    tiles[rows // step, columns // step] = True
    reach = min(math.ceil(settings.range_m / (step * grid.resolution_m)) + 1, max(tiles.shape))
    near: NDArray[np.bool_] = ndimage.maximum_filter(tiles, 2 * reach + 1)
    return near


def _gains(grid: OccupancyGrid, worths: Sequence[Worth], positions: NDArray[np.int64],
           settings: ExploreSettings) -> NDArray[np.float64]:
    """Gain of each position and heading, in m2."""
    parts = [_gains_of_some(grid, worths, positions[first:first + _AT_ONCE], settings)
             for first in range(0, len(positions), _AT_ONCE)]
    return np.concatenate(parts) if parts else np.zeros((0, _HEADINGS))


def _gains_of_some(grid: OccupancyGrid, worths: Sequence[Worth], positions: NDArray[np.int64],
                   settings: ExploreSettings) -> NDArray[np.float64]:
    pace = 2 if grid.resolution_m <= 0.1 else 1
    angles = np.linspace(0.0, 2 * math.pi, RAYS, endpoint=False)
    rows, columns, seen, distances_m = cast(grid, positions, angles, settings.range_m, pace)
    area = distances_m * (pace * grid.resolution_m) * (2 * math.pi / RAYS)
    cells = rows * grid.shape[1] + columns
    per_ray = np.zeros(seen.shape[:2])
    for worth in worths:
        shown = worth.cells.ravel().take(cells)
        per_ray += (seen * (area * worth.chance(distances_m)) * shown).sum(axis=2)
    wide = max(1, round(settings.half_angle_rad / (2 * math.pi / RAYS)))
    window = np.arange(-wide, wide + 1)
    centres = np.arange(_HEADINGS) * (RAYS // _HEADINGS)
    gains: NDArray[np.float64] = per_ray[:, (centres[:, None] + window) % RAYS].sum(axis=2)
    return gains


def _seconds(robot: Pose2D, bearing: NDArray[np.float64], way_m: NDArray[np.float64],
             settings: ExploreSettings) -> NDArray[np.float64]:
    """Rough time to get to each position and look in each heading, in s.

    Args:
        robot: its pose in the map frame.
        bearing: direction of each position from the robot, in the map frame.
        way_m: length of the way to each position.
        settings: with speeds.
    """
    on_the_spot = np.abs(wrap_angles(_YAWS - robot.yaw))
    driving = (np.abs(wrap_angles(bearing - robot.yaw))[:, None]
               + np.abs(wrap_angles(_YAWS - bearing[:, None])))
    turn = np.where((way_m > LEAST_WAY_M)[:, None], driving, on_the_spot)
    seconds: NDArray[np.float64] = (settings.look_s + (way_m / settings.speed_mps)[:, None]
                                    + turn / settings.turn_rate_radps)
    return seconds
