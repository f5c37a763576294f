"""Checks of the destination of an act: remembered places, goal poses, targets and views."""

from collections.abc import Sequence

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OCCUPIED, UNKNOWN
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.explore.distance_field import nearest_open
from semantic_nav.explore.sweeps import LEAST_GAIN_SHARE
from semantic_nav.explore.unreached import UnreachedPart
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import (
    GoalPose,
    InPicture,
    Rejection,
    RememberedPlace,
    StandOffs,
    Target,
    Views,
    VisitPose,
)
from semantic_nav.verify.checks.zone_checks import unlooked_closed
from semantic_nav.verify.floor.surroundings import Surroundings
from semantic_nav.verify.same_place import near_any

#: Largest number of unreached parts of the floor whose area a reason tells.
_MOST_PARTS = 4
#: Largest distance from the robot's cell to the nearest cell of floor, in m.
_HERE_M = 0.5


def unknown_place(subject: RememberedPlace, situation: Situation) -> Rejection | None:
    """Refuse a place that was not offered for this goal."""
    if subject.node_id in situation.offered:
        return None
    return Rejection(Code.UNKNOWN_NODE, f'{subject.node_id} is not a candidate of this goal')


def withdrawn_place(subject: RememberedPlace, situation: Situation) -> Rejection | None:
    """Refuse a place that is no longer offered: a look from there did not show the target."""
    if situation.candidate(subject.node_id) is not None:
        return None
    return Rejection(Code.SKIPPED, f'{subject.node_id} was looked at meanwhile')


def visited_place(subject: RememberedPlace, situation: Situation) -> Rejection | None:
    """Refuse a place that was already visited for this goal."""
    if subject.node_id not in situation.attempts.visited:
        return None
    return Rejection(Code.SKIPPED, f'{subject.node_id} was visited for this goal')


def goal_outside(subject: GoalPose, situation: Situation) -> Rejection | None:
    """Refuse a goal pose outside the map or the costmap."""
    if None not in _values_at(subject, situation.surroundings):
        return None
    return _reject_goal(Code.OUT_OF_MAP, subject, 'lies outside the map')


def goal_unseen(subject: GoalPose, situation: Situation) -> Rejection | None:
    """Refuse a goal pose on floor that is unknown in the map or the costmap."""
    if UNKNOWN not in _values_at(subject, situation.surroundings):
        return None
    return _reject_goal(Code.UNKNOWN_SPACE, subject, 'lies in unknown space')


def goal_blocked(subject: GoalPose, situation: Situation) -> Rejection | None:
    """Refuse a goal pose where the robot would touch something."""
    occupancy, cost = _values_at(subject, situation.surroundings)
    assert occupancy is not None and cost is not None
    if occupancy < OCCUPIED and cost <= situation.config.clear_cost:
        return None
    return Rejection(Code.COLLISION_DETECTED, f'at ({subject.x:.2f}, {subject.y:.2f}) the robot '
                     f'would touch something (cost {cost})', subject.pose)


def goal_unreachable(subject: GoalPose, situation: Situation) -> Rejection | None:
    """Refuse a goal pose to which no way over the costmap leads."""
    if situation.surroundings.way_leads_to(subject.x, subject.y):
        return None
    return Rejection(Code.UNREACHABLE, f'no way leads to ({subject.x:.2f}, {subject.y:.2f})',
                     subject.pose)


def goal_too_far(subject: GoalPose, situation: Situation) -> Rejection | None:
    """Refuse a goal pose to which the way over the costmap is too long."""
    surroundings, most_m = situation.surroundings, situation.config.way_max_m
    if surroundings.way_is_within(subject.x, subject.y, most_m):
        return None
    way_m = surroundings.way_to(subject.x, subject.y)
    return Rejection(Code.TOO_FAR, f'the way to ({subject.x:.2f}, {subject.y:.2f}) is '
                     f'{way_m:.0f} m long', subject.pose)


def _values_at(goal: GoalPose, surroundings: Surroundings) -> tuple[int | None, int | None]:
    """Occupancy in the map and cost at a goal pose; None outside of map or costmap."""
    grid, costmap = surroundings.map, surroundings.costmap
    assert grid is not None and costmap is not None
    return grid.value_at(goal.x, goal.y), costmap.value_at(goal.x, goal.y)


def _reject_goal(code: Code, goal: GoalPose, words: str) -> Rejection:
    return Rejection(code, f'({goal.x:.2f}, {goal.y:.2f}) {words}', goal.pose)


def failed_visit(subject: VisitPose, situation: Situation) -> Rejection | None:
    """Refuse a viewpoint near a goal pose that was not reached lately."""
    if not near_any(subject.pose, situation.failed):
        return None
    return Rejection(Code.REPEATED_FAILURE, f'the way to {subject.node_id} failed before')


