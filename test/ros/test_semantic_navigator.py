"""Missions from a program over real DDS, with a belief that tells what it is told to; examples."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import rclpy
from builders import observation, track
from fake_belief import NAMESPACE, FakeBelief, beliefs
from rclpy.context import Context
from rclpy.signals import SignalHandlerOptions
from semantic_nav_msgs.action import Find

from semantic_nav.client import SemanticNavigator
from semantic_nav.client.mission_client import NoAnswer
from semantic_nav.client.waiting import wait_until
from semantic_nav.contracts.vocabulary import Outcome, Phase, Purpose, Status

EXAMPLES = Path(__file__).parents[2] / 'examples'
Start = Callable[..., FakeBelief]


def wait_for(condition: Callable[[], object]) -> None:
    assert wait_until(lambda: bool(condition()), lambda: time.sleep(0.02), 60.0)


@pytest.fixture
def start(ros_domain: int) -> Iterator[Start]:
    del ros_domain
    with beliefs() as start:
        yield start


@pytest.fixture
def navigator(start: Start) -> Iterator[SemanticNavigator]:
    del start
    context = Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    with SemanticNavigator(NAMESPACE, context=context) as made:
        yield made
    rclpy.shutdown(context=context)


def test_a_mission_is_begun_followed_and_told(start: Start, navigator: SemanticNavigator) -> None:
    belief = start()
    goal_id = navigator.find('find the mug')
    assert not navigator.is_task_complete()
    with pytest.raises(TimeoutError, match='the mission goes on after 0.2 s'):
        navigator.get_result(0.2)
    wait_for(lambda: navigator.get_feedback().state == Phase.LOOKING)
    assert navigator.get_feedback().instead_of == ''
    belief.say(observation('step-1', track=track(1.5, 2.5)), 1)
    belief.tell(status=Status.DONE, p_here=1.0)
    belief.finish(Outcome.ARRIVED)
    result = navigator.get_result()
    assert navigator.is_task_complete()
    assert (result.outcome, result.goal_id, result.reason, result.p_here) == (
        Find.Result.ARRIVED, goal_id, 'as told', 1.0)
    assert result.target_pose.header.frame_id == 'map'


def test_ways_and_tours_are_missions_too(start: Start, navigator: SemanticNavigator) -> None:
    belief = start(lambda node: node.finish(Outcome.ARRIVED))
    navigator.go('hall')
    assert navigator.get_result().outcome == Find.Result.ARRIVED
    assert (belief.told.purpose, belief.told.place) == (Purpose.GO, 'hall')
    navigator.tour()
    navigator.get_result()
    assert belief.told.purpose is Purpose.TOUR


def test_it_is_cancelled_paused_and_resumed(start: Start, navigator: SemanticNavigator) -> None:
    belief = start()
    navigator.find('find the mug')
    wait_for(lambda: belief.told.phase is Phase.LOOKING and belief.told.goal_text)
    assert not navigator.is_pause_requested()
    navigator.pause()
    assert belief.told.phase is Phase.PAUSED
    wait_for(navigator.is_pause_requested)
    with pytest.raises(NoAnswer, match='it is paused already'):
        navigator.pause()
    navigator.resume()
    assert belief.told.phase is Phase.LOOKING
    wait_for(lambda: not navigator.is_pause_requested())
    navigator.cancel('enough')
    result = navigator.get_result()
    assert (result.outcome, result.reason) == (Find.Result.CANCELLED, 'enough; as told')


def test_time_that_is_over_ends_it(start: Start, navigator: SemanticNavigator) -> None:
    start()
    navigator.find('find the mug', timeout_s=0.5)
    result = navigator.get_result()
    assert result.outcome == Find.Result.CANCELLED
    assert result.reason.startswith('the mission took longer than ')


def test_a_question_is_answered(start: Start, navigator: SemanticNavigator) -> None:
    belief = start(lambda node: node.tell(phase=Phase.ASKING, question='Which one?'))
    navigator.find('find the mug')
    wait_for(lambda: navigator.get_feedback().question == 'Which one?')
    navigator.answer('the big one')
    assert navigator.get_result().outcome == Find.Result.ARRIVED
    assert belief.answers == ['the big one']


def test_whose_mission_it_ended_is_told(start: Start, navigator: SemanticNavigator) -> None:
    start(lambda node: None, places=()).tell(goal_text='find the cup')
    navigator.find('find the mug')
    assert navigator.get_feedback().instead_of == 'find the cup'


def test_other_tasks_run_while_a_result_is_awaited(
        start: Start, navigator: SemanticNavigator) -> None:
    belief = start()
    navigator.find('find the mug')
    wait_for(lambda: belief.told.goal_text)

    async def finish() -> None:
        belief.finish(Outcome.NOT_HERE)

    async def both() -> str:
        result, _ = await asyncio.gather(navigator.result(), finish())
        return str(result.outcome)

    assert asyncio.run(both()) == Find.Result.NOT_HERE


def test_nobody_there_and_nothing_begun_are_errors(navigator: SemanticNavigator) -> None:
    assert navigator.is_task_complete() and navigator.get_feedback() is None
    with pytest.raises(ValueError, match='no mission was begun'):
        navigator.get_result()
    with pytest.raises(NoAnswer, match='no belief node offers /robot1/semantic_nav/find'):
        navigator.find('find the mug')


@pytest.mark.parametrize(('name', 'missions', 'code', 'said'), [
    ('behaviour_tree', ['find the red mug', 'find a mug', 'go to home'], 0, 'any mug: arrived'),
    ('find_and_come_back', ['find the red mug', 'go to home'], 1, 'home, arrived: as told'),
    ('round_with_report', ['find the red mug', 'find the laptop'], 0,
     'red mug: not there; as told')])
def test_examples_do_what_they_say(
        ros_domain: int, name: str, missions: list[str], code: int, said: str) -> None:
    del ros_domain
    begun: list[str] = []

    def react(node: FakeBelief) -> None:
        begun.append(node.told.goal_text)
        node.finish(Outcome.NOT_HERE if 'red mug' in begun[-1] else Outcome.ARRIVED)

    with beliefs('') as start:
        start(react)
        done = subprocess.run([sys.executable, str(EXAMPLES / f'{name}.py')], capture_output=True,
                              text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (code, '')
    assert said in done.stdout and begun == missions


def test_examples_are_short() -> None:
    found = {path.stem: len(path.read_text().splitlines()) for path in EXAMPLES.glob('*.py')}
    assert len(found) == 3 and max(found.values()) <= 60, found
