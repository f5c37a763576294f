"""The verifier: grounds what the model claims, decides, and drives; it fails closed."""

import logging
import math
import random
from collections.abc import Callable
from typing import Any

from semantic_nav.contracts.clock import Now, nanoseconds
from semantic_nav.contracts.core import DocumentReceived, Event, Output, Tick
from semantic_nav.contracts.documents import (
    ActRequest,
    Belief,
    Body,
    Candidates,
    Document,
    Hypothesis,
    Look,
    RobotPose,
    Step,
    ToolQuery,
    ToolReply,
)
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.vocabulary import Code, Phase, QueryTool, StepKind
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.driver import Driver
from semantic_nav.verify.events import (
    CostmapReceived,
    Deactivating,
    FreezeLook,
    LookFrozen,
    LookNotFrozen,
    MapReceived,
    NavAnswered,
    NavFinished,
    PathAnswered,
    PoseMissing,
    PoseResolved,
)
from semantic_nav.verify.observer import Observed, Observer
from semantic_nav.verify.planner import Plan, Planner
from semantic_nav.verify.reach import reachability
from semantic_nav.verify.world import Doubt, World

_log = logging.getLogger(__name__)

#: Least time between two poses that are published, while the robot moves and while it stands.
#: Whoever reads them must not take a robot that stands for one that is lost: the memory would
#: forget what was just seen.
_POSE_MOVING_S, _POSE_STANDING_S = 0.5, 0.9
_MOVED_M, _MOVED_RAD = 0.03, 0.03
#: A correction of the localisation larger than this is a jump, in metres.
_JUMP_M = 0.5


