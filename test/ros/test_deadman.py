"""A drive ends where its verifier or its belief gives no sign of life any more."""

import contextlib
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import patient_verifier
import pytest
from builders import GOAL_ID, canonical, ended, look_request
from fake_nav2 import NAMESPACE, PATIENT, lose_nobody_early, running, words_of
from rclpy import event_handler
from rclpy.event_handler import EventHandler, QoSSubscriptionEventType, UnsupportedEventTypeError
from rclpy.lifecycle import TransitionCallbackReturn
from std_msgs.msg import String
from test_verifier_node import ERROR, OK, Bench

from semantic_nav.belief.events import GoalReceived
from semantic_nav.belief.goal import Goal
from semantic_nav.contracts.documents import Belief, Step
from semantic_nav.contracts.signs_of_life import Sign, SignsHeard
from semantic_nav.contracts.vocabulary import ActOutcome, NavStatus, StepKind
from semantic_nav.nodes.belief import BeliefNode
from semantic_nav.nodes.hypothesis import HypothesisNode
from semantic_nav.nodes.memory import MemoryNode
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.nodes.verifier import VerifierNode

LIVELINESS = QoSSubscriptionEventType.RCL_SUBSCRIPTION_LIVELINESS_CHANGED


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    lose_nobody_early(monkeypatch.setattr)
    with running(Bench, ros_domain, tmp_path) as made:
        yield made


@contextlib.contextmanager
def verifier(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([
        sys.executable, patient_verifier.__file__, '--ros-args',
        '-r', f'__ns:=/{NAMESPACE}',
        *words_of({**PATIENT, 'feedback_max_age_s': 20.0, 'journal_dir': folder})])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def opened(bench: Bench) -> None:
    """Open a goal at a verifier in a process of its own."""
    for name in ('map', 'costmap', 'pose', 'nav2'):
        bench.statement(f'verifier: {name}', OK)
    bench.say(Step(StepKind.LOOK, 'find the mug', look=look_request()), goal=GOAL_ID)
    bench.until(lambda: bench.robot.depth_stamp is not None)


def turning(bench: Bench) -> str:
    """Return the UUID of a turn that such a verifier has under way."""
    bench.nav2.turn = 'hang'
    opened(bench)
    hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0))
    bench.act(hypothesis)
    decision = bench.decided()
    assert decision.nav_goal_id is not None, decision
    bench.until(lambda: decision.nav_goal_id in dict(bench.nav2.sent))
    return decision.nav_goal_id


def as_it_is(**event: Any) -> EventHandler:
    return EventHandler(**event)


def never(**event: Any) -> EventHandler:
    """Take the event and never raise it, as rmw_zenoh of Jazzy."""
    if event['event_type'] == LIVELINESS:
        event['callback'] = lambda info: None
    return EventHandler(**event)


def refused(**event: Any) -> EventHandler:
    """Refuse the event, as rmw_zenoh before."""
    if event['event_type'] == LIVELINESS:
        raise UnsupportedEventTypeError('the event is not supported')
    return EventHandler(**event)


