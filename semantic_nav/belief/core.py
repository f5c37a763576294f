"""The belief: owns the mission, its pace and its budgets; it says what to do next, never how."""

from collections.abc import Callable
from typing import Any

from semantic_nav.belief import goal_text
from semantic_nav.belief.config import BeliefConfig
from semantic_nav.belief.confirm import confirms, strays, views_needed
from semantic_nav.belief.course import Course
from semantic_nav.belief.events import (
    AnswerReceived,
    CancelRequested,
    GoalReceived,
    ListenersChanged,
)
from semantic_nav.belief.mission import Mission
from semantic_nav.belief.steps import MAX_REASON, look_time_s
from semantic_nav.belief.table import Evidence
from semantic_nav.contracts.clock import Now, seconds
from semantic_nav.contracts.core import DocumentReceived, Event, Output, Tick
from semantic_nav.contracts.documents import (
    Belief,
    Candidates,
    Decision,
    Document,
    Hypothesis,
    Look,
    Observation,
    Refusal,
    Result,
    RobotPose,
    Step,
    Verdict,
)
from semantic_nav.contracts.hypothesis import Action
from semantic_nav.contracts.ids import Ids
from semantic_nav.contracts.vocabulary import (
    CIRCUIT_OPEN,
    NOT_ASKED,
    ActOutcome,
    Code,
    Outcome,
    Phase,
    Source,
    Status,
    StepKind,
)

#: Longest step of the robot between two poses that is counted as driven, in metres.
_LONGEST_STEP_M = 2.0


