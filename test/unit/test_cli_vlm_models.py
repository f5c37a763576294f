"""`vlm models` with the real client of Ollama, against servers that stand in for Ollama."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from apis import Answer
from fake_ollama import Exchange, FakeOllama, fake_ollama, show, status
from model_stand_in import MODEL, model_server

from semantic_nav.cli.vlm import main

Said = Callable[..., tuple[int, str, str]]


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    with fake_ollama() as running:
        running.answers['/api/show'] = show('vision')
        running.answers['/api/tags'] = models(MODEL, 'spare:latest', 'old:1b')
        running.answers['/api/delete'] = says(None)
        running.answers['/api/generate'] = says({'response': '', 'done': True})
        yield running


@pytest.fixture
def manage(server: FakeOllama, capsys: pytest.CaptureFixture[str]) -> Said:
    """Return what runs `vlm models` and gives its exit code and what it said."""
    def run(what: str, *arguments: str, url: str = '') -> tuple[int, str, str]:
        code = main(['models', what, *arguments, '--base-url', url or server.url])
        said = capsys.readouterr()
        return code, said.out, said.err
    return run


def says(value: object) -> Answer:
    return lambda exchange: exchange.send(200, json.dumps(value).encode())


def models(*names: str) -> Answer:
    return says({'models': [{'model': name, 'size': 6_000_000_000, 'size_vram': 3_000_000_000}
                            for name in names]})


def asked(server: FakeOllama, path: str) -> list[dict[str, Any]]:
    return [body for at, _, body in server.requests if at == path]


def is_one_line(error: str) -> bool:
    return error.startswith('vlm: ') and error.count('\n') == 1


def test_list_tells_what_is_there_and_what_is_loaded(manage: Said, server: FakeOllama) -> None:
    server.answers['/api/ps'] = models(MODEL)
    code, out, _ = manage('list')
    assert code == 0
    assert [[cell.strip() for cell in line.split('|')] for line in out.splitlines()] == [
        ['model', 'size', 'loaded'],
        [MODEL, '6.0 GB', '6.0 GB, of which 3.0 GB on the GPU'],
        ['spare:latest', '6.0 GB', 'no'], ['old:1b', '6.0 GB', 'no']]


def test_pull_and_delete_with_the_stand_in(manage: Said) -> None:
    other = 'qwen3-vl:4b'
    with model_server() as url:
        code, out, error = manage('pull', other, url=url)
        assert (code, out) == (0, f'{other} is here\n') and '100%' in error
        assert other in manage('list', url=url)[1]
        code, out, error = manage('pull', 'nonesuch', url=url)
        assert (code, out) == (1, '') and 'file does not exist' in error
        assert manage('delete', other, url=url)[:2] == (0, f'{other} is deleted\n')
        assert other not in manage('list', url=url)[1]
        code, _, error = manage('delete', other, url=url)
        assert code == 1 and is_one_line(error) and 'not found' in error
        assert manage('prune', '--yes', url=url)[0] == 0
        assert MODEL in manage('list', url=url)[1]


def test_show_load_and_unload_with_the_stand_in(manage: Said) -> None:
    with model_server() as url:
        code, out, _ = manage('show', url=url)
        assert code == 0 and 'vision' in out and '128000' in out
        assert 'not loaded yet' not in manage('load', url=url)[1]
        assert 'on the GPU' in manage('list', url=url)[1]
        assert manage('unload', url=url)[:2] == (0, f'{MODEL} is unloaded\n')
        assert 'on the GPU' not in manage('list', url=url)[1]


def test_load_takes_the_window_of_the_node(manage: Said, server: FakeOllama) -> None:
    server.on_chat(status(500))
    assert manage('load', 'spare', '-p', 'num_ctx:=4096')[0] == 0
    [body] = server.loads
    assert (body['model'], body['options']['num_ctx']) == ('spare', 4096)


def test_load_tells_why_it_cannot(manage: Said, server: FakeOllama) -> None:
    server.on_chat(status(500))
    server.on_load = status(500, 'out of memory')
    code, _, error = manage('load')
    assert code == 1 and is_one_line(error) and 'out of memory' in error
    server.answers['/api/show'] = show()
    assert 'cannot see pictures' in manage('load')[2]


def progress(*parts: dict[str, Any]) -> Answer:
    def answer(exchange: Exchange) -> None:
        exchange.begin_stream()
        for part in parts:
            exchange.line(part)
    return answer


LAYER = {'status': 'pulling aaaa', 'digest': 'sha256:abcdef012345678', 'total': 4_000_000_000}
MANIFEST = {'status': 'pulling manifest'}


def test_pull_shows_how_far_it_is(manage: Said, server: FakeOllama) -> None:
    server.answers['/api/pull'] = progress(
        MANIFEST, LAYER, {**LAYER, 'completed': 1_000_000_000},
        {**LAYER, 'completed': 4_000_000_000}, {'status': 'success'})
    code, out, bar = manage('pull', 'spare')
    assert (code, out) == (0, 'spare is here\n')
    assert 'abcdef012345: 100%' in bar and '4.00G' in bar
    assert asked(server, '/api/pull')[0]['model'] == 'spare'


@pytest.mark.parametrize(('answer', 'words'), [
    (progress(MANIFEST, LAYER), "ended early, with 'pulling aaaa'"),
    (progress(MANIFEST, {'error': 'file does not exist'}), 'file does not exist'),
    (progress(), 'ended early'), (status(500, 'no space left'), 'no space left')])
def test_pull_fails_unless_it_came_to_its_end(manage: Said, server: FakeOllama, answer: Answer,
                                              words: str) -> None:
    server.answers['/api/pull'] = answer
    code, out, error = manage('pull')
    assert (code, out) == (1, '')
    last = error.splitlines()[-1]
    assert last.startswith('vlm: ') and words in last


def test_evict_unloads_the_others(manage: Said, server: FakeOllama) -> None:
    server.answers['/api/ps'] = models('spare:latest', MODEL, 'old:1b')
    code, out, _ = manage('evict')
    assert (code, out) == (0, 'spare:latest is unloaded\nold:1b is unloaded\n')
    assert [(body['model'], body['keep_alive']) for body in asked(server, '/api/generate')] == [
        ('spare:latest', 0), ('old:1b', 0)]
    server.answers['/api/ps'] = models(MODEL)
    assert manage('evict')[:2] == (0, 'nothing to unload\n')


def test_prune_deletes_only_when_told_so(manage: Said, server: FakeOllama) -> None:
    code, out, _ = manage('prune', '--keep', 'spare')
    assert (code, out) == (0, 'old:1b would be deleted\n--yes deletes them\n')
    assert asked(server, '/api/delete') == []
    assert manage('prune', '--keep', 'spare', '--yes')[:2] == (0, 'old:1b is deleted\n')
    assert [body['model'] for body in asked(server, '/api/delete')] == ['old:1b']


def test_prune_deletes_nothing_where_the_kept_one_is_missing(manage: Said,
                                                             server: FakeOllama) -> None:
    code, _, error = manage('prune', '--model', 'qwen2.5vl:8b', '--yes')
    assert code == 1 and is_one_line(error) and 'nothing was deleted' in error
    assert asked(server, '/api/delete') == []


def test_use_goes_over_to_a_model(manage: Said, server: FakeOllama) -> None:
    server.on_chat(status(500))
    server.answers['/api/ps'] = models(MODEL, 'spare:latest')
    code, out, _ = manage('use', 'spare')
    lines = out.splitlines()
    assert code == 0
    assert lines[:4] == ['spare is here', f'{MODEL} is unloaded', f'{MODEL} would be deleted',
                         'old:1b would be deleted']
    assert lines[-1] == 'set `model: spare` of the hypothesis node'
    assert asked(server, '/api/pull') == asked(server, '/api/delete') == []
    assert [body['model'] for body in server.loads] == ['spare']
    assert 'old:1b is deleted' in manage('use', 'spare', '--keep', MODEL, '--yes')[1]
    assert [body['model'] for body in asked(server, '/api/delete')] == ['old:1b']


def test_use_pulls_what_is_not_there_and_deletes_nothing_where_that_fails(
        manage: Said, server: FakeOllama) -> None:
    server.answers['/api/pull'] = status(500, 'no space left')
    code, _, error = manage('use', 'new', '--yes')
    assert code == 1 and 'no space left' in error
    assert asked(server, '/api/pull')[0]['model'] == 'new'
    assert asked(server, '/api/delete') == asked(server, '/api/generate') == []
    with model_server() as url:
        code, out, _ = manage('use', 'qwen3-vl:4b', '--yes', url=url)
        assert code == 0 and f'{MODEL} is deleted' in out and 'qwen3-vl:4b is here' in out


def test_delete_deletes_the_one_that_is_named(manage: Said, server: FakeOllama) -> None:
    assert manage('delete', 'old:1b')[:2] == (0, 'old:1b is deleted\n')
    assert [body['model'] for body in asked(server, '/api/delete')] == ['old:1b']
    server.answers['/api/delete'] = status(404, "model 'old:1b' not found")
    code, _, error = manage('delete', 'old:1b')
    assert code == 1 and is_one_line(error) and 'not found' in error
    with pytest.raises(SystemExit, match='2'):
        manage('delete')


@pytest.mark.parametrize('what', ['list', 'show', 'load', 'evict', 'pull', 'unload'])
def test_without_a_server_it_is_one_line(manage: Said, free_port: int, what: str) -> None:
    code, _, error = manage(what, url=f'http://127.0.0.1:{free_port}')
    assert code == 1 and is_one_line(error) and 'is it running?' in error


def test_other_servers_get_their_models_when_they_start(manage: Said) -> None:
    code, _, error = manage('list', '--backend', 'openai')
    assert code == 1 and is_one_line(error) and 'vlm discover' in error
