"""For each check that has a place: a situation in which it refuses, and one in which it does not.

`check_pictures.py` draws them, and a test asks the real checks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from builders import Block, Room, canonical, meta
from situations import ROBOT, Known

from semantic_nav.contracts.documents import Hypothesis
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import INSCRIBED
from semantic_nav.contracts.hypothesis import NavigationGoal
from semantic_nav.contracts.vocabulary import NavStatus, Source
from semantic_nav.explore.unreached import Blockage, UnreachedPart
from semantic_nav.verify.checks.attempts import Attempts, Failure
from semantic_nav.verify.checks.failure_cause import Blame
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.stalls import Stall, open_m2
from semantic_nav.verify.checks.subjects import (
    PLANNED,
    Approach,
    GoalPose,
    InPicture,
    Path,
    StandOffs,
    Subject,
    Target,
    Turn,
    UnderWay,
    Views,
    VisitPose,
)
from semantic_nav.verify.events import PathAnswered
from semantic_nav.verify.floor.keepout import Keepout
from semantic_nav.verify.grounding.grounding import Grounded
from semantic_nav.verify.tracking.findings import Findings, Proposal
from semantic_nav.verify.tracking.rejected_targets import Doubt
from semantic_nav.verify.zones import Zone, ZoneKind, Zones

TABLE = Block((4.0, 4.8), (2.6, 3.4), (0.0, 0.75))
#: A wall with a gap that is too narrow for anybody.
WALL = [Block((5.0, 5.1), (0.0, 2.9)), Block((5.0, 5.1), (3.1, 6.0))]
#: A corridor in which a long robot cannot turn.
CORRIDOR = [Block((0.0, 8.0), (0.0, 2.6)), Block((0.0, 8.0), (3.4, 6.0))]
LONG = '[[0.5, 0.2], [0.5, -0.2], [-0.5, -0.2], [-0.5, 0.2]]'
NURSERY = Zone(('nursery',), ZoneKind.KEEP_OUT, ((3.4, 2.0), (5.6, 2.0), (5.6, 4.0), (3.4, 4.0)))
MUG = (4.2, 3.0, 0.8)
#: In m2, rows and columns x, y and z.
COVARIANCE = (0.0025, 0.0, 0.0, 0.0, 0.0025, 0.0, 0.0, 0.0, 0.0025)
BEYOND = Pose2D(6.5, 3.0, 0.0)


@dataclass(frozen=True)
class Scene:
    """A situation and what of it is drawn.

    Attributes:
        room, zones, unknown: of which the situation was made; unknown is x0, y0, x1, y1.
        subject: what the check looks at.
        goal, path, points: to be drawn; points are what something else is about.
    """

    situation: Situation
    subject: Subject
    room: Room
    zones: tuple[Zone, ...] = ()
    unknown: tuple[float, float, float, float] | None = None
    goal: Pose2D | None = None
    path: Sequence[tuple[float, float]] = ()
    points: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True)
class Case:
    """Both situations of a check."""

    refused: Scene
    accepted: Scene


@dataclass
class _Maker:
    """Makes scenes of one kind of room."""

    blocks: list[Block] = field(default_factory=lambda: [TABLE])
    zones: tuple[Zone, ...] = ()
    unknown: tuple[float, float, float, float] | None = None
    config: dict[str, Any] = field(default_factory=dict)

    def scene(self, subject: Subject, robot: Pose2D = ROBOT, *, goal: Pose2D | None = None,
              path: Sequence[tuple[float, float]] = (),
              points: Sequence[tuple[float, float]] = (), **changes: Any) -> Scene:
        known = Known(Room(blocks=self.blocks), robot, **self.config)
        if self.unknown is not None:
            self._forget(known, *self.unknown)
        known.surroundings = known.surroundings.closing(
            Keepout(known.config.keepout_margin_m, Zones(self.zones)))
        return Scene(replace(known.situation, **changes), subject, known.room, self.zones,
                     self.unknown, goal, path, points)

    def _forget(self, known: Known, x0: float, y0: float, x1: float, y1: float) -> None:
        grid, costmap = known.surroundings.map, known.surroundings.costmap
        assert grid is not None and costmap is not None
        (top, left), (bottom, right) = grid.cell_of(x0, y0), grid.cell_of(x1, y1)
        for one, take in ((grid, known.take_map), (costmap, known.take_costmap)):
            cells = one.cells.copy()
            cells[top:bottom, left:right] = -1
            take(replace(one, cells=cells))

    def goal(self, x: float, y: float, yaw: float | None = None, **more: Any) -> Scene:
        return self.scene(GoalPose(x, y, yaw), goal=Pose2D(x, y, yaw or 0.0), **more)

    def turn(self, turn_rad: float, robot: Pose2D = ROBOT) -> Scene:
        return self.scene(Turn(robot, turn_rad), robot,
                          goal=Pose2D(robot.x, robot.y, robot.yaw + turn_rad))

    def way(self, *points: tuple[float, float], goal: Pose2D | None = None,
            status: NavStatus = NavStatus.SUCCEEDED, code: int = 0, robot: Pose2D = ROBOT,
            **more: Any) -> Scene:
        """Return a path from the robot over some points, with points between."""
        past_stall, start = more.pop('past_stall', False), more.pop('start', (robot.x, robot.y))
        corners = [start, *points]
        fine = np.concatenate([np.linspace(a, b, 30)[:-1] for a, b in zip(
            corners, corners[1:], strict=False)] + [np.array(corners[-1:])]) if points else (
                np.zeros((0, 2)))
        end = goal or Pose2D(*corners[-1], 0.0)
        return self.scene(Path(end, PathAnswered('path-1', status, code, fine), past_stall,
                               robot.distance_to(*start)), robot,
                          goal=end, path=corners if points else (), **more)


def _named(x: float, y: float) -> Scene:
    """Return an act by which a model names a pose, after a look that grounded a mug."""
    pose = Pose2D(x, y, 0.0)
    proposal = Proposal(
        'h', Hypothesis('step', Source.MODEL, canonical(
            'approach', navigation_goal=NavigationGoal('map', x, y, 0.0)), meta()), 0, ROBOT, None,
        '', (Grounded(MUG, (0.05, 0.05, 0.05), 2.2, False, 0.1,
                  COVARIANCE),), 'camera', 0.0)
    return _Maker().scene(Approach(proposal), goal=pose, points=[MUG[:2]])


def _seen(x: float, y: float) -> Scene:
    """Return an act towards a sighting, where the mug was rejected before."""
    seen = Grounded((x, y, 0.8), (0.05, 0.05, 0.05), 2.2, False, 0.1, COVARIANCE)
    proposal = Proposal('h', Hypothesis('step', Source.MODEL, canonical(
        'approach', seen='visible', target_box=(0.0, 0.0, 10.0, 10.0)), meta()), 0, ROBOT, seen,
        '', (), 'camera', 0.0)
    return _Maker().scene(Approach(proposal), goal=Pose2D(x, y, 0.0),
                          points=[MUG[:2]], findings=Findings(doubts=(
                              Doubt('track-1', MUG, 2, None),)))


def _failed_at(pose: Pose2D) -> Scene:
    visit = VisitPose('place-1', BEYOND)
    made = _Maker().scene(visit, goal=BEYOND, points=[(pose.x, pose.y)])
    attempts = Attempts(failures=(Failure(made.situation.now.steady_ns, pose),))
    return replace(made, situation=replace(made.situation, attempts=attempts))


def _stalled(times: int, *points: tuple[float, float], past_stall: bool = False) -> Scene:
    made = _Maker().way(*points, points=[(4.4, 4.5)], past_stall=past_stall)
    costmap = made.situation.surroundings.costmap
    assert costmap is not None
    stall = Stall(4.4, 4.5, open_m2(costmap, 4.4, 4.5))
    failure = Failure(made.situation.now.steady_ns, BEYOND, blame=Blame.PLACE, stall=stall)
    return replace(made, situation=replace(
        made.situation, attempts=Attempts(failures=(failure,) * times)))


def _blocked(found: int, of: type) -> Scene:
    part = UnreachedPart(BEYOND, 6.0, 5.0, Blockage((4.9, 3.0), ()))
    subject: Subject = (StandOffs((6.5, 3.0), 0.9, found, part) if of is StandOffs
                        else Views(found, (part,)))
    return _Maker(blocks=WALL).scene(subject, goal=BEYOND, points=[(4.9, 3.0)])


def cases() -> dict[str, Case]:
    """Return the cases by the names of the functions of the checks."""
    free, closed = _Maker(), _Maker(blocks=[], zones=(NURSERY,))
    dark = _Maker(unknown=(5.5, 0.1, 7.9, 5.9))
    long = _Maker(config={'footprint': LONG})
    long_dark = _Maker(unknown=(5.5, 0.1, 7.9, 5.9), config={'footprint': LONG})
    corridor = _Maker(blocks=CORRIDOR, config={'footprint': LONG})
    over, under = [(3.5, 4.6), (5.5, 4.6), (6.5, 3.0)], [(3.5, 1.4), (5.5, 1.4), (6.5, 3.0)]
    return {
        'ungrounded_pose': Case(_named(2.0, 5.0), _named(3.3, 3.0)),
        'doubted_target': Case(_seen(4.3, 3.1), _seen(6.5, 4.5)),
        'blocked_robot': Case(_Maker(blocks=[Block((1.2, 2.8), (2.2, 3.8))]).scene(PLANNED),
                              free.scene(PLANNED)),
        'goal_outside': Case(free.goal(8.4, 3.0), free.goal(7.0, 3.0)),
        'goal_unseen': Case(dark.goal(6.5, 3.0), dark.goal(4.4, 4.5)),
        'closed_goal': Case(closed.goal(4.5, 3.0), closed.goal(6.5, 3.0)),
        'goal_blocked': Case(free.goal(3.8, 3.0), free.goal(3.3, 3.0)),
        'goal_unreachable': Case(_Maker(blocks=WALL).goal(6.5, 3.0), free.goal(6.5, 3.0)),
        'goal_too_far': Case(_Maker(config={'way_max_m': 3.0}).goal(6.5, 3.0),
                             _Maker(config={'way_max_m': 3.0}).goal(3.3, 3.0)),
        'body_blocked': Case(long.goal(3.5, 3.0, 0.0), long.goal(3.5, 3.0, 1.57)),
        'body_unseen': Case(long_dark.goal(5.1, 4.5, 0.0), long_dark.goal(5.1, 4.5, 1.57)),
        'closed_turn': Case(closed.turn(1.0, Pose2D(4.5, 3.0, 0.0)), closed.turn(1.0)),
        'no_room_to_turn': Case(corridor.turn(1.57), long.turn(1.57)),
        'failed_visit': Case(_failed_at(Pose2D(6.4, 3.1, 0.0)), _failed_at(Pose2D(3.0, 5.0, 0.0))),
        'target_outside': Case(
            free.scene(Target(10.4, 3.0), goal=Pose2D(10.4, 3.0, 0.0)),
            free.scene(Target(8.3, 3.0), goal=Pose2D(8.3, 3.0, 0.0))),
        'out_of_picture': Case(
            free.scene(InPicture(MUG[:2], 2.6, 3.0, 6.0), goal=Pose2D(*MUG[:2], 0.0)),
            free.scene(InPicture(MUG[:2], 0.8, 0.4, 6.0), goal=Pose2D(*MUG[:2], 0.0))),
        'blocked_stand_off': Case(_blocked(0, StandOffs), _blocked(1, StandOffs)),
        'no_stand_off': Case(
            _Maker(blocks=WALL).scene(StandOffs((6.5, 3.0), 0.9, 0), goal=BEYOND),
            free.scene(StandOffs(MUG[:2], 0.9, 3), goal=Pose2D(*MUG[:2], 0.0))),
        'blocked_view': Case(_blocked(0, Views), _blocked(1, Views)),
        'closed_way': Case(
            closed.scene(UnderWay(frozenset()), Pose2D(3.6, 3.0, 0.0)),
            closed.scene(UnderWay(frozenset({NURSERY.words})), Pose2D(3.6, 3.0, 3.14))),
        'no_way_out': Case(
            _Maker(blocks=[Block((1.2, 2.8), (2.2, 3.8))]).way(
                goal=BEYOND, status=NavStatus.ABORTED, code=205),
            free.way((3.5, 4.6), (5.5, 4.6), (6.5, 3.0))),
        'no_path': Case(_Maker(blocks=WALL).way(goal=BEYOND, status=NavStatus.ABORTED, code=208),
                        free.way(*over)),
        'path_from_elsewhere': Case(free.way(*over, start=(2.0, 4.2)), free.way(*over)),
        'path_beside': Case(free.way(*over[:2], (6.0, 3.6), goal=BEYOND), free.way(*over)),
        'long_path': Case(
            _Maker(config={'way_max_m': 7.0}).way((2.5, 5.5), (6.0, 5.5), (6.5, 3.0)),
            _Maker(config={'way_max_m': 7.0}).way(*over)),
        'no_room_to_set_out': Case(
            corridor.way((6.5, 3.0), robot=Pose2D(2.0, 3.0, 3.14), goal=BEYOND),
            corridor.way((6.5, 3.0), goal=BEYOND)),
        'no_room_on_path': Case(long.way((3.5, 3.55), (5.2, 3.55), (6.5, 3.0)), long.way(*over)),
        'no_room_at_end': Case(
            corridor.way((6.5, 3.0), goal=Pose2D(6.5, 3.0, 1.57)),
            corridor.way((6.5, 3.0), goal=BEYOND)),
        'closed_path': Case(closed.way((6.5, 3.0)),
                            closed.way((3.3, 4.7), (6.2, 4.7), (6.5, 3.0))),
        'stalled_way': Case(_stalled(1, *over), _stalled(1, *under)),
        'stalled_twice': Case(_stalled(2, *over, past_stall=True),
                              _stalled(1, *over, past_stall=True)),
    }


#: From where on the costmap refuses a pose near to something in these rooms, in metres.
TOO_NEAR_M = 0.22 + float(np.log(98 / (INSCRIBED - 18))) / 5.0