class BeliefCore:
    """The mission's state machine.

    A mission alternates between looks and acts. A look ends with the verifier's observation of
    it, an act with the verifier's refusal or its result. `table` says what evidence does to the
    status.
    """

    def __init__(self, config: BeliefConfig, session: str, seed: int = 0) -> None:
        """Begin without a mission."""
        del seed
        self._config = config
        self._course = Course(config, session)
        self._goal_ids = Ids('goal', session)
        self._mission: Mission | None = None
        self._published: tuple[object, ...] = ()
        self.dropped = 0
        self._of_body: dict[type, Callable[[Document, Any, Now], None]] = {
            Look: self._on_look, Hypothesis: self._on_hypothesis,
            Observation: self._on_observation, Candidates: self._on_candidates,
            Verdict: self._on_verdict, RobotPose: self._on_pose}

    @property
    def wants_ticks(self) -> bool:
        """Deadlines matter while a mission is open."""
        return self._mission is not None and self._mission.open

    def handle(self, event: Event, now: Now) -> list[Output]:
        """Take one event in and return the documents that follow."""
        self._course.out = []
        if isinstance(event, ListenersChanged):
            self._on_listeners(event.missing, now)
        elif isinstance(event, GoalReceived):
            self._on_goal(event.text, now)
        elif self._mission is not None and self._mission.open:
            self._on_mission_event(self._mission, event, now)
        if self._mission is not None:
            self._publish_belief(self._mission, now)
        return self._course.out

    def _on_mission_event(self, mission: Mission, event: Event, now: Now) -> None:
        match event:
            case DocumentReceived(document):
                take = self._of_body.get(type(document.body))
                if take is None or document.goal_id not in ('', mission.goal_id):
                    self.dropped += 1
                else:
                    take(document, document.body, now)
            case AnswerReceived(text):
                self._on_answer(mission, text, now)
            case CancelRequested():
                self._course.finish(mission, Outcome.CANCELLED, 'the operator cancelled', now)
            case Tick():
                self._on_tick(mission, now)

    def _on_listeners(self, missing: tuple[str, ...], now: Now) -> None:
        self._course.missing = missing
        mission = self._mission
        if missing and mission is not None and mission.open and mission.step is not None:
            # Whoever is gone will not answer the step any more.
            reason = f'waiting for {" and ".join(missing)}'
            self._course.stop(mission, now, reason)
            self._course.wait(mission, now, reason)

    # The operator

    def _on_goal(self, text: str, now: Now) -> None:
        refusal = goal_text.refusal_of(text, self._config.max_goal_chars)
        shown = goal_text.quotable(text.strip(), self._config.max_goal_chars)
        mission = Mission(self._goal_ids.mint(), shown, now.steady_ns)
        if refusal:
            mission.phase = Phase.FINISHED
            mission.outcome = Outcome.REFUSED
            mission.reason = refusal
            mission.finished_ns = now.steady_ns
            self._publish_belief(mission, now)
            if self._mission is None or not self._mission.open:
                self._mission = mission
            return
        if self._mission is not None and self._mission.open:
            self._course.finish(self._mission, Outcome.CANCELLED, 'a new goal came', now)
            self._publish_belief(self._mission, now)
        self._mission = mission
        if self._config.memory_wait_s and not self._course.missing:
            self._course.wait(mission, now, 'a new goal', self._config.memory_wait_s)
            mission.waits_for_memory = True
        else:
            self._course.look(mission, now, 'a new goal')

    def _on_answer(self, mission: Mission, text: str, now: Now) -> None:
        if mission.phase is not Phase.ASKING:
            self.dropped += 1
            return
        refusal = goal_text.refusal_of(text, self._config.max_goal_chars)
        if refusal:
            mission.reason = f'the answer was refused: {refusal}'
            return
        mission.goal_text = goal_text.with_answer(mission.goal_text, text)
        mission.question = ''
        self._course.look(mission, now, 'the operator answered')

    # Looks

    def _on_look(self, document: Document, look: Look, now: Now) -> None:
        mission = self._in_hand(StepKind.LOOK, document.cause_id)
        if mission is None or look.inform:
            return
        if not look.taken:
            self._course.wait(mission, now, f'no picture: {look.reason}')
        elif mission.hypothesis is None:
            self._course.await_part(mission, now, look_time_s(self._config), 'the hypothesis')

    def _on_hypothesis(self, document: Document, hypothesis: Hypothesis, now: Now) -> None:
        mission = self._in_hand(StepKind.LOOK, hypothesis.step_id)
        if mission is None:
            return
        if mission.hypothesis is not None:
            self.dropped += 1
            return
        mission.hypothesis = document
        if hypothesis.meta.vlm_error not in (NOT_ASKED, CIRCUIT_OPEN):
            mission.model_calls += 1 + hypothesis.meta.vlm_retry_count
        if hypothesis.source is Source.MODEL:
            mission.silent_looks = 0
        elif hypothesis.meta.vlm_error != NOT_ASKED:
            mission.silent_looks += 1
        self._course.await_part(mission, now, self._config.part_wait_s, 'the observation')
        self._end_look(mission, now)

    def _on_observation(self, document: Document, observation: Observation, now: Now) -> None:
        del document
        mission = self._in_hand(StepKind.LOOK, observation.step_id)
        if mission is None:
            return
        mission.observation = observation
        self._end_look(mission, now)

    def _end_look(self, mission: Mission, now: Now) -> None:
        document, observation = mission.hypothesis, mission.observation
        if document is None or observation is None:
            return
        assert isinstance(document.body, Hypothesis)
        expected = mission.track
        mission.track = observation.track
        if expected is None or mission.track is None or mission.track.id != expected.id:
            mission.other_stand_offs = 0
        mission.step = None
        if observation.source is Source.MODEL:
            if observation.track is not None:
                self._course.evidence(mission, Evidence.TARGET_SEEN)
            elif expected is not None:
                self._course.evidence(mission, Evidence.TARGET_LOST)
        if mission.confirming and observation.source is Source.FALLBACK and (
                mission.track is not None):
            # Silence is no doubt: the last look is still to come, while the looks without an
            # answer are counted.
            self._course.wait(mission, now, 'the last look had no answer of the model'
                                            f'{mission.model_error()}')
        elif mission.confirming:
            mission.confirming = False
            mission.strays += strays(document.body, observation, expected)
            self._end_confirmation(
                mission, now, confirms(document.body, observation, expected, self._config))
        else:
            self._act_on(mission, document, document.body, observation, now)

    def _end_confirmation(self, mission: Mission, now: Now, doubt: str) -> None:
        track, views = mission.track, views_needed(mission.strays, self._config)
        enough = track is not None and track.views >= views
        if not doubt and enough:
            self._course.evidence(mission, Evidence.CONFIRMED)
            self._course.finish(mission, Outcome.ARRIVED,
                                'the target is in front of the robot', now)
            return
        # A model that sees targets everywhere is not followed for ever.
        mission.refusals += 1
        if not doubt and track is not None:
            self._course.act(mission, now, f'seen from {track.views} of {views} places',
                             track_id=track.id)
        elif mission.track is None:
            self._course.look(mission, now, f'not confirmed: {doubt}')
        elif mission.other_stand_offs < self._config.confirm_retries:
            mission.other_stand_offs += 1
            self._course.act(mission, now, f'not confirmed, from another side: {doubt}',
                      track_id=mission.track.id)
        else:
            self._course.finish(mission, Outcome.GAVE_UP, f'reached, not confirmed: {doubt}', now)

    # Acts

    def _act_on(self, mission: Mission, document: Document, body: Hypothesis,
                observation: Observation, now: Now) -> None:
        proposal = body.hypothesis
        if proposal.action is Action.ASK_CLARIFICATION:
            self._course.ask(mission, proposal.clarification_question or '', now)
        elif proposal.action is not Action.STOP:
            self._course.act(mission, now, proposal.rationale, hypothesis_id=document.id,
                      action=proposal.action)
        elif mission.track is not None and observation.pose is not None and (
                observation.pose.distance_to(*mission.track.position[:2])
                <= self._config.stand_off_m):
            self._course.look(mission, now, 'the model says that the target is reached',
                              confirm=True)
        else:
            self._course.refused(mission, now, Code.NOT_CONFIRMED,
                          'stop was proposed, and no tracked target is within the stand-off')

    def _on_verdict(self, document: Document, verdict: Verdict, now: Now) -> None:
        mission = self._in_hand(StepKind.ACT, document.cause_id)
        if mission is None:
            return
        if verdict.decision is not None:
            self._on_decision(mission, verdict, verdict.decision, now)
        elif verdict.result is not None:
            self._on_result(mission, verdict, verdict.result, now)

    def _on_decision(self, mission: Mission, verdict: Verdict, decision: Decision,
                     now: Now) -> None:
        if decision.code is Code.OK:
            mission.reason = decision.reason
            mission.rejection_reason = ''
            mission.last_refusal = None
            mission.refusals_in_row = 0
            return
        mission.step = None
        if decision.code is Code.NOTHING_LEFT:
            self._nothing_left(mission, decision, now)
            return
        if verdict.action == Action.APPROACH and decision.code is Code.UNREACHABLE:
            if verdict.hypothesis_id is None:
                # The robot was at a stand-off and asked for another one.
                self._course.finish(mission, Outcome.GAVE_UP,
                                    f'reached, not confirmed: {decision.reason}', now)
                return
            self._course.evidence(mission, Evidence.NO_WAY)
        self._course.refused(mission, now, decision.code, decision.reason)

    def _on_result(self, mission: Mission, verdict: Verdict, result: Result, now: Now) -> None:
        mission.step = None
        if result.outcome is ActOutcome.UNAVAILABLE:
            self._course.refused(mission, now, Code.NAV_UNAVAILABLE, result.reason)
            return
        mission.waits_in_row = 0
        if result.outcome is ActOutcome.ARRIVED and verdict.action == Action.APPROACH:
            self._course.look(mission, now, 'arrived at the stand-off', confirm=True)
        elif result.outcome in (ActOutcome.ARRIVED, ActOutcome.LEG_DONE):
            self._course.look(mission, now, result.reason)
        else:
            self._course.refused(mission, now, Code.PATH_INVALID,
                                 f'{verdict.action}: {result.reason}')

    def _nothing_left(self, mission: Mission, decision: Decision, now: Now) -> None:
        mission.rejection_reason = f'{decision.code.value}: {decision.reason}'
        if mission.candidates is not None and mission.candidates.candidates and (
                mission.last_refusal is None or mission.last_refusal.code is not decision.code):
            # Remembered places are left: the fallback goes there when the model does not.
            mission.last_refusal = Refusal(decision.code, decision.reason[:MAX_REASON])
            mission.refusals_in_row = self._config.refusals_before_fallback
            self._course.look(mission, now, mission.rejection_reason)
        elif mission.status in (Status.VISIBLE, Status.UNREACHABLE):
            self._course.finish(mission, Outcome.GAVE_UP,
                         f'the target was seen, but no way leads to it; {decision.reason}', now)
        else:
            self._course.finish(mission, Outcome.NOT_HERE,
                                f'looked everywhere: {decision.reason}', now)

    # The rest

    def _on_candidates(self, document: Document, candidates: Candidates, now: Now) -> None:
        mission = self._mission
        if mission is None or document.goal_id != mission.goal_id:
            return
        mission.candidates = candidates
        best = max((candidate.score for candidate in candidates.candidates), default=0.0)
        if best >= candidates.threshold and candidates.candidates:
            self._course.evidence(mission, Evidence.PLACE_LIKELY)
        elif not candidates.candidates:
            self._course.evidence(mission, Evidence.PLACES_DISPROVED)
        if mission.waits_for_memory:
            self._course.look(mission, now, mission.reason)

    def _on_pose(self, document: Document, robot: RobotPose, now: Now) -> None:
        del document, now
        mission = self._mission
        assert mission is not None
        if mission.last_pose is not None and robot.healthy:
            step_m = mission.last_pose.distance_to(robot.pose.x, robot.pose.y)
            mission.distance_m += step_m if step_m < _LONGEST_STEP_M else 0.0
        mission.last_pose = robot.pose

    def _on_tick(self, mission: Mission, now: Now) -> None:
        exhausted = mission.exhausted(self._config, now)
        if exhausted:
            self._course.finish(mission, Outcome.GAVE_UP, exhausted, now)
        elif mission.phase is Phase.ASKING:
            self._watch_question(mission, now)
        elif mission.retry_ns is not None:
            if now.steady_ns >= mission.retry_ns:
                self._course.look(mission, now, mission.reason, confirm=mission.confirming)
        elif mission.step is not None and now.steady_ns > mission.step_ends_ns:
            assert isinstance(mission.step.body, Step)
            what = mission.step.body.kind.value
            reason = f'{mission.awaited} of the {what} did not come in time'
            self._course.stop(mission, now, reason)
            self._course.wait(mission, now, reason)

    def _watch_question(self, mission: Mission, now: Now) -> None:
        wait_s = self._config.answer_wait_s
        if seconds(now.steady_ns - mission.asked_ns) > wait_s:
            mission.question = ''
            self._course.refused(mission, now, Code.NOT_CONFIRMED,
                                 f'the question was not answered within {wait_s:g} s')

    def _in_hand(self, kind: StepKind, step_id: str) -> Mission | None:
        """Return the mission if this step is the one in hand, and of this kind."""
        mission = self._mission
        if mission is not None and mission.step is not None and mission.step.id == step_id:
            assert isinstance(mission.step.body, Step)
            if mission.step.body.kind is kind:
                return mission
        self.dropped += 1
        return None

    def _publish_belief(self, mission: Mission, now: Now) -> None:
        """Publish the mission where more than its clock has changed."""
        belief = mission.document(self._config, now)
        essence = (mission.goal_id, *_essence(belief))
        if essence != self._published:
            self._published = essence
            self._course.out.append(self._course.document(mission, now, belief))


def _essence(belief: Belief) -> tuple[object, ...]:
    budgets = belief.budgets
    return (belief.goal_text, belief.status, belief.phase, belief.outcome, belief.reason,
            belief.candidate_nodes, belief.question, belief.rejection_reason, belief.next_action,
            budgets.model_calls, budgets.refusals)
