"""Shortest paths over the costmap, with NavFn's costs, tolerance and result codes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from semantic_nav_sim.navigator.costmap import INSCRIBED, LETHAL, NO_INFORMATION, Costmap
from semantic_nav_sim.navigator.geometry import Pose

# NavFn: a cell costs COST_NEUTRAL + COST_FACTOR * cost; unknown space is passable at high cost.
COST_NEUTRAL, COST_FACTOR = 50.0, 0.8
# Cost of leaving the inscribed zone, higher than that of any cell where the robot fits.
_LEAVE_PRICE = 10.0 * (COST_NEUTRAL + COST_FACTOR * INSCRIBED)
#: Distance between two points of a path, in cells.
_SPACING = 0.5
_STEPS = tuple((row, col) for row in (-1, 0, 1) for col in (-1, 0, 1) if row or col)
_LENGTHS = np.array([math.hypot(*step) for step in _STEPS])


class PlanCode(IntEnum):
    """Result codes of nav2_msgs/action/ComputePathToPose."""

    NONE = 0
    UNKNOWN = 200
    INVALID_PLANNER = 201
    TF_ERROR = 202
    START_OUTSIDE_MAP = 203
    GOAL_OUTSIDE_MAP = 204
    TIMEOUT = 207
    NO_VALID_PATH = 208


@dataclass(frozen=True)
class Plan:
    """A path, or the reason for its absence.

    Attributes:
        code: NONE if there is a path.
        points: float[n, 2], x and y in the global frame [m], from start to end.
        goal: The requested goal pose; the path ends with its yaw, perhaps beside it.
    """

    code: PlanCode
    points: NDArray[np.float64]
    goal: Pose

    @property
    def end(self) -> Pose:
        """The pose at the end of the path."""
        return Pose(float(self.points[-1, 0]), float(self.points[-1, 1]), self.goal.yaw)


def failed(code: PlanCode, goal: Pose) -> Plan:
    """A plan without a path."""
    return Plan(code, np.empty((0, 2)), goal)


def plan_path(costmap: Costmap, start: Pose, goal: Pose, tolerance_m: float) -> Plan:
    """Plan a path.

    Args:
        costmap: Global costmap.
        start: Pose at the start of the path.
        goal: Goal pose.
        tolerance_m: If the goal pose cannot be reached, the path ends at the nearest reachable
            cell within this distance on each axis [m].

    Returns:
        A path with two points per cell length, or the code of the failure.
    """
    start_cell, goal_cell = costmap.cell(start.x, start.y), costmap.cell(goal.x, goal.y)
    if start_cell is None:
        return failed(PlanCode.START_OUTSIDE_MAP, goal)
    if goal_cell is None:
        return failed(PlanCode.GOAL_OUTSIDE_MAP, goal)
    if start_cell == goal_cell:
        return Plan(PlanCode.NONE, np.array([[goal.x, goal.y]]), goal)
    price = cell_prices(costmap.cost)
    if costmap.cost[start_cell] == LETHAL:
        return failed(PlanCode.NO_VALID_PATH, goal)
    _open_start(price, costmap, start)
    reached, before = _spread(price, start_cell, goal_cell)
    end_cell = _nearest_reached(reached, costmap, goal, goal_cell, tolerance_m)
    if end_cell is None:
        return failed(PlanCode.NO_VALID_PATH, goal)
    cells = _trace(before, end_cell, reached.shape[1])
    points = np.column_stack([
        costmap.origin_x + (cells[:, 1] + 0.5) * costmap.resolution_m,
        costmap.origin_y + (cells[:, 0] + 0.5) * costmap.resolution_m])
    points[0] = start.x, start.y
    if end_cell == goal_cell:
        points[-1] = goal.x, goal.y
    corners = _straightened(points, reached[cells[:, 0], cells[:, 1]], price, costmap)
    return Plan(PlanCode.NONE, resampled(points[corners], _SPACING * costmap.resolution_m), goal)


def cell_prices(cost: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Price of crossing each cell, per cell length; infinite if the robot does not fit."""
    price = COST_NEUTRAL + COST_FACTOR * np.minimum(cost, INSCRIBED).astype(np.float64)
    price[(cost >= INSCRIBED) & (cost != NO_INFORMATION)] = np.inf
    return price


def resampled(corners: NDArray[np.float64], spacing_m: float) -> NDArray[np.float64]:
    """The polyline with points at about a spacing [m]; its corners are kept."""
    parts = [corners[:1]]
    for first, second in zip(corners[:-1], corners[1:], strict=True):
        count = max(1, round(math.dist(first, second) / spacing_m))
        share = (np.arange(1, count + 1) / count)[:, None]
        parts.append(first + (second - first) * share)
    return np.concatenate(parts)


def length_m(points: NDArray[np.float64]) -> float:
    """Length of a polyline [m]."""
    return float(np.hypot(*np.diff(points, axis=0).T).sum()) if len(points) > 1 else 0.0


