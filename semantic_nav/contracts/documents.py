"""What the nodes tell each other: an envelope and one typed body per topic.

The JSON forms stand in `schema/`; `codec` converts and validates them. The words that they use
stand in `vocabulary`.
"""

from dataclasses import dataclass
from typing import Any

from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Box, CanonicalHypothesis
from semantic_nav.contracts.vocabulary import (
    ActOutcome,
    Code,
    Outcome,
    Phase,
    QueryTool,
    Source,
    Status,
    StepKind,
)

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Refusal:
    """Why the last act of this goal was refused, for the model to read."""

    code: Code
    reason: str


@dataclass(frozen=True)
class LookRequest:
    """The body of a look step.

    Attributes:
        deadline_s: for the whole look, on the receiver's steady clock.
        inform: a look while driving, which neither ends nor replaces the current step.
        confirm: the last look of a mission, which only a model may answer.
        fallback_only: the model is not asked, for it was refused too often in a row.
    """

    deadline_s: float
    inform: bool
    confirm: bool
    fallback_only: bool
    belief_target_status: Status
    last_refusal: Refusal | None


@dataclass(frozen=True)
class ActRequest:
    """The body of an act step: one of the two ids is given.

    Attributes:
        stale_after_s: the age of the look's picture from which on the act is refused.
        start_within_s: the act must start by then, on the receiver's steady clock.
        drive_budget_s: the drive is cancelled after this time.
    """

    hypothesis_id: str | None
    track_id: str | None
    stale_after_s: float
    start_within_s: float
    drive_budget_s: float


@dataclass(frozen=True)
class Step:
    """What belief wants done next."""

    kind: StepKind
    goal_text: str
    look: LookRequest | None = None
    act: ActRequest | None = None
    reason: str = ''


@dataclass(frozen=True)
class Look:
    """A picture was taken for the model, or could not be.

    The envelope's id is the look's id, its cause the step, its stamp and frame the picture's.
    """

    taken: bool
    reason: str = ''
    image_width_px: int = 0
    image_height_px: int = 0
    inform: bool = False


@dataclass(frozen=True)
class ModelMeta:
    """How a hypothesis came about, in the field's own names.

    Attributes:
        memory_context_missing_nodes: candidates of which the model was told nothing but the id.
        memory_context_missing_node_ids: theirs.
    """

    vlm_backend: str
    vlm_model: str
    vlm_latency_ms: float
    vlm_parse_ok: bool
    vlm_schema_ok: bool
    vlm_retry_count: int
    vlm_error: str
    image_sha256: str
    prompt_sha256: str
    memory_context_missing_nodes: int = 0
    memory_context_missing_node_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hypothesis:
    """A gated hypothesis: the answer to one look. The cause is the look."""

    step_id: str
    source: Source
    hypothesis: CanonicalHypothesis
    meta: ModelMeta


@dataclass(frozen=True)
class Cone:
    """The part of the floor that a look really saw, in the map frame."""

    x: float
    y: float
    yaw: float
    half_angle_rad: float
    range_m: float


@dataclass(frozen=True)
class GroundedObject:
    """Something of a look with a place.

    Attributes:
        position: in the map frame.
        sigma_m: standard deviation of the position along x, y and z.
        distance_m: from the camera.
        provisional: too far, too near or cut off by the image's edge to be relied on.
    """

    name: str
    box: Box
    position: Point
    sigma_m: Point
    distance_m: float
    provisional: bool
    is_target: bool


@dataclass(frozen=True)
class Track:
    """Where the current target is held to be, in the map frame.

    Attributes:
        hits: sightings in a row that agree with each other.
        views: places apart from each other from which these were.
    """

    id: str
    position: Point
    hits: int
    views: int
    seen_ns: int


@dataclass(frozen=True)
class Observation:
    """What a look really saw. The cause is the hypothesis.

    Attributes:
        look_id: the look.
        step_id: the step that asked for it.
        pose: of the robot at the picture's stamp, in the map frame; None where TF did not tell.
        target_bearing_rad: of the box from the picture's heading, where a target was claimed.
        ungrounded_reason: why a claimed target has no place.
        track: the target's track after this look.
        coverage: looked-at share of the reachable floor for this goal, 0..1.
        unlooked_reachable_m2: reachable floor that was not looked at yet.
    """

    look_id: str
    step_id: str
    source: Source
    scene_place: str
    pose: Pose2D | None
    cone: Cone | None
    objects: tuple[GroundedObject, ...]
    target_bearing_rad: float | None
    ungrounded_reason: str
    track: Track | None
    coverage: float
    unlooked_reachable_m2: float


@dataclass(frozen=True)
class Candidate:
    """A remembered place for the goal.

    Attributes:
        pose: the stored viewpoint in the map frame.
        score: 0..1, what the threshold is compared with.
        reasons: why, in words.
        provenance: the session in which the place was first seen; empty where nobody knows.
    """

    node_id: str
    pose: Pose2D
    score: float
    embedding_score: float
    keyword_score: float
    summary: str
    tags: tuple[str, ...]
    reasons: tuple[str, ...]
    provenance: str = ''


