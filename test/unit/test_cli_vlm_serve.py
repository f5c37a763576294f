"""`vlm serve` with a program that stands in for Ollama's, over real HTTP."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from model_stand_in import MODEL, model_server

from semantic_nav.cli.vlm import main
from semantic_nav_sim.ports import free_port

pytestmark = pytest.mark.slow
OTHER = 'qwen3-vl:4b'
#: Ollama's program, as far as it is asked for: it listens where OLLAMA_HOST says.
PROGRAM = f"""#!/bin/sh
[ "$1" = serve ] || exit 9
exec {sys.executable} -m semantic_nav_sim.model_server --eyes-url http://127.0.0.1:9 \\
  --host "${{OLLAMA_HOST%:*}}" --port "${{OLLAMA_HOST##*:}}" --model {MODEL}
"""


def install(folder: Path, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / 'ollama'
    path.write_text(program)
    path.chmod(0o755)
    monkeypatch.setenv('PATH', f'{folder}:{os.environ["PATH"]}')


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch
            ) -> Iterator[tuple[subprocess.Popen[str], str]]:
    install(tmp_path, PROGRAM, monkeypatch)
    url = f'http://127.0.0.1:{free_port()}'
    process = subprocess.Popen(
        [sys.executable, '-m', 'semantic_nav', 'vlm', 'serve', '--base-url', url, '--model',
         OTHER],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    yield process, url
    process.kill()
    process.communicate()


def test_a_server_is_started_gets_the_model_and_ends_with_us(
        running: tuple[subprocess.Popen[str], str], capsys: pytest.CaptureFixture[str]) -> None:
    process, url = running
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line.strip())
        if line.endswith('is here\n'):
            break
    assert said[0] == f'ollama answers at {url}' and said[1] == f'fetching {OTHER}'
    assert said[-2].startswith(f'fetching {OTHER}: 100 % of ') and said[-1] == f'{OTHER} is here'
    # Another one finds both there, and ends.
    assert main(['serve', '--base-url', url, '--model', OTHER]) == 0
    assert capsys.readouterr().out == (
        f'ollama answers at {url} already\n{OTHER} is here\n')
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 128 + signal.SIGTERM
    assert main(['models', 'list', '--base-url', url]) == 1


def test_a_server_that_ends_before_it_answers_is_told(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    install(tmp_path, '#!/bin/sh\nexit 7\n', monkeypatch)
    url = f'http://127.0.0.1:{free_port()}'
    assert main(['serve', '--base-url', url]) == 1
    assert capsys.readouterr().err == 'vlm: ollama serve ended with code 7 before it answered\n'


def test_what_cannot_be_started_is_told(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv('PATH', str(tmp_path))
    url = f'http://127.0.0.1:{free_port()}'
    for options, words in (
            (['--base-url', url], 'is not installed'),
            (['--backend', 'openai'], 'start a server of openai yourself'),
            (['--base-url', 'http://192.0.2.1:11434', '-p', 'allowed_hosts:=192.0.2.1',
              '-p', 'request_timeout_s:=0.2'], 'on this machine only')):
        assert main(['serve', *options]) == 1
        said = capsys.readouterr().err
        assert words in said and said.count('\n') == 1


def test_a_server_that_is_there_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    with model_server() as url:
        assert main(['serve', '--base-url', url]) == 0
        assert capsys.readouterr().out.endswith(f'{MODEL} is here\n')
