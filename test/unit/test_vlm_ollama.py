"""What the Ollama provider sends and makes of a reply; `test_vlm_clients.py` has the mishaps."""

import base64
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from fake_ollama import Exchange, FakeOllama, chunk, fake_ollama, streamed
from questions import JPEG, NAME, PATIENCE_S, PROMPT, TOOL, TOOL_TURNS, question, said

from semantic_nav.contracts.errors import ModelReplyError
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import (
    Image,
    Message,
    Reply,
    Role,
    ServerTimes,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    schema_words,
)
from semantic_nav.vlm.errors import RemoteModel, ServerRefused, error_name
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.look.token_budget import TokenBudget
from semantic_nav.vlm.prompt.prompt import Exchange as Repair
from semantic_nav.vlm.providers.ollama_provider import OllamaProvider

PROBED = ModelProbed(True, '', 'm', '', True, None, 0, None)


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    with fake_ollama() as running:
        yield running


def provider(server: FakeOllama, **parameters: Any) -> OllamaProvider:
    return at(server.url, **parameters)


def at(url: str, **parameters: Any) -> OllamaProvider:
    config = HypothesisConfig(base_url=url, **parameters)
    return OllamaProvider(config, Server.of(config, {}))


def chatted(server: FakeOllama) -> dict[str, Any]:
    [body] = [body for path, _, body in server.requests if path == '/api/chat']
    return body


def ask(server: FakeOllama, **parameters: Any) -> Reply:
    return provider(server, **parameters).ask(question(), PATIENCE_S, threading.Event())


def test_everything_that_was_set_is_sent(server: FakeOllama) -> None:
    server.on_chat(streamed('{}'))
    prompt = replace(PROMPT, repairs=(Repair('bad', 'wrong'),))
    asked = question(prompt, temperature=0.5, max_tokens=99, window_tokens=4096)
    provider(server, model='some-vlm:3b', keep_alive='5m').ask(asked, PATIENCE_S,
                                                               threading.Event())
    body = chatted(server)
    assert body['model'] == 'some-vlm:3b'
    assert body['stream'] is True
    assert body['think'] is False
    assert body['keep_alive'] == '5m'
    assert body['format'] == PROMPT.schema
    assert json.dumps(body['format']) == json.dumps(PROMPT.schema), 'in this order'
    assert body['options'] == {'temperature': 0.5, 'num_predict': 99, 'num_ctx': 4096, 'seed': 7}
    assert [(one['role'], one['content']) for one in body['messages']] == [
        ('system', f'rules{NAME}'), ('user', 'what now?'), ('assistant', 'bad'), ('user', 'wrong')]
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
    assert ask(server, think='true').parts == (Thinking('hm {"a": 2}'), Text('{"a": 1}'))
    assert chatted(server)['think'] is True


def test_a_server_may_be_told_nothing_of_thinking(server: FakeOllama) -> None:
    server.on_chat(streamed('{}'))
    ask(server, think='unsaid')
    assert 'think' not in chatted(server)


def test_tools_are_called(server: FakeOllama) -> None:
    """Each call has a piece of its own, and all of them stay apart."""
    places = ('fridge', 'sofa', 'desk', 'bed', 'shelf', 'window')

    def answer(exchange: Exchange) -> None:
        exchange.begin_stream()
        for place in places:
            exchange.line({'message': {'role': 'assistant', 'content': '', 'tool_calls': [
                {'function': {'name': 'recall', 'arguments': {'query': place}}}]}})
        exchange.line(chunk('', done=True, done_reason='stop'))

    server.on_chat(answer)
    reply = provider(server).ask(question(tools=(TOOL,)), PATIENCE_S, threading.Event())
    assert reply.calls == tuple(ToolCall(f'call-{number}', 'recall', {'query': place})
                                for number, place in enumerate(places, start=1))
    body = chatted(server)
    assert body['tools'][0]['function']['name'] == 'recall'
    assert body['tools'][0]['function']['parameters']['required'] == ['query']
    # A grammar would leave no room for a call.
    assert 'format' not in body
    assert schema_words(PROMPT.schema) in body['messages'][0]['content']


