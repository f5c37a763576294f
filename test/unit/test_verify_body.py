"""Robots that are not round: what their body would lie over."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import shapely
from builders import Block, Room, act_request, canonical, meta
from hypothesis import given, settings
from hypothesis import strategies as st
from situations import Known, ListeningPolicy
from strategies import examples
from verifier_rig import TABLE, VerifierRig

from semantic_nav.contracts.documents import Hypothesis
from semantic_nav.contracts.footprint import Footprint
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import UNKNOWN, OccupancyGrid
from semantic_nav.contracts.vocabulary import ActOutcome, Code, NavStatus, Source
from semantic_nav.explore.coverage import GoalCoverage
from semantic_nav.explore.exploration import Exploration
from semantic_nav.explore.policy import NextViews, Search
from semantic_nav.explore.viewpoints import Viewpoint
from semantic_nav.verify.checks.checks import first_rejection
from semantic_nav.verify.checks.plan import Plan
from semantic_nav.verify.checks.situation import Situation
from semantic_nav.verify.checks.subjects import HERE as HERE_NOW
from semantic_nav.verify.checks.subjects import PLANNED, GoalPose, Path, Rejection, Turn
from semantic_nav.verify.driving.back_off import OdometryTrail, back_off_m
from semantic_nav.verify.effects import ClearCostmaps, SendNav, SendSpin
from semantic_nav.verify.events import FootprintAwaited, FootprintHeard, PathAnswered
from semantic_nav.verify.floor.body import Body, filled, headings_along, outline
from semantic_nav.verify.grounding.grounding import Grounded
from semantic_nav.verify.grounding.plausible import plausible
from semantic_nav.verify.planning.planning import plan
from semantic_nav.verify.tracking.findings import Findings, Proposal

CELL_M = 0.05
LONG = Footprint(((0.5, 0.2), (0.5, -0.2), (-0.5, -0.2), (-0.5, 0.2)))
TEXT = '[[0.5, 0.2], [0.5, -0.2], [-0.5, -0.2], [-0.5, 0.2]]'
HERE = Pose2D(2.0, 2.0, 0.0)
#: A wall across the room, north of y = 3.3.
WALL = Block((0.0, 8.0), (3.3, 3.4))


def grid(cells: np.ndarray) -> OccupancyGrid:
    return OccupancyGrid(cells, CELL_M, -1.0, -1.0, 'map', 0)


def body_over(cells: np.ndarray, footprint: Footprint = LONG,
              robot: Pose2D | None = None) -> Body:
    return Body(footprint, grid(np.zeros_like(cells)), grid(cells), robot)


def free() -> np.ndarray:
    return np.zeros((40, 40), np.int8)


def known(robot: Pose2D = HERE, *blocks: Block, **config: Any) -> Known:
    return Known(Room(blocks=list(blocks)), robot, footprint=TEXT, **config)


def code_of(situation: Known, *subjects: Any) -> Code | None:
    rejection = first_rejection(situation.situation, *subjects)
    return rejection.code if rejection is not None else None


@st.composite
def footprints(draw: st.DrawFn) -> Footprint:
    """Draw polygons round base_link, which need not be convex."""
    count = draw(st.integers(3, 7))
    steps = [draw(st.floats(0.3, 1.0)) for _ in range(count)]
    angles = np.cumsum(steps) * math.tau / sum(steps)
    radii = [draw(st.floats(0.08, 0.6)) for _ in range(count)]
    return Footprint(tuple((radius * math.cos(angle), radius * math.sin(angle))
                           for radius, angle in zip(radii, angles.tolist(), strict=True)))


POSES = st.builds(Pose2D, st.floats(-0.3, 0.3), st.floats(-0.3, 0.3), st.floats(-4.0, 4.0))


@settings(max_examples=examples(300), deadline=None)
@given(footprint=footprints(), pose=POSES, seed=st.integers(0, 999))
def test_body_misses_no_occupied_cell_that_it_covers(footprint: Footprint, pose: Pose2D,
                                                     seed: int) -> None:
    cells = free()
    rng = np.random.default_rng(seed)
    cells[tuple(rng.integers(0, 40, (2, int(rng.integers(1, 12)))))] = 100
    met = body_over(cells, footprint).met_at(pose)
    cos, sin = math.cos(pose.yaw), math.sin(pose.yaw)
    polygon = shapely.Polygon([(pose.x + cos * x - sin * y, pose.y + sin * x + cos * y)
                               for x, y in footprint.corners])
    rows, columns = np.nonzero(cells)
    x, y = (columns + 0.5) * CELL_M - 1.0, (rows + 0.5) * CELL_M - 1.0
    covered = shapely.contains_xy(polygon, x, y)
    touched = shapely.intersects(
        polygon.buffer(1e-9), shapely.box(x - CELL_M / 2, y - CELL_M / 2, x + CELL_M / 2,
                                          y + CELL_M / 2))
    assert (met is not None) >= covered.any(), 'it misses none'
    assert (met is not None) <= touched.any(), 'it makes none up'


@settings(max_examples=examples(100), deadline=None)
@given(footprint=footprints(), apart_m=st.floats(0.01, 0.1))
def test_samples_lie_within_and_close_together(footprint: Footprint, apart_m: float) -> None:
    polygon = shapely.Polygon(footprint.corners)
    points = filled(footprint, apart_m)
    assert shapely.distance(polygon, shapely.points(points)).max() < 1e-9
    around = np.concatenate([ring := outline(footprint, apart_m), ring[:1]])
    assert np.hypot(*np.diff(around, axis=0).T).max() <= apart_m + 1e-9


@pytest.mark.parametrize(('value', 'code'), [
    (100, Code.COLLISION_DETECTED), (99, None), (UNKNOWN, Code.UNKNOWN_SPACE)])
def test_cell_under_a_corner(value: int, code: Code | None) -> None:
    cells = free()
    cells[23, 28] = value   # its middle is at (0.425, 0.175)
    body = body_over(cells)
    met = body.met_at(Pose2D(0.0, 0.0, 0.0))
    assert (met.code if met is not None else None) is code
    if met is not None:
        assert (met.x, met.y) == pytest.approx((0.425, 0.175), abs=CELL_M / 2 + 1e-9)
        assert f'({met.x:.2f}, {met.y:.2f})' in met.words
    assert body.met_at(Pose2D(0.0, 0.0, math.pi / 2)) is None, 'at another heading it is beside'


def test_something_in_the_map_alone_counts_and_comes_before_the_unknown() -> None:
    cells, unknown = free(), free()
    cells[20, 22], unknown[20, 18] = 70, UNKNOWN
    met = Body(LONG, grid(cells), grid(unknown)).met_at(Pose2D(0.0, 0.0, 0.0))
    assert met is not None and met.code is Code.COLLISION_DETECTED


def test_beyond_the_grid_nothing_is_known() -> None:
    met = body_over(free()).met_at(Pose2D(0.8, 0.0, 0.0))
    assert met is not None and met.code is Code.UNKNOWN_SPACE and met.x > 1.0


def test_turn_meets_what_lies_between_its_headings() -> None:
    cells = free()
    cells[29, 20] = 100     # ahead of the side, 0.47 m away
    here = Pose2D(0.0, 0.0, 0.0)
    body = body_over(cells, robot=here)
    assert body.met_at(here) is None and body.met_at(Pose2D(0.0, 0.0, 2.6)) is None
    assert body.met_turning(here, 2.6) is not None
    assert body.met_turning(here, -0.5) is None and body.met_turning(here, 0.0) is None
    window = slice(18, 23), slice(10, 40)
    room = body.room_in(window)
    assert room.shape == (5, 30) and not room[2, 10] and room[2, 22]


def test_what_lies_under_the_robot_now_it_leaves_behind() -> None:
    cells = free()
    cells[20, 29] = UNKNOWN     # under its front
    here, body = Pose2D(0.0, 0.0, 0.0), body_over(cells, robot=Pose2D(0.0, 0.0, 0.0))
    ahead = np.array([(0.0, 0.0), (0.4, 0.0)])
    assert body.met_along(ahead) is None and body.met_turning(here, 1.0) is None
    assert body.met_passing(here) is None
    assert body_over(cells, robot=Pose2D(-0.2, 0.0, 0.0)).met_along(ahead) is not None
    assert body.met_at(here) is not None, 'a goal is to be free'


def test_path_is_followed_with_its_headings() -> None:
    points = np.array([(0.0, 0.0), (0.5, 0.0), (0.5, 0.5)])
    body = body_over(free())
    headings = headings_along(body._close_together(points))  # noqa: SLF001
    assert headings[0] == 0.0 and headings[-1] == pytest.approx(math.pi / 2)
    assert (np.diff(headings) >= -1e-9).all() and np.diff(headings).max() < 0.6


def test_path_on_which_a_corner_is_cut_is_met_with_few_points_too() -> None:
    cells = free()
    cells[26, 20] = 100     # 0.32 m beside the path
    body = body_over(cells, robot=Pose2D(-0.5, 0.0, 0.0))
    straight, bent = np.array([(-0.5, 0.0), (0.4, 0.0)]), np.array([(-0.5, 0.0), (0.0, 0.0),
                                                                     (0.0, 0.3)])
    assert body.met_along(straight) is None
    assert body.met_along(bent) is not None
    assert body.met_along(np.zeros((0, 2))) is None and body.met_along(straight[:1]) is None
    far = body.met_along(np.array([(0.0, 0.0), (1e9, 0.0)]))
    assert far is not None and far.code is Code.UNKNOWN_SPACE


# Checks

def test_goal_is_checked_at_its_heading() -> None:
    beside = known(Pose2D(2.0, 2.0, 0.0), WALL)
    assert code_of(beside, GoalPose(4.0, 2.95, 0.0)) is None, 'along the wall'
    assert code_of(beside, GoalPose(4.0, 2.95, math.pi / 2)) is Code.COLLISION_DETECTED
    assert code_of(beside, GoalPose(4.0, 2.95)) is None, 'at some heading it fits'
    round_ = Known(Room(blocks=[WALL]), Pose2D(2.0, 2.0, 0.0))
    assert code_of(round_, GoalPose(4.0, 2.95, math.pi / 2)) is None
    assert round_.situation.body is None


def test_goal_over_unseen_floor_is_refused() -> None:
    seen = known()
    unseen = seen.room.map(seen.clock.now.clock_ns)
    unseen.cells[40, 88] = UNKNOWN
    seen.take_map(unseen)
    assert code_of(seen, GoalPose(4.0, 2.0, 0.0)) is Code.UNKNOWN_SPACE
    assert code_of(seen, GoalPose(4.0, 2.0, math.pi / 2)) is None


def test_turn_without_room_is_refused_and_the_robot_may_get_free() -> None:
    here = Pose2D(4.0, 2.95, 0.0)
    refusal = first_rejection(known(here, WALL).situation, Turn(here, 1.0))
    assert refusal is not None and refusal.code is Code.COLLISION_DETECTED
    assert refusal.wedged and refusal.cramped
    assert code_of(known(here, WALL), Turn(here, 0.05)) is None


def path(*points: tuple[float, float]) -> PathAnswered:
    return PathAnswered('path-1', NavStatus.SUCCEEDED, 0, np.array(points))


@pytest.mark.parametrize(('robot', 'points', 'yaw', 'code', 'words'), [
    (Pose2D(2.0, 2.0, 0.0), ((2.0, 2.0), (4.0, 2.0)), 0.0, None, ''),
    (Pose2D(2.0, 2.95, 0.0), ((2.0, 2.95), (4.0, 2.95)), 0.0, None, ''),
    (Pose2D(2.0, 2.0, 0.0), ((2.0, 2.0), (3.0, 2.0), (3.0, 2.95), (4.0, 2.95)), 0.0,
     Code.PATH_INVALID, 'on the path'),
    (Pose2D(2.0, 2.95, 0.0), ((2.0, 2.95), (2.0, 2.0)), -math.pi / 2, Code.COLLISION_DETECTED,
     'no room to turn'),
    (Pose2D(2.0, 2.95, 0.0), ((2.0, 2.95), (4.0, 2.95)), math.pi, Code.PATH_INVALID,
     'no room to turn from its path'),
    (Pose2D(2.0, 2.95, 0.0), ((2.0, 2.95),), math.pi, Code.PATH_INVALID, 'no room'),
    # There is room at the goal, but not where Nav2 may begin to turn.
    (Pose2D(2.0, 2.6, 0.0), ((2.0, 2.6), (3.0, 2.85), (3.1, 2.84), (3.3, 2.7)), math.pi / 2,
     Code.PATH_INVALID, 'at (3.10, 2.84) the robot has no room to turn'),
    # The goal has room to turn round, for the robot comes out again; so must this have.
    (Pose2D(2.0, 2.79, 0.0), ((2.0, 2.79), (3.08, 2.79), (3.2, 2.7)), -0.6,
     Code.PATH_INVALID, 'at (3.08, 2.79) the robot has no room to turn'),
])
def test_path_is_checked_with_the_body(robot: Pose2D, points: Any, yaw: float,
                                       code: Code | None, words: str) -> None:
    goal = Pose2D(*points[-1], yaw)
    refusal = first_rejection(known(robot, WALL).situation, Path(goal, path(*points)))
    assert (refusal.code if refusal is not None else None) is code
    assert refusal is None or words in refusal.reason


def test_heading_of_a_path_to_the_west_turns_the_shorter_way() -> None:
    points = path((4.0, 2.95), (3.5, 2.951), (3.0, 2.949), (2.5, 2.95)).points
    headings = headings_along(points)
    assert headings.max() > 3.0 and headings.min() < -3.0
    assert known(HERE, WALL).situation.on_path.met_along(points) is None


def test_robot_may_stand_at_some_heading() -> None:
    narrow = known(HERE, Block((3.7, 3.75), (0.0, 6.0)), Block((4.25, 4.3), (0.0, 6.0)))
    body = narrow.situation.body
    assert body is not None and body.met_at(Pose2D(4.0, 3.0, 0.0)) is not None
    assert body.met_at_any_heading(4.0, 3.0) is None
    closer = known(HERE, Block((3.8, 3.85), (0.0, 6.0)), Block((4.15, 4.2), (0.0, 6.0))).situation
    assert closer.body is not None and closer.body.met_at_any_heading(4.0, 3.0) is not None


def test_stand_off_where_the_robot_can_turn_is_taken_before_a_nearer_one() -> None:
    rig = VerifierRig(footprint=TEXT, stand_off_best_m=0.65)
    hypothesis_id, _ = rig.see_mug()
    rig.act(hypothesis_id)
    assert Body(LONG, rig.map, rig.costmap).has_room(rig.asked.goal)
    assert rig.asked.goal.distance_to(4.2, 3.0) > rig.config.stand_off_best_m
    narrow = VerifierRig(Room(blocks=[TABLE, Block((2.0, 4.0), (3.5, 3.55)),
                                      Block((2.0, 4.0), (2.45, 2.5))]), footprint=TEXT)
    hypothesis_id, _ = narrow.see_mug()
    narrow.act(hypothesis_id)
    assert not Body(LONG, narrow.map, narrow.costmap).has_room(narrow.asked.goal), 'if need be'


def approached(situation: Situation) -> Plan | Rejection:
    """Return what it comes to where the robot sees a mug on the table from where it is."""
    mug = Grounded((4.4, 3.0, 0.81), (0.02, 0.02, 0.02), 0.7, False, 0.1,
                   (1e-4, 0.0, 0.0, 0.0, 1e-4, 0.0, 0.0, 0.0, 1e-4))
    proposal = Proposal('h', Hypothesis('s', Source.MODEL, canonical(
        'approach', seen='visible', target_box=(450.0, 450.0, 550.0, 550.0)),
                                        meta()),
                        situation.now.clock_ns, situation.robot, mug, '', (mug,))
    return plan(act_request('h'), replace(situation, findings=Findings(
        proposals={'h': proposal})))


def test_robot_without_room_to_face_its_target_takes_a_farther_stand_off() -> None:
    rings = {'stand_off_near_m': 0.5, 'stand_off_best_m': 0.55, 'stand_off_far_m': 0.65}
    short = '[[0.25, 0.2], [0.25, -0.2], [-0.25, -0.2], [-0.25, 0.2]]'
    for yaw, last_m, turns in (
            (math.pi / 2, 1.1, False), (0.0, 1.1, True), (math.pi / 2, 0.67, True)):
        beside = Known(Room(blocks=[TABLE]), Pose2D(3.74, 3.0, yaw), footprint=short,
                       stand_off_last_m=last_m, **rings)
        planned = approached(beside.situation)
        assert isinstance(planned, Plan) and (planned.turn_rad is not None) is turns
        assert turns or planned.goals[0].distance_to(4.4, 3.0) <= last_m
        refusal = first_rejection(beside.situation, Turn(beside.situation.robot, -yaw))
        assert (refusal is not None) is (yaw > 0.0), 'and gets free, if it can do nothing else'


def explored(situation: Situation, policy: Any) -> Plan | Rejection:
    """Return what it comes to where a model wants to explore, and a policy knows where."""
    proposal = Proposal('h', Hypothesis('s', Source.MODEL, canonical('explore'), meta()),
                        situation.now.clock_ns, HERE, None, '', ())
    assert situation.surroundings.map is not None
    return plan(act_request('h'), replace(
        situation, exploration=Exploration.begin(policy), findings=Findings(
            GoalCoverage.none(situation.surroundings.map), {'h': proposal})))


def test_views_are_looked_for_where_the_robot_can_turn() -> None:
    situation = known(HERE, Block((3.15, 3.2), (2.4, 2.45))).situation
    body = situation.body
    assert body is not None and body.met_at(Pose2D(3.175, 2.0, 0.0)) is None
    assert not body.has_room(Pose2D(3.175, 2.0, 0.0)) and body.has_room(HERE)
    assert not body.has_room(Pose2D(-5.0, 0.0, 0.0))
    listening = ListeningPolicy()
    explored(situation, listening)
    may_stand = listening.searches[0].may_stand
    assert may_stand(HERE) and not may_stand(Pose2D(3.175, 2.0, 0.0))


@dataclass(frozen=True)
class KnownViews:
    """An exploration policy that always knows the same views."""

    views: tuple[Viewpoint, ...]

    def next_views(self, search: Search) -> NextViews:
        del search
        return NextViews(self.views, self)


def test_cramped_robot_looks_from_elsewhere_rather_than_turn() -> None:
    here = Pose2D(4.0, 2.95, 0.0)
    turn = Viewpoint(Pose2D(4.0, 2.9, 2.0), 3.0, 0.1, 9.0)
    away = Viewpoint(Pose2D(6.0, 2.0, 0.0), 2.0, 2.5, 1.0)
    for robot, block, views, turns in (
            (here, WALL, (turn, away), False), (here, WALL, (turn,), True),
            (here, Block((0.5, 0.6), (0.5, 0.6)), (turn, away), True)):
        planned = explored(known(robot, block).situation, KnownViews(views))
        assert isinstance(planned, Plan) and (planned.turn_rad is not None) is turns
        assert turns or planned.goals[0] == away.pose


def test_cramped_robot_turns_to_where_it_has_room() -> None:
    situation = known(Pose2D(4.0, 2.95, 0.0), WALL).situation
    without_room, with_room, through_wall = (
        Viewpoint(Pose2D(4.0, 2.9, yaw), 3.0, 0.1, score)
        for yaw, score in ((2.0, 9.0), (-0.15, 5.0), (1.5, 7.0)))
    planned = explored(situation, KnownViews((without_room, with_room)))
    assert isinstance(planned, Plan) and planned.turn_rad == pytest.approx(-0.15)
    planned = explored(situation, KnownViews((without_room, through_wall)))
    assert isinstance(planned, Plan) and planned.turn_rad == pytest.approx(2.0), 'it gets free'


def test_way_back_is_free_for_the_whole_body() -> None:
    robot = Pose2D(4.0, 2.0, 0.0)
    behind = Block((2.9, 3.0), (2.1, 2.15))
    clear, blocked = known(robot), known(robot, behind)
    assert back_off_m(clear.situation, OdometryTrail()) == pytest.approx(0.4)
    assert back_off_m(blocked.situation, OdometryTrail()) == pytest.approx(0.4)
    nearer = known(robot, Block((3.3, 3.35), (2.1, 2.15)))
    assert back_off_m(nearer.situation, OdometryTrail()) is None


# What Nav2 tells

def test_outline_that_nav2_tells_counts_instead_of_the_parameter() -> None:
    told = known(HERE, WALL)
    beside = GoalPose(4.0, 2.95, math.pi / 2)
    assert code_of(told, beside) is Code.COLLISION_DETECTED
    square = ((0.2, 0.2), (0.2, -0.2), (-0.2, -0.2), (-0.2, 0.2))
    told.surroundings = told.surroundings.after(FootprintHeard(square), told.clock.now)
    assert code_of(told, beside) is None


def test_nothing_begins_before_an_outline_has_come_that_is_to_come() -> None:
    waits = Known()
    for event, code in ((FootprintAwaited(), Code.MAP_UNAVAILABLE),
                        (FootprintHeard(LONG.corners), None),
                        (FootprintAwaited(), Code.MAP_UNAVAILABLE)):
        waits.surroundings = waits.surroundings.after(event, waits.clock.now)
        assert code_of(waits, HERE_NOW, PLANNED) is code
    assert code_of(known(), HERE_NOW, PLANNED) is None, 'the parameter holds until then'


@pytest.mark.parametrize('corners', [
    (), ((0.0, 0.0), (1.0, 0.0)), ((0.0, 0.0), (math.nan, 0.0), (0.0, 1.0)),
    ((0.0, 0.0), (1.0, 0.0), (2.0, 0.0)), ((0.0, 0.0), (1e9, 0.0), (0.0, 1.0))])
def test_outline_that_cannot_be_true_is_none(corners: Any) -> None:
    assert plausible(FootprintHeard(corners)) == FootprintAwaited()
    assert plausible(FootprintHeard(LONG.corners)) == FootprintHeard(LONG.corners)


# The driver

def test_turn_without_room_backs_off_first() -> None:
    rig = VerifierRig(Room(blocks=[Block((0.0, 8.0), (3.4, 3.5))]), Pose2D(3.0, 3.05, 0.0),
                      footprint=TEXT)
    rig.try_(canonical('rotate', rotate_rad=1.5))
    assert any(isinstance(one, ClearCostmaps) for one in rig.out)
    assert not any(isinstance(one, (SendSpin, SendNav)) for one in rig.out)


def test_robot_without_room_to_face_its_target_has_arrived() -> None:
    rig = VerifierRig(footprint=TEXT, stand_off_near_m=0.8, stand_off_best_m=1.0,
                      stand_off_far_m=1.05, stand_off_last_m=1.2)
    rig.approach_mug()
    goal = rig.sent.goal
    rig.drive(Pose2D(goal.x, goal.y, math.pi / 2))
    rig.room.blocks.append(Block((goal.x + 0.3, goal.x + 0.35), (goal.y - 0.6, goal.y + 0.6)))
    rig.hear_maps()
    rig.finish()
    rig.stand()
    assert rig.result is not None and rig.result.outcome is ActOutcome.ARRIVED
