"""The action `find` over real DDS, with a belief node that tells what it is told to."""

import math
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip('semantic_nav_msgs.action', reason='interfaces/semantic_nav_msgs is not built')

import rclpy
from action_msgs.msg import GoalStatus
from builders import meta, observation, track
from builtin_interfaces.msg import Duration
from executors import shut_down
from fake_belief import FakeBelief
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from semantic_nav_msgs.action import Find

from semantic_nav.contracts.clock import NS_PER_S
from semantic_nav.contracts.documents import Hypothesis, RobotPose
from semantic_nav.contracts.geometry import Pose2D
from semantic_nav.contracts.hypothesis import Action, CanonicalHypothesis, TargetStatus
from semantic_nav.contracts.vocabulary import Outcome, Phase, Source, Status
from semantic_nav.nodes.find import FindNode

PATIENCE_S = 60.0
NAMESPACE = 'robot1'
SUCCEEDED, CANCELED, ABORTED = (GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED,
                                GoalStatus.STATUS_ABORTED)


class Mission:
    """A goal of the client, and what it hears of it."""

    def __init__(self, rig: 'Rig', words: str, allowance_s: int) -> None:
        self._rig = rig
        self.feedback: list[Any] = []
        sent = rig.client.send_goal_async(
            Find.Goal(goal=words, time_allowance=Duration(sec=allowance_s)),
            feedback_callback=lambda message: self.feedback.append(message.feedback))
        rig.until(sent.done)
        self.handle = sent.result()
        assert self.handle.accepted
        self._ended = self.handle.get_result_async()

    def wait_for(self, state: str) -> Any:
        self._rig.until(lambda: any(one.state == state for one in self.feedback))
        return self.feedback[-1]

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
        self.executor = SingleThreadedExecutor(context=context)
        self.nodes: list[Node] = []
        program = self.add(Node('program', context=context, namespace=NAMESPACE))
        self.client = ActionClient(program, Find, 'semantic_nav/find')

    def add(self, node: Any) -> Any:
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def offer(self) -> FindNode:
        return self.add(FindNode(self._context, NAMESPACE))

    def believe(self, react: Callable[[FakeBelief], None] = lambda node: None,
                session: str = 'x') -> FakeBelief:
        return self.add(FakeBelief(self._context, react, NAMESPACE, session))

    def lose(self, node: Node) -> None:
        self.executor.remove_node(node)
        self.nodes.remove(node)
        node.destroy_node()

    def find(self, words: str, allowance_s: int = 0) -> Mission:
        self.until(self.client.server_is_ready)
        return Mission(self, words, allowance_s)

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
    rig.offer()
    belief = rig.believe()
    mission = rig.find('find the mug')
    first = mission.wait_for('looking')
    assert (first.doing, first.model_calls, math.isnan(first.p_here)) == ('look', 0, True)
    belief.say(RobotPose(Pose2D(1.0, 2.0, math.pi / 2), True, 0.0), 7 * NS_PER_S)
    belief.say(Hypothesis('step-1', Source.MODEL, CanonicalHypothesis(
        Action.STOP, TargetStatus.VISIBLE, 0.9, rationale='a red mug'), meta()), 1)
    belief.say(observation('step-1', track=track(1.5, 2.5)), 8 * NS_PER_S)
    rig.until(lambda: mission.feedback[-1].robot_pose.header.frame_id)
    # Two topics have no order.
    rig.until(lambda: rig.nodes[1]._served[0].errand.seen is not None)
    belief.tell(status=Status.DONE, p_here=1.0)
    belief.finish(Outcome.ARRIVED)
    status, result = mission.end()
    assert (status, result.outcome, result.reason, result.stands, result.goal_id) == (
        SUCCEEDED, Find.Result.ARRIVED, 'as told', True, 'goal-find the mug')
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
    rig.offer()
    rig.believe(lambda node: node.finish(outcome))
    status, result = rig.find('find the mug').end()
    assert (status, result.outcome, result.reason) == (ABORTED, outcome.value, 'as told')
    assert result.robot_pose.header.frame_id == result.target_pose.header.frame_id == ''
    assert math.isnan(result.p_here)


def test_each_outcome_has_its_constant() -> None:
    assert {Find.Result.ARRIVED, Find.Result.NOT_HERE, Find.Result.GAVE_UP, Find.Result.CANCELLED,
            Find.Result.REFUSED} == set(Outcome) - {Outcome.TOURED}, 'a tour finds nothing'
    assert Find.Result.ERROR not in set(Outcome)


@pytest.mark.parametrize(('stands', 'status', 'outcome'), [
    (True, CANCELED, Find.Result.CANCELLED), (False, ABORTED, Find.Result.ERROR)])
def test_cancelled_only_where_the_robot_is_known_to_stand(rig: Rig, stands: bool, status: int,
                                                          outcome: str) -> None:
    rig.offer()
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


