"""What must hold of every mission, whatever goes wrong: written from the contracts alone.

The oracle sees what crosses the bus, what is asked of Nav2, and the truth of the simulator. It
uses none of the product's own checks.
"""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from semantic_nav.belief.events import (
    AnswerRequest,
    CancelRequested,
    PauseRequested,
    ResumeRequested,
)
from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.core import Event, Output
from semantic_nav.contracts.documents import (
    Belief,
    Candidates,
    Document,
    Hypothesis,
    Look,
    Observation,
    RobotPose,
    Step,
    Verdict,
)
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.grid import OccupancyGrid
from semantic_nav.contracts.vocabulary import Code, Outcome, Phase, Purpose, Source, StepKind
from semantic_nav.verify.effects import SendBackUp, SendNav, SendSpin
from semantic_nav.verify.events import PathAnswered
from semantic_nav.verify.floor.surroundings import DEPTH, SCAN
from semantic_nav_sim.robot.body import Snapshot

Motion = SendNav | SendSpin | SendBackUp
#: How far a robot may still roll or turn that stands, within the time below.
_STILL_M, _STILL_RAD, _STILL_S = 0.03, 0.05, 0.3
#: A word that the robot stands is about a moment no longer ago than this.
_SAID_S = 0.5
#: A stop reaches Nav2 within this time of its cause.
STOP_S = 1.0
#: A pose may be as old as it may, and this until the next one, which need not come.
_NOTICED_S = 0.5
#: Between two poses the robot drives on, and comes to rest.
_BRAKING_M = 1.0
#: And the robot stands so long after Nav2 was asked, where nothing is wrong with Nav2.
_REST_S = 2.0
#: Where the true outline of the target may lie beside where it is held to be, on arrival.
_ARRIVED_M = 1.2 + 0.45
#: Of less of the true floor in view of the model's looks nobody can say that nothing is there.
_LEAST_LOOKED = 0.4
#: A viewpoint that is blocked is shifted by up to 0.6 m, and no drive ends at a point.
_AT_PLACE_M = 1.0
#: Numbers in documents are rounded, in metres.
_ROUNDED_M = 0.01
#: The robot remembers where it came along by places so far apart, and is on its way again so near
#: to one; what lies so near to its middle is under it, in metres.
_APART_M, _ON_WAY_M, _UNDER_M = 0.05, 0.2, 0.2
#: What is found again so near to where it was is the same, however large, in metres.
_SAME_THING_M = 2.0
#: The belief looks at its clock now and then.
_LATE_S = 0.6
#: Values of a map and a costmap from which on a cell is occupied.
_MAP_OCCUPIED, _LETHAL = 65, 99


@dataclass(frozen=True)
class Violation:
    """Something that must not be.

    Attributes:
        code: which rule.
        at_s: when, in simulated seconds.
    """

    code: str
    at_s: float
    words: str

    def __str__(self) -> str:
        """Return it in one line."""
        return f'{self.code} at {self.at_s:.2f} s: {self.words}'


@dataclass
class Goal:
    """A mission as the bus shows it.

    Attributes:
        session: of the belief that spoke of it last.
        paused, rests: the belief says that it is, and that the robot stands in the pause.
        began_m: how far the robot had driven before.
        stands: the belief said so at the end.
        looks: true poses of the robot at the pictures that the model answered.
        remembered: where earlier missions found the same, as the memory said.
    """

    id: str
    text: str
    session: str = ''
    paused: bool = False
    began_m: float = 0.0
    outcome: Outcome | None = None
    stands: bool = False
    rests: bool = False
    looks: list[Pose2D] = field(default_factory=list)
    remembered: list[tuple[float, float]] = field(default_factory=list)


@dataclass
class Cause:
    """Why the robot must stop, by when Nav2 is asked to end its goal, and by whom."""

    words: str
    by: tuple[str, ...]
    since_ns: int
    due_ns: int
    asked: bool = False


@dataclass
class Sight:
    """What the last look of a mission showed.

    Attributes:
        step_id: of the look.
        placed: the track of the target has a direction in the picture.
        away_m: how far from where the robot held itself to be the target is, by the look's own
            depth; None where that does not tell.
        views: from so many places the target was seen.
        at: x and y of where it is held to be; None where nobody knows.
    """

    source: Source
    visible: bool
    step_id: str = ''
    placed: bool = False
    away_m: float | None = None
    views: int = 0
    at: tuple[float, float] | None = None


