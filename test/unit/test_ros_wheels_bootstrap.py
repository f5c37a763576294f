"""The bootstrap script: its probes, its messages and its stamps, without installing anything."""

import fcntl
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def clean_environment(**more: str) -> dict[str, str]:
    """Return an environment in which nothing is sourced or activated."""
    kept = {'HOME': os.environ.get('HOME', '/'), 'PATH': os.environ['PATH']}
    return kept | more


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of what the script looks at, in a path with a space."""
    root = tmp_path / 'a checkout'
    shutil.copytree(
        ROOT / 'ros_wheels', root / 'ros_wheels', ignore=shutil.ignore_patterns('__pycache__')
    )
    shutil.copytree(ROOT / 'interfaces', root / 'interfaces')
    for path in ROOT.glob('requirements*.txt'):
        shutil.copy(path, root)
    return root


def call(root: Path, commands: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run commands with the functions of the script at hand."""
    return subprocess.run(
        ['bash', '-c', f'. ros_wheels/bootstrap; {commands}'],
        cwd=root,
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize('shell', ['bash', 'sh'])
def test_env_is_valid_in(shell: str) -> None:
    subprocess.run([shell, '-n', ROOT / 'ros_wheels' / 'env.sh'], check=True)


def test_bootstrap_is_valid_bash() -> None:
    subprocess.run(['bash', '-n', ROOT / 'ros_wheels' / 'bootstrap'], check=True)


@pytest.mark.parametrize(
    ('system', 'machine'), [('Linux', 'aarch64'), ('Darwin', 'arm64'), ('Darwin', 'x86_64')]
)
def test_platforms_without_wheels_are_told_what_to_do(system: str, machine: str) -> None:
    result = call(ROOT, f'check_platform {system} {machine}')
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    assert machine in result.stderr
    assert 'install ROS 2 Jazzy' in result.stderr


def test_the_platform_of_the_wheels_is_accepted() -> None:
    assert call(ROOT, 'check_platform Linux x86_64').returncode == 0


@pytest.mark.parametrize(
    ('interpreter', 'accepted'),
    [
        ('cpython 3.10', False),
        ('cpython 3.11', True),
        ('cpython 3.12', True),
        ('cpython 3.13', True),
        ('cpython 3.14', False),
        ('pypy 3.11', False),
    ],
)
def test_interpreters(interpreter: str, accepted: bool) -> None:
    assert (call(ROOT, f'check_python {interpreter}').returncode == 0) == accepted


def test_no_suitable_interpreter_is_one_line(tmp_path: Path) -> None:
    fake = tmp_path / 'python3'
    fake.write_text('#!/bin/sh\necho cpython 3.9 /nowhere/python3\n')
    fake.chmod(0o755)
    result = call(ROOT, f'PATH="{tmp_path}"; find_python')
    assert result.returncode == 1
    assert result.stderr.splitlines() == [
        'bootstrap: CPython 3.11, 3.12 or 3.13 is needed, found cpython 3.9; install one of them'
    ]


def test_missing_system_packages_are_named_to_who_cannot_install_them() -> None:
    result = call(ROOT, 'is_root() { false; }; install_packages libegl1 cmake')
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.rstrip().endswith(
        'sudo apt-get install -y --no-install-recommends libegl1 cmake'
        if shutil.which('apt-get')
        else 'libegl1 cmake'
    )


def test_an_unreachable_package_index_is_one_line(checkout: Path, free_port: int) -> None:
    (checkout / '.venv' / 'bin').mkdir(parents=True)
    python = checkout / '.venv' / 'bin' / 'python'
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    result = call(
        checkout,
        'pip_install "$venv/log/pip.log" --dry-run semantic-nav-is-not-published',
        PIP_CONFIG_FILE=os.devnull,
        PIP_INDEX_URL=f'http://127.0.0.1:{free_port}/simple',
    )
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    assert 'no package index can be reached' in result.stderr
    assert '.venv/log/pip.log' in result.stderr


def test_other_errors_of_pip_are_quoted(tmp_path: Path) -> None:
    log = tmp_path / 'pip.log'
    log.write_text('Collecting numpy\nERROR: No matching distribution found for numpy==0\nhint\n')
    result = call(ROOT, f'explain_pip "{log}"')
    assert result.stdout == 'ERROR: No matching distribution found for numpy==0\n'


def test_check_says_no_and_leaves_nothing_behind(checkout: Path) -> None:
    before = sorted(checkout.rglob('*'))
    result = subprocess.run(
        [checkout / 'ros_wheels' / 'bootstrap', '--check'],
        env=clean_environment(),
        timeout=60,
        check=False,
    )
    assert result.returncode == 1
    assert sorted(checkout.rglob('*')) == before


def test_an_environment_of_somebody_else_is_left_alone(checkout: Path) -> None:
    (checkout / '.venv').mkdir()
    (checkout / '.venv' / 'pyvenv.cfg').touch()
    result = call(checkout, 'main')
    assert result.returncode == 1
    assert '.venv was not made by this script' in result.stderr
    assert [path.name for path in (checkout / '.venv').iterdir()] == ['pyvenv.cfg']


def test_an_environment_behind_a_link_is_left_alone(checkout: Path, tmp_path: Path) -> None:
    other = tmp_path / 'other'
    (other / '.stamps').mkdir(parents=True)
    (other / 'kept').touch()
    (checkout / '.venv').symlink_to(other)
    result = call(checkout, 'main')
    assert result.returncode == 1 and 'is a link' in result.stderr
    assert sorted(path.name for path in other.iterdir()) == ['.stamps', 'kept']


def test_a_second_run_waits_for_the_first(checkout: Path) -> None:
    (checkout / '.venv').mkdir()
    with (checkout / '.venv' / '.lock').open('w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run = subprocess.Popen(
            ['bash', '-c', '. ros_wheels/bootstrap; check_system() { exit 7; }; main'],
            cwd=checkout,
            env=clean_environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert run.stdout is not None
        with run.stdout:
            assert 'another run is at work' in run.stdout.readline()
            assert run.poll() is None
            fcntl.flock(lock, fcntl.LOCK_UN)
            assert run.wait(timeout=60) == 7


def stamp(root: Path, stage: str) -> str:
    return call(root, f'stamp_of {stage}').stdout


@pytest.mark.parametrize(
    ('changed', 'stages'),
    [
        ('ros_wheels/requirements.txt', {'ros', 'interfaces'}),
        ('ros_wheels/constraints.txt', {'ros', 'interfaces', 'product'}),
        ('ros_wheels/src/nav2_msgs/action/Spin.action', {'interfaces'}),
        ('interfaces/semantic_nav_msgs/action/Find.action', {'interfaces'}),
        ('ros_wheels/src/tf2_ros/tf2_ros/buffer.py', {'modules'}),
        ('requirements-robot.txt', {'product'}),
        ('ros_wheels/env.sh', set()),
    ],
)
def test_a_change_repeats_the_stages_it_concerns(
    checkout: Path, changed: str, stages: set[str]
) -> None:
    every = ('venv', 'ros', 'interfaces', 'modules', 'product')
    before = {stage: stamp(checkout, stage) for stage in every}
    with (checkout / changed).open('a') as file:
        file.write('\n# changed\n')
    assert {stage for stage in every if stamp(checkout, stage) != before[stage]} == stages


@pytest.mark.parametrize(
    ('mode', 'everything', 'last'),
    [
        ('sourced', '', 'product'),
        ('sourced', 'yes', 'extras'),
        ('wheels', '', 'product'),
        ('wheels', 'yes', 'product'),
    ],
)
def test_a_robot_gets_simulator_and_test_tools_on_request(
    mode: str, everything: str, last: str
) -> None:
    assert call(ROOT, f'mode={mode} all={everything}; stages').stdout.split()[-1] == last


def test_a_new_interface_repeats_its_stage(checkout: Path) -> None:
    before = stamp(checkout, 'interfaces')
    (checkout / 'ros_wheels' / 'src' / 'tf2_msgs' / 'msg' / 'New.msg').touch()
    assert stamp(checkout, 'interfaces') != before


@pytest.mark.parametrize('stage', ['venv', 'ros', 'interfaces', 'product'])
def test_another_distribution_repeats_everything(checkout: Path, stage: str) -> None:
    def told(**environment: str) -> str:
        return call(checkout, f'stamp_of {stage}', **environment).stdout
    jazzy, kilted = told(), told(ROS_DISTRO_WHEELS='kilted')
    assert kilted != jazzy == told(ROS_DISTRO_WHEELS='jazzy')
    with (checkout / 'ros_wheels' / 'kilted' / 'requirements.txt').open('a') as file:
        file.write('# changed\n')
    assert told() == jazzy
    assert (told(ROS_DISTRO_WHEELS='kilted') != kilted) == (stage in ('ros', 'interfaces'))


def test_a_distribution_without_wheels_is_refused(checkout: Path) -> None:
    result = call(checkout, 'main', ROS_DISTRO_WHEELS='iron')
    assert result.returncode == 1
    assert 'ROS_DISTRO_WHEELS is iron; wheels are pinned for jazzy and kilted' in result.stderr
    assert not (checkout / '.venv').exists()


def test_a_moved_checkout_repeats_everything(checkout: Path) -> None:
    before = stamp(checkout, 'venv')
    moved = checkout.rename(checkout.with_name('moved'))
    assert stamp(moved, 'venv') != before


# --- env.sh -------------------------------------------------------------------------------------


@pytest.fixture(params=['bash', 'sh'])
def shell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def wheels(checkout: Path) -> Path:
    """Return a checkout whose environment looks as if it held ROS."""
    for folder in ('bin', 'lib/python3.12/site-packages/ros_rcl.libs', 'share/rclpy'):
        (checkout / '.venv' / folder).mkdir(parents=True)
    python = checkout / '.venv' / 'bin' / 'python'
    python.touch()
    python.chmod(0o755)
    return checkout


def source(
    shell: str, root: Path, times: int = 1, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Source env.sh from another directory and print the environment."""
    commands = f'. "{root}/ros_wheels/env.sh" && ' * times + 'env'
    return subprocess.run(
        [shell, '-c', commands],
        cwd='/',
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def variables(result: subprocess.CompletedProcess[str]) -> dict[str, str]:
    assert result.returncode == 0, result.stderr
    assert result.stderr == ''
    return dict(line.split('=', 1) for line in result.stdout.splitlines() if '=' in line)


def of_checkout(root: Path) -> str:
    """Return where Python finds the packages of a checkout."""
    return f'{root}:{root}/semantic_nav_sim'


def test_env_with_wheels(shell: str, wheels: Path) -> None:
    found = variables(source(shell, wheels))
    venv = f'{wheels}/.venv'
    assert found['PATH'].split(':')[0] == f'{venv}/bin'
    assert found['AMENT_PREFIX_PATH'] == venv
    assert found['LD_LIBRARY_PATH'].split(':')[0] == f'{venv}/lib'
    assert found['LD_LIBRARY_PATH'].split(':')[1].endswith('ros_rcl.libs')
    assert found['PYTHONPATH'] == of_checkout(wheels)
    assert found['RMW_IMPLEMENTATION'] == 'rmw_fastrtps_cpp'
    assert found['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
    assert found['MUJOCO_GL'] == 'egl'
    assert not [name for name in found if name.startswith('_sn')]


def test_env_twice_is_env_once(shell: str, wheels: Path) -> None:
    def interesting(found: dict[str, str]) -> dict[str, str]:
        return {name: value for name, value in found.items() if name not in ('_', 'SHLVL')}

    once, twice = source(shell, wheels), source(shell, wheels, times=2)
    assert interesting(variables(once)) == interesting(variables(twice))


def test_env_keeps_what_the_caller_chose(shell: str, wheels: Path) -> None:
    found = variables(
        source(
            shell,
            wheels,
            MUJOCO_GL='osmesa',
            ROS_AUTOMATIC_DISCOVERY_RANGE='SUBNET',
            PYTHONPATH='/mine:/also mine',
        )
    )
    assert found['MUJOCO_GL'] == 'osmesa'
    assert found['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'SUBNET'
    assert found['PYTHONPATH'] == f'{of_checkout(wheels)}:/mine:/also mine'
    assert 'MUJOCO_GL' not in variables(source(shell, wheels, DISPLAY=':0'))


def test_env_leaves_a_sourced_ros_alone(shell: str, wheels: Path, tmp_path: Path) -> None:
    shutil.rmtree(wheels / '.venv' / 'share')
    overlay = tmp_path / 'overlay'
    (overlay / 'share' / 'ament_index' / 'resource_index' / 'packages').mkdir(parents=True)
    ros = {
        'ROS_DISTRO': 'jazzy',
        'AMENT_PREFIX_PATH': f'{overlay}:/opt/ros/jazzy',
        'LD_LIBRARY_PATH': '/opt/ros/jazzy/lib',
        'PYTHONPATH': '/opt/ros/jazzy/lib/python3.12/site-packages',
        'RMW_IMPLEMENTATION': 'rmw_zenoh_cpp',
    }
    found = variables(source(shell, wheels, **ros))
    assert {name: found[name] for name in ros if name != 'PYTHONPATH'} == {
        name: value for name, value in ros.items() if name != 'PYTHONPATH'
    }
    assert found['PYTHONPATH'] == f'{of_checkout(wheels)}:{ros["PYTHONPATH"]}'
    assert 'ROS_AUTOMATIC_DISCOVERY_RANGE' not in found

    (overlay / 'share/ament_index/resource_index/packages/semantic_nav').touch()
    assert variables(source(shell, wheels, **ros))['PYTHONPATH'] == ros['PYTHONPATH']


def test_env_without_an_environment_is_one_line(shell: str, checkout: Path) -> None:
    result = source(shell, checkout)
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    assert f'run {checkout}/ros_wheels/bootstrap first' in result.stderr


def test_env_in_a_strict_shell(wheels: Path) -> None:
    commands = f'set -euo pipefail; . "{wheels}/ros_wheels/env.sh"; echo fine'
    result = subprocess.run(
        ['bash', '-c', commands],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (result.stdout, result.stderr) == ('fine\n', '')


def test_a_free_port_is_free(free_port: int) -> None:
    with socket.create_server(('127.0.0.1', free_port)):
        pass
