"""How the demonstration ends when something goes wrong: soon, in true words, with nothing left."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import small_world
from started import PATIENCE_S, Started


class Demo(Started):
    """A demonstration in a small home that runs, and whatever it started."""

    def __init__(self, folder: Path, cache: Path, missions: int = 1) -> None:
        self.out = folder / 'out'
        home = small_world.write_world(folder / 'home' / 'small')
        super().__init__(
            ['demo', '--world', str(home), '--seed', str(small_world.SEED_STOOL), '--missions',
             str(missions), '--out', str(self.out)], folder / 'said', cache)

    def runs(self) -> list[Path]:
        """Return the folders of runs that there are."""
        return [path for path in self.out.iterdir() if not path.is_symlink()]


@pytest.fixture(scope='module')
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the home is kept once it is compiled."""
    return tmp_path_factory.mktemp('cache')


@pytest.fixture
def demo(tmp_path: Path, cache: Path, request: pytest.FixtureRequest) -> Iterator[Demo]:
    """Return one of one mission, or of as many as the test asks for."""
    running = Demo(tmp_path, cache, getattr(request, 'param', 1))
    try:
        yield running
    finally:
        running.kill()


def test_it_may_be_ended_while_processes_start(demo: Demo) -> None:
    demo.wait_for(lambda: 'verifier' in demo.processes())
    demo.process.terminate()
    assert demo.ends_soon() == 128 + signal.SIGTERM
    [run] = demo.runs()
    assert demo.said.endswith('demo: interrupted; all processes are ended; '
                              f'what there is of the run lies in {run}\n')
    # ROS logs into the folder of the run.
    assert list((run / 'first' / 'log').glob('python*.log'))


def test_a_picture_that_cannot_be_written_does_not_cost_the_verdict(demo: Demo) -> None:
    demo.wait_for(lambda: 'step 1 ' in demo.said)
    [run] = demo.runs()
    blocked = run / 'first' / 'map.png'
    blocked.mkdir()
    assert demo.process.wait(PATIENCE_S) == 0, demo.said
    assert demo.processes() == {}
    assert f'warning   {blocked} is not there: ' in demo.said
    assert demo.said.index('SUCCESS   ') < demo.said.index(f'warning   {blocked}')
    [mission] = json.loads((run / 'summary.json').read_text())['missions']
    assert mission['reached']


def test_without_the_model_it_goes_on_and_without_the_simulator_it_does_not(demo: Demo) -> None:
    demo.wait_for(lambda: 'step 1 ' in demo.said)
    os.kill(demo.processes()['model_server'], signal.SIGKILL)
    demo.wait_for(lambda: 'lost      sim_model_server was ended by SIGKILL' in demo.said)
    demo.wait_for(lambda: 'so a rule proposes: ' in demo.said)
    assert set(demo.processes()) == {'hypothesis', 'memory', 'belief', 'verifier',
                                     'robot_node', 'mapper_node', 'navigator_node'}
    os.kill(demo.processes()['robot_node'], signal.SIGKILL)
    assert demo.ends_soon() == 1
    assert 'demo: sim_robot was ended by SIGKILL, and the others cannot do without it' in demo.said


def test_ctrl_c_in_the_middle_of_a_mission(demo: Demo) -> None:
    demo.wait_for(lambda: 'step 1 ' in demo.said)
    demo.process.send_signal(signal.SIGINT)
    assert demo.ends_soon() == 128 + signal.SIGINT
    [run] = demo.runs()
    assert (run / 'first' / 'log' / 'belief.log').is_file()
    assert demo.said.endswith('demo: interrupted; all processes are ended; '
                              f'what there is of the run lies in {run}\n')


def test_mission_that_somebody_ends_has_not_failed(demo: Demo) -> None:
    demo.wait_for(lambda: 'step 1 ' in demo.said)
    pid = demo.processes()['belief']
    variables = dict(one.split('=', 1) for one in Path(f'/proc/{pid}/environ').read_text().split(
        '\0') if one.startswith('ROS_'))
    subprocess.run([sys.executable, '-m', 'semantic_nav', 'cancel'], timeout=120, check=True,
                   capture_output=True, env={**os.environ, **variables})
    assert demo.process.wait(PATIENCE_S) == 0, demo.said
    assert 'ENDED     somebody ended the mission; the robot says cancelled' in demo.said


@pytest.mark.parametrize('demo', [0], indirect=True)
def test_goals_may_come_from_another_terminal(demo: Demo) -> None:
    demo.wait_for(lambda: 'Ctrl-C here ends it' in demo.said)
    words = re.search(r'export ROS_DOMAIN_ID=(\d+)', demo.said)
    assert words is not None
    shell = {name: value for name, value in os.environ.items() if name != 'ROS_DOMAIN_ID'}
    done = subprocess.run(
        [sys.executable, '-m', 'semantic_nav', 'ask', 'find the red mug', '--timeout', '2'],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
        env=shell)
    assert 'goal      find the red mug' in done.stdout
    assert 'finished  ' in done.stdout
    assert done.stderr == (f'the demo that runs here is meant, in ROS domain {words[1]}; a '
                           'ROS_DOMAIN_ID of your own would be honoured\n')
    demo.process.send_signal(signal.SIGINT)
    assert demo.ends_soon() == 128 + signal.SIGINT


def test_a_wrong_goal_starts_and_writes_nothing(tmp_path: Path) -> None:
    home = small_world.write_world(tmp_path / 'home')
    done = subprocess.run(
        [sys.executable, '-m', 'semantic_nav', 'demo', '--world', str(home), '--goal',
         'find\nthe mug', '--out', str(tmp_path / 'out')],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, '')
    assert done.stderr.startswith('demo: ') and done.stderr.count('\n') == 1
    assert not (tmp_path / 'out').exists()
