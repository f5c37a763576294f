"""Puts hostile hypotheses one at a time to the verifier, and a second checker judges each answer.

`make hostile`, or run it with `--help`. Then as many come at full rate, with nobody waiting for an
answer. Exit code 1 where both judges differ, or anything moved the robot without a verdict; what
differs prints the command that replays it.
"""

import argparse
import logging
import math
import multiprocessing
import os
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
for _folder in (HERE, HERE.parent / 'support', HERE.parent.parent):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))
for _name in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS'):
    os.environ.setdefault(_name, '1')

import numpy as np  # noqa: E402
from builders import frozen  # noqa: E402
from draws import CAMERA, PER_WORLD, Case, World, draw_case, draw_world  # noqa: E402
from second_checker import Opinion  # noqa: E402
from verifier_rig import MOTIONS, VerifierRig  # noqa: E402

from semantic_nav.contracts.documents import Decision, Verdict  # noqa: E402
from semantic_nav.contracts.errors import ContractError  # noqa: E402
from semantic_nav.contracts.geometry import Pose2D  # noqa: E402
from semantic_nav.contracts.vocabulary import Code, NavStatus, Source  # noqa: E402
from semantic_nav.verify.effects import (  # noqa: E402
    AskPath,
    ClearCostmaps,
    SendBackUp,
    SendNav,
    SendSpin,
)
from semantic_nav.verify.events import (  # noqa: E402
    ChargeHeard,
    CostmapReceived,
    HoldHeard,
    LookNotFrozen,
    MapReceived,
    NavAnswered,
    NavFinished,
    PathAnswered,
    SensorHeard,
    UncertaintyHeard,
    ZonesReceived,
)
from semantic_nav.verify.zones import Zone, ZoneKind, Zones  # noqa: E402

_SHOWN = 20
_MOST_STEPS = 60


@dataclass
class Tally:
    """What came of the hypotheses.

    Attributes:
        codes: of the decisions.
        kinds: of the hypotheses, with accepted or refused.
        disagreements: number of the hypothesis, and what both say.
        unvetted: number, and what moved the robot.
        draws: how many were drawn until the checker had an opinion of each.
    """

    codes: Counter[str] = field(default_factory=Counter)
    kinds: Counter[tuple[str, str]] = field(default_factory=Counter)
    disagreements: list[tuple[int, str]] = field(default_factory=list)
    unvetted: list[tuple[int, str]] = field(default_factory=list)
    draws: int = 0

    @property
    def count(self) -> int:
        return self.kinds.total()

    @property
    def accepted(self) -> int:
        return sum(count for (_, came), count in self.kinds.items() if came == 'accepted')

    def add(self, other: 'Tally') -> None:
        """Add what came of others."""
        self.codes += other.codes
        self.kinds += other.kinds
        self.disagreements += other.disagreements
        self.unvetted += other.unvetted
        self.draws += other.draws


class Stage:
    """A verifier in a world, and everything that is said to it."""

    def __init__(self, world: World) -> None:
        """Let the verifier know the world, and see that the robot stands."""
        config = {name: getattr(world.config, name)
                  for name in ('path_tries', 'clear_cost', 'way_max_m', 'footprint')}
        self.world = world
        self.rig = VerifierRig(world.room, world.robot, ready=False, **config)
        self._hear_map()
        self.rig.hear(ZonesReceived(Zones(tuple(
            Zone((f'zone {index}',), ZoneKind.KEEP_OUT, corners)
            for index, corners in enumerate(world.closed)))))
        self.rig.hear_pose()
        self.rig.stand()
        self._frozen = frozen('', world.depth_mm, world.robot, camera=CAMERA)
        self._goals = 0
        self.before = ''

    def _hear_map(self) -> None:
        self.rig.hear(MapReceived(replace(self.world.map, stamp_ns=self._now_ns)))
        self.hear_costmap()

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

    def new_goal(self) -> str:
        """Begin another goal, for which nothing was tried yet."""
        self._goals += 1
        goal = f'goal-s-{self._goals}'
        self.rig.begin(goal)
        return goal

    def look(self, goal: str, *, sees_nothing: bool = False) -> str:
        """Take a picture."""
        look_id = self.rig.look(freeze=False, goal=goal)
        self.rig.hear(LookNotFrozen(look_id, 'no depth came') if sees_nothing else
                      replace(self._frozen, look_id=look_id))
        return look_id