class VerifierCore:
    """Turns hypotheses into observations and acts into vetted goals."""

    def __init__(self, config: VerifierConfig, session: str, seed: int = 0) -> None:
        """Begin without a goal, a pose or a map."""
        self._config = config
        self._ids = Ids('verifier', session)
        self._random = random.Random(f'{session} {seed}')
        self._goal_id = ''
        self._goal_open = False
        self._act_id = ''
        self._early: Document | None = None
        self.world = World(config)
        self._observer = Observer(config, self.world, session)
        self._planner = Planner(config, self.world, self._observer)
        self._driver = Driver(config, self.world, lambda: self._planner.tried,
                              self._document, self._new_uuid)
        self._pose_published: Pose2D | None = None
        self._pose_published_ns = 0
        self.dropped = 0
        self._of_type: dict[type, Callable[[Any, Now], list[Output]]] = {
            DocumentReceived: self._on_document, PoseResolved: self._on_pose,
            PoseMissing: self._on_no_pose, MapReceived: self._on_map,
            CostmapReceived: self._on_costmap, LookFrozen: self._on_frozen,
            LookNotFrozen: self._on_not_frozen, PathAnswered: self._on_path,
            NavAnswered: self._driver.on_answered, NavFinished: self._driver.on_finished,
            Tick: self._on_tick, Deactivating: self._on_deactivating}

    @property
    def wants_ticks(self) -> bool:
        """Deadlines matter while something is driven."""
        return self._driver.drive is not None

    @property
    def goal_open(self) -> bool:
        """Tell whether depth and costmaps are needed."""
        return self._goal_open

    def handle(self, event: Event, now: Now) -> list[Output]:
        """Take one event in and return what follows from it."""
        return self._of_type[type(event)](event, now)

    # Documents

    def _on_document(self, event: DocumentReceived, now: Now) -> list[Output]:
        document = event.document
        match document.body:
            case Step():
                return self._on_step(document, document.body, now)
            case Belief():
                self._on_belief(document, document.body)
            case Candidates() if document.goal_id == self._goal_id:
                self._planner.candidates = document.body
            case Candidates():
                # The memory knows a goal from the belief, which may wait with the first step.
                self._early = document
            case Look() if document.goal_id == self._goal_id:
                return self._on_look(document, document.body)
            case Hypothesis() if document.goal_id == self._goal_id:
                return self._published(self._observer.take_hypothesis(document, now), now)
            case ToolQuery() if self._goal_open and document.goal_id == self._goal_id:
                return self._answer(document, document.body, now)
            case _:
                self.dropped += 1
        return []

    def _on_belief(self, document: Document, belief: Belief) -> None:
        if document.goal_id == self._goal_id:
            self._goal_open = belief.phase not in (Phase.FINISHED, Phase.IDLE)

    def _on_step(self, document: Document, step: Step, now: Now) -> list[Output]:
        out: list[Output] = []
        if step.kind is StepKind.STOP:
            if document.goal_id == self._goal_id or not self._goal_id:
                # Without a goal this may be the process after the one that drives.
                return self._driver.cancel(step.reason or 'stopped', now)
            self.dropped += 1
            return []
        if document.goal_id != self._goal_id:
            out = self._begin_goal(document.goal_id, now)
        match step.kind:
            case StepKind.LOOK if step.look is not None:
                # What informs is looked at on the way.
                out += [] if step.look.inform else self._driver.abandon(now)
            case StepKind.ACT if step.act is not None and self._goal_open and (
                    document.id != self._act_id):
                self._act_id = document.id
                out += self._decide(document, step.act, now)
            case _:
                self.dropped += 1
        return out

    def _begin_goal(self, goal_id: str, now: Now) -> list[Output]:
        self._goal_id = goal_id
        self._goal_open = True
        self._observer.begin_goal()
        self._planner.begin_goal()
        early, self._early = self._early, None
        if early is not None and early.goal_id == goal_id and isinstance(early.body, Candidates):
            self._planner.candidates = early.body
        return self._driver.abandon(now)

    def _decide(self, document: Document, act: ActRequest, now: Now) -> list[Output]:
        action = self._action_of(act)
        try:
            plan = self._planner.plan(document, act, now)
        except Exception as error:  # noqa: BLE001
            # Fail closed: whatever went wrong, the robot stays where it is.
            _log.exception('the checks of %s failed', document.id)
            plan = Doubt(Code.PATH_INVALID, _words_of(error))
        if isinstance(plan, Plan):
            return self._driver.start(document, act, plan, now)
        return self._driver.refuse(document, act, action, plan, now)

    def _on_path(self, event: PathAnswered, now: Now) -> list[Output]:
        try:
            return self._driver.on_path(event, now)
        except Exception as error:  # noqa: BLE001
            _log.exception('the checks of path %s failed', event.request_id)
            return self._driver.fail(_words_of(error), now)

    def _action_of(self, act: ActRequest) -> str:
        proposal = self._observer.proposals.get(act.hypothesis_id or '')
        return proposal.body.hypothesis.action.value if proposal is not None else 'approach'

    def _on_look(self, document: Document, look: Look) -> list[Output]:
        if not look.taken:
            return []
        self._observer.take_look(document)
        return [FreezeLook(document.id, document.stamp_ns, document.frame_id,
                           self._config.freeze_wait_s)]

    def _answer(self, document: Document, query: ToolQuery, now: Now) -> list[Output]:
        """Answer a query, which changes nothing; the memory answers the others."""
        if query.tool is not QueryTool.CHECK_REACHABLE:
            return []
        try:
            reply = ToolReply(query.tool, reach=reachability(
                query.arguments, self.world, self._planner, now))
        except ContractError as error:
            reply = ToolReply(query.tool, str(error))
        except Exception as error:  # noqa: BLE001
            _log.exception('the checks of %s failed', document.id)
            reply = ToolReply(query.tool, _words_of(error))
        return [self._document(reply, document, now)]

    # Measurements

    def _on_frozen(self, event: LookFrozen, now: Now) -> list[Output]:
        camera = event.intrinsics
        self._planner.explorer.half_angle_rad = math.atan2(camera.width_px / 2, camera.fx)
        return self._published(self._observer.take_frozen(event, now), now)

    def _on_not_frozen(self, event: LookNotFrozen, now: Now) -> list[Output]:
        return self._published(
            self._observer.take_missing(event.look_id, event.reason, now), now)

    def _published(self, observed: Observed | None, now: Now) -> list[Output]:
        if observed is None:
            return []
        return [Document(self._ids.mint(), observed.hypothesis_id, self._goal_id, now.clock_ns,
                         'map', observed.observation)]

    def _on_map(self, event: MapReceived, now: Now) -> list[Output]:
        del now
        self.world.take_map(event.grid)
        return []

    def _on_costmap(self, event: CostmapReceived, now: Now) -> list[Output]:
        del now
        self.world.take_costmap(event.grid)
        return []

    def _on_no_pose(self, event: PoseMissing, now: Now) -> list[Output]:
        self.world.pose_reason = event.reason
        return self._driver.on_time(now)

    def _on_pose(self, event: PoseResolved, now: Now) -> list[Output]:
        world = self.world
        jump_m = 0.0
        if world.map_T_odom is not None:
            # Where the robot would be by the correction before: the difference is no driving.
            before = (world.map_T_odom @ event.map_T_odom.inverse() @ event.map_T_base).pose()
            here = event.map_T_base.pose()
            jump_m = here.distance_to(before.x, before.y)
        world.pose = event.map_T_base.pose()
        world.map_T_odom = event.map_T_odom
        world.pose_stamp_ns = event.stamp_ns
        out = self._driver.on_time(now)
        if self._pose_due(world.pose, jump_m, now):
            self._pose_published = world.pose
            self._pose_published_ns = now.steady_ns
            # A localisation that died leaves its last pose in TF.
            healthy = jump_m < _JUMP_M and world.doubt_pose(now) is None
            out.append(self._document(RobotPose(world.pose, healthy, jump_m), None, now))
        return out

    def _pose_due(self, pose: Pose2D, jump_m: float, now: Now) -> bool:
        before = self._pose_published
        if before is None or jump_m >= _JUMP_M:
            return True
        moved = pose.distance_to(before.x, before.y) > _MOVED_M or (
            abs(wrap_angle(pose.yaw - before.yaw)) > _MOVED_RAD)
        wait_s = _POSE_MOVING_S if moved else _POSE_STANDING_S
        return now.steady_ns - self._pose_published_ns >= nanoseconds(wait_s)

    def _on_tick(self, event: Tick, now: Now) -> list[Output]:
        del event
        return self._driver.on_time(now)

    def _on_deactivating(self, event: Deactivating, now: Now) -> list[Output]:
        del event
        self._goal_open = False
        return self._driver.abandon(now)

    # Making

    def _document(self, body: Body, cause: Document | None, now: Now) -> Document:
        cause_id = cause.id if cause is not None else ''
        goal_id = cause.goal_id if cause is not None else self._goal_id
        return Document(self._ids.mint(), cause_id, goal_id, now.clock_ns, 'map', body)

    def _new_uuid(self) -> str:
        return f'{self._random.getrandbits(128):032x}'


def _words_of(error: Exception) -> str:
    return f'the checks failed: {error!r}'[:300]
