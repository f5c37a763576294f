"""The command `ask` against a belief node that keeps the topics and tells what it is told to."""

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Iterator

import pytest
from fake_belief import NAMESPACE, FakeBelief, beliefs

from semantic_nav.cli import mission
from semantic_nav.contracts.codec import decode_document
from semantic_nav.contracts.documents import Belief
from semantic_nav.contracts.vocabulary import Outcome, Phase, Status

_WAIT_S = 60.0


@pytest.fixture
def belief(ros_domain: int) -> Iterator[Callable[..., FakeBelief]]:
    del ros_domain
    with beliefs() as start:
        yield start


def ask(*args: str, typed: str = '') -> subprocess.CompletedProcess[str]:
    return run('ask', *args, typed=typed)


def run(*words: str, typed: str = '') -> subprocess.CompletedProcess[str]:
    done = subprocess.run([sys.executable, '-m', 'semantic_nav', *words], input=typed,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=_WAIT_S, check=False)
    # Fast DDS tells so of the shared memory that a killed process left behind.
    done.stdout = ''.join(line for line in done.stdout.splitlines(keepends=True)
                          if 'RTPS_TRANSPORT_SHM' not in line)
    return done


def test_arrival_is_success(belief: Callable[..., FakeBelief]) -> None:
    belief(lambda node: node.finish(Outcome.ARRIVED))
    done = ask('find', 'the mug', '--namespace', NAMESPACE)
    assert done.returncode == 0, done.stdout
    assert 'goal      find the mug' in done.stdout
    assert 'finished  arrived: as told' in done.stdout


@pytest.mark.parametrize(('outcome', 'code'), [
    (Outcome.NOT_HERE, 3), (Outcome.GAVE_UP, 4), (Outcome.REFUSED, 6)])
def test_every_other_end_has_a_code(belief: Callable[..., FakeBelief], outcome: Outcome,
                                    code: int) -> None:
    belief(lambda node: node.finish(outcome))
    done = ask('find the mug', '--namespace', NAMESPACE)
    assert done.returncode == code
    assert f'finished  {outcome.value}: as told' in done.stdout


def test_an_older_mission_is_not_taken_for_ours(belief: Callable[..., FakeBelief]) -> None:
    belief(lambda node: node.finish(Outcome.NOT_HERE), Outcome.ARRIVED)
    done = ask('find the mug', '--namespace', NAMESPACE)
    assert done.returncode == 3
    assert 'not_here' in done.stdout and 'arrived' not in done.stdout


def test_mission_of_another_that_a_goal_ends_is_named(
        belief: Callable[..., FakeBelief]) -> None:
    node = belief(lambda node: node.finish(Outcome.ARRIVED))
    node.tell(goal_text='find the cup')
    done = ask('find the mug', '--namespace', NAMESPACE, '--yes')
    assert done.returncode == 0 and 'instead   of “find the cup”, which this ends' in done.stdout


def test_goal_that_is_refused_ends_no_mission_of_another(
        belief: Callable[..., FakeBelief]) -> None:
    node = belief()
    node.tell(goal_text='find the cup')
    node.refuses = True
    done = ask('find the mug', '--namespace', NAMESPACE, '--yes')
    assert done.returncode == 6 and 'instead' not in done.stdout


@pytest.mark.parametrize('words', [('ask', 'find the mug'), ('tour',), ('go', 'hall')])
def test_without_a_terminal_no_mission_is_ended_unasked(
        belief: Callable[..., FakeBelief], words: tuple[str, ...]) -> None:
    node = belief(places=('hall',))
    node.tell(goal_text='find the cup')
    done = run(*words, '--namespace', NAMESPACE)
    assert done.returncode == 1
    assert done.stdout == (
        f'{words[0]}: this ends “find the cup”, which is under way: nothing was said to the robot'
        '; --yes ends that mission\n')
    assert node.told.goal_text == 'find the cup'


@pytest.mark.parametrize(('typed', 'goal'), [('y\n', 'the mug'), ('\n', 'find the cup'),
                                             ('no\n', 'find the cup'), ('\x04', 'find the cup')])
