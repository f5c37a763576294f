"""Every provider with its real client, against a server that does what no server should."""

import gzip
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpcore
import httpcore2
import httpx
import httpx2
import pytest
from apis import APIS, Answer, Api
from fake_ollama import Exchange, FakeOllama, fake_ollama, not_found
from questions import PATIENCE_S, SCHEMA, TOOL, ask, question, said

from semantic_nav.contracts.errors import (
    ModelReplyError,
    ModelTimeout,
    ModelUnavailable,
    SemanticNavError,
)
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import schema_words
from semantic_nav.vlm.errors import CallCancelled, ConnectionFailed, MissingField, error_name
from semantic_nav.vlm.http.guard import Guard
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.http.transport import guarded_transport

#: Deadline of a call that ends in no other way.
SHORT_S = 0.3


@pytest.fixture(params=APIS, ids=lambda api: str(api.backend))
def api(request: pytest.FixtureRequest) -> Api:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    with fake_ollama() as running:
        yield running


def failure(api: Api, server: FakeOllama, answer: Answer,
            deadline_s: float = PATIENCE_S) -> SemanticNavError:
    server.answers[api.path] = answer
    with pytest.raises(SemanticNavError) as caught:
        ask(api.provider(server.url), deadline_s)
    return caught.value


def test_a_streamed_reply_is_put_together(api: Api, server: FakeOllama) -> None:
    server.answers[api.path] = api.said('{"a":', ' "größer"', '}')
    reply = ask(api.provider(server.url))
    assert reply == said('{"a": "größer"}', 'stop', 1700, 3, 'm')
    assert reply.first_part_ms > 0


@pytest.mark.parametrize('api', [api for api in APIS if 'event' in api.content_type],
                         ids=lambda api: str(api.backend))
@pytest.mark.parametrize('sign', [
    b': ping\n\n', b'id: 7\n\n', b'id: 7\n: ping\n\n', b'event: ping\n\n', b'retry: 3000\n\n',
    b'data:\n\n', b'data: : busy\n\n', b': ping\r\n\r\n'])
def test_signs_of_life_in_a_stream_are_passed_over(api: Api, server: FakeOllama,
                                                   sign: bytes) -> None:
    """Gateways send events without data, which the standard lets a client ignore."""
    def answer(exchange: Exchange) -> None:
        api.begin(exchange)
        exchange.write(sign)
        for text in ('{"a"', ': 1}'):
            api.piece(exchange, text)
            exchange.write(sign)
        api.end(exchange)

    server.answers[api.path] = answer
    assert ask(api.provider(server.url)) == said('{"a": 1}', 'stop', 1700, 3, 'm')


def test_an_error_in_a_field_of_its_own_is_named(server: FakeOllama) -> None:
    """llama.cpp told so of errors in a stream until late in 2025 (llama.cpp issue 14566)."""
    api = next(one for one in APIS if one.backend == 'openai')

    def answer(exchange: Exchange) -> None:
        api.begin(exchange)
        exchange.write(b'error: {"code": 400, "message": "exceeds the context size"}\n\n')

    assert 'exceeds the context size' in str(failure(api, server, answer))


@pytest.mark.parametrize('form', ['json_schema', 'json_object', 'text'])
def test_the_schema_is_told_in_words_where_the_budget_counts_it(api: Api, server: FakeOllama,
                                                                form: str) -> None:
    server.answers[api.path] = api.said('{}')
    ask(api.provider(server.url, response_format=form))
    [(_, sent)] = api.asks(server)
    config = HypothesisConfig(vlm_backend=api.backend, base_url=server.url, response_format=form)
    assert (json.dumps(schema_words(SCHEMA))[1:-1] in json.dumps(sent)) is config.schema_in_words


def test_a_reply_that_was_cut_off_is_told_apart(api: Api, server: FakeOllama) -> None:
    def answer(exchange: Exchange) -> None:
        api.begin(exchange)
        api.piece(exchange, '{"a')
        api.end(exchange, 'max_tokens' if api.backend == 'anthropic' else 'length')

    server.answers[api.path] = answer
    assert ask(api.provider(server.url)).finish_reason == 'length'


