"""What the Anthropic provider sends and makes of a reply; see also `test_vlm_clients.py`."""

import base64
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from apis import AnthropicApi
from fake_ollama import Exchange, FakeOllama, fake_ollama
from questions import JPEG, NAME, PROMPT, SCHEMA, TOOL, TOOL_TURNS, ask, question, said

from semantic_nav.contracts.errors import ConfigError
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import (
    Reply,
    Text,
    Thinking,
    ToolCall,
    Usage,
    schema_words,
)
from semantic_nav.vlm.errors import ReplyTooLong
from semantic_nav.vlm.prompt.prompt import Exchange as Repair
from semantic_nav.vlm.providers.factory import make_provider

pytestmark = pytest.mark.slow

API = AnthropicApi()


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    with fake_ollama() as running:
        running.answers[API.path] = API.said('{}')
        yield running


def body(server: FakeOllama) -> dict[str, Any]:
    [(_, sent)] = API.asks(server)
    return sent


def test_everything_that_was_set_is_sent(server: FakeOllama) -> None:
    prompt = replace(PROMPT, repairs=(Repair('bad', 'wrong'),))
    assert ask(API.provider(server.url, model='some-vlm'), prompt=prompt,
               max_tokens=99) == said('{}', 'stop', 1700, 3, 'm')
    sent = body(server)
    asked, bad, wrong = sent.pop('messages')
    assert sent.pop('system') == f'rules{schema_words(SCHEMA)}{NAME}'
    assert sent == {'model': 'some-vlm', 'stream': True, 'max_tokens': 99,
                    'thinking': {'type': 'disabled'}}
    assert bad == {'role': 'assistant', 'content': [{'type': 'text', 'text': 'bad'}]}
    assert wrong == {'role': 'user', 'content': [{'type': 'text', 'text': 'wrong'}]}
    words, picture = asked['content']
    assert words['text'] == 'what now?'
    assert picture['source']['media_type'] == 'image/jpeg'
    assert base64.b64decode(picture['source']['data']) == JPEG


def test_a_thinking_model_gets_tokens_to_think_with(server: FakeOllama) -> None:
    ask(API.provider(server.url, think='true'), max_tokens=600)
    assert body(server)['thinking'] == {'type': 'enabled', 'budget_tokens': 1024}
    assert body(server)['max_tokens'] == 1624


def test_a_server_may_be_told_nothing_of_thinking(server: FakeOllama) -> None:
    ask(API.provider(server.url, think='unsaid'), max_tokens=600)
    assert body(server)['max_tokens'] == 600 and 'thinking' not in body(server)


def test_tokens_that_the_server_had_cached_were_read_too(server: FakeOllama) -> None:
    """Else it would seem to have cut the prompt."""
    def answer(exchange: Exchange) -> None:
        exchange.begin_stream(API.content_type)
        API.event(exchange, 'message_start', message={
            'id': 'x', 'type': 'message', 'role': 'assistant', 'model': 'm', 'content': [],
            'usage': {'input_tokens': 20, 'cache_read_input_tokens': 1000,
                      'cache_creation_input_tokens': 180, 'output_tokens': 1}})
        API.piece(exchange, '{}')
        API.end(exchange)

    server.answers[API.path] = answer
    assert ask(API.provider(server.url)).usage == Usage(1200, 3)


def test_tokens_that_are_counted_at_the_end_hold_against_a_guess(server: FakeOllama) -> None:
    """Ollama guesses at the beginning, without pictures."""
    def answer(exchange: Exchange) -> None:
        server.counts = (400, 400)
        API.begin(exchange)
        API.piece(exchange, '{}')
        API.event(exchange, 'message_delta', delta={'stop_reason': 'end_turn'},
                  usage={'input_tokens': 1436, 'output_tokens': 3})
        API.event(exchange, 'message_stop')

    server.answers[API.path] = answer
    assert ask(API.provider(server.url)).usage == Usage(1436, 3)


def test_a_server_that_does_not_stream_is_read(server: FakeOllama) -> None:
    server.answers[API.path] = lambda exchange: exchange.send(200, json.dumps({
        'id': 'x', 'type': 'message', 'role': 'assistant', 'model': 'm', 'content': [
            {'type': 'thinking', 'thinking': 'hm', 'signature': 'signed'},
            {'type': 'text', 'text': '{}'},
            {'type': 'tool_use', 'id': 'id-1', 'name': 'recall', 'input': {'query': 'mugs'}}],
        'stop_reason': 'tool_use', 'usage': {
            'input_tokens': 200, 'cache_read_input_tokens': 1000, 'output_tokens': 3}}).encode(),
        Content_Type='application/json')
    reply = ask(API.provider(server.url), tools=(TOOL,))
    assert reply == Reply((Thinking('hm', 'signed'), Text('{}'),
                           ToolCall('id-1', 'recall', {'query': 'mugs'})), 'tool_calls',
                          Usage(1200, 3), 'm')


