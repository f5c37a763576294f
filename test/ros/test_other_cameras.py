"""The verifier node with further cameras: each look is placed by the camera that took it."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import (
    CAMERA,
    GOAL_ID,
    Block,
    Room,
    act_request,
    base_T_CAMERA,
    box_of,
    canonical,
    look_request,
    meta,
    mounted,
)
from fake_nav2 import PATIENT, FakeNav2, FakeRobot, Rig, running
from rclpy.context import Context
from rclpy.lifecycle import TransitionCallbackReturn

from semantic_nav.cli.replay import replay
from semantic_nav.contracts.camera import Intrinsics
from semantic_nav.contracts.documents import (
    Document,
    Hypothesis,
    Look,
    Observation,
    Step,
    Verdict,
)
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.journal import read_lines
from semantic_nav.contracts.vocabulary import Code, Source, StepKind
from semantic_nav.nodes.ros.clock import stamp_ns
from semantic_nav.nodes.verifier import VerifierNode

WARN = 1
START = Pose2D(4.0, 3.0, 0.5)
POST = Block((4.97, 5.03), (3.47, 3.53), (0.6, 1.2))
CHAIR = Block((3.4, 3.6), (4.5, 4.7), (0.0, 0.9))
#: Of another size, with another K, to the left and aside of the middle.
LEFT = Intrinsics(240, 180, 150.0, 160.0, 110.0, 95.0)
base_T_LEFT = mounted(1.7, 0.05, 0.2, 1.2, 0.2)


class Bench(Rig):
    """The verifier, a robot with two cameras, and Nav2."""

    def __init__(self, context: Context, folder: Path) -> None:
        super().__init__(context, folder)
        self.robot = self.add(FakeRobot(context, Room(), START, (POST, CHAIR),
                                        {'left': (LEFT, base_T_LEFT)}))
        self.nav2 = self.add(FakeNav2(self.robot, context))
        self.listen('observation', 'verdict')
        self.node: Any = None

    def up(self, **parameters: Any) -> None:
        self.node = self.start(VerifierNode, **{**PATIENT, **parameters})
        self.until(lambda: self.node.core._surroundings.map is not None)
        self.say(Step(StepKind.LOOK, 'find the chair', look=look_request()), goal=GOAL_ID)
        self.until(lambda: self.robot.depth_stamp is not None)
        self.until(lambda: self.node.core._surroundings.robot.pose is not None)

    def look(self, camera: str, intrinsics: Intrinsics, base_T_camera: Transform, frame: str,
             thing: Block) -> Observation:
        """Look at a thing; where depth or transforms are lost or late, again."""
        while True:
            _, observed = self.look_once(camera, intrinsics, base_T_camera, frame, thing)
            if observed.pose is not None:
                return observed

    def look_once(self, camera: str, intrinsics: Intrinsics, base_T_camera: Transform,
                  frame: str, thing: Block) -> tuple[Document, Observation]:
        """Look at a thing; returns the model's answer, and the observation."""
        box = box_of(Transform.from_pose(START) @ base_T_camera, intrinsics, thing)
        stamp = self.robot.stamps[camera] if camera == 'left' else self.robot.depth_stamp
        look = self.say(Look(True, '', intrinsics.width_px, intrinsics.height_px,
                             camera=camera), goal=GOAL_ID, stamp=stamp_ns(stamp), frame=frame)
        answer = self.say(Hypothesis('belief-s-1', Source.MODEL, canonical(
            'approach', seen='visible', target_box=box), meta()), goal=GOAL_ID, cause=look.id,
            stamp=look.stamp_ns)
        return answer, self.next(Observation).body


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[Bench]:
    with running(Bench, ros_domain, tmp_path) as made:
        yield made


def middle(thing: Block) -> tuple[float, float]:
    return sum(thing.x) / 2, sum(thing.y) / 2


def test_each_look_is_placed_by_its_own_camera(bench: Bench, tmp_path: Path) -> None:
    bench.up(camera_name='front', other_cameras='left', journal_blobs=True)
    bench.until(lambda: 'left' in bench.robot.stamps)
    ahead = bench.look('front', CAMERA, base_T_CAMERA, 'camera', POST)
    aside = bench.look('left', LEFT, base_T_LEFT, 'left_frame', CHAIR)
    for observed, camera, thing in ((ahead, 'front', POST), (aside, 'left', CHAIR)):
        assert observed.camera == camera
        target = next(item for item in observed.objects if item.is_target)
        assert math.dist(target.position[:2], middle(thing)) < 0.15
        assert observed.target_bearing_rad == pytest.approx(
            START.bearing_to(*middle(thing)), abs=0.15)
    assert aside.cone is not None
    assert aside.cone.yaw == pytest.approx(START.yaw + 1.7, abs=1e-3)
    assert aside.cone.half_angle_rad == pytest.approx(math.atan2(120.0, 150.0))
    bench.until(lambda: bench.statements.get('verifier: other cameras', (WARN,))[0] == 0)
    (journal,) = tmp_path.glob('*/verifier.jsonl')
    told = [line['event'] for line in read_lines(journal)
            if line.get('event', {}).get('type') == 'CameraMounted']
    assert len(told) == 1
    assert all(step is None for step in replay(journal, 'verifier', tmp_path / 'blobs'))


def test_a_look_through_an_unknown_camera_has_no_depth_and_leads_to_no_goal(
        bench: Bench) -> None:
    bench.up(other_cameras='left')
    bench.look('camera', CAMERA, base_T_CAMERA, 'camera', POST)
    answer, observed = bench.look_once('rear', CAMERA, base_T_CAMERA, 'camera', POST)
    words = "the verifier knows no camera 'rear', only camera, left"
    assert words in observed.ungrounded_reason and 'camera_name' in observed.ungrounded_reason
    assert (observed.pose, observed.objects, observed.camera) == (None, (), 'rear')
    bench.until(lambda: words in bench.statements.get('verifier: depth', (0, ''))[1])
    bench.say(Step(StepKind.ACT, 'find the chair', act=act_request(answer.id)), goal=GOAL_ID)
    verdict = bench.next(Verdict).body
    assert verdict.decision.code is not Code.OK, verdict
    assert bench.nav2.sent == []


def test_a_sole_camera_takes_each_look_whatever_its_name(bench: Bench) -> None:
    bench.up()
    observed = bench.look('front', CAMERA, base_T_CAMERA, 'camera', POST)
    assert observed.camera == 'front' and observed.objects


def test_a_camera_that_nobody_publishes_is_named(bench: Bench) -> None:
    bench.up(other_cameras='left,right')
    bench.until(lambda: bench.statements.get('verifier: other cameras', (0, ''))[0] == WARN)
    text = bench.statements['verifier: other cameras'][1]
    assert '/robot/right/depth/image_raw' in text and '/robot/right/camera_info' in text
    assert '/robot/left' not in text


def test_a_camera_that_has_no_place_is_named_until_it_has(bench: Bench) -> None:
    bench.robot.unmounted.add('left')
    bench.up(other_cameras='left')
    bench.until(lambda: bench.statements.get(
        'verifier: other cameras', (0, ''))[1].startswith('left: '))
    assert bench.node.core._other_cameras == frozenset()
    bench.robot.unmounted.clear()
    bench.until(lambda: bench.node.core._other_cameras == {'left'})
    bench.until(lambda: bench.statements['verifier: other cameras'][0] == 0)


def test_names_that_are_none_are_refused(bench: Bench) -> None:
    node = bench.make(VerifierNode, other_cameras='left,left')
    assert node.trigger_configure() != TransitionCallbackReturn.SUCCESS