class Play:
    """One hypothesis from its look to the decision."""

    def __init__(self, stage: Stage, case: Case) -> None:
        """Begin."""
        self.stage, self.rig, self.case = stage, stage.rig, case
        self.checker = stage.world.checker
        self.rng = random.Random(case.extra.get('path_seed'))
        self.opinion: Opinion = case.opinion
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
        look_id = stage.look(goal, sees_nothing=case.sees_nothing)
        stamp_ns = rig.clock.now.clock_ns
        if case.hazard == 'stale picture':
            stamp_ns -= round((90.1 + 1000 * case.extra['amount']) * 1e9)
        elif case.hazard == 'picture of the future':
            stamp_ns += round((1.1 + 1000 * case.extra['amount']) * 1e9)
        sent = rig.answer(case.proposal, look_id, source=case.source, goal=goal,
                          stamp_ns=stamp_ns)
        self._judge_target()
        self._begin_hazard()
        named = {'this': sent.id, 'before': stage.before or 'hypothesis-0', 'nothing': 'none',
                 'track': None}[case.act_names]
        rig.act(named, 'track-s-none' if named is None else None, goal=goal)
        decision = self._follow()
        self._end_hazard()
        stage.before = sent.id
        return decision

    def _judge_target(self) -> None:
        """Hold what was grounded against where the thing stands."""
        if self.case.target is None or self.case.sees_nothing:
            return
        found = [one.position for one in self.rig.observed().objects if one.is_target]
        if not found or math.dist(found[0], self.case.target) > 2.5 * 0.1:
            self.wrong.append(f'grounded at {found}, and it stands at {self.case.target}')

    def _follow(self) -> Decision | None:
        for _ in range(_MOST_STEPS):
            decided = [one.body.decision for one in self.rig.documents[self._said:]
                       if isinstance(one.body, Verdict) and one.body.decision is not None]
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
        asked = self.rig.asked
        self._answered.add(asked.request_id)
        if self.case.opinion is False:
            self.wrong.append(f'asked for a path to {asked.goal}')
        if self.case.hazard == '' and self.checker.may_stand(
                asked.goal.x, asked.goal.y, (asked.goal.yaw,)) is False:
            self.wrong.append(f'asked for a path to {asked.goal}, where it may not stand')
        if self.case.late_hazard:
            self.opinion = False
            if self.case.late_hazard == 'late path':
                self.stage.pass_time(16.0)
            elif self.case.late_hazard == 'held meanwhile':
                self.rig.hear(HoldHeard(True))
            else:
                self.rig.clock.advance(1.2 + self.rng.random())
        answer, points = self._path_to(asked.goal)
        judged = self.checker.may_follow(points, asked.goal)
        if judged is None:
            answer, points, judged = 'aborted', [], False
        if self.case.opinion and not self.case.late_hazard:
            self.opinion = judged
        status = {'aborted': NavStatus.ABORTED, 'unavailable': NavStatus.UNAVAILABLE,
                  'timeout': NavStatus.TIMEOUT, 'rejected': NavStatus.REJECTED}.get(
                      answer, NavStatus.SUCCEEDED)
        self.rig.hear(PathAnswered(asked.request_id, status,
                                   208 if status is NavStatus.ABORTED else 0,
                                   np.array(points).reshape(-1, 2)))

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

    def _begin_hazard(self) -> None:
        rig, amount = self.rig, self.case.extra.get('amount', 0.0)
        match self.case.hazard:
            case 'old pose':
                self.stage.pass_time(1.1 + 3 * amount, pose=False)
            case 'old costmap':
                self.stage.pass_time(5.1 + 3 * amount, costmap=False)
            case 'held':
                rig.hear(HoldHeard(True))
            case 'empty battery':
                rig.hear(ChargeHeard(0.149 * amount))
            case 'uncertain':
                rig.hear(UncertaintyHeard(*((0.61 + amount, 0.1) if amount < 0.5 else
                                            (0.1, 0.51 + amount))))
            case 'silent depth':
                rig.hear(SensorHeard('depth picture', rig.clock.now.clock_ns - round(
                    (3.1 + amount) * 1e9)))
            case 'silent scan':
                rig.hear(SensorHeard('laser scan', rig.clock.now.clock_ns - round(
                    (2.1 + amount) * 1e9)))

    def _end_hazard(self) -> None:
        rig = self.rig
        if self.case.hazard or self.case.late_hazard:
            rig.hear(HoldHeard(False))
            rig.hear(ChargeHeard(0.9))
            rig.hear(UncertaintyHeard(0.0, 0.0))
            self.stage.pass_time(0.6)


