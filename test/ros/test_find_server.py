"""The action `find` over real DDS: with a belief that tells what it is told to, and a real one."""

import math
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import rclpy
from action_msgs.msg import GoalStatus
from builders import meta, observation, track
from builtin_interfaces.msg import Duration
from executors import drop, shut_down
from fake_belief import FakeBelief
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from semantic_nav_msgs.action import Find

from semantic_nav.belief.goal import TOUR
from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.documents import Hypothesis, RobotPose
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action, CanonicalHypothesis, TargetStatus
from semantic_nav.contracts.vocabulary import Outcome, Phase, Purpose, Source, Status
from semantic_nav.nodes.ros.beginning import make_executor

PATIENCE_S = 60.0
NAMESPACE = 'robot1'
SUCCEEDED, CANCELED, ABORTED = (GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED,
                                GoalStatus.STATUS_ABORTED)


class Mission:
    """A goal of the client, and what it hears of it."""

    def __init__(self, rig: 'Rig', goal: Any) -> None:
        self._rig = rig
        self.feedback: list[Any] = []
        sent = rig.client.send_goal_async(
            goal, feedback_callback=lambda message: self.feedback.append(message.feedback))
        rig.until(sent.done)
        self.handle = sent.result()
        assert self.handle.accepted
        self._ended = self.handle.get_result_async()

    def wait_for(self, state: str) -> Any:
        self._rig.until(lambda: any(one.state == state for one in self.feedback))
        return self.feedback[-1]

    @property
    def goal_id(self) -> str:
        return bytes(self.handle.goal_id.uuid).hex()

    @property
    def over(self) -> bool:
        return self._ended.done()

    def end(self) -> tuple[int, Any]:
        self._rig.until(self._ended.done)
        return self._ended.result().status, self._ended.result().result


