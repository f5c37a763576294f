"""A verifier core in a room: the test plays belief, hypothesis node, camera, TF and Nav2."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from builders import (
    CAMERA,
    GOAL_ID,
    Block,
    Clock,
    Room,
    act_request,
    base_T_CAMERA,
    box_of,
    canonical,
    document,
    frozen,
    look_request,
    meta,
)
from numpy.typing import NDArray

from semantic_nav.contracts.camera import Size
from semantic_nav.contracts.codec import encode_document
from semantic_nav.contracts.core import (
    DocumentReceived,
    Effect,
    Event,
    Output,
    Report,
    Tick,
    Ticking,
)
from semantic_nav.contracts.documents import (
    Body,
    Candidate,
    Decision,
    Document,
    Hypothesis,
    Look,
    Observation,
    Result,
    RobotPose,
    Step,
    Verdict,
)
from semantic_nav.contracts.geometry import Pose2D, Transform, wrap_angle
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.hypothesis import Box, CanonicalHypothesis
from semantic_nav.contracts.vocabulary import (
    DEFAULT_CAMERA,
    Code,
    Level,
    ModelAnswer,
    NavStatus,
    Source,
    StepKind,
)
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.core import VerifierCore
from semantic_nav.verify.effects import (
    AskPath,
    CancelNav,
    SendBackUp,
    SendNav,
    SendSpin,
    WatchSurroundings,
)
from semantic_nav.verify.events import (
    CostmapReceived,
    LookFrozen,
    LookNotFrozen,
    MapReceived,
    NavAnswered,
    NavFinished,
    PathAnswered,
    PoseResolved,
)

TABLE = Block((4.0, 4.8), (2.6, 3.4), (0.0, 0.75))
MUG = Block((4.2, 4.3), (2.95, 3.05), (0.75, 0.87))
START = Pose2D(2.0, 3.0, 0.0)
base_T_SCANNER = Transform((0.0, 0.0, 0.2), (0.0, 0.0, 0.0, 1.0))
#: Effects that move the robot.
MOTIONS = (SendNav, SendSpin, SendBackUp)


def table_room() -> Room:
    """Return a room with a table before the robot; the mug stands on it, in no map."""
    return Room(blocks=[TABLE])


class VerifierRig:
    """A verifier and everything that it said and did.

    Whatever is sent to Nav2 must have been announced in an OK verdict before, with the same UUID
    and pose: that is checked of every output.

    Attributes:
        out: what the last event led to, without what holds until it changes.
        documents, effects: everything so far.
        ticking, watched, dropped: what holds now, as the core said it last.
        told: level and text of what the core says of its own health, by subject.
        map, costmap: the newest that were heard.
        pose: where the robot stands, in the map frame.
        base_T_camera: of the optical frame of the camera that takes the looks.
        scanned: it has no depth camera, but a scanner.
        passers: stand in the room, but in no map.
    """

    def __init__(self, room: Room | None = None, pose: Pose2D = START, *, ready: bool = True,
                 wire_every: int = 1, **config: Any) -> None:
        self.room = room if room is not None else table_room()
        # The mug is a glimpse from the start: what comes of one has tests of its own.
        self.config = VerifierConfig(**{'glimpse_m': 9.0, **config})
        self.core = VerifierCore(self.config, 's')
        self.clock = Clock()
        self.pose = pose
        self.map_T_odom = Transform.identity()
        self.base_T_camera = base_T_CAMERA
        self.scanned = False
        self.passers: tuple[Block, ...] = ()
        self.out: list[Output] = []
        self.documents: list[Document] = []
        self.effects: list[Effect] = []
        self.announced: dict[str, Pose2D] = {}
        self.ticking: bool | None = None
        self.watched: WatchSurroundings | None = None
        self.dropped = 0
        self.told: dict[str, tuple[Level, str]] = {}
        self.map: OccupancyGrid | None = None
        self.costmap: OccupancyGrid | None = None
        self._in_hand: set[str] = set()
        self._minted = 0
        self._told: tuple[Pose2D, float] | None = None
        self._wire_every = wire_every
        if ready:
            self.hear_maps()
            self.hear_pose()
            # A new verifier believes that the robot stands when it has seen it.
            self.stand()
            self.begin()

    def hear(self, event: Event) -> list[Output]:
        """Feed an event; documents must keep their schemas, goals must be vetted."""
        if isinstance(event, MapReceived):
            self.map = event.grid
        elif isinstance(event, CostmapReceived):
            self.costmap = event.grid
        elif isinstance(event, NavFinished) or (
                isinstance(event, NavAnswered) and not event.accepted):
            self._in_hand.discard(event.nav_goal_id)
        self.out = [output for output in self.core.handle(event, self.clock.now)
                    if not self._stands(output)]
        for output in self.out:
            if isinstance(output, Document):
                self.documents.append(output)
                if len(self.documents) % self._wire_every == 0:
                    encode_document(output)
                body = output.body
                if isinstance(body, Verdict) and body.decision is not None and (
                        body.decision.code is Code.OK):
                    assert body.decision.nav_goal_id is not None
                    assert body.decision.nav_goal_id not in self.announced, 'a UUID came twice'
                    assert body.decision.goal is not None
                    self.announced[body.decision.nav_goal_id] = body.decision.goal
            else:
                self.effects.append(output)
                self._check_vetted(output)
        return self.out

    def _stands(self, output: Output) -> bool:
        """Take note of what holds until it changes."""
        if isinstance(output, Ticking):
            self.ticking = output.wanted
        elif isinstance(output, WatchSurroundings):
            self.watched = output
        elif isinstance(output, Report):
            self.told[output.subject] = output.level, output.text
            if output.subject == 'dropped':
                self.dropped = dict(output.figures)['dropped']
        else:
            return False
        return True

    def _check_vetted(self, effect: Effect) -> None:
        if isinstance(effect, MOTIONS):
            self._in_hand.add(effect.nav_goal_id)
        elif isinstance(effect, CancelNav):
            self._in_hand.discard(effect.nav_goal_id)
        elif isinstance(effect, AskPath):
            # A slow planner would break off what it plans for the drive.
            assert not self._in_hand, 'a path was asked for during a drive'
        if isinstance(effect, SendNav):
            assert self.announced[effect.nav_goal_id] == effect.goal, 'unvetted'
        elif isinstance(effect, SendSpin):
            assert effect.nav_goal_id in self.announced, 'unvetted'
            goal = self.announced[effect.nav_goal_id]
            heading = self.pose.yaw + effect.angle_rad
            assert abs(math.remainder(goal.yaw - heading, math.tau)) < 1e-6
        elif isinstance(effect, SendBackUp):
            goal = self.announced[effect.nav_goal_id]
            assert goal.distance_to(self.pose.x, self.pose.y) == pytest.approx(effect.distance_m)
            assert abs(self.pose.bearing_to(goal.x, goal.y)) == pytest.approx(math.pi)
        elif isinstance(effect, CancelNav):
            assert effect.nav_goal_id in self.announced

    # What the robot measures

    def hear_maps(self) -> None:
        stamp = self.clock.now.clock_ns
        self.hear(MapReceived(self.room.map(stamp)))
        self.hear(CostmapReceived(self.room.costmap(stamp)))

    def hear_pose(self, pose: Pose2D | None = None) -> list[Output]:
        """Hear a pose, after so much time as a robot needs at least to get there."""
        told, self.pose = self._told, pose if pose is not None else self.pose
        odom = (self.map_T_odom.inverse() @ Transform.from_pose(self.pose)).pose()
        if told is not None:
            least_s = max(0.4 * odom.distance_to(told[0].x, told[0].y),
                          0.15 * abs(wrap_angle(odom.yaw - told[0].yaw)))
            self.clock.advance(max(0.0, least_s - self.clock.passed_s + told[1]))
        self._told = odom, self.clock.passed_s
        return self.hear(self.resolved())

    def resolved(self) -> PoseResolved:
        return PoseResolved(self.clock.now.clock_ns, Transform.from_pose(self.pose),
                            self.map_T_odom)

    def drive(self, pose: Pose2D, seconds: float = 1.0) -> list[Output]:
        """Let the robot get somewhere."""
        self.clock.advance(seconds)
        self.hear(CostmapReceived(self.room.costmap(self.clock.now.clock_ns)))
        return self.hear_pose(pose)

    def stand(self, seconds: float = 0.6) -> list[Output]:
        """Let time pass while the robot stands; returns what followed."""
        followed: list[Output] = []
        for _ in range(math.ceil(seconds / 0.2)):
            self.clock.advance(0.2)
            followed += self.hear_pose()
        self.out = followed
        return followed

    # What the others say

    def say(self, body: Body, **envelope: Any) -> Document:
        self._minted += 1
        values = {'id_': f'peer-s-{self._minted}', 'stamp_ns': self.clock.now.clock_ns, **envelope}
        sent = document(body, **values)
        self.hear(DocumentReceived(sent))
        return sent

    def begin(self, goal: str = GOAL_ID) -> Document:
        return self.say(Step(StepKind.LOOK, 'find the mug', look=look_request()), goal=goal)

    def depth(self, extra: Sequence[Block] = (MUG,)) -> NDArray[np.uint16]:
        return self.room.depth(self.map_T_camera, CAMERA, extra)

    @property
    def map_T_camera(self) -> Transform:
        return Transform.from_pose(self.pose) @ self.base_T_camera

    def freeze(self, look_id: str, depth: NDArray[np.uint16] | None = None) -> LookFrozen:
        """Return what the freezer answers: poses in the odometry's frame."""
        if self.scanned:
            odom_T_base = self.map_T_odom.inverse() @ Transform.from_pose(self.pose)
            return LookFrozen(look_id, np.zeros((0, 0), np.uint16), CAMERA,
                              odom_T_base @ self.base_T_camera, odom_T_base, self.room.scan(
                                  odom_T_base @ base_T_SCANNER, self.map_T_odom, self.passers))
        return frozen(look_id, self.depth() if depth is None else depth,
                      (self.map_T_odom.inverse() @ Transform.from_pose(self.pose)).pose(),
                      self.base_T_camera)

    def look(self, depth: NDArray[np.uint16] | None = None, *, freeze: bool = True,
             missing: str = '', goal: str = GOAL_ID, camera: str = DEFAULT_CAMERA,
             size: Size = (CAMERA.width_px, CAMERA.height_px)) -> str:
        """Take a picture; returns the id of the look."""
        sent = self.say(Look(True, '', *size, camera=camera), frame='camera', goal=goal)
        if missing:
            self.hear(LookNotFrozen(sent.id, missing))
        elif freeze:
            self.hear(self.freeze(sent.id, depth))
        return sent.id

    def answer(self, proposal: CanonicalHypothesis, look_id: str, *,
               source: Source = Source.MODEL, goal: str = GOAL_ID,
               stamp_ns: int | None = None) -> Document:
        """Publish the answer to a look."""
        stamp = self.clock.now.clock_ns if stamp_ns is None else stamp_ns
        came = ModelAnswer.VALID if source is Source.MODEL else ModelAnswer.SILENT
        return self.say(Hypothesis('belief-s-1', source, proposal, meta(came)), cause=look_id,
                        goal=goal, stamp_ns=stamp)

    def see(self, proposal: CanonicalHypothesis, *, source: Source = Source.MODEL,
            depth: NDArray[np.uint16] | None = None, missing: str = '',
            ) -> tuple[str, Observation]:
        """Look and answer; returns the hypothesis's id and the observation."""
        look_id = self.look(depth, missing=missing)
        sent = self.answer(proposal, look_id, source=source)
        return sent.id, self.observed()

    def box(self, block: Block = MUG) -> Box:
        return box_of(self.map_T_camera, CAMERA, block)

    def see_mug(self, **fields: Any) -> tuple[str, Observation]:
        return self.see(canonical('approach', seen='visible', target_box=self.box(), **fields))

    def miss(self, looks: int = 2, first: int = 0, at: tuple[float, float] = (4.25, 3.0),
             extra: Sequence[Block] = ()) -> Observation:
        """Look at the place of a target from places apart, and do not see it.

        Args:
            looks: how many.
            first: number of the first place, from 0; each place has its own.
            at: the place of the target; that of the mug.
            extra: blocks that stand there and are in no map.

        Returns:
            The observation of the last look.
        """
        for number in range(first, first + looks):
            angle = math.pi + 0.5 * (-1)**number * ((number + 1) // 2)
            self.drive(Pose2D(at[0] + 2.0 * math.cos(angle), at[1] + 2.0 * math.sin(angle),
                              wrap_angle(angle + math.pi)))
            _, observation = self.see(canonical('explore'), depth=self.depth(extra))
        return observation

    def act(self, hypothesis_id: str | None = None, track_id: str | None = None, *,
            goal: str = GOAL_ID, **fields: Any) -> Document:
        return self.say(Step(StepKind.ACT, 'find the mug',
                             act=act_request(hypothesis_id, track_id, **fields)), goal=goal)

    def try_(self, proposal: CanonicalHypothesis, **fields: Any) -> Decision | None:
        """Look, answer, act; returns the decision where it came at once."""
        hypothesis_id, _ = self.see(proposal, **fields)
        self.act(hypothesis_id)
        return self.decision

    def stop(self, goal: str = GOAL_ID) -> None:
        self.say(Step(StepKind.STOP, 'find the mug', reason='enough'), goal=goal)

    def tick(self, seconds: float = 0.25) -> list[Output]:
        self.clock.advance(seconds)
        return self.hear(Tick())

    def remember(self, *nodes: Candidate, goal: str = GOAL_ID) -> None:
        from builders import candidates
        self.say(candidates(*nodes), goal=goal)

    # What Nav2 says

    @property
    def asked(self) -> AskPath:
        """The newest question to the planner."""
        return [one for one in self.effects if isinstance(one, AskPath)][-1]

    def path(self, off_m: float = 0.0, status: str = 'succeeded', code: int = 0,
             request_id: str | None = None) -> list[Output]:
        """Answer the planner's newest question with a straight path, its end beside the goal."""
        goal = self.asked.goal
        points = np.linspace((self.pose.x, self.pose.y), (goal.x + off_m, goal.y), 20)
        if status != 'succeeded':
            points = np.zeros((0, 2))
        return self.hear(PathAnswered(request_id or self.asked.request_id, NavStatus(status),
                                      code, points))

    def accept(self, accepted: bool = True, reason: str = '', *,
               held_back: bool = False) -> list[Output]:
        return self.hear(NavAnswered(self.sent_id, accepted, reason, held_back))

    def finish(self, status: str = 'succeeded', code: int = 0, nav_goal_id: str | None = None,
               ) -> list[Output]:
        return self.hear(NavFinished(nav_goal_id or self.sent_id, NavStatus(status), code))

    def approach_mug(self) -> Document:
        """See the mug and begin to drive; returns the act step."""
        hypothesis_id, _ = self.see_mug()
        step = self.act(hypothesis_id)
        self.path()
        self.accept()
        assert isinstance(self.sent, SendNav)
        return step

    # What came of it

    @property
    def sent(self) -> SendNav | SendSpin | SendBackUp:
        """The newest motion goal."""
        return [one for one in self.effects if isinstance(one, MOTIONS)][-1]

    @property
    def sent_id(self) -> str:
        return self.sent.nav_goal_id

    @property
    def moving(self) -> bool:
        """Whether the last event made the robot move."""
        return any(isinstance(one, MOTIONS) for one in self.out)

    @property
    def cancelled(self) -> list[str]:
        """The goals that the last event cancelled."""
        return [one.nav_goal_id for one in self.out if isinstance(one, CancelNav)]

    def observed(self) -> Observation:
        """Return the one observation of the last event."""
        (body,) = self.bodies(Observation)
        return body

    def bodies(self, kind: type) -> list[Any]:
        """Return what of a kind the last event led to."""
        return [one.body for one in self.out
                if isinstance(one, Document) and isinstance(one.body, kind)]

    @property
    def decision(self) -> Decision | None:
        """The decision that the last event led to."""
        found = [body.decision for body in self.bodies(Verdict) if body.decision is not None]
        return found[-1] if found else None

    @property
    def result(self) -> Result | None:
        """The result that the last event led to."""
        found = [body.result for body in self.bodies(Verdict) if body.result is not None]
        assert len(found) <= 1
        return found[0] if found else None

    @property
    def code(self) -> Code | None:
        return self.decision.code if self.decision is not None else None

    @property
    def robot_pose(self) -> RobotPose | None:
        found = self.bodies(RobotPose)
        return found[-1] if found else None