def put(stage: Stage, seed: int, number: int, tally: Tally, hazard: str = '') -> None:
    """Put one hypothesis to the verifier and judge what comes of it."""
    case = draw_case(stage.world, seed, number, hazard)
    play = Play(stage, case)
    sent = len([one for one in stage.rig.effects if isinstance(one, MOTIONS)])
    try:
        decision = play.run()
    except (AssertionError, KeyError) as error:
        # The rig holds every motion against the verdicts.
        tally.unvetted.append((number, f'{case.kind}: {error!r}'))
        tally.kinds[case.kind, 'unvetted'] += 1
        return
    except ContractError as error:
        tally.disagreements.append((number, f'{case.kind}: cannot be published: {error}'))
        tally.kinds[case.kind, 'unpublished'] += 1
        return
    accepted = decision is not None and decision.code is Code.OK
    tally.kinds[case.kind, 'accepted' if accepted else 'refused'] += 1
    tally.codes[decision.code.value if decision is not None else 'NO ANSWER'] += 1
    tally.draws += case.draws
    if decision is None or accepted is not play.opinion:
        play.wrong.append(f'the verifier says {decision.code if decision else None} '
                          f'({decision.reason if decision else ""}), the second checker '
                          f'{"yes" if play.opinion else "no"}')
    moved = len([one for one in stage.rig.effects if isinstance(one, MOTIONS)]) - sent
    if moved and not accepted and not play.is_clearing:
        tally.unvetted.append((number, f'{case.kind}: refused, and moved'))
    tally.disagreements += [(number, f'{case.kind}{_beside(case)}: {one}') for one in play.wrong]


def _beside(case: Case) -> str:
    return ''.join(f', {one}' for one in (case.hazard, case.late_hazard) if one)


def put_many(seed: int, numbers: range, hazard: str = '') -> Tally:
    """Put hypotheses one after the other, perhaps all in one hazard; new worlds now and then."""
    tally, stage, world_of = Tally(), None, -1
    for number in numbers:
        if number // PER_WORLD != world_of or stage is None:
            world_of, stage = number // PER_WORLD, Stage(draw_world(seed, number))
        put(stage, seed, number, tally, hazard)
    return tally