def test_on_a_terminal_it_is_asked_whether_a_mission_may_be_ended(
        belief: Callable[..., FakeBelief], typed: str, goal: str) -> None:
    node = belief(lambda node: node.finish(Outcome.ARRIVED))
    node.tell(goal_text='find the cup')
    terminal, end = pty.openpty()
    with subprocess.Popen(
            [sys.executable, '-m', 'semantic_nav', 'ask', 'the mug', '--namespace', NAMESPACE],
            stdin=end, stdout=end, stderr=end) as asking, contextlib.ExitStack() as killed:
        killed.callback(asking.kill)
        os.close(end)
        said = _read_until(terminal, 'Go on? [y/N]')
        assert 'this ends “find the cup”' in said
        os.write(terminal, typed.encode())
        assert asking.wait(_WAIT_S) == (0 if goal == 'the mug' else 1)
    os.close(terminal)
    assert node.told.goal_text == goal


@pytest.mark.parametrize(('words', 'said'), [
    (('go', 'kichen'), "no place kichen is remembered; is 'kitchen' meant?"),
    (('go', 'nowhere'), 'no place nowhere is remembered; `places list` tells all'),
    (('home',), 'no place home is remembered; `places name here home` gives')])
def test_a_way_to_an_unknown_place_ends_nothing(
        belief: Callable[..., FakeBelief], words: tuple[str, ...], said: str) -> None:
    node = belief(places=('kitchen',))
    node.tell(goal_text='find the cup')
    done = run(*words, '--namespace', NAMESPACE, '--yes')
    assert done.returncode == 1, done.stdout
    assert f': the robot was sent nowhere: {said}' in done.stdout
    assert node.told.goal_text == 'find the cup'


def test_json_is_the_belief_at_the_end(belief: Callable[..., FakeBelief]) -> None:
    belief(lambda node: node.finish(Outcome.ARRIVED))
    done = subprocess.run(
        [sys.executable, '-m', 'semantic_nav', 'ask', 'find the mug', '--namespace', NAMESPACE,
         '--json'], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_WAIT_S,
        check=False)
    assert done.returncode == 0 and 'finished  arrived' in done.stderr
    document = decode_document(done.stdout, 'belief')
    assert isinstance(document.body, Belief)
    assert (document.body.goal_text, document.body.outcome) == ('find the mug', Outcome.ARRIVED)


def test_on_a_terminal_a_last_line_tells_how_it_stands(
        belief: Callable[..., FakeBelief]) -> None:
    node = belief(lambda node: node.tell(phase=Phase.DRIVING, next_action='go to the view'))
    terminal, end = pty.openpty()
    termios.tcsetwinsize(terminal, (50, 200))
    with subprocess.Popen([sys.executable, '-m', 'semantic_nav', 'ask', 'find the mug',
                           '--namespace', NAMESPACE, '--timeout', '30'],
                          stdin=subprocess.DEVNULL, stdout=end, stderr=end) as asking:
        os.close(end)
        said = _read_until(terminal, 'driving: go to the view')
        node.finish(Outcome.ARRIVED)
        said += _read_until(terminal, 'finished  arrived: as told')
        with contextlib.suppress(OSError):  # Of a terminal that nobody writes to any more.
            while part := os.read(terminal, 4096):
                said += part.decode()
        assert asking.wait(_WAIT_S) == 0
    os.close(terminal)
    assert '0 of 900 s, 0.0 of 300 m, 0 of 120 calls of the model' in said
    assert re.search(r'\r +\r', said) and said.rstrip().endswith('finished  arrived: as told')


def _read_until(terminal: int, words: str) -> str:
    said = ''
    while words not in said:
        assert select.select([terminal], [], [], _WAIT_S)[0], said
        said += os.read(terminal, 4096).decode()
    return said


def test_status_tells_of_the_newest_mission(belief: Callable[..., FakeBelief]) -> None:
    node = belief()
    done = ask('--status', '--namespace', NAMESPACE)
    assert (done.returncode, done.stdout) == (1, 'ask: no goal was said yet\n')
    node.tell(goal_text='find the mug', reason='the memory is asked')
    done = ask('--status', '--namespace', NAMESPACE)
    assert (done.returncode, done.stdout) == (0, 'looking: find the mug; the memory is asked\n')


