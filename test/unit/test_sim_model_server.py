"""The model server against the real Ollama client, and against raw HTTP for the errors."""

import base64
import contextlib
import http.client
import io
import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from semantic_nav_sim.loopback_server import LoopbackServer
from semantic_nav_sim.model.card import ModelCard
from semantic_nav_sim.model.engine import Engine
from semantic_nav_sim.model.eyes import OracleEyes
from semantic_nav_sim.model.http_server import ModelHttpServer
from semantic_nav_sim.model.profile import ModelProfile, ToolsProfile
from semantic_nav_sim.model.transport import Transport

ollama = pytest.importorskip('ollama')

MODEL = 'qwen2.5vl:7b'
SCHEMA = {'type': 'object', 'properties': {
    key: {} for key in (
        'action', 'target_status', 'confidence_percent', 'target_box', 'rationale')}}
MUG = {'id': 'mug_1', 'name': 'red mug', 'kind': 'mug', 'colour': 'red',
       'box': [100, 100, 150, 140], 'pixels': 1800, 'distance_m': 1.5, 'edge': False}


def picture(fmt='JPEG', size=(640, 480)):
    out = io.BytesIO()
    Image.new('RGB', size, (90, 120, 30)).save(out, fmt)
    return out.getvalue()


@pytest.fixture
def truth():
    """Recognises every picture as one with a red mug."""
    async def answer(request):
        server.seen.append(await request.body())
        return JSONResponse({'found': True, 'similarity': 1.0, 'width': 640, 'height': 480,
                             'room': 'kitchen', 'objects': [MUG]})

    app = Starlette(routes=[Route('/seen', answer, methods=['POST'])])
    with LoopbackServer(app, '127.0.0.1', 0) as server:
        server.seen = []
        yield server


def model_server(truth=None, name=MODEL, tokens_per_s=0.0, tools=None):
    engine = Engine(ModelCard(name), OracleEyes(truth.url if truth else ''), ModelProfile(
        tools=tools or ToolsProfile(), transport=Transport(tokens_per_s=tokens_per_s)))
    return ModelHttpServer('127.0.0.1', 0, engine)


@pytest.fixture
def server(truth):
    with model_server(truth) as started:
        yield started


@pytest.fixture
def client(server):
    return ollama.Client(host=server.url, timeout=10.0)


def ask(goal='find the red mug', image=None):
    block = json.dumps({'goal': goal, 'belief_target_status': 'searching', 'candidates': [],
                        'last_refusal': None, 'image': {'width': 640, 'height': 480}})
    message = {'role': 'user', 'content': f'What next?\n```json\n{block}\n```'}
    return [{'role': 'system', 'content': 'You steer a robot.'},
            message | ({'images': [image]} if image else {})]


def raw(server, method, path, body=None):
    connection = http.client.HTTPConnection('127.0.0.1', server.port, timeout=10.0)
    with contextlib.closing(connection):
        connection.request(method, path, body)
        reply = connection.getresponse()
        return reply.status, reply.read()


def raw_chat(server, path='/api/chat', **fields):
    body = {'model': MODEL, 'messages': ask(), 'stream': False} | fields
    status, data = raw(server, 'POST', path, json.dumps(body))
    return status, json.loads(data)


def test_streamed_reply_comes_in_pieces_and_is_the_schemas_json(client, truth):
    image = picture()
    parts = list(client.chat(MODEL, ask(image=image), format=SCHEMA, stream=True))
    reply = json.loads(''.join(part.message.content for part in parts))
    assert reply['action'] == 'approach'
    assert reply['target_box'] == [100, 100, 150, 140]
    assert 'scene' not in reply
    assert len(parts) > 10
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
    assert truth.seen == [image]


def test_last_line_counts_tokens_and_nanoseconds(client):
    last = list(client.chat(MODEL, ask(image=picture()), format=SCHEMA, stream=True))[-1]
    assert last.done_reason == 'stop'
    assert last.eval_count > 10
    assert last.prompt_eval_count > 1024
    assert last.total_duration >= last.eval_duration > 0


def test_whole_reply_without_streaming(client):
    reply = client.chat(MODEL, ask(image=picture('PNG')), format=SCHEMA)
    assert json.loads(reply.message.content)['target_status'] == 'visible'
    assert reply.done


def test_format_is_honoured_at_top_level_only(client):
    image = picture()
    for fields in ({}, {'options': {'format': SCHEMA}}):
        text = client.chat(MODEL, ask(image=image), **fields).message.content
        assert text.startswith('```json')
        assert 'scene' in text


