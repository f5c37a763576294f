"""Hypotheses and acts at full rate, with nobody waiting for an answer."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from draws import Case, draw_case
from stage import Stage
from verifier_rig import MOTIONS
from worlds import draw_world

from semantic_nav.contracts.documents import Verdict
from semantic_nav.contracts.errors import ContractError
from semantic_nav.contracts.vocabulary import NavStatus, Source
from semantic_nav.verify.effects import AskPath, SendNav, SendSpin
from semantic_nav.verify.events import NavAnswered, NavFinished, PathAnswered

#: How often the robot comes to rest, and how often an act then comes about undisturbed.
_PAUSE, _UNDISTURBED = 0.02, 0.8


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
    came, talk = Flood(), _Talk(seed, number)
    while came.said < count:
        talk.rig.clock.advance(0.002)
        for say in talk.next():
            try:
                came.said += say()
            except (AssertionError, KeyError, ContractError) as error:
                came.unvetted.append(f'world {number}: {error!r}')
            came.decided += len(talk.rig.bodies(Verdict))
            came.motions += sum(isinstance(one, MOTIONS) for one in talk.rig.out)
            came.unvetted += [f'world {number}: {one}' for one in talk.wrong()]
    came.dropped = talk.rig.dropped
    return came


class _Talk:
    """Everything that is said in one flood, in any order."""

    def __init__(self, seed: int, number: int) -> None:
        self.world = draw_world(seed, number)
        self.stage, self.rng = Stage(self.world), random.Random(f'flood {seed} {number}')
        self.rig = self.stage.rig
        self._goals, self._looks, self._hypotheses = [self.stage.new_goal()], ['none'], ['none']
        self._paths: dict[str, list[tuple[float, float]]] = {}
        self._seen = len(self.rig.effects)

    def next(self) -> list[Callable[[], int]]:
        """Return what is said next; each tells how many hypotheses and acts it was."""
        if self.rng.random() < _PAUSE:
            act = [self._look, self._answer, self._act, self._path, self._nav]
            between = [] if self.rng.random() < _UNDISTURBED else [self._anything()]
            self.rng.shuffle(between)
            return [self._nav, self._pause, *act[:2], *between, *act[2:]]
        return [self._anything()]

    def _anything(self) -> Callable[[], int]:
        return self.rng.choice((
            self._look, self._answer, self._answer, self._answer, self._act, self._act,
            self._act, self._path, self._nav, self._pose, self._goal))

    def wrong(self) -> list[str]:
        """Return what moved the robot since the last time, and must not."""
        checker, found = self.world.checker, []
        for one in self.rig.effects[self._seen:]:
            if isinstance(one, SendNav):
                if checker.may_stand(one.goal.x, one.goal.y, (one.goal.yaw,)) is False:
                    found.append(f'sent to {one.goal}')
                points = self._paths.get(self.rig.asked.request_id, [])
                if checker.may_follow(points, one.goal) is False:
                    found.append(f'sent to {one.goal} on a path that may not be followed')
            elif isinstance(one, SendSpin) and checker.may_turn(
                    self.world.robot, one.angle_rad) is False:
                found.append(f'turned by {one.angle_rad}')
        self._seen = len(self.rig.effects)
        return found

    @property
    def _any_goal(self) -> str:
        return self._goals[-1] if self.rng.random() < 0.9 else self.rng.choice(self._goals)

    def _look(self) -> int:
        self._looks.append(self.rig.look(freeze=False, goal=self._any_goal))
        if self.rng.random() < 0.9:
            self.rig.hear(replace(self.stage.frozen, look_id=self._looks[-1]))
        return 0

    def _answer(self) -> int:
        case: Case = draw_case(self.world, 0, self.rng.randrange(10**6))
        goal = self._any_goal
        if case.nodes:
            self.rig.remember(*case.nodes, goal=goal)
        look_id = self._looks[-1] if self.rng.random() < 0.6 else self.rng.choice(self._looks[-3:])
        self._hypotheses.append(self.rig.answer(
            case.proposal, look_id, goal=goal,
            source=self.rng.choice((Source.MODEL, Source.FALLBACK))).id)
        return 1

    def _act(self) -> int:
        named = self._hypotheses[-1] if self.rng.random() < 0.5 else self.rng.choice(
            self._hypotheses[-4:])
        self.rig.act(named, goal=self._any_goal)
        return 1

    def _path(self) -> int:
        """Answer one of the last questions to the planner with a straight path."""
        asked = [one for one in self.rig.effects if isinstance(one, AskPath)][-3:]
        if asked:
            one = asked[-1] if self.rng.random() < 0.7 else self.rng.choice(asked)
            robot = self.world.robot
            self._paths[one.request_id] = [(robot.x, robot.y), (one.goal.x, one.goal.y)]
            self.rig.hear(PathAnswered(one.request_id, NavStatus.SUCCEEDED, 0,
                                       np.array(self._paths[one.request_id])))
        return 0

    def _nav(self) -> int:
        sent = [one for one in self.rig.effects if isinstance(one, MOTIONS)][-3:]
        if sent:
            nav_goal_id = self.rng.choice(sent).nav_goal_id
            self.rig.hear(self.rng.choice((
                NavAnswered(nav_goal_id, self.rng.random() < 0.5),
                NavFinished(nav_goal_id, NavStatus.SUCCEEDED, 0),
                NavFinished(nav_goal_id, NavStatus.ABORTED, 104))))
        return 0

    def _pose(self) -> int:
        self.stage.hear_costmap()
        self.rig.hear_pose()
        return 0

    def _pause(self) -> int:
        """Let the robot come to rest."""
        self.stage.pass_time(self.rng.uniform(0.4, 3.0))
        return 0

    def _goal(self) -> int:
        if self.rng.random() < 0.05:
            self._goals.append(self.stage.new_goal())
        return 0