def test_a_typed_line_answers_the_question(belief: Callable[..., FakeBelief]) -> None:
    node = belief(lambda node: node.tell(phase=Phase.ASKING, question='Which one?'))
    done = ask('find the mug', '--namespace', NAMESPACE, typed='the red one\n')
    assert done.returncode == 0, done.stdout
    assert 'question  Which one?' in done.stdout
    assert f'publish it on /{NAMESPACE}/semantic_nav/answer' in done.stdout
    assert node.answers == ['the red one']


def test_a_line_that_comes_after_the_question_is_no_answer(
        belief: Callable[..., FakeBelief]) -> None:
    node = belief(lambda node: node.tell(phase=Phase.ASKING, question='Which one?'))
    with subprocess.Popen(
            [sys.executable, '-m', 'semantic_nav', 'ask', 'the mug', '--namespace', NAMESPACE,
             '--timeout', '30'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True) as asking:
        assert asking.stdin is not None and asking.stdout is not None
        # The lines end where `ask` does.
        said = iter(asking.stdout.readline, '')
        assert any('type it here' in line for line in said)
        node.tell(phase=Phase.LOOKING, question='', status=Status.VISIBLE)
        assert any('belief    visible' in line for line in said)
        print('the red one', file=asking.stdin, flush=True)
        assert any('came too late' in line for line in said)
        node.finish(Outcome.NOT_HERE)
        assert asking.wait(_WAIT_S) == 3
    assert node.answers == []


def test_the_timeout_cancels(belief: Callable[..., FakeBelief]) -> None:
    node = belief()
    done = ask('find the mug', '--namespace', NAMESPACE, '--timeout', '1')
    assert done.returncode == 5
    assert 'the mission took longer than 1 s' in done.stdout
    assert node.told.outcome is Outcome.CANCELLED


@pytest.mark.parametrize(('number', 'reason'), [
    (signal.SIGINT, 'you asked for it'),
    (signal.SIGTERM, 'this command was told to end (SIGTERM)')])
def test_a_signal_cancels_and_is_told(belief: Callable[..., FakeBelief], number: signal.Signals,
                                      reason: str) -> None:
    taken_up = threading.Event()
    node = belief(lambda node: taken_up.set())
    process = subprocess.Popen(
        [sys.executable, '-m', 'semantic_nav', 'ask', 'find it', '--namespace', NAMESPACE],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    assert taken_up.wait(_WAIT_S)
    process.send_signal(number)
    output, _ = process.communicate(timeout=_WAIT_S)
    assert process.returncode == 5
    assert f'cancel    {reason}\n' in output
    assert 'finished  cancelled' in output
    assert node.told.outcome is Outcome.CANCELLED


def test_cancel_ends_the_mission_of_another(belief: Callable[..., FakeBelief]) -> None:
    node = belief()
    node.tell(goal_text='of somebody')
    done = ask('--cancel', '--namespace', NAMESPACE)
    assert (done.returncode, done.stdout) == (0, 'cancelled: as told\n')


def test_cancel_that_leaves_the_robot_driving_is_failure(
        belief: Callable[..., FakeBelief]) -> None:
    node = belief()
    node.tell(goal_text='of somebody')
    node.stands = False
    done = ask('--cancel', '--namespace', NAMESPACE)
    assert (done.returncode, done.stdout) == (1, 'cancelled: as told\n')


def test_pause_waits_until_the_robot_stands(belief: Callable[..., FakeBelief]) -> None:
    node = belief()
    node.tell(goal_text='of somebody')
    done = ask('--pause', '--namespace', NAMESPACE)
    assert (done.returncode, done.stdout) == (0, 'paused: as told; the robot stands\n')
    done = ask('--pause', '--namespace', NAMESPACE)
    assert (done.returncode, done.stdout) == (1, 'ask: it is paused already\n')
    done = ask('--resume', '--namespace', NAMESPACE)
    assert (done.returncode, done.stdout) == (0, 'looking: it was resumed\n')
    assert node.told.phase is Phase.LOOKING


def test_resume_of_a_robot_that_is_held_too_says_who_holds_it(
        belief: Callable[..., FakeBelief]) -> None:
    node = belief()
    node.held = 'another client drives the robot'
    node.tell(goal_text='of somebody', phase=Phase.PAUSED, stands=True, pause_requested=True)
    done = ask('--resume', '--namespace', NAMESPACE)
    assert (done.returncode, done.stdout) == (0, 'paused: another client drives the robot\n')


@pytest.mark.parametrize('before', [(), (Outcome.ARRIVED,)])
def test_cancel_without_a_mission_is_handed_on(belief: Callable[..., FakeBelief],
                                               before: tuple[Outcome, ...]) -> None:
    """The robot may still drive for a belief that was killed."""
    node = belief(lambda node: None, *before)
    done = ask('--cancel', '--namespace', NAMESPACE)
    idle = 'nothing was under way; ' if before else ''
    assert (done.returncode, done.stdout) == (0, f'{idle}cancelled: as told\n')
    assert node.told.outcome is Outcome.CANCELLED


def test_short_commands_do_what_the_options_of_ask_do(belief: Callable[..., FakeBelief]) -> None:
    node = belief()
    where = '--namespace', NAMESPACE
    done = run('status', *where)
    assert (done.returncode, done.stdout) == (1, 'status: no goal was said yet\n')
    node.tell(goal_text='of somebody', reason='as told')
    for words, code, said in (
            (('status', *where), 0, 'looking: of somebody; as told\n'),
            ((*where, 'pause'), 0, 'paused: as told; the robot stands\n'),
            (('pause', *where), 1, 'pause: it is paused already\n'),
            (('resume', *where), 0, 'looking: it was resumed\n'),
            ((f'--namespace={NAMESPACE}', 'cancel'), 0, 'cancelled: as told\n')):
        done = run(*words)
        assert (done.returncode, done.stdout) == (code, said), words
    done = run(*where, '--json', 'status')
    line, document = done.stdout.splitlines()
    assert (done.returncode, line) == (0, 'cancelled: of somebody; as told')
    assert decode_document(document, 'belief').body == node.told


def test_nobody_there_is_one_line(ros_domain: int) -> None:
    done = ask('find the mug')
    assert done.returncode == 1
    assert done.stdout.startswith('ask: no belief node offers /semantic_nav/find after 10 s')
    assert done.stdout.count('\n') == 1


@pytest.mark.parametrize('args', [
    (), ('--cancel', 'find the mug'), (' ',), ('--pause', '--resume')])
def test_the_command_line_is_checked(args: tuple[str, ...]) -> None:
    done = ask(*args)
    assert done.returncode == 2
    assert 'say either what to find, or one of --cancel, --pause, --resume and' in done.stdout


@pytest.mark.parametrize('namespace', ['bad name', '1robot'])
def test_namespace_that_ros_would_refuse_is_refused_in_a_line(
        namespace: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        mission.ask(['--namespace', namespace, 'find the red mug'])
    assert refused.value.code == 2
    said = capsys.readouterr().err
    assert f'{namespace!r} is refused' in said and len(said.splitlines()) <= 2


@pytest.mark.parametrize(('words', 'goal', 'outcome', 'code'), [
    (('go', 'the', 'hall'), 'go to the hall', Outcome.ARRIVED, 0),
    (('home',), 'go to home', Outcome.GAVE_UP, 4),
    (('tour',), 'a tour', Outcome.TOURED, 0)])
def test_missions_without_a_target_are_followed_too(
        belief: Callable[..., FakeBelief], words: tuple[str, ...], goal: str, outcome: Outcome,
        code: int) -> None:
    belief(lambda node: node.finish(outcome), places=('the hall', 'home'))
    done = run(*words, '--namespace', NAMESPACE)
    assert done.returncode == code, done.stdout
    assert f'goal      {goal}\n' in done.stdout
    assert f'finished  {outcome.value}: as told' in done.stdout


def test_a_way_to_nowhere_is_a_wrong_command_line() -> None:
    for words in (('go',), ('go', ' '), ('home', 'sweet')):
        assert run(*words).returncode == 2