@dataclass
class Oracle:
    """Follows one trial and notes what breaks a rule.

    Attributes:
        trial: the mission under faults; see `Trial`.
        motions: how many were asked for.
        motion_ns: when the last one was, on the steady clock; -1 before.
    """

    trial: Any
    violations: list[Violation] = field(default_factory=list)
    goals: dict[str, Goal] = field(default_factory=dict)
    _announced: dict[str, Verdict] = field(default_factory=dict)
    _step_of: dict[str, str] = field(default_factory=dict)
    _sent: set[str] = field(default_factory=set)
    _steps: dict[str, Document] = field(default_factory=dict)
    _heard_step: str = ''
    _looks: dict[tuple[str, str], int] = field(default_factory=dict)
    _sights: dict[str, Sight] = field(default_factory=dict)
    _pictured: dict[str, Pose2D] = field(default_factory=dict)
    _start: Pose2D | None = None
    _trail: deque[Pose2D] = field(default_factory=deque)
    _open_goal: str = ''
    _pause_ns: int | None = None
    _said_stop_ns: int = 0
    _stopping: bool = False
    _stopping_ns: int = 0
    _asked: set[str] = field(default_factory=set)
    _paths: dict[Any, PathAnswered] = field(default_factory=dict)
    _causes: list[Cause] = field(default_factory=list)
    _stop_ns: int = 0
    _drives: bool = False
    _ended_ns: int = 0
    motion_ns: int = -1
    _last_truth: Snapshot | None = None
    _track: deque[tuple[int, float, float, float]] = field(default_factory=deque)
    _rest_goal: str = ''
    _bumps: int = 0
    _old: set[str] = field(default_factory=set)
    _conditions: set[type] = field(default_factory=set)
    motions: int = 0

    # What happens

    def note(self, code: str, words: str) -> None:
        """Take down what breaks a rule, each rule once."""
        if all(one.code != code for one in self.violations):
            self.violations.append(Violation(code, self.trial.elapsed_s, words))

    def follow(self) -> None:
        """Look at what is cheap to look at, after every event."""
        now_ns, truth = self.trial.now_ns, self.trial.truth()
        drove, self._drives = self._drives, self.trial.driving
        if drove and not self._drives:
            self._ended_ns = now_ns
        if truth is not self._last_truth:
            self._last_truth, here = truth, truth.true
            if not self._track or self._track[-1][1:] != (here.x, here.y, here.yaw):
                self._track.append((now_ns, here.x, here.y, here.yaw))
                while len(self._track) > 2 and self._track[1][0] < now_ns - 2 * NS_PER_S:
                    self._track.popleft()
        if self._causes:
            for cause in [one for one in self._causes if now_ns >= one.due_ns]:
                self._causes.remove(cause)
                self._judge(cause)
        self._watch_bumps(truth)
        self._watch_blindness()
        self._watch_stops()

    def document(self, document: Document) -> None:
        """See a document as it is published."""
        body = document.body
        match body:
            case Step():
                self._steps[document.id] = document
                if body.kind is StepKind.STOP:
                    self._said_stop_ns = self.trial.now_ns
            case Look(taken=True):
                self._pictured[document.id] = self.trial.truth().true
            case Verdict(decision=decision) if decision is not None:
                if decision.code is Code.OK and decision.nav_goal_id:
                    self._announced[decision.nav_goal_id] = body
                    self._step_of[decision.nav_goal_id] = document.cause_id
            case Hypothesis():
                self._count('hypothesis', document.cause_id)
                self._sights[document.goal_id] = Sight(
                    body.source, body.hypothesis.target_status.value == 'visible')
                there = self._pictured.get(document.cause_id)
                goal = self.goals.get(document.goal_id)
                if body.source is Source.MODEL and there is not None and goal is not None:
                    goal.looks.append(there)
            case Candidates():
                goal = self.goals.get(document.goal_id)
                if goal is not None:
                    goal.remembered += [one.found_at[:2] for one in body.candidates
                                        if one.found_at is not None]
            case Observation():
                self._count('observation', body.look_id)
                sight = self._sights.get(document.goal_id)
                if sight is not None:
                    self._place(sight, body)
            case RobotPose() if body.stands and document.cause_id:
                self._check_stands(f'the answer to {document.cause_id}')
            case Belief():
                self._belief(document, body)

    def heard_by_verifier(self, document: Document) -> None:
        """See a step as it reaches the verifier."""
        if isinstance(document.body, Step) and not (
                document.body.look is not None and document.body.look.inform):
            self._heard_step = document.id

    def belief_took(self, event: Event, outputs: Sequence[Output]) -> None:
        """The belief has handled what the operator asked for, and answered it."""
        accepted = any(isinstance(one, AnswerRequest) and one.accepted for one in outputs)
        if accepted and isinstance(event, PauseRequested | ResumeRequested | CancelRequested):
            self._pause_ns = (
                self.trial.now_ns if isinstance(event, PauseRequested) else None)

    def located(self, pose: Pose2D) -> None:
        """The verifier was told where the robot is."""
        if not self._trail or self._trail[-1].distance_to(pose.x, pose.y) >= _APART_M:
            self._trail.append(pose)

    def restarted(self, name: str) -> None:
        """A node begins anew."""
        if name == 'belief':
            self._stopping = False
            if self.trial.plan.has('disk'):
                # It may not have kept that the mission is paused.
                self._pause_ns = None
        if name == 'verifier':
            self._heard_step = ''
            self._paths.clear()
            self._conditions.clear()
        if name == 'hypothesis':
            self._asked.clear()

    def cause(self, words: str, *by: str) -> None:
        """The robot must stop from now on, and these nodes see to it."""
        now_ns = self.trial.now_ns
        if self.trial.driving and self._stop_ns <= self.motion_ns:
            self._causes.append(Cause(words, by, now_ns, now_ns + round(STOP_S * NS_PER_S)))

    def condition(self, event: Event, *, bad: bool) -> None:
        """The verifier was told that the robot is to stand, or is so no more."""
        self._conditions.discard(type(event))
        if bad:
            self._conditions.add(type(event))
            self.cause(f'{event} came', 'verifier')

    def stop_asked(self) -> None:
        """Nav2 is asked to end a goal, or all."""
        self._stop_ns = self.trial.now_ns

    def all_stopped(self) -> None:
        """Every goal of Nav2 is to end, whoever sent it."""
        others = self.trial.others
        if others.yielded_to and others.known:
            self.note('ENDED_ANOTHERS', f'though the verifier knew of {others.known}')

    def model_asked(self, request_id: str) -> None:
        """The model gets a question."""
        if self._asked:
            self.note('TWO_QUESTIONS', f'{request_id} beside {sorted(self._asked)}')
        self._asked.add(request_id)

    def model_done(self, request_id: str) -> None:
        """The question is answered, or taken back."""
        self._asked.discard(request_id)

    def path_answered(self, goal: Any, event: PathAnswered) -> None:
        """The planner's answer reached the verifier."""
        self._paths[goal] = event

    def motion(self, motion: Motion) -> None:
        """Nav2 is asked for a motion: the heart of the matter."""
        self.motions += 1
        self.motion_ns = self.trial.now_ns
        goal_id = motion.nav_goal_id
        verdict, step_id = self._announced.get(goal_id), self._step_of.get(goal_id, '')
        if verdict is None or verdict.decision is None:
            self.note('UNVETTED', f'{type(motion).__name__} {goal_id} without a verdict')
            return
        decision = verdict.decision
        told = {SendNav: decision.goal, SendSpin: decision.turn_rad,
                SendBackUp: decision.back_up_m}[type(motion)]
        done = {SendNav: getattr(motion, 'goal', None),
                SendSpin: getattr(motion, 'angle_rad', None),
                SendBackUp: getattr(motion, 'distance_m', None)}[type(motion)]
        if told != done:
            self.note('UNVETTED', f'{goal_id}: announced {told}, sent {done}')
        if goal_id in self._sent:
            self.note('UNVETTED', f'{goal_id} was sent twice')
        self._sent.add(goal_id)
        step = self._steps.get(step_id)
        if step is None or step.body.kind is not StepKind.ACT:  # type: ignore[union-attr]
            self.note('NO_STEP', f'{goal_id} for {step_id!r}, which is no act')
        elif step_id != self._heard_step:
            self.note('OLD_STEP', f'{goal_id} for {step_id}, but {self._heard_step} came since')
        goal = None if step is None else self.goals.get(step.goal_id)
        if goal is not None and goal.stands:
            self.note('DRIVES_AFTER_THE_END', f'{goal_id} after {goal.id} ended')
        elif goal is not None and goal.paused and not self.trial.slow:
            self.note('DRIVES_IN_A_PAUSE', f'{goal_id} while {goal.id} is paused')
        self._check_asked_pause(goal_id)
        if self.trial.others.yielded_to and self.trial.others.known:
            self.note('DRIVES_AGAINST_ANOTHER', f'{goal_id}, while {self.trial.others.known}')
        if self._conditions:
            self.note('DRIVES_THOUGH_HELD', f'{goal_id}: {self._conditions}')
        self._check_fresh(motion)
        if isinstance(motion, SendNav):
            self._check_free(motion)
        if isinstance(motion, SendBackUp):
            self._check_free_behind(motion)

    def ends(self) -> None:
        """The trial is over."""
        self._watch_bumps(self.trial.truth())
        last = self.goals.get(self._rest_goal)
        if last is not None and last.stands and not self.trial.others.drove:
            moved = self._moved_until(self.trial.now_ns)
            if moved:
                self.note('FALSE_STANDS', f'{last.id} was over, and the robot moves: {moved}')

    # Rules

    def _belief(self, document: Document, body: Belief) -> None:
        driven_m = self.trial.truth().distance_m
        goal = self.goals.setdefault(document.goal_id, Goal(
            document.goal_id, body.goal_text, began_m=driven_m))
        goal.text, goal.paused = body.goal_text, body.phase is Phase.PAUSED
        rested, goal.rests = goal.rests, goal.paused and bool(body.stands)
        if goal.rests and not rested:
            self._check_stands(f'{goal.id} is paused, and the robot')
        if self._start is None:
            self._start = self.trial.truth().true
        goal.session = document.id.split('-')[1]
        self._budgets(body, driven_m - goal.began_m)
        if body.outcome is None:
            if goal.outcome is not None:
                self.note('ENDED_TWICE', f'{goal.id} goes on after {goal.outcome}')
            self._open_goal = goal.id
            stopping = body.phase in (Phase.PAUSED, Phase.STOPPING) and not body.stands
            if stopping and not self._stopping:
                self._stopping_ns = self.trial.now_ns
            self._stopping = stopping
            return
        if goal.id == self._open_goal:
            self._pause_ns, self._stopping = None, False
        if goal.outcome not in (None, body.outcome):
            self.note('ENDED_TWICE', f'{goal.id}: {goal.outcome}, then {body.outcome}')
        if goal.outcome is None:
            goal.outcome = body.outcome
            goal.stands = bool(body.stands)
            self._rest_goal = goal.id
            if body.stands:
                self._check_stands(f'{goal.id} says {body.outcome.value}, and the robot')
            elif body.outcome is Outcome.CANCELLED and 'not known to stand' not in body.reason:
                self.note('FALSE_CANCELLED', f'{goal.id}: {body.reason!r} says not whether the '
                          'robot stands')
            if body.outcome is Outcome.ARRIVED and body.purpose is Purpose.GO:
                self._check_place(goal, body.place)
            elif body.outcome is Outcome.ARRIVED:
                self._check_arrival(goal)
            if body.outcome in (Outcome.NOT_HERE, Outcome.TOURED):
                self._check_looked(goal)
            if body.outcome is Outcome.TOURED and body.purpose is not Purpose.TOUR:
                self.note('FALSE_TOUR', f'{goal.id} was none')
        if body.phase is not Phase.FINISHED:
            self.note('ENDED_IN_BETWEEN', f'{goal.id}: {body.outcome} in phase {body.phase}')

    def _check_stands(self, words: str) -> None:
        """Compare a word that the robot stands with the truth."""
        moved = self._moves()
        if moved:
            self.note('FALSE_STANDS', f'{words} moves: {moved}')

    def _moves(self) -> str:
        """Return how far the robot truly moved at all times just now; empty where it stood."""
        now_ns = self.trial.now_ns
        said_ns = now_ns - round(_SAID_S * NS_PER_S)
        moments = [now_ns, said_ns, *(one[0] for one in self._track if one[0] > said_ns)]
        moved = [self._moved_until(one) for one in moments]
        return '' if '' in moved else moved[0]

    def _moved_until(self, end_ns: int) -> str:
        """Return how far the robot truly moved just before a moment; empty where it stood."""
        until = [one for one in self._track if one[0] <= end_ns] or [self._track[0]]
        since_ns = end_ns - round(_STILL_S * NS_PER_S)
        before = [one for one in until if one[0] <= since_ns]
        _, here_x, here_y, here_yaw = until[-1]
        for _, x, y, yaw in [*before[-1:], *(one for one in until if one[0] > since_ns)]:
            off_m = math.hypot(here_x - x, here_y - y)
            off_rad = abs(math.remainder(here_yaw - yaw, math.tau))
            if off_m > _STILL_M or off_rad > _STILL_RAD:
                return f'{off_m:.3f} m and {off_rad:.3f} rad within {_STILL_S} s'
        return ''

    def _check_arrival(self, goal: Goal) -> None:
        sight = self._sights.get(goal.id)
        if sight is None or sight.source is not Source.MODEL or not (
                sight.visible and sight.placed):
            self.note('FALSE_ARRIVAL', f'{goal.id}: no model saw it at its place in the last look:'
                      f' {sight}')
        else:
            self._check_last_look(goal, sight)
        outline = self.trial.outline(goal.text)
        if self.trial.plan.lies:
            return
        if not outline:
            self.note('FALSE_ARRIVAL', f'{goal.id} {goal.text!r}: there is none')
            return
        here = self.trial.truth().true
        off_m = min(math.hypot(here.x - x, here.y - y) for x, y in outline)
        if off_m > _ARRIVED_M:
            self.note('FALSE_ARRIVAL', f'{goal.id} {goal.text!r}: {off_m:.2f} m from it')

    def _check_place(self, goal: Goal, place: str) -> None:
        """The robot says that it has come to a place: by its own localisation it has."""
        there, here = self.trial.places.get(place), self.trial.fed_pose
        if there is None:
            self.note('FALSE_ARRIVAL', f'{goal.id}: there is no place {place!r}')
        elif here is None or here.distance_to(there.x, there.y) > _AT_PLACE_M:
            self.note('FALSE_ARRIVAL', f'{goal.id}: at {place}, {there}, is not {here}')

    def _check_last_look(self, goal: Goal, sight: Sight) -> None:
        """A last look must itself measure the target near the robot, after one from elsewhere."""
        limits, step = self.trial.belief_config, self._steps.get(sight.step_id)
        look = step.body.look if step is not None and isinstance(step.body, Step) else None
        if look is None or not look.confirm:
            self.note('FALSE_ARRIVAL', f'{goal.id}: {sight.step_id!r} was no last look')
        if sight.away_m is None or sight.away_m > limits.stand_off_m + _ROUNDED_M:
            self.note('FALSE_ARRIVAL', f'{goal.id}: by its own depth the last look shows the '
                      f'target at {sight.away_m} m, {limits.stand_off_m} m are allowed')
        again = sight.at is not None and any(
            math.dist(at, sight.at) <= _SAME_THING_M for at in goal.remembered)
        if sight.views < limits.confirm_views - again:
            self.note('FALSE_ARRIVAL', f'{goal.id}: seen from {sight.views} places')

    @staticmethod
    def _place(sight: Sight, body: Observation) -> None:
        """Take note of where a look shows the target."""
        target = next((one for one in body.objects if one.is_target), None)
        sight.step_id = body.step_id
        sight.placed = body.track is not None and body.target_bearing_rad is not None
        if body.track is not None:
            sight.views, sight.at = body.track.views, body.track.position[:2]
        else:
            sight.views, sight.at = 0, None
        if target is not None and body.pose is not None:
            sight.away_m = body.pose.distance_to(*target.position[:2])

    def _check_looked(self, goal: Goal) -> None:
        """Nobody says that a target is not there of a home at which no model has looked."""
        if not goal.looks:
            self.note('NOT_LOOKED', f'{goal.id} {goal.outcome}, and the model answered no look')
        elif self._start is not None and not self.trial.knows_another_home:
            share = self.trial.looked_share(self._start, goal.looks)
            if share < _LEAST_LOOKED:
                self.note('NOT_LOOKED', f'{goal.id} {goal.outcome}, {share:.0%} of the floor was '
                          f'in view of {len(goal.looks)} looks')

    def _check_asked_pause(self, goal_id: str) -> None:
        """Who asked for a pause finds a robot that stands, whatever the belief makes of it."""
        since_ns = self._pause_ns
        if since_ns is None:
            return
        excused_ns = self.trial.excused_until_ns(since_ns, ('belief', 'verifier'))
        due_ns = since_ns + round(STOP_S * NS_PER_S)
        if excused_ns is not None and self.trial.now_ns > max(due_ns, excused_ns):
            self.note('DRIVES_IN_A_PAUSE', f'{goal_id} though a pause was accepted '
                      f'{(self.trial.now_ns - since_ns) / NS_PER_S:.1f} s ago')

    def _budgets(self, body: Belief, driven_m: float) -> None:
        # Between two ticks a second may pass, and an end takes its time.
        used = body.budgets
        over = [name for name, value, limit in (
            ('time_s', used.time_s, used.time_limit_s + self.trial.patience_s),
            ('model_calls', used.model_calls, used.model_calls_limit),
            ('refusals', used.refusals, used.refusals_limit),
            ('distance_m', 0.0 if self.trial.measures_wrong else driven_m,
             used.distance_limit_m + _BRAKING_M)) if value > limit]
        if over:
            self.note('OVER_BUDGET', f'{over}: {used}')

    def _check_fresh(self, motion: Motion) -> None:
        """A motion starts only where the robot knows where it is, and what is in the way."""
        limits, now_ns = self.trial.verifier_config, self.trial.clock_ns
        pose_ns, costs = self.trial.fed_pose_ns, self.trial.fed_costmap
        if pose_ns is None or now_ns - pose_ns > (limits.pose_max_age_s + 0.05) * NS_PER_S:
            self.note('BLIND', f'{motion.nav_goal_id} on a pose of {pose_ns}, now {now_ns}')
        if isinstance(motion, SendNav) and (costs is None or now_ns - costs.stamp_ns > (
                limits.costmap_max_age_s + 0.05 + limits.path_timeout_s) * NS_PER_S):
            self.note('BLIND', f'{motion.nav_goal_id} on a costmap that is too old or missing')

    def _check_free(self, motion: SendNav) -> None:
        """No goal lies in what is occupied or unknown; Nav2 vouches for the way to it."""
        answer = self._paths.get(motion.goal)
        if answer is None or not len(answer.points):
            self.note('NO_PATH', f'{motion.nav_goal_id} to {motion.goal} without a path')
            return
        known, costs = self.trial.fed_map, self.trial.fed_costmap
        if known is not None and not 0 <= _value_at(known, motion.goal) < _MAP_OCCUPIED:
            self.note('INTO_OCCUPIED', f'{motion.goal} is not known to be free in the map')
        if costs is not None and _value_at(costs, motion.goal) >= _LETHAL:
            self.note('INTO_OCCUPIED', f'{motion.goal} is not free in the costmap')

    def _check_free_behind(self, motion: SendBackUp) -> None:
        """The robot backs off over free floor; it may brush by something where it came along."""
        pose, known, costs = self.trial.fed_pose, self.trial.fed_map, self.trial.fed_costmap
        if pose is None or known is None or costs is None:
            self.note('BLIND', f'{motion.nav_goal_id} backs up without pose, map or costmap')
            return
        steps = math.ceil(motion.distance_m / costs.resolution_m)
        for step in range(1, steps + 1):
            back_m = motion.distance_m * step / steps
            there = Pose2D(pose.x - back_m * math.cos(pose.yaw),
                           pose.y - back_m * math.sin(pose.yaw), pose.yaw)
            cost = _value_at(costs, there)
            free = 0 <= _value_at(known, there) < _MAP_OCCUPIED and 0 <= cost <= _LETHAL
            touches = cost >= _LETHAL and (step == steps or not self._came_along(there))
            if back_m > _UNDER_M and (not free or touches):
                self.note('BACK_INTO_OCCUPIED', f'{motion.nav_goal_id} over {there}: map '
                          f'{_value_at(known, there)}, costmap {cost}')
                return

    def _came_along(self, there: Pose2D) -> bool:
        # After a jump nobody knows it in the map as it is now.
        return self.trial.measures_wrong or any(
            one.distance_to(there.x, there.y) <= _ON_WAY_M for one in self._trail)

    def _watch_stops(self) -> None:
        """A stop is said again until the verifier has answered it: it may be lost."""
        trial = self.trial
        # One that stood may be known to stand no more.
        silent_ns = trial.now_ns - max(self._said_stop_ns, self._stopping_ns)
        most_ns = round((trial.belief_config.stop_again_s + _LATE_S) * NS_PER_S)
        if self._stopping and silent_ns > most_ns and (
                trial.is_well('belief', since_ns=self._said_stop_ns)):
            self.note('STOP_NOT_SAID_AGAIN', 'nobody says that the robot stands, and the stop was '
                      f'said {silent_ns / NS_PER_S:.1f} s ago')

    def _judge(self, cause: Cause) -> None:
        """Tell whether a stop was asked for in time, or what drove has ended by itself."""
        ended = max(self._stop_ns, self._ended_ns) >= cause.since_ns
        if cause.asked or ended or not self.trial.driving:
            self._judge_rest(cause)
            return
        later_ns = self.trial.excused_until_ns(cause.since_ns, cause.by)
        if later_ns is None:
            return
        if later_ns > cause.due_ns:
            self._causes.append(replace(cause, due_ns=later_ns))
            return
        self.note('NO_STOP', f'nothing stopped the robot within {STOP_S} s of: {cause.words}')

    def _judge_rest(self, cause: Cause) -> None:
        """Tell whether the robot stands a while after a stop, unless it set out again."""
        if self.motion_ns >= cause.since_ns or self.trial.nav2_is_ill or self.trial.others.drove:
            return
        if not cause.asked:
            self._causes.append(replace(cause, asked=True, due_ns=self.trial.now_ns + round(
                _REST_S * NS_PER_S)))
        elif self._moved_until(self.trial.now_ns):
            self.note('STILL_MOVES', f'the robot moves {_REST_S} s after a stop: {cause.words}')

    def _watch_blindness(self) -> None:
        """A robot that does not know any more where it is, or sees nothing, must not drive on."""
        trial, limits = self.trial, self.trial.verifier_config
        stamps = [('pose', trial.fed_pose_ns, limits.pose_max_age_s)]
        # Sensors count as fresh until somebody has listened to them for that long.
        rested_ns = trial.clock_ns - (trial.now_ns - self.motion_ns)
        stamps += [(name, max(trial.fed_sensors_ns[name], rested_ns), most_s) for name, most_s in (
            (DEPTH, limits.depth_max_age_s), (SCAN, limits.scan_max_age_s))
            if name in trial.fed_sensors_ns]
        for name, stamp_ns, most_s in stamps:
            words = f'the {name} got old'
            old = stamp_ns is not None and (
                trial.clock_ns - stamp_ns > (most_s + _NOTICED_S) * NS_PER_S) and trial.driving
            if old and name not in self._old:
                self._old.add(name)
                self.cause(words, 'verifier')
            elif name in self._old and not old:
                self._old.remove(name)
                self._causes = [one for one in self._causes if one.words != words]

    def _watch_bumps(self, truth: Snapshot) -> None:
        if truth.collisions > self._bumps:
            self._bumps = truth.collisions
            self.trial.bumped()

    def _count(self, kind: str, look_id: str) -> None:
        number = self._looks[kind, look_id] = self._looks.get((kind, look_id), 0) + 1
        if number > 1:
            self.note('TWO_ANSWERS', f'{number} {kind} of look {look_id}')


def _value_at(grid: OccupancyGrid, goal: Pose2D) -> int:
    """Return what a grid holds there; as of an obstacle where it ends before."""
    value = grid.value_at(goal.x, goal.y)
    return _LETHAL if value is None else value
