"""Plans of an inspection: to a blockage, to see whether it is still there."""

import math
from collections.abc import Sequence
from dataclasses import replace

from semantic_nav.contracts.geometry import wrap_angle
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.explore.exploration import Exploration
from semantic_nav.explore.unreached import UnreachedPart, blockage_before, known_floor
from semantic_nav.verify.checks.checks import passes
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import GoalPose
from semantic_nav.verify.planning.stand_off import stand_off_poses
from semantic_nav.verify.same_place import near_any

#: Angle to a blockage below which the robot already looks at it, in rad.
_FACING_RAD = 0.4
#: Distance below which two blockages are one, in m: the way shifts with the robot.
_SAME_M = 1.0


def inspection(action: Action, parts: Sequence[UnreachedPart], situation: Situation,
               exploration: Exploration) -> Plan | None:
    """Way to the nearest blockage not inspected since the last wait, or a turn to it.

    Map and costmap keep the obstacle until the robot looks again, each time from another place.
    The floor behind it is explored from the first sweep on.
    """
    robot = situation.robot
    for blockage in (part.blockage for part in parts if part.blockage is not None):
        poses = [pose for pose in blockage.look_from if not near_any(pose, situation.failed)]
        if not poses or any(math.dist(blockage.at, other) < _SAME_M
                            for other in exploration.inspected):
            continue
        pose = next((pose for pose in poses if not near_any(pose, (robot,))), poses[0])
        here = near_any(pose, (robot,))
        turn = wrap_angle(pose.yaw - robot.yaw)
        if here and abs(turn) < _FACING_RAD:
            continue
        return Plan(
            action, 'to see what blocks the way at ({:.1f}, {:.1f})'.format(*blockage.at),
            goals=() if here else (pose,), turn_rad=turn if here else None, leg=True,
            exploration=replace(exploration, policy=exploration.first,
                                inspected=(*exploration.inspected, blockage.at)))
    return None


def beyond_blockage(target: tuple[float, float], seen_from: tuple[float, float], near_m: float,
                    far_m: float, situation: Situation,
                    exploration: Exploration) -> UnreachedPart | None:
    """Stand-off pose that would be reachable without a blockage; None for none.

    Args:
        target, seen_from, near_m, far_m: see `stand_off_poses`.
        situation: one in which no stand-off pose is reachable.
        exploration: with the floor that is reachable now.
    """
    surroundings, reached = situation.surroundings, exploration.reached
    grid, floor = surroundings.map, surroundings.floor
    assert grid is not None and floor is not None and reached is not None
    now = surroundings.reached_on_map()
    known = known_floor(grid, reached.cells, now, floor.clearance(situation.config.clear_cost),
                        surroundings.closed_on_map)
    opened = replace(situation, surroundings=surroundings.opened(known))
    poses = stand_off_poses(opened, target, seen_from, near_m, far_m, situation.failed)
    if not poses:
        return None
    blockage = blockage_before(
        grid, known, now, situation.robot, poses[0],
        lambda pose: passes(situation, GoalPose.of(pose)))
    return None if blockage is None else UnreachedPart(
        poses[0], 0.0, opened.surroundings.way_to(poses[0].x, poses[0].y), blockage)
