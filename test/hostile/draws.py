"""What the hostile run draws in a world: things that a model might propose, and what goes wrong.

Everything follows from a seed and a number.
"""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from acts import Point3
from builders import Block, canonical, project
from lenses import box_through, box_without
from opinions import Opinion, at_most, every, one_voice
from worlds import CAMERA, HALF_ANGLE_RAD, World

from semantic_nav.contracts.documents import Candidate, GroundedObject, Observation, Point
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import (
    Box,
    CanonicalHypothesis,
    NavigationGoal,
    Scene,
    SceneObject,
)
from semantic_nav.contracts.vocabulary import Source

#: How far what the verifier grounds may lie from where the thing is, in metres.
OFF_M = 0.25
HAZARDS = ('stale picture', 'picture of the future', 'old pose', 'old costmap', 'held',
           'empty battery', 'uncertain', 'silent depth', 'silent scan', 'jumped',
           'jump in doubt', 'jumped back just now')
LATE_HAZARDS = ('late path', 'held meanwhile', 'pose lost meanwhile', 'jumped meanwhile')
ANSWERS = ('straight',) * 12 + ('bent', 'bent', 'aborted', 'beside', 'empty',
           'unavailable', 'timeout', 'rejected')
#: A box whose edge lies so near to the edge of the picture is cut off, in per mille.
_CUT = 8.0


@dataclass
class Case:
    """One hypothesis, how its act comes about, and what is to come of it.

    Attributes:
        judge: whether the act is to set out, if its path is free, by what the look has shown.
        answer: how the planner answers.
        hazard: what is wrong at the moment of the act; empty for nothing.
        late_hazard: what goes wrong between question and answer of the planner.
        grounded: whether the box shows anything that is believed.
        target: where the thing stands; None where nobody says.
        sure_no: its place cannot be sure.
        rejected: where belief has rejected a target before.
        rejected_after: it rejects what a first look has shown, which is looked at again.
        jumped_back: the localisation jumps before the act, and takes it back.
    """

    kind: str
    proposal: CanonicalHypothesis
    judge: Callable[[Observation], Opinion]
    source: Source = Source.MODEL
    nodes: tuple[Candidate, ...] = ()
    act_names: str = 'this'
    answer: str = 'straight'
    hazard: str = ''
    late_hazard: str = ''
    sees_nothing: bool = False
    grounded: Opinion = None
    target: Point3 | None = None
    sure_no: Opinion = None
    rejected: tuple[Point3, ...] = ()
    rejected_after: bool = False
    jumped_back: bool = False
    extra: dict[str, Any] = field(default_factory=dict)


def draw_case(world: World, seed: int, number: int, hazard: str = '') -> Case:
    """Return a hypothesis.

    Args:
        world: where it is made.
        seed, number: what it is drawn by.
        hazard: one that is to befall each that would be taken; empty for any, or none.
    """
    rng = random.Random(f'case {seed} {number}')
    case = None
    while case is None:
        case = _KINDS[rng.choice(_WEIGHTED)](rng, world)
    case.source = rng.choice((Source.MODEL, Source.MODEL, Source.FALLBACK))
    case.answer = rng.choice(ANSWERS)
    case.extra['path_seed'] = rng.random()
    case.jumped_back = rng.random() < 0.05
    if rng.random() < 0.1 or hazard in HAZARDS:
        case.hazard = hazard or rng.choice(HAZARDS)
        case.extra['amount'] = rng.random()
        _refused(case)
    elif hazard in LATE_HAZARDS:
        case.late_hazard = hazard
    elif rng.random() < 0.05:
        case.act_names = rng.choice(('nothing', 'before', 'track'))
        _refused(case)
    elif rng.random() < 0.1:
        case.late_hazard = rng.choice(LATE_HAZARDS)
    return case


def _always(opinion: Opinion) -> Callable[[Observation], Opinion]:
    return lambda observation: opinion


def _refused(case: Case) -> None:
    case.judge = _always(False)


# Boxes

