"""Documents, clocks, rooms and depth pictures that the tests of several parts share."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.contracts.codec import decode_document, encode_document
from semantic_nav.contracts.documents import (
    ActRequest,
    Belief,
    Body,
    Budgets,
    Candidate,
    CandidateNode,
    Candidates,
    Cone,
    Decision,
    Document,
    GroundedObject,
    Hypothesis,
    Look,
    LookRequest,
    ModelMeta,
    Observation,
    PlaceDescription,
    Reachability,
    Refusal,
    RejectedTarget,
    Result,
    RobotPose,
    Step,
    ToolQuery,
    ToolReply,
    Track,
    Verdict,
    Way,
)
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.hypothesis import (
    Action,
    CanonicalHypothesis,
    NavigationGoal,
    Scene,
    SceneObject,
    TargetStatus,
)
from semantic_nav.contracts.vocabulary import (
    ActOutcome,
    Code,
    ModelAnswer,
    Outcome,
    Phase,
    Purpose,
    QueryTool,
    Source,
    Status,
    StepKind,
)
from semantic_nav.verify.events import LookFrozen, Scan

GOAL_ID = 'goal-s-1'
ORIGIN = Pose2D(0.0, 0.0, 0.0)


class Clock:
    """The three clocks, moved by hand; each has its own zero, so that none passes for another."""

    def __init__(self) -> None:
        self.passed_s = 0.0
        self.jumped_s = 0.0
        self.steady_ns = 70 * NS_PER_S

    def advance(self, seconds: float) -> Now:
        self.passed_s += seconds
        return self.now

    def jump(self, seconds: float) -> Now:
        """Set the ROS clock, as a simulator does when it is reset; the others go on."""
        self.jumped_s += seconds
        return self.now

    def restart(self, steady_s: float) -> Now:
        """Let the steady clock begin anew, as where the computer is started anew."""
        self.steady_ns = round((steady_s - self.passed_s) * NS_PER_S)
        return self.now

    @property
    def now(self) -> Now:
        passed = round(self.passed_s * NS_PER_S)
        return Now(5_000 * NS_PER_S + passed + round(self.jumped_s * NS_PER_S),
                   self.steady_ns + passed, 1_800_000_000 * NS_PER_S + passed)


# Documents

def meta(vlm_answer: ModelAnswer = ModelAnswer.VALID, **fields: Any) -> ModelMeta:
    replied = vlm_answer in {ModelAnswer.VALID, ModelAnswer.REFUSED}
    values = {'vlm_reply_count': int(replied), 'vlm_backend': 'mock', 'vlm_model': 'm',
              'vlm_latency_ms': 12.5, 'vlm_parse_ok': True, 'vlm_schema_ok': True,
              'vlm_retry_count': 0, 'vlm_error': '',
              'image_sha256': '0' * 64, 'prompt_sha256': '1' * 64, **fields}
    return ModelMeta(vlm_answer, **values)


def canonical(action: str = 'explore', *, seen: str = 'not_visible', confidence: float = 0.8,
              **fields: Any) -> CanonicalHypothesis:
    return CanonicalHypothesis(Action(action), TargetStatus(seen), confidence, **fields)


def approach(box: tuple[float, float, float, float] = (450.0, 450.0, 550.0, 550.0),
             **fields: Any) -> CanonicalHypothesis:
    return canonical('approach', seen='visible', target_box=box, **fields)


def observation(step_id: str, look_id: str = 'look-1', *, source: Source = Source.MODEL,
                pose: Pose2D | None = ORIGIN, track: Track | None = None,
                bearing: float | None = None, **fields: Any) -> Observation:
    """Return what a look saw; one that shows the target does so at the place of its track."""
    objects = (sighting(track),) if track is not None and bearing is not None else ()
    values = {'scene_place': 'kitchen', 'cone': None, 'objects': objects, 'ungrounded_reason': '',
              'coverage': 0.8, 'unlooked_reachable_m2': 6.0, 'p_here': 0.1, **fields}
    return Observation(look_id=look_id, step_id=step_id, source=source, pose=pose, track=track,
                       target_bearing_rad=bearing, **values)


def candidate(node_id: str, pose: Pose2D = ORIGIN, score: float = 0.5, provenance: str = '',
              ) -> Candidate:
    return Candidate(node_id, pose, score, score, 0.0, 'a place', ('tag',), ('why',), provenance,
                     distance_m=2.5, seen_ago_s=60.0, uncertainty=0.25)


def candidates(*nodes: Candidate, threshold: float = 0.6,
               looked_at: tuple[str, ...] = ()) -> Candidates:
    best = nodes[0].score if nodes else None
    return Candidates(
        'map-1', 'hash', threshold, nodes, 20, retrieval_ran=True,
        retrieval_topk=tuple(CandidateNode(node.node_id, node.score) for node in nodes),
        retrieval_best_score=best,
        retrieval_threshold_pass=best is not None and best >= threshold,
        looked_at=looked_at)


def refusal(code: Code = Code.NOT_GROUNDED, reason: str = 'no depth', action: str = 'approach',
            ) -> Verdict:
    return Verdict(action, 'hypothesis-1', decision=Decision(code, reason))


def accepted(action: str = 'approach') -> Verdict:
    return Verdict(action, 'hypothesis-1', decision=Decision(
        Code.OK, 'to the stand-off', 'ab' * 16, Pose2D(1.0, 2.0, 0.5)))


def ended(outcome: ActOutcome = ActOutcome.ARRIVED, action: str = 'approach',
          reason: str = 'there', nav_code: int = 0, code: Code | None = None,
          camera: str = '') -> Verdict:
    return Verdict(action, 'hypothesis-1',
                   result=Result(outcome, reason, 'succeeded', nav_code, 0.1, code, camera))


def track(x: float = 0.9, y: float = 0.0, *, id_: str = 'track-1', hits: int = 2,
          views: int = 2, sure: bool = True) -> Track:
    return Track(id_, (x, y, 0.8), hits, views, 5_000 * NS_PER_S, sure)


def sighting(track: Track, **fields: Any) -> GroundedObject:
    """Return a sure sighting of the target at the place of a track."""
    values = {'position': track.position, 'sigma_m': (0.05, 0.05, 0.05), 'distance_m': 0.9,
              'provisional': False, 'is_target': True,
              'covariance': (4e-4, 1e-4, 0.0, 1e-4, 4e-4, 0.0, 0.0, 0.0, 4e-4), **fields}
    return GroundedObject('target', (450.0, 450.0, 550.0, 550.0), **values)


def document(body: Body, *, id_: str = 'peer-s-1', cause: str = '', goal: str = GOAL_ID,
             stamp_ns: int = 5_000 * NS_PER_S, frame: str = 'map') -> Document:
    return Document(id_, cause, goal, stamp_ns, frame, body)


def look_request(**fields: Any) -> LookRequest:
    values = {'deadline_s': 60.0, 'inform': False, 'confirm': False, 'fallback_only': False,
              'belief_target_status': Status.SEARCHING, 'last_refusal': None,
              'left_out': (), **fields}
    return LookRequest(**values)


def act_request(hypothesis_id: str | None = None, track_id: str | None = None, *,
                stale_after_s: float = 90.0, start_within_s: float = 15.0,
                drive_budget_s: float = 120.0, second_looks: bool = False,
                only_gaps: bool = False) -> ActRequest:
    return ActRequest(hypothesis_id, track_id, stale_after_s, start_within_s, drive_budget_s,
                      second_looks, only_gaps)


def samples() -> dict[str, Document]:
    """Return a document of each kind; with `more_samples`, every field of each is in use."""
    budgets = Budgets(12.5, 900.0, 3, 120, 4.25, 300.0, 1, 20)
    full = canonical(
        'approach', seen='ambiguous', confidence=0.25,
        navigation_goal=NavigationGoal('base_link', 1.5, -2.0, 3.0), explore_bearing_rad=-1.0,
        scene=Scene('küche', (SceneObject('mug', (1.0, 2.0, 3.5, 1000.0)), SceneObject('cup'))),
        rationale='because "it" is\nthere \N{HOT BEVERAGE}')
    return {
        'step': document(Step(
            StepKind.LOOK, 'find the mug', reason='again',
            rejected=(RejectedTarget('track-0', (1.5, -2.0, 0.75)),),
            look=look_request(confirm=True, last_refusal=Refusal(Code.KEEPOUT, 'a zone'),
                              model_calls_left=7,
                              left_out=('place-1',), camera='left'),
            purpose=Purpose.GO, place='hall')),
        'look': document(Look(True, '', 640, 480, inform=True, camera='left',
                              fingerprint='ab' * 32), frame='camera'),
        'hypothesis': document(Hypothesis('belief-s-3', Source.FALLBACK, full,
                                          meta(ModelAnswer.SILENT, vlm_error='timeout',
                                               vlm_retry_count=1))),
        'observation': document(observation(
            'belief-s-3', pose=Pose2D(1.0, 2.0, -3.0), track=track(hits=4, sure=False),
            bearing=-0.2, camera='left', held=replace(track(0.8), deep_m=0.4),
            viewpoint=Pose2D(1.0, 2.0, -1.5), cone=Cone(1.0, 2.0, -3.0, 0.6, 3.9),
            objects=(GroundedObject('mug', (1.0, 2.0, 3.0, 4.0), (0.1, 0.2, 0.3),
                                    (0.01, 0.02, 0.03), 1.25, True, False, True,
                                    (1e-4, 0.0, 0.0, 0.0, 4e-4, 0.0, 0.0, 0.0, 9e-4)),))),
        'candidates': document(candidates(
            replace(candidate('memory-s-4', Pose2D(1.0, 1.0, 1.0), 0.9, 's'),
                    found_at=(1.5, 1.5, 0.8), found_deep_m=0.25),
            looked_at=('memory-s-3',))),
        'pose': document(RobotPose(
            Pose2D(1e-9, -1e5, 3.1), False, 0.75, True, 'the pause topic says so')),
        'verdict': document(accepted()),
        'belief': document(Belief(
            'find the mug', Status.LIKELY_IN_MEMORY, Phase.FINISHED, Outcome.NOT_HERE,
            'looked everywhere', (CandidateNode('memory-s-4', 0.9),), 'which one?', 'STALE: old',
            'wait', budgets, True, 0.15, Purpose.GO, 'hall', True, True)),
        'query': document(ToolQuery(QueryTool.CHECK_REACHABLE, {'x': 1.5, 'y': -2.0}, 5.0)),
        'reply': document(ToolReply(
            QueryTool.RECALL_PLACES, 'not all at once',
            places=(candidate('memory-s-4', Pose2D(1.0, 1.0, 1.0), 0.9),),
            place=PlaceDescription('memory-s-4', Pose2D(1.0, 1.0, 1.0), 'küche', 'küche with mug',
                                   ('mug',), 2, 60.5, 's', (Way('memory-s-5', 2.25),), 'home'),
            reach=Reachability(False, Code.TOO_FAR, 'far', 120.5))),
    }


def more_samples() -> list[Document]:
    """Return documents with what those of `samples` cannot hold at the same time."""
    asking = canonical(
        'ask_clarification', target_box=(0.0, 0.0, 999.5, 1000.0), rotate_rad=-3.0,
        node_id='memory-s-4', clarification_question='which one?', explore_bearing_rad=3.0)
    return [
        document(Step(StepKind.ACT, 'find the mug', act=act_request(
            'hypothesis-s-2', second_looks=True))),
        document(Step(StepKind.ACT, 'find the mug', act=act_request(
            track_id='track-1', only_gaps=True))),
        document(Step(StepKind.STOP, 'find the mug', reason='enough')),
        document(Look(False, 'no picture came'), frame='camera'),
        document(Hypothesis('belief-s-3', Source.MODEL, asking, meta(
            memory_context_missing_nodes=1, memory_context_missing_node_ids=('memory-s-4',),
            vlm_schema_path='#/properties/action/enum', vlm_reread_count=2, vlm_prompt_tokens=1700,
            vlm_reply_tokens=90, vlm_load_ms=4000.5, vlm_prompt_ms=800.0, vlm_reply_ms=2100.0))),
        document(observation('belief-s-3', pose=None, ungrounded_reason='no depth')),
        document(Verdict('rotate', 'hypothesis-1', decision=Decision(
            Code.OK, 'to look round', 'cd' * 16, Pose2D(1.0, 2.0, -1.0), -1.5))),
        document(Verdict('explore', 'hypothesis-1', decision=Decision(
            Code.OK, 'back off', 'ef' * 16, Pose2D(1.0, 2.0, 0.5), back_up_m=0.4))),
        document(ended(ActOutcome.ABORTED, nav_code=104), cause='belief-s-4'),
        document(ended(action='explore', camera='left')),
        document(ended(ActOutcome.UNAVAILABLE, code=Code.POSE_UNAVAILABLE), cause='belief-s-4'),
    ]


def over_the_wire(sent: Document) -> Document:
    """Return what a reader makes of a document; fails where either side refuses it."""
    received = decode_document(encode_document(sent), sent.schema)
    assert received == sent
    return received


# Rooms

@dataclass(frozen=True)
class Block:
    """A box that stands in a room: its extent along each axis of the map frame, in metres."""

    x: tuple[float, float]
    y: tuple[float, float]
    z: tuple[float, float] = (0.0, 2.5)


@dataclass
class Room:
    """A rectangular room with its corner at the origin and things in it."""

    width_m: float = 8.0
    depth_m: float = 6.0
    blocks: list[Block] = field(default_factory=list)
    resolution_m: float = 0.05
    wall_m: float = 0.1

    @property
    def walls(self) -> list[Block]:
        w, d, t = self.width_m, self.depth_m, self.wall_m
        return [Block((0, w), (0, t)), Block((0, w), (d - t, d)), Block((0, t), (0, d)),
                Block((w - t, w), (0, d))]

    def map(self, stamp_ns: int = 0) -> OccupancyGrid:
        cells = np.zeros((round(self.depth_m / self.resolution_m),
                          round(self.width_m / self.resolution_m)), np.int8)
        for block in (*self.walls, *self.blocks):
            (x0, x1), (y0, y1) = block.x, block.y
            cells[round(y0 / self.resolution_m):round(y1 / self.resolution_m),
                  round(x0 / self.resolution_m):round(x1 / self.resolution_m)] = 100
        return OccupancyGrid(cells, self.resolution_m, 0.0, 0.0, 'map', stamp_ns)

    def costmap(self, stamp_ns: int) -> OccupancyGrid:
        """Return the map inflated as Nav2 does it."""
        grid = self.map(stamp_ns)
        return replace(grid, cells=_inflated_cells(
            grid.cells.tobytes(), grid.shape, grid.resolution_m).copy())

    def depth(self, map_T_camera: Transform, camera: Intrinsics,
              extra: Sequence[Block] = ()) -> NDArray[np.uint16]:
        """Return the depth picture of floor, walls, things and `extra` in uint16 millimetres."""
        columns, rows = np.meshgrid(np.arange(camera.width_px), np.arange(camera.height_px))
        rays = np.stack([(columns - camera.cx) / camera.fx,
                         (rows - camera.cy) / camera.fy,
                         np.ones(columns.shape)], axis=-1)
        directions = np.moveaxis(rays @ map_T_camera.matrix[:3, :3].T, -1, 0)
        nearest = self._nearest(map_T_camera.translation, directions, extra)
        metres = np.where(np.isfinite(nearest), nearest, 0.0)  # rays have z = 1: depth is t
        return np.rint(metres * 1000).clip(0, 65535).astype(np.uint16)

    def scan(self, odom_T_scanner: Transform, map_T_odom: Transform,
             extra: Sequence[Block] = (), reach_m: float = 12.0) -> Scan:
        """Return a scan all round, a ray each degree."""
        angles = np.radians(np.arange(-180.0, 180.0))
        level = np.stack([np.cos(angles), np.sin(angles), np.zeros(angles.size)], axis=-1)
        map_T_scanner = map_T_odom @ odom_T_scanner
        directions = np.moveaxis(level @ map_T_scanner.matrix[:3, :3].T, -1, 0)
        ranges = self._nearest(map_T_scanner.translation, directions, extra)
        ranges[ranges > reach_m] = np.inf
        return Scan(ranges.astype(np.float32), -math.pi, math.radians(1.0), odom_T_scanner,
                    reach_m)

    def _nearest(self, eye: tuple[float, float, float], directions: NDArray[np.float64],
                 extra: Sequence[Block]) -> NDArray[np.float64]:
        """Return how many times each direction, shape (3, ...), leads to what is met first."""
        with np.errstate(divide='ignore', invalid='ignore'):
            nearest = np.where(directions[2] < 0, -eye[2] / directions[2], np.inf)
            for block in (*self.walls, *self.blocks, *extra):
                enter = np.zeros(nearest.shape)
                leave = np.full(nearest.shape, np.inf)
                for axis, (low, high) in enumerate((block.x, block.y, block.z)):
                    a, b = ((end - eye[axis]) / directions[axis] for end in (low, high))
                    enter = np.fmax(enter, np.fmin(a, b))
                    leave = np.fmin(leave, np.fmax(a, b))
                hit = (enter <= leave) & (enter > 0) & (enter < nearest)
                nearest[hit] = enter[hit]
        return nearest


def inflated(grid: OccupancyGrid) -> OccupancyGrid:
    """Return the costmap of a map: 100 occupied, 99 within the radius, then falling."""
    return replace(grid, cells=_inflated_cells(
        grid.cells.tobytes(), grid.shape, grid.resolution_m).copy())


@lru_cache(maxsize=64)
def _inflated_cells(content: bytes, shape: tuple[int, int], resolution_m: float,
                    ) -> NDArray[np.int8]:
    radius_m, inflation_m = 0.22, 0.55
    cells = np.frombuffer(content, np.int8).reshape(shape)
    occupied = cells >= 65
    distance_m = (distance_transform_edt(~occupied) * resolution_m if occupied.any()
                  else np.full(shape, np.inf))
    falling = 98 * np.exp(-5.0 * (distance_m - radius_m))
    cost = np.where(distance_m <= inflation_m, falling, 0.0)
    cost = np.where(distance_m <= radius_m, 99, np.minimum(cost, 98))
    cost = np.where(occupied, 100, cost)
    return np.where(cells < 0, -1, cost).astype(np.int8)


# Cameras

CAMERA = Intrinsics(160, 120, 120.0, 120.0, 79.5, 59.5)
CAMERA_HEIGHT_M = 1.0
#: Axes of an optical frame (x right, y down, z forward) on a robot (x forward, y left, z up).
base_T_CAMERA = Transform((0.1, 0.0, CAMERA_HEIGHT_M), (-0.5, 0.5, -0.5, 0.5))


def mounted(yaw: float, x: float = 0.1, y: float = 0.0, z: float = CAMERA_HEIGHT_M,
            down_rad: float = 0.0) -> Transform:
    """Return the optical frame of a camera that is turned on its robot, and tilted downwards."""
    turn = Transform((x, y, z), (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)))
    optical = Transform((0.0, 0.0, 0.0), base_T_CAMERA.rotation)
    return turn @ optical @ base_T_CAMERA.inverse() @ tilted(down_rad)


def tilted(down_rad: float) -> Transform:
    """Return the camera of a robot, tilted downwards."""
    turn = Transform((0.0, 0.0, 0.0), (math.sin(-down_rad / 2), 0.0, 0.0, math.cos(down_rad / 2)))
    return base_T_CAMERA @ turn


def project(map_T_camera: Transform, camera: Intrinsics,
            point: tuple[float, float, float]) -> tuple[float, float]:
    """Return where a point of the map appears, in pixels from the middle of the first one."""
    x, y, z = map_T_camera.inverse().apply(np.array([point]))[0]
    assert z > 0, 'the point lies behind the camera'
    return camera.fx * x / z + camera.cx, camera.fy * y / z + camera.cy


def box_of(map_T_camera: Transform, camera: Intrinsics, block: Block,
           ) -> tuple[float, float, float, float]:
    """Return the box that a block fills in the picture, in per mille."""
    corners = [project(map_T_camera, camera, (x, y, z))
               for x in block.x for y in block.y for z in block.z]
    us = [(u + 0.5) / camera.width_px * 1000 for u, _ in corners]
    vs = [(v + 0.5) / camera.height_px * 1000 for _, v in corners]

    def clip(value: float) -> float:
        return min(1000.0, max(0.0, value))

    return clip(min(us)), clip(min(vs)), clip(max(us)), clip(max(vs))


def frozen(look_id: str, depth_mm: NDArray[np.uint16], pose: Pose2D,
           base_T_camera: Transform = base_T_CAMERA, camera: Intrinsics = CAMERA) -> LookFrozen:
    """Return a look frozen by a robot whose odometry agrees with the map."""
    odom_T_base = Transform.from_pose(pose)
    return LookFrozen(look_id, depth_mm, camera, odom_T_base @ base_T_camera, odom_T_base)
