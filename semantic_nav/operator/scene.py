"""The scene at a time: the mission, the robot, the things seen, and the nodes' reports."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import hypot

from semantic_nav.belief.goal import words_of_way
from semantic_nav.client.narrator import Narrator
from semantic_nav.contracts.documents import (
    Belief,
    Candidates,
    Cone,
    Decision,
    Document,
    GroundedObject,
    Hypothesis,
    Look,
    Observation,
    Result,
    RobotPose,
    Track,
    Verdict,
)
from semantic_nav.contracts.geometry import Pose2D, wrap_angle
from semantic_nav.contracts.vocabulary import NODES, Code, Level, Source
from semantic_nav.operator.heard import (
    Item,
    MapShown,
    PictureShown,
    PlacesShown,
    ShownPlace,
    Statement,
)
from semantic_nav.operator.standing import Facts

#: Age of a node's last /diagnostics, which comes every second, beyond which it is silent, in s.
SILENT_S = 5.0
#: Subjects that must be well before anything can be driven.
_HOLDS_UP = frozenset({'pose', 'map', 'costmap', 'keepout', 'nav2', 'pause', 'camera', 'lifecycle',
                       'listeners'})
#: Subject of the parts that a node has seen working since its start.
_PROOF = 'proof'
_STEP_M = 0.05
#: Distance within which two sightings are of the same thing, in m.
_SAME_THING_M = 0.6
#: Distance and turn within which a picture shows a remembered place, in m and rad.
_SAME_VIEW_M, _SAME_VIEW_RAD = 0.6, 0.6
_MOST_THINGS, _MOST_LOOKS, _MOST_REFUSED, _MOST_PATH = 150, 300, 60, 4000
_MOST_PICTURES = 200
#: Width of the column of words before each line of the narrator, in characters.
_KIND_CHARS = 10


@dataclass(frozen=True)
class Entry:
    """A line of the timeline: its time, kind and words."""

    at_s: float
    kind: str
    words: str


@dataclass(frozen=True)
class SeenThing:
    """A thing that a look placed in the map, and the time of its last sighting."""

    thing: GroundedObject
    at_s: float


@dataclass(frozen=True)
class LookTaken:
    """A look's viewpoint, and the model's word for that place.

    Attributes:
        look_id: id of the look.
    """

    at_s: float
    look_id: str
    pose: Pose2D
    place: str


@dataclass(frozen=True)
class RefusedGoal:
    """An act that was refused, with its goal pose if the verifier named one."""

    at_s: float
    action: str
    code: Code
    reason: str
    goal: Pose2D | None


class PageScene:
    """The state after the heard items, which are taken in order.

    Attributes:
        from_begin: all looks of the goal in hand were heard.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.belief: Document | None = None
        self.belief_at_s = self.pose_at_s = 0.0
        self.pose: RobotPose | None = None
        self.path: deque[tuple[float, float]] = deque(maxlen=_MOST_PATH)
        self.verdict: Decision | Result | None = None
        self.driven_to: Pose2D | None = None
        self.look: Document | None = None
        self.answer: Document | None = None
        self.answer_at_s = 0.0
        self.track: Track | None = None
        self.candidates: Candidates | None = None
        self.things: list[SeenThing] = []
        self.looks: deque[LookTaken] = deque(maxlen=_MOST_LOOKS)
        self.refused: deque[RefusedGoal] = deque(maxlen=_MOST_REFUSED)
        self.cones: list[Cone] = []
        self.from_begin = False
        self.p_here: float | None = None
        self.statements: dict[tuple[str, str], Statement] = {}
        self.spoke_at_s: dict[str, float] = {}
        self.places: tuple[ShownPlace, ...] = ()
        self.map: MapShown | None = None
        self.pictures: dict[str, PictureShown] = {}
        self.timeline: list[Entry] = []
        self._now_s = 0.0
        self._narrator = self._new_narrator()
        self._takers: dict[type, Callable[[Document, object], None]] = {
            Belief: self._on_belief, RobotPose: self._on_pose, Look: self._on_look,
            Hypothesis: self._on_hypothesis, Observation: self._on_observation,
            Verdict: self._on_verdict, Candidates: self._on_candidates}

    @property
    def goal_id(self) -> str:
        """The goal's id of the newest belief; empty before the first."""
        return self.belief.goal_id if self.belief is not None else ''

    def take(self, at_s: float, item: Item) -> None:
        """Take an item.

        Args:
            at_s: its time, in s since the beginning, on the steady clock.
            item: the item.
        """
        self._now_s = at_s
        match item:
            case Document(body=body):
                taker = self._takers.get(type(body))
                if taker is not None:
                    taker(item, body)
                if not isinstance(body, RobotPose):
                    self._narrator.take(item)
                    self._narrator.settle()
            case Statement():
                self.statements[item.node, item.subject] = item
                self.spoke_at_s[item.node] = at_s
            case PlacesShown():
                self.places = item.places
            case MapShown():
                self.map = item
            case PictureShown():
                self.pictures[item.look_id] = item
                while len(self.pictures) > _MOST_PICTURES:
                    del self.pictures[next(iter(self.pictures))]

    def facts(self, now_s: float, *, listening: bool, live: bool,
              remembering: bool = False) -> Facts:
        """The facts that determine the robot's state.

        Args:
            now_s: in s since the beginning; ages count from here.
            listening: the belief node hears goals.
            live: else no node counts as silent, as a journal has no signs of life.
            remembering: the memory hears queries.
        """
        body = self.belief.body if self.belief is not None else None
        spoken = [one for one in self.statements.values() if one.node in NODES]
        silent = self.silent(now_s) if live else ()
        return Facts(
            body if isinstance(body, Belief) else None, listening or not live, self.pose,
            self.verdict, silent,
            tuple(_told(one) for one in spoken if one.level is Level.ERROR),
            tuple(_told(one) for one in spoken
                  if one.level is Level.WARN and one.subject in _HOLDS_UP),
            tuple(f'{one.node}: {one.text}' for one in spoken
                  if one.level is Level.WARN and one.subject == _PROOF),
            remembering and live and 'memory' not in silent)

    def silent(self, now_s: float) -> tuple[str, ...]:
        """The nodes that have fallen silent."""
        return tuple(name for name in NODES
                     if name in self.spoke_at_s and now_s - self.spoke_at_s[name] > SILENT_S)

    def nearest_picture(self, x: float, y: float, yaw: float) -> str:
        """Id of the newest look with a picture from about a pose; empty for none."""
        return next((
            look.look_id for look in reversed(self.looks)
            if look.look_id in self.pictures and look.pose.distance_to(x, y) < _SAME_VIEW_M
            and abs(wrap_angle(look.pose.yaw - yaw)) < _SAME_VIEW_RAD), '')

    def goal_of(self, belief: Belief) -> str:
        """The goal of a mission in words: a place by its name, not by its id."""
        place = next((one for one in self.places if belief.place and one.id == belief.place), None)
        return belief.goal_text if place is None else words_of_way(place.title)

    @property
    def open(self) -> bool:
        """Tell whether a mission goes on."""
        belief = self.belief.body if self.belief is not None else None
        return isinstance(belief, Belief) and bool(belief.goal_text) and belief.outcome is None

    def _new_narrator(self) -> Narrator:
        return Narrator(self._say)

    def _say(self, line: str) -> None:
        self.timeline.append(
            Entry(self._now_s, line[:_KIND_CHARS].strip(), line[_KIND_CHARS:].strip()))

    def _on_belief(self, document: Document, belief: object) -> None:
        assert isinstance(belief, Belief)
        if document.goal_id != self.goal_id:
            if belief.outcome is not None and self.open:
                # A refused goal leaves the one in hand alone.
                self._say(f'{belief.outcome.value:<{_KIND_CHARS}}{belief.goal_text}: '
                          f'{belief.reason}')
                return
            self._begin(document.goal_id, self.goal_of(belief))
            self.from_begin = not belief.budgets.model_calls
        self.belief, self.belief_at_s = document, self._now_s
        if belief.outcome is not None or belief.p_here is None:
            self.p_here = belief.p_here

    def _begin(self, goal_id: str, goal: str) -> None:
        self.path.clear()
        self.refused.clear()
        self.cones.clear()
        self.verdict = self.driven_to = self.track = self.candidates = None
        self._say(f'{"goal":<{_KIND_CHARS}}{goal or "stop"}')
        self._narrator = self._new_narrator()
        self._narrator.begin(goal_id)

    def _on_pose(self, document: Document, robot: object) -> None:
        del document
        assert isinstance(robot, RobotPose)
        self.pose, self.pose_at_s = robot, self._now_s
        at = robot.pose.x, robot.pose.y
        if not self.path or hypot(at[0] - self.path[-1][0], at[1] - self.path[-1][1]) > _STEP_M:
            self.path.append(at)

    def _on_look(self, document: Document, look: object) -> None:
        assert isinstance(look, Look)
        if look.taken:
            self.look = document

    def _on_hypothesis(self, document: Document, answer: object) -> None:
        del answer
        self.answer, self.answer_at_s = document, self._now_s

    def _on_observation(self, document: Document, seen: object) -> None:
        del document
        assert isinstance(seen, Observation)
        self.track = seen.track
        if seen.p_here is not None and self.open:
            self.p_here = seen.p_here
        if seen.pose is not None:
            self.looks.append(LookTaken(self._now_s, seen.look_id,
                                        seen.viewpoint or seen.pose, seen.scene_place))
        if seen.cone is not None and seen.source is Source.MODEL:
            self.cones.append(seen.cone)
        for thing in seen.objects:
            self.things = [one for one in self.things if not _same(one.thing, thing)]
            self.things.append(SeenThing(thing, self._now_s))
        del self.things[:-_MOST_THINGS]

    def _on_verdict(self, document: Document, verdict: object) -> None:
        assert isinstance(verdict, Verdict)
        if document.goal_id != self.goal_id:
            return
        decision = verdict.decision
        self.verdict = decision or verdict.result
        accepted = decision is not None and decision.code is Code.OK
        self.driven_to = decision.goal if decision is not None and accepted else None
        if decision is not None and not accepted:
            self.refused.append(RefusedGoal(self._now_s, verdict.action, decision.code,
                                            decision.reason, decision.goal))

    def _on_candidates(self, document: Document, candidates: object) -> None:
        assert isinstance(candidates, Candidates)
        if document.goal_id == self.goal_id:
            self.candidates = candidates


def _same(one: GroundedObject, other: GroundedObject) -> bool:
    return one.name == other.name and hypot(
        one.position[0] - other.position[0], one.position[1] - other.position[1]) < _SAME_THING_M


def _told(statement: Statement) -> str:
    cure = f' ({statement.cure})' if statement.cure else ''
    return f'{statement.node}, {statement.subject}: {statement.text}{cure}'