def _approach_box(rng: random.Random, world: World) -> Case | None:
    """A box round one thing, a little off, as a model draws it."""
    boxes = [(box, thing) for thing in rng.sample(world.things, len(world.things))
             if (box := _round(rng, world, thing)) is not None]
    if not boxes:
        return None
    box, thing = boxes[0]
    case = _to_box(world, 'approach, a thing', box)
    # Where pixels may mix two surfaces, another one in the box may be taken for it.
    case.target = _place_of(world, box, thing) if case.grounded else None
    return _confident(rng, _rejecting(rng, case))


def _approach_anything(rng: random.Random, world: World) -> Case | None:
    """A box anywhere: over several things, over a wall, over nothing."""
    x, y = sorted(rng.uniform(0, 1000) for _ in 'xx'), sorted(rng.uniform(0, 1000) for _ in 'yy')
    box = (x[0], y[0], max(x[1], x[0] + 0.5), max(y[1], y[0] + 0.5))
    if max(box) > 1000.0:
        return None
    return _confident(rng, _to_box(world, 'approach, any box', box))


def _approach_blind(rng: random.Random, world: World) -> Case | None:
    """A box of which no depth came."""
    case = _approach_anything(rng, world)
    if case is not None:
        case.kind, case.sees_nothing = 'approach, no depth', True
        _refused(case)
    return case


def _to_box(world: World, kind: str, box: Box) -> Case:
    flat = box_without(world.distortion, CAMERA, box)
    edge = math.sqrt((flat[2] - flat[0]) * (flat[3] - flat[1])) / 1000.0 * math.sqrt(
        CAMERA.width_px * CAMERA.height_px) / CAMERA.fx
    case = Case(kind, canonical('approach', seen='visible', target_box=box), _always(None),
                grounded=_grounded(world, flat),
                sure_no=at_most(min(*flat[:2], *(1000.0 - one for one in flat[2:])), _CUT, 0.5))

    def judge(observation: Observation) -> Opinion:
        target = next((one for one in observation.objects if one.is_target), None)
        if target is None:
            return False
        believed = _is_believed(case, target, world)
        gone_to = believed is not False and world.checker.before(_deep_m(
            target, world.checker.facts.robot)).approach(
            target.position, edge, provisional=target.provisional,
            once=observation.track is not None and observation.track.hits == 1)
        # The fallback has seen nothing itself.
        surely = case.source is Source.MODEL and not target.provisional
        looked_at = surely and believed is not True and (
            world.checker.look_from_elsewhere(target.position))
        return gone_to if believed else looked_at if believed is False else one_voice(
            (gone_to, looked_at))

    case.judge = judge
    return case


def _deep_m(target: GroundedObject, robot: Pose2D) -> float:
    """Return how much nearer the front of a thing is than its middle, beyond 20 cm."""
    if target.unclear:
        return 0.0
    bearing = math.atan2(target.position[1] - robot.y, target.position[0] - robot.x)
    sigma_m = math.hypot(target.sigma_m[0] * math.cos(bearing),
                         target.sigma_m[1] * math.sin(bearing))
    return max(0.0, math.sqrt(3.0) * sigma_m - 0.2)


def _rejecting(rng: random.Random, case: Case) -> Case:
    """Let belief have rejected a target there, or beside it."""
    if case.target is not None and rng.random() < 0.12:
        away_m, aside = rng.uniform(0.0, 1.4), rng.uniform(0, math.tau)
        x, y, z = case.target
        case.rejected = ((x + away_m * math.cos(aside), y + away_m * math.sin(aside), z),)
        case.kind = 'approach, rejected'
    elif rng.random() < 0.06:
        case.rejected_after, case.kind = True, 'approach, rejected'
    return case


def _is_believed(case: Case, target: GroundedObject, world: World) -> Opinion:
    """Return whether a target is none that was rejected; the robot has not moved since.

    What was, it may look at from elsewhere: seen once more from here it may be there after all.
    """
    near_m = world.config.track_merge_m
    if case.rejected_after and case.extra.get('tracked'):
        return False
    return every(at_most(near_m, math.dist(target.position, one)) for one in case.rejected)


