"""What all nodes share, on a node with a core that does nothing."""

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from fake_nav2 import PATIENCE_S, Rig, rig_of
from full_disk import no_room
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.clock import ClockType
from rclpy.context import Context
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
from rclpy.task import Future

from semantic_nav.contracts.clock import Now
from semantic_nav.contracts.core import Core, Effect, Event, Output, Tick
from semantic_nav.contracts.vocabulary import Level
from semantic_nav.nodes.belief import BeliefNode
from semantic_nav.nodes.hypothesis import HypothesisNode
from semantic_nav.nodes.memory import MemoryNode
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.ros.core_log import logged_by
from semantic_nav.nodes.ros.core_node import CoreNode
from semantic_nav.nodes.ros.futures import when_done
from semantic_nav.nodes.ros.main import run
from semantic_nav.nodes.verifier import VerifierNode

OK = 0
WHOLE_END = ['deactivating', 'settled', 'forgetting', 'destroy_node']


@dataclass(frozen=True)
class NoConfig:
    """No parameters."""


class IdleCore:
    """Nothing follows from anything, or an exception."""

    def __init__(self, fails: bool) -> None:
        self.fails = fails

    def handle(self, event: Event, now: Now) -> Sequence[Output]:
        del event, now
        if self.fails:
            raise RuntimeError('the core failed')
        return ()


class IdleNode(CoreNode):
    """A node that does as a test tells it where it ends."""

    config_class = NoConfig

    def __init__(self, **kwargs: Any) -> None:
        super().__init__('idle', **kwargs)
        self.steps: list[str] = []
        self.failing = ''
        self.core_fails = False

    def make_core(self, config: Any, session: str, seed: int) -> Core:
        del config, session, seed
        return IdleCore(self.core_fails)

    def effect_handlers(self) -> dict[type[Effect], Callable[[Any], None]]:
        return {}

    def _step(self, name: str) -> None:
        self.steps.append(name)
        if self.failing == name:
            raise RuntimeError(f'{name} failed')

    def deactivating(self) -> None:
        self._step('deactivating')

    def settled(self) -> bool:
        self._step('settled')
        return True

    def forgetting(self) -> None:
        self._step('forgetting')

    def destroy_node(self) -> None:
        super().destroy_node()
        self._step('destroy_node')


@pytest.fixture
def rig(ros_domain: int, tmp_path: Path) -> Iterator[Rig]:
    context = Context()
    rclpy.init(context=context, domain_id=ros_domain)
    with rig_of(context, tmp_path) as made:
        yield made
    rclpy.shutdown(context=context)


