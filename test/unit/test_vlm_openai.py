"""What the OpenAI provider sends and makes of a reply; `test_vlm_clients.py` has the mishaps."""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from apis import Answer, OpenAIApi
from fake_ollama import Exchange, FakeOllama, fake_ollama
from questions import JPEG, NAME, PROMPT, SCHEMA, TOOL, TOOL_TURNS, ask, question, said

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.vlm.conversation import (
    Reply,
    ServerTimes,
    Text,
    Thinking,
    ToolCall,
    Usage,
    schema_words,
)
from semantic_nav.vlm.errors import EmptyReply, MissingField, ReplyTooLong
from semantic_nav.vlm.prompt.prompt import Exchange as Repair

API = OpenAIApi()


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    with fake_ollama() as running:
        running.answers[API.path] = API.said('{}')
        yield running


def body(server: FakeOllama) -> dict[str, Any]:
    [(_, sent)] = API.asks(server)
    return sent


def deltas(*pieces: object, reason: str = 'stop') -> Answer:
    def answer(exchange: Exchange) -> None:
        API.begin(exchange)
        for piece in pieces:
            API.delta(exchange, piece)
        API.end(exchange, reason)
    return answer


def answered(server: FakeOllama, answer: Answer, **fields: Any) -> Reply:
    server.answers[API.path] = answer
    return ask(API.provider(server.url), **fields)


def test_everything_that_was_set_is_sent(server: FakeOllama) -> None:
    prompt = replace(PROMPT, repairs=(Repair('bad', 'wrong'),))
    assert ask(API.provider(server.url, model='some-vlm'), prompt=prompt, temperature=0.5,
               max_tokens=99) == said('{}', 'stop', 1700, 3, 'm')
    sent = body(server)
    rules, asked, bad, wrong = sent.pop('messages')
    assert sent == {
        'model': 'some-vlm', 'stream': True, 'stream_options': {'include_usage': True},
        'max_tokens': 99, 'temperature': 0.5, 'seed': 7,
        'chat_template_kwargs': {'enable_thinking': False},
        'response_format': {'type': 'json_schema', 'json_schema': {
            'name': 'hypothesis', 'strict': True, 'schema': SCHEMA}}}
    assert rules == {'role': 'system', 'content': f'rules{NAME}'}
    assert bad == {'role': 'assistant', 'content': 'bad'}
    assert wrong == {'role': 'user', 'content': 'wrong'}
    words, picture = asked['content']
    assert words == {'type': 'text', 'text': 'what now?'}
    head, _, data = picture['image_url']['url'].partition(',')
    assert head == 'data:image/jpeg;base64'
    assert base64.b64decode(data) == JPEG


@pytest.mark.parametrize(('kind', 'sent'), [
    ('json_object', {'type': 'json_object'}), ('Text', None)])
def test_a_server_without_schemas_is_told_in_words(server: FakeOllama, kind: str,
                                                   sent: object) -> None:
    ask(API.provider(server.url, response_format=kind))
    assert body(server).get('response_format') == sent
    assert schema_words(SCHEMA) in body(server)['messages'][0]['content']


@pytest.mark.parametrize(('name', 'value'), [
    ('response_format', 'yaml'), ('tool_choice', 'maybe')])
def test_a_choice_that_there_is_not_is_refused(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} = '{value}'"):
        API.provider('http://localhost', **{name: value})


@pytest.mark.parametrize('field', ['reasoning_content', 'reasoning'])
def test_thoughts_are_kept_apart(server: FakeOllama, field: str) -> None:
    reply = answered(server, deltas({field: 'hm {"a"'}, {field: ': 2}'}, {'content': '{"a": 1}'}))
    assert reply.parts == (Thinking('hm {"a": 2}'), Text('{"a": 1}'))


