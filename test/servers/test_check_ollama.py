"""`make test-ollama` itself, against the stand-in for an Ollama server."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from model_stand_in import model_server

CHECK = Path(__file__).parent / 'check_ollama.py'
ROOT = CHECK.parents[2]
VARIABLE = 'SEMANTIC_NAV_TEST_OLLAMA'


@pytest.fixture
def url() -> Iterator[str]:
    with model_server() as running:
        yield running


def run(command: list[str], **environ: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != VARIABLE}
    return subprocess.run(command, cwd=ROOT, env={**kept, **environ}, capture_output=True,
                          text=True, check=False)


def test_the_check_passes_on_a_server_that_keeps_the_protocol(url: str) -> None:
    done = run([sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', str(CHECK)],
               **{VARIABLE: url})
    assert done.returncode == 0, done.stdout
    assert '4 passed' in done.stdout


def test_without_a_server_the_check_is_off() -> None:
    done = run(['make', '--no-print-directory', 'test-ollama'])
    assert done.returncode == 0, done.stderr
    assert f'{VARIABLE}=http://localhost:11434' in done.stdout