@pytest.mark.parametrize('said', ['length', 'LENGTH', 'max_tokens', 'MAX_TOKENS', 'model_length'])
def test_servers_have_many_names_for_a_reply_that_was_cut_off(api: Api, server: FakeOllama,
                                                              said: str) -> None:
    def answer(exchange: Exchange) -> None:
        api.begin(exchange)
        api.thought(exchange, '{"a": 1}')
        api.end(exchange, said)

    assert 'until its tokens were used up' in str(failure(api, server, answer))


def test_a_stream_that_just_ends_counts_by_its_text(api: Api, server: FakeOllama) -> None:
    def answer(exchange: Exchange) -> None:
        api.begin(exchange)
        api.piece(exchange, '{"a": 1}')

    server.answers[api.path] = answer
    reply = ask(api.provider(server.url))
    assert (reply.text, reply.finish_reason, reply.model) == ('{"a": 1}', '', 'm')


@pytest.mark.parametrize(('begin', 'end'), [
    ('<think>', '</think>'), ('◁think▷', '◁/think▷'), ('[THINK]', '[/THINK]')])
def test_thoughts_between_marks_are_kept_apart(api: Api, server: FakeOllama, begin: str,
                                               end: str) -> None:
    server.answers[api.path] = api.said(f'\n{begin}a {{"b": 1}}', f' c{end}\n', '{"a": 1}')
    reply = ask(api.provider(server.url))
    assert (reply.thinking, reply.text) == ('a {"b": 1} c', '{"a": 1}')


def test_thoughts_that_the_template_began_are_kept_apart(api: Api, server: FakeOllama) -> None:
    server.answers[api.path] = api.said('so {"b": 1}', ' or c</think>\n', '{"a": 1}')
    reply = ask(api.provider(server.url))
    assert (reply.thinking, reply.text) == ('so {"b": 1} or c', '{"a": 1}')


@pytest.mark.parametrize('text', ['{"a": "</think> {}"}', '```json\n{"a": "</think>"}\n```'])
def test_an_answer_that_quotes_such_a_mark_stays_whole(api: Api, server: FakeOllama,
                                                       text: str) -> None:
    server.answers[api.path] = api.said(text)
    reply = ask(api.provider(server.url))
    assert (reply.thinking, reply.text) == ('', text)


def test_a_model_that_only_thinks_has_not_answered(api: Api, server: FakeOllama) -> None:
    def answer(exchange: Exchange) -> None:
        api.begin(exchange)
        api.piece(exchange, '<think>hm')
        api.end(exchange, 'max_tokens')

    error = failure(api, server, answer)
    assert error_name(error) == 'missing_response_field'
    assert 'though it was told not to think; choose one' in str(error)
    server.answers[api.path] = answer
    with pytest.raises(MissingField, match='set think to false, choose one'):
        ask(api.provider(server.url, think='true'))


@pytest.mark.parametrize('begun', ['', '\n'])
def test_an_answer_that_stands_where_thoughts_belong_is_taken(api: Api, server: FakeOllama,
                                                              begun: str) -> None:
    def answer(exchange: Exchange) -> None:
        api.begin(exchange)
        if begun:
            api.piece(exchange, begun)
        api.thought(exchange, '{"a":')
        api.thought(exchange, ' 1}')
        api.end(exchange)

    server.answers[api.path] = answer
    reply = ask(api.provider(server.url))
    assert (reply.text, reply.thinking) == ('{"a": 1}', '')
    server.answers[api.path] = api.said('<think>{"a": 1}')
    assert ask(api.provider(server.url)).text == '{"a": 1}'


EXTRAS = {'ollama': ('think', '"m" does not support thinking'),
          'openai': ('chat_template_kwargs',
                     'chat_template is not supported for Mistral tokenizers.'),
          'anthropic': ('thinking', 'thinking: Extra inputs are not permitted')}