def test_goal_taken_back_before_it_is_said_asks_the_belief_for_nothing(rig: Rig) -> None:
    rig.offer()
    mission = rig.find('find the mug')
    asked = mission.handle.cancel_goal_async()
    status, result = mission.end()
    assert asked.done() and (status, result.outcome, result.goal_id) == (
        CANCELED, Find.Result.CANCELLED, '')
    assert result.reason.startswith('taken back before it was said')


def test_new_goal_takes_the_place_of_the_one_before(rig: Rig) -> None:
    def react(node: FakeBelief) -> None:
        words = node.told.goal_text
        if words == 'find the cup':
            node.tell(goal_text='find the mug', phase=Phase.FINISHED, stands=True,
                      outcome=Outcome.CANCELLED, reason='a new goal came')
            node.tell(goal_text=words, phase=Phase.LOOKING, stands=None, outcome=None, reason='')

    rig.offer()
    belief = rig.believe(react)
    first = rig.find('find the mug')
    first.wait_for('looking')
    second = rig.find('find the cup')
    status, result = first.end()
    assert (status, result.outcome, result.reason, result.stands) == (
        ABORTED, Find.Result.CANCELLED, 'a new goal came', True)
    assert not second.over and belief.cancelled == 0
    belief.finish(Outcome.ARRIVED)
    assert second.end()[0] == SUCCEEDED


def test_goal_of_another_operator_takes_its_place_too(rig: Rig) -> None:
    rig.offer()
    belief = rig.believe()
    mission = rig.find('find the mug')
    mission.wait_for('looking')
    belief.tell(phase=Phase.FINISHED, outcome=Outcome.CANCELLED, reason='a new goal came',
                stands=True)
    belief.tell(goal_text='find the cup', phase=Phase.LOOKING, outcome=None)
    status, result = mission.end()
    assert (status, result.reason) == (ABORTED, 'a new goal came')


def test_question_stands_in_the_feedback(rig: Rig) -> None:
    rig.offer()
    rig.believe(lambda node: node.tell(phase=Phase.ASKING, question='Which one?'))
    assert rig.find('find the mug').wait_for('asking').question == 'Which one?'


def test_time_that_is_over_ends_the_mission(rig: Rig) -> None:
    rig.offer()
    belief = rig.believe()
    status, result = rig.find('find the mug', allowance_s=1).end()
    assert (status, result.outcome, belief.cancelled) == (ABORTED, Find.Result.CANCELLED, 1)
    assert result.reason == 'the mission took longer than 1 s; as told'


def test_no_belief_is_an_error(rig: Rig) -> None:
    rig.offer()
    status, result = rig.find('find the mug').end()
    assert (status, result.outcome) == (ABORTED, Find.Result.ERROR)
    assert 'no belief node listens to /robot1/semantic_nav/goal' in result.reason


def test_belief_that_goes_is_an_error_and_the_next_goal_is_none(rig: Rig) -> None:
    rig.offer()
    belief = rig.believe()
    mission = rig.find('find the mug')
    mission.wait_for('looking')
    rig.lose(belief)
    status, result = mission.end()
    assert (status, result.outcome) == (ABORTED, Find.Result.ERROR)
    assert 'the belief node is gone' in result.reason
    rig.believe(lambda node: node.finish(Outcome.ARRIVED), session='y')
    assert rig.find('find the cup').end()[0] == SUCCEEDED


def test_belief_that_takes_the_mission_up_again_is_followed(rig: Rig) -> None:
    rig.offer()
    belief = rig.believe()
    mission = rig.find('find the mug')
    mission.wait_for('looking')
    rig.lose(belief)
    again = rig.believe(session='y')
    again.tell(goal_text='find the mug', reason='taken up again')
    rig.until(lambda: 'taken up again' in mission.feedback[-1].doing)
    again.finish(Outcome.ARRIVED)
    assert mission.end()[0] == SUCCEEDED


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_process_that_is_told_to_end_ends_its_mission(rig: Rig, number: signal.Signals) -> None:
    belief = rig.believe()
    process = subprocess.Popen([sys.executable, '-m', 'semantic_nav.nodes.find', '--ros-args',
                                '-r', f'__ns:=/{NAMESPACE}'])
    try:
        mission = rig.find('find the mug')
        mission.wait_for('looking')
        process.send_signal(number)
        status, result = mission.end()
        code = process.wait(PATIENCE_S)
    finally:
        process.kill()
    assert (status, result.outcome, result.reason, belief.cancelled) == (
        ABORTED, Find.Result.CANCELLED, 'the node with the action is told to end; as told', 1)
    assert code == 0


def test_node_without_its_messages_says_so_in_a_line() -> None:
    done = subprocess.run(
        [sys.executable, '-c', 'import sys\nfrom semantic_nav import entry\n'
         'entry.has_action = lambda: False\nsys.exit(entry.find())'],
        capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.returncode, done.stderr) == (
        1, 'semantic_nav_msgs is not built: going on without the action semantic_nav/find\n')
