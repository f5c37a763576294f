"""What is asked of a server before any picture is sent, and what an operator is told."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from apis import APIS, Answer, AnthropicApi, Api, OllamaApi, OpenAIApi
from fake_ollama import Exchange, FakeOllama, fake_ollama, not_found, status
from questions import PATIENCE_S, ask

from semantic_nav.contracts.blobs import NoBlobs
from semantic_nav.contracts.codec import RecordCodec
from semantic_nav.vlm.errors import CallCancelled
from semantic_nav.vlm.events import RECORD_KINDS, ModelProbed

OLLAMA, OPENAI = OllamaApi(), OpenAIApi()
MODEL = 'qwen2.5vl:7b'
SHOW = {'capabilities': ['completion', 'vision', 'tools'], 'model_info': {
    'general.architecture': 'qwen25vl', 'qwen25vl.context_length': 128000}}
TAGS = {'models': [{'name': 'other', 'model': 'other'},
                   {'name': MODEL, 'model': MODEL, 'digest': 'sha256:abc'}]}
UNKNOWN_BOXES = ('how {} boxes is not known, so they are asked for in thousandths of the picture: '
                 'try `vlm eval` with a labelled picture, and set box_convention')
PROPS = {'default_generation_settings': {'n_ctx': 4096}, 'modalities': {'vision': True},
         'chat_template_caps': {'supports_tools': False}}


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    with fake_ollama() as running:
        yield running


def says(value: object) -> Answer:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return lambda exchange: exchange.send(200, body, Content_Type='application/json')


def running(size_vram: int, size: int = 100) -> dict[str, Any]:
    return {'models': [{'model': MODEL, 'size': size, 'size_vram': size_vram}]}


def ollama(server: FakeOllama, show: object = SHOW, tags: object = TAGS, ps: object = None,
           **parameters: Any) -> ModelProbed:
    """Probe an Ollama server that says this; None for what it does not know."""
    for path, value in (('show', show), ('tags', tags), ('ps', ps)):
        server.answers[f'/api/{path}'] = not_found if value is None else says(value)
    return OLLAMA.provider(server.url, **parameters).probe(threading.Event())


def test_a_model_that_is_there_and_sees(server: FakeOllama) -> None:
    found = ollama(server, ps=running(100))
    assert found == ModelProbed(True, f'{MODEL} at {server.url}, on the GPU', MODEL,
                                'sha256:abc', True, True, 128000, True,
                                offered=('other', MODEL), family='qwen2.5-vl')
    assert [body for path, _, body in server.requests if path == '/api/show'] == [
        {'model': MODEL}]


def test_what_was_found_can_be_kept_in_a_journal(server: FakeOllama) -> None:
    codec = RecordCodec(RECORD_KINDS, NoBlobs())
    for found in (ollama(server, ps=running(1)), ollama(server, show=None, tags=None)):
        assert codec.decode(json.loads(json.dumps(codec.encode(found)))) == found


def test_a_missing_model_is_told_with_its_command(server: FakeOllama) -> None:
    found = ollama(server, show=None, tags={'models': []})
    assert not found.ok
    assert f'run `ollama pull {MODEL}`' in found.message


@pytest.mark.parametrize('backend', ['ollama', 'openai'])
def test_what_a_server_has_is_told_above_all_where_the_model_is_missing(
        server: FakeOllama, backend: str) -> None:
    names: list[Any] = ['', 7, None, 'first\nline', *(f'm{number}' for number in range(60))]
    if backend == 'ollama':
        found = ollama(server, show=None, tags={'models': [{'name': name} for name in names]})
    else:
        found = openai(server, listing(*({'id': name} for name in names)))
    assert not found.ok
    assert found.offered == ('first line', *(f'm{number}' for number in range(49)))


def test_a_blind_model_is_told(server: FakeOllama) -> None:
    found = ollama(server, show={**SHOW, 'capabilities': ['completion']})
    assert (found.ok, found.vision, found.tools) == (False, False, False)
    assert f'{MODEL} cannot see pictures' in found.message


@pytest.mark.parametrize(('model', 'info', 'sees'), [
    (MODEL, {}, True), ('strange', {}, None), ('strange', {'x.vision.patch_size': 14}, True)])
def test_an_old_server_leaves_it_to_the_name(server: FakeOllama, model: str, info: object,
                                             sees: bool | None) -> None:
    tags = {'models': [{'model': f'{model}:latest'}, {'model': model}]}
    found = ollama(server, {'model_info': info}, tags, model=model)
    assert (found.ok, found.vision, found.tools) == (True, sees, None)
    assert [note for note in found.notes if 'vision_models' in note] == (
        [] if sees else list(found.notes[1:]))


@pytest.mark.parametrize(('tool_models', 'rounds', 'tools', 'noted'), [
    ('', 0, None, False), ('', 1, None, True), ('llama, Strange', 1, True, False)])
@pytest.mark.parametrize('backend', ['ollama', 'openai'])
def test_where_a_server_cannot_tell_a_name_says_that_a_model_uses_tools(
        server: FakeOllama, backend: str, tool_models: str, rounds: int, tools: bool | None,
        noted: bool) -> None:
    told: dict[str, Any] = {'model': 'strange', 'vision_models': 'strange',
                            'tool_models': tool_models, 'tool_rounds': rounds}
    if backend == 'ollama':
        found = ollama(server, {}, {'models': [{'model': 'strange'}]}, **told)
    else:
        found = openai(server, listing({'id': 'strange'}), **told)
    assert (found.ok, found.tools) == (True, tools)
    assert any('tool_models' in note for note in found.notes) is noted


def test_what_a_server_says_of_tools_goes_before_the_name(server: FakeOllama) -> None:
    assert ollama(server, {**SHOW, 'capabilities': ['vision']},
                  tool_models='qwen').tools is False
    entry = {'id': 'Eyes', 'owned_by': 'llamacpp'}
    assert openai(server, listing(entry), PROPS, tool_models='eyes').tools is False


@pytest.mark.parametrize(('ps', 'on_gpu', 'words'), [
    (None, None, 'not loaded yet'), ({'models': []}, None, 'not loaded yet'),
    (running(100), True, 'on the GPU'), (running(0), False, '100 % on the CPU'),
    (running(55), False, '45 % on the CPU'), (running(0, 0), None, 'loaded')])
def test_where_it_runs_is_told(server: FakeOllama, ps: object, on_gpu: bool | None,
                               words: str) -> None:
    found = ollama(server, ps=ps)
    assert (found.ok, found.on_gpu) == (True, on_gpu)
    assert words in found.message
    assert any('`ollama ps`' in note for note in found.notes) is (on_gpu is False)


def test_the_window_of_the_model_is_told(server: FakeOllama) -> None:
    info = {'general.architecture': 'x', 'x.context_length': 4096}
    found = ollama(server, {**SHOW, 'model_info': info}, num_ctx=8192)
    assert (found.ok, found.window_tokens, found.notes) == (True, 4096, ())


@pytest.mark.parametrize('where', ['show', 'tags'])
def test_a_remote_model_is_one_without_its_host(server: FakeOllama, where: str) -> None:
    told = {'remote_model': 'big:480b'}
    found = ollama(server, {**SHOW, **(told if where == 'show' else {})},
                   {'models': [{'model': MODEL, **(told if where == 'tags' else {})}]})
    assert not found.ok and 'runs on ollama.com' in found.message


@pytest.mark.parametrize('where', ['show', 'tags'])
@pytest.mark.parametrize('host', ['https://ollama.com:443', 'ollama.com', 'http://[bad'])
def test_a_model_that_runs_elsewhere_is_refused(server: FakeOllama, where: str,
                                                host: str) -> None:
    tags = {'models': [{'model': MODEL, **({'remote_host': host} if where == 'tags' else {})}]}
    show = {**SHOW, **({'remote_host': host} if where == 'show' else {})}
    found = ollama(server, show, tags)
    assert not found.ok
    assert 'allowed_hosts' in found.message
    if 'ollama' in host:
        assert ollama(server, show, tags, allowed_hosts='ollama.com').ok


def test_without_chat_there_are_no_tools(server: FakeOllama) -> None:
    server.answers['/api/generate'] = says(b'{"response": "{}", "done": true}\n')
    provider = OLLAMA.provider(server.url)
    for path, value in (('show', SHOW), ('tags', TAGS)):
        server.answers[f'/api/{path}'] = says(value)
    assert provider.warm_up(provider.probe(threading.Event()), threading.Event())
    found = provider.probe(threading.Event())
    assert (found.ok, found.tools) == (True, False)
    assert 'update Ollama' in found.notes[-1]


def openai(server: FakeOllama, models: object, props: object = None,
           **parameters: Any) -> ModelProbed:
    server.answers['/v1/models'] = not_found if models is None else says(models)
    server.answers['/props'] = not_found if props is None else says(props)
    return OPENAI.provider(server.url, **{'model': 'Eyes', **parameters}).probe(threading.Event())


def listing(*entries: dict[str, Any]) -> dict[str, Any]:
    return {'object': 'list', 'data': list(entries)}


def test_llama_cpp_says_what_it_can_do(server: FakeOllama) -> None:
    entry = {'id': 'model.gguf', 'aliases': ['eyes'], 'owned_by': 'llamacpp'}
    assert openai(server, listing(entry), PROPS) == ModelProbed(
        True, f'Eyes at {server.url}', 'Eyes', '', True, False, 4096, None,
        offered=('model.gguf',), notes=(UNKNOWN_BOXES.format('Eyes writes'),))
    blind = {**PROPS, 'modalities': {'vision': False}}
    found = openai(server, listing(entry), blind)
    assert (found.ok, found.vision) == (False, False)
    assert '--mmproj' in found.message


def test_vllm_says_its_window(server: FakeOllama) -> None:
    found = openai(server, listing({'id': 'Qwen/Qwen3-VL-8B', 'max_model_len': 32768}),
                   model='qwen/qwen3-vl-8b')
    assert (found.ok, found.vision, found.tools, found.window_tokens) == (True, True, None, 32768)
    assert '/props' not in [path for path, _, _ in server.requests]


def test_a_server_that_says_nothing_leaves_it_to_the_name(server: FakeOllama) -> None:
    found = openai(server, listing({'id': 'eyes'}))
    assert (found.ok, found.vision, found.window_tokens) == (True, None, 0)
    assert 'vision_models' in found.notes[1]
    assert openai(server, listing({'id': 'eyes'}), vision_models='eye').vision is True


def test_a_model_of_another_name_is_told_with_those_that_there_are(server: FakeOllama) -> None:
    found = openai(server, listing({'id': 'mouth'}, {'id': 'nose'}))
    assert not found.ok
    assert 'no model Eyes but mouth, nose; set parameter model' in found.message
    assert 'but none' in openai(server, listing()).message
    assert 'does not serve /v1/models' in openai(server, None).message


def of_family(server: FakeOllama, name: str, **said: Any) -> ModelProbed:
    """Probe an Ollama server that says this of a model."""
    show = {'capabilities': ['completion', 'vision'], **said}
    return ollama(server, show, {'models': [{'model': name}]}, model=name)


@pytest.mark.parametrize(('said', 'family'), [
    ({'model_info': {'general.architecture': 'qwen25vl'}}, 'qwen2.5-vl'),
    ({'model_info': {'general.architecture': 'gemma4'}}, 'gemma4'),
    ({'model_info': {'general.architecture': 'qwen35moe'}}, 'qwen3.5'),
    ({'details': {'family': 'qwen3vl', 'families': ['qwen3vl']}}, 'qwen3-vl'),
    ({'details': {'family': 'llama', 'families': ['llama', 'clip'],
                  'parent_model': 'llava:13b'}}, 'llava'),
    # Of both Qwen2-VL and Qwen2.5-VL.
    ({'model_info': {'general.architecture': 'qwen2vl'}}, ''),
    ({'model_info': {'general.architecture': 'qwen2vl',
                     'general.basename': 'Qwen2.5-VL'}}, 'qwen2.5-vl'),
    ({'model_info': {'general.architecture': 'llama'}}, ''), ({}, '')])
def test_ollama_tells_the_family_of_a_model_of_ones_own_name(
        server: FakeOllama, said: dict[str, Any], family: str) -> None:
    found = of_family(server, 'robot-eyes', **said)
    assert found.family == family
    assert (UNKNOWN_BOXES.format('robot-eyes writes') in found.notes) is (not family)


def test_what_a_server_says_goes_before_the_name(server: FakeOllama) -> None:
    found = of_family(server, 'gemma3-eyes', model_info={'general.architecture': 'qwen25vl'})
    assert found.family == 'qwen2.5-vl'
    assert of_family(server, 'gemma3-eyes').family == 'gemma3'


@pytest.mark.parametrize(('entry', 'props', 'family'), [
    ({'owned_by': 'llamacpp'}, {'model_path': '/m/Qwen2.5-VL-7B-Instruct-Q4_K_M.gguf'},
     'qwen2.5-vl'),
    ({'owned_by': 'vllm', 'root': 'google/gemma-4-E4B-it', 'parent': None}, {}, 'gemma4'),
    ({'owned_by': 'vllm', 'parent': 'Qwen/Qwen3-VL-8B-Instruct'}, {}, 'qwen3-vl'),
    ({'owned_by': 'organization_owner'}, {}, 'qwen2.5-vl'), ({}, {}, '')])
def test_servers_of_openais_api_tell_the_family(server: FakeOllama, entry: dict[str, Any],
                                                props: object, family: str) -> None:
    server.answers['/api/v0/models'] = says(listing(
        {'id': 'Eyes', 'type': 'vlm', 'arch': 'qwen2_5_vl', 'loaded_context_length': 4096}))
    found = openai(server, listing({'id': 'Eyes', **entry}), props)
    assert found.family == family
    if entry.get('owned_by') == 'organization_owner':
        assert (found.vision, found.window_tokens) == (True, 4096)


def test_a_family_of_which_nobody_knows_the_boxes_is_told(server: FakeOllama) -> None:
    found = of_family(server, 'llama4:scout')
    assert found.notes == (UNKNOWN_BOXES.format('llama4 models write'),)
    server.answers['/api/show'] = says({'capabilities': ['vision']})
    assert OLLAMA.provider(server.url, model='llama4:scout', box_convention='unit').probe(
        threading.Event()).notes == ()


@pytest.mark.parametrize(('name', 'noted'), [
    ('qwen3-vl:8b', True), ('qwen3-vl:8b-instruct', False), ('qwen3.5:9b', False)])
def test_a_model_that_cannot_be_told_not_to_think_is_told(server: FakeOllama, name: str,
                                                          noted: bool) -> None:
    found = of_family(server, name, capabilities=['vision', 'thinking'])
    assert any('cannot be told not to' in note for note in found.notes) is noted


SEEING = {'eyes:7b': ['vision'], 'mouth': ['completion']}


@pytest.mark.parametrize(('server_has', 'model', 'taken'), [
    (SEEING, '', 'eyes:7b'), (SEEING, 'nose', ''),
    ({**SEEING, 'other': ['vision']}, '', ''), ({'mouth': []}, '', ''),
    ({**SEEING, 'qwen2.5vl:7b': ['vision']}, '', 'qwen2.5vl:7b'),
    ({'eyes:7b': ['vision'], 'far:cloud': ['vision']}, '', 'eyes:7b')])
def test_where_no_model_is_named_the_only_one_that_sees_is_taken(
        server: FakeOllama, server_has: dict[str, list[str]], model: str, taken: str) -> None:
    def show(exchange: Exchange) -> None:
        capabilities = server_has.get(exchange.body['model'])
        answer = not_found if capabilities is None else says({'capabilities': capabilities})
        answer(exchange)

    server.answers['/api/tags'] = says({'models': [{'model': name} for name in server_has]})
    server.answers['/api/show'] = show
    server.answers[OLLAMA.path] = OLLAMA.said('{}')
    provider = OLLAMA.provider(server.url, model=model)
    found = provider.probe(threading.Event())
    assert (found.ok, found.model if found.ok else '') == (bool(taken), taken)
    if taken == 'eyes:7b':
        [note] = [note for note in found.notes if 'the only one' in note]
        assert 'has no qwen2.5vl:7b' in note and 'in parameter model' in note
        ask(provider)
        [(_, sent)] = OLLAMA.asks(server)
        assert sent['model'] == 'eyes:7b'
    elif 'other' in server_has:
        assert 'set parameter model to one of eyes:7b, other' in found.message


@pytest.mark.parametrize(('names', 'taken'), [
    (['robot-eyes'], 'robot-eyes'), (['qwen3-vl-8b', 'llama-3.1-8b'], 'qwen3-vl-8b'),
    (['qwen3-vl-8b', 'gemma-4-e4b'], ''), (['a', 'b'], ''), ([], '')])
def test_the_only_one_that_sees_is_taken_behind_openais_api(
        server: FakeOllama, names: list[str], taken: str) -> None:
    found = openai(server, listing(*({'id': name} for name in names)), model='')
    assert (found.ok, found.model if found.ok else '') == (bool(taken), taken)


def test_a_short_name_of_anthropics_is_looked_up(server: FakeOllama) -> None:
    server.answers |= {'/v1/models': says(listing({'id': 'claude-x-20260101'})),
                       '/v1/models/claude-x': says({'id': 'claude-x-20260101'})}
    found = AnthropicApi().provider(server.url, model='claude-x').probe(threading.Event())
    assert (found.ok, found.vision) == (True, True)
    assert {headers['anthropic-version'] for _, headers, _ in server.requests} == {'2023-06-01'}
    assert not AnthropicApi().provider(server.url, model='claude-y').probe(threading.Event()).ok


@pytest.fixture(params=APIS, ids=lambda api: str(api.backend))
def api(request: pytest.FixtureRequest) -> Api:
    return request.param  # type: ignore[no-any-return]


def told(api: Api, server: FakeOllama, answer: Answer) -> str:
    """Return what an operator is told when every question is answered so."""
    server.answers = dict.fromkeys(('/api/show', '/api/tags', '/v1/models'), answer)
    found = api.provider(server.url).probe(threading.Event())
    assert not found.ok
    return found.message


NONSENSE = [b'', b'what?', b'[]', b'null', b'\xff', b'[' * 100_000, b'{"models": ' + b' ' * 10]


@pytest.mark.parametrize('body', NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_is_told(api: Api, server: FakeOllama, body: bytes) -> None:
    assert 'Set base_url' in told(api, server, says(body))


@pytest.mark.parametrize('value', [
    {}, {'models': 5, 'data': 5}, {'models': [None, {'model': 5}], 'data': [7, {'id': []}]},
    {'capabilities': 'vision', 'model_info': [], 'remote_host': 5}])
def test_fields_of_the_wrong_type_are_as_good_as_none(api: Api, server: FakeOllama,
                                                      value: object) -> None:
    server.answers = dict.fromkeys(('/api/show', '/api/tags', '/api/ps', '/v1/models'),
                                   says(value))
    assert isinstance(api.provider(server.url).probe(threading.Event()), ModelProbed)


@pytest.mark.parametrize(('code', 'words'), [
    (401, 'api_key_file|extra_headers_file'), (403, 'api_key_file|extra_headers_file'),
    (307, 'leads elsewhere'), (503, 'loading the model'), (500, 'log of the server')])
def test_a_refusal_is_told_with_what_mends_it(api: Api, server: FakeOllama, code: int,
                                              words: str) -> None:
    message = told(api, server, status(code, 'so there', Location='http://192.0.2.1/'))
    assert any(word in message for word in words.split('|'))
    assert 'so there' in message


def test_nobody_there_is_told_with_how_to_start_it(api: Api, free_port: int) -> None:
    found = api.provider(f'http://127.0.0.1:{free_port}').probe(threading.Event())
    assert not found.ok
    assert 'is it running?' in found.message
    if api.backend != 'anthropic':
        assert {'ollama': '`ollama serve`', 'openai': '`llama-server'}[
            api.backend] in found.message


def test_a_server_that_hangs_is_told(api: Api, server: FakeOllama) -> None:
    def hang(exchange: Exchange) -> None:
        exchange.server.release.wait(PATIENCE_S)

    server.answers = dict.fromkeys(('/api/show', '/v1/models'), hang)
    found = api.provider(server.url, request_timeout_s=0.2).probe(threading.Event())
    assert not found.ok
    assert 'hangs' in found.message


def test_a_probe_can_be_broken_off(api: Api, server: FakeOllama) -> None:
    server.answers = dict.fromkeys(
        ('/api/show', '/v1/models'), lambda exchange: exchange.server.release.wait(PATIENCE_S))
    cancelled = threading.Event()
    caught: list[Exception] = []

    def probe() -> None:
        try:
            api.provider(server.url).probe(cancelled)
        except CallCancelled as error:
            caught.append(error)

    thread = threading.Thread(target=probe)
    thread.start()
    wait_until(lambda: bool(server.requests))
    cancelled.set()
    thread.join(PATIENCE_S)
    assert len(caught) == 1


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, 'waited too long'
        threading.Event().wait(0.005)
