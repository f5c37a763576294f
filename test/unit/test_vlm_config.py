"""The parameters, and the wall around this machine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.contracts.parameters import build, specs
from semantic_nav.vlm.config import BoxConvention, HypothesisConfig, local_server


@pytest.mark.parametrize(('url', 'server'), [
    ('http://localhost:11434', 'http://localhost:11434'),
    ('http://localhost', 'http://localhost:80'),
    ('https://localhost/', 'https://localhost:443'),
    ('http://127.0.0.1:8080', 'http://127.0.0.1:8080'),
    ('http://127.9.8.7:1', 'http://127.9.8.7:1'),
    ('http://[::1]:11434', 'http://[::1]:11434'),
    ('HTTP://LOCALHOST:11434', 'http://localhost:11434'),
])
def test_servers_on_this_machine(url: str, server: str) -> None:
    assert local_server(url) == server
    assert HypothesisConfig(base_url=url).server == server


@pytest.mark.parametrize('url', [
    '', 'localhost:11434', 'http://', 'http://:11434', 'ftp://localhost', 'file:///etc/passwd',
    'http://192.168.1.5:11434', 'http://10.0.0.1', 'http://0.0.0.0:11434', 'http://[::]:11434',
    'http://example.com', 'https://api.openai.com/v1', 'http://localhost.example.com',
    'http://127.0.0.1.example.com', 'http://localhost.', 'http://127.1', 'http://2130706433',
    'http://0x7f000001', 'http://[::ffff:8.8.8.8]', 'http://user:secret@localhost:11434',
    'http://localhost:11434@example.com', 'http://localhost\\@example.com', 'http://@localhost',
    'http://example.com#@localhost', 'http://localhost#example.com', 'http://localhost?x',
    'http://localhost/v1', 'http://localhost:99999', 'http://localhost:port', 'http://local host',
    'http://localhost\n', 'http://lоcalhost',  # noqa: RUF001 (Cyrillic)
    'http://[::1', 'http://１２７.0.0.1',  # noqa: RUF001
])
def test_other_machines_are_refused(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build(HypothesisConfig, {'base_url': url})
    assert repr(url) in str(caught.value)


@given(st.text(max_size=30).map(lambda text: f'http://{text}') | st.text(max_size=30))
def test_any_text_is_a_server_here_or_an_error(url: str) -> None:
    try:
        server = local_server(url)
    except ConfigError:
        return
    assert local_server(server) == server


@pytest.mark.parametrize(('backend', 'model', 'wanted', 'boxes'), [
    ('ollama', 'qwen2.5vl:7b', 'auto', BoxConvention.PIXELS),
    ('ollama', 'library/Qwen2.5-VL-3B', 'auto', BoxConvention.PIXELS),
    ('ollama', 'qwen3-vl:8b', 'auto', BoxConvention.PERMILLE),
    ('ollama', 'gemma3:4b', 'auto', BoxConvention.PERMILLE),
    ('ollama', 'gemma3:4b', 'pixels', BoxConvention.PIXELS),
    ('ollama', 'qwen2.5vl:7b', 'permille', BoxConvention.PERMILLE),
    ('mock', 'qwen2.5vl:7b', 'auto', BoxConvention.PERMILLE),
])
def test_the_box_convention_goes_by_the_family(backend: str, model: str, wanted: str,
                                               boxes: BoxConvention) -> None:
    config = HypothesisConfig(vlm_backend=backend, model=model, box_convention=wanted)
    assert config.boxes is boxes


@pytest.mark.parametrize(('name', 'value'), [
    ('vlm_backend', 'cloud'), ('max_retries', 3), ('max_retries', -1), ('temperature', -0.1),
    ('model', ' '), ('num_ctx', 512), ('jpeg_quality', 100), ('box_convention', 'yolo'),
    ('num_predict', 10.5), ('think', 'no')])
def test_a_wrong_value_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=name):
        build(HypothesisConfig, {name: value})


def test_the_defaults_are_valid() -> None:
    assert build(HypothesisConfig, {name: default for name, (default, _)
                                    in specs(HypothesisConfig).items()}) == HypothesisConfig()
