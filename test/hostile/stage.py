"""A verifier in a world, and one hypothesis from its look to the decision."""

import math
import random
from dataclasses import replace

import numpy as np
from builders import frozen, look_request
from draws import OFF_M, Case
from opinions import Opinion, every
from verifier_rig import VerifierRig
from worlds import World

from semantic_nav.contracts.documents import (
    Decision,
    Document,
    Observation,
    RejectedTarget,
    Step,
    Verdict,
)
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.vocabulary import Code, NavStatus, StepKind
from semantic_nav.verify.effects import AskPath, ClearCostmaps, SendBackUp, SendNav, SendSpin
from semantic_nav.verify.events import (
    ChargeHeard,
    CostmapReceived,
    HoldHeard,
    KeepoutReceived,
    LookNotFrozen,
    MapReceived,
    PathAnswered,
    SensorHeard,
    UncertaintyHeard,
    ZonesReceived,
)
from semantic_nav.verify.zones import Zones

_MOST_STEPS = 60


class Stage:
    """A verifier in a world, and everything that is said to it."""

    def __init__(self, world: World) -> None:
        """Let the verifier know the world, and see that the robot stands."""
        config = {name: getattr(world.config, name)
                  for name in ('path_tries', 'clear_cost', 'way_max_m', 'footprint',
                               'robot_radius', 'glimpse_m')}
        self.world = world
        self.rig = VerifierRig(world.room, world.robot, ready=False, **config)
        self.rig.hear(MapReceived(replace(world.map, stamp_ns=self._now_ns)))
        self.hear_costmap()
        self.rig.hear(ZonesReceived(Zones(world.zones)))
        if world.mask is not None:
            self.rig.hear(KeepoutReceived(replace(world.mask, stamp_ns=self._now_ns)))
        odom_T_base = world.map_T_odom.inverse() @ Transform.from_pose(world.robot)
        # Where the odometry is displaced, the localisation has jumped there long ago.
        self.rig.hear_pose(odom_T_base.pose())
        self.rig.stand()
        self.rig.map_T_odom = world.map_T_odom
        self.rig.hear_pose(world.robot)
        self.pass_time(16.0)
        self.rig.stand()
        # What takes looks has undone the lens in the depth already.
        self.frozen = frozen('', np.array(world.flat_mm, np.uint16), odom_T_base.pose(),
                             camera=world.camera)
        self._goals = 0
        self.before = ''

    def hear_costmap(self) -> None:
        """Let the costmap of now come."""
        self.rig.hear(CostmapReceived(replace(self.world.costmap, stamp_ns=self._now_ns)))

    @property
    def _now_ns(self) -> int:
        return self.rig.clock.now.clock_ns

    def pass_time(self, seconds: float, *, pose: bool = True, costmap: bool = True) -> None:
        """Let time pass in small steps, in which the robot is heard of, or not."""
        steps = max(1, math.ceil(seconds / 0.4))
        for _ in range(steps):
            self.rig.clock.advance(seconds / steps)
            if costmap:
                self.hear_costmap()
            if pose:
                self.rig.hear_pose()

    def jump(self, by: Pose2D | None) -> None:
        """Let the localisation hold the robot to be elsewhere, or where it is."""
        jumped = Transform.identity() if by is None else Transform.from_pose(by)
        self.rig.map_T_odom = jumped @ self.world.map_T_odom
        self.rig.clock.advance(0.1)
        self.rig.hear_pose((jumped @ Transform.from_pose(self.world.robot)).pose()
                           if by is not None else self.world.robot)

    def new_goal(self) -> str:
        """Begin another goal, for which nothing was tried yet."""
        self._goals += 1
        goal = f'goal-s-{self._goals}'
        self.rig.begin(goal)
        return goal

    def reject(self, goal: str, *targets: RejectedTarget) -> None:
        """Let belief say what it has rejected."""
        self.rig.say(Step(StepKind.LOOK, 'find the mug', rejected=targets, look=look_request()),
                     goal=goal)

    def look(self, goal: str, *, sees_nothing: bool = False) -> str:
        """Take a picture."""
        look_id = self.rig.look(freeze=False, goal=goal)
        self.rig.hear(LookNotFrozen(look_id, 'no depth came') if sees_nothing else
                      replace(self.frozen, look_id=look_id))
        return look_id


