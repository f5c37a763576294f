"""A belief core walked by hand: the test plays the operator and all other nodes."""

from typing import Any

from builders import (
    GOAL_ID,
    ORIGIN,
    Clock,
    approach,
    candidates,
    canonical,
    document,
    meta,
    observation,
)

from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.core import BeliefCore
from semantic_nav.belief.events import (
    AnswerReceived,
    AnswerRequest,
    CancelRequested,
    GoalReceived,
    KeepMission,
    ListenersChanged,
    MissionFound,
    PauseRequested,
    ResumeRequested,
)
from semantic_nav.belief.goal import Goal, tour, way_to
from semantic_nav.belief.kept import Kept
from semantic_nav.contracts.codec import encode_document
from semantic_nav.contracts.core import DocumentReceived, Event, Report, Tick, Ticking
from semantic_nav.contracts.documents import (
    ActRequest,
    Belief,
    Body,
    Candidate,
    Document,
    Hypothesis,
    Look,
    LookRequest,
    RobotPose,
    Step,
    Track,
    Verdict,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import CanonicalHypothesis
from semantic_nav.contracts.vocabulary import ModelAnswer, Phase, Source, StepKind

EXPLORE = canonical('explore')
APPROACH = approach()
STOP = canonical('stop', seen='visible', confidence=0.9)
ASK = canonical('ask_clarification', seen='ambiguous', clarification_question='Which one?')


class Walk:
    """A mission and what it published.

    Attributes:
        ticking: whether time matters.
        dropped: how many documents and answers came too late, as on /diagnostics.
        out: documents that the last event led to.
        steps: all steps so far.
        belief: the newest belief.
        answer_to: what was answered to the newest request.
        kept: what a belief that is started anew would find.
        stands: whether the verifier answers the stop of a mission that ends or is paused at once,
            as it does where the robot stands.
        held: why the verifier lets nothing drive.
    """

    def __init__(self, **config: Any) -> None:
        # Tests of the wait for the memory, and of second looks, ask for them.
        self.config = BeliefConfig(
            **{'memory_wait_s': 0.0, 'second_looks_share': 0.0, **config})
        self.core = BeliefCore(self.config, 's')
        self.clock = Clock()
        self.ticking = False
        self.stands = True
        self.held = ''
        self.kept: Kept | None = None
        self.dropped = 0
        self.answer_to: AnswerRequest | None = None
        self.out: list[Document] = []
        self.steps: list[Document] = []
        self.beliefs: list[Document] = []
        self.lives = 0
        self._goals = 0
        self._minted = 0

    def hear(self, event: Event) -> list[Document]:
        """Feed an event; every document that follows must keep its schema."""
        self.out = []
        self._feed(event)
        if self.stands and self.beliefs and not self.belief.stands and (
                self.belief.phase in (Phase.PAUSED, Phase.STOPPING)):
            self._minted += 1
            self._feed(DocumentReceived(self.standing()))
        return self.out

    def _feed(self, event: Event) -> None:
        for output in self.core.handle(event, self.clock.now):
            if isinstance(output, Ticking):
                self.ticking = output.wanted
                continue
            if isinstance(output, AnswerRequest):
                self.answer_to = output
                continue
            if isinstance(output, KeepMission):
                self.kept = output.kept
                continue
            if isinstance(output, Report):
                ((_, self.dropped),) = output.figures
                continue
            assert isinstance(output, Document)
            encode_document(output)
            self.out.append(output)
            if isinstance(output.body, Step):
                self.steps.append(output)
            else:
                assert isinstance(output.body, Belief)
                self.beliefs.append(output)

    def standing(self) -> Document:
        """Return the verifier's word that the robot stands, after the newest stop."""
        return document(RobotPose(ORIGIN, True, 0.0, True, self.held),
                        id_=f'peer-s-{self._minted}', cause=self.step.id, goal=self.goal_id,
                        stamp_ns=self.clock.now.clock_ns)

    # What was said

    @property
    def belief(self) -> Belief:
        body = self.beliefs[-1].body
        assert isinstance(body, Belief)
        return body

    @property
    def goal_id(self) -> str:
        return self.beliefs[-1].goal_id

    @property
    def new_steps(self) -> list[Step]:
        return [one.body for one in self.out if isinstance(one.body, Step)]

    @property
    def step(self) -> Document:
        """The newest step."""
        return self.steps[-1]

    @property
    def look(self) -> LookRequest:
        """The newest step, which must be a look."""
        body = self.step.body
        assert isinstance(body, Step) and body.look is not None, body
        return body.look

    @property
    def act(self) -> ActRequest:
        """The newest step, which must be an act."""
        body = self.step.body
        assert isinstance(body, Step) and body.act is not None, body
        return body.act

    @property
    def stopped(self) -> bool:
        """Whether the newest step ends what is driven."""
        body = self.step.body
        return isinstance(body, Step) and body.kind is StepKind.STOP

    # What the others say

    def goal(self, text: str = 'find the red mug', *, may_repeat: bool = True) -> None:
        self.hear(GoalReceived(Goal(self._new_goal_id(), text), may_repeat))

    def go(self, place: str) -> None:
        self.hear(GoalReceived(way_to(self._new_goal_id(), place)))

    def tour(self) -> None:
        self.hear(GoalReceived(tour(self._new_goal_id())))

    def _new_goal_id(self) -> str:
        self._goals += 1
        return f'goal-s-{self._goals}'

    def answer(self, text: str) -> None:
        self.hear(AnswerReceived(text))

    def cancel(self) -> None:
        self.hear(CancelRequested())

    def pause(self) -> bool:
        """Return whether it was accepted."""
        return self._request(PauseRequested())

    def resume(self) -> bool:
        """Return whether it was accepted."""
        return self._request(ResumeRequested())

    def _request(self, request: Event) -> bool:
        self.answer_to = None
        self.hear(request)
        assert self.answer_to is not None, 'whoever asks gets an answer'
        return self.answer_to.accepted

    def listeners(self, *missing: str) -> None:
        self.hear(ListenersChanged(missing))

    def restarted(self, *nodes: str) -> None:
        self.hear(ListenersChanged((), nodes))

    def dies(self, away_s: float | None = 2.0) -> None:
        """Let the belief be killed and started anew."""
        self.lives += 1
        self.core = BeliefCore(self.config, f's{self.lives}')
        self.clock.advance(away_s or 0.0)
        if self.kept is not None:
            self.hear(MissionFound(self.kept, away_s))

    def tick(self, seconds: float = 0.25) -> None:
        self.clock.advance(seconds)
        self.hear(Tick())

    def say(self, body: Body, *, cause: str = '', goal: str | None = None,
            id_: str | None = None) -> Document:
        """Let a peer publish a document; returns it."""
        if isinstance(body, RobotPose):
            self.held = body.held
        self._minted += 1
        sent = document(body, id_=id_ or f'peer-s-{self._minted}', cause=cause,
                        goal=self.goal_id if goal is None else goal,
                        stamp_ns=self.clock.now.clock_ns)
        self.hear(DocumentReceived(sent))
        return sent

    def hypothesis(self, proposal: CanonicalHypothesis = EXPLORE, *,
                   source: Source = Source.MODEL, step: str | None = None, error: str = '',
                   answer: ModelAnswer | None = None, **fields: Any) -> Document:
        """Answer a look; without `answer`, a fallback is that of a model that was silent."""
        if answer is None:
            answer = ModelAnswer.VALID if source is Source.MODEL else ModelAnswer.SILENT
        return self.say(Hypothesis(step or self.step.id, source, proposal,
                                   meta(answer, vlm_error=error, **fields)), cause='look-1')

    def observation(self, *, track: Track | None = None, source: Source = Source.MODEL,
                    step: str | None = None, **fields: Any) -> Document:
        return self.say(observation(step or self.step.id, source=source, track=track, **fields),
                        cause='hypothesis-1')

    def saw(self, proposal: CanonicalHypothesis = EXPLORE, *, track: Track | None = None,
            source: Source = Source.MODEL, error: str = '', answer: ModelAnswer | None = None,
            **fields: Any) -> Document:
        """End the look in hand; returns the hypothesis."""
        step = self.step.id
        answered = self.hypothesis(proposal, source=source, step=step, error=error, answer=answer)
        self.observation(track=track, source=source, step=step, **fields)
        return answered

    def no_picture(self, reason: str = 'no camera') -> None:
        self.say(Look(False, reason), cause=self.step.id)

    def verdict(self, verdict: Verdict) -> None:
        self.say(verdict, cause=self.step.id)

    def remembers(self, *nodes: Candidate, threshold: float = 0.6,
                  looked_at: tuple[str, ...] = ()) -> None:
        self.say(candidates(*nodes, threshold=threshold, looked_at=looked_at))

    def comes_to_rest(self) -> None:
        self._minted += 1
        self.hear(DocumentReceived(self.standing()))

    def hold(self, why: str = 'the pause topic says so') -> None:
        self.say(RobotPose(ORIGIN, True, 0.0, held=why), goal='')

    def let_go(self) -> None:
        self.hold('')

    def drives_to(self, x: float, y: float) -> None:
        self.say(RobotPose(Pose2D(x, y, 0.0), True, 0.0), goal='')


def walk(**config: Any) -> Walk:
    """Return a mission whose first look was asked for."""
    result = Walk(**config)
    result.goal()
    assert result.goal_id == GOAL_ID
    return result


def stands_otherwise(mission: Walk, pose: str, before: str) -> None:
    """Let a pose come that proves no standstill after the stop in hand.

    Args:
        mission: whose newest step is a stop.
        pose: 'before' any stop, 'of another stop', or 'that moves'.
        before: id of the step before the stop.
    """
    stands = pose != 'that moves'
    mission.say(RobotPose(ORIGIN, True, 0.0, stands=stands),
                cause={'before': '', 'of another stop': before}.get(pose, mission.step.id))