def target_outside(subject: Target, situation: Situation) -> Rejection | None:
    """Refuse a target too far outside the map; a little outside is allowed.

    The map ends at the front of a sideboard, and an object on it lies behind that.
    """
    grid = situation.surroundings.map
    assert grid is not None
    beyond_m = grid.beyond_m(subject.x, subject.y)
    if beyond_m <= situation.config.leg_stand_off_m:
        return None
    return Rejection(Code.OUT_OF_MAP, f'the target at ({subject.x:.2f}, {subject.y:.2f}) lies '
                     f'{beyond_m:.1f} m beyond the map', Pose2D(subject.x, subject.y, 0.0))


def out_of_picture(subject: InPicture, situation: Situation) -> Rejection | None:
    """Refuse a target that is above or below the picture at every stand-off distance."""
    config, (x, y) = situation.config, subject.target
    if subject.near_m <= config.stand_off_last_m and subject.far_m >= config.stand_off_near_m:
        return None
    return Rejection(Code.NOT_CONFIRMED, f'no look could confirm ({x:.2f}, {y:.2f}): '
                     f'{subject.height_m:.2f} m over the floor it is in the picture of no '
                     'stand-off', Pose2D(x, y, 0.0))


def blocked_stand_off(subject: StandOffs, situation: Situation) -> Rejection | None:
    """Refuse a target while the way to it is blocked."""
    del situation
    blocked = subject.blocked
    if subject.found or blocked is None or blocked.blockage is None:
        return None
    x, y = subject.target
    at_x, at_y = blocked.blockage.at
    return Rejection(Code.BLOCKED, f'the way to ({x:.2f}, {y:.2f}) is blocked at ({at_x:.1f}, '
                     f'{at_y:.1f})', Pose2D(x, y, 0.0))


def no_stand_off(subject: StandOffs, situation: Situation) -> Rejection | None:
    """Refuse a target without a clear, reachable stand-off pose."""
    if subject.found:
        return None
    x, y = subject.target
    closed = situation.surroundings.keepout.at(x, y)
    return Rejection(Code.UNREACHABLE, f'no clear pose within {subject.within_m:.2f} m of '
                     f'({x:.2f}, {y:.2f}) is reachable{f"; closed is {closed}" if closed else ""}',
                     Pose2D(x, y, 0.0))


def blocked_view(subject: Views, situation: Situation) -> Rejection | None:
    """Refuse to explore while all floor left to look at is out of reach."""
    parts = subject.unreached
    if subject.found or not parts:
        return None
    areas = [f'{part.area_m2:.1f} m²' for part in parts[:_MOST_PARTS]]
    if len(parts) > len(areas):
        areas.append(f'{len(parts) - len(areas)} more')
    *first, last = areas
    nearest = parts[0]
    blockage = ('' if nearest.blockage is None else
                ', blocked at ({:.1f}, {:.1f})'.format(*nearest.blockage.at))
    words = (f'1 part of {last} was' if len(parts) == 1 else
             f'{len(parts)} parts of {", ".join(first)} and {last} were')
    unlooked = unlooked_closed(situation.surroundings, situation.findings.seen)
    return Rejection(
        Code.BLOCKED, f'{words} not reached, the nearest at ({nearest.view.x:.1f}, '
        f'{nearest.view.y:.1f}){blockage}; the rest was looked at{unlooked}',
        nearest.view)


def no_floor(subject: Views, situation: Situation) -> Rejection | None:
    """Refuse to call a search finished where the map shows hardly any floor.

    The map may be a different one, or just restarted, and not cover the robot's place.
    """
    if subject.found or subject.unreached:
        return None
    grid, robot = situation.surroundings.map, situation.robot
    assert grid is not None
    floor = situation.surroundings.reachable_floor()
    if nearest_open(floor, grid.cell_of(robot.x, robot.y),
                    round(_HERE_M / grid.resolution_m)) is None:
        return Rejection(Code.MAP_UNAVAILABLE, 'the map and the costmap hold no floor within '
                         f'{_HERE_M:g} m of the robot')
    area_m2 = int(floor.sum()) * grid.resolution_m**2
    if area_m2 < situation.config.min_gain_m2:
        return Rejection(Code.MAP_UNAVAILABLE, f'the map shows no more than {area_m2:.1f} m² of '
                         'floor that the robot can reach')
    return None


def no_view(subject: Views, situation: Situation) -> Rejection | None:
    """Refuse to explore when nothing is left to look at."""
    if subject.found or subject.unreached:
        return None
    share = subject.from_two_places
    twice = f', {share:.0%} from two places' if share is not None else ''
    least_m2 = situation.config.min_gain_m2 * LEAST_GAIN_SHARE
    unlooked = unlooked_closed(situation.surroundings, situation.findings.seen)
    return Rejection(Code.NOTHING_LEFT, f'{situation.looked_share():.0%} of the reachable floor '
                     f'was looked at{twice}, and no other view shows {least_m2:g} m² of unseen '
                     f'floor{_closed_in(subject.nooks)}{unlooked}')


def _closed_in(nooks: Sequence[UnreachedPart]) -> str:
    if not nooks:
        return ''
    area_m2 = sum(nook.area_m2 for nook in nooks)
    x, y = nooks[0].view.x, nooks[0].view.y
    return f'; {area_m2:.1f} m² between furniture no way led to, as at ({x:.1f}, {y:.1f})'