def replay(seed: int, number: int) -> Tally:
    """Put a hypothesis again, after those before it in its world."""
    tally = put_many(seed, range(number // PER_WORLD * PER_WORLD, number + 1))
    tally.disagreements = [one for one in tally.disagreements if one[0] == number]
    tally.unvetted = [one for one in tally.unvetted if one[0] == number]
    return tally


# A flood

@dataclass
class Flood:
    """What came of a flood.

    Attributes:
        said: hypotheses and acts that were said.
        decided: verdicts.
        dropped: what came too late or belonged to no goal in hand.
        motions: goals that were sent.
        unvetted: those without a verdict, or to where the robot may not be.
    """

    said: int = 0
    decided: int = 0
    dropped: int = 0
    motions: int = 0
    unvetted: list[str] = field(default_factory=list)

    def add(self, other: 'Flood') -> None:
        """Add another one."""
        self.said += other.said
        self.decided += other.decided
        self.dropped += other.dropped
        self.motions += other.motions
        self.unvetted += other.unvetted


def flood(seed: int, number: int, count: int) -> Flood:
    """Say hypotheses and acts at full rate, in the world of a number, waiting for no answer."""
    world = draw_world(seed, number)
    stage, rng, came = Stage(world), random.Random(f'flood {seed} {number}'), Flood()
    rig = stage.rig
    goals, looks, hypotheses = [stage.new_goal()], [], ['none']
    while came.said < count:
        rig.clock.advance(0.002)
        try:
            _say_something(rng, stage, came, goals, looks, hypotheses)
        except (AssertionError, KeyError, ContractError) as error:
            came.unvetted.append(f'world {number}: {error!r}')
        came.decided += len(rig.bodies(Verdict))
        for one in rig.out:
            if isinstance(one, MOTIONS):
                came.motions += 1
            if isinstance(one, SendNav) and world.checker.may_stand(
                    one.goal.x, one.goal.y, (one.goal.yaw,)) is False:
                came.unvetted.append(f'world {number}: sent to {one.goal}')
            elif isinstance(one, SendSpin) and world.checker.may_turn(
                    world.robot, one.angle_rad) is False:
                came.unvetted.append(f'world {number}: turned by {one.angle_rad}')
    came.dropped = rig.dropped
    return came


def _say_something(rng: random.Random, stage: Stage, came: Flood, goals: list[str],
                   looks: list[str], hypotheses: list[str]) -> None:
    rig, world = stage.rig, stage.world
    goal = goals[-1] if rng.random() < 0.9 else rng.choice(goals)
    match rng.choice(('look', 'answer', 'answer', 'answer', 'act', 'act', 'act', 'path', 'nav',
                      'pose', 'goal')):
        case 'look':
            looks.append(rig.look(freeze=False, goal=goal))
            if rng.random() < 0.9:
                rig.hear(replace(stage._frozen, look_id=looks[-1]))
        case 'answer':
            came.said += 1
            case = draw_case(world, 0, rng.randrange(10**6))
            if case.nodes:
                rig.remember(*case.nodes, goal=goal)
            hypotheses.append(rig.answer(
                case.proposal, rng.choice(looks[-3:] or ['none']), goal=goal,
                source=rng.choice((Source.MODEL, Source.FALLBACK))).id)
        case 'act':
            came.said += 1
            rig.act(rng.choice(hypotheses[-4:]), goal=goal)
        case 'path':
            asked = [one for one in rig.effects if isinstance(one, AskPath)][-3:]
            if asked:
                one = rng.choice(asked)
                rig.hear(PathAnswered(one.request_id, NavStatus.SUCCEEDED, 0, np.array(
                    [(world.robot.x, world.robot.y), (one.goal.x, one.goal.y)])))
        case 'nav':
            sent = [one for one in rig.effects if isinstance(one, MOTIONS)][-3:]
            if sent:
                nav_goal_id = rng.choice(sent).nav_goal_id
                rig.hear(rng.choice((
                    NavAnswered(nav_goal_id, rng.random() < 0.5),
                    NavFinished(nav_goal_id, NavStatus.SUCCEEDED, 0),
                    NavFinished(nav_goal_id, NavStatus.ABORTED, 104))))
        case 'pose':
            stage.hear_costmap()
            rig.hear_pose()
        case 'goal' if rng.random() < 0.05:
            goals.append(stage.new_goal())


# The command line

def lines_of(seed: int, tally: Tally, flooded: Flood, took_s: float) -> list[str]:
    """Return what came of all, for people."""
    lines = [f'{kind:>20}: {tally.kinds[kind, "accepted"]:6} accepted, '
             f'{tally.kinds[kind, "refused"]:6} refused'
             for kind in sorted({kind for kind, _ in tally.kinds})]
    lines += [', '.join(f'{code} {count}' for code, count in tally.codes.most_common())]
    for number, what in (tally.disagreements + tally.unvetted)[:_SHOWN]:
        lines += [f'hypothesis {number}: {what}',
                  f"  make hostile ARGS='--seed {seed} --replay {number}'"]
    lines += flooded.unvetted[:_SHOWN]
    return [*lines,
            f'flood: {flooded.said} hypotheses and acts, {flooded.decided} verdicts, '
            f'{flooded.dropped} dropped, {flooded.motions} motions, '
            f'{len(flooded.unvetted)} unvetted',
            f'{tally.count} hypotheses ({tally.draws} drawn): {tally.accepted} accepted, '
            f'{tally.count - tally.accepted} refused, {len(tally.disagreements)} disagreements, '
            f'{len(tally.unvetted)} unvetted motions, {took_s:.0f} s']


def _quiet() -> None:
    # What is no number at all fails the checks, which say so in the log, each time.
    logging.getLogger('semantic_nav').setLevel(logging.CRITICAL)


def _work(job: tuple[str, int, int, int]) -> tuple[Tally, Flood]:
    what, seed, first, count = job
    if what == 'flood':
        return Tally(), flood(seed, first, count)
    return put_many(seed, range(first, first + count)), Flood()


def run(seed: int, count: int, jobs: int, flooding: int) -> tuple[Tally, Flood]:
    """Put hypotheses, and flood, in some processes."""
    step, wave = 10 * PER_WORLD, 1000
    todo = [('put', seed, first, min(step, count - first)) for first in range(0, count, step)]
    todo += [('flood', seed, PER_WORLD * index, min(wave, flooding - index * wave))
             for index in range(math.ceil(flooding / wave))]
    tally, flooded = Tally(), Flood()
    _quiet()
    if jobs == 1:
        results = map(_work, todo)
        for one, other in results:
            tally.add(one)
            flooded.add(other)
        return tally, flooded
    with multiprocessing.get_context('spawn').Pool(jobs, _quiet) as pool:
        for done, (one, other) in enumerate(pool.imap(_work, todo), 1):
            tally.add(one)
            flooded.add(other)
            if done % 25 == 0:
                print(f'{tally.count} of {count}, {len(tally.disagreements)} disagreements',
                      flush=True)
    return tally, flooded


def main(argv: list[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, prog='make hostile')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=100_000, help='hypotheses')
    parser.add_argument('--flood', type=int, default=None,
                        help='hypotheses and acts at full rate; a tenth of --count')
    parser.add_argument('--jobs', type=int, default=2, help='processes')
    parser.add_argument('--replay', type=int, metavar='NUMBER', help='this hypothesis alone')
    args = parser.parse_args(argv)
    began = time.perf_counter()
    if args.replay is not None:
        tally, flooded = replay(args.seed, args.replay), Flood()
    else:
        tally, flooded = run(args.seed, args.count, args.jobs,
                             args.count // 10 if args.flood is None else args.flood)
    print('\n'.join(lines_of(args.seed, tally, flooded, time.perf_counter() - began)))
    return int(bool(tally.disagreements or tally.unvetted or flooded.unvetted))


if __name__ == '__main__':
    sys.exit(main())
