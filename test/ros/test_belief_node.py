"""The belief node with real topics and services; the peer plays all others."""

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
import yaml
from builders import (
    ORIGIN,
    accepted,
    approach,
    candidate,
    candidates,
    canonical,
    ended,
    meta,
    observation,
    refusal,
    track,
)
from fake_nav2 import NAMESPACE, PATIENCE_S, Rig, rig_of
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.context import Context
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import Trigger

from semantic_nav.cli.replay import replay
from semantic_nav.contracts.codec import decode_document, encode_document
from semantic_nav.contracts.documents import Belief, Document, Hypothesis, RobotPose, Step
from semantic_nav.contracts.share import share_path
from semantic_nav.contracts.signs_of_life import Sign
from semantic_nav.contracts.vocabulary import Code, Outcome, Phase, Source, Status, StepKind
from semantic_nav.nodes.belief import BeliefNode
from semantic_nav.nodes.hypothesis import HypothesisNode
from semantic_nav.nodes.memory import MemoryNode
from semantic_nav.nodes.ros import qos
from semantic_nav.nodes.verifier import VerifierNode

OK, WARN = 0, 1
NEAR = track(0.9, 0.0)


@pytest.fixture
def rig(ros_domain: int, tmp_path: Path) -> Iterator[Rig]:
    context = Context()
    rclpy.init(context=context, domain_id=ros_domain)
    with rig_of(context, tmp_path) as made:
        made.listen('belief', 'step')
        yield made
    rclpy.shutdown(context=context)


def add_listeners(rig: Rig, *names: str) -> None:
    """Add nodes that listen to steps, as those that carry them out do."""
    for name in names:
        node = rig.add(Node(name, context=rig.context, namespace=NAMESPACE))
        node.create_subscription(String, 'semantic_nav/step', lambda message: None, qos.EVENTS)


def all_there(rig: Rig, **parameters: Any) -> BeliefNode:
    add_listeners(rig, 'hypothesis', 'verifier')
    node = rig.make(BeliefNode, **parameters)
    rig.until(lambda: {'hypothesis', 'verifier'} <= {
        info.node_name for info in node.get_subscriptions_info_by_topic('semantic_nav/step')})
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS
    return node


def answer_look(rig: Rig, step: Document, proposal: Any = None, **seen: Any) -> Document:
    """End a look; returns the hypothesis."""
    body = Hypothesis(step.id, Source.MODEL, proposal or canonical('explore'), meta())
    sent = rig.say(body, goal=step.goal_id, cause='look-1')
    rig.say(observation(step.id, **seen), goal=step.goal_id, cause=sent.id)
    return sent


def look(rig: Rig) -> Document:
    return rig.next(Step, lambda step: step.kind is StepKind.LOOK)


def act(rig: Rig) -> Document:
    return rig.next(Step, lambda step: step.kind is StepKind.ACT)


def in_state(rig: Rig, wanted: Phase | Outcome) -> Belief:
    return rig.next(Belief, lambda belief: wanted in (belief.phase, belief.outcome)).body


def test_mission_from_the_goal_to_the_arrival(rig: Rig, tmp_path: Path) -> None:
    all_there(rig)
    rig.words('goal', 'find the red mug')
    first = look(rig)
    assert first.body.goal_text == 'find the red mug' and not first.body.look.confirm
    sent = answer_look(rig, first, approach(), track=NEAR)
    step = act(rig)
    assert step.body.act.hypothesis_id == sent.id
    rig.say(accepted(), goal=step.goal_id, cause=step.id)
    rig.say(ended(), goal=step.goal_id, cause=step.id)
    last = look(rig)
    assert last.body.look.confirm
    answer_look(rig, last, approach(), track=NEAR, bearing=0.0)
    belief = in_state(rig, Outcome.ARRIVED)
    assert belief.status is Status.DONE
    rig.statement('belief: mission', OK, 'arrived, done')
    (journal,) = tmp_path.glob('*/belief.jsonl')
    assert all(step is None for step in replay(journal, 'belief', tmp_path / 'blobs'))


def test_who_is_missing_is_waited_for_and_told(rig: Rig) -> None:
    rig.start(BeliefNode)
    rig.statement('belief: listeners', WARN, 'waiting for hypothesis, verifier')
    rig.words('goal', 'find the red mug')
    assert 'hypothesis and verifier' in in_state(rig, Phase.LOOKING).reason
    add_listeners(rig, 'hypothesis')
    rig.statement('belief: listeners', WARN, 'waiting for verifier')
    assert rig.of(Step) == []
    add_listeners(rig, 'verifier')
    rig.statement('belief: listeners', OK)
    assert look(rig)