class Play:
    """One hypothesis from its look to the decision.

    Attributes:
        opinion: of the second checker, of the act and then of its path.
        wrong: what else it holds against the verifier.
        paths_left_out: paths of which it has no opinion, in whose place the planner found none.
    """

    def __init__(self, stage: Stage, case: Case) -> None:
        """Begin."""
        self.stage, self.rig, self.case = stage, stage.rig, case
        self.checker = stage.world.checker
        self.rng = random.Random(case.extra.get('path_seed'))
        self.opinion: Opinion = None
        self._sets_out: Opinion = None
        self.paths_left_out = 0
        self.wrong: list[str] = []
        self._said, self._done = len(self.rig.documents), len(self.rig.effects)
        self._answered: set[str] = set()

    def run(self) -> Decision | None:
        """Return what was decided; None for nothing."""
        case, stage, rig = self.case, self.stage, self.rig
        stage.pass_time(0.05)
        goal = stage.new_goal()
        if case.nodes:
            rig.remember(*case.nodes, goal=goal)
        self._reject(goal)
        look_id = stage.look(goal, sees_nothing=case.sees_nothing)
        stamp_ns = rig.clock.now.clock_ns
        if case.hazard == 'stale picture':
            stamp_ns -= round((90.1 + 1000 * case.extra['amount']) * 1e9)
        elif case.hazard == 'picture of the future':
            stamp_ns += round((1.1 + 1000 * case.extra['amount']) * 1e9)
        sent = rig.answer(case.proposal, look_id, source=case.source, goal=goal,
                          stamp_ns=stamp_ns)
        observed = rig.observed()
        self.opinion = self._sets_out = case.judge(observed)
        self._judge_grounding(observed)
        if case.jumped_back and not case.hazard:
            self._jump()
            stage.jump(None)
            stage.pass_time(1.2)
        self._begin_hazard()
        named = {'this': sent.id, 'before': stage.before or 'hypothesis-0', 'nothing': 'none',
                 'track': None}[case.act_names]
        self._said, self._done = len(rig.documents), len(rig.effects)
        rig.act(named, 'track-s-none' if named is None else None, goal=goal)
        decision = self._follow()
        self._end_hazard()
        stage.before = sent.id
        return decision

    def _reject(self, goal: str) -> None:
        case, rig = self.case, self.rig
        if case.rejected:
            self.stage.reject(goal, *(RejectedTarget(f'track-r-{index}', place)
                                      for index, place in enumerate(case.rejected)))
        if case.rejected_after:
            look_id = self.stage.look(goal, sees_nothing=case.sees_nothing)
            rig.answer(case.proposal, look_id, goal=goal)
            track = rig.observed().track
            case.extra['tracked'] = track is not None
            if track is not None:
                self.stage.reject(goal, RejectedTarget(track.id, track.position))

    def _judge_grounding(self, observed: Observation) -> None:
        """Hold what was grounded against what the picture shows, and where the thing stands."""
        case = self.case
        if case.sees_nothing or case.proposal.target_box is None:
            return
        found = next((one for one in observed.objects if one.is_target), None)
        if case.grounded is not None and case.grounded is not (found is not None):
            self.wrong.append(f'grounded {found} ({observed.ungrounded_reason})')
        if found is None:
            return
        if case.target is not None and math.dist(found.position, case.target) > OFF_M:
            self.wrong.append(f'grounded at {found.position}, and it stands at {case.target}')
        if (case.sure_no or found.distance_m > self.stage.world.config.ground_sure_m) and (
                not found.provisional):
            self.wrong.append(f'sure of {found}, which is cut off or far away')

    def _follow(self) -> Decision | None:
        for _ in range(_MOST_STEPS):
            decided = [one.body.decision for one in self.rig.documents[self._said:]
                       if isinstance(one, Document) and isinstance(one.body, Verdict)
                       and one.body.decision is not None]
            clearing = self.is_clearing
            if decided:
                decision = decided[-1]
                if decision.code is not Code.OK:
                    return decision
                self._judge_motion(self.rig.sent)
                self.rig.accept(False, 'a test')
                # A robot in its own way that gets free does not set out to the target.
                return decision if not clearing else replace(
                    decision, code=Code.MAP_UNAVAILABLE)
            if self._is_asked:
                self._answer_path()
            elif clearing:
                self.stage.pass_time(0.4)
            else:
                self.rig.stand(0.6)
        return None

    @property
    def is_clearing(self) -> bool:
        """Whether the robot is in its own way, and gets free first."""
        return any(isinstance(one, ClearCostmaps) for one in self.rig.effects[self._done:])

    @property
    def _is_asked(self) -> bool:
        asked = [one for one in self.rig.effects[self._done:] if isinstance(one, AskPath)]
        return bool(asked) and asked[-1].request_id not in self._answered

    def _judge_motion(self, motion: object) -> None:
        robot = self.stage.world.robot
        if isinstance(motion, SendNav):
            goal = motion.goal
            if self.checker.may_stand(goal.x, goal.y, (goal.yaw,)) is False:
                self.wrong.append(f'sent to {goal}, where it may not stand')
        elif isinstance(motion, SendSpin):
            if self.checker.may_turn(robot, motion.angle_rad) is False:
                self.wrong.append(f'sent to turn by {motion.angle_rad}, for which is no room')
        elif isinstance(motion, SendBackUp) and not self.is_clearing:
            self.wrong.append('sent back without a cause')

    def _answer_path(self) -> None:
        asked, case = self.rig.asked, self.case
        self._answered.add(asked.request_id)
        if self._sets_out is False:
            self.wrong.append(f'asked for a path to {asked.goal}')
        if case.hazard == '' and self.checker.may_stand(
                asked.goal.x, asked.goal.y, (asked.goal.yaw,)) is False:
            self.wrong.append(f'asked for a path to {asked.goal}, where it may not stand')
        answer, points = self._path_to(asked.goal)
        judged = self.checker.may_follow(points, asked.goal)
        if judged is None:
            # Of which nobody is to be asked: it finds none instead, and that is counted.
            self.paths_left_out += 1
            answer, points, judged = 'aborted', [], False
        # Whether it was to be asked for may be open: nobody sets out on a path that is none.
        self.opinion = every((self._sets_out, judged))
        self._befall_late()
        status = {'aborted': NavStatus.ABORTED, 'unavailable': NavStatus.UNAVAILABLE,
                  'timeout': NavStatus.TIMEOUT, 'rejected': NavStatus.REJECTED}.get(
                      answer, NavStatus.SUCCEEDED)
        self.rig.hear(PathAnswered(asked.request_id, status,
                                   208 if status is NavStatus.ABORTED else 0,
                                   np.array(points).reshape(-1, 2)))

    def _befall_late(self) -> None:
        """Let something go wrong while the planner plans; nothing sets out then."""
        if not self.case.late_hazard:
            return
        self.opinion = False
        match self.case.late_hazard:
            case 'late path':
                self.stage.pass_time(16.0)
            case 'held meanwhile':
                self.rig.hear(HoldHeard(True))
            case 'jumped meanwhile':
                self._jump()
            case _:
                self.rig.clock.advance(1.2 + self.rng.random())

    def _path_to(self, goal: Pose2D) -> tuple[str, list[tuple[float, float]]]:
        """Return how the planner answers, and its path from the robot on."""
        robot, answer = self.stage.world.robot, self.case.answer
        stops = [(robot.x, robot.y), (goal.x, goal.y)]
        if answer == 'bent' and self.stage.world.footprint is None:
            stops.insert(1, (self.rng.uniform(-1, 8), self.rng.uniform(-1, 7)))
        elif answer == 'beside':
            aside, away_m = self.rng.uniform(0, math.tau), self.rng.uniform(0.35, 3.0)
            stops[1] = goal.x + away_m * math.cos(aside), goal.y + away_m * math.sin(aside)
        elif answer not in ('straight', 'bent'):
            return answer, []
        points = [stops[0]]
        for (x0, y0), (x1, y1) in zip(stops, stops[1:], strict=False):
            count = max(1, math.ceil(math.hypot(x1 - x0, y1 - y0) / 0.05))
            points += [(x0 + (x1 - x0) * step / count, y0 + (y1 - y0) * step / count)
                       for step in range(1, count + 1)]
        return answer, points

    def _jump(self) -> None:
        away_m, aside = self.rng.uniform(0.6, 3.0), self.rng.uniform(0, math.tau)
        self.stage.jump(Pose2D(away_m * math.cos(aside), away_m * math.sin(aside), 0.0))

    def _begin_hazard(self) -> None:
        rig, stage, amount = self.rig, self.stage, self.case.extra.get('amount', 0.0)
        match self.case.hazard:
            case 'old pose':
                stage.pass_time(1.1 + 3 * amount, pose=False)
            case 'old costmap':
                stage.pass_time(5.1 + 3 * amount, costmap=False)
            case 'held':
                rig.hear(HoldHeard(True))
            case 'empty battery':
                rig.hear(ChargeHeard(0.149 * amount))
            case 'uncertain':
                rig.hear(UncertaintyHeard(*((1.21 + amount, 0.1) if amount < 0.5 else
                                            (0.1, 0.81 + amount))))
            case 'silent depth':
                rig.hear(SensorHeard('depth picture', rig.clock.now.clock_ns - round(
                    (3.1 + amount) * 1e9)))
            case 'silent scan':
                rig.hear(SensorHeard('laser scan', rig.clock.now.clock_ns - round(
                    (2.1 + amount) * 1e9)))
            case 'jumped':
                self._jump()
                stage.pass_time(0.9 * amount)
            case 'jump in doubt':
                self._jump()
                stage.pass_time(1.1 + 13.5 * amount)
            case 'jumped back just now':
                self._jump()
                stage.pass_time(12.0 * amount)
                stage.jump(None)
                stage.pass_time(0.9 * amount)

    def _end_hazard(self) -> None:
        rig = self.rig
        if self.case.hazard or self.case.late_hazard:
            rig.hear(HoldHeard(False))
            rig.hear(ChargeHeard(0.9))
            rig.hear(UncertaintyHeard(0.0, 0.0))
            self.stage.jump(None)
            self.stage.pass_time(1.2)

