"""Keys and headers: where they come from, and that they are shown nowhere."""

import socket
from pathlib import Path

import pytest

from semantic_nav.contracts.codec import to_plain
from semantic_nav.contracts.errors import ConfigError
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.http.server import Server

KEYS = {'OPENAI_API_KEY': 'sk-environment', 'ANTHROPIC_API_KEY': 'ak-environment',
        'OLLAMA_API_KEY': 'ok-environment'}


def written(folder: Path, text: str) -> str:
    path = folder / 'secret'
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize('url', ['https://api.anthropic.com', 'http://robot-brain:11434',
                                 'http://93.184.216.34'])
def test_nobody_knocks_at_a_machine_that_is_not_near(url: str,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, 'create_connection', None)
    assert Server(url, frozenset(), 1.0, {}).listens()


def test_server_of_this_machine_is_seen_to_come_and_go(free_port: int) -> None:
    server = Server(f'http://127.0.0.1:{free_port}', frozenset(), 1.0, {})
    assert not server.listens()
    with socket.create_server(('127.0.0.1', free_port)):
        assert server.listens()


def test_a_server_without_keys_gets_none() -> None:
    config = HypothesisConfig()
    assert Server.of(config, KEYS) == Server('http://localhost:11434')


def test_extra_headers_come_from_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, '# for the gateway\nX-Robot: seven\n\nX-Token:  a:b \n')
    server = Server.of(HypothesisConfig(extra_headers_file=path), {})
    assert server.headers == {'x-robot': 'seven', 'x-token': 'a:b'}
    assert 'a:b' not in repr(server)
    assert 'a:b' not in str(to_plain(HypothesisConfig(extra_headers_file=path)))


def test_no_log_may_hold_what_its_headers_say(tmp_path: Path) -> None:
    config = HypothesisConfig(vlm_backend='openai', api_key_file=written(tmp_path, 'sk-file\n'))
    assert Server.of(config, KEYS).secrets == {'Bearer', 'sk-file'}
    assert Server.of(HypothesisConfig(), KEYS).secrets == set()


@pytest.mark.parametrize('text', ['secret', 'a b: secret', ': secret', 'X: s\x00ecret',
                                  'X: sécret'])
def test_a_file_of_headers_that_is_none_is_refused_without_its_words(tmp_path: Path,
                                                                     text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Server.of(HypothesisConfig(extra_headers_file=written(tmp_path, text)), {})
    assert 'ecret' not in str(caught.value).replace(str(tmp_path / 'secret'), '')


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='extra_headers_file'):
        Server.of(HypothesisConfig(extra_headers_file=str(tmp_path / 'no')), {})