def test_bad_goals_are_refused_and_the_running_mission_goes_on(rig: Rig) -> None:
    all_there(rig)
    rig.words('goal', 'find the red mug')
    step = look(rig)
    for text, why in (('', 'empty'), ('   ', 'empty'), ('x' * 10_000, '10000 characters'),
                      ('a\x07b', 'U+0007')):
        rig.words('goal', text)
        refused = rig.next(Belief, lambda belief: belief.outcome is Outcome.REFUSED)
        assert why in refused.body.reason and refused.goal_id != step.goal_id
        running = rig.next(Belief, lambda belief: belief.outcome is None
                           and belief.goal_text == 'find the red mug')
        assert running.goal_id == step.goal_id
    answer_look(rig, step)
    assert act(rig).goal_id == step.goal_id


def test_cancel_service_stops_the_drive_and_ends_the_mission(rig: Rig) -> None:
    all_there(rig, stop_again_s=9.0)
    rig.words('goal', 'find the red mug')
    answer_look(rig, look(rig))
    step = act(rig)
    client = rig.peer.create_client(Trigger, 'semantic_nav/cancel')
    rig.until(client.service_is_ready)
    future = client.call_async(Trigger.Request())
    rig.until(future.done)
    assert future.result().success and future.result().message == 'accepted'
    stop = rig.next(Step, lambda step: step.kind is StepKind.STOP)
    assert stop.goal_id == step.goal_id
    comes_to_rest(rig, stop)
    assert in_state(rig, Outcome.CANCELLED).stands


def comes_to_rest(rig: Rig, stop: Document) -> None:
    rig.say(RobotPose(ORIGIN, True, 0.0, stands=True), goal=stop.goal_id, cause=stop.id)


def test_cancel_without_a_mission_stops_the_robot_until_it_stands(rig: Rig) -> None:
    """A belief that was started anew has none; a verifier that starts may miss the first."""
    all_there(rig, stop_again_s=3.0)
    client = rig.peer.create_client(Trigger, 'semantic_nav/cancel')
    rig.until(client.service_is_ready)
    rig.until(client.call_async(Trigger.Request()).done)
    stop = rig.next(Step, lambda step: step.kind is StepKind.STOP)
    again = rig.next(Step, lambda step: step.kind is StepKind.STOP)
    assert again.body == stop.body and again.id != stop.id
    comes_to_rest(rig, again)
    assert in_state(rig, Outcome.CANCELLED).stands


def test_robot_that_nobody_sees_stand_is_told(rig: Rig) -> None:
    all_there(rig, stop_wait_s=1.0)
    rig.words('goal', 'find the red mug')
    look(rig)
    client = rig.peer.create_client(Trigger, 'semantic_nav/cancel')
    rig.until(client.service_is_ready)
    client.call_async(Trigger.Request())
    assert in_state(rig, Outcome.CANCELLED).stands is False


@pytest.mark.parametrize('name', ['hypothesis', 'verifier'])
def test_node_that_was_started_anew_is_noticed_while_it_is_silent(rig: Rig, name: str) -> None:
    """Its name was never gone: what was killed is in the graph for some time yet."""
    all_there(rig)
    rig.words('goal', 'find the red mug')
    answer_look(rig, look(rig))
    step = act(rig)
    add_listeners(rig, name)
    stop = rig.next(Step, lambda step: step.kind is StepKind.STOP)
    assert stop.goal_id == step.goal_id and name in stop.body.reason
    assert look(rig).goal_id == step.goal_id


def test_verifier_that_hangs_is_waited_for(rig: Rig) -> None:
    """It is in the graph all the time; that it is alive is another thing."""
    alive = rig.peer.create_publisher(String, 'semantic_nav/alive/verifier', qos.ALIVE)
    beat = rig.peer.create_timer(0.1, lambda: alive.publish(String(data=Sign(1, 's').text)))
    all_there(rig)
    rig.until(lambda: alive.get_subscription_count() > 0)
    rig.words('goal', 'find the red mug')
    first = look(rig)
    beat.cancel()
    stop = rig.next(Step, lambda step: step.kind is StepKind.STOP)
    assert stop.goal_id == first.goal_id and 'verifier' in stop.body.reason
    rig.statement('belief: listeners', WARN, 'verifier')
    beat.reset()
    assert look(rig).goal_id == first.goal_id


