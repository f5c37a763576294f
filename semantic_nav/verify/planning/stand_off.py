"""Poses before a target that the robot may stand on."""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import Goal
from semantic_nav.verify.same_place import near_any
from semantic_nav.verify.tracking.visibility import SeenSide

#: One radian round the target counts as this many metres of way.
_SIDE_M_PER_RAD = 1.0
_SAME_RING_M = 1e-6


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
    costmap, reach = surroundings.costmap, surroundings.reach
    assert costmap is not None and reach is not None
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
    seen_rad = math.atan2(seen_from[1] - target[1], seen_from[0] - target[0])
    ranked = []
    for r, c, x, y in zip(*(values[ring].tolist() for values in (rows, columns, xs, ys)),
                          strict=True):
        round_rad = abs(wrap_angle(math.atan2(y - target[1], x - target[0]) - seen_rad))
        if from_rad <= round_rad <= side_rad:
            ranked.append((float(way_m[r, c]) + _SIDE_M_PER_RAD * round_rad, r, c, x, y))
    ranked.sort()
    side = SeenSide(surroundings, target, seen_from)
    facing = (Pose2D(x, y, math.atan2(target[1] - y, target[0] - x)) for *_, x, y in ranked)
    return spread(
        (pose for pose in facing if not near_any(pose, avoid)),
        config.path_tries,
        lambda pose: first_rejection(situation, Goal.of(pose)) is None and (
            seen_over or side.shows((pose.x, pose.y))))


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
