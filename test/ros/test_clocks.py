"""Clocks of base and sensors that are apart: whose is off by how much."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import CAMERA, Room, canonical, look_request, meta
from fake_nav2 import PATIENT, FakeRobot, Rig, depth_stamp_of, running
from rclpy.context import Context
from tf2_ros import Buffer

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.documents import Hypothesis, Look, Observation, Step
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.vocabulary import Level, Source, StepKind
from semantic_nav.nodes.ros.clocks import Clocks
from semantic_nav.nodes.ros.robot_pose import Frames
from semantic_nav.nodes.verifier import VerifierNode

GOAL_ID = 'goal-s-1'
NOW_NS = 1_700_000_000 * NS_PER_S


class Bench(Rig):
    """The verifier, and a robot whose base has a clock of its own."""

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__(context, folder)
        self.robot = self.add(FakeRobot(context, Room(), Pose2D(2.0, 3.0, 0.0)))
        self.listen('observation')

    def why_blind(self) -> str:
        """Return why a look at what the camera sees now shows nothing."""
        before = self.robot.depth_stamp
        self.until(lambda: self.robot.depth_stamp != before)
        look = self.say(Look(True, '', CAMERA.width_px, CAMERA.height_px), goal=GOAL_ID,
                        stamp=depth_stamp_of(self.robot), frame='camera')
        self.say(Hypothesis('belief-s-1', Source.MODEL, canonical('explore'), meta()),
                 goal=GOAL_ID, cause=look.id, stamp=look.stamp_ns)
        return self.next(Observation).body.ungrounded_reason


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[Bench]:
    with running(Bench, ros_domain, tmp_path) as made:
        yield made


@pytest.mark.parametrize(('ahead_s', 'side'), [(-4.0, 's behind this'), (3.0, 's ahead of this')])
def test_base_with_a_clock_of_its_own_is_named(bench: Bench, ahead_s: float, side: str) -> None:
    """As a Create 3 under a TurtleBot 4 without time synchronisation."""
    bench.robot.ahead_s = ahead_s
    bench.start(VerifierNode, **{**PATIENT, 'pose_max_age_s': 1.0})
    for name in ('clocks', 'pose'):
        bench.statement(f'verifier: {name}', Level.WARN, side)
    bench.say(Step(StepKind.LOOK, 'find the mug', look=look_request()), goal=GOAL_ID)
    told = ''
    for _ in range(20):
        told = bench.why_blind()
        if 'synchronise the two' in told:
            break
    assert '(the base)' in told and side in told
    bench.robot.ahead_s = 0.0
    for name in ('clocks', 'pose'):
        bench.statement(f'verifier: {name}', Level.OK)


def clocks_after(*gaps_s: float) -> Clocks:
    """Return what is known after stamps that were so old on their arrival."""
    clocks = Clocks(Buffer(), Frames('map', 'odom', 'base_link'), lambda: NOW_NS)
    for gap_s in gaps_s:
        clocks.take('/scan', NOW_NS - round(gap_s * NS_PER_S))
    return clocks


@pytest.mark.parametrize(('gaps_s', 'words'), [
    ((2.0, 2.1, 2.0), '/scan is 2.0 s behind'), ((-7.5, -7.4, -7.5), '/scan is 7.5 s ahead of'),
    ((1.6e9, 1.6e9, 1.6e9), '/scan has the time of a simulation'),
    ((-1.6e9, -1.6e9, -1.6e9), 'this node has the time of a simulation')])
def test_sensor_with_a_clock_of_its_own_is_named(gaps_s: tuple[float, ...], words: str) -> None:
    level, said = clocks_after(*gaps_s).state()
    assert level is Level.WARN and words in said


@pytest.mark.parametrize('gaps_s', [
    (), (5.0, 5.0), (0.2, 0.3, 0.25), (-0.05, -0.05, 0.0),
    # A clock that jumps, or one message that was late.
    (0.1, 0.1, -100.0, 0.1, 0.1), (0.1, 0.1, 3.0, 0.1)])
def test_clocks_that_may_be_in_step_are_not_named(gaps_s: tuple[float, ...]) -> None:
    assert clocks_after(*gaps_s).state() == (Level.OK, 'in step')
