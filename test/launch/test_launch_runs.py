"""nav.launch.py run for real: how it ends. Needs the package to be installed, as colcon does."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ament_index_python.packages import PackageNotFoundError, get_package_prefix

from semantic_nav.contracts.share import share_path

_RUN = """
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
service = LaunchService()
service.include_launch_description(LaunchDescription([IncludeLaunchDescription(
    PythonLaunchDescriptionSource(sys.argv[1]), launch_arguments=[])]))
sys.exit(service.run())
"""
_ACTIVE = re.compile(r'\[(\w+)-\d+\].*lifecycle: active')
_PID = re.compile(r'\[(\w+)-\d+\]: process started with pid \[(\d+)\]')
_UP_S, _DOWN_S = 90.0, 30.0


class Launched:
    """A launch in a session of its own, with what it printed so far."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / 'launch.log'
        with self._log.open('wb') as log:
            self._process = subprocess.Popen(
                [sys.executable, '-c', _RUN, str(share_path('launch', 'nav.launch.py'))],
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                env={**os.environ, 'ROS_HOME': str(folder)})

    @property
    def text(self) -> str:
        return self._log.read_text(errors='replace')

    def wait_active(self, times: int = 1) -> dict[str, int]:
        """Wait until nodes were active so often, and return the process ids of the newest."""
        deadline = time.monotonic() + _UP_S
        while len(_ACTIVE.findall(self.text)) < 3 + times:
            assert time.monotonic() < deadline and self._process.poll() is None, self.text
            time.sleep(0.1)
        return {name: int(pid) for name, pid in _PID.findall(self.text)}

    @property
    def pid(self) -> int:
        return self._process.pid

    def interrupt(self) -> int:
        self._process.send_signal(signal.SIGINT)
        return self.wait()

    def wait(self) -> int:
        return self._process.wait(_DOWN_S)

    def end(self) -> None:
        """End what is left of it."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()


@pytest.fixture
def launched(tmp_path: Path, ros_domain: int) -> Iterator[Launched]:
    del ros_domain
    try:
        get_package_prefix('semantic_nav')
    except PackageNotFoundError:
        pytest.skip('semantic_nav is not installed: run it under colcon test')
    launch = Launched(tmp_path)
    yield launch
    launch.end()


def test_an_interrupt_ends_it_in_peace(launched: Launched) -> None:
    launched.wait_active()
    assert launched.interrupt() == 0, launched.text
    assert 'has died' not in launched.text


def test_the_death_of_the_launch_leaves_no_node(launched: Launched) -> None:
    pids = launched.wait_active()
    os.kill(launched.pid, signal.SIGKILL)
    deadline = time.monotonic() + _DOWN_S
    while left := [name for name, pid in pids.items() if Path(f'/proc/{pid}').exists()]:
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


@pytest.mark.parametrize('name', ['belief', 'memory'])
def test_a_node_that_was_killed_is_started_again(launched: Launched, name: str) -> None:
    pids = launched.wait_active()
    os.kill(pids[name], signal.SIGKILL)
    again = launched.wait_active(2)
    assert again[name] != pids[name] and {**again, name: 0} == {**pids, name: 0}
    assert f'{name} ended with code -9; starting it again (1 of 3)' in launched.text
    assert launched.interrupt() == 0, launched.text