class Rig:
    """The node, a client of its action, and a belief."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.executor = make_executor(context)
        self.nodes: list[Node] = []
        program = self.add(Node('program', context=context, namespace=NAMESPACE))
        self.client = ActionClient(program, Find, 'semantic_nav/find')

    def add(self, node: Any) -> Any:
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def believe(self, react: Callable[[FakeBelief], None] = lambda node: None,
                session: str = 'x') -> FakeBelief:
        return self.add(FakeBelief(self._context, react, NAMESPACE, session))

    def lose(self, node: Node) -> None:
        self.nodes.remove(node)
        drop(self.executor, node)

    def find(self, words: str, allowance_s: int = 0) -> Mission:
        return self.begin(Find.Goal(goal_text=words, time_allowance=Duration(sec=allowance_s)))

    def begin(self, goal: Any) -> Mission:
        self.until(self.client.server_is_ready)
        return Mission(self, goal)

    def until(self, condition: Callable[[], object]) -> None:
        deadline_s = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < deadline_s, 'the condition did not come true'
            self.executor.spin_once(timeout_sec=0.05)


@pytest.fixture
def rig(ros_domain: int) -> Iterator[Rig]:
    del ros_domain
    context = Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    made = Rig(context)
    yield made
    shut_down(made.executor)
    made.client.destroy()
    for node in made.nodes:
        node.destroy_node()
    rclpy.shutdown(context=context)


def test_arrival_succeeds_and_tells_what_it_rests_on(rig: Rig) -> None:
    belief = rig.believe()
    mission = rig.find('find the mug')
    first = mission.wait_for('looking')
    assert (first.doing, first.model_calls, math.isnan(first.p_here)) == ('look', 0, True)
    belief.say(RobotPose(Pose2D(1.0, 2.0, math.pi / 2), True, 0.0), 7 * NS_PER_S)
    belief.say(Hypothesis('step-1', Source.MODEL, CanonicalHypothesis(
        Action.STOP, TargetStatus.VISIBLE, 0.9, rationale='a red mug'), meta()), 1)
    belief.say(observation('step-1', track=track(1.5, 2.5)), 8 * NS_PER_S)
    rig.until(lambda: mission.feedback[-1].robot_pose.header.frame_id)
    belief.tell(status=Status.DONE, p_here=1.0)
    belief.finish(Outcome.ARRIVED)
    status, result = mission.end()
    assert (status, result.outcome, result.reason, result.stands, result.goal_id) == (
        SUCCEEDED, Find.Result.ARRIVED, 'as told', True, mission.goal_id)
    assert result.p_here == 1.0 and 'the model says visible, 90% sure: "a red mug"' in (
        result.evidence)
    robot, target = result.robot_pose, result.target_pose
    assert (robot.header.frame_id, robot.header.stamp.sec) == ('map', 7)
    assert (robot.pose.position.x, robot.pose.position.y) == (1.0, 2.0)
    assert robot.pose.orientation.z == pytest.approx(math.sin(math.pi / 4))
    assert (target.header.frame_id, target.header.stamp.sec) == ('map', 8)
    assert (target.pose.position.x, target.pose.position.y, target.pose.position.z) == (
        1.5, 2.5, 0.8)


@pytest.mark.parametrize('outcome', [Outcome.NOT_HERE, Outcome.GAVE_UP, Outcome.REFUSED])
def test_every_other_end_is_aborted_and_named(rig: Rig, outcome: Outcome) -> None:
    rig.believe(lambda node: node.finish(outcome))
    status, result = rig.find('find the mug').end()
    assert (status, result.outcome, result.reason) == (ABORTED, outcome.value, 'as told')
    assert result.robot_pose.header.frame_id == result.target_pose.header.frame_id == ''
    assert math.isnan(result.p_here)


def test_each_outcome_has_its_constant() -> None:
    assert {Find.Result.ARRIVED, Find.Result.NOT_HERE, Find.Result.GAVE_UP, Find.Result.CANCELLED,
            Find.Result.REFUSED, Find.Result.TOURED} == set(Outcome)
    assert Find.Result.ERROR not in set(Outcome)


@pytest.mark.parametrize(('stands', 'status', 'outcome'), [
    (True, CANCELED, Find.Result.CANCELLED), (False, ABORTED, Find.Result.ERROR)])
def test_cancelled_only_where_the_robot_is_known_to_stand(rig: Rig, stands: bool, status: int,
                                                          outcome: str) -> None:
    belief = rig.believe()
    belief.stands = stands
    mission = rig.find('find the mug')
    mission.wait_for('looking')
    asked = mission.handle.cancel_goal_async()
    rig.until(asked.done)
    assert len(asked.result().goals_canceling) == 1
    ended, result = mission.end()
    assert (ended, result.outcome, result.stands) == (status, outcome, stands)
    assert result.reason == 'the client of the action asked for it; as told'
    assert belief.cancelled == 1


def test_new_goal_takes_the_place_of_the_one_before(rig: Rig) -> None:
    def react(node: FakeBelief) -> None:
        words = node.told.goal_text
        if words == 'find the cup':
            node.tell(goal_text='find the mug', phase=Phase.FINISHED, stands=True,
                      outcome=Outcome.CANCELLED, reason='a new goal came')
            node.tell(goal_text=words, phase=Phase.LOOKING, stands=None, outcome=None, reason='')

    belief = rig.believe(react)
    first = rig.find('find the mug')
    first.wait_for('looking')
    second = rig.find('find the cup')
    status, result = first.end()
    assert (status, result.outcome, result.reason, result.stands) == (
        ABORTED, Find.Result.CANCELLED, 'a new goal came', True)
    assert not second.over and belief.cancelled == 0
    told = second.feedback[-1]
    assert (told.instead_of, told.instead_of_goal_id) == ('find the mug', first.goal_id)
    assert first.feedback[-1].instead_of == ''
    belief.finish(Outcome.ARRIVED)
    assert second.end()[0] == SUCCEEDED


def test_goal_of_another_operator_takes_its_place_too(rig: Rig) -> None:
    belief = rig.believe()
    mission = rig.find('find the mug')
    mission.wait_for('looking')
    belief.tell(phase=Phase.FINISHED, outcome=Outcome.CANCELLED, reason='a new goal came',
                stands=True)
    belief.tell(goal_text='find the cup', phase=Phase.LOOKING, outcome=None)
    status, result = mission.end()
    assert (status, result.reason) == (ABORTED, 'a new goal came')


def test_question_stands_in_the_feedback(rig: Rig) -> None:
    rig.believe(lambda node: node.tell(phase=Phase.ASKING, question='Which one?'))
    assert rig.find('find the mug').wait_for('asking').question == 'Which one?'


def test_time_that_is_over_ends_the_mission(rig: Rig) -> None:
    belief = rig.believe()
    status, result = rig.find('find the mug', allowance_s=1).end()
    assert (status, result.outcome, belief.cancelled) == (ABORTED, Find.Result.CANCELLED, 1)
    assert result.reason == 'the mission took longer than 1 s; as told'


@pytest.mark.parametrize(('goal', 'text', 'purpose', 'outcome'), [
    (Find.Goal(kind='go', place='hall'), 'go to hall', Purpose.GO, Outcome.ARRIVED),
    (Find.Goal(kind='tour'), TOUR, Purpose.TOUR, Outcome.TOURED),
    (Find.Goal(kind='find', goal_text='find a cup'), 'find a cup', Purpose.FIND,
     Outcome.ARRIVED)])
def test_each_kind_of_mission(rig: Rig, goal: Any, text: str, purpose: Purpose,
                              outcome: Outcome) -> None:
    belief = rig.believe(lambda node: node.finish(outcome))
    status, result = rig.begin(goal).end()
    assert (status, result.outcome) == (SUCCEEDED, outcome.value)
    assert (belief.told.goal_text, belief.told.purpose, belief.told.place) == (
        text, purpose, goal.place)


def test_kind_that_is_none_is_refused_in_words(rig: Rig) -> None:
    belief = rig.believe()
    status, result = rig.begin(Find.Goal(kind='fetch', goal_text='a cup')).end()
    assert (status, result.outcome, result.reason) == (
        ABORTED, Find.Result.REFUSED, "kind is find, go, tour, not 'fetch'")
    assert belief.told.goal_text == ''


def test_node_that_listens_no_more_takes_no_goal(rig: Rig) -> None:
    rig.believe().listens = False
    rig.until(rig.client.server_is_ready)
    sent = rig.client.send_goal_async(Find.Goal(goal_text='find the mug'))
    rig.until(sent.done)
    assert not sent.result().accepted


@contextmanager
def started_belief(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, '-m', 'semantic_nav.nodes.belief', '--ros-args',
                                '-r', f'__ns:=/{NAMESPACE}', '-p', 'stop_wait_s:=0.5',
                                '-p', f'journal_dir:={folder}'])
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def belief_process(ros_domain: int, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    del ros_domain
    with started_belief(tmp_path) as process:
        yield process


def test_two_clients_with_the_same_words_have_a_mission_each(
        rig: Rig, belief_process: subprocess.Popen[bytes]) -> None:
    del belief_process
    first, second = rig.find('find the mug'), rig.find('find the mug')
    assert first.goal_id != second.goal_id
    status, result = first.end()
    assert (status, result.goal_id, result.reason) == (
        ABORTED, first.goal_id, 'a new goal came, the robot is not known to stand')
    second.wait_for('looking')
    told = second.feedback[-1]
    assert (told.instead_of, told.instead_of_goal_id) == ('find the mug', first.goal_id)
    assert not second.over


def test_cancel_of_a_mission_that_is_over_leaves_the_next_alone(
        rig: Rig, belief_process: subprocess.Popen[bytes]) -> None:
    del belief_process
    first, second = rig.find('find the mug'), rig.find('find the cup')
    first.end()
    asked = first.handle.cancel_goal_async()
    rig.until(asked.done)
    assert asked.result().goals_canceling == []
    second.wait_for('looking')
    assert not second.over


def test_belief_that_stands_by_takes_goals_once_the_other_has_ended(
        rig: Rig, belief_process: subprocess.Popen[bytes], tmp_path: Path) -> None:
    """Of two servers one would reject what the other takes."""
    rig.find('find the mug').wait_for('looking')
    with started_belief(tmp_path):
        program = rig.nodes[0]
        # It gives signs of life, and has had the time to offer the action.
        rig.until(lambda: program.count_publishers('semantic_nav/alive/belief') == 2)
        later_s = time.monotonic() + 3.0
        rig.until(lambda: time.monotonic() > later_s)

        def offered() -> int:
            return program.count_services('semantic_nav/find/_action/send_goal')

        assert offered() == 1
        belief_process.terminate()
        rig.until(lambda: offered() == 0)
        rig.find('find the cup').wait_for('looking')


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_belief_that_is_told_to_end_says_how_its_mission_ended(
        rig: Rig, belief_process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    mission = rig.find('find the mug')
    mission.wait_for('looking')
    belief_process.send_signal(number)
    status, result = mission.end()
    assert (status, result.outcome) == (ABORTED, Find.Result.ERROR)
    assert result.reason.startswith('the belief node was switched off')
    assert belief_process.wait(PATIENCE_S) == 0
