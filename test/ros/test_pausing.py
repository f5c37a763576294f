"""Belief and verifier together: a mission that is paused in a drive, and resumed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import CAMERA, base_T_CAMERA, box_of, canonical, meta
from fake_nav2 import NAMESPACE, depth_stamp_of, lose_nobody_early, running
from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import BatteryState
from std_msgs.msg import Bool, String
from std_srvs.srv import Trigger
from test_verifier_node import MUG, Bench

from semantic_nav.cli.replay import replay
from semantic_nav.contracts.documents import Belief, Hypothesis, Look, Observation, Step
from semantic_nav.contracts.geometry import Pose2D, Transform
from semantic_nav.contracts.vocabulary import Outcome, Phase, Source, StepKind
from semantic_nav.nodes.belief import BeliefNode
from semantic_nav.nodes.ros import qos


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    lose_nobody_early(monkeypatch.setattr)
    with running(Bench, ros_domain, tmp_path) as made:
        made.listen('belief', 'step')
        yield made


def all_up(bench: Bench, **parameters: Any) -> None:
    """Start belief and verifier; the peer answers the looks, as the hypothesis node does."""
    listener = bench.add(Node('hypothesis', context=bench.context, namespace=NAMESPACE))
    listener.create_subscription(String, 'semantic_nav/step', lambda message: None, qos.EVENTS)
    bench.up(journal_blobs=True, **parameters)
    # From a single view: the room has no second way to the table.
    bench.start(BeliefNode, confirm_views=1, part_wait_s=60.0)
    bench.statement('belief: listeners', 0)


def request(bench: Bench, name: str) -> Trigger.Response:
    client = bench.peer.create_client(Trigger, f'semantic_nav/{name}')
    bench.until(client.service_is_ready)
    future = client.call_async(Trigger.Request())
    bench.until(future.done)
    return future.result()


def believed(bench: Bench, phase: Phase) -> Belief:
    return bench.next(Belief, lambda belief: belief.phase is phase).body


def looked(bench: Bench, *, confirm: bool = False) -> None:
    """Answer looks by what the camera sees, until one had depth beside it; the rig may rest."""
    observation = None
    while observation is None or observation.pose is None:
        step = bench.next(Step, lambda step: step.kind is StepKind.LOOK)
        assert step.body.look.confirm is confirm
        before = bench.robot.depth_stamp
        bench.until(lambda before=before: bench.robot.depth_stamp not in (None, before))
        look = bench.say(Look(True, '', CAMERA.width_px, CAMERA.height_px), goal=step.goal_id,
                         cause=step.id, stamp=depth_stamp_of(bench.robot), frame='camera')
        seen = canonical('approach', seen='visible', target_box=box_of(
            Transform.from_pose(bench.robot.pose) @ base_T_CAMERA, CAMERA, MUG))
        sent = bench.say(Hypothesis(step.id, Source.MODEL, seen, meta()), goal=step.goal_id,
                         cause=look.id, stamp=look.stamp_ns)
        observed = bench.next(Observation)
        assert observed.cause_id == sent.id
        observation = observed.body


def test_mission_that_is_paused_in_a_drive_stands_and_arrives_when_resumed(
        bench: Bench, tmp_path: Path) -> None:
    all_up(bench)
    assert not request(bench, 'pause').success
    bench.words('goal', 'find the mug')
    looked(bench)
    bench.robot.speed_m = 0.01
    start = bench.robot.pose
    bench.until(lambda: start.distance_to(bench.robot.pose.x, bench.robot.pose.y) > 0.1)
    assert request(bench, 'pause').message == 'accepted'
    (first, _), = bench.nav2.sent
    assert believed(bench, Phase.PAUSED).stands is False
    assert believed(bench, Phase.PAUSED).stands is True
    assert first in bench.nav2.cancelled
    again = request(bench, 'pause')
    assert (again.success, again.message) == (False, 'it is paused already')
    stood: Pose2D = bench.robot.pose
    bench.spin(1.0)
    assert bench.robot.pose == stood and len(bench.nav2.sent) == 1
    bench.robot.speed_m = 0.1
    assert request(bench, 'resume').success
    looked(bench)
    looked(bench, confirm=True)
    end = bench.next(Belief, lambda belief: belief.outcome is not None).body
    assert end.outcome is Outcome.ARRIVED, end.reason
    for part in ('belief', 'verifier'):
        (journal,) = tmp_path.glob(f'*/{part}.jsonl')
        assert all(step is None for step in replay(journal, part, tmp_path / 'blobs'))


@pytest.mark.parametrize('profile', [qos.STATE, qos.IMAGES], ids=['latched', 'best effort'])
def test_pause_topic_stops_the_drive_and_the_mission_goes_on_when_it_says_so(
        bench: Bench, profile: QoSProfile) -> None:
    all_up(bench, pause_topic='stand')
    bench.statement('verifier: pause', 1, 'nothing has come')
    switch = bench.peer.create_publisher(Bool, 'stand', profile)
    bench.until(lambda: switch.get_subscription_count() > 0)
    bench.words('goal', 'find the mug')
    assert 'nothing has come on the pause topic' in believed(bench, Phase.PAUSED).reason
    switch.publish(Bool(data=False))
    bench.statement('verifier: pause', 0)
    looked(bench)
    bench.robot.speed_m = 0.01
    start = bench.robot.pose
    bench.until(lambda: start.distance_to(bench.robot.pose.x, bench.robot.pose.y) > 0.1)
    switch.publish(Bool(data=True))
    bench.until(lambda: bench.nav2.cancelled)
    bench.next(Belief, lambda belief: belief.phase is Phase.PAUSED
               and 'pause topic says' in belief.reason)
    assert bench.next(Belief, lambda belief: belief.stands).body.phase is Phase.PAUSED
    bench.spin(1.0)
    assert len(bench.nav2.sent) == 1
    bench.robot.speed_m = 0.1
    switch.publish(Bool(data=False))
    looked(bench)
    looked(bench, confirm=True)
    end = bench.next(Belief, lambda belief: belief.outcome is not None).body
    assert end.outcome is Outcome.ARRIVED, end.reason


def test_robot_with_an_empty_battery_is_held_until_it_is_charged(bench: Bench) -> None:
    all_up(bench, battery_topic='battery', localisation_topic='amcl_pose')
    for name in ('battery', 'localisation'):
        bench.statement(f'verifier: {name}', 1, 'nothing has come')
    battery = bench.peer.create_publisher(BatteryState, 'battery', qos.IMAGES)
    localisation = bench.peer.create_publisher(PoseWithCovarianceStamped, 'amcl_pose', qos.STATE)
    told = PoseWithCovarianceStamped()
    told.pose.covariance[0] = told.pose.covariance[7] = told.pose.covariance[35] = 0.01
    localisation.publish(told)
    state = BatteryState(percentage=0.1)
    bench.peer.create_timer(0.1, lambda: battery.publish(state))
    for name in ('battery', 'localisation'):
        bench.statement(f'verifier: {name}', 0, 'known')
    bench.words('goal', 'find the mug')
    assert 'the battery is at 10%' in believed(bench, Phase.PAUSED).reason
    state.percentage = 0.9
    looked(bench)
    looked(bench, confirm=True)
    end = bench.next(Belief, lambda belief: belief.outcome is not None).body
    assert end.outcome is Outcome.ARRIVED, end.reason


def test_switch_that_was_set_before_the_verifier_began_counts(bench: Bench) -> None:
    switch = bench.peer.create_publisher(Bool, 'stand', qos.STATE)
    switch.publish(Bool(data=True))
    all_up(bench, pause_topic='stand')
    bench.words('goal', 'find the mug')
    assert 'pause topic' in believed(bench, Phase.PAUSED).reason
