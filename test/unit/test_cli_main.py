"""`python -m semantic_nav`: what is offered is there, and errors are one line."""

import ast
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from semantic_nav.__main__ import COMMANDS, module_of

PACKAGE = Path(__file__).parents[2] / 'semantic_nav'


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, '-m', 'semantic_nav', *arguments], cwd=PACKAGE.parent,
                          capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize('name', COMMANDS)
def test_command_that_is_offered_is_there(name: str) -> None:
    """Read, not imported: some of them need ROS."""
    package, _, rest = module_of(name).partition('.')
    path = Path(find_spec(package).origin).parent / f'{rest.replace(".", "/")}.py'
    tree = ast.parse(path.read_text(encoding='utf-8'))
    mains = [node for node in tree.body
             if isinstance(node, ast.FunctionDef)
             and node.name == (name if path.stem == 'mission' else 'main')]
    assert len(mains) == 1 and ast.get_docstring(mains[0])
    # For the completion.
    assert any(isinstance(node, ast.FunctionDef) and node.name == 'make_parser'
               for node in tree.body)
    assert f'`{name}`' in ast.get_docstring(tree).partition('\n\n')[0]


@pytest.mark.parametrize(('arguments', 'code'), [((), 2), (('dance',), 2), (('--help',), 0)])
def test_usage_lists_the_commands(arguments: tuple[str, ...], code: int) -> None:
    done = run(*arguments)
    said, silent = (done.stderr, done.stdout) if code else (done.stdout, done.stderr)
    assert (done.returncode, silent) == (code, '')
    assert 'usage' in said
    for name, purpose in COMMANDS.items():
        assert name in said and purpose in said


def test_version_is_that_of_the_package() -> None:
    done = run('--version')
    assert (done.returncode, done.stderr) == (0, '')
    assert f'<version>{done.stdout.split()[1]}</version>' in (
        PACKAGE.parent / 'package.xml').read_text(encoding='utf-8')


def test_a_command_that_is_not_there_is_named() -> None:
    assert run('dance').stderr.startswith("semantic_nav: there is no command 'dance'\n")


@pytest.mark.parametrize('words', [('cancle',), ('--namespace', 'robot1', 'cancle'),
                                   ('--json', 'cancle')])
def test_what_is_like_a_command_is_asked_for(words: tuple[str, ...]) -> None:
    assert run(*words).stderr.startswith(
        "semantic_nav: there is no command 'cancle'; is 'cancel' meant?\n")


def test_option_with_a_value_is_shown_its_place() -> None:
    assert run('--seed', '4', 'demo').stderr.startswith(
        'semantic_nav: --seed and its value stand after the command: demo --seed 4\n')


def test_options_may_stand_before_the_command() -> None:
    done = run('--no-robot', 'doctor', '--namespace', 'x', '--self-check')
    assert (done.returncode, done.stderr) == (0, '')


def test_an_interrupt_is_one_line_also_while_a_command_is_still_loading(tmp_path: Path) -> None:
    (tmp_path / 'tqdm.py').write_text(
        'import signal\nprint("loading", flush=True)\nsignal.raise_signal(signal.SIGINT)\n')
    done = subprocess.run(
        [sys.executable, '-m', 'semantic_nav', 'replay', 'x'], cwd=PACKAGE.parent, text=True,
        capture_output=True, timeout=60, check=False,
        env={**os.environ, 'PYTHONPATH': f'{tmp_path}{os.pathsep}{os.environ["PYTHONPATH"]}'})
    assert done.stdout == 'loading\n'
    assert (done.returncode, done.stderr) == (130, 'replay: interrupted\n')


def test_a_shell_without_what_is_needed_is_told_how_to_get_it() -> None:
    # Without the site's packages, as in a new clone.
    done = subprocess.run(
        [sys.executable, '-S', '-m', 'semantic_nav', 'doctor'], cwd=PACKAGE.parent, text=True,
        capture_output=True, timeout=60, check=False, env={'PATH': os.environ['PATH']})
    assert done.returncode == 1
    assert done.stderr.startswith('doctor: this shell has no ')
    assert '`. ros_wheels/env.sh`' in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_robot_without_the_simulator_is_told_so() -> None:
    others = [path for path in sys.path if Path(path).name != 'semantic_nav_sim']
    done = subprocess.run(
        [sys.executable, '-m', 'semantic_nav', 'demo'], cwd=PACKAGE.parent, text=True,
        capture_output=True, timeout=60, check=False,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(others)})
    assert done.returncode == 1
    assert done.stderr.startswith('demo: belongs to semantic_nav_sim, which is not built here')


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    with subprocess.Popen(
            [sys.executable, '-m', 'semantic_nav', 'world', 'show', 'apartment'],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=PACKAGE.parent) as process:
        process.stdout.close()
        assert (process.stderr.read(), process.wait(60)) == (b'', 141)


@pytest.mark.slow
def test_known_error_is_one_line_and_code_1(tmp_path: Path) -> None:
    done = run('replay', str(tmp_path / 'nothing'))
    assert done.returncode == 1
    assert done.stderr.startswith('replay: ') and done.stderr.count('\n') == 1