@pytest.mark.parametrize(('content', 'thinking', 'text'), [
    ([{'type': 'text', 'text': '{"a"'}, {'type': 'text', 'text': ': 1}'}], '', '{"a": 1}'),
    ([{'type': 'thinking', 'thinking': [{'type': 'text', 'text': 'hm'}]}, '{"a": 1}'], 'hm',
     '{"a": 1}'),
    ([{'type': 'image_url', 'text': 7}, 5, None, {'type': 'text', 'text': '{}'}], '', '{}')])
def test_words_may_come_in_lists(server: FakeOllama, content: object, thinking: str,
                                 text: str) -> None:
    reply = answered(server, deltas({'content': content}))
    assert (reply.thinking, reply.text) == (thinking, text)


def whole(message: object, reason: str = 'stop', **others: object) -> Answer:
    """Answer as a server does that does not stream."""
    body = {'id': 'x', 'object': 'chat.completion', 'created': 1, 'model': 'm', 'choices': [
        {'index': 0, 'message': message, 'finish_reason': reason}],
        'usage': {'prompt_tokens': 1200, 'completion_tokens': 3}, **others}
    return lambda exchange: exchange.send(200, json.dumps(body).encode(),
                                          Content_Type='application/json')


def test_a_server_that_does_not_stream_is_read(server: FakeOllama) -> None:
    assert answered(server, whole({'role': 'assistant', 'content': '{"a": 1}'})) == said(
        '{"a": 1}', 'stop', 1200, 3, 'm')
    reply = answered(server, whole({'role': 'assistant', 'content': None,
                                    'reasoning_content': '{"a": 1}'}))
    assert reply.text == '{"a": 1}'
    reply = answered(server, whole({'content': None, 'tool_calls': [
        {'id': f'id-{n}', 'type': 'function', 'function': {'name': 'recall', 'arguments': '{}'}}
        for n in range(2)]}, 'tool_calls'), tools=(TOOL,))
    assert reply.calls == (ToolCall('id-0', 'recall', {}), ToolCall('id-1', 'recall', {}))
    for nothing in ({}, 'x', None):
        with pytest.raises(MissingField):
            answered(server, whole(nothing))


@pytest.mark.parametrize('odd', [5, 'x', [], [5], {'a': 1}, True])
def test_a_whole_reply_with_odd_fields_is_read(server: FakeOllama, odd: object) -> None:
    """The client takes `_fields_set` for its own."""
    message = {'content': '{"a": 1}', 'tool_calls': odd, 'function_call': odd, 'reasoning': odd,
               '_fields_set': odd, 'self': odd}
    reply = answered(server, whole(message, usage=odd, timings=odd, _fields_set=odd, cls=odd))
    assert (reply.text, reply.usage, reply.calls) == ('{"a": 1}', Usage(), ())
    reply = answered(server, whole({'tool_calls': [
        {'index': odd, 'id': odd, 'function': odd, '_fields_set': odd},
        {'function': {'name': 'recall', 'arguments': '{}', '_fields_set': odd}}]}), tools=(TOOL,))
    assert [call.name for call in reply.calls] == ['', 'recall']


@pytest.mark.parametrize('odd', [5, 'x', [], {'a': 1}])
def test_a_stream_that_counts_oddly_is_read(server: FakeOllama, odd: object) -> None:
    def answer(exchange: Exchange) -> None:
        API.begin(exchange)
        exchange.event({'id': 'x', 'model': 'm', 'choices': [], 'usage': odd})
        API.delta(exchange, {'content': '{"a": 1}'})
        API.end(exchange)

    def of_no_choices(exchange: Exchange) -> None:
        API.begin(exchange)
        exchange.event({'id': 'x', 'model': 'm', 'choices': odd})
        API.end(exchange)

    assert answered(server, answer).usage == Usage(1700, 3)
    with pytest.raises(EmptyReply):
        answered(server, of_no_choices)


