"""What the Ollama provider sends and makes of a reply; `test_vlm_clients.py` has the mishaps."""

import base64
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from fake_ollama import Exchange, FakeOllama, chunk, fake_ollama, show, status, streamed
from questions import JPEG, PATIENCE_S, PROMPT, TOOL, TOOL_TURNS, question, said

from semantic_nav.contracts.errors import ModelReplyError
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import Message, Reply, Role, Text, Thinking, ToolCall
from semantic_nav.vlm.events import Exchange as Repair
from semantic_nav.vlm.ollama_provider import OllamaProvider
from semantic_nav.vlm.provider import ServerRefused, error_name
from semantic_nav.vlm.server import Server


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    with fake_ollama() as running:
        yield running


def provider(server: FakeOllama, **parameters: Any) -> OllamaProvider:
    return at(server.url, **parameters)


def at(url: str, **parameters: Any) -> OllamaProvider:
    config = HypothesisConfig(base_url=url, **parameters)
    return OllamaProvider(config, Server.of(config, {}))


def ask(server: FakeOllama, **parameters: Any) -> Reply:
    return provider(server, **parameters).ask(question(), PATIENCE_S, threading.Event())


def test_everything_that_was_set_is_sent(server: FakeOllama) -> None:
    server.on_chat(streamed('{}'))
    prompt = replace(PROMPT, repairs=(Repair('bad', 'wrong'),))
    asked = question(prompt, temperature=0.5, max_tokens=99, window_tokens=4096)
    provider(server, model='some-vlm:3b', keep_alive='5m').ask(asked, PATIENCE_S,
                                                               threading.Event())
    [(path, headers, body)] = server.requests
    assert path == '/api/chat'
    assert 'Authorization' not in headers
    assert body['model'] == 'some-vlm:3b'
    assert body['stream'] is True
    assert body['think'] is False
    assert body['keep_alive'] == '5m'
    assert body['format'] == PROMPT.schema
    assert list(body['format']['properties']) == list(PROMPT.schema['properties'])
    assert body['options'] == {'temperature': 0.5, 'num_predict': 99, 'num_ctx': 4096, 'seed': 7}
    assert [(one['role'], one['content']) for one in body['messages']] == [
        ('system', 'rules'), ('user', 'what now?'), ('assistant', 'bad'), ('user', 'wrong')]
    assert base64.b64decode(body['messages'][1]['images'][0]) == JPEG


def raw(*lines: bytes) -> Callable[[Exchange], None]:
    def answer(exchange: Exchange) -> None:
        exchange.begin_stream()
        for line in lines:
            exchange.wfile.write(line + b'\n')
    return answer


@pytest.mark.parametrize(('lines', 'name'), [
    ([], 'missing_response_field'),
    ([b'{"done": true}'], 'missing_response_field'),
    ([b'{"message": {"content": "x"}}'], 'missing_response_field'),
    ([json.dumps(chunk('', done=True)).encode()], 'missing_response_field'),
    ([b'no json'], 'bad_reply'),
    ([b'[1, 2]'], 'bad_reply'),
    ([b'null'], 'bad_reply'),
    ([b'[' * 100_000], 'bad_reply'),
    ([b'{"error": {"nested": ["x"]}}'], 'bad_reply'),
    ([b'\xff\xfe\xfa'], 'bad_reply'),
])
def test_what_is_not_the_protocol_is_a_named_error(server: FakeOllama, lines: list[bytes],
                                                   name: str) -> None:
    server.on_chat(raw(*lines))
    with pytest.raises(ModelReplyError) as caught:
        ask(server)
    assert error_name(caught.value) == name