def calling(*arguments: str, cut: int = 0) -> Callable[[Exchange], None]:
    """Answer with calls whose arguments stand there as JSON, in pieces of so many bytes."""
    functions = ', '.join(f'{{"function": {{"name": "recall", "arguments": {one}}}}}'
                          for one in arguments)
    line = (f'{{"message": {{"role": "assistant", "content": "", '
            f'"tool_calls": [{functions}]}}}}\n').encode()
    line += json.dumps(chunk('', done=True, done_reason='stop')).encode()

    def answer(exchange: Exchange) -> None:
        exchange.begin_stream()
        for start in range(0, len(line), cut or len(line)):
            exchange.write(line[start:start + (cut or len(line))])
    return answer


@pytest.mark.parametrize('cut', [0, 1, 7])
def test_arguments_may_come_as_a_text(server: FakeOllama, cut: int) -> None:
    """Ollama's own client takes objects alone."""
    server.on_chat(calling(r'"{\"query\": \"mugs\"}"', '{"query": "cups"}', '""', cut=cut))
    reply = provider(server).ask(question(tools=(TOOL,)), PATIENCE_S, threading.Event())
    assert [call.arguments for call in reply.calls] == [{'query': 'mugs'}, {'query': 'cups'}, {}]
    assert not any(call.problem for call in reply.calls)


@pytest.mark.parametrize(('arguments', 'problem'), [
    ('"mugs"', 'no JSON'), ('"[1]"', 'one JSON object'), (json.dumps('[' * 80), 'too many lists'),
    (r'"{\"a\": NaN}"', 'no JSON'), (r'"{\"a\": 1, \"a\": 2}"', 'no JSON')])
def test_a_text_that_is_no_object_is_a_problem_of_the_call(server: FakeOllama, arguments: str,
                                                           problem: str) -> None:
    server.on_chat(calling(arguments))
    [call] = provider(server).ask(question(tools=(TOOL,)), PATIENCE_S, threading.Event()).calls
    assert call.arguments == {} and problem in call.problem


@pytest.mark.parametrize('arguments', ['[]', '3', 'null'])
def test_arguments_of_another_kind_are_not_the_protocol(server: FakeOllama,
                                                        arguments: str) -> None:
    server.on_chat(calling(arguments, r'"{}"'))
    with pytest.raises(ModelReplyError):
        provider(server).ask(question(tools=(TOOL,)), PATIENCE_S, threading.Event())