def test_a_server_that_refuses_to_stream_is_asked_for_the_whole(server: FakeOllama) -> None:
    def answer(exchange: Exchange) -> None:
        if exchange.body['stream']:
            exchange.send(400, API.error('streaming is not supported by this server'),
                          Content_Type='application/json')
        else:
            whole({'content': '{}'})(exchange)

    assert answered(server, answer).text == '{}'
    (_, first), (_, second) = API.asks(server)
    assert (first['stream'], second['stream']) == (True, False)
    assert 'stream_options' in first and 'stream_options' not in second


@pytest.mark.parametrize('field', ['stream_options', 'seed', 'temperature', 'response_format'])
def test_each_extra_field_is_left_out_alone(server: FakeOllama, field: str) -> None:
    """As FastAPI says it, which vLLM, TGI and LMDeploy are made with."""
    def answer(exchange: Exchange) -> None:
        if field in exchange.body:
            exchange.send(422, json.dumps({'detail': [
                {'type': 'extra_forbidden', 'loc': ['body', field],
                 'msg': 'Extra inputs are not permitted'}]}).encode(),
                Content_Type='application/json')
        else:
            API.said('{}')(exchange)

    answered(server, answer)
    (_, first), (_, second) = API.asks(server)
    assert set(first) - set(second) == {field}
    in_words = schema_words(SCHEMA) in second['messages'][0]['content']
    assert in_words is (field == 'response_format')


def test_a_model_may_be_let_think(server: FakeOllama) -> None:
    ask(API.provider(server.url, think='true'))
    assert body(server)['chat_template_kwargs'] == {'enable_thinking': True}


def test_a_server_may_be_told_nothing_of_thinking(server: FakeOllama) -> None:
    ask(API.provider(server.url, think='unsaid'))
    assert 'chat_template_kwargs' not in body(server)


@pytest.mark.parametrize(('timings', 'times'), [
    ({'prompt_ms': 812.5, 'predicted_ms': 2100}, ServerTimes(0.0, 812.5, 2100.0)),
    ({'prompt_ms': 'long', 'predicted_ms': -1}, ServerTimes()),
    ({'prompt_ms': True, 'predicted_ms': 1e300}, ServerTimes()), ([], ServerTimes())])
def test_llama_cpp_tells_how_long_it_took(server: FakeOllama, timings: object,
                                          times: ServerTimes) -> None:
    def answer(exchange: Exchange) -> None:
        API.begin(exchange)
        API.piece(exchange, '{}')
        exchange.event({'id': 'x', 'object': 'chat.completion.chunk', 'created': 1, 'model': 'm',
                        'choices': [], 'timings': timings})
        API.end(exchange)

    assert answered(server, answer).times == times


def call(index: int, arguments: object, **more: object) -> dict[str, Any]:
    return {'tool_calls': [{'index': index, **more, 'function': {
        'arguments': arguments, **({'name': 'recall'} if more else {})}}]}


def test_tools_are_called_piece_by_piece(server: FakeOllama) -> None:
    reply = answered(server, deltas(
        {'content': 'let me see'}, call(0, '', id='id-1', type='function'), call(0, '{"que'),
        call(1, '{}', id='id-2'), call(0, 'ry": "mugs"}'), reason='tool_calls'), tools=(TOOL,))
    assert reply == Reply(
        (Text('let me see'), ToolCall('id-1', 'recall', {'query': 'mugs'}),
         ToolCall('id-2', 'recall', {})), 'tool_calls', Usage(1700, 3), 'm')
    sent = body(server)
    assert sent['tool_choice'] == 'auto'
    assert sent['tools'] == [{'type': 'function', 'function': {
        'name': 'recall', 'description': 'Recalls places.', 'parameters': TOOL.input_schema}}]
    assert 'response_format' not in sent
    assert schema_words(SCHEMA) in sent['messages'][0]['content']


def test_whether_tools_may_be_used_is_a_parameter(server: FakeOllama) -> None:
    ask(API.provider(server.url, tool_choice='Required'), tools=(TOOL,))
    assert body(server)['tool_choice'] == 'required'


