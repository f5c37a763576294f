"""Another client of Nav2, as a person at RViz, sends a goal of its own during a mission."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from fake_nav2 import NAMESPACE, lose_nobody_early, running
from nav2_msgs.action import NavigateToPose, Spin
from rclpy.action import ActionClient
from rclpy.node import Node
from std_msgs.msg import String
from test_pausing import all_up, believed, looked
from test_verifier_node import Bench

from semantic_nav.contracts.documents import Belief, Step, Verdict
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.signs_of_life import Sign
from semantic_nav.contracts.vocabulary import Code, Outcome, Phase, StepKind
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.clock import read_clocks
from semantic_nav.nodes.ros.conversions import pose_stamped, uuid_of
from semantic_nav.verify.driving.other_clients import new_goal_id
from semantic_nav.verify.effects import CancelNav

WORDS = 'another client drives the robot'


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    lose_nobody_early(monkeypatch.setattr)
    with running(Bench, ros_domain, tmp_path) as made:
        made.listen('belief', 'step')
        yield made


class Rviz:
    """A client that sends goals as RViz does."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._node = bench.add(Node('rviz', context=bench.context, namespace=NAMESPACE))
        self._client = ActionClient(self._node, NavigateToPose, 'navigate_to_pose')
        bench.until(self._client.server_is_ready)

    def send(self, pose: Pose2D, goal_id: str | None = None) -> Any:
        """Send a goal, under a given UUID or its own; returns its handle once accepted."""
        goal = NavigateToPose.Goal()
        goal.pose = pose_stamped(pose, 'map', read_clocks(self._node).clock_ns)
        future = self._client.send_goal_async(
            goal, goal_uuid=None if goal_id is None else uuid_of(goal_id))
        self._bench.until(future.done)
        return future.result()

    def ended(self, handle: Any) -> int:
        """Wait for the end of a goal; returns its status."""
        future = handle.get_result_async()
        self._bench.until(future.done)
        return int(future.result().status)


def set_out(bench: Bench) -> None:
    """Let a mission drive to the mug, slowly."""
    bench.words('goal', 'find the mug')
    looked(bench)
    bench.robot.speed_m = 0.01
    start = bench.robot.pose
    bench.until(lambda: start.distance_to(bench.robot.pose.x, bench.robot.pose.y) > 0.1)


def arrives(bench: Bench) -> None:
    """Let the mission go on to its end."""
    bench.robot.speed_m = 0.1
    looked(bench)
    looked(bench, confirm=True)
    end = bench.next(Belief, lambda belief: belief.outcome is not None).body
    assert end.outcome is Outcome.ARRIVED, end.reason


def test_goal_of_another_client_is_yielded_to_and_the_mission_goes_on(bench: Bench) -> None:
    all_up(bench)
    rviz = Rviz(bench)
    set_out(bench)
    (mine, _), = bench.nav2.sent
    there = Pose2D(1.2, 2.0, 0.0)
    handle = rviz.send(there)
    assert WORDS in believed(bench, Phase.PAUSED).reason
    ended = bench.next(Verdict, lambda verdict: verdict.result is not None).body.result
    assert ended.code is Code.HELD and WORDS in ended.reason
    asked = len(bench.of(Step))
    bench.spin(2.0)
    assert not [one for one in bench.of(Step)[asked:] if one.body.kind is not StepKind.STOP]
    bench.robot.speed_m = 0.1
    assert rviz.ended(handle) == GoalStatus.STATUS_SUCCEEDED
    assert bench.robot.pose.distance_to(there.x, there.y) < 0.01
    assert bench.nav2.cancelled in ([], [mine])
    arrives(bench)


def test_goal_of_before_the_mission_is_yielded_to(bench: Bench) -> None:
    bench.robot.speed_m = 0.01
    rviz = Rviz(bench)
    handle = rviz.send(Pose2D(3.0, 1.0, 0.0))
    all_up(bench)
    bench.words('goal', 'find the mug')
    assert WORDS in believed(bench, Phase.PAUSED).reason
    bench.robot.speed_m = 0.1
    assert rviz.ended(handle) == GoalStatus.STATUS_SUCCEEDED
    bench.next(Belief, lambda belief: belief.reason == 'the pause is over')
    looked(bench)
    bench.until(lambda: len(bench.nav2.sent) > 1)


def test_goal_of_another_client_is_cancelled_where_it_is_refused(bench: Bench) -> None:
    all_up(bench, other_client='refuse')
    rviz = Rviz(bench)
    set_out(bench)
    handle = rviz.send(Pose2D(1.2, 2.0, 0.0))
    assert rviz.ended(handle) == GoalStatus.STATUS_CANCELED
    ended = bench.next(Verdict, lambda verdict: verdict.result is not None).body.result
    assert ended.code is Code.NAV_UNAVAILABLE and 'which was cancelled' in ended.reason


def test_client_whose_server_is_gone_drives_no_more(bench: Bench) -> None:
    all_up(bench)
    rviz = Rviz(bench)
    set_out(bench)
    rviz.send(Pose2D(1.2, 2.0, 0.0))
    assert WORDS in believed(bench, Phase.PAUSED).reason
    bench.nav2.vanish()
    bench.nav2.appear()
    assert believed(bench, Phase.LOOKING)


def test_drive_of_a_verifier_that_is_announced_and_silent_is_cancelled_at_last(
        bench: Bench) -> None:
    signs = bench.peer.create_publisher(String, 'semantic_nav/alive/verifier', qos.ALIVE)
    all_up(bench)
    bench.until(lambda: bench.node.life.unheard)
    bench.nav2.drive = 'hang'
    goal_id = new_goal_id(random.Random(1))
    handle = Rviz(bench).send(Pose2D(3.0, 1.0, 0.0), goal_id)
    assert Rviz(bench).ended(handle) == GoalStatus.STATUS_CANCELED
    signs.publish(String(data=Sign(0, 'another', aside=True).text))
    bench.until(lambda: not bench.node.life.unheard)


def test_goal_of_a_verifier_before_is_cancelled_by_its_uuid(bench: Bench) -> None:
    bench.up()
    bench.nav2.turn = 'hang'
    goal_id = new_goal_id(random.Random(1))
    before = ActionClient(
        bench.add(Node('before', context=bench.context, namespace=NAMESPACE)), Spin, 'spin')
    bench.until(before.server_is_ready)
    before.send_goal_async(Spin.Goal(), goal_uuid=uuid_of(goal_id))
    bench.until(lambda: [sent for sent, _ in bench.nav2.sent] == [goal_id])
    bench.node._navigation.cancel(CancelNav(goal_id))
    bench.until(lambda: bench.nav2.cancelled == [goal_id])
