"""A drive ends where its verifier or its belief gives no sign of life any more."""

import contextlib
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders import GOAL_ID, canonical, ended, look_request
from fake_nav2 import NAMESPACE, PATIENT, PATIENT_ALIVE, running, words_of
from rclpy.event_handler import QoSLivelinessChangedInfo, SubscriptionEventCallbacks
from std_msgs.msg import Empty
from test_verifier_node import ERROR, OK, Bench

from semantic_nav.contracts.documents import Step
from semantic_nav.contracts.vocabulary import ActOutcome, NavStatus, StepKind
from semantic_nav.nodes.belief import BeliefNode
from semantic_nav.nodes.hypothesis import HypothesisNode
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.core_node import CoreNode


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(qos, 'ALIVE', PATIENT_ALIVE)
    with running(Bench, ros_domain, tmp_path) as made:
        yield made


@contextlib.contextmanager
def verifier(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([
        sys.executable, '-m', 'semantic_nav.nodes.verifier', '--ros-args',
        '-r', f'__ns:=/{NAMESPACE}', *words_of({**PATIENT, 'journal_dir': folder})])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def turning(bench: Bench) -> str:
    """Return the UUID of a turn that a verifier in a process of its own has under way."""
    bench.nav2.turn = 'hang'
    for name in ('map', 'costmap', 'pose', 'nav2'):
        bench.statement(f'verifier: {name}', OK)
    bench.say(Step(StepKind.LOOK, 'find the mug', look=look_request()), goal=GOAL_ID)
    bench.until(lambda: bench.robot.depth_stamp is not None)
    hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0))
    bench.act(hypothesis)
    decision = bench.decided()
    assert decision.nav_goal_id is not None, decision
    bench.until(lambda: decision.nav_goal_id in dict(bench.nav2.sent))
    return decision.nav_goal_id


def heard_all_the_time(bench: Bench) -> Callable[[], bool]:
    """Return what tells whether the verifier gave signs of life ever since it was asked last.

    On a busy machine a process rests too, and then the others are right to take it for gone.
    """
    lost: list[QoSLivelinessChangedInfo] = []
    bench.peer.create_subscription(
        Empty, 'semantic_nav/alive/verifier', lambda message: None, qos.ALIVE,
        event_callbacks=SubscriptionEventCallbacks(
            liveliness=lambda info: lost.append(info) if info.alive_count_change < 0 else None))

    def heard() -> bool:
        silences = len(lost)
        lost.clear()
        return not silences

    return heard


@pytest.mark.parametrize('end', [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize('survivor', [BeliefNode, HypothesisNode])
def test_drive_of_a_verifier_that_is_gone_is_cancelled(
        bench: Bench, tmp_path: Path, survivor: type[CoreNode], end: signal.Signals) -> None:
    parameters = {'vlm_backend': 'mock'} if survivor is HypothesisNode else {}
    node = bench.start(survivor, **parameters)
    heard = heard_all_the_time(bench)
    with verifier(tmp_path) as process:
        goal_id = turning(bench)
        bench.spin(1.0)
        while not heard():
            bench.nav2.cancelled.clear()
            goal_id = turning(bench)
            bench.spin(1.0)
        assert bench.nav2.cancelled == [], 'it is alive'
        process.send_signal(end)
        bench.until(lambda: goal_id in bench.nav2.cancelled)
        bench.statement(f'{node.get_name()}: deadman', ERROR, goal_id)
        if end == signal.SIGSTOP:
            process.send_signal(signal.SIGCONT)
            assert bench.resulted().nav_status is NavStatus.CANCELED, 'it hears of it'


def test_follower_that_drives_on_is_stopped_too(bench: Bench, tmp_path: Path) -> None:
    """A goal that has ended for the navigator proves no standstill."""
    bench.start(BeliefNode)
    with verifier(tmp_path) as process:
        turning(bench)
        bench.nav2.follows = lambda: bench.robot.face(bench.robot.pose.yaw + 0.1)
        process.kill()
        bench.until(lambda: bench.nav2.follows is None)


def test_result_of_another_step_does_not_disarm(bench: Bench, tmp_path: Path) -> None:
    bench.start(BeliefNode)
    with verifier(tmp_path) as process:
        goal_id = turning(bench)
        bench.say(ended(), goal=GOAL_ID, cause='another-step')
        bench.spin(0.5)
        process.kill()
        bench.until(lambda: goal_id in bench.nav2.cancelled)


@pytest.mark.parametrize('end', ['hangs', 'ends'])
def test_drive_without_a_belief_is_cancelled(bench: Bench, end: str) -> None:
    bench.up()
    bench.begin()
    alive = bench.peer.create_publisher(Empty, 'semantic_nav/alive/belief', qos.ALIVE)
    bench.until(lambda: alive.get_subscription_count() > 0)
    beat = bench.peer.create_timer(0.1, alive.assert_liveliness)
    goal_id = bench.hanging_drive().nav_goal_id
    bench.spin(1.0)
    assert bench.nav2.cancelled == []
    bench.peer.destroy_timer(beat)
    if end == 'ends':
        bench.peer.destroy_publisher(alive)
    bench.until(lambda: bench.nav2.cancelled == [goal_id])
    result = bench.resulted()
    assert result.outcome is ActOutcome.CANCELLED and 'sign of life' in result.reason


def test_two_of_a_kind_are_told(bench: Bench) -> None:
    bench.start(BeliefNode)
    bench.statement('belief: alive', OK)
    other = bench.start(BeliefNode)
    bench.statement('belief: alive', ERROR, 'another belief is there')
    bench.drop(other)
    bench.statement('belief: alive', OK)