def test_num_predict_cuts_the_reply(client):
    reply = client.chat(MODEL, ask(), format=SCHEMA, options={'num_predict': 5})
    assert (reply.done_reason, reply.eval_count) == ('length', 5)
    with pytest.raises(ValueError):
        json.loads(reply.message.content)


def test_long_prompt_is_cut_silently(client):
    messages = [{'role': 'user', 'content': 'blah ' * 6000}, *ask()]
    reply = client.chat(MODEL, messages, format='json', options={'num_ctx': 2048})
    assert reply.prompt_eval_count < 2048
    assert json.loads(reply.message.content)['action'] == 'explore'
    alone = client.chat(MODEL, [{'role': 'user', 'content': 'blah ' * 6000}],
                        format='json', options={'num_ctx': 2048})
    assert alone.prompt_eval_count == 2048


def test_repair_request_is_answered_from_the_task(client):
    messages = [*ask(image=picture()), {'role': 'assistant', 'content': 'Well,'},
                {'role': 'user', 'content': 'That was not JSON. Again.'}]
    reply = client.chat(MODEL, messages, format=SCHEMA)
    assert json.loads(reply.message.content)['action'] == 'approach'


def test_generate_answers_a_plain_sentence(client):
    reply = client.generate(MODEL, 'find the red mug', images=[picture()], format='json')
    assert json.loads(reply.response)['action'] == 'approach'
    assert client.generate(MODEL).done_reason == 'load'


def test_same_request_gives_the_same_reply(client):
    texts = {client.chat(MODEL, ask(image=picture())).message.content for _ in range(3)}
    assert len(texts) == 1


def test_blind_server_says_so():
    with model_server() as server:
        client = ollama.Client(host=server.url, timeout=10.0)
        reply = json.loads(client.chat(MODEL, ask(image=picture()), format='json').message.content)
        assert reply['target_status'] == 'not_visible'
        assert 'cannot make out this picture' in reply['rationale']


def test_model_describes_itself(client):
    assert [model.model for model in client.list().models] == [MODEL]
    shown = client.show(MODEL)
    assert {'completion', 'vision', 'tools'} <= set(shown.capabilities)
    assert shown.details.family == 'qwen25vl'
    assert shown.modelinfo['qwen25vl.context_length'] == 128_000


def test_ps_shows_the_model_while_it_is_loaded(client):
    assert client.ps().models == []
    client.chat(MODEL, ask())
    loaded = client.ps().models[0]
    assert (loaded.model, loaded.context_length) == (MODEL, 4096)
    assert loaded.size_vram > 0
    assert client.chat(MODEL, [], keep_alive=0).done_reason == 'unload'
    assert client.ps().models == []


def test_qwen3_gives_boxes_in_per_mille(truth):
    with model_server(truth, 'qwen3-vl:8b') as server:
        client = ollama.Client(host=server.url, timeout=10.0)
        reply = client.chat('qwen3-vl:8b', ask(image=picture()), format=SCHEMA)
        assert json.loads(reply.message.content)['target_box'] == [156, 208, 235, 292]


def test_root_version_and_unknown_paths(server):
    assert raw(server, 'GET', '/') == (200, b'Ollama is running')
    assert raw(server, 'HEAD', '/') == (200, b'')
    assert 'version' in json.loads(raw(server, 'GET', '/api/version')[1])
    assert raw(server, 'GET', '/api/nothing')[0] == 404
    assert raw(server, 'GET', '/api/chat')[0] == 405


def test_unknown_model_is_404(client, server):
    with pytest.raises(ollama.ResponseError, match="model 'llava' not found") as caught:
        client.chat('llava', ask())
    assert caught.value.status_code == 404
    assert raw_chat(server, '/api/show', model='llava')[0] == 404


@pytest.mark.parametrize(('body', 'message'), [
    (b'', 'missing request body'), (b'{"model": ', 'unexpected EOF'), (b'{nonsense}', 'invalid'),
    (b'[1]', 'cannot unmarshal array'), (b'{}', 'model is required'), (b'\xff\xfe\xff', 'UTF-8')])
def test_bad_body_is_400(server, body, message):
    status, data = raw(server, 'POST', '/api/chat', body)
    assert status == 400
    assert message in json.loads(data)['error']


