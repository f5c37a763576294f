"""`python -m semantic_nav`: what is offered is there, and errors are one line."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from semantic_nav.__main__ import COMMANDS

PACKAGE = Path(__file__).parents[2] / 'semantic_nav'


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, '-m', 'semantic_nav', *arguments], cwd=PACKAGE.parent,
                          capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize('name', COMMANDS)
def test_command_that_is_offered_is_there(name: str) -> None:
    """Read, not imported: some of them need ROS."""
    tree = ast.parse((PACKAGE / 'cli' / f'{name}.py').read_text(encoding='utf-8'))
    mains = [node for node in tree.body
             if isinstance(node, ast.FunctionDef) and node.name == 'main']
    assert len(mains) == 1 and ast.get_docstring(mains[0])
    assert ast.get_docstring(tree).startswith(f'`{name}`')


@pytest.mark.parametrize('arguments', [(), ('dance',), ('--help',)])
def test_usage_lists_the_commands(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2 and 'usage' in done.stderr
    for name, purpose in COMMANDS.items():
        assert name in done.stderr and purpose in done.stderr


@pytest.mark.slow
def test_known_error_is_one_line_and_code_1(tmp_path: Path) -> None:
    done = run('replay', str(tmp_path / 'nothing'))
    assert done.returncode == 1
    assert done.stderr.startswith('replay: ') and done.stderr.count('\n') == 1
