"""The Ollama provider with the real client, against a server that behaves well or badly."""

import base64
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from fake_ollama import Exchange, FakeOllama, chunk, fake_ollama, show, status, streamed
from questions import JPEG, PATIENCE_S, PROMPT, question, said

from semantic_nav.contracts.errors import (
    ModelReplyError,
    ModelTimeout,
    ModelUnavailable,
    SemanticNavError,
)
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import Reply
from semantic_nav.vlm.events import Exchange as Repair
from semantic_nav.vlm.guarded_http import Guard
from semantic_nav.vlm.guarded_httpx import GuardedTransport
from semantic_nav.vlm.ollama_provider import OllamaProvider
from semantic_nav.vlm.provider import CallCancelled, ConnectionFailed, error_name
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


def ask(server: FakeOllama, deadline_s: float = PATIENCE_S) -> Reply:
    return provider(server).ask(question(), deadline_s, threading.Event())


def failure(server: FakeOllama, answer: Callable[[Exchange], None],
            deadline_s: float = PATIENCE_S) -> SemanticNavError:
    server.on_chat(answer)
    with pytest.raises(SemanticNavError) as caught:
        ask(server, deadline_s)
    return caught.value


def test_a_streamed_reply_is_put_together(server: FakeOllama) -> None:
    server.on_chat(streamed('{"a":', ' "größer"', '}'))
    assert ask(server) == said('{"a": "größer"}', 'stop', 1200, 3, model='m')


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


def test_no_environment_variable_leads_elsewhere(server: FakeOllama,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    server.on_chat(streamed('{}'))
    for name in ('HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'OLLAMA_HOST'):
        monkeypatch.setenv(name, 'http://127.0.0.1:9')
    monkeypatch.setenv('OLLAMA_API_KEY', 'secret')
    assert ask(server).text == '{}'
    assert 'secret' not in json.dumps(server.requests[0][1])


def test_a_stream_without_done_counts_by_its_text(server: FakeOllama) -> None:
    server.on_chat(streamed('{"a": 1}', done=False))
    assert ask(server) == said('{"a": 1}', model='m')


@pytest.mark.parametrize('code', [400, 404, 500, 503])
def test_an_error_status_is_named_with_what_the_server_said(server: FakeOllama,
                                                            code: int) -> None:
    error = failure(server, status(code, 'model "x" not found'))
    assert isinstance(error, ModelUnavailable)
    assert error_name(error) == 'ollama_error:model "x" not found'


def test_an_error_in_the_middle_of_a_stream_is_named(server: FakeOllama) -> None:
    def answer(exchange: Exchange) -> None:
        exchange.begin_stream()
        exchange.line(chunk('{"action"'))
        exchange.line({'error': 'llama runner process has terminated'})

    error = failure(server, answer)
    assert error_name(error) == 'ollama_error:llama runner process has terminated'


@pytest.mark.parametrize('code', [301, 302, 307, 308])
def test_a_redirect_is_not_followed(server: FakeOllama, code: int) -> None:
    error = failure(server, status(code, Location=f'{server.url}/api/show'))
    assert error_name(error) == f'ollama_error:HTTP {code}'
    assert [path for path, _, _ in server.requests] == ['/api/chat']


def hang(exchange: Exchange) -> None:
    exchange.server.release.wait(PATIENCE_S)


def drip(exchange: Exchange) -> None:
    exchange.begin_stream()
    while not exchange.server.release.wait(0.01):
        exchange.line(chunk(' '))


def drip_of_one_line(exchange: Exchange) -> None:
    exchange.begin_stream()
    while not exchange.server.release.wait(0.01):
        exchange.wfile.write(b' ')
        exchange.wfile.flush()


@pytest.mark.parametrize('answer', [hang, drip, drip_of_one_line])
def test_the_deadline_ends_a_call_that_does_not_end(server: FakeOllama,
                                                    answer: Callable[[Exchange], None]) -> None:
    error = failure(server, answer, deadline_s=0.3)
    assert isinstance(error, ModelTimeout)
    assert error_name(error) == 'timeout'


@pytest.mark.parametrize('answer', [hang, drip, drip_of_one_line])
def test_cancelling_ends_a_call_and_tells_the_server(server: FakeOllama,
                                                     answer: Callable[[Exchange], None]) -> None:
    server.on_chat(answer)
    cancelled = threading.Event()
    caught: list[SemanticNavError] = []

    def call() -> None:
        try:
            provider(server).ask(question(), 600.0, cancelled)
        except SemanticNavError as error:
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    wait_until(lambda: bool(server.requests))
    cancelled.set()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert [type(error) for error in caught] == [CallCancelled]
    if answer is not hang:
        assert server.broken_off.wait(PATIENCE_S)


def many_chunks(exchange: Exchange) -> None:
    exchange.begin_stream()
    for _ in range(100):
        exchange.line(chunk('x' * 1000))


def endless_line(exchange: Exchange) -> None:
    exchange.begin_stream()
    for _ in range(1000):
        exchange.wfile.write(b' ' * 65536)


def huge_error(exchange: Exchange) -> None:
    exchange.send(500, b'x' * (16 << 20))


@pytest.mark.parametrize('answer', [many_chunks, endless_line, huge_error])
def test_a_gigantic_answer_is_not_read_to_its_end(server: FakeOllama,
                                                  answer: Callable[[Exchange], None]) -> None:
    assert error_name(failure(server, answer)) == 'reply_too_long'


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
    error = failure(server, raw(*lines))
    assert isinstance(error, ModelReplyError)
    assert error_name(error) == name


def test_a_compressed_answer_is_refused(server: FakeOllama) -> None:
    error = failure(server, lambda exchange: exchange.send(200, b'x', Content_Encoding='gzip'))
    assert isinstance(error, ModelReplyError)


def test_half_a_surrogate_pair_becomes_text_that_can_be_written(server: FakeOllama) -> None:
    server.on_chat(raw(b'{"message": {"role": "assistant", "content": "a\\ud800b"}}'))
    assert ask(server).text == 'a?b'


def test_a_connection_that_breaks_off_is_named(server: FakeOllama) -> None:
    def answer(exchange: Exchange) -> None:
        exchange.send_response(200)
        exchange.send_header('Content-Length', '1000')
        exchange.end_headers()
        exchange.wfile.write(b'{"message"')

    assert error_name(failure(server, answer)) == 'connection_failed'


def test_nobody_there(free_port: int) -> None:
    nobody = at(f'http://127.0.0.1:{free_port}')
    with pytest.raises(ModelUnavailable) as caught:
        nobody.ask(question(), PATIENCE_S, threading.Event())
    assert error_name(caught.value) == 'connection_failed'
    assert str(free_port) in str(caught.value)
    probed = nobody.probe()
    assert not probed.ok
    assert 'is it running?' in probed.message


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


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, 'waited too long'
        threading.Event().wait(0.005)


def test_a_name_that_leads_to_another_machine_is_not_talked_to() -> None:
    """The socket is checked too, for the system decides what `localhost` means."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(('192.0.2.1', 9))  # sends nothing
        except OSError:
            pytest.skip('this machine has no address but loopback')
        own_address = probe.getsockname()[0]
    with socket.create_server((own_address, 0)) as listener:
        guard = Guard(PATIENCE_S, 1000, threading.Event())
        url = f'http://{own_address}:{listener.getsockname()[1]}'
        with httpx.Client(transport=GuardedTransport(guard, Server(url))) as client, \
                pytest.raises(ConnectionFailed, match='not this machine'):
            client.get(url)