def _named_pose(rng: random.Random, world: World) -> Case | None:
    """A pose that the model names, with things around that it saw, or not."""
    seen = [box for thing in rng.sample(world.things, rng.choice((0, 1, 1, 2)))
            if (box := _round(rng, world, thing)) is not None]
    robot, frame = world.robot, rng.choice(('map', 'base_link'))
    places = [place for box in seen if (place := _place_of(world, box, None)) is not None]
    if places and rng.random() < 0.8:
        x, y = (value + rng.uniform(-1.5, 1.5) for value in places[0][:2])
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
    proposal = replace(canonical('approach', seen='visible', navigation_goal=goal),
                       scene=Scene('', tuple(SceneObject('thing', box) for box in seen)))

    def judge(observation: Observation) -> Opinion:
        away = sorted((math.dist(one.position[:2], (x, y)), one.position)
                      for one in observation.objects)
        if not away or not away[0][0] < world.config.navigation_goal_near_m + 1e-6:
            return False
        return every((at_most(away[0][0], world.config.navigation_goal_near_m),
                      world.checker.approach(away[0][1], None, provisional=False)))

    return _confident(rng, Case('approach, a pose', proposal, judge))


# Other acts

def _rotate(rng: random.Random, world: World) -> Case:
    turn_rad = rng.choice((rng.uniform(-math.pi, math.pi), rng.uniform(-math.pi, math.pi),
                           rng.uniform(-0.3, 0.3), rng.uniform(-7, 7), rng.uniform(-1e9, 1e9),
                           1e300, math.inf, -math.inf, math.nan))
    return Case('rotate', canonical('rotate', rotate_rad=turn_rad, confidence=rng.random()),
                lambda _: world.checker.rotate(turn_rad))


def _explore(rng: random.Random, world: World) -> Case:
    bearing = rng.choice((None, rng.uniform(-7, 7), 1e300))
    return Case('explore', canonical('explore', explore_bearing_rad=bearing,
                                     confidence=rng.random()),
                lambda _: world.checker.explore(HALF_ANGLE_RAD))


def _goto(rng: random.Random, world: World) -> Case | None:
    """A place that was offered, somewhere; or one that nobody knows."""
    nodes = tuple(Candidate(f'place-{index}', _any_pose(rng, world), 0.5, 0.5, 0.0, 'a place', (),
                            (), '', found_at=_perhaps_found(rng, world)) for index in range(3))
    known = rng.random() < 0.85
    name = f'place-{rng.randrange(3)}' if known else rng.choice(
        ('place-7', '', '../etc', 'x' * 200, '🤖'))
    pose = nodes[int(name[-1])].pose if known else None
    return _confident(rng, Case('goto_node', canonical('goto_node', node_id=name),
                                lambda _: world.checker.goto(pose), nodes=nodes))


def _nothing(rng: random.Random, world: World) -> Case:
    del world
    return Case('nothing to drive', rng.choice((
        canonical('stop'), canonical('ask_clarification', clarification_question='drive()?'))),
        _always(False))


def _confident(rng: random.Random, case: Case) -> Case:
    """Let the model be sure of it, or not."""
    confidence = rng.choice((1.0, 0.8, 0.301, 0.299, 0.0)) if rng.random() < 0.15 else 0.8
    case.proposal = replace(case.proposal, confidence=confidence)
    if confidence < 0.3:
        _refused(case)
    return case


def _any_pose(rng: random.Random, world: World) -> Pose2D:
    room, yaw = world.room, rng.uniform(-math.pi, math.pi)
    if rng.random() < 0.1:
        return Pose2D(rng.choice((1e4, -1e4, 99_999.0)), rng.uniform(-1e5, 1e5), yaw)
    beyond_m = rng.choice((0.6, -0.4, -0.4))
    return Pose2D(rng.uniform(-beyond_m, room.width_m + beyond_m),
                  rng.uniform(-beyond_m, room.depth_m + beyond_m), yaw)


def _perhaps_found(rng: random.Random, world: World) -> Point | None:
    if rng.random() < 0.5:
        return None
    pose = _any_pose(rng, world)
    return pose.x, pose.y, rng.choice((0.8, 0.0, -3.0, 99_999.0))


# What the camera sees