def test_the_server_tells_how_long_it_took(server: FakeOllama) -> None:
    def answer(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.line(chunk('{}', done=True, done_reason='stop', load_duration=2_500_000_000,
                            prompt_eval_duration=800_000_000, eval_duration=1_000_000))

    server.on_chat(answer)
    assert ask(server).times == ServerTimes(2500.0, 800.0, 1.0)
    server.on_chat(streamed('{}'))
    assert ask(server).times == ServerTimes()


def test_the_result_of_a_tool_goes_back(server: FakeOllama) -> None:
    server.on_chat(streamed('{}'))
    asked = question()
    asked = replace(asked, messages=(*asked.messages, *TOOL_TURNS), tools=(TOOL,))
    provider(server).ask(asked, PATIENCE_S, threading.Event())
    called, result, picture = chatted(server)['messages'][2:]
    assert called['tool_calls'][0]['function'] == {'name': 'recall',
                                                   'arguments': {'query': 'mugs'}}
    assert (result['role'], result['tool_name'], result['content']) == (
        'tool', 'recall', 'the kitchen')
    assert picture['role'] == 'user'
    assert base64.b64decode(picture['images'][0]) == JPEG


def test_the_results_of_all_tools_stand_before_the_pictures_of_any(server: FakeOllama) -> None:
    server.on_chat(streamed('{}'))
    calls = Message(Role.ASSISTANT, (Text('let me see'), *(
        ToolCall(f'id-{n}', 'look_at', {}) for n in range(2))))
    results = Message(Role.TOOL, tuple(
        ToolResult(f'id-{n}', 'look_at', (Text(f'part {n}'), Image(JPEG))) for n in range(2)))
    asked = question()
    asked = replace(asked, messages=(*asked.messages, calls, results))
    provider(server).ask(asked, PATIENCE_S, threading.Event())
    called, *others = chatted(server)['messages'][2:]
    assert (called['content'], len(called['tool_calls'])) == ('let me see', 2)
    assert [one['role'] for one in others] == ['tool', 'tool', 'user', 'user']
    assert [one['content'] for one in others[:2]] == ['part 0', 'part 1']


def test_a_turn_without_a_picture_has_none(server: FakeOllama) -> None:
    server.on_chat(streamed('{}'))
    words = replace(question(), messages=(Message(Role.USER, (Text('hello'),)),))
    provider(server).ask(words, PATIENCE_S, threading.Event())
    assert chatted(server)['messages'] == [{'role': 'user', 'content': 'hello'}]


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
    assert paths(server) == ['/api/show', '/api/chat', '/api/tags', '/api/generate']
    body = server.requests[-1][2]
    assert body['system'] == f'rules{NAME}'
    assert body['prompt'] == 'User: what now?\n\nAssistant: bad\n\nUser: wrong'
    assert base64.b64decode(body['images'][0]) == JPEG
    assert body['format'] == PROMPT.schema
    assert body['options']['num_predict'] == 512
    asking.ask(question(), PATIENCE_S, threading.Event())
    assert paths(server)[4:] == ['/api/generate']
    body = server.requests[-1][2]
    assert body['prompt'] == 'what now?'
    assert 'context' not in body and 'tools' not in body


def test_a_server_that_was_gone_is_asked_to_chat_again(server: FakeOllama) -> None:
    """It may have been updated, as the diagnostic asks for."""
    server.answers |= {'/api/tags': tags('qwen2.5vl:7b'), '/api/generate': generated,
                       '/api/show': shows()}
    asking = provider(server)
    asking.ask(question(), PATIENCE_S, threading.Event())
    assert asking.probe(threading.Event()).tools is False
    server.answers['/api/show'] = lambda exchange: exchange.reset()
    assert not asking.probe(threading.Event()).ok
    server.answers['/api/show'] = shows(capabilities=['vision', 'tools'])
    server.on_chat(streamed('{"b": 2}'))
    assert asking.probe(threading.Event()).tools is True
    assert asking.ask(question(), PATIENCE_S, threading.Event()).text == '{"b": 2}'


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


def shows(**fields: object) -> Callable[[Exchange], None]:
    body = json.dumps({'capabilities': ['completion', 'vision'], 'model_info': {}, **fields})
    return lambda exchange: exchange.send(200, body.encode())


def test_a_model_that_runs_elsewhere_gets_no_picture(server: FakeOllama) -> None:
    server.on_chat(streamed('{}'))
    server.answers['/api/show'] = shows(remote_host='https://ollama.com:443')
    with pytest.raises(RemoteModel, match='runs on ollama.com') as caught:
        ask(server)
    assert error_name(caught.value) == 'remote_model'
    assert paths(server) == ['/api/show']
    assert ask(server, allowed_hosts='ollama.com').text == '{}'


def test_where_a_model_runs_is_asked_once_and_again_after_a_probe(server: FakeOllama) -> None:
    server.on_chat(streamed('{}'))
    server.answers['/api/show'] = shows()
    asking = provider(server)
    for _ in range(3):
        asking.ask(question(), PATIENCE_S, threading.Event())
    assert paths(server) == ['/api/show', *['/api/chat'] * 3]
    assert asking.probe(threading.Event()).ok
    server.answers['/api/show'] = shows(remote_host='https://elsewhere')
    with pytest.raises(RemoteModel, match='elsewhere'):
        asking.ask(question(), PATIENCE_S, threading.Event())


def replying(**fields: object) -> Callable[[Exchange], None]:
    """Answer in two pieces that say this of the model, and stay connected."""
    def answer(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.line({**chunk('{'), **fields})
        exchange.line({**chunk('}', done=True, done_reason='stop'), **fields})
    return answer


ELSEWHERE = [{'remote_host': 'https://ollama.com:443', 'remote_model': 'big:480b'},
             {'remote_host': 'ollama.com'}, {'remote_model': 'big:480b'},
             {'remote_host': '', 'remote_model': 'big:480b'}, {'model': 'big:480b-cloud'}]


@pytest.mark.parametrize('fields', ELSEWHERE)
def test_a_reply_that_says_it_came_from_elsewhere_is_none(server: FakeOllama,
                                                          fields: dict[str, str]) -> None:
    """The model was replaced under its name after it was asked where it runs."""
    server.on_chat(replying(**fields))
    with pytest.raises(RemoteModel, match='runs on ollama.com'):
        ask(server)
    assert ask(server, allowed_hosts='ollama.com').text == '{}'


def test_a_generated_reply_says_where_it_came_from_too(server: FakeOllama) -> None:
    def answer(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.line({'model': 'm', 'response': '{}', 'done': True, 'remote_host': 'elsewhere'})

    server.answers |= {'/api/tags': tags('qwen2.5vl:7b'), '/api/generate': answer}
    with pytest.raises(RemoteModel, match='elsewhere'):
        ask(server)


@pytest.mark.parametrize('text', ['{"remote_host": "x", "model": "a-cloud"}', '"remote_', '[1]'])
def test_what_a_model_says_of_hosts_is_only_text(server: FakeOllama, text: str) -> None:
    server.on_chat(streamed(text))
    assert ask(server).text == text


def test_no_picture_follows_one_that_was_answered_elsewhere(server: FakeOllama) -> None:
    """Whatever the server says of the model, for its word was no good."""
    server.answers |= {'/api/show': shows(), '/api/tags': tags('qwen2.5vl:7b')}
    server.on_chat(replying(remote_host='elsewhere'))
    asking = provider(server)
    for _ in range(3):
        with pytest.raises(RemoteModel, match='elsewhere'):
            asking.ask(question(), PATIENCE_S, threading.Event())
    assert paths(server).count('/api/chat') == 1
    found = asking.probe(threading.Event())
    assert not found.ok and 'restart this node' in found.message


@pytest.mark.parametrize('tell', [
    lambda asking: asking.probe(threading.Event()),
    lambda asking: pytest.raises(
        RemoteModel, asking.ask, question(), PATIENCE_S, threading.Event())])
def test_a_server_that_admits_it_is_believed_again(
        server: FakeOllama, tell: Callable[[OllamaProvider], object]) -> None:
    server.answers |= {'/api/show': shows(), '/api/tags': tags('qwen2.5vl:7b')}
    server.on_chat(replying(remote_host='elsewhere'))
    asking = provider(server)
    with pytest.raises(RemoteModel):
        asking.ask(question(), PATIENCE_S, threading.Event())
    server.answers['/api/show'] = shows(remote_host='elsewhere')
    tell(asking)
    server.answers['/api/show'] = shows()
    server.on_chat(streamed('{}'))
    assert asking.probe(threading.Event()).ok
    assert asking.ask(question(), PATIENCE_S, threading.Event()).text == '{}'


@pytest.mark.parametrize(('num_ctx', 'window_tokens', 'asked_for'), [
    (4096, 128000, 4096), (16384, 8192, 8192), (16384, 0, 16384), (131072, 0, 32768)])
def test_a_model_is_loaded_with_the_window_it_is_asked_with(
        server: FakeOllama, num_ctx: int, window_tokens: int, asked_for: int) -> None:
    server.on_chat(streamed('{}'))
    found = replace(PROBED, window_tokens=window_tokens)
    assert provider(server, keep_alive='5m', num_ctx=num_ctx).warm_up(found, threading.Event())
    [load] = server.loads
    assert load['messages'] == []
    assert (load['keep_alive'], load['options']) == ('5m', {'num_ctx': asked_for})
    budget = TokenBudget(HypothesisConfig(num_ctx=num_ctx))
    budget.probed(found)
    assert budget.now.window_tokens == asked_for


def test_a_model_that_cannot_be_loaded_says_so(server: FakeOllama) -> None:
    server.on_chat(streamed('{}'))
    server.on_load = lambda exchange: exchange.send(500, b'{"error": "out of memory"}')
    with pytest.raises(ServerRefused, match='out of memory'):
        provider(server).warm_up(PROBED, threading.Event())