@pytest.mark.parametrize(('arguments', 'parsed', 'problem'), [
    ({'query': 'mugs'}, {'query': 'mugs'}, ''),
    ('{"query": "mugs"}', {'query': 'mugs'}, ''),
    ('', {}, ''), (None, {}, ''), (17, {}, ''),
    ('{"query": ', {}, 'no JSON'), ('mugs', {}, 'no JSON'), ('{"q": NaN}', {}, 'no JSON'),
    ('{"q": 1, "q": 2}', {}, 'no JSON'), ('["mugs"]', {}, 'one JSON object'),
    ('[' * 10_000, {}, 'too many lists'),
    ('{"q": [' + '[],' * 63 + '[]]}', {}, 'too many lists')])
@pytest.mark.parametrize('legacy', [False, True])
def test_arguments_are_read_or_what_is_wrong_with_them_is_told(
        server: FakeOllama, arguments: object, parsed: object, problem: str,
        legacy: bool) -> None:
    piece = ({'function_call': {'name': 'recall', 'arguments': arguments}} if legacy
             else call(0, arguments, id='id-1'))
    reply = answered(server, deltas(piece, reason='function_call'), tools=(TOOL,))
    [found] = reply.calls
    assert (found.name, found.arguments) == ('recall', parsed)
    assert found.id == ('call-1' if legacy else 'id-1')
    assert problem in found.problem
    assert bool(problem) is bool(found.problem)
    assert found.raw == (arguments if problem else '')
    assert reply.finish_reason == 'tool_calls'


def test_the_result_of_a_tool_goes_back(server: FakeOllama) -> None:
    asked = question(tools=(TOOL,))
    ask(API.provider(server.url), messages=(*asked.messages, *TOOL_TURNS), tools=(TOOL,))
    called, result, picture = body(server)['messages'][2:]
    assert called['tool_calls'] == [{'id': 'id-1', 'type': 'function', 'function': {
        'name': 'recall', 'arguments': '{"query": "mugs"}'}}]
    assert result == {'role': 'tool', 'tool_call_id': 'id-1', 'content': 'the kitchen'}
    assert picture['role'] == 'user'
    assert picture['content'][1]['type'] == 'image_url'


def test_a_model_that_calls_without_end_is_stopped(server: FakeOllama) -> None:
    with pytest.raises(ReplyTooLong, match='16 tools'):
        answered(server, deltas(*(call(n, '{}', id=f'id-{n}') for n in range(50))), tools=(TOOL,))


@pytest.mark.parametrize('function', [
    {'name': 'recall', 'arguments': {'query': 'x' * 100_000}},
    {'name': 'recall', 'arguments': 'x' * 100_000}, {'name': 'x' * 100_000, 'arguments': '{}'}])
def test_a_call_of_any_form_may_be_no_longer_than_a_reply(server: FakeOllama,
                                                          function: dict[str, Any]) -> None:
    with pytest.raises(ReplyTooLong, match='longer than'):
        answered(server, deltas({'tool_calls': [{'index': 0, 'function': function}]}),
                 tools=(TOOL,))


def test_the_key_may_stand_in_a_file(server: FakeOllama, tmp_path: Path) -> None:
    path = tmp_path / 'key'
    path.write_text('sk-file\n')
    ask(API.provider(server.url, {'OPENAI_API_KEY': 'sk-environment'}, api_key_file=str(path)))
    [(headers, _)] = API.asks(server)
    assert headers['authorization'] == 'Bearer sk-file'


def test_headers_of_a_file_are_sent(server: FakeOllama, tmp_path: Path) -> None:
    path = tmp_path / 'headers'
    path.write_text('X-Robot: seven\nUser-Agent: me\n')
    ask(API.provider(server.url, extra_headers_file=str(path)))
    [(headers, _)] = API.asks(server)
    assert (headers['x-robot'], headers['user-agent']) == ('seven', 'me')
    assert 'User-Agent' not in headers
