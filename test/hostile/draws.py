"""What the hostile run draws: worlds, and in each of them things that a model might propose.

Everything follows from a seed and a number.
"""

import math
import random
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from builders import Block, Room, base_T_CAMERA, canonical, inflated, project
from numpy.typing import NDArray
from second_checker import (
    Cells,
    Corners,
    Facts,
    Lens,
    Opinion,
    Point3,
    SecondChecker,
    at_most,
    one_voice,
)

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.documents import Candidate
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.hypothesis import (
    Box,
    CanonicalHypothesis,
    NavigationGoal,
    Scene,
    SceneObject,
)
from semantic_nav.contracts.vocabulary import Source
from semantic_nav.verify.config import VerifierConfig

#: So many hypotheses share a world.
PER_WORLD = 40
#: Draws of one hypothesis until the checker has an opinion of it.
_TRIES = 60
CAMERA = Intrinsics(64, 48, 48.0, 48.0, 32.0, 24.0)
HALF_ANGLE_RAD = math.atan2(CAMERA.width_px / 2, CAMERA.fx)
LENS = Lens(base_T_CAMERA.translation[2], base_T_CAMERA.translation[0],
            (CAMERA.cy + 0.5) / CAMERA.fy, (CAMERA.height_px - 0.5 - CAMERA.cy) / CAMERA.fy,
            0.05 * CAMERA.width_px / CAMERA.fy)
#: How far what the verifier grounds may lie from where the checker holds it to be, in metres.
SLACK_M = 0.1
FOOTPRINTS: tuple[Corners | None, ...] = (
    None, None, None,
    ((0.35, 0.25), (-0.35, 0.25), (-0.35, -0.25), (0.35, -0.25)),
    ((0.25, 0.2), (-0.25, 0.2), (-0.25, -0.2), (0.25, -0.2)),
    ((0.45, 0.0), (0.2, 0.3), (-0.3, 0.3), (-0.3, -0.3), (0.2, -0.3)))
HAZARDS = ('stale picture', 'picture of the future', 'old pose', 'old costmap', 'held',
           'empty battery', 'uncertain', 'silent depth', 'silent scan')
LATE_HAZARDS = ('late path', 'held meanwhile', 'pose lost meanwhile')
ANSWERS = ('straight',) * 12 + ('bent', 'bent', 'aborted', 'beside', 'empty',
           'unavailable', 'timeout', 'rejected')


@dataclass
class World:
    """A room, what is known of it, and a robot in it.

    Attributes:
        things: that stand in it and in no map.
        map, costmap: as published, but for their stamps.
    """

    config: VerifierConfig
    room: Room
    things: list[Block]
    map: OccupancyGrid
    costmap: OccupancyGrid
    closed: tuple[Corners, ...]
    footprint: Corners | None
    robot: Pose2D

    @cached_property
    def checker(self) -> SecondChecker:
        """The checker of this world."""
        return SecondChecker(Facts(
            self.config, _cells(self.map), _cells(self.costmap), self.closed,
            self.config.keepout_margin_m, self.footprint, self.robot, LENS))

    @cached_property
    def map_T_camera(self) -> Transform:  # noqa: N802
        """Where the camera is."""
        return Transform.from_pose(self.robot) @ base_T_CAMERA

    @cached_property
    def depth_mm(self) -> NDArray[np.uint16]:
        """What it measures."""
        return self.room.depth(self.map_T_camera, CAMERA, self.things)

    @cached_property
    def points(self) -> list[list[Point3 | None]]:
        """Where each pixel is, row by row; None where none is measured."""
        rows = self.map_T_camera.matrix.tolist()
        return [[_placed(rows, u, v, depth / 1000.0) if depth else None
                 for u, depth in enumerate(line)]
                for v, line in enumerate(self.depth_mm.tolist())]