def asked_twice(api: Api, server: FakeOllama, field: str, status: int, words: str) -> Any:
    """Return a provider that was answered twice by a server that refuses a field."""
    def answer(exchange: Exchange) -> None:
        if field in exchange.body:
            exchange.send(status, api.error(words), Content_Type='application/json')
        else:
            api.said('{"a": 1}')(exchange)

    server.answers[api.path] = answer
    provider = api.provider(server.url)
    for _ in range(2):
        assert ask(provider).text == '{"a": 1}'
    return provider


@pytest.mark.parametrize('status', [400, 422])
def test_a_field_that_a_server_refuses_by_name_is_left_out_from_then_on(
        api: Api, server: FakeOllama, status: int) -> None:
    field, words = EXTRAS[api.backend]

    provider = asked_twice(api, server, field, status, words)
    assert [field in sent for _, sent in api.asks(server)] == [True, False, False]
    notes = provider.probe(threading.Event()).notes
    assert any(field in note and 'asked without it' in note and words in note for note in notes)


HELD = {'ollama': 'format', 'openai': 'response_format'}


@pytest.mark.parametrize('api', [api for api in APIS if api.backend in HELD],
                         ids=lambda api: str(api.backend))
@pytest.mark.parametrize(('status', 'words'), [
    (400, 'The provided JSON schema contains features not supported by xgrammar.'),
    (400, 'Grammar error: Unimplemented keys: ["uniqueItems"]'),
    (400, 'Failed to initialize samplers: failed to parse grammar'),
    (500, 'failed to load model vocabulary required for format'),
    (422, 'Input validation error: `guided_json` is not enabled'),
    (500, 'Structured outputs are not available on this engine'),
    (501, 'Constrained decoding needs another backend')])
def test_a_server_that_refuses_the_schema_is_told_it_in_words(
        api: Api, server: FakeOllama, status: int, words: str) -> None:
    """In whatever words: vllm 26421, paroquant 31."""
    field = HELD[api.backend]

    provider = asked_twice(api, server, field, status, words)
    (_, first), *others = api.asks(server)
    assert [field in sent for _, sent in others] == [False, False]
    assert schema_words(SCHEMA) not in first['messages'][0]['content']
    assert all(schema_words(SCHEMA) in sent['messages'][0]['content'] for _, sent in others)
    notes = provider.probe(threading.Event()).notes
    assert any(words in note and 'schema in words' in note for note in notes)


def test_a_schema_that_is_refused_in_the_middle_of_a_stream_is_told_in_words(
        server: FakeOllama) -> None:
    api = next(one for one in APIS if one.backend == 'openai')

    def answer(exchange: Exchange) -> None:
        if 'response_format' in exchange.body:
            api.begin(exchange)
            api.fail(exchange, 'Failed to compile json grammar')
        else:
            api.said('{"a": 1}')(exchange)

    server.answers[api.path] = answer
    assert ask(api.provider(server.url)).text == '{"a": 1}'


def test_extras_that_were_not_the_reason_are_sent_again(server: FakeOllama) -> None:
    """What is left out stays out only where the server answers then."""
    api = next(one for one in APIS if one.backend == 'openai')
    provider = api.provider(server.url)
    server.answers[api.path] = lambda exchange: exchange.send(
        400, api.error('no picture of this schema'), Content_Type='application/json')
    with pytest.raises(ModelUnavailable, match='no picture'):
        ask(provider)
    assert len(api.asks(server)) <= 3
    server.answers[api.path] = api.said('{"a": 1}')
    ask(provider)
    assert 'response_format' in api.asks(server)[-1][1]
    assert not any('refuses' in note for note in provider.probe(threading.Event()).notes)


def test_a_question_with_tools_loses_no_extras_to_a_refusal_of_the_tools(
        api: Api, server: FakeOllama) -> None:
    server.answers[api.path] = lambda exchange: exchange.send(
        400, api.error('no grammar for these tools'), Content_Type='application/json')
    with pytest.raises(ModelUnavailable, match='no grammar'):
        ask(api.provider(server.url), tools=(TOOL,))
    assert len(api.asks(server)) == 1