@pytest.mark.parametrize(('fields', 'status', 'message'), [
    ({'messages': 'hello'}, 400, 'cannot unmarshal string'),
    ({'messages': [{'role': 'user', 'content': 3}]}, 400, 'cannot unmarshal number'),
    ({'messages': [{'role': 'user', 'images': ['data:image/png;base64,aa']}]}, 400,
     'illegal base64 data at input byte 4'),
    ({'messages': [{'role': 'user', 'images': ['aGVsbG8=']}]}, 400, 'Failed to load image'),
    ({'format': 'xml'}, 500, 'invalid format: "xml"'),
    ({'options': {'temperature': 'hot'}}, 500, 'option "temperature" must be of type float32'),
    ({'think': True}, 400, 'does not support thinking'),
    ({'keep_alive': 'soon'}, 400, 'invalid duration'),
])
def test_bad_fields_are_refused_in_ollamas_words(server, fields, status, message):
    got, document = raw_chat(server, **fields)
    assert got == status
    assert message in document['error']


RECALL = {'type': 'function', 'function': {
    'name': 'recall_places', 'description': 'Recalls places.',
    'parameters': {'type': 'object', 'required': ['query'],
                   'properties': {'query': {'type': 'string'}}}}}
LAMP = {'query': 'find the blue lamp'}


LOOK = {'type': 'function', 'function': {
    'name': 'zoom', 'description': 'Looks closer.', 'parameters': {
        'type': 'object', 'required': ['box'], 'properties': {'box': {
            'type': 'array', 'items': {'type': 'integer'}, 'minItems': 4, 'maxItems': 4}}}}}
USES_TOOLS = ToolsProfile(rate=1.0, rounds=2)


@pytest.fixture
def tool_server(truth):
    with model_server(truth, tools=USES_TOOLS) as started:
        yield started


def test_without_a_word_of_the_profile_no_tool_is_called(client):
    reply = client.chat(MODEL, ask('find the blue lamp', picture()), tools=[RECALL])
    assert reply.message.tool_calls is None
    assert '"action": "explore"' in reply.message.content


@pytest.mark.parametrize('stream', [False, True])
def test_what_is_not_seen_is_recalled_before_the_answer(tool_server, stream):
    client = ollama.Client(host=tool_server.url, timeout=10.0)
    turns = ask('find the blue lamp', picture())
    for _ in range(USES_TOOLS.rounds):
        replies = client.chat(MODEL, turns, tools=[RECALL, LOOK], stream=stream)
        calls = [call.function for reply in (replies if stream else [replies])
                 for call in reply.message.tool_calls or ()]
        assert [(call.name, call.arguments) for call in calls] == [('recall_places', LAMP)]
        turns += [{'role': 'assistant', 'tool_calls': [{'function': {
                      'name': 'recall_places', 'arguments': LAMP}}]},
                  {'role': 'tool', 'content': '{"places": []}', 'tool_name': 'recall_places'}]
    reply = client.chat(MODEL, turns, tools=[RECALL])
    assert reply.message.tool_calls is None
    assert '"action": "explore"' in reply.message.content


def test_what_is_seen_is_looked_at_closer_and_the_part_is_not_taken_for_the_picture(
        tool_server, truth):
    client = ollama.Client(host=tool_server.url, timeout=10.0)
    turns = ask('find the red mug', picture())
    reply = client.chat(MODEL, turns, tools=[RECALL, LOOK])
    (call,) = reply.message.tool_calls
    assert call.function.name == 'zoom' and len(call.function.arguments['box']) == 4
    seen = list(truth.seen)
    turns += [{'role': 'assistant', 'tool_calls': [{'function': call.function.model_dump()}]},
              {'role': 'tool', 'content': '{}', 'tool_name': 'zoom'},
              {'role': 'user', 'content': 'The picture of zoom:',
               'images': [picture(size=(64, 48))]}]
    client.chat(MODEL, turns, tools=[RECALL, LOOK])
    assert truth.seen[len(seen):] == seen[-1:], 'the eyes look at the same picture again'


def test_calls_have_the_form_of_ollama(tool_server):
    turns = ask('find the blue lamp')
    status, reply = raw_chat(tool_server, messages=turns, tools=[RECALL], stream=False)
    assert status == 200
    (call,) = reply['message']['tool_calls']
    assert call['function'] == {'index': 0, 'name': 'recall_places', 'arguments': LAMP}
    assert call['id'].startswith('call_')
    assert reply['message']['content'] == '' and reply['done_reason'] == 'stop'
    assert reply['eval_count'] > 0