@pytest.mark.parametrize(('name', 'entry'), [('hypothesis', 'listeners'), ('memory', 'memory')])
def test_silence_of_whoever_a_mission_needs_is_told(rig: Rig, name: str, entry: str) -> None:
    alive = rig.peer.create_publisher(String, f'semantic_nav/alive/{name}', qos.ALIVE)
    beat = rig.peer.create_timer(0.1, lambda: alive.publish(String(data=Sign(1, 's').text)))
    all_there(rig)
    rig.until(lambda: alive.get_subscription_count() > 0)
    rig.statement(f'belief: {entry}', OK)
    rig.spin(0.5)
    beat.cancel()
    rig.statement(f'belief: {entry}', WARN, 'no sign of life')
    beat.reset()
    rig.statement(f'belief: {entry}', OK)


def test_question_is_answered_over_its_topic(rig: Rig) -> None:
    all_there(rig)
    rig.words('goal', 'find the mug')
    answer_look(rig, look(rig), canonical('ask_clarification', clarification_question='Which?'))
    assert in_state(rig, Phase.ASKING).question == 'Which?'
    rig.words('answer', 'the red one')
    assert look(rig).body.goal_text == 'find the mug (the red one)'


def test_candidates_and_refusals_reach_the_mission(rig: Rig) -> None:
    all_there(rig)
    rig.words('goal', 'find the mug')
    step = look(rig)
    rig.say(candidates(candidate('memory-1', score=0.9)), goal=step.goal_id)
    belief = rig.next(Belief, lambda belief: belief.candidate_nodes).body
    assert belief.status is Status.LIKELY_IN_MEMORY
    answer_look(rig, step)
    step = act(rig)
    rig.say(refusal(Code.KEEPOUT, 'a zone'), goal=step.goal_id, cause=step.id)
    assert look(rig).body.look.last_refusal.code is Code.KEEPOUT


def test_who_comes_late_learns_the_mission(rig: Rig) -> None:
    all_there(rig)
    rig.words('goal', 'find the red mug')
    look(rig)
    heard: list[Document] = []
    late = rig.add(Node('late', context=rig.context, namespace=NAMESPACE))
    late.create_subscription(String, 'semantic_nav/belief', lambda message: heard.append(
        decode_document(message.data, 'belief')), qos.STATE)
    rig.until(lambda: heard)
    assert heard[0].body.goal_text == 'find the red mug'


def test_time_limit_holds_where_simulated_time_stands_still(rig: Rig) -> None:
    all_there(rig, use_sim_time=True, time_limit_s=1.0)
    rig.words('goal', 'find the red mug')
    assert 'time is used up' in in_state(rig, Outcome.GAVE_UP).reason


GARBAGE = ['', '{', 'null', '[' * 100_000, '{"schema": "verdict"}', 'x' * 300_000,
           '\N{HOT BEVERAGE}', '{"a": NaN}']


def test_garbage_on_every_topic_is_dropped(rig: Rig) -> None:
    all_there(rig)
    for topic in BeliefNode.reads:
        for text in GARBAGE:
            rig.words(topic, text)
    rig.words('goal', 'find the red mug')
    step = look(rig)
    text = encode_document(Document('h', 'l', step.goal_id, 0, '', Hypothesis(
        step.id, Source.MODEL, canonical('explore', rationale='because'), meta())))
    assert 'because' in text
    rig.words('hypothesis', text.replace('because', '\\ud800'))
    answer_look(rig, step, canonical('explore', rationale='fine'))
    assert act(rig).body.reason == 'fine'


def test_invisible_characters_in_documents_can_be_logged_and_shown(rig: Rig) -> None:
    all_there(rig)
    rig.words('goal', 'find the red mug')
    answer_look(rig, look(rig), canonical('explore', rationale='a\x00b\x1b[31m\n\u202e'))
    step = act(rig)
    rig.say(refusal(Code.KEEPOUT, 'zone\x00\x1b[2J\n'), goal=step.goal_id, cause=step.id)
    assert look(rig).body.look.last_refusal.reason == 'zone\x00\x1b[2J\n'


# Lifecycle