def test_a_field_that_is_refused_though_it_was_not_sent_is_an_error(api: Api,
                                                                    server: FakeOllama) -> None:
    field, words = EXTRAS[api.backend]
    error = failure(api, server, lambda exchange: exchange.send(
        400, api.error(words), Content_Type='application/json'))
    assert words in str(error)
    assert [field in sent for _, sent in api.asks(server)] == [True, False]


def test_half_a_surrogate_pair_becomes_text_that_can_be_written(api: Api,
                                                                server: FakeOllama) -> None:
    server.answers[api.path] = api.said('a\ud800b')
    assert ask(api.provider(server.url)).text == 'a?b'


@pytest.mark.parametrize('code', [400, 401, 404, 429, 500, 503])
def test_an_error_status_is_named_with_what_the_server_said(api: Api, server: FakeOllama,
                                                            code: int) -> None:
    error = failure(api, server, lambda exchange: exchange.send(
        code, api.error('model "x" not found'), Content_Type='application/json'))
    assert isinstance(error, ModelUnavailable)
    assert error_name(error) == f'{api.backend}_error:model "x" not found'
    asked = len(api.asks(server))
    assert asked == (2 if code == 400 else 1), 'what is wrong in itself is tried without extras'


@pytest.mark.parametrize('body', [b'', b'[]', b'{"error": 5}', b'{"error": {"message": [1]}}'])
def test_an_error_without_words_is_named_by_its_status(api: Api, server: FakeOllama,
                                                       body: bytes) -> None:
    error = failure(api, server, lambda exchange: exchange.send(
        503, body, Content_Type='application/json'))
    assert isinstance(error, (ModelUnavailable, ModelReplyError))
    assert error_name(error)


def test_an_error_in_the_middle_of_a_stream_is_named(api: Api, server: FakeOllama) -> None:
    def answer(exchange: Exchange) -> None:
        api.begin(exchange)
        api.piece(exchange, '{"action"')
        api.fail(exchange, 'llama runner process has terminated')

    error = failure(api, server, answer)
    assert error_name(error) == f'{api.backend}_error:llama runner process has terminated'


def test_an_error_that_comes_as_a_success_is_named(api: Api, server: FakeOllama) -> None:
    error = failure(api, server, lambda exchange: exchange.send(
        200, api.error('out of memory'), Content_Type='application/json'))
    assert error_name(error) == f'{api.backend}_error:out of memory'


@pytest.mark.parametrize('code', [301, 302, 307, 308])
def test_a_redirect_is_not_followed(api: Api, server: FakeOllama, code: int) -> None:
    error = failure(api, server, lambda exchange: exchange.send(
        code, b'', Location=f'{server.url}/elsewhere'))
    assert error_name(error) == f'{api.backend}_error:HTTP {code}'
    assert '/elsewhere' not in [path for path, _, _ in server.requests]


def hang(api: Api, exchange: Exchange) -> None:
    exchange.server.release.wait(PATIENCE_S)


def drip(api: Api, exchange: Exchange) -> None:
    api.begin(exchange)
    while not exchange.server.release.wait(0.01):
        api.piece(exchange, ' ')


def drip_of_one_line(api: Api, exchange: Exchange) -> None:
    api.begin(exchange)
    while not exchange.server.release.wait(0.01):
        exchange.write(b' ')


Endless = Callable[[Api, Exchange], None]


@pytest.mark.parametrize('endless', [hang, drip, drip_of_one_line])
def test_the_deadline_ends_a_call_that_does_not_end(api: Api, server: FakeOllama,
                                                    endless: Endless) -> None:
    error = failure(api, server, lambda exchange: endless(api, exchange), SHORT_S)
    assert isinstance(error, ModelTimeout)
    assert '0.3 s' in str(error)


def test_the_request_timeout_caps_the_deadline(api: Api, server: FakeOllama) -> None:
    server.answers[api.path] = lambda exchange: hang(api, exchange)
    with pytest.raises(ModelTimeout, match=r'0\.3 s'):
        ask(api.provider(server.url, request_timeout_s=SHORT_S))


