"""Poses before a target that the robot may stand on."""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.grid import OCCUPIED, OccupancyGrid
from semantic_nav.verify.attempts import near_any
from semantic_nav.verify.checks import first_rejection
from semantic_nav.verify.situation import Situation
from semantic_nav.verify.subjects import Goal

#: One radian round the target counts as this many metres of way.
_SIDE_M_PER_RAD = 1.0
_SAME_RING_M = 1e-6
_TARGET_SLACK_M = 0.2


def stand_off_poses(situation: Situation, target: tuple[float, float],
                    seen_from: tuple[float, float], near_m: float, far_m: float,
                    avoid: Sequence[Pose2D], side_rad: float = math.pi, *, from_rad: float = 0.0,
                    seen_over: bool = False, roomy: bool = False) -> tuple[Pose2D, ...]:
    """Return the best clear, reachable poses around a target that face it, each somewhere else.

    Best is the shortest way, with a price on going round the target: the side from which it was
    seen is the one from which it can be seen. There are as many as Nav2 may be asked for; the rest
    of the ring is not checked.

    Args:
        situation: with pose, map and costmap.
        target: x and y in the map frame.
        seen_from: where the robot stood when it saw the target.
        near_m, far_m: inner and outer radius of the ring.
        avoid: poses that did not do.
        side_rad: how far round the target from where it was seen, at most.
        from_rad: and at least.
        seen_over: what stands between, the robot saw over; else nothing may.
        roomy: only where the body has room to turn round.
    """
    config, surroundings = situation.config, situation.surroundings
    grid, costmap, reach = surroundings.map, surroundings.costmap, surroundings.reach
    assert grid is not None and costmap is not None and reach is not None
    row, column = costmap.cell_of(*target)
    far = math.ceil(far_m / costmap.resolution_m)
    top, left = max(0, row - far), max(0, column - far)
    window = (slice(top, max(0, row + far + 1)), slice(left, max(0, column + far + 1)))
    cost, way_m = costmap.cells[window], reach.of(window)
    clear = (cost >= 0) & (cost <= config.clear_cost) & np.isfinite(way_m) & (
        way_m <= config.way_max_m)
    if roomy and situation.body is not None:
        clear &= situation.body.room_in(window)
    rows, columns = np.nonzero(clear)
    xs, ys = costmap.centres_of(rows + top, columns + left)
    distance_m = np.hypot(xs - target[0], ys - target[1])
    ring = (near_m - _SAME_RING_M <= distance_m) & (distance_m <= far_m + _SAME_RING_M)
    side = math.atan2(seen_from[1] - target[1], seen_from[0] - target[0])
    ranked = []
    for r, c, x, y in zip(*(values[ring].tolist() for values in (rows, columns, xs, ys)),
                          strict=True):
        round_rad = abs(wrap_angle(math.atan2(y - target[1], x - target[0]) - side))
        if from_rad <= round_rad <= side_rad:
            ranked.append((float(way_m[r, c]) + _SIDE_M_PER_RAD * round_rad, r, c, x, y))
    ranked.sort()
    facing = (Pose2D(x, y, math.atan2(target[1] - y, target[0] - x)) for *_, x, y in ranked)
    return spread(
        (pose for pose in facing if not near_any(pose, avoid)),
        config.path_tries,
        lambda pose: first_rejection(situation, Goal.of(pose)) is None and (
            seen_over or not _wall_between(grid, (pose.x, pose.y), target)))


def _wall_between(grid: OccupancyGrid, start: tuple[float, float],
                  target: tuple[float, float]) -> bool:
    """Tell whether something stands between that is not what the target stands on.

    On the way from the pose to the target the map may be free and then occupied, by the table that
    carries it; occupied and free again is a wall, or another piece of furniture.
    """
    length_m = math.dist(start, target)
    # A line passes no more cells than these, however long it is.
    steps = math.ceil(min(length_m / grid.resolution_m, sum(grid.shape)) * 2)
    # The grounding is not exact: right at the target the map may be free again.
    last = math.floor(steps * max(0.0, 1.0 - _TARGET_SLACK_M / max(length_m, _TARGET_SLACK_M)))
    share = np.arange(last + 1) / max(1, steps)
    occupied = grid.values_at(start[0] + (target[0] - start[0]) * share,
                              start[1] + (target[1] - start[1]) * share) >= OCCUPIED
    met = occupied.argmax()
    return bool(occupied[met] and not occupied[met:].all())


def spread(poses: Iterable[Pose2D], count: int,
           fits: Callable[[Pose2D], bool] = lambda pose: True) -> tuple[Pose2D, ...]:
    """Return the first poses that fit and lie apart, so that a second try is another.

    Args:
        poses: best first.
        count: how many, at most.
        fits: asked of no more poses than need be.
    """
    chosen: list[Pose2D] = []
    for pose in poses:
        if len(chosen) == count:
            break
        if not near_any(pose, chosen) and fits(pose):
            chosen.append(pose)
    return tuple(chosen)