def test_nothing_is_heard_while_inactive(rig: Rig) -> None:
    add_listeners(rig, 'hypothesis', 'verifier')
    node = rig.make(BeliefNode)
    goals = rig.peer.create_publisher(String, 'semantic_nav/goal', qos.EVENTS)
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    goals.publish(String(data='find a chair'))
    rig.spin(0.5)
    assert rig.documents == []
    assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS
    rig.until(lambda: goals.get_subscription_count() == 1)
    goals.publish(String(data='find the red mug'))
    assert look(rig).body.goal_text == 'find the red mug'


def test_deactivation_cancels_the_mission(rig: Rig) -> None:
    node = all_there(rig)
    rig.words('goal', 'find the red mug')
    answer_look(rig, look(rig))
    act(rig)
    assert node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    assert rig.next(Step, lambda step: step.kind is StepKind.STOP)
    assert in_state(rig, Outcome.CANCELLED)
    rig.statement('belief: lifecycle', WARN, 'inactive')


def test_node_that_says_good_bye_begins_no_mission(rig: Rig) -> None:
    node = all_there(rig)
    rig.words('goal', 'find the red mug')
    look(rig)
    node.say_goodbye()
    assert in_state(rig, Outcome.CANCELLED)
    rig.words('goal', 'find a chair')
    rig.spin(0.5)
    assert {one.body.goal_text for one in rig.of(Belief)} <= {'find the red mug'}


def test_node_lives_through_all_transitions_twice(rig: Rig, tmp_path: Path) -> None:
    add_listeners(rig, 'hypothesis', 'verifier')
    node = rig.make(BeliefNode)
    entities = None
    for number in range(2):
        assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
        assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS
        rig.publisher('goal')
        rig.until(lambda: rig.publisher('goal').get_subscription_count() == 1)
        rig.words('goal', f'find mug {number}')
        assert look(rig).body.goal_text == f'find mug {number}'
        assert node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
        assert node.trigger_cleanup() == TransitionCallbackReturn.SUCCESS
        rig.until(lambda: rig.publisher('goal').get_subscription_count() == 0)
        left = (len(list(node.subscriptions)), len(list(node.publishers)),
                len(list(node.timers)), len(list(node.services)))
        assert entities in (None, left), 'something is left behind'
        entities = left
    assert len(list(tmp_path.glob('*/belief.jsonl'))) == 2


def test_wrong_parameter_is_told_with_name_value_and_range(
        rig: Rig, capfd: pytest.CaptureFixture[str]) -> None:
    for name, value, told in (
            ('time_limit_s', -1.0, '1 to 86400'), ('confirm_retries', 99, '0 to 10'),
            ('stand_off_m', 'near', 'expected float'), ('journal', 'yes', 'expected bool')):
        node = rig.make(BeliefNode, **{name: value})
        assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
        error = capfd.readouterr().err
        assert name in error and repr(value) in error and told in error
        rig.drop(node)
    assert rig.documents == []


def test_journal_that_cannot_be_written_is_told(
        rig: Rig, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('')
    node = rig.make(BeliefNode, journal_dir=str(tmp_path / 'file'))
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert str(tmp_path / 'file') in capfd.readouterr().err


@pytest.mark.parametrize('kind', [BeliefNode, VerifierNode, HypothesisNode, MemoryNode],
                         ids=lambda kind: kind.__name__)
def test_parameter_file_holds_what_the_node_declares(rig: Rig, kind: Any) -> None:
    node = rig.add(kind(context=rig.context))
    text = share_path('config', 'semantic_nav.yaml').read_text(encoding='utf-8')
    in_file = yaml.safe_load(text)[f'/**/{node.get_name()}']['ros__parameters']
    names = [name for name in node.list_parameters([], 0).names
             if not name.startswith(('use_sim_time', 'start_type_description_service', 'qos_'))]
    assert sorted(names) == sorted(in_file)
    for name in names:
        value = node.get_parameter(name).value
        assert value == pytest.approx(in_file[name]) and type(value) is type(in_file[name]), name
        assert node.describe_parameter(name).description


# As a process

def command(*parameters: str) -> list[str]:
    arguments = [part for one in parameters for part in ('-p', one)]
    return [sys.executable, '-m', 'semantic_nav.nodes.belief', '--ros-args', '-r',
            f'__ns:=/{NAMESPACE}', *arguments]


@contextlib.contextmanager
def process_of(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    # Under nohup the tests ignore SIGHUP, and what they start would inherit that.
    before = signal.signal(signal.SIGHUP, lambda *_: None)
    process = subprocess.Popen(command(f'journal_dir:={folder}'))
    signal.signal(signal.SIGHUP, before)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGHUP])