def _round(rng: random.Random, world: World, thing: Block) -> Box | None:
    """Return a box round a thing, a little off; None where it is not before the camera."""
    try:
        shown = [project(world.map_T_camera, CAMERA, (x, y, z))
                 for x in thing.x for y in thing.y for z in thing.z]
    except AssertionError:
        return None
    across = [(u + 0.5) / CAMERA.width_px * 1000 for u, _ in shown]
    down = [(v + 0.5) / CAMERA.height_px * 1000 for _, v in shown]
    flat = float(min(across)), float(min(down)), float(max(across)), float(max(down))
    if max(abs(one) for one in flat) > 3000.0:
        return None
    box = tuple(min(1000.0, max(0.0, one + rng.uniform(-3, 3)))
                for one in box_through(world.distortion, CAMERA, flat))
    return box if box[2] - box[0] >= 10 and box[3] - box[1] >= 10 else None


def _place_of(world: World, box: Box, thing: Block | None) -> Point3 | None:
    """Return the middle of what is seen of a thing in a box, or of anything; None for hardly any.
    """
    flat = box_without(world.distortion, CAMERA, box)
    lines = _lines_in_box(world, flat, 0.9)
    shows = [[point is not None and (thing is None or _is_of(thing, point)) for point in line]
             for line in lines]
    shown = [point for line in lines for point in line
             if point is not None and (thing is None or _is_of(thing, point))]
    # From edge to edge, or the box may as well be drawn around what is seen past it.
    if len(shown) < max(12, 0.78 * len(shows) * len(shows[0])) or not (
            all(map(any, shows)) and all(map(any, zip(*shows, strict=True)))):
        return None
    x, y, z = (sum(point[axis] for point in shown) / len(shown) for axis in range(3))
    return x, y, z


def _is_of(thing: Block, point: Point3) -> bool:
    return all(low - 0.03 <= value <= high + 0.03
               for value, (low, high) in zip(point, (thing.x, thing.y, thing.z), strict=True))


def _ranges(flat: Box, core: float) -> tuple[range, range]:
    """Return the rows and columns of the middle of a box, one of each at least."""
    found = []
    for low, high, count in ((flat[1], flat[3], CAMERA.height_px),
                             (flat[0], flat[2], CAMERA.width_px)):
        middle, half = (low + high) / 2, (high - low) / 2 * core
        first = min(count - 1, max(0, math.floor((middle - half) / 1000 * count)))
        found.append(range(first, max(first + 1, min(
            count, math.ceil((middle + half) / 1000 * count)))))
    return found[0], found[1]


def _lines_in_box(world: World, flat: Box, core: float) -> list[list[Point3 | None]]:
    """Return what the pixels in the middle of a box show, line by line."""
    rows, columns = _ranges(flat, core)
    return [[world.points[v][u] for u in columns] for v in rows]


def _grounded(world: World, flat: Box) -> Opinion:
    """Return whether a box shows anything that is near enough to be believed."""
    if world.distortion is not None and (max(flat[:2]) > 995.0 or min(flat[2:]) < 5.0):
        return None
    config, base = world.config, world.robot
    rows, columns = _ranges(flat, 0.9)
    whole, least = len(rows) * len(columns), [0, 0]
    for v in rows:
        for u in columns:
            depth_m = world.flat_mm[v][u] / 1000.0
            if config.ground_min_m <= depth_m <= config.ground_max_m:
                least[0] += 1
                point = world.points[v][u]
                assert point is not None
                least[1] += not _may_mix(world, v, u) and math.dist(
                    point, (base.x, base.y, 0.0)) < config.ground_max_m - 0.1
    enough = min(4, whole)
    if least[0] < enough:
        return None if world.distortion is not None else False
    return True if least[1] == whole >= 4 or (least[1] >= enough and least[0] == least[1]) else (
        None)


def _may_mix(world: World, v: int, u: int) -> bool:
    """Tell whether the depth of a pixel lies between those of its neighbours, and off both."""
    return any(0 <= v + down < CAMERA.height_px and 0 <= u + right < CAMERA.width_px
               and abs(world.flat_mm[v + down][u + right] - world.flat_mm[v][u]) > 75
               for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)))


_KINDS = {'thing': _approach_box, 'any': _approach_anything, 'blind': _approach_blind,
          'pose': _named_pose, 'rotate': _rotate, 'explore': _explore, 'goto': _goto,
          'nothing': _nothing}
_WEIGHTED = ('thing',) * 8 + ('any',) * 4 + ('blind',) + ('pose',) * 4 + ('rotate',) * 3 + (
    'explore',) * 3 + ('goto',) * 5 + ('nothing',)