@pytest.mark.parametrize('end', [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize(('survivor', 'liveliness'), [
    (BeliefNode, as_it_is), (BeliefNode, never), (BeliefNode, refused),
    (HypothesisNode, never)])
def test_drive_of_a_verifier_that_is_gone_is_cancelled(
        bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, survivor: type[CoreNode],
        liveliness: Callable[..., EventHandler], end: signal.Signals) -> None:
    """Whatever the middleware tells of the liveliness of others."""
    parameters = {'vlm_backend': 'mock'} if survivor is HypothesisNode else {}
    with monkeypatch.context() as patch:
        patch.setattr(event_handler, 'EventHandler', liveliness)
        node = bench.start(survivor, **parameters)
    with verifier(tmp_path) as process:
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
    alive = bench.peer.create_publisher(String, 'semantic_nav/alive/belief', qos.ALIVE)
    bench.until(lambda: alive.get_subscription_count() > 0)
    beat = bench.peer.create_timer(0.1, lambda: alive.publish(String(data=Sign(1, 's').text)))
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


@pytest.mark.parametrize('kind', [BeliefNode, VerifierNode, HypothesisNode, MemoryNode],
                         ids=lambda kind: kind.__name__)
def test_second_of_a_name_stands_by_until_the_first_ends(
        bench: Bench, kind: type[CoreNode]) -> None:
    parameters = {HypothesisNode: {'vlm_backend': 'mock', 'request_log': False},
                  MemoryNode: {'embedder': 'hash', 'memory_db': 'memory:'}}.get(kind, {})
    first = bench.start(kind, **parameters)
    name = first.get_name()
    # Both run in this thread: what takes long comes before the first is to give signs.
    second = bench.make(kind, **parameters)
    assert second.trigger_configure() == TransitionCallbackReturn.SUCCESS
    bench.statement(f'{name}: alive', OK, f'the only {name}')
    assert second.trigger_activate() == TransitionCallbackReturn.SUCCESS
    bench.statement(f'{name}: alive', ERROR, 'this one stands by')
    bench.until(lambda: not second.active)
    assert first.active
    assert list(second.diagnostics._items) == ['alive'], 'the first says how things are'
    bench.drop(first)
    bench.until(lambda: second.active)
    bench.statement(f'{name}: alive', OK, f'the only {name}')


def test_belief_that_yields_leaves_its_mission_to_the_other(bench: Bench) -> None:
    """One that hung and goes on: what the other drives for is neither ended nor forgotten."""
    bench.listen('belief')
    node = bench.start(BeliefNode)
    node.feed(GoalReceived(Goal('goal-s-1', 'find the mug')))
    kept = node._file.find()
    assert kept is not None
    node.stand_aside()
    bench.spin(0.5)
    assert node._file.find() is not None
    said = [one.body for one in bench.documents if isinstance(one.body, Belief)]
    assert said and all(one.outcome is None for one in said)
    assert node.count_publishers('semantic_nav/belief') == 0, 'its last word is no news'


def test_first_that_hung_finds_another_in_charge(bench: Bench, tmp_path: Path) -> None:
    signs: dict[str, Sign] = {}

    def take(message: String) -> None:
        sign = Sign.of(message.data)
        assert sign is not None
        signs[sign.session] = sign

    def aside() -> list[bool]:
        """Return who stands by, in the order in which they were started."""
        return [signs[session].aside for session in sorted(signs)]

    bench.peer.create_subscription(String, 'semantic_nav/alive/verifier', take, qos.ALIVE)
    with verifier(tmp_path) as first:
        bench.until(lambda: aside() == [False])
        with verifier(tmp_path):
            bench.until(lambda: aside() == [False, True])
            first.send_signal(signal.SIGSTOP)
            # It steps in as a node that was just started.
            bench.until(lambda: aside() == [False, True, False])
            bench.spin(1.0)
            first.send_signal(signal.SIGCONT)
            bench.until(lambda: aside() == [True, True, False])
        bench.until(lambda: len(signs) == 4 and not list(signs.values())[-1].aside)


def test_nothing_is_driven_before_the_own_sign_of_life_is_heard(
        bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(SignsHeard, 'take', lambda self, sign: None)
        bench.up()
        bench.statement('verifier: alive', ERROR, 'does not hear its own sign of life')
        bench.begin()
        hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0))
        bench.act(hypothesis)
        assert 'its own sign of life' in bench.resulted().reason
        assert bench.nav2.sent == []
    bench.statement('verifier: alive', OK)
    hypothesis, _ = bench.look(canonical('rotate', rotate_rad=1.0))
    bench.act(hypothesis)
    bench.until(lambda: bench.nav2.sent)


def test_two_verifiers_drive_once(bench: Bench, tmp_path: Path) -> None:
    with verifier(tmp_path) as process:
        bench.statement('verifier: alive', OK)
        second = bench.start(VerifierNode, **PATIENT)
        bench.until(lambda: not second.active)
        turning(bench)
        bench.spin(1.0)
        assert len(bench.nav2.sent) == 1
        process.kill()
        bench.until(lambda: second.active)
        bench.documents.clear()
        turning(bench)
        assert len(bench.nav2.sent) == 2


def test_second_verifier_leaves_the_drive_of_the_first_alone(
        bench: Bench, tmp_path: Path) -> None:
    heard = SignsHeard()
    bench.peer.create_subscription(String, 'semantic_nav/alive/verifier', lambda message: (
        heard.take(Sign.of(message.data) or Sign(0, ''))), qos.ALIVE)
    with verifier(tmp_path):
        opened(bench)
        goal_id = bench.hanging_drive().nav_goal_id
        with verifier(tmp_path):
            bench.until(lambda: any(one.aside for one in heard.others('')))
            bench.spin(1.0)
            assert goal_id not in bench.nav2.cancelled