@pytest.mark.parametrize('odd', [5, 'x', [], [{}], {'input_tokens': 'x'}])
def test_a_server_that_counts_oddly_is_read(server: FakeOllama, odd: object) -> None:
    """The client takes `_fields_set` for its own."""
    def answer(exchange: Exchange) -> None:
        exchange.begin_stream(API.content_type)
        API.event(exchange, 'message_start', message={
            'id': 'x', 'type': 'message', 'role': 'assistant', 'model': 'm', 'content': []})
        API.piece(exchange, '{}')
        API.event(exchange, 'message_delta', delta={'stop_reason': 'end_turn'},
                  **({'usage': odd} if odd else {}))
        API.event(exchange, 'message_stop')

    def whole(exchange: Exchange) -> None:
        exchange.send(200, json.dumps({
            'content': [5, {'type': 'text', 'text': 5}, {'type': 'text', 'text': '{}'}],
            'usage': {**odd, '_fields_set': 5} if isinstance(odd, dict) else odd,
            'stop_reason': 'end_turn'}).encode(), Content_Type='application/json')

    for server.answers[API.path] in (answer, whole):
        assert (reply := ask(API.provider(server.url))).parts[-1] == Text('{}')
        assert reply.usage == Usage()


def test_thoughts_and_calls_are_told_apart(server: FakeOllama) -> None:
    def answer(exchange: Exchange) -> None:
        API.begin(exchange)
        API.event(exchange, 'content_block_start', index=0,
                  content_block={'type': 'thinking', 'thinking': '', 'signature': ''})
        API.delta(exchange, 'thinking_delta', thinking='hm ')
        API.delta(exchange, 'thinking_delta', thinking='...')
        API.delta(exchange, 'signature_delta', signature='signed')
        API.event(exchange, 'content_block_start', index=1,
                  content_block={'type': 'text', 'text': ''})
        API.delta(exchange, 'text_delta', 1, text='let me see')
        API.event(exchange, 'ping')
        for index, query in ((2, '"mugs"}'), (3, '')):
            API.event(exchange, 'content_block_start', index=index, content_block={
                'type': 'tool_use', 'id': f'id-{index}', 'name': 'recall', 'input': {}})
            API.delta(exchange, 'input_json_delta', index, partial_json='{"query": ')
            API.delta(exchange, 'input_json_delta', index, partial_json=query)
        API.end(exchange, 'tool_use')

    server.answers[API.path] = answer
    reply = ask(API.provider(server.url), tools=(TOOL,))
    assert reply.parts[:3] == (Thinking('hm ...', 'signed'), Text('let me see'),
                               ToolCall('id-2', 'recall', {'query': 'mugs'}))
    assert reply.calls[1].id == 'id-3'
    assert 'no JSON' in reply.calls[1].problem
    assert reply.finish_reason == 'tool_calls'
    assert body(server)['tools'] == [{'name': 'recall', 'description': 'Recalls places.',
                                      'input_schema': TOOL.input_schema}]


def test_marks_on_thoughts_count_as_part_of_the_reply(server: FakeOllama) -> None:
    def answer(exchange: Exchange) -> None:
        API.begin(exchange)
        API.delta(exchange, 'signature_delta', signature='x' * 100_000)
        API.end(exchange)

    server.answers[API.path] = answer
    with pytest.raises(ReplyTooLong):
        ask(API.provider(server.url))


def test_the_result_of_a_tool_goes_back(server: FakeOllama) -> None:
    asked = question(tools=(TOOL,))
    ask(API.provider(server.url), messages=(*asked.messages, *TOOL_TURNS), tools=(TOOL,))
    called, result = body(server)['messages'][1:]
    assert called == {'role': 'assistant', 'content': [
        {'type': 'thinking', 'thinking': 'where?', 'signature': 'signed'},
        {'type': 'tool_use', 'id': 'id-1', 'name': 'recall', 'input': {'query': 'mugs'}}]}
    [block] = result['content']
    assert (result['role'], block['tool_use_id'], block['is_error']) == ('user', 'id-1', False)
    assert [one['type'] for one in block['content']] == ['text', 'image']


def test_tools_of_earlier_turns_are_named_where_none_may_be_called(server: FakeOllama) -> None:
    """The API refuses a conversation with calls of tools that it does not know."""
    asked = question()
    ask(API.provider(server.url), messages=(*asked.messages, *TOOL_TURNS))
    sent = body(server)
    assert sent['tools'] == [{'name': 'recall', 'input_schema': {'type': 'object'}}]
    assert sent['tool_choice'] == {'type': 'none'}


def test_anthropics_own_server_must_be_allowed() -> None:
    with pytest.raises(ConfigError, match='pictures stay on the robot'):
        HypothesisConfig(vlm_backend='anthropic')
    config = HypothesisConfig(vlm_backend='anthropic', allowed_hosts='api.anthropic.com')
    assert config.base_url == 'https://api.anthropic.com:443'


def test_without_its_package_the_backend_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, 'semantic_nav.vlm.providers.anthropic_provider',
                        raising=False)
    monkeypatch.setitem(sys.modules, 'anthropic', None)
    config = HypothesisConfig(vlm_backend='anthropic', base_url='http://localhost')
    with pytest.raises(ConfigError, match='pip install anthropic'):
        make_provider(config)
