"""Whatever valid documents come, in whatever order: the belief keeps its word."""

import math
from typing import Any

from belief_walk import APPROACH, STOP, Walk
from builders import accepted, candidate, ended, refusal, track
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from strategies import bodies, examples, hypotheses

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.documents import NAMES, Belief, Document, Look, RobotPose, Step
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import CanonicalHypothesis
from semantic_nav.contracts.vocabulary import ActOutcome, Code, Phase, Source, Status, StepKind

NODES = [candidate('a', score=0.9), candidate('b', score=0.2)]
NEAR = track(0.9, 0.0)
TRACKS = st.sampled_from([None, NEAR, track(4.0, 0.0)])


class Missions(RuleBasedStateMachine):
    """Operator and peers do what they like; nothing that follows may break the rules.

    Attributes:
        open: the look or act that nobody has ended yet.
        finished: goals of which an outcome was published.
    """

    def __init__(self) -> None:
        super().__init__()
        self.open: Document | None = None
        self.answered: set[str] = set()
        self.finished: set[str] = set()
        self.stood = False
        self.calls = 0
        self.began_s: dict[str, float] = {}
        self.rested_s: dict[str, float] = {}
        self.resting: Belief | None = None
        self.requested = False

    @initialize(limits=st.fixed_dictionaries({
        'refusals_limit': st.integers(1, 8), 'model_calls_limit': st.integers(1, 12),
        'questions_limit': st.integers(0, 2), 'unusable_looks_limit': st.integers(1, 4),
        'confirm_retries': st.integers(0, 2), 'doubts_limit': st.integers(1, 8),
        'time_limit_s': st.sampled_from([60.0, 900.0])}),
        stands=st.booleans())
    def begin(self, limits: dict[str, Any], stands: bool) -> None:
        self.walk = Walk(**limits)
        self.walk.stands = stands
        self.walk.goal()
        self.check()

    # What the others do; each rule ends with a look at what followed.

    @precondition(lambda self: self.in_hand(StepKind.LOOK))
    @rule(proposal=hypotheses(), source=st.sampled_from(Source), track=TRACKS,
          bearing=st.sampled_from([None, 0.0, 1.0]))
    def look_is_answered(self, proposal: Any, source: Source, track: Any, bearing: Any) -> None:
        step = self.walk.step.id
        self.walk.hypothesis(proposal, source=source, step=step,
                             error='' if source is Source.MODEL else 'timeout')
        self.check()
        if self.in_hand(StepKind.LOOK):
            self.answered.add(step)
            self.walk.observation(track=track, source=source, step=step, bearing=bearing)
            self.check()

    @precondition(lambda self: self.in_hand(StepKind.LOOK))
    @rule(proposal=st.sampled_from([APPROACH, APPROACH, STOP]))
    def target_is_seen(self, proposal: CanonicalHypothesis) -> None:
        self.look_is_answered(proposal, Source.MODEL, NEAR, 0.0)

    @precondition(lambda self: self.in_hand(StepKind.ACT))
    @rule(code=st.sampled_from(Code), action=st.sampled_from(['approach', 'explore']),
          reason=st.sampled_from(['because', 'x' * 2000]))
    def act_is_refused(self, code: Code, action: str, reason: str) -> None:
        if code is not Code.OK:
            self.answered.add(self.walk.step.id)
            self.walk.verdict(refusal(code, reason, action))
            self.check()

    @precondition(lambda self: self.in_hand(StepKind.ACT))
    @rule(outcome=st.sampled_from(ActOutcome), action=st.sampled_from(['approach', 'explore']))
    def act_is_carried_out(self, outcome: ActOutcome, action: str) -> None:
        self.walk.verdict(accepted(action))
        self.check()
        self.answered.add(self.walk.step.id)
        self.walk.verdict(ended(outcome, action, 'x' * 2000))
        self.check()

    @precondition(lambda self: self.open is not None)
    @rule(what=st.sampled_from(['result', 'refusal', 'no picture', 'look']))
    def something_else_is_answered(self, what: str) -> None:
        """What ends an act comes in a look, and the other way round."""
        step = self.walk.step.id
        if what in ('result', 'refusal') and self.in_hand(StepKind.LOOK):
            self.walk.verdict(ended() if what == 'result' else refusal())
        elif what == 'no picture' and self.in_hand(StepKind.ACT):
            self.walk.say(Look(False, 'no camera'), cause=step)
        elif what == 'look' and self.in_hand(StepKind.ACT):
            self.walk.hypothesis(APPROACH, step=step)
            self.check()
            self.walk.observation(step=step)
        self.check()

    @rule(what=st.sampled_from(['goal', 'goal', 'bad goal', 'cancel', 'answer', 'bad answer',
                                'missing', 'all there', 'all there']))
    def operator_does(self, what: str) -> None:
        if 'goal' in what:
            self.walk.goal('\x00' if 'bad' in what else 'find a chair')
        elif what == 'cancel':
            self.walk.cancel()
        elif 'answer' in what:
            self.walk.answer('\x00' if 'bad' in what else 'the big one')
        else:
            self.walk.listeners(*(['verifier'] if what == 'missing' else []))
        self.check()

    @rule()
    def operator_pauses(self) -> None:
        before = self.walk.belief.phase
        open_ = before in (Phase.LOOKING, Phase.DRIVING, Phase.ASKING) or (
            before is Phase.PAUSED and not self.requested)
        assert self.walk.pause() is open_
        if open_:
            self.requested = True
            assert self.walk.belief.phase is Phase.PAUSED
        self.check()

    @rule()
    def operator_resumes(self) -> None:
        assert self.walk.resume() is self.requested
        self.requested = False
        assert (self.walk.belief.phase is Phase.PAUSED) <= bool(self.walk.held)
        self.check()

    @rule(held=st.booleans())
    def robot_is_held(self, held: bool) -> None:
        self.walk.hold('why' if held else '')
        self.check()

    @rule(what=st.sampled_from(['moment', 'wait', 'wait', 'look time', 'act time', 'likely',
                                'unlikely', 'nothing', 'no picture', 'far away', 'jump back']))
    def world_does(self, what: str) -> None:
        seconds = {'moment': 0.25, 'wait': 2.5, 'look time': 71.0, 'act time': 146.0}
        if what in seconds:
            self.passes(seconds[what])
        elif what == 'jump back':
            # By a share of it: a clock of ROS has no negative times, however often it jumps.
            self.walk.clock.jump(-0.2 * self.walk.clock.now.clock_ns / NS_PER_S)
            self.passes(0.25)
        elif what == 'far away':
            self.walk.say(RobotPose(Pose2D(1e300, -1e300, 0.0), True, 0.0))
        elif what == 'no picture' and self.in_hand(StepKind.LOOK):
            self.answered.add(self.walk.step.id)
            self.walk.no_picture()
        else:
            self.walk.remembers(*[one for one in NODES if what == 'likely' or (
                what == 'unlikely' and one.score < 0.6)])
        self.check()

    @rule(data=st.data(), kind=st.sampled_from(sorted(NAMES, key=NAMES.__getitem__)),
          about=st.sampled_from(['step', 'other']), goal=st.sampled_from([None, '', 'goal-x']))
    def anything(self, data: Any, kind: type, about: str, goal: str | None) -> None:
        """Any document that the schemas allow, of this goal or another, of this step or none."""
        body = data.draw(bodies(kind))
        step = self.walk.step.id if self.walk.steps and about == 'step' else 'belief-s-0'
        if hasattr(body, 'step_id'):
            body = type(body)(**{**vars(body), 'step_id': step})
        ours = goal is None
        before = self.walk.dropped
        in_hand = self.open is not None and step == self.open.id and ours
        look = in_hand and self.in_hand(StepKind.LOOK)
        act = in_hand and self.in_hand(StepKind.ACT)
        ends_look = look and (kind in (NAMES_OF['hypothesis'], NAMES_OF['observation'])
                              or (kind is Look and not body.taken and not body.inform))
        ends_act = act and kind is NAMES_OF['verdict'] and (
            body.result is not None or body.decision.code is not Code.OK)
        if ends_look or ends_act:
            self.answered.add(step)
        self.stood = self.stood or (isinstance(body, RobotPose) and body.stands)
        self.walk.say(body, cause=step, goal=goal)
        self.check()
        if not ours:
            assert self.walk.dropped == before + (kind is not RobotPose)

    def passes(self, seconds: float) -> None:
        if self.walk.belief.phase is Phase.PAUSED:
            rested_s = self.rested_s.get(self.walk.goal_id, 0.0)
            self.rested_s[self.walk.goal_id] = rested_s + seconds
        self.walk.tick(seconds)

    # What must hold

    def in_hand(self, kind: StepKind) -> bool:
        return self.open is not None and self.open.id not in self.answered and (
            self.open.body.kind is kind)

    def check(self) -> None:
        """Look at what followed, once."""
        self.requested = self.requested and self.walk.belief.phase is Phase.PAUSED
        if self.walk.belief.phase is Phase.PAUSED:
            assert self.requested or self.walk.held
            assert self.walk.belief.pause_requested is self.requested
            assert all(step.kind is StepKind.STOP for step in self.walk.new_steps)
        out, self.walk.out = self.walk.out, []
        for document in out:
            body = document.body
            if isinstance(body, Belief):
                self.check_belief(document, body)
            else:
                assert isinstance(body, Step)
                self.check_step(document, body)

    def check_step(self, document: Document, step: Step) -> None:
        if step.kind is StepKind.STOP:
            self.open = None
            return
        assert document.goal_id not in self.finished, 'a step after the outcome'
        if self.open is not None:
            assert self.open.id in self.answered, 'a second step while one is open'
        self.open = document
        if step.look is not None:
            assert not (step.look.confirm and step.look.fallback_only)
            assert step.look.belief_target_status is not Status.DONE

    def check_belief(self, document: Document, belief: Belief) -> None:
        assert (belief.outcome is not None) == (belief.phase is Phase.FINISHED)
        assert bool(belief.question) == (belief.phase is Phase.ASKING)
        assert belief.phase is Phase.LOOKING or not belief.waits
        assert belief.phase is Phase.PAUSED or not belief.pause_requested
        assert (belief.status is Status.DONE) == (
            belief.outcome is not None and belief.outcome.value == 'arrived')
        assert math.isfinite(belief.budgets.distance_m)
        self.check_budgets(document.goal_id, belief)
        if belief.stands:
            assert self.walk.stands or self.stood, 'nobody said that the robot stands'
        if belief.outcome is not None and belief.outcome.value == 'cancelled':
            assert ('not known to stand' in belief.reason) is not belief.stands
        if belief.outcome is not None:
            self.finished.add(document.goal_id)
            assert belief.reason
            if self.open is not None and self.open.goal_id == document.goal_id:
                assert self.open.id in self.answered, 'finished, and a step is still open'
        else:
            assert document.goal_id not in self.finished, 'finished, and begun again'


    def check_budgets(self, goal_id: str, belief: Belief) -> None:
        """Time and way of a mission are those in which it was not paused."""
        began_s = self.began_s.setdefault(goal_id, self.walk.clock.passed_s)
        took_s = self.walk.clock.passed_s - began_s - self.rested_s.get(goal_id, 0.0)
        assert math.isclose(belief.budgets.time_s, took_s, abs_tol=0.051)
        before, self.resting = self.resting, None
        if belief.phase is Phase.PAUSED:
            self.resting = belief
            if before is not None:
                assert belief.budgets.distance_m == before.budgets.distance_m


NAMES_OF = {name: kind for kind, name in NAMES.items()}
TestMissions = Missions.TestCase
TestMissions.settings = settings(max_examples=examples(40), stateful_step_count=30,
                                 suppress_health_check=list(HealthCheck))
