"""From what was decided to poses that the robot may stand on."""

import math
from collections.abc import Sequence

import numpy as np

from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.grid import OCCUPIED
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.world import Doubt, World

#: How far round the target is still the side from which it was seen, in radians.
SAME_SIDE_RAD = math.radians(100)
#: One radian round the target counts as this many metres of way.
_SIDE_M_PER_RAD = 1.0
#: Goals of an earlier try that failed are kept clear of by this much, in metres.
NEAR_FAILED_M = 0.4
_SAME_RING_M = 1e-6
_TARGET_SLACK_M = 0.2


def stand_off_poses(world: World, target: tuple[float, float], seen_from: tuple[float, float],
                    near_m: float, far_m: float, avoid: Sequence[Pose2D],
                    config: VerifierConfig, side_rad: float = math.pi, *,
                    seen_over: bool = False) -> list[Pose2D]:
    """Return clear, reachable poses around a target that face it, best first.

    Best is the shortest way, with a price on going round the target: the side from which it was
    seen is the one from which it can be seen.

    Args:
        world: pose, map and costmap.
        target: x and y in the map frame.
        seen_from: where the robot stood when it saw the target.
        near_m, far_m: inner and outer radius of the ring.
        avoid: poses that did not do.
        config: limits.
        side_rad: how far round the target from where it was seen.
        seen_over: what stands between, the robot saw over; else nothing may.
    """
    assert world.costmap is not None
    costmap, ways = world.costmap, world.ways()
    assert ways is not None
    row, column = costmap.cell_of(*target)
    reach = math.ceil(far_m / costmap.resolution_m)
    top, left = max(0, row - reach), max(0, column - reach)
    window = (slice(top, max(0, row + reach + 1)), slice(left, max(0, column + reach + 1)))
    cost, way_m = costmap.cells[window], ways.way_m[window]
    rows, columns = np.nonzero((cost >= 0) & (cost <= config.clear_cost) & np.isfinite(way_m)
                               & (way_m <= config.way_max_m))
    xs = costmap.origin_x_m + (columns + left + 0.5) * costmap.resolution_m
    ys = costmap.origin_y_m + (rows + top + 0.5) * costmap.resolution_m
    distance_m = np.hypot(xs - target[0], ys - target[1])
    ring = (near_m - _SAME_RING_M <= distance_m) & (distance_m <= far_m + _SAME_RING_M)
    side = math.atan2(seen_from[1] - target[1], seen_from[0] - target[0])
    found = []
    for r, c, x, y in zip(*(values[ring].tolist() for values in (rows, columns, xs, ys)),
                          strict=True):
        round_rad = abs(wrap_angle(math.atan2(y - target[1], x - target[0]) - side))
        if round_rad > side_rad:
            continue
        pose = Pose2D(x, y, math.atan2(target[1] - y, target[0] - x))
        if any(pose.distance_to(other.x, other.y) < NEAR_FAILED_M for other in avoid):
            continue
        if world.doubt_at(x, y) is None and (
                seen_over or not _wall_between(world, (x, y), target)):
            found.append((float(way_m[r, c]) + _SIDE_M_PER_RAD * round_rad, r, c, pose))
    found.sort(key=lambda entry: entry[:3])
    return [entry[3] for entry in found]


def _wall_between(world: World, start: tuple[float, float], target: tuple[float, float]) -> bool:
    """Tell whether something stands between that is not what the target stands on.

    On the way from the pose to the target the map may be free and then occupied, by the table that
    carries it; occupied and free again is a wall, or another piece of furniture.
    """
    assert world.map is not None
    length_m = math.dist(start, target)
    steps = math.ceil(length_m / world.map.resolution_m * 2)
    # The grounding is not exact: right at the target the map may be free again.
    last = math.floor(steps * max(0.0, 1.0 - _TARGET_SLACK_M / max(length_m, _TARGET_SLACK_M)))
    met = False
    for step in range(last + 1):
        share = step / max(1, steps)
        value = world.map.value_at(start[0] + (target[0] - start[0]) * share,
                                   start[1] + (target[1] - start[1]) * share)
        occupied = value is not None and value >= OCCUPIED
        if met and not occupied:
            return True
        met = met or occupied
    return False


def clear_pose_near(world: World, pose: Pose2D, config: VerifierConfig) -> Pose2D | Doubt:
    """Return the pose, or the nearest clear one with the same heading, or why there is none."""
    assert world.costmap is not None
    doubt = world.doubt_at(pose.x, pose.y)
    if doubt is None:
        return pose
    if doubt.code in (Code.OUT_OF_MAP, Code.TOO_FAR):
        return doubt
    costmap = world.costmap
    row, column = costmap.cell_of(pose.x, pose.y)
    reach = math.floor(config.node_shift_m / costmap.resolution_m)
    offsets = sorted(
        ((down, right) for down in range(-reach, reach + 1) for right in range(-reach, reach + 1)
         if math.hypot(down, right) <= reach),
        key=lambda offset: (math.hypot(*offset), offset))
    for down, right in offsets:
        if not costmap.contains(row + down, column + right):
            continue
        x, y = costmap.centre_of(row + down, column + right)
        if world.doubt_at(x, y) is None:
            return Pose2D(x, y, pose.yaw)
    return doubt