def test_process_says_good_bye(rig: Rig, tmp_path: Path, number: int) -> None:
    add_listeners(rig, 'hypothesis', 'verifier')
    with process_of(tmp_path) as process:
        rig.words('goal', 'find the red mug')
        step = look(rig)
        process.send_signal(number)
        stop = rig.next(Step, lambda step: step.kind is StepKind.STOP)
        assert stop.goal_id == step.goal_id
        assert in_state(rig, Outcome.CANCELLED)
        assert process.wait(PATIENCE_S) == 0


@pytest.mark.parametrize('content', ['', '{}', '{"effect": {"type": "KeepMission", "kept": 3}}'])
def test_mission_that_cannot_be_read_is_told_and_left(
        rig: Rig, tmp_path: Path, content: str) -> None:
    add_listeners(rig, 'hypothesis', 'verifier')
    path = tmp_path / 'missions' / f'{rig.context.get_domain_id()}.{NAMESPACE}.belief.json'
    path.parent.mkdir()
    path.write_text(content)
    rig.start(BeliefNode)
    rig.words('goal', 'find the red mug')
    assert look(rig)
    rig.spin(2.5)
    rig.statement('belief: found', WARN, path.name)
    rig.statement('belief: kept', OK)


def test_process_outlives_a_transition_that_its_state_does_not_allow(
        rig: Rig, tmp_path: Path) -> None:
    with process_of(tmp_path) as process:
        rig.statement('belief: lifecycle', OK, 'active')
        client = rig.peer.create_client(ChangeState, 'belief/change_state')
        rig.until(client.service_is_ready)
        future = client.call_async(ChangeState.Request(
            transition=Transition(id=Transition.TRANSITION_CONFIGURE)))
        rig.until(future.done)
        assert not future.result().success
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0


def test_process_with_a_wrong_parameter_ends_with_code_1(ros_domain: int) -> None:
    del ros_domain
    done = subprocess.run(command('time_limit_s:=-1.0'), capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 1
    assert 'time_limit_s = -1.0' in done.stderr and 'Traceback' not in done.stderr


# Last: what was killed seems to be there for a while yet.

def test_process_that_was_killed_takes_its_mission_up(rig: Rig, tmp_path: Path) -> None:
    add_listeners(rig, 'hypothesis', 'verifier')
    with process_of(tmp_path) as process:
        rig.words('goal', 'find the red mug')
        first = look(rig)
        answer_look(rig, first, approach(), track=NEAR)
        assert act(rig).goal_id == first.goal_id
        process.kill()
        process.wait()
    (left,) = (tmp_path / 'missions').iterdir()
    with process_of(tmp_path) as process:
        stop = rig.next(Step, lambda step: step.kind is StepKind.STOP)
        again = look(rig)
        assert stop.goal_id == again.goal_id == first.goal_id
        assert again.body.goal_text == 'find the red mug'
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    assert not left.exists(), 'a mission that was ended in order is not taken up'


def test_second_belief_takes_up_no_mission_that_is_cared_for(rig: Rig, tmp_path: Path) -> None:
    add_listeners(rig, 'hypothesis', 'verifier')
    with process_of(tmp_path) as process:
        rig.words('goal', 'find the red mug')
        first = look(rig)
        second = rig.start(BeliefNode)
        rig.until(lambda: not second.active)
        rig.statement('belief: alive', WARN + 1, 'this one stands by')
        rig.spin(2.0)
        assert not any('taken up' in one.body.reason for one in rig.of(Belief))
        answer_look(rig, first)
        step = act(rig)
        assert step.goal_id == first.goal_id, 'the first drives on'
        rig.say(refusal(Code.KEEPOUT, 'a zone'), goal=step.goal_id, cause=step.id)
        assert look(rig).id.rpartition('-')[0] == first.id.rpartition('-')[0]
        process.kill()
        taken_up = rig.next(Belief, lambda belief: 'taken up again' in belief.reason)
        assert taken_up.goal_id == first.goal_id
        again = look(rig)
        assert again.goal_id == first.goal_id
        answer_look(rig, again)
        assert act(rig).goal_id == first.goal_id, 'the second drives on'
