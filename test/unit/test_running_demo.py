"""The file by which a demo tells other commands where it is."""

import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from semantic_nav.cli.command import command
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.running.isolation import isolated
from semantic_nav.running.running_demo import RunningDemo, meant, reached, told

DEMO = RunningDemo(92, 'http://127.0.0.1:18643', 'qwen2.5vl:7b', '/run/memory.sqlite', '', '/run')
SHELL = ('ROS_DOMAIN_ID', 'ROS_AUTOMATIC_DISCOVERY_RANGE', 'OLLAMA_HOST', 'OLLAMA_PORT',
         'VLM_BACKEND')


@pytest.fixture(autouse=True)
def _shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('ROS_HOME', str(tmp_path))
    for name in SHELL:
        monkeypatch.delenv(name, raising=False)


def test_a_command_speaks_to_the_demo_that_runs() -> None:
    said: list[str] = []
    with told(DEMO, said.append), reached(said.append):
        assert meant() == DEMO
        assert [os.environ.get(name) for name in SHELL] == [
            '92', 'LOCALHOST', 'http://127.0.0.1:18643', None, None]
    assert [os.environ.get(name) for name in SHELL] == [None] * 5
    assert len(said) == 1 and 'in ROS domain 92' in said[0]
    assert meant() is None


def test_what_the_shell_says_itself_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('ROS_DOMAIN_ID', '0')
    said: list[str] = []
    with told(DEMO, said.append):
        with reached(said.append):
            assert os.environ['ROS_DOMAIN_ID'] == '0' and 'OLLAMA_HOST' not in os.environ
        monkeypatch.setenv('ROS_DOMAIN_ID', '92')
        monkeypatch.setenv('OLLAMA_HOST', 'http://127.0.0.1:11434')
        with reached(said.append):
            assert os.environ['OLLAMA_HOST'] == 'http://127.0.0.1:11434'
            assert meant() == DEMO
    assert not said


def test_one_that_was_killed_is_none(tmp_path: Path) -> None:
    with told(DEMO, print):
        [file] = tmp_path.rglob('*.json')
        left = file.read_text()
    file.write_text(left)
    assert meant() is None
    file.write_text('no JSON')
    with told(DEMO, print):
        assert meant() == DEMO


def test_of_several_the_shell_chooses(monkeypatch: pytest.MonkeyPatch,
                                      capsys: pytest.CaptureFixture[str]) -> None:
    def ask(args: list[str] | None) -> int:
        del args
        return int(os.environ['ROS_DOMAIN_ID'])

    ask.__module__ = 'semantic_nav.cli.ask'
    with ExitStack() as both:
        for domain in (92, 17):
            both.enter_context(told(replace(DEMO, domain=domain), print))
        with pytest.raises(ConfigError, match='2 demos run here: .*17 for /run or 92 for /run'):
            meant()
        assert command(ask)([]) == 1
        assert 'ask: 2 demos run here' in capsys.readouterr().err
        monkeypatch.setenv('ROS_DOMAIN_ID', '17')
        assert command(ask)([]) == 17


def test_where_it_cannot_be_told_the_demo_goes_on(tmp_path: Path) -> None:
    (tmp_path / 'semantic_nav').write_text('a file')
    said: list[str] = []
    with told(DEMO, said.append):
        assert meant() is None
    assert 'other commands do not know of this demo' in said[0]


@pytest.mark.parametrize('words', ['one', '-1', '102', '1.0', '²'])
def test_a_domain_that_is_none_is_refused(words: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='ROS_DOMAIN_ID is'), isolated(tmp_path, words):
        pass


def test_the_domain_of_the_shell_is_that_of_the_demo(tmp_path: Path) -> None:
    with isolated(tmp_path, '42'):
        assert os.environ['ROS_DOMAIN_ID'] == '42'
