"""Checks of closed floor: keep-out zones and the keep-out mask."""

import numpy as np

from semantic_nav.contracts.grid import OCCUPIED, OccupancyGrid
from semantic_nav.contracts.vocabulary import Code
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import GoalPose, Here, Path, Rejection, Turn, UnderWay
from semantic_nav.verify.floor.keepout import MASKED, MaskedFloor
from semantic_nav.verify.floor.surroundings import Surroundings
from semantic_nav.verify.zones import ClosedFloor

#: Seen share of a closed zone from which on reasons do not mention it.
_SEEN = 0.95
#: Largest number of closed zones that a reason names.
_MOST_NAMED = 4


def unknown_mask(subject: Here, situation: Situation) -> Rejection | None:
    """Refuse to decide while an expected keep-out mask is missing."""
    del subject
    missing = situation.surroundings.keepout.missing
    return Rejection(Code.MAP_UNAVAILABLE, f'there is no keep-out mask: {missing}') if (
        missing) else None


def closed_turn(subject: Turn, situation: Situation) -> Rejection | None:
    """Refuse a turn on closed floor, where the robot may only drive out."""
    here = situation.surroundings.keepout.on(subject.pose)
    return Rejection(Code.KEEPOUT, f'the robot is on closed floor, {min(here)}, and may only '
                     'drive out of it', subject.pose) if here else None


def closed_goal(subject: GoalPose, situation: Situation) -> Rejection | None:
    """Refuse a goal pose on closed floor, or too near to it."""
    closed = situation.surroundings.keepout.at(subject.x, subject.y)
    return Rejection(Code.KEEPOUT, f'({subject.x:.2f}, {subject.y:.2f}) is closed: {closed}',
                     subject.pose) if closed else None


def closed_path(subject: Path, situation: Situation) -> Rejection | None:
    """Refuse a path onto closed floor; one that begins there may leave it."""
    keepout, goal = situation.surroundings.keepout, subject.goal
    closed = keepout.entered_by(subject.answer.points)
    if not closed:
        return None
    # Nav2 has the mask already: no advice.
    advice = '' if closed == MASKED else ': give Nav2 the same zone as a keep-out filter mask'
    return Rejection(Code.KEEPOUT, f"Nav2's path to ({goal.x:.2f}, {goal.y:.2f}) leads onto "
                     f'closed floor, {closed}, or too near to it{advice}', goal)


def closed_way(subject: UnderWay, situation: Situation) -> Rejection | None:
    """Refuse to drive on once the robot has come onto closed floor."""
    entered = situation.surroundings.keepout.crossed(
        subject.before, situation.robot) - subject.leaving
    return Rejection(Code.KEEPOUT, f'the robot has come onto closed floor, {min(entered)}') if (
        entered) else None


def unlooked_closed(surroundings: Surroundings, seen: GoalCoverage | None) -> str:
    """Closed floor that was not looked at, as the end of a sentence; empty for none."""
    grid = surroundings.map
    assert grid is not None
    shares = [(floor.words, _looked_share(floor, grid, seen))
              for floor in surroundings.keepout.floors]
    told = [f'{words} was not looked at' if share < 1.0 - _SEEN else
            f'of {words} {share:.0%} was looked at' for words, share in shares if share < _SEEN]
    if len(told) > _MOST_NAMED:
        told[_MOST_NAMED - 1:] = [f'{len(told) - _MOST_NAMED + 1} more zones were not looked at']
    return ''.join(f'; {words}' for words in told)


def _looked_share(floor: ClosedFloor | MaskedFloor, grid: OccupancyGrid,
                  seen: GoalCoverage | None) -> float:
    """Share of closed floor that needs no look, 0..1; 1 if all is occupied or off the map."""
    closed = floor.cells(grid, 0.0)
    free = closed & grid.free
    if not free.any():
        return float(np.all(grid.cells[closed] >= OCCUPIED))
    return seen.in_range.share_of(free) if seen is not None else 0.0
