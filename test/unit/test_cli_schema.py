"""`schema` on a copy of the package: it names the files that differ, and writes these alone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from semantic_nav.contracts.schema_writer import schema_files

ROOT = Path(__file__).parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for part in ('schema', 'semantic_nav/contracts', 'semantic_nav/cli', 'semantic_nav/bringup'):
        shutil.copytree(ROOT / part, tmp_path / part)
    for file in ('__init__.py', '__main__.py'):
        shutil.copy(ROOT / 'semantic_nav' / file, tmp_path / 'semantic_nav' / file)
    return tmp_path


def run(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    others = os.environ.get('PYTHONPATH', '').split(os.pathsep)
    return subprocess.run(
        [sys.executable, '-m', 'semantic_nav', 'schema', *arguments], cwd=copy, text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(copy), *others])},
        capture_output=True, check=False, timeout=60)


def texts(copy: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (copy / 'schema').iterdir()}


def test_new_field_reaches_its_schema_and_no_other_file(copy: Path) -> None:
    before = texts(copy)
    agreed = run(copy)
    assert agreed.returncode == 0
    assert agreed.stdout.split()[0] == str(len(schema_files())) and agreed.stdout.count('\n') == 1
    source = copy / 'semantic_nav/contracts/documents/looks.py'
    before_field, field, after_field = source.read_text().partition('    taken: bool\n')
    source.write_text(f'{before_field}{field}    heard_a_click: bool\n{after_field}')
    told = run(copy)
    assert told.returncode == 1 and told.stdout.startswith('look.schema.json differs')
    assert '--write' in told.stdout and texts(copy) == before
    assert run(copy, '--write').returncode == 0
    after = texts(copy)
    assert {name for name in before if after[name] != before[name]} == {'look.schema.json'}
    assert '"heard_a_click"' in after['look.schema.json'] and run(copy).returncode == 0
