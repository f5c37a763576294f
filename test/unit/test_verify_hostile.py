"""A model that proposes anything at all: nothing unvetted moves, and nothing ends the verifier."""

import math
from dataclasses import replace

import numpy as np
import pytest
from builders import GOAL_ID, Block, Room, base_T_CAMERA, candidate, frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import bodies, examples
from verifier_rig import MOTIONS, VerifierRig

from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.codec import to_plain
from semantic_nav.contracts.core import Tick
from semantic_nav.contracts.documents import NAMES, Observation, Verdict
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.hypothesis import (
    Action,
    CanonicalHypothesis,
    NavigationGoal,
    Scene,
    SceneObject,
    TargetStatus,
)
from semantic_nav.contracts.schemas import check
from semantic_nav.contracts.vocabulary import Code, Source
from semantic_nav.verify.effects import AskPath, ClearCostmaps, SendNav, SendSpin, StopNav
from semantic_nav.verify.events import CostmapReceived, MapReceived

#: The quick profile is content with a tenth.
HYPOTHESES = 20 * examples(100)
SMALL = Intrinsics(64, 48, 48.0, 48.0, 32.0, 24.0)
ROOM = Room(5.0, 4.0, [Block((2.0, 3.6), (1.6, 3.2), (0.0, 0.75))], resolution_m=0.1)
NODES = [candidate('good', Pose2D(4.3, 3.3, 1.0)), candidate('in the wall', Pose2D(0.0, 0.0, 0.0)),
         candidate('in the table', Pose2D(2.8, 2.4, 0.0)),
         candidate('nowhere', Pose2D(1e4, -1e4, 0.0)),
         candidate('as far as may be', Pose2D(1e5, 1e5, 0.0)),
         candidate('unknown', Pose2D(4.7, 0.3, 0.0))]


class Liar:
    """Proposes canonical hypotheses without any sense, the same ones every time."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def chance(self, share: float) -> bool:
        return bool(self._random.random() < share)

    def one_of(self, values):
        return values[int(self._random.integers(len(values)))]

    def box(self):
        corners = [float(v) for v in self._random.uniform(0, 1000, 4)]
        if self.chance(0.5):
            x1, y1, x2, y2 = corners
            corners = [min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)]
        if self.chance(0.1):
            corners = [self.one_of([0.0, 1000.0]) for _ in corners]
        return tuple(corners)

    def coordinate(self) -> float:
        return self.one_of([float(self._random.uniform(-1, 6)), 1e4, -1e4, 0.0,
                            float(self._random.normal(2.5, 1.0))])

    def hypothesis(self) -> CanonicalHypothesis:
        action = self.one_of([*Action, Action.APPROACH, Action.APPROACH, Action.GOTO_NODE])
        angle = float(self._random.uniform(-math.pi, math.pi))
        fields = {
            Action.APPROACH: {'target_box': self.box()},
            Action.GOTO_NODE: {'node_id': self.one_of([node.node_id for node in NODES]
                                                      + ['no such node', '../etc', '🤖'])},
            Action.ROTATE: {'rotate_rad': angle},
            Action.EXPLORE: {'explore_bearing_rad': self.one_of([None, angle])},
            Action.ASK_CLARIFICATION: {'clarification_question': 'drive()?'},
            Action.STOP: {}}[action]
        if action is Action.APPROACH and self.chance(0.5):
            fields = {'navigation_goal': NavigationGoal(
                self.one_of(['map', 'base_link']), self.coordinate(), self.coordinate(), angle)}
        scene = Scene('room', tuple(
            SceneObject('thing', self.one_of([None, self.box()]))
            for _ in range(int(self._random.integers(0, 4)))))
        return CanonicalHypothesis(
            action, self.one_of(list(TargetStatus)), self.one_of([0.0, 0.3, 1.0]), scene=scene,
            rationale='ignore all rules', **fields)


def world_with_unknown_corner(rig: VerifierRig) -> None:
    stamp = rig.clock.now.clock_ns
    for kind, grid in ((MapReceived, ROOM.map(stamp)), (CostmapReceived, ROOM.costmap(stamp))):
        grid.cells[:13, 36:] = -1
        rig.hear(kind(grid))


def assert_may_stand(rig: VerifierRig, goal: Pose2D) -> None:
    """Judge a goal by the map and the costmap themselves, not by the verifier's own checks."""
    for grid, most in ((rig.map, 64), (rig.costmap, rig.config.clear_cost)):
        column = math.floor((goal.x - grid.origin_x_m) / grid.resolution_m)
        row = math.floor((goal.y - grid.origin_y_m) / grid.resolution_m)
        assert 0 <= row < grid.cells.shape[0] and 0 <= column < grid.cells.shape[1]
        assert 0 <= grid.cells[row, column] <= most, goal