@pytest.fixture
def signals() -> Iterator[None]:
    """Put back what handles the signals of this process."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


# Time

@pytest.mark.parametrize('kind', [BeliefNode, VerifierNode, HypothesisNode, MemoryNode],
                         ids=lambda kind: kind.__name__)
def test_node_works_and_reports_where_simulated_time_stands_still(rig: Rig, kind: Any) -> None:
    node = rig.start(kind, use_sim_time=True, **{
        HypothesisNode: {'vlm_backend': 'mock', 'request_log_dir': str(rig.folder)},
        MemoryNode: {'embedder': 'hash', 'memory_db': str(rig.folder / 'memory.sqlite')},
    }.get(kind, {}))
    rig.statement(f'{node.get_name()}: lifecycle', OK, 'active')
    assert node.get_clock().now().nanoseconds == 0
    assert {timer.clock.clock_type for timer in node.timers} == {ClockType.STEADY_TIME}


def test_process_tells_what_it_costs_and_what_was_wrong_last(rig: Rig) -> None:
    node = rig.start(IdleNode, journal=False)
    node.diagnostics.report('lifecycle', Level.WARN, 'something is odd')
    node.diagnostics.report('lifecycle', Level.OK, 'well again')
    for _ in range(3):
        node.feed(Tick())
    said: dict[str, dict[str, str]] = {}
    rig.peer.create_subscription(DiagnosticArray, '/diagnostics', lambda message: said.update(
        {status.name: {one.key: one.value for one in status.values}
         for status in message.status}), qos.EVENTS)
    name = 'robot/idle: process'
    rig.until(lambda: name in said)
    figures = said[name]
    assert figures['last_error'] == 'lifecycle: something is odd'
    assert float(figures['memory_mb']) > 10.0 and figures['events_waiting'] == '0'
    assert float(figures['cpu_percent']) >= 0.0 and float(figures['longest_event_ms']) >= 0.0
    rig.statement('idle: process', OK, 'runs')


# Lifecycle

@pytest.mark.parametrize(('kind', 'name', 'value', 'wrong'), [
    (BeliefNode, 'time_limit_s', 60.0, 'hello'), (BeliefNode, 'seed', 7, -1),
    (VerifierNode, 'map_topic', 'other_map', 5), (VerifierNode, 'costmap_max_age_s', 3.0, 1e9),
    (HypothesisNode, 'camera_name', 'left', 1.5), (MemoryNode, 'journal_days', 3, 0)])
def test_parameter_is_refused_where_it_would_have_no_effect(rig: Rig, kind: Any, name: str,
                                                            value: Any, wrong: Any) -> None:
    node = rig.make(kind, **({'memory_db': str(rig.folder / 'memory.sqlite')}
                             if kind is MemoryNode else {}))

    def setting(value: Any) -> str:
        [result] = node.set_parameters([Parameter(name, value=value)])
        assert result.successful is not bool(result.reason)
        return result.reason

    before = node.get_parameter(name).value
    assert f'{name} = {wrong!r}' in setting(wrong)
    assert setting(value) == ''
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert f'{name} is read when the node is configured' in setting(before)
    assert setting(value) == '', 'it is that already'
    assert node.get_parameter(name).value == value
    [time] = node.set_parameters([Parameter('use_sim_time', value=True)])
    assert time.successful, 'it takes effect at once'
    assert node.trigger_cleanup() == TransitionCallbackReturn.SUCCESS
    assert setting(before) == ''
    assert node.get_parameter(name).value == before


def test_node_begins_on_a_full_disk_too(rig: Rig) -> None:
    """Who is started anew must be able to stop the robot."""
    node = rig.make(VerifierNode)
    with no_room():
        assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS
        rig.statement('verifier: journal', 2, 'the journal cannot be written')


def test_transition_that_the_state_does_not_allow_is_refused(
        rig: Rig, capfd: pytest.CaptureFixture[str]) -> None:
    node = rig.start(IdleNode, journal=False)
    client = rig.peer.create_client(ChangeState, 'idle/change_state')
    rig.until(client.service_is_ready)

    def change(number: int, label: str = '') -> bool:
        future = client.call_async(ChangeState.Request(
            transition=Transition(id=number, label=label)))
        rig.until(future.done)
        return future.result().success

    for number, label in ((Transition.TRANSITION_CONFIGURE, ''), (0, 'cleanup'),
                          (Transition.TRANSITION_INACTIVE_SHUTDOWN, ''), (250, '')):
        assert not change(number, label)
        assert node.active
    said = capfd.readouterr().err
    # From Kilted on rclpy refuses them itself, in words of its own.
    assert 'not allowed in the state active' in said or "from current state (3, 'active')" in said
    assert change(Transition.TRANSITION_DEACTIVATE)
    assert not change(Transition.TRANSITION_DEACTIVATE)
    assert change(Transition.TRANSITION_INACTIVE_SHUTDOWN)
    assert node.ended
    assert not change(Transition.TRANSITION_CONFIGURE)
    assert node._state_machine.current_state[0] == State.PRIMARY_STATE_FINALIZED


@pytest.mark.parametrize('name', ['make_core', 'activated', 'deactivating', 'forgetting'])
def test_what_a_transition_raises_is_logged(
        rig: Rig, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
        name: str) -> None:
    """rclpy makes an error of it without a word."""
    def fail(*_: object) -> None:
        raise RuntimeError(f'no {name} today')

    node = rig.make(IdleNode, journal=False)
    monkeypatch.setattr(node, name, fail)
    answers = [node.trigger_configure()]
    if name != 'make_core':
        answers.append(node.trigger_activate())
    if name in ('deactivating', 'forgetting'):
        answers.append(node.trigger_deactivate())
    if name == 'forgetting':
        answers.append(node.trigger_cleanup())
    assert answers.pop() == TransitionCallbackReturn.ERROR
    assert set(answers) <= {TransitionCallbackReturn.SUCCESS}
    assert not node.active
    told = capfd.readouterr().err
    assert f'no {name} today' in told and 'Traceback' in told and 'robot.idle' in told
    monkeypatch.undo()
    node.ended = True


def test_log_of_the_cores_is_that_of_their_node(
        rig: Rig, capfd: pytest.CaptureFixture[str]) -> None:
    node = rig.make(IdleNode, journal=False)
    log = logging.getLogger('semantic_nav.belief.transition')
    with logged_by(node):
        log.info('%s -> %s', 'searching', 'visible')
        try:
            raise RuntimeError('why')
        except RuntimeError:
            log.exception('it failed')
    log.info('nobody listens')
    info, error, *traceback = capfd.readouterr().err.splitlines()
    assert '[INFO]' in info and info.endswith('[robot.idle]: searching -> visible')
    assert '[ERROR]' in error and error.endswith('[robot.idle]: it failed')
    assert traceback[-1] == 'RuntimeError: why'


#: A node that is deactivated and activated by turns, in a callback of the processes' executor.
TOGGLED = """
import time
import rclpy
from test_core_node import IdleNode
from semantic_nav.nodes.ros.clock import steady_timer
from semantic_nav.nodes.ros.beginning import make_executor

