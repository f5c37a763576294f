"""The Makefile hands words on as they are."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(shutil.which('make') is None, reason='make is not installed')


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout whose program only tells its arguments."""
    shutil.copy(ROOT / 'Makefile', tmp_path)
    (tmp_path / 'ros_wheels').mkdir()
    bootstrap = tmp_path / 'ros_wheels' / 'bootstrap'
    bootstrap.write_text('#!/bin/sh\n')
    bootstrap.chmod(0o755)
    (tmp_path / 'ros_wheels' / 'env.sh').write_text(f'python() {{ "{sys.executable}" "$@"; }}\n')
    (tmp_path / 'semantic_nav').mkdir()
    (tmp_path / 'semantic_nav' / '__main__.py').write_text(
        'import json, sys\nprint(json.dumps(sys.argv[1:]))\n'
    )
    return tmp_path


def demo(checkout: Path, *arguments: str, **environment: str) -> list[str]:
    result = subprocess.run(
        ['make', '--no-print-directory', 'demo', *arguments],
        cwd=checkout,
        env={'PATH': os.environ['PATH'], **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(result.stdout.splitlines()[-1])


def test_demo_has_defaults(checkout: Path) -> None:
    assert demo(checkout) == [
        *('demo', '--goal', 'find the red mug', '--seed', '4', '--out', 'out/demo'),
    ]


@pytest.mark.parametrize(
    'goal',
    [
        'somewhere to sit near the window',
        'the "good" chair',
        "the dog's bowl",
        'cheaper than $5 or $(SHELL)',
        '; touch broken #',
        '`touch broken`',
        'a\\b',
    ],
)
@pytest.mark.parametrize('by_environment', [False, True])
def test_any_words_are_a_goal(checkout: Path, goal: str, by_environment: bool) -> None:
    if by_environment:
        arguments = demo(checkout, GOAL=goal)
    else:
        arguments = demo(checkout, f'GOAL={goal}')
    assert arguments[arguments.index('--goal') + 1] == goal
    assert not (checkout / 'broken').exists()


def test_a_world_is_named_only_where_one_is_given(checkout: Path) -> None:
    assert '--world' not in demo(checkout, WORLD='')
    arguments = demo(checkout, WORLD='my flat')
    assert arguments[arguments.index('--world') + 1] == 'my flat'


@pytest.mark.parametrize('out', ['', ' '])
@pytest.mark.parametrize('by_environment', [False, True])
def test_a_run_goes_to_its_usual_folder_where_none_is_named(
    checkout: Path, out: str, by_environment: bool
) -> None:
    arguments = demo(checkout, OUT=out) if by_environment else demo(checkout, f'OUT={out}')
    assert arguments[arguments.index('--out') + 1] == 'out/demo'


def test_help_names_every_target() -> None:
    result = subprocess.run(
        ['make', '--no-print-directory'], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for target in ('demo', 'test', 'test-unit', 'lint', 'clean'):
        assert f'make {target} ' in result.stdout
