"""A mission of some seconds through the cores of belief and verifier, without sensors or map."""

from collections import deque
from dataclasses import replace

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.core import BeliefCore
from semantic_nav.belief.events import READS as BELIEF_READS
from semantic_nav.belief.events import GoalReceived
from semantic_nav.belief.goal import Goal
from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.codec import decode_document, encode_document
from semantic_nav.contracts.core import DocumentReceived, Event, Tick
from semantic_nav.contracts.documents import (
    Body,
    Document,
    Hypothesis,
    Look,
    ModelMeta,
    Observation,
    Step,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action, CanonicalHypothesis, TargetStatus
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.vocabulary import ModelAnswer, Source
from semantic_nav.verify.config import VerifierConfig
from semantic_nav.verify.core import VerifierCore
from semantic_nav.verify.events import READS as VERIFIER_READS

_TICK_NS = 250_000_000
_PROPOSAL = CanonicalHypothesis(Action.EXPLORE, TargetStatus.NOT_VISIBLE, 0.9)
_META = ModelMeta(
    ModelAnswer.VALID, vlm_backend='mock', vlm_model='doctor', vlm_latency_ms=1.0,
    vlm_parse_ok=True, vlm_schema_ok=True, vlm_retry_count=0, vlm_reply_count=1, vlm_error='',
    image_sha256='0' * 64, prompt_sha256='0' * 64)
_SEEN = Observation(
    look_id='look', step_id='step', source=Source.MODEL, pose=Pose2D(0.0, 0.0, 0.0),
    scene_place='hall', cone=None, objects=(), track=None, target_bearing_rad=None,
    ungrounded_reason='', coverage=0.0, unlooked_reachable_m2=5.0)


class SmallMission:
    """Passes each core's documents to the other one, and answers looks as a model would.

    All of it goes through JSON and its schemas, as on the topics.

    Attributes:
        said: the bodies of all documents, the newest last.
    """

    def __init__(self, now: Now) -> None:
        """Start both cores at this time."""
        self.said: list[Body] = []
        self._now = now
        self._ids = Ids('hypothesis', 'doctor')
        self._belief = BeliefCore(BeliefConfig(memory_wait_s=0.0), 'doctor')
        self._verifier = VerifierCore(VerifierConfig(), 'doctor')

    def begin(self, goal: str) -> None:
        """Send a goal."""
        self._feed(GoalReceived(Goal('goal-doctor', goal)))

    def pass_time(self, seconds: float) -> None:
        """Let time pass in ticks of both cores."""
        for _ in range(round(seconds * 1e9 / _TICK_NS)):
            self._now = replace(
                self._now, **{name: getattr(self._now, name) + _TICK_NS
                              for name in ('clock_ns', 'steady_ns', 'calendar_ns')})
            self._feed(Tick())

    def _feed(self, event: Event) -> None:
        """Feed an event to both cores, and then all that follows from it, in order."""
        due: deque[Event] = deque([event])
        while due:
            event = due.popleft()
            for core, reads in ((self._belief, BELIEF_READS), (self._verifier, VERIFIER_READS)):
                if isinstance(event, DocumentReceived) and event.document.schema not in reads:
                    continue
                for output in core.handle(event, self._now):
                    if isinstance(output, Document):
                        due.extend(map(DocumentReceived, self._published(output)))

    def _published(self, document: Document) -> list[Document]:
        """A document as its readers get it, and the answers of camera and model to a look."""
        document = decode_document(encode_document(document), document.schema)
        body = document.body
        self.said.append(body)
        if not isinstance(body, Step) or body.look is None:
            return [document]
        look = self._minted(document, document.id, Look(True))
        answer = self._minted(document, look.id, Hypothesis(
            document.id, Source.MODEL, _PROPOSAL, _META))
        seen = self._minted(document, answer.id, replace(
            _SEEN, look_id=look.id, step_id=document.id))
        return [document, *(one for said in (look, answer, seen) for one in self._published(said))]

    def _minted(self, step: Document, cause_id: str, body: Body) -> Document:
        return Document(self._ids.mint(), cause_id, step.goal_id, self._now.clock_ns, 'camera',
                        body)
