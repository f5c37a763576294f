"""The command `vlm` against a real llama.cpp server with a real, very small model."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from llama_cpp import WINDOW, LlamaCpp, llama_cpp
from PIL import Image

from semantic_nav.cli.vlm import main
from semantic_nav.vlm.looker import EXAMPLE_GOAL, example_picture
from semantic_nav_sim.ports import free_port


@pytest.fixture(scope='module')
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaCpp]:
    with llama_cpp(tmp_path_factory.mktemp('llama'), free_port(), slots=1) as running:
        yield running


def vlm(server: LlamaCpp, *arguments: str) -> int:
    """Run it with a prompt and a reply that fit into the small window together."""
    return main([*arguments, '--backend', 'openai', '--model', 'smollm2', '--base-url', server.url,
                 '-p', 'num_predict:=32', '-p', 'token_reserve:=0', '-p', 'max_retries:=0'])


def test_it_is_discovered(server: LlamaCpp, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['discover', '--base-url', server.url]) == 0
    out = capsys.readouterr().out
    assert f'{server.url}: llama.cpp' in out and f'{WINDOW} tokens' in out
    assert f'  vlm_backend: openai\n  model: smollm2\n  base_url: {server.url}\n' in out


def test_ask_shows_what_a_real_reply_lacks(server: LlamaCpp, tmp_path: Path,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    """32 tokens are never a whole hypothesis; more would take minutes here."""
    image = tmp_path / 'mug.png'
    Image.fromarray(example_picture()).save(image)
    assert vlm(server, 'ask', str(image), EXAMPLE_GOAL, '--deadline', '120') == 1
    said = capsys.readouterr()
    assert 'sees pictures   yes' in said.out and '32 written, finish reason length' in said.out
    assert '"action"' in said.out and 'hypothesis, by the fallback' in said.out
    assert 'cut off after 32 tokens' in said.err and said.err.count('\n') == 1


def test_ping_is_not_content_with_a_server_that_is_there(
        server: LlamaCpp, capsys: pytest.CaptureFixture[str]) -> None:
    assert vlm(server, 'ping') == 1
    said = capsys.readouterr()
    assert 'sees pictures   yes' in said.out
    assert 'smollm2 answers, but no reply passes' in said.err
    assert 'cut off after 32 tokens' in said.err and said.err.count('\n') == 1


def test_guard_leaves_the_server_alone(server: LlamaCpp,
                                       capsys: pytest.CaptureFixture[str]) -> None:
    before = server.get('/slots')
    assert vlm(server, 'guard') == 0
    assert 'requests made for it: 0' in capsys.readouterr().out
    assert server.get('/slots') == before


def test_truncate_finds_that_it_refuses_in_words(server: LlamaCpp,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    assert vlm(server, 'truncate') == 0
    assert 'exceeds the available context size' in capsys.readouterr().out
