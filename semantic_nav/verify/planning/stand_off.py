"""Stand-off poses before a target."""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.verify.checks.checks import passes
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import GoalPose
from semantic_nav.verify.same_place import near_any
from semantic_nav.verify.tracking.visibility import SeenSide

#: Cost of going round the target, in metres of way per radian.
_SIDE_M_PER_RAD = 1.0
_SAME_RING_M = 1e-6


def stand_off_poses(situation: Situation, target: tuple[float, float],
                    seen_from: tuple[float, float], near_m: float, far_m: float,
                    avoid: Sequence[Pose2D], side_rad: float = math.pi, *, from_rad: float = 0.0,
                    seen_over: bool = False, roomy: bool = False) -> tuple[Pose2D, ...]:
    """The best clear, reachable poses round a target that face it and lie apart.

    The best pose has the shortest way, with a price on going round the target: the target is
    visible from the side on which it was seen. There are at most as many as Nav2 may be asked for;
    the rest of the ring is not checked.

    Args:
        situation: with pose, map and costmap.
        target: x and y in the map frame, in m.
        seen_from: x and y of the robot when it saw the target.
        near_m, far_m: inner and outer radius of the ring.
        avoid: poses to leave out.
        side_rad: largest angle round the target from the side on which it was seen.
        from_rad: least such angle.
        seen_over: the robot saw over obstacles between pose and target; else none may stand there.
        roomy: only poses where the body has room to turn round.
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
        lambda pose: passes(situation, GoalPose.of(pose)) and (
            seen_over or side.shows((pose.x, pose.y))))


def spread(poses: Iterable[Pose2D], count: int,
           fits: Callable[[Pose2D], bool] = lambda pose: True) -> tuple[Pose2D, ...]:
    """The first poses that fit and lie apart, so that a second try is a different one.

    Args:
        poses: best first.
        count: largest number of poses.
        fits: test of a pose, called as seldom as possible.
    """
    chosen: list[Pose2D] = []
    for pose in poses:
        if len(chosen) == count:
            break
        if not near_any(pose, chosen) and fits(pose):
            chosen.append(pose)
    return tuple(chosen)