def _placed(rows: list[list[float]], u: int, v: int, depth_m: float) -> Point3:
    at = ((u - CAMERA.cx) / CAMERA.fx * depth_m, (v - CAMERA.cy) / CAMERA.fy * depth_m, depth_m)
    x, y, z = (sum(row[axis] * at[axis] for axis in range(3)) + row[3] for row in rows[:3])
    return x, y, z


def _cells(grid: OccupancyGrid) -> Cells:
    return Cells(grid.cells.tolist(), grid.resolution_m, (grid.origin_x_m, grid.origin_y_m))


def draw_world(seed: int, number: int) -> World:
    """Return the world of a hypothesis."""
    rng = random.Random(f'world {seed} {number // PER_WORLD}')
    width_m, depth_m = rng.randint(30, 70) / 10, rng.randint(30, 60) / 10
    blocks = [_block(rng, width_m, depth_m) for _ in range(rng.randint(0, 4))]
    if rng.random() < 0.3:
        # A wall across: what lies behind it is out of reach, or to be reached past its end.
        at = rng.randint(10, round(width_m * 10) - 10) / 10
        end = rng.choice((depth_m, depth_m - 1))
        blocks.append(Block((at, at + 0.1), (0.0, end)))
    room = Room(width_m, depth_m, blocks, resolution_m=0.1)
    things = [_thing(rng, room) for _ in range(rng.randint(2, 5))]
    grid = room.map()
    costmap = inflated(Room(width_m, depth_m, [*blocks, *(
        _block(rng, width_m, depth_m) for _ in range(rng.randint(0, 1)))],
        resolution_m=0.1).map())
    for _ in range(rng.choice((0, 0, 1, 2))):
        _forget(rng, rng.choice(((grid,), (costmap,), (grid, costmap))))
    if rng.random() < 0.2:
        costmap = _cropped(rng, costmap)
    footprint = rng.choice(FOOTPRINTS)
    config = VerifierConfig(
        path_tries=rng.choice((1, 3)), clear_cost=rng.choice((80, 80, 50)),
        way_max_m=rng.choice((100.0, 100.0, 3.2123)),
        footprint='' if footprint is None else str([list(one) for one in footprint]))
    closed = tuple(_polygon(rng, width_m, depth_m) for _ in range(rng.choice((0, 0, 1, 2))))
    world = World(config, room, things, grid, costmap, closed, footprint,
                  Pose2D(1.0, 1.0, 0.0))
    return replace(world, robot=_robot(rng, world))


def _block(rng: random.Random, width_m: float, depth_m: float) -> Block:
    x, y = (rng.randint(0, round(length_m * 10) - 4) / 10 for length_m in (width_m, depth_m))
    return Block((x, x + rng.randint(2, 15) / 10), (y, y + rng.randint(2, 15) / 10),
                 (0.0, rng.choice((0.4, 0.75, 1.2, 2.5))))


def _thing(rng: random.Random, room: Room) -> Block:
    """Return something small: on a piece of furniture, on the floor, or high up."""
    below = rng.choice([None, *room.blocks])
    x, y = ((rng.uniform(0.2, room.width_m - 0.2), rng.uniform(0.2, room.depth_m - 0.2))
            if below is None else (rng.uniform(*below.x), rng.uniform(*below.y)))
    z = rng.choice((0.0, 0.5, 0.75, 1.0, 1.4)) if below is None else below.z[1]
    half_m, height_m = rng.uniform(0.1, 0.2), rng.uniform(0.2, 0.4)
    return Block((x - half_m, x + half_m), (y - half_m, y + half_m), (z, z + height_m))


def _forget(rng: random.Random, grids: tuple[OccupancyGrid, ...]) -> None:
    rows, columns = grids[0].shape
    row, column = rng.randrange(rows), rng.randrange(columns)
    down, right = rng.randint(3, 20), rng.randint(3, 20)
    for grid in grids:
        grid.cells[row:row + down, column:column + right] = -1