class Alive(IdleNode):
    def activated(self):
        self.life.watch('idle')
        self.steady_timer(0.2, self.called)

    def called(self):
        assert self.active, 'called by a timer that was destroyed'

rclpy.init(args=['--ros-args', '-p', 'journal:=false'])
node, executor, turns = Alive(), make_executor(), []
executor.add_node(node)
node.trigger_configure()

def turn():
    if node.active:
        node.trigger_deactivate()
    else:
        node.trigger_activate()
    turns.append(node.active)

steady_timer(node, 0.2, turn)
while len(turns) < 24:
    executor.spin_once(timeout_sec=0.5)
    # Two timers are due at once then.
    time.sleep(0.03)
print('lived through', len(turns))
executor.shutdown()
node.destroy_node()
rclpy.shutdown()
"""


def test_node_lives_through_deactivation_in_a_callback(ros_domain: int) -> None:
    """rclpy's events executor ends by SIGSEGV where a waitable is destroyed with an event of it.

    Where the node loses its own sign of life, one comes at that moment. And it calls timers that
    were due when they were destroyed.
    """
    del ros_domain
    here = Path(__file__)
    paths = os.pathsep.join([str(here.parent), str(here.parents[1] / 'support'),
                             os.environ.get('PYTHONPATH', '')])
    done = subprocess.run([sys.executable, '-c', TOGGLED], env={**os.environ, 'PYTHONPATH': paths},
                          capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stdout) == (0, 'lived through 24\n'), done.stderr[-2000:]


# The end

@pytest.mark.parametrize('failing', ['', 'deactivating', 'settled', 'forgetting', 'destroy_node'])
def test_process_goes_through_all_of_its_end(
        ros_domain: int, signals: None, failing: str) -> None:
    del ros_domain, signals
    made: list[IdleNode] = []

    def make_node() -> IdleNode:
        node = IdleNode()
        node.failing = failing
        node.create_timer(0.1, lambda: os.kill(os.getpid(), signal.SIGTERM))
        made.append(node)
        return node

    arguments = ['--ros-args', '-p', 'journal:=false']
    # What the lifecycle's own callbacks raise goes no further than rclpy.
    if failing in ('', 'forgetting'):
        assert run(make_node, arguments) == 0
    else:
        with pytest.raises(RuntimeError, match=failing):
            run(make_node, arguments)
    assert made[0].steps == WHOLE_END
    assert not rclpy.ok()


@pytest.mark.parametrize('where', ['task', 'future'])
def test_exception_out_of_a_task_or_a_future_ends_the_process_in_order(
        ros_domain: int, signals: None, where: str) -> None:
    """The events executor of rclpy dies of one by SIGSEGV."""
    del ros_domain, signals
    made: list[IdleNode] = []

    def make_node() -> IdleNode:
        node = IdleNode()
        node.core_fails = True
        made.append(node)

        def begin() -> None:
            if where == 'task':
                node.post(Tick())
            else:
                future = Future(executor=node.executor)
                when_done(future, node.feed, node.fail)
                future.set_result(Tick())

        node.create_timer(0.1, begin)
        return node

    with pytest.raises(RuntimeError, match='the core failed'):
        run(make_node, ['--ros-args', '-p', 'journal:=false'])
    assert made[0].steps == WHOLE_END
    assert not rclpy.ok()
