"""Which signals ask a process to end."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from semantic_nav.bringup.shutdown import Ending

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    # Under nohup, or started by a shell in the background, some are ignored.
    before = [signal.signal(number, signal.SIG_DFL) for number in NUMBERS]
    yield
    for number, handler in zip(NUMBERS, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.parametrize('number', NUMBERS)
def test_each_asks_once_it_is_heeded_and_no_more_when_all_is_over(number: int) -> None:
    ending = Ending()
    ending.heed()
    assert not ending.asked
    os.kill(os.getpid(), number)
    assert ending.asked
    ending.over()
    os.kill(os.getpid(), number)
    assert not ending.asked


def test_a_closed_terminal_is_nothing_to_what_was_told_to_outlive_it() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    ending = Ending()
    ending.heed()
    os.kill(os.getpid(), signal.SIGHUP)
    assert not ending.asked


def test_signal_that_comes_while_another_is_taken_note_of_is_no_deadlock() -> None:
    """As where launch tells its processes to end, and the kernel that launch is gone."""
    code = ('import signal, sys\n'
            'from semantic_nav.bringup.shutdown import ENDING\n'
            'ENDING.heed()\n'
            'seen = set()\n'
            'def interrupt(frame, event, arg):\n'
            '    place = frame.f_code, frame.f_lineno\n'
            '    if place not in seen:\n'
            '        seen.add(place)\n'
            '        signal.raise_signal(signal.SIGTERM)\n'
            '    return interrupt\n'
            'sys.settrace(interrupt)\n'
            'signal.raise_signal(signal.SIGINT)\n'
            'ENDING.wait()\n'
            'sys.settrace(None)\n'
            'print(ENDING.asked, len(seen) > 1)\n')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                          timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, 'True True\n'), done.stderr


def test_a_process_that_could_not_start_is_not_killed_while_it_ends() -> None:
    code = ('import os, signal, sys, types\n'
            'from semantic_nav.bringup import entry\n'
            'sys.modules["semantic_nav.nodes.memory"] = types.SimpleNamespace(main=lambda: 1)\n'
            'code = entry.memory()\n'
            'os.kill(os.getpid(), signal.SIGINT)\n'
            'print(signal.getsignal(signal.SIGINT).name)\n'
            'sys.exit(code)')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                          timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, 'SIG_IGN\n'), done.stderr


@pytest.mark.parametrize('number', NUMBERS)
def test_a_process_that_still_loads_ends_at_once(number: int) -> None:
    code = ('import os, sys, types\n'
            'from semantic_nav.bringup import entry\n'
            'class Loads:\n'
            '    def __getattr__(self, name):\n'
            f'        os.kill(os.getpid(), {number})\n'
            '        print("still there")\n'
            'sys.modules["semantic_nav.nodes.memory"] = Loads()\n'
            'entry.memory()')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                          timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, '', '')