def _cropped(rng: random.Random, grid: OccupancyGrid) -> OccupancyGrid:
    rows, columns = grid.shape
    top, left = rng.randint(0, rows // 4), rng.randint(0, columns // 4)
    return replace(grid, cells=grid.cells[top:rows - rng.randint(0, rows // 4), left:].copy(),
                   origin_x_m=left * grid.resolution_m, origin_y_m=top * grid.resolution_m)


def _polygon(rng: random.Random, width_m: float, depth_m: float) -> Corners:
    x, y = rng.uniform(0, width_m), rng.uniform(0, depth_m)
    count, turn = rng.randint(3, 6), rng.uniform(0, math.tau)
    return tuple((x + reach * math.cos(turn + math.tau * index / count),
                  y + reach * math.sin(turn + math.tau * index / count))
                 for index, reach in ((one, rng.uniform(0.2, 1.3)) for one in range(count)))


def _robot(rng: random.Random, world: World) -> Pose2D:
    """Return where it stands: mostly where it may, at times too near to something or in it."""
    wanted = rng.choice(('clear',) * 7 + ('tight', 'tight', 'any'))
    for _ in range(300):
        pose = Pose2D(rng.uniform(0.1, world.room.width_m - 0.1),
                      rng.uniform(0.1, world.room.depth_m - 0.1), rng.uniform(-3.1, 3.1))
        cost, value = (grid.value_at(pose.x, pose.y) for grid in (world.costmap, world.map))
        if rng.random() < 0.7:
            thing = rng.choice(world.things)
            pose = replace(pose, yaw=math.atan2(thing.y[0] - pose.y, thing.x[0] - pose.x)
                           + rng.uniform(-0.4, 0.4))
        if wanted == 'any' or (cost is not None and value == 0 and (
                0 <= cost <= 40 if wanted == 'clear' else 60 <= cost < 99)):
            return pose
    return Pose2D(world.room.width_m / 2 + 0.013, world.room.depth_m / 2 + 0.017, 0.3)


# Hypotheses

@dataclass
class Case:
    """One hypothesis, how its act comes about, and what is to come of it.

    Attributes:
        act_names: the hypothesis, or an id that names none of this goal.
        opinion: whether the act is to set out, if its path is free.
        answer: how the planner answers.
        hazard: what is wrong at the moment of the act; empty for nothing.
        late_hazard: what goes wrong between question and answer of the planner.
        target: where the checker holds the target to be; None where it does not say.
    """

    kind: str
    proposal: CanonicalHypothesis
    opinion: Opinion
    source: Source = Source.MODEL
    nodes: tuple[Candidate, ...] = ()
    act_names: str = 'this'
    answer: str = 'straight'
    hazard: str = ''
    late_hazard: str = ''
    sees_nothing: bool = False
    target: Point3 | None = None
    draws: int = 1
    extra: dict[str, Any] = field(default_factory=dict)


def draw_case(world: World, seed: int, number: int, hazard: str = '') -> Case:
    """Return a hypothesis of which the checker has an opinion.

    Args:
        world: where it is made.
        seed, number: what it is drawn by.
        hazard: one that is to befall each that would be taken; empty for any, or none.
    """
    rng = random.Random(f'case {seed} {number}')
    for count in range(1, _TRIES + 1):
        case = _KINDS[rng.choice(_WEIGHTED)](rng, world)
        if case is None or case.opinion is None:
            continue
        case.draws = count
        case.source = rng.choice((Source.MODEL, Source.MODEL, Source.FALLBACK))
        case.answer = rng.choice(ANSWERS)
        case.extra['path_seed'] = rng.random()
        if rng.random() < 0.1 or hazard in HAZARDS:
            case.hazard, case.opinion = rng.choice(HAZARDS), False
            case.hazard = hazard or case.hazard
            case.extra['amount'] = rng.random()
        elif hazard in LATE_HAZARDS:
            case.late_hazard = hazard
        elif rng.random() < 0.05:
            case.act_names, case.opinion = rng.choice(('nothing', 'before', 'track')), False
        elif rng.random() < 0.1:
            case.late_hazard = rng.choice(LATE_HAZARDS)
        return case
    return Case('stop', canonical('stop'), False)


def _approach_box(rng: random.Random, world: World) -> Case | None:
    """A box round one thing, a little off, as a model draws it."""
    seen = _thing_seen(rng, world)
    if seen is None:
        return None
    box, place, size_m = seen
    cut = min(box[:2]) < 8.0 or max(box[2:]) > 992.0
    if any(abs(value - edge) < 1.0 for value in box for edge in (8.0, 992.0)):
        return None
    opinion = world.checker.approach(
        place, size_m, slack_m=SLACK_M, provisional=(True,) if cut else (True, False))
    return _confident(rng, Case('approach, a thing', _proposal(rng, target_box=box), opinion,
                                target=place))


def _approach_anything(rng: random.Random, world: World) -> Case | None:
    """A box anywhere: over several things, over a wall, over nothing."""
    x, y = sorted(rng.uniform(0, 1000) for _ in 'xx'), sorted(rng.uniform(0, 1000) for _ in 'yy')
    box = (x[0], y[0], max(x[1], x[0] + 0.5), max(y[1], y[0] + 0.5))
    if max(box) > 1000.0:
        return None
    found = [point for point in _in_box(world, box, 0.9) if point is not None]
    grounded = _grounded(world, box)
    if grounded is None:
        return None
    opinion: Opinion = False
    if grounded:
        some_of_it = [found[len(found) * index // 5] for index in range(5)]
        mean = tuple(sum(point[axis] for point in found) / len(found) for axis in range(3))
        size_m = math.sqrt((box[2] - box[0]) * (box[3] - box[1])) / 1000.0 * math.sqrt(
            CAMERA.width_px * CAMERA.height_px) / CAMERA.fx
        opinion = one_voice(world.checker.approach(
            point, size_m * max(0.3, math.dist(point, world.map_T_camera.translation)),
            slack_m=SLACK_M, provisional=(True, False)) for point in (*some_of_it, mean))
    return _confident(rng, Case('approach, any box', _proposal(rng, target_box=box), opinion))


def _approach_blind(rng: random.Random, world: World) -> Case | None:
    """A box of which no depth came."""
    case = _approach_anything(rng, world)
    if case is None:
        return None
    case.opinion, case.kind, case.sees_nothing = False, 'approach, no depth', True
    return case


def _named_pose(rng: random.Random, world: World) -> Case | None:
    """A pose that the model names, with things around that it saw, or not."""
    seen = [one for one in (_thing_seen(rng, world) for _ in range(rng.choice((0, 1, 1, 2))))
            if one is not None]
    robot, frame = world.robot, rng.choice(('map', 'base_link'))
    if seen and rng.random() < 0.8:
        x, y = (value + rng.uniform(-1.5, 1.5) for value in seen[0][1][:2])
        if frame == 'base_link':
            cos, sin, dx, dy = math.cos(robot.yaw), math.sin(robot.yaw), x - robot.x, y - robot.y
            x, y = cos * dx + sin * dy, cos * dy - sin * dx
    else:
        x, y = (rng.choice((rng.uniform(-3, 9), 1e4, -1e4, rng.uniform(-1e4, 1e4), 1e300,
                            math.nan, math.inf)) for _ in 'xy')
    goal = NavigationGoal(frame, x, y, rng.uniform(-math.pi, math.pi))
    if frame == 'base_link':
        cos, sin = math.cos(robot.yaw), math.sin(robot.yaw)
        x, y = robot.x + cos * x - sin * y, robot.y + sin * x + cos * y
    proposal = replace(_proposal(rng, navigation_goal=goal), scene=Scene('', tuple(
        SceneObject('thing', box) for box, *_ in seen)))
    away = sorted(((math.dist(one[1][:2], (x, y)), one[1]) for one in seen),
                  key=lambda one: one[0])
    if not away or not away[0][0] < world.config.navigation_goal_near_m + SLACK_M:
        opinion: Opinion = False
    else:
        near = [place for far_m, place in away if far_m < away[0][0] + 2 * SLACK_M]
        opinion = one_voice(
            world.checker.approach(place, None, slack_m=SLACK_M, provisional=(False,))
            for place in near)
        if at_most(away[0][0], world.config.navigation_goal_near_m, SLACK_M) is None and opinion:
            opinion = None
    return _confident(rng, Case('approach, a pose', proposal, opinion))


def _rotate(rng: random.Random, world: World) -> Case:
    turn_rad = rng.choice((rng.uniform(-math.pi, math.pi), rng.uniform(-math.pi, math.pi),
                           rng.uniform(-0.3, 0.3), rng.uniform(-7, 7), rng.uniform(-1e9, 1e9),
                           1e300, math.inf, -math.inf, math.nan))
    return Case('rotate', canonical('rotate', rotate_rad=turn_rad, confidence=rng.random()),
                world.checker.rotate(turn_rad))


def _explore(rng: random.Random, world: World) -> Case:
    bearing = rng.choice((None, rng.uniform(-7, 7), 1e300))
    return Case('explore', canonical('explore', explore_bearing_rad=bearing,
                                     confidence=rng.random()),
                world.checker.explore(HALF_ANGLE_RAD))


def _goto(rng: random.Random, world: World) -> Case | None:
    """A place that was offered, somewhere; or one that nobody knows."""
    nodes = tuple(Candidate(f'place-{index}', _any_pose(rng, world), 0.5, 0.5, 0.0, 'a place', (),
                            (), '') for index in range(3))
    known = rng.random() < 0.85
    name = f'place-{rng.randrange(3)}' if known else rng.choice(
        ('place-7', '', '../etc', 'x' * 200, '🤖'))
    pose = nodes[int(name[-1])].pose if known else None
    case = Case('goto_node', replace(canonical('goto_node', node_id=name)),
                world.checker.goto(pose), nodes=nodes)
    return _confident(rng, case)


def _nothing(rng: random.Random, world: World) -> Case:
    del world
    return Case('nothing to drive', rng.choice((
        canonical('stop'), canonical('ask_clarification', clarification_question='drive()?'))),
        False)


def _confident(rng: random.Random, case: Case) -> Case:
    """Let the model be sure of it, or not."""
    confidence = rng.choice((1.0, 0.8, 0.301, 0.299, 0.0)) if rng.random() < 0.15 else 0.8
    case.proposal = replace(case.proposal, confidence=confidence)
    if confidence < 0.3:
        case.opinion = False
    return case


def _proposal(rng: random.Random, **fields: Any) -> CanonicalHypothesis:
    del rng
    return canonical('approach', seen='visible', **fields)


def _any_pose(rng: random.Random, world: World) -> Pose2D:
    room, yaw = world.room, rng.uniform(-math.pi, math.pi)
    if rng.random() < 0.1:
        return Pose2D(rng.choice((1e4, -1e4, 99_999.0)), rng.uniform(-1e5, 1e5), yaw)
    beyond_m = rng.choice((0.6, -0.4, -0.4))
    return Pose2D(rng.uniform(-beyond_m, room.width_m + beyond_m),
                  rng.uniform(-beyond_m, room.depth_m + beyond_m), yaw)


def _thing_seen(rng: random.Random, world: World) -> tuple[Box, Point3, float] | None:
    """Return the box of a thing, its place and size; None where the camera hardly sees one."""
    return next(filter(None, (_seen(rng, world, thing) for thing in rng.sample(
        world.things, len(world.things)))), None)


def _seen(rng: random.Random, world: World, thing: Block) -> tuple[Box, Point3, float] | None:
    camera = world.map_T_camera
    try:
        shown = [project(camera, CAMERA, (x, y, z))
                 for x in thing.x for y in thing.y for z in thing.z]
    except AssertionError:
        return None
    across = [(u + 0.5) / CAMERA.width_px * 1000 + rng.uniform(-3, 3) for u, _ in shown]
    down = [(v + 0.5) / CAMERA.height_px * 1000 + rng.uniform(-3, 3) for _, v in shown]
    box = (max(0.0, float(min(across))), max(0.0, float(min(down))),
           min(1000.0, float(max(across))), min(1000.0, float(max(down))))
    if box[2] - box[0] < 30 or box[3] - box[1] < 30:
        return None
    lines = _lines_in_box(world, box, 0.9)
    shows = [[point is not None and _is_of(thing, point) for point in line] for line in lines]
    of_it = [point for line in lines for point in line
             if point is not None and _is_of(thing, point)]
    # From edge to edge, or the box may as well be drawn around what is seen past it.
    if len(of_it) < max(12, 0.78 * len(shows) * len(shows[0])) or not (
            all(map(any, shows)) and all(map(any, zip(*shows, strict=True)))) or (
                _grounded(world, box) is not True):
        return None
    x, y, z = (sum(point[axis] for point in of_it) / len(of_it) for axis in range(3))
    depth_m = math.dist((x, y, z), camera.translation)
    size_m = math.sqrt((box[2] - box[0]) * (box[3] - box[1])) / 1000.0 * math.sqrt(
        CAMERA.width_px * CAMERA.height_px) / CAMERA.fx * depth_m
    return box, (x, y, z), size_m


def _is_of(thing: Block, point: Point3) -> bool:
    return all(low - 0.03 <= value <= high + 0.03
               for value, (low, high) in zip(point, (thing.x, thing.y, thing.z), strict=True))


def _in_box(world: World, box: Box, core: float) -> list[Point3 | None]:
    """Return what the pixels in the middle of a box show."""
    return [point for line in _lines_in_box(world, box, core) for point in line]


def _lines_in_box(world: World, box: Box, core: float) -> list[list[Point3 | None]]:
    """Return the same line by line."""
    (left, right), (top, bottom) = (
        ((low + high) / 2 - (high - low) / 2 * core, (low + high) / 2 + (high - low) / 2 * core)
        for low, high in ((box[0], box[2]), (box[1], box[3])))
    columns = range(max(0, math.floor(left / 1000 * CAMERA.width_px)),
                    min(CAMERA.width_px, math.ceil(right / 1000 * CAMERA.width_px)))
    rows = range(max(0, math.floor(top / 1000 * CAMERA.height_px)),
                 min(CAMERA.height_px, math.ceil(bottom / 1000 * CAMERA.height_px)))
    return [[world.points[v][u] for u in columns] for v in rows]


def _grounded(world: World, box: Box) -> Opinion:
    """Return whether a box shows anything that is near enough to be believed."""
    config, points = world.config, _in_box(world, box, 0.9)
    eye = world.map_T_camera.translation
    near = [point for point in points if point is not None
            and config.ground_min_m + 0.1 <= math.dist(point, eye) <= config.ground_max_m - 1.5]
    if len(near) == len(points) and len(points) >= 4:
        return True
    if all(point is None or math.dist(point, eye) > config.ground_max_m * 1.6
           or math.dist(point, eye) < config.ground_min_m * 0.9
           for point in _in_box(world, box, 1.0)):
        return False
    return None


_KINDS = {'thing': _approach_box, 'any': _approach_anything, 'blind': _approach_blind,
          'pose': _named_pose, 'rotate': _rotate, 'explore': _explore, 'goto': _goto,
          'nothing': _nothing}
_WEIGHTED = ('thing',) * 7 + ('any',) * 3 + ('blind',) + ('pose',) * 4 + ('rotate',) * 3 + (
    'explore',) + ('goto',) * 5 + ('nothing',)
