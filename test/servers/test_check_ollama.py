"""`make test-ollama` itself, against the stand-in for an Ollama server."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from semantic_nav.sim.model.card import ModelCard
from semantic_nav.sim.model.engine import Engine
from semantic_nav.sim.model.eyes import Sight
from semantic_nav.sim.model.http_server import ModelHttpServer

CHECK = Path(__file__).parent / 'check_ollama.py'
ROOT = CHECK.parents[2]
VARIABLE = 'SEMANTIC_NAV_TEST_OLLAMA'


class SeesNothing:
    """Eyes that are shut."""

    def look(self, picture: bytes) -> Sight:
        del picture
        return Sight(True, 64, 48, 'kitchen')


@pytest.fixture
def url() -> Iterator[str]:
    server = ModelHttpServer('127.0.0.1', 0, Engine(ModelCard('qwen2.5vl:7b'), SeesNothing()))
    thread = threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01})
    thread.start()
    yield server.url
    server.shutdown()
    server.server_close()
    thread.join()


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