def test_thoughts_are_kept_apart(server: FakeOllama) -> None:
    def answer(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.line({'message': {'role': 'assistant', 'thinking': 'hm {"a": 2}'}})
        exchange.line(chunk('{"a": 1}', done=True, done_reason='stop'))

    server.on_chat(answer)
    assert ask(server, think=True).parts == (Thinking('hm {"a": 2}'), Text('{"a": 1}'))
    assert server.requests[0][2]['think'] is True


def test_a_tool_is_called(server: FakeOllama) -> None:
    def answer(exchange: Exchange) -> None:
        exchange.begin_stream()
        for place in ('fridge', 'sofa'):
            exchange.line({'message': {'role': 'assistant', 'content': '', 'tool_calls': [
                {'function': {'name': 'recall', 'arguments': {'query': place}}}]}})
        exchange.line(chunk('', done=True, done_reason='stop'))

    server.on_chat(answer)
    reply = provider(server).ask(question(tools=(TOOL,)), PATIENCE_S, threading.Event())
    assert reply.calls == (ToolCall('call-1', 'recall', {'query': 'fridge'}),
                           ToolCall('call-2', 'recall', {'query': 'sofa'}))
    body = server.requests[0][2]
    assert body['tools'][0]['function']['name'] == 'recall'
    assert body['tools'][0]['function']['parameters']['required'] == ['query']
    # A grammar would leave no room for a call.
    assert 'format' not in body
    assert json.dumps(PROMPT.schema, separators=(',', ':')) in body['messages'][0]['content']


def test_the_result_of_a_tool_goes_back(server: FakeOllama) -> None:
    server.on_chat(streamed('{}'))
    asked = question()
    asked = replace(asked, messages=(*asked.messages, *TOOL_TURNS), tools=(TOOL,))
    provider(server).ask(asked, PATIENCE_S, threading.Event())
    called, result, picture = server.requests[0][2]['messages'][2:]
    assert called['tool_calls'][0]['function'] == {'name': 'recall',
                                                   'arguments': {'query': 'mugs'}}
    assert (result['role'], result['tool_name'], result['content']) == (
        'tool', 'recall', 'the kitchen')
    assert picture['role'] == 'user'
    assert base64.b64decode(picture['images'][0]) == JPEG


def test_a_turn_without_a_picture_has_none(server: FakeOllama) -> None:
    server.on_chat(streamed('{}'))
    words = replace(question(), messages=(Message(Role.USER, (Text('hello'),)),))
    provider(server).ask(words, PATIENCE_S, threading.Event())
    assert server.requests[0][2]['messages'] == [{'role': 'user', 'content': 'hello'}]


def generated(exchange: Exchange) -> None:
    exchange.begin_stream()
    for word in ('{"a":', ' 1}'):
        exchange.line({'model': 'm', 'response': word, 'done': False})
    exchange.line({'model': 'm', 'response': '', 'done': True, 'done_reason': 'stop',
                   'context': list(range(5000)), 'prompt_eval_count': 1200, 'eval_count': 2})


def tags(*names: str) -> Callable[[Exchange], None]:
    body = json.dumps({'models': [{'name': name, 'model': name} for name in names]}).encode()
    return lambda exchange: exchange.send(200, body)


def paths(server: FakeOllama) -> list[str]:
    return [path for path, _, _ in server.requests]


def test_where_chat_is_not_served_the_model_is_asked_to_generate(server: FakeOllama) -> None:
    server.answers |= {'/api/tags': tags('other:1b', 'qwen2.5vl:7b'), '/api/generate': generated}
    asking = provider(server)
    prompt = replace(PROMPT, repairs=(Repair('bad', 'wrong'),))
    reply = asking.ask(question(prompt, tools=(TOOL,)), PATIENCE_S, threading.Event())
    assert reply == said('{"a": 1}', 'stop', 1200, 2, 'm')
    assert paths(server) == ['/api/chat', '/api/tags', '/api/generate']
    body = server.requests[-1][2]
    assert body['system'] == 'rules'
    assert body['prompt'] == 'User: what now?\n\nAssistant: bad\n\nUser: wrong'
    assert base64.b64decode(body['images'][0]) == JPEG
    assert body['format'] == PROMPT.schema
    assert body['options']['num_predict'] == 512
    asking.ask(question(), PATIENCE_S, threading.Event())
    assert paths(server)[3:] == ['/api/generate']
    body = server.requests[-1][2]
    assert body['prompt'] == 'what now?'
    assert 'context' not in body and 'tools' not in body


@pytest.mark.parametrize(('listed', 'name', 'has'), [
    ('llava:latest', 'llava', True), ('LLaVA', 'llava:latest', True),
    ('llava:13b', 'llava', False), ('hub/llava:latest', 'llava', False)])
def test_a_404_for_want_of_the_model_is_one(server: FakeOllama, listed: str, name: str,
                                            has: bool) -> None:
    server.answers |= {'/api/tags': tags(listed), '/api/generate': generated}
    asking = provider(server, model=name)
    if has:
        assert asking.ask(question(), PATIENCE_S, threading.Event()).text == '{"a": 1}'
    else:
        with pytest.raises(ServerRefused, match='404 page not found'):
            asking.ask(question(), PATIENCE_S, threading.Event())


@pytest.mark.parametrize(('answer', 'ok', 'word'), [
    (show('vision'), True, 'qwen2.5vl:7b'),
    (show(), False, 'cannot see'),
    (status(404, 'model not found'), False, 'ollama pull qwen2.5vl:7b'),
    (status(500, 'out of memory'), False, 'out of memory'),
    (lambda exchange: exchange.send(200, b'{"model_info": {}}'), True, ''),
    (lambda exchange: exchange.send(200, b'what?'), False, 'protocol'),
])
def test_the_probe_says_what_is_wrong(server: FakeOllama, answer: Callable[[Exchange], None],
                                      ok: bool, word: str) -> None:
    server.answers['/api/show'] = answer
    probed = provider(server).probe()
    assert probed.ok is ok
    assert word in probed.message