@dataclass(frozen=True)
class Candidates:
    """Places for the goal, best first.

    Attributes:
        threshold: of this scorer and embedder; from here on a place is likely.
        places_total: how many places the memory holds on this map.
    """

    map_id: str
    embedder: str
    threshold: float
    candidates: tuple[Candidate, ...]
    places_total: int


@dataclass(frozen=True)
class RobotPose:
    """Where the robot is, in the map frame.

    Attributes:
        healthy: the transform is fresh and no jump is being settled.
        jump_m: how far the localisation moved the robot since the last message.
    """

    pose: Pose2D
    healthy: bool
    jump_m: float


@dataclass(frozen=True)
class Decision:
    """The verifier's answer to an act, before anything moves.

    Attributes:
        nav_goal_id: UUID of the action goal that is about to be sent, in hexadecimal.
        goal: where it leads, in the map frame (for a spin: the final heading).
    """

    code: Code
    reason: str
    nav_goal_id: str | None = None
    goal: Pose2D | None = None


@dataclass(frozen=True)
class Result:
    """How an accepted act ended.

    Attributes:
        nav_status: the action's status word; empty where none came.
        nav_code: Nav2's error code.
    """

    outcome: ActOutcome
    reason: str
    nav_status: str = ''
    nav_code: int = 0
    distance_left_m: float = 0.0


@dataclass(frozen=True)
class Verdict:
    """A decision on an act, or later its result: one of them is given. The cause is the step."""

    action: str
    hypothesis_id: str | None
    decision: Decision | None = None
    result: Result | None = None


@dataclass(frozen=True)
class Budgets:
    """What the mission has used and may use."""

    time_s: float
    time_limit_s: float
    model_calls: int
    model_calls_limit: int
    distance_m: float
    distance_limit_m: float
    refusals: int
    refusals_limit: int


@dataclass(frozen=True)
class Belief:
    """The mission as it stands."""

    goal_text: str
    status: Status
    phase: Phase
    outcome: Outcome | None
    reason: str
    candidate_nodes: tuple[str, ...]
    question: str
    rejection_reason: str
    next_action: str
    budgets: Budgets


@dataclass(frozen=True)
class ToolQuery:
    """A question to another part, which changes nothing. The envelope's id is the request's.

    Attributes:
        arguments: by `schema/tool_<tool>.schema.json`; whoever answers checks them.
        deadline_s: an answer is of use within this time, on the receiver's steady clock.
    """

    tool: QueryTool
    arguments: dict[str, Any]
    deadline_s: float


@dataclass(frozen=True)
class Way:
    """A way from one remembered place to another.

    Attributes:
        node_id: where it leads.
    """

    node_id: str
    length_m: float


@dataclass(frozen=True)
class PlaceDescription:
    """All that is remembered of a place.

    Attributes:
        pose: the stored viewpoint in the map frame.
        kind: what the model called it; may be empty.
        seen_ago_s: how long ago it was seen last, by the calendar.
        provenance: the session in which it was first seen.
        ways: to the places next to it, the shortest first.
    """

    node_id: str
    pose: Pose2D
    kind: str
    summary: str
    tags: tuple[str, ...]
    visits: int
    seen_ago_s: float
    provenance: str
    ways: tuple[Way, ...]


@dataclass(frozen=True)
class Reachability:
    """Whether a drive would pass the verifier's own checks now; Nav2 was not asked.

    Attributes:
        code: of the first doubt, else OK.
        way_m: length of the way over the costmap; None where the checks fail.
    """

    reachable: bool
    code: Code
    reason: str
    way_m: float | None


@dataclass(frozen=True)
class ToolReply:
    """The answer to a query, which is its cause: one of the last three, or an error in words."""

    tool: QueryTool
    error: str = ''
    places: tuple[Candidate, ...] | None = None
    place: PlaceDescription | None = None
    reach: Reachability | None = None


Body = (Step | Look | Hypothesis | Observation | Candidates | RobotPose | Verdict | Belief
        | ToolQuery | ToolReply)

#: Topic and schema name of each body.
NAMES: dict[type, str] = {
    Step: 'step', Look: 'look', Hypothesis: 'hypothesis', Observation: 'observation',
    Candidates: 'candidates', RobotPose: 'pose', Verdict: 'verdict', Belief: 'belief',
    ToolQuery: 'query', ToolReply: 'reply',
}


@dataclass(frozen=True)
class Document:
    """The envelope.

    Attributes:
        id: minted by the writer.
        cause_id: the document that led to this one; empty where there is none.
        goal_id: the mission it belongs to; empty where there is none.
        stamp_ns: on the ROS clock.
        frame_id: of the coordinates in the body, or of the picture.
    """

    id: str
    cause_id: str
    goal_id: str
    stamp_ns: int
    frame_id: str
    body: Body

    @property
    def schema(self) -> str:
        """The name of the body's schema, which is its topic's name too."""
        return NAMES[type(self.body)]
