"""How the processes of the nodes begin, and what they say where they cannot."""

import subprocess
import sys
from pathlib import Path

import pytest

from semantic_nav.bringup.processes import NavSettings, navigation_processes
from semantic_nav_sim.processes import SimSettings, simulator_processes

MODULES = [process.module for process in (
    *navigation_processes(NavSettings()),
    *simulator_processes(SimSettings(mapping=True)))
    if process.is_node]


@pytest.mark.parametrize('module', MODULES)
def test_what_ros_refuses_is_said_in_one_line(
        ros_domain: int, tmp_path: Path, module: str) -> None:
    del ros_domain
    params = tmp_path / 'params.yaml'
    params.write_text('verifier:\n  robot_radius: 0.3\n')
    done = subprocess.run(
        [sys.executable, '-m', module, '--ros-args', '--params-file', str(params)],
        capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and 'Traceback' not in done.stderr
    assert 'Cannot have a value before ros__parameters' in done.stderr.splitlines()[-1]
