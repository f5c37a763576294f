"""The suite where a ROS distribution brings pytest plugins of its own."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: As launch_testing of Jazzy has it: pytest 9 has no argument of that name.
_HOOK = 'def pytest_pycollect_makemodule(path, parent):\n    return None\n'


def test_a_plugin_of_the_distribution_that_pytest_refuses_is_left_out(tmp_path: Path) -> None:
    for name in ('launch_testing', 'launch_ros', 'launch_pytest'):
        (tmp_path / f'{name}_hooks.py').write_text(_HOOK)
        about = tmp_path / f'{name}-1.0.dist-info'
        about.mkdir()
        (about / 'METADATA').write_text(f'Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n')
        (about / 'entry_points.txt').write_text(f'[pytest11]\n{name} = {name}_hooks\n')
    path = os.pathsep.join((str(tmp_path), os.environ.get('PYTHONPATH', '')))
    done = subprocess.run(
        [sys.executable, '-m', 'pytest', '-q', '--collect-only',
         'test/unit/test_contracts_core.py'], cwd=ROOT, env={**os.environ, 'PYTHONPATH': path},
        capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
