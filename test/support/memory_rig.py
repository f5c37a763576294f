"""A memory core: the test plays verifier, hypothesis node and belief, and may play the worker."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from builders import meta

from semantic_nav.contracts.clock import NS_PER_S, Now
from semantic_nav.contracts.codec import decode_document, encode_document
from semantic_nav.contracts.core import DocumentReceived, Event, Output, Report, Ticking
from semantic_nav.contracts.documents import (
    Belief,
    Body,
    Budgets,
    Candidates,
    Document,
    GroundedObject,
    Hypothesis,
    Observation,
    RobotPose,
    Step,
    Track,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import (
    Action,
    CanonicalHypothesis,
    Scene,
    SceneObject,
    TargetStatus,
)
from semantic_nav.contracts.vocabulary import Level, Outcome, Phase, Source, Status, StepKind
from semantic_nav.embed.hashing import HashEmbedder
from semantic_nav.memory.config import MemoryConfig
from semantic_nav.memory.core import MemoryCore
from semantic_nav.memory.events import (
    Embed,
    Embedded,
    ForgetPlace,
    HidePlace,
    LoadStore,
    PlaceForgotten,
    PlaceSaved,
    SavePlace,
    ShowPlaces,
    Started,
    StoreLoaded,
)
from semantic_nav.memory.place import Edge, Place

T = TypeVar('T')
HASH = HashEmbedder()
STARTED = Started(HASH.id, HASH.name, HASH.dimension)
EMPTY = StoreLoaded((), (), (), np.zeros((0, HASH.dimension), np.float32))
KITCHEN = Scene('kitchen', (SceneObject('red mug'), SceneObject('kettle')))
BEDROOM = Scene('bedroom', (SceneObject('double bed'), SceneObject('pillow')))


class Bench:
    """A core, with a robot before it and, while `working`, a worker behind it.

    What holds until something else is said is kept here as a shell does; it is no part of
    `outputs` nor of what `feed` returns.
    """

    def __init__(self, working: bool = True, **parameters: Any) -> None:
        self.core = MemoryCore(MemoryConfig(embedder='hash', **parameters), 's')
        self.working = working
        self.now = Now(1000 * NS_PER_S, 5 * NS_PER_S, 1_700_000_000 * NS_PER_S)
        self.pose = Pose2D(0, 0, 0)
        self.goal_id = ''
        self.numbers = iter(range(1, 10_000))
        #: Everything that came out, in order.
        self.outputs: list[Output] = []
        self.saved: list[SavePlace] = []
        self.ticking = False
        self.reports: dict[str, Report] = {}
        self.shown: list[ShowPlaces] = []
        self.forgotten: list[str] = []

    def started(self) -> 'Bench':
        self.feed(STARTED)
        if not self.working:
            self.feed(EMPTY)
        return self

    def feed(self, event: Event) -> list[Output]:
        """Feed an event, and while the worker works its results too; return all outputs."""
        outputs = [output for output in self.core.handle(event, self.now)
                   if not self.keep(output)]
        self.outputs += outputs
        if self.working:
            for output in list(outputs):
                result = self.work(output)
                if result is not None:
                    outputs += self.feed(result)
        return outputs

    def keep(self, output: Output) -> bool:
        """Take what holds until something else is said; False if it is nothing of the kind."""
        match output:
            case Ticking(wanted):
                self.ticking = wanted
            case Report(subject):
                self.reports[subject] = output
            case ShowPlaces():
                self.shown.append(output)
            case HidePlace(place_id):
                self.shown = [replace(one, places=tuple(
                    place for place in one.places if place.id != place_id)) for one in self.shown]
            case _:
                return False
        return True

    def work(self, effect: Output) -> Event | None:
        match effect:
            case LoadStore():
                return EMPTY
            case Embed(request_id, texts):
                return Embedded(request_id, HASH.embed(texts))
            case SavePlace(place):
                self.saved.append(effect)
                return PlaceSaved(place.id)
            case ForgetPlace(_, place_id):
                self.forgotten.append(place_id)
                return PlaceForgotten(place_id)
        return None

    def receive(self, body: Body, cause_id: str = '') -> list[Output]:
        document = Document(f'other-s-{next(self.numbers)}', cause_id, self.goal_id,
                            self.now.clock_ns, 'map', body)
        # As over the wire.
        text = encode_document(document)
        return self.feed(DocumentReceived(decode_document(text, document.schema)))

    def pass_time(self, seconds: float) -> None:
        ns = round(seconds * NS_PER_S)
        self.now = Now(self.now.clock_ns + ns, self.now.steady_ns + ns, self.now.calendar_ns + ns)

    def be_at(self, x: float, y: float = 0.0, yaw: float = 0.0, *, healthy: bool = True,
              jump_m: float = 0.0) -> None:
        self.pass_time(0.5)
        self.pose = Pose2D(x, y, yaw)
        self.receive(RobotPose(self.pose, healthy, jump_m))

    def drive_to(self, x: float, y: float = 0.0) -> None:
        """Drive straight, with a pose each half metre at most."""
        start = self.pose
        steps = max(1, math.ceil(start.distance_to(x, y) / 0.5))
        for step in range(1, steps + 1):
            self.be_at(start.x + (x - start.x) * step / steps,
                       start.y + (y - start.y) * step / steps, start.yaw)

    def look(self, scene: Scene = KITCHEN, *, source: Source = Source.MODEL,
             pose: Pose2D | None = None, seen: str = '', told: bool = True) -> list[Output]:
        """Let a look's hypothesis and observation come; `seen` is track or box."""
        hypothesis = Hypothesis(
            'step', source, CanonicalHypothesis(
                Action.EXPLORE, TargetStatus.NOT_VISIBLE, 0.5, scene=scene),
            meta())
        outputs = self.receive(hypothesis, 'look') if told else []
        self.untold = hypothesis
        box = (0.0, 0.0, 10.0, 10.0)
        target = GroundedObject('target', box, (1, 0, 1), (0.1, 0.1, 0.1), 1.0, False, True)
        observation = Observation(
            'look', 'step', source, scene.place, pose or self.pose, None,
            (target,) if seen == 'box' else (), 0.1 if seen == 'track' else None, '',
            Track('t', (1, 0, 1), 1, 1, 0) if seen in ('track', 'old track') else None, 0.5, 1.0)
        cause = f'other-s-{next(self.numbers) - 1}' if told else f'lost-{next(self.numbers)}'
        return outputs + self.receive(observation, cause)

    def believe(self, text: str = 'find the red mug', goal_id: str = 'goal-s-1',
                phase: Phase = Phase.LOOKING) -> list[Output]:
        self.goal_id = goal_id
        outcome = Outcome.ARRIVED if phase is Phase.FINISHED else None
        return self.receive(Belief(text, Status.SEARCHING, phase, outcome, '', (), '', '', '',
                                   Budgets(0, 1, 0, 1, 0, 1, 0, 1)))

    def step(self, text: str = 'find the red mug', goal_id: str = 'goal-s-1') -> list[Output]:
        self.goal_id = goal_id
        return self.receive(Step(StepKind.STOP, text))

    @property
    def places(self) -> list[Place]:
        """All that was shown, in the order in which it came."""
        return list({place.id: place for one in self.shown for place in one.places}.values())

    @property
    def edges(self) -> list[Edge]:
        return list({frozenset((edge.from_id, edge.to_id)): edge
                     for one in self.shown for edge in one.edges}.values())

    @property
    def place(self) -> Place:
        (place,) = self.places
        return place

    @property
    def store(self) -> tuple[Level, str]:
        report = self.reports['store']
        return report.level, report.text

    def figure(self, name: str, subject: str = 'places') -> int:
        return dict(self.reports[subject].figures)[name]

    @property
    def published(self) -> list[Document]:
        return of_type(self.outputs, Document)

    @property
    def candidates(self) -> Candidates:
        body = self.published[-1].body
        assert isinstance(body, Candidates)
        return body

    @property
    def offered(self) -> list[str]:
        return [candidate.node_id for candidate in self.candidates.candidates]


def of_type(outputs: Sequence[Output], kind: type[T]) -> list[T]:
    return [output for output in outputs if isinstance(output, kind)]