@pytest.mark.parametrize('stream', [False, True])
def test_openai_calls_a_tool(tool_server, stream):
    body = {'model': MODEL, 'messages': ask('find the blue lamp'), 'tools': [RECALL],
            'stream': stream}
    status, data = raw(tool_server, 'POST', '/v1/chat/completions', json.dumps(body))
    assert status == 200
    words = [line.removeprefix('data: ') for line in data.decode().split('\n\n') if line]
    replies = [json.loads(word)['choices'][0] for word in words if word != '[DONE]']
    message = replies[0]['delta' if stream else 'message']
    (call,) = message['tool_calls']
    assert call['function']['name'] == 'recall_places' and call['id']
    assert json.loads(call['function']['arguments']) == LAMP
    assert replies[-1]['finish_reason'] == 'tool_calls'


OTHER = 'qwen3-vl:4b'


def test_a_model_is_pulled_and_then_it_is_there(server, client):
    with pytest.raises(ollama.ResponseError) as missing:
        client.chat(OTHER, ask())
    assert missing.value.status_code == 404
    lines = list(client.pull(OTHER, stream=True))
    assert [line.status for line in lines if not line.digest] == [
        'pulling manifest', 'verifying sha256 digest', 'writing manifest', 'success']
    layers = {}
    for line in lines:
        if line.digest:
            assert line.status == f'pulling {line.digest.removeprefix("sha256:")[:12]}'
            layers.setdefault(line.digest, []).append((line.completed, line.total))
    assert len(layers) == 2
    for parts in layers.values():
        assert parts[0][0] is None and parts[-1][0] == parts[-1][1]
        rising = [completed for completed, _ in parts[1:]]
        assert rising == sorted(rising)
    assert [model.model for model in client.list().models] == [MODEL, OTHER]
    assert client.show(OTHER).modelinfo['general.architecture'] == 'qwen3vl'
    assert client.chat(OTHER, ask()).model == OTHER
    assert [model.model for model in client.ps().models] == [OTHER]


def test_a_pull_need_not_be_streamed(client):
    assert client.pull(OTHER).status == 'success'
    assert len(client.list().models) == 2
    client.pull(OTHER)
    assert len(client.list().models) == 2, 'it was there already'


def test_a_model_that_nobody_has_cannot_be_pulled(server, client):
    reason = 'pull model manifest: file does not exist'
    status, data = raw(server, 'POST', '/api/pull', json.dumps({'model': 'nonesuch'}))
    lines = [json.loads(line) for line in data.splitlines()]
    assert (status, lines) == (200, [{'status': 'pulling manifest'}, {'error': reason}])
    with pytest.raises(ollama.ResponseError, match=reason):
        list(client.pull('nonesuch', stream=True))
    with pytest.raises(ollama.ResponseError, match=reason):
        client.pull('nonesuch')
    assert [model.model for model in client.list().models] == [MODEL]


def test_a_pull_that_is_left_brings_nothing(server, client):
    for line in client.pull(OTHER, stream=True):
        if line.completed:
            break
    del line
    wait_until(lambda: len(client.list().models) == 1)
    assert client.pull(OTHER).status == 'success'


def test_a_model_is_deleted_and_then_it_is_gone(client):
    client.generate(MODEL, keep_alive=-1)
    assert client.ps().models
    assert client.delete(MODEL).status == 'success'
    assert client.list().models == client.ps().models == []
    for gone in (client.delete, client.show, lambda name: client.chat(name, ask())):
        with pytest.raises(ollama.ResponseError, match=f"model '{MODEL}' not found") as caught:
            gone(MODEL)
        assert caught.value.status_code == 404
    client.pull(MODEL)
    assert client.chat(MODEL, ask()).done


@pytest.mark.parametrize(('method', 'path'), [('POST', '/api/pull'), ('DELETE', '/api/delete')])
@pytest.mark.parametrize('name', ['', '../etc/passwd', 'a b'])
def test_a_name_that_is_none_is_refused(server, method, path, name):
    status, data = raw(server, method, path, json.dumps({'model': name}))
    assert (status, json.loads(data)) == (400, {'error': 'invalid model name'})


def test_embeddings_are_not_supported(client):
    with pytest.raises(ollama.ResponseError, match='does not support embeddings') as caught:
        client.embed(MODEL, 'text')
    assert caught.value.status_code == 501