def _open_start(price: NDArray[np.float64], costmap: Costmap, start: Pose) -> None:
    """Open inscribed cells round a start too close to an obstacle, but none that are closer to it.

    As with NavFn, no path leads out of a gap narrower than the robot.
    """
    clearance_m = costmap.clearance_at(start.x, start.y)
    lacks_m = max(costmap.robot_radius_m - clearance_m, 0.0)
    around = costmap.around(start, lacks_m + costmap.resolution_m).slices
    near = (costmap.cost[around] == INSCRIBED) & (costmap.clearance_m[around] >= clearance_m)
    price[around][near] = _LEAVE_PRICE


def _spread(price: NDArray[np.float64], start: tuple[int, int], goal: tuple[int, int]
            ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Price of the way from the start to each cell, and the (flat, framed) cell before it.

    Cells with a price far above that of the goal stay at infinity.
    """
    rows, cols = price.shape
    # A frame of impassable cells, so that every cell has eight neighbours.
    framed = np.full((rows + 2, cols + 2), np.inf)
    framed[1:-1, 1:-1] = price
    targets, starts = _neighbours(rows + 2, cols + 2)
    # Edges of the frame stay infinite, so that no path leaves it.
    weights = np.full((rows + 2, cols + 2, len(_STEPS)), np.inf)
    for index, (down, right) in enumerate(_STEPS):
        np.multiply(framed[1 + down:rows + 1 + down, 1 + right:cols + 1 + right],
                    _LENGTHS[index], out=weights[1:-1, 1:-1, index])
    graph = csr_matrix((weights.ravel(), targets, starts), shape=(framed.size, framed.size))
    source = (start[0] + 1) * (cols + 2) + start[1] + 1
    straight = math.dist(start, goal)
    # Most goals are found within a small part of a large map. If not, more of it is searched, and
    # then all. The limit is finite, or dijkstra would also walk edges of infinite weight.
    for limit in (1.5 * COST_NEUTRAL * (1.3 * straight + 20.0),
                  2.0 * COST_NEUTRAL * (2.0 * straight + 40.0), np.finfo(np.float64).max):
        reached, before = dijkstra(graph, indices=source, return_predecessors=True, limit=limit)
        reached = reached.reshape(rows + 2, cols + 2)[1:-1, 1:-1]
        if np.isfinite(reached[goal]):
            break
    return reached, before


@lru_cache(maxsize=2)
def _neighbours(rows: int, cols: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The eight neighbours of each cell of a framed grid, as targets and starts of a CSR graph."""
    count = rows * cols
    offsets = np.array([row * cols + col for row, col in _STEPS], dtype=np.int32)
    # Targets of the frame wrap around, but no path gets there.
    targets = (np.arange(count, dtype=np.int32)[:, None] + offsets) % np.int32(count)
    starts = np.arange(count + 1, dtype=np.int32) * np.int32(len(_STEPS))
    return targets.ravel(), starts


def _nearest_reached(reached: NDArray[np.float64], costmap: Costmap, goal: Pose,
                     goal_cell: tuple[int, int], tolerance_m: float) -> tuple[int, int] | None:
    if np.isfinite(reached[goal_cell]):
        return goal_cell
    window = costmap.around(goal, tolerance_m)
    rows, cols = np.nonzero(np.isfinite(reached[window.slices]))
    if not len(rows):
        return None
    x = costmap.origin_x + (cols + window.col0 + 0.5) * costmap.resolution_m
    y = costmap.origin_y + (rows + window.row0 + 0.5) * costmap.resolution_m
    best = int(np.argmin(np.hypot(x - goal.x, y - goal.y)))
    return int(rows[best]) + window.row0, int(cols[best]) + window.col0


def _trace(before: NDArray[np.int32], end: tuple[int, int], cols: int) -> NDArray[np.intp]:
    """The cells from the start to an end, int[n, 2]."""
    flat = [(end[0] + 1) * (cols + 2) + end[1] + 1]
    while (previous := int(before[flat[-1]])) >= 0:
        flat.append(previous)
    return np.column_stack(np.divmod(np.array(flat[::-1], dtype=np.intp), cols + 2)) - 1


def _straightened(points: NDArray[np.float64], reached: NDArray[np.float64],
                  price: NDArray[np.float64], costmap: Costmap) -> list[int]:
    """Indices of the corners that remain if straight lines replace parts that are not cheaper."""
    corners, last = [0], len(points) - 1
    while corners[-1] < last:
        first, second = corners[-1], last
        while second > first + 1:
            along = (reached[second] - reached[first]) * costmap.resolution_m
            if _straight_price(points[first], points[second], price, costmap) <= along * 1.001:
                break
            second = first + (second - first) // 2
        corners.append(second)
    return corners


def _straight_price(first: NDArray[np.float64], second: NDArray[np.float64],
                    price: NDArray[np.float64], costmap: Costmap) -> float:
    length = math.dist(first, second)
    count = max(2, math.ceil(2.0 * length / costmap.resolution_m))
    line = first + (second - first) * ((np.arange(count) + 0.5) / count)[:, None]
    cols = ((line[:, 0] - costmap.origin_x) / costmap.resolution_m).astype(np.intp)
    rows = ((line[:, 1] - costmap.origin_y) / costmap.resolution_m).astype(np.intp)
    return float(price[rows, cols].mean()) * length
