"""Narration of a mission in lines: one for each event, one for each step."""

from collections.abc import Callable
from dataclasses import dataclass, field

from semantic_nav.belief.goal_text import quotable
from semantic_nav.client.words import what_came
from semantic_nav.contracts.documents import (
    Belief,
    Decision,
    Document,
    Hypothesis,
    Look,
    Observation,
    RobotPose,
    Step,
    Track,
    Verdict,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.vocabulary import (
    ActOutcome,
    Code,
    Outcome,
    Phase,
    Purpose,
    Source,
    StepKind,
)

#: Documents kept until the goal's id is known.
_EARLY_KEPT = 50
#: Words for a motion that ended well, by its action and outcome.
_REACHED = {
    (Action.EXPLORE.value, ActOutcome.ARRIVED): 'at the view',
    (Action.GOTO_NODE.value, ActOutcome.ARRIVED): 'at the remembered place',
    (Action.ROTATE.value, ActOutcome.ARRIVED): 'the turn is done',
    (Action.APPROACH.value, ActOutcome.ARRIVED): 'at the stand-off, for a last look',
    (Action.APPROACH.value, ActOutcome.LEG_DONE): 'for another look',
    (Action.EXPLORE.value, ActOutcome.LEG_DONE): 'before what blocks the way',
    (Action.GOTO_NODE.value, ActOutcome.LEG_DONE): 'before what was found there',
}
#: Longest line of the narration, in characters.
_MAX_LINE = 3000


def harmless(line: str) -> str:
    """A text as one line without control characters."""
    return quotable(line, _MAX_LINE)


@dataclass
class Narrator:
    """Narrator of a mission: follows its documents and says what happens.

    Attributes:
        say: takes a line.
        path: poses of the robot so far, in the map frame.
        looked_from: poses of the robot at the looks of the model, the earliest first.
        refused: goal poses that were refused, with the code.
        final: the answer to the last look that showed the target.

    Documents of several nodes come in any order: the end of a mission is told by `settle`, once
    the documents on its cause have had time to come.
    """

    say: Callable[[str], None]
    goal_id: str = ''
    belief: Belief | None = None
    track: Track | None = None
    path: list[Pose2D] = field(default_factory=list)
    looked_from: list[Pose2D] = field(default_factory=list)
    refused: list[tuple[Pose2D, Code]] = field(default_factory=list)
    final: Document | None = None
    cycles: int = 0
    _hypotheses: dict[str, Document] = field(default_factory=dict)
    _steps: dict[str, Step] = field(default_factory=dict)
    _newest_step: Step | None = None
    _early: list[Document] = field(default_factory=list)
    _ended: bool = False
    _quoted: bool = False

    def __post_init__(self) -> None:
        """Strip control characters that could steer the terminal: the words come from a model."""
        say = self.say
        self.say = lambda line: say(harmless(line))

    def begin(self, goal_id: str) -> None:
        """Follow this goal; the documents that came before its id was known are told now."""
        self.goal_id = goal_id
        early, self._early = self._early, []
        for document in early:
            self.take(document)

    @property
    def outcome(self) -> Outcome | None:
        """Outcome of the mission; None while it goes on."""
        return self.belief.outcome if self.belief is not None else None

    def take(self, document: Document) -> None:
        """Take a document of the mission."""
        body = document.body
        if isinstance(body, RobotPose):
            self.path.append(body.pose)
        elif not self.goal_id:
            self._early = [*self._early[-_EARLY_KEPT:], document]
        elif document.goal_id == self.goal_id:
            self._tell(document)

    def _tell(self, document: Document) -> None:
        match document.body:
            case Step() as step:
                # A stop is repeated until the robot stands.
                if step.kind is StepKind.STOP and step != self._newest_step:
                    self.say(f'stop      {step.reason}')
                self._steps[document.id] = self._newest_step = step
            case Look(taken=False) as look:
                self.say(f'no look   {look.reason}')
            case Hypothesis() as hypothesis:
                self._hypotheses[document.id] = document
                self._on_hypothesis(hypothesis)
                if hypothesis.hypothesis.target_box is not None:
                    self.final = document
            case Observation() as observation:
                self._on_observation(observation)
            case Verdict() as verdict:
                self._on_verdict(verdict)
            case Belief() as belief:
                self._on_belief(belief)
            case _:
                pass

    def _on_hypothesis(self, answer: Hypothesis) -> None:
        """Quote the model's first answer: it says there whether it understands the goal."""
        words = answer.hypothesis.rationale
        if answer.source is Source.MODEL and words and not self._quoted:
            self._quoted = True
            self.say(f'model     “{words}”')

    def _on_observation(self, observation: Observation) -> None:
        if observation.track is not None:
            self.track = observation.track
        if observation.pose is not None and observation.source is Source.MODEL:
            self.looked_from.append(observation.pose)
        step = self._steps.get(observation.step_id)
        if step is None or step.look is None or not step.look.confirm:
            return
        answer = next((document for document in reversed(self._hypotheses.values())
                       if document.cause_id == observation.look_id), None)
        self._cycle(answer, 'the last look')

    def _on_verdict(self, verdict: Verdict) -> None:
        if verdict.decision is not None:
            self._on_decision(verdict, verdict.decision)
        elif verdict.result is not None:
            result = verdict.result
            # Only the end of a mission is an arrival.
            words = _REACHED.get((verdict.action, result.outcome))
            self.say(f'there     {words}' if words else
                     f'{result.outcome.value:<9} {result.reason}')

    def _on_decision(self, verdict: Verdict, decision: Decision) -> None:
        if decision.code is not Code.OK and decision.goal is not None:
            self.refused.append((decision.goal, decision.code))
        answer = self._hypotheses.get(verdict.hypothesis_id or '')
        refused = f'{verdict.action} refused, {decision.code}, '
        self._cycle(answer, f'{"" if decision.code is Code.OK else refused}{decision.reason}')

    def _cycle(self, answer: Document | None, decision: str) -> None:
        self.cycles += 1
        self.say(f'step {self.cycles:<4} {self._what_came(answer)}: {decision}')

    def _on_belief(self, belief: Belief) -> None:
        before, self.belief = self.belief, belief
        if before is None or belief.status is not before.status:
            self.say(f'belief    {belief.status.value}: {belief.reason or "a new goal"}')
        if belief.question and (before is None or belief.question != before.question):
            self.say(f'question  {belief.question}')
        if belief.waits and (
                before is None or belief.reason != before.reason):
            self.say(f'waiting   {belief.reason}')
        if belief.phase is Phase.PAUSED:
            if before is None or belief.reason != before.reason:
                self.say(f'paused    {belief.reason}')
        elif before is not None and before.phase is Phase.PAUSED and (
                belief.phase not in (Phase.STOPPING, Phase.FINISHED)):
            self.say(f'resumed   {belief.next_action}')

    def settle(self) -> None:
        """Tell the end of the mission, once, if it has ended."""
        belief = self.belief
        if belief is not None and belief.outcome is not None and not self._ended:
            self._ended = True
            self.say(f'finished  {belief.outcome.value}: {belief.reason}{self._seen_as(belief)}')

    def _seen_as(self, belief: Belief) -> str:
        """Words of the model on the target that was reached; empty if there are none."""
        if self.final is None or (belief.outcome, belief.purpose) != (
                Outcome.ARRIVED, Purpose.FIND):
            return ''
        assert isinstance(self.final.body, Hypothesis)
        words = self.final.body.hypothesis.rationale
        return f'; the model: “{words}”' if words else ''

    def _what_came(self, answer: Document | None) -> str:
        """Result of the model call behind a decision, in words."""
        if answer is None or not isinstance(answer.body, Hypothesis):
            return 'by what was seen before'
        meta = answer.body.meta
        return what_came(meta.vlm_answer, answer.body.hypothesis.target_status, meta.vlm_error,
                         self.belief.purpose if self.belief is not None else Purpose.FIND)