def test_openai_completion(server):
    url = 'data:image/jpeg;base64,' + base64.b64encode(picture()).decode()
    content = [{'type': 'text', 'text': ask()[1]['content']},
               {'type': 'image_url', 'image_url': {'url': url}}]
    status, reply = raw_chat(
        server, '/v1/chat/completions', messages=[{'role': 'user', 'content': content}],
        response_format={'type': 'json_schema', 'json_schema': {'name': 'x', 'schema': SCHEMA}})
    assert status == 200
    choice = reply['choices'][0]
    assert choice['finish_reason'] == 'stop'
    assert json.loads(choice['message']['content'])['action'] == 'approach'
    assert reply['usage']['total_tokens'] > 1024
    assert json.loads(raw(server, 'GET', '/v1/models')[1])['data'][0]['id'] == MODEL


def test_openai_stream(server):
    body = {'model': MODEL, 'messages': ask(), 'stream': True, 'max_tokens': 7,
            'stream_options': {'include_usage': True}}
    status, data = raw(server, 'POST', '/v1/chat/completions', json.dumps(body))
    events = [line.removeprefix('data: ') for line in data.decode().split('\n\n') if line]
    assert status == 200
    assert events[-1] == '[DONE]'
    chunks = [json.loads(event) for event in events[:-1]]
    assert chunks[0]['choices'][0]['delta']['role'] == 'assistant'
    assert chunks[-2]['choices'][0]['finish_reason'] == 'length'
    assert chunks[-1]['usage']['completion_tokens'] == 7


@pytest.mark.parametrize(('fields', 'status', 'kind'), [
    ({'model': 'gpt-5'}, 404, 'not_found_error'), ({'messages': []}, 400, 'invalid_request_error'),
    ({'messages': [{'role': 'user', 'content': [{'type': 'image_url', 'image_url': {
        'url': 'http://example.org/a.jpg'}}]}]}, 400, 'invalid_request_error')])
def test_openai_errors(server, fields, status, kind):
    got, document = raw_chat(server, '/v1/chat/completions', **fields)
    assert (got, document['error']['type']) == (status, kind)


@pytest.mark.parametrize('stream', [True, False])
def test_client_that_leaves_frees_the_model(truth, stream):
    # At this speed the whole reply would take minutes.
    with model_server(truth, tokens_per_s=2.0) as server:
        body = json.dumps({'model': MODEL, 'messages': ask(), 'stream': stream}).encode()
        with socket.create_connection(('127.0.0.1', server.port)) as connection:
            connection.sendall(b'POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: '
                               b'%d\r\n\r\n%s' % (len(body), body))
            wait_until(server.turn.locked)
        wait_until(lambda: not server.turn.locked())


def wait_until(condition, limit_s=10.0):
    deadline_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline_s, 'the condition did not come true'
        time.sleep(0.005)


def test_only_loopback_is_served():
    engine = Engine(ModelCard(MODEL), OracleEyes(''))
    for host in ('0.0.0.0', '192.168.1.2', 'example.org', ''):
        with pytest.raises(ValueError, match='loopback'):
            ModelHttpServer(host, 0, engine)


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, '-m', 'semantic_nav_sim.model_server', *arguments],
        stderr=subprocess.PIPE, text=True, env=os.environ | {'PYTHONUNBUFFERED': '1'})


def first_line(process, needle):
    for line in process.stderr:
        if needle in line:
            return line
    raise AssertionError(f'{needle!r} was never said')


@pytest.mark.slow
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_process_serves_and_ends_cleanly(number):
    with start('--port', '0') as process:
        url = first_line(process, 'http://').split()[-1]
        assert ollama.Client(host=url, timeout=10.0).list().models
        process.send_signal(number)
        assert process.wait(10.0) == 0


@pytest.mark.slow
def test_process_that_is_down_refuses_connections():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        port = probe.getsockname()[1]
    with start('--port', str(port), '--profile', 'default+down') as process:
        first_line(process, 'not listening')
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(('127.0.0.1', port))
        assert process.poll() is None
        process.terminate()
        assert process.wait(10.0) == 0


@pytest.mark.slow
def test_process_refuses_other_hosts_and_taken_ports(server):
    with start('--host', '0.0.0.0') as process:
        assert process.wait(10.0) == 2
    port = server.port
    with start('--port', str(port)) as process:
        assert f'127.0.0.1:{port}: ' in first_line(process, '--port 0 takes any free one')
        assert process.wait(10.0) == 1


@pytest.mark.slow
def test_process_refuses_profiles_that_it_does_not_know():
    with start('--profile', 'default+sleepy') as process:
        assert 'known are always_stop' in process.stderr.read()
        assert process.wait(10.0) == 2