@pytest.mark.parametrize('endless', [hang, drip, drip_of_one_line])
def test_cancelling_ends_a_call_and_tells_the_server(api: Api, server: FakeOllama,
                                                     endless: Endless) -> None:
    server.answers[api.path] = lambda exchange: endless(api, exchange)
    provider = api.provider(server.url)
    cancelled = threading.Event()
    caught: list[SemanticNavError] = []

    def call() -> None:
        try:
            provider.ask(question(), 600.0, cancelled)
        except SemanticNavError as error:
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    wait_until(lambda: bool(api.asks(server)))
    cancelled.set()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert [type(error) for error in caught] == [CallCancelled]
    if endless is not hang:
        assert server.broken_off.wait(PATIENCE_S)


@pytest.fixture
def mute() -> Iterator[str]:
    """Return the URL of a server that takes connections and never says a word of TLS."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        yield f'https://127.0.0.1:{listener.getsockname()[1]}'


def test_the_deadline_ends_a_handshake_too(api: Api, mute: str) -> None:
    with pytest.raises(ModelTimeout):
        ask(api.provider(mute), SHORT_S)


def test_cancelling_ends_a_handshake_too(api: Api, mute: str) -> None:
    cancelled = threading.Event()
    threading.Timer(SHORT_S, cancelled.set).start()
    with pytest.raises(CallCancelled):
        api.provider(mute).ask(question(), PATIENCE_S, cancelled)


def many_pieces(api: Api, exchange: Exchange) -> None:
    api.begin(exchange)
    for number in range(100):
        api.piece(exchange, ''.join(f'{number}-{digit} ' for digit in range(200)))


def endless_line(api: Api, exchange: Exchange) -> None:
    api.begin(exchange)
    for _ in range(1000):
        exchange.wfile.write(b' ' * 65536)


def huge_error(api: Api, exchange: Exchange) -> None:
    exchange.send(500, b'x' * (16 << 20))


@pytest.mark.parametrize('gigantic', [many_pieces, endless_line, huge_error])
def test_a_gigantic_answer_is_not_read_to_its_end(api: Api, server: FakeOllama,
                                                  gigantic: Endless) -> None:
    error = failure(api, server, lambda exchange: gigantic(api, exchange))
    assert error_name(error) == 'reply_too_long'


def broken_off(api: Api, exchange: Exchange) -> None:
    exchange.send_response(200)
    exchange.send_header('Content-Type', api.content_type)
    exchange.send_header('Content-Length', '100000')
    exchange.end_headers()
    api.piece(exchange, '{"action"')


def reset(api: Api, exchange: Exchange) -> None:
    exchange.reset()


def reset_in_the_middle(api: Api, exchange: Exchange) -> None:
    api.begin(exchange)
    api.piece(exchange, '{"action"')
    exchange.reset()


@pytest.mark.parametrize('breaks', [broken_off, reset, reset_in_the_middle])
def test_a_connection_that_breaks_is_named(api: Api, server: FakeOllama, breaks: Endless) -> None:
    error = failure(api, server, lambda exchange: breaks(api, exchange))
    assert error_name(error) == 'connection_failed'


NONSENSE = [b'no protocol', b'\xff\xfe\xfa', b'null', b'[1, 2]', b'{}', b'{"choices": 5}',
            b'{"choices": [null]}', b'{"choices": [{"delta": 7}]}', b'{"message": "x"}',
            b'{"choices": [{"delta": {"tool_calls": [1]}}]}', b'[' * 100_000,
            b'{"type": "content_block_delta", "delta": null}', b'{"type": "message_start"}']


@pytest.mark.parametrize('line', NONSENSE, ids=range(len(NONSENSE)))
@pytest.mark.parametrize('form', [b'%s\n', b'data: %s\n\n', b'event: content_block_delta\n'
                                  b'data: %s\n\n', b'event: message_start\ndata: %s\n\n'])
def test_what_is_not_the_protocol_is_a_named_error(api: Api, server: FakeOllama, line: bytes,
                                                   form: bytes) -> None:
    def answer(exchange: Exchange) -> None:
        api.begin(exchange)
        exchange.write(form % line)

    error = failure(api, server, answer)
    assert isinstance(error, ModelReplyError)
    assert error_name(error) in ('bad_reply', 'missing_response_field')


@pytest.mark.parametrize('kind', ['text/html', 'application/json', 'application/octet-stream'])
def test_an_answer_of_another_kind_is_no_reply(api: Api, server: FakeOllama, kind: str) -> None:
    error = failure(api, server, lambda exchange: exchange.send(
        200, b'<html>Welcome</html>', Content_Type=kind))
    assert isinstance(error, ModelReplyError)


@pytest.mark.parametrize('status', [200, 500])
def test_a_compressed_answer_is_refused(api: Api, server: FakeOllama, status: int) -> None:
    bomb = gzip.compress(bytes(1 << 20))
    error = failure(api, server, lambda exchange: exchange.send(
        status, bomb, Content_Type=api.content_type, Content_Encoding='gzip'))
    assert isinstance(error, ModelReplyError)
    assert 'compressed' in str(error)


@pytest.mark.parametrize(('status', 'headers'), [
    (200, {'Content_Type': 'application/json; charset=idna'}),
    (200, {'Content_Type': 'text/plain; charset=utf-16'}),
    (500, {'Content_Type': 'text/html; charset=base64'}), (307, {'Location': 'http://xn--/'})])
def test_no_header_of_an_answer_brings_a_client_down(api: Api, server: FakeOllama, status: int,
                                                     headers: dict[str, str]) -> None:
    server.answers = dict.fromkeys(
        ('/api/show', '/v1/models', api.path),
        lambda exchange: exchange.send(status, b'words', **headers))
    provider = api.provider(server.url)
    with pytest.raises((ModelUnavailable, ModelReplyError)):
        ask(provider)
    assert not provider.probe(threading.Event()).ok
    server.answers['/api/show'] = not_found
    with pytest.raises((ModelUnavailable, ModelReplyError)):
        ask(provider)


def test_nobody_there(api: Api, free_port: int) -> None:
    nobody = api.provider(f'http://127.0.0.1:{free_port}')
    with pytest.raises(ModelUnavailable) as caught:
        ask(nobody)
    assert error_name(caught.value) == 'connection_failed'
    assert f'127.0.0.1:{free_port}' in str(caught.value)
    assert 'is it running?' in str(caught.value)


def test_a_name_that_no_host_can_have_is_nobody_there(api: Api) -> None:
    nobody = api.provider('http://gpu..box', allowed_hosts='gpu..box')
    with pytest.raises(ConnectionFailed, match=r'gpu\.\.box'):
        ask(nobody)
    assert not nobody.probe(threading.Event()).ok


#: All that a client library is known to read, and what leads requests elsewhere.
ENVIRON = {
    **dict.fromkeys(('HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'all_proxy',
                     'OLLAMA_HOST', 'OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL'),
                    'http://127.0.0.1:9'),
    **dict.fromkeys(('OPENAI_API_KEY', 'OPENAI_ADMIN_KEY', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID',
                     'OLLAMA_API_KEY', 'ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'), 'secret'),
    **dict.fromkeys(('OPENAI_CUSTOM_HEADERS', 'ANTHROPIC_CUSTOM_HEADERS'), 'X-Mine: secret')}


def test_no_environment_variable_leads_elsewhere_or_gives_a_key_away(
        api: Api, server: FakeOllama, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    server.answers[api.path] = api.said('{}')
    # The shell hands over no environment: the client library reads what it likes all the same.
    assert ask(api.provider(server.url)).text == '{}'
    [(headers, _)] = api.asks(server)
    assert 'secret' not in json.dumps(headers)
    assert {name.lower() for name in headers} <= {
        'host', 'accept', 'content-type', 'content-length', 'connection', 'user-agent',
        'transfer-encoding', 'anthropic-version'}


def test_a_backend_gets_its_own_key_and_no_other(api: Api, server: FakeOllama) -> None:
    server.answers[api.path] = api.said('{}')
    keys = {'OPENAI_API_KEY': 'sk-a', 'ANTHROPIC_API_KEY': 'ak-b', 'OLLAMA_API_KEY': 'ok-c'}
    provider = api.provider(server.url, keys)
    ask(provider)
    [(headers, _)] = api.asks(server)
    found = {name.lower(): value for name, value in headers.items()
             if any(key in value for key in keys.values())}
    assert found == {'ollama': {}, 'openai': {'authorization': 'Bearer sk-a'},
                     'anthropic': {'x-api-key': 'ak-b'}}[api.backend]


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, 'waited too long'
        threading.Event().wait(0.005)


@pytest.mark.parametrize(('library', 'core'), [(httpx, httpcore), (httpx2, httpcore2)])
def test_a_name_that_leads_to_another_machine_is_not_talked_to(library: Any,
                                                               core: Any) -> None:
    """The socket is checked too, for the system decides what `localhost` means."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(('192.0.2.1', 9))  # sends nothing
        except OSError:
            pytest.skip('this machine has no address but loopback')
        own_address = probe.getsockname()[0]
    with socket.create_server((own_address, 0)) as listener:
        url = f'http://{own_address}:{listener.getsockname()[1]}'
        guard = Guard(PATIENCE_S, 1000, threading.Event())
        transport = guarded_transport(library, core)(guard, Server(url))
        with library.Client(transport=transport) as client, \
                pytest.raises(ConnectionFailed, match='not this machine'):
            client.get(url)