@pytest.fixture(scope='module')
def hostile() -> tuple[VerifierRig, dict[str, int]]:
    """Play the liar against a verifier; returns it and how often each code came."""
    liar = Liar(2)
    rig = VerifierRig(ROOM, Pose2D(1.0, 1.0, 0.4), ready=False, wire_every=10)
    world_with_unknown_corner(rig)
    rig.hear_pose()
    rig.begin()
    rig.remember(*NODES)
    codes: dict[str, int] = {}
    held = frozen('', ROOM.depth(Transform.from_pose(rig.pose) @ base_T_CAMERA, SMALL), rig.pose,
                  camera=SMALL)
    goal = GOAL_ID
    for number in range(HYPOTHESES):
        if number % 10 == 9:
            # A new goal now and then: nothing is tried, nothing looked at.
            goal = f'goal-s-{number}'
            rig.begin(goal)
            rig.remember(*NODES, goal=goal)
        if number % 4 == 0:
            rig.clock.advance(1.0)
            world_with_unknown_corner(rig)
            rig.hear_pose()
        proposal = liar.hypothesis()
        if number % 50 == 0:
            check('vlm_hypothesis', to_plain(proposal))
        look_id = rig.look(freeze=False, goal=goal)
        if not liar.chance(0.1):
            rig.hear(replace(held, look_id=look_id))
        else:
            look_id = f'look-never-taken-{number}'
        sent = rig.answer(proposal, look_id, goal=goal,
                          source=Source.MODEL if liar.chance(0.9) else Source.FALLBACK)
        assert len(rig.bodies(Observation)) == 1
        if liar.chance(0.95):
            rig.act(sent.id, goal=goal)
        else:
            rig.act(*liar.one_of([('hypothesis-x', None), (None, 'track-s-1')]), goal=goal)
        play_nav2(rig, liar, codes)
    return rig, codes


def play_nav2(rig: VerifierRig, liar: Liar, codes: dict[str, int]) -> None:
    """Answer whatever the act led to, well or badly."""
    for _ in range(10):
        for one in rig.out:
            if isinstance(one, SendNav):
                assert_may_stand(rig, one.goal)
            elif isinstance(one, SendSpin):
                assert abs(one.angle_rad) <= math.pi + 1e-9
        for verdict in rig.bodies(Verdict):
            if verdict.decision is not None:
                code = verdict.decision.code
                codes[code.value] = codes.get(code.value, 0) + 1
                assert (verdict.decision.nav_goal_id is not None) == (code is Code.OK)
        if any(isinstance(one, AskPath) for one in rig.out):
            rig.path(off_m=liar.one_of([0.0, 0.0, 0.0, 2.0]),
                     status=liar.one_of(['succeeded', 'succeeded', 'succeeded', 'aborted']))
        elif rig.moving:
            if liar.chance(0.5):
                rig.finish(liar.one_of(['succeeded', 'aborted', 'aborted', 'canceled', 'lost']),
                           liar.one_of([0, 104, 104, 208]))
            rig.stand(0.6)
        elif any(isinstance(one, ClearCostmaps) for one in rig.out):
            rig.drive(rig.pose, 1.2)
        elif any(isinstance(one, StopNav) for one in rig.out):
            # The robot comes to rest before the act begins.
            rig.stand(0.6)
        else:
            return


@pytest.mark.slow
def test_two_thousand_hypotheses_send_nothing_unvetted(hostile) -> None:
    """The rig has looked at every output: no exception, no goal without its verdict."""
    rig, codes = hostile
    sent = [one for one in rig.effects if isinstance(one, MOTIONS)]
    assert {one.nav_goal_id for one in sent} == rig.announced.keys()
    assert codes['OK'] > HYPOTHESES / 20
    assert len({one.nav_goal_id for one in sent}) == len(sent)
    assert {type(one) for one in sent} == set(MOTIONS)


@pytest.mark.slow
def test_every_act_was_answered(hostile) -> None:
    rig, codes = hostile
    first = {one.cause_id for one in rig.documents
             if isinstance(one.body, Verdict) and one.body.decision is not None}
    assert len(first) == HYPOTHESES


def test_liar_met_most_of_the_checks(hostile) -> None:
    _, codes = hostile
    assert set(codes) >= {
        'OK', 'NOT_GROUNDED', 'UNKNOWN_NODE', 'LOW_CONFIDENCE', 'OUT_OF_MAP', 'PATH_INVALID',
        'COLLISION_DETECTED', 'UNKNOWN_SPACE', 'SKIPPED', 'WRONG_GOAL'}


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_documents_in_any_order(data: st.DataObject) -> None:
    """What the schemas allow, of this goal or another, with any ids: nothing raises."""
    rig = VerifierRig(ROOM, Pose2D(1.0, 1.0, 0.4))
    some = st.sampled_from(['', 'peer-s-1', 'x' * 160])
    goals = st.sampled_from([GOAL_ID, GOAL_ID, GOAL_ID, '', 'goal-x'])
    for _ in range(data.draw(st.integers(1, 8))):
        kind = data.draw(st.sampled_from(sorted(NAMES, key=NAMES.__getitem__)))
        rig.say(data.draw(bodies(kind)), id_=data.draw(some.filter(bool)), cause=data.draw(some),
                goal=data.draw(goals), stamp_ns=data.draw(st.integers(0, 2**31 * 10**9 - 1)))
        for one in rig.out:
            if isinstance(one, AskPath):
                rig.path()
                break
    rig.hear(Tick())
