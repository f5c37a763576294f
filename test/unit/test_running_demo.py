"""The file by which a demo tells other commands where it is."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from semantic_nav.cli import mission, places
from semantic_nav.cli.doctor import _hypothesis_config
from semantic_nav.cli.vlm import config_of, parse
from semantic_nav.client.running_demo import RunningDemo, meant, robot_reached, told, with_server
from semantic_nav.contracts.errors import ConfigError
from semantic_nav_sim.running.isolation import isolated

DEMO = RunningDemo(92, 'http://127.0.0.1:18643', 'qwen2.5vl:7b', '/run/memory.sqlite', '', '/run')
SERVER = 'http://127.0.0.1:18999'
SHELL = ('ROS_DOMAIN_ID', 'ROS_AUTOMATIC_DISCOVERY_RANGE', 'OLLAMA_HOST', 'OLLAMA_PORT',
         'VLM_BACKEND')


@pytest.fixture(autouse=True)
def _shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('ROS_HOME', str(tmp_path))
    for name in SHELL:
        monkeypatch.delenv(name, raising=False)


def test_a_command_reaches_the_demo_that_runs() -> None:
    said: list[str] = []
    with told(DEMO, said.append), robot_reached('', said.append):
        assert meant() == DEMO
        assert [os.environ.get(name) for name in SHELL[:2]] == ['92', 'LOCALHOST']
        assert with_server({}, said.append)['OLLAMA_HOST'] == DEMO.base_url
    assert [os.environ.get(name) for name in SHELL] == [None] * 5
    assert ['in ROS domain 92' in said[0], DEMO.base_url in said[1]] == [True, True]
    assert meant() is None


def test_what_the_shell_says_itself_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('ROS_DOMAIN_ID', '0')
    said: list[str] = []
    with told(DEMO, said.append):
        with robot_reached('', said.append):
            assert os.environ['ROS_DOMAIN_ID'] == '0'
            assert 'OLLAMA_HOST' not in with_server({}, said.append)
        monkeypatch.setenv('ROS_DOMAIN_ID', '92')
        monkeypatch.setenv('OLLAMA_HOST', 'http://127.0.0.1:11434')
        with robot_reached('', said.append):
            assert with_server({}, said.append)['OLLAMA_HOST'] == 'http://127.0.0.1:11434'
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


@pytest.fixture
def two_demos() -> Iterator[None]:
    with told(replace(DEMO, domain=92), print), told(replace(DEMO, domain=17), print):
        yield


@pytest.mark.usefixtures('two_demos')
def test_of_several_the_shell_chooses(monkeypatch: pytest.MonkeyPatch,
                                      capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError, match='2 demos run here: .*17 for /run or 92 for /run'):
        meant()
    assert mission.status([]) == 1
    assert 'status: 2 demos run here' in capsys.readouterr().err
    monkeypatch.setenv('ROS_DOMAIN_ID', '17')
    with robot_reached('', print):
        assert os.environ['ROS_DOMAIN_ID'] == '17'


@pytest.mark.usefixtures('two_demos')
def test_what_a_command_names_itself_needs_no_choice(monkeypatch: pytest.MonkeyPatch,
                                                     capsys: pytest.CaptureFixture[str]) -> None:
    with robot_reached('robot1', print):
        assert os.environ.get('ROS_DOMAIN_ID') is None
    for words in (['--base-url', SERVER], ['-p', f'base_url:={SERVER}'], ['--backend', 'openai']):
        assert config_of(parse([*words, 'ping'])).base_url != DEMO.base_url
    assert config_of(parse(['discover'])).base_url != DEMO.base_url
    with pytest.raises(ConfigError, match='2 demos'):
        config_of(parse(['ping']))
    monkeypatch.setenv('OLLAMA_HOST', SERVER)
    assert config_of(parse(['ping'])).base_url == SERVER
    with pytest.raises(SystemExit, match='0'):
        mission.status(['--help'])
    assert 'demos' not in ''.join(capsys.readouterr())


def test_places_that_are_named_are_not_those_of_the_demo(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with told(DEMO, print):
        for words, file in (([], DEMO.memory), (['--db', '/my.sqlite'], '/my.sqlite'),
                            (['--namespace', 'robot1'],
                             f'{tmp_path}/semantic_nav/memory.robot1.sqlite')):
            assert places.main(['list', *words]) == 1
            assert f'there is no memory {file};' in capsys.readouterr().err


@pytest.mark.parametrize('namespace', ['', 'robot1'])
def test_doctor_of_a_named_robot_looks_at_no_demo(namespace: str) -> None:
    with told(DEMO, print):
        of_demo = _hypothesis_config(None, namespace).base_url == DEMO.base_url
        assert of_demo is not bool(namespace)


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