@pytest.mark.parametrize(('piece', 'reason'), [
    (' \n', 'blanks'), (' no mug', 'repeats'), ('0', 'repeats'),
    ('{"name": "cup", "box": [1, 2, 3, 4]}, ', 'repeats')])
def test_a_reply_without_end_is_broken_off(api: Api, server: FakeOllama, piece: str,
                                           reason: str) -> None:
    left = threading.Event()

    def answer(exchange: Exchange) -> None:
        api.begin(exchange)
        api.piece(exchange, '{"action":')
        try:
            for _ in range(100_000):
                api.piece(exchange, piece)
        except OSError:
            left.set()

    server.answers[api.path] = answer
    reply = ask(api.provider(server.url))
    assert reply.finish_reason == reason and reply.text.startswith('{"action":')
    assert len(reply.text) < 2000
    assert left.wait(PATIENCE_S), 'the server is told to stop'


def test_blanks_and_nothing_else_are_an_empty_reply(api: Api, server: FakeOllama) -> None:
    error = failure(api, server, api.said(' ' * 60, ' ' * 60))
    assert error_name(error) == 'empty_reply' and 'nothing but blanks' in str(error)
    error = failure(api, server, api.said())
    assert error_name(error) == 'empty_reply' and 'no content' in str(error)


def test_a_long_reply_that_is_indented_and_lists_alike_things_is_read_whole(
        api: Api, server: FakeOllama) -> None:
    things = [{'name': 'chair', 'box': [number, 2, number + 3, 4]} for number in range(40)]
    text = json.dumps({'scene': {'objects': things}}, indent=8)
    server.answers[api.path] = api.said(*(text[at:at + 9] for at in range(0, len(text), 9)))
    reply = ask(api.provider(server.url))
    assert (reply.text, reply.finish_reason) == (text, 'stop')


@pytest.mark.parametrize('api', [api for api in APIS if api.backend in HELD],
                         ids=lambda api: str(api.backend))
def test_an_unheld_question_is_sent_without_the_schema(api: Api, server: FakeOllama) -> None:
    server.answers[api.path] = api.said('{"a": 1}')
    ask(api.provider(server.url), unheld=True, schema_in_words=True)
    [(_, sent)] = api.asks(server)
    assert HELD[api.backend] not in sent
    assert schema_words(SCHEMA) in sent['messages'][0]['content']
