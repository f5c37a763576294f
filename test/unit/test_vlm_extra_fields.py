"""What a server refuses of a request, through every provider with its real client."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from apis import APIS, Api
from fake_ollama import Exchange, FakeOllama, fake_ollama
from questions import TOOL, TOOL_TURNS, ask, question

from semantic_nav.contracts.errors import ModelUnavailable

Refusal = tuple[int, str]
OLLAMA, OPENAI, ANTHROPIC = APIS
HELD = {'ollama': 'format', 'openai': 'response_format'}
CRASH = 'The model has crashed without additional information. (Exit code: 11)'
NOT_LOADED = 'Failed to load model "qwen3-vl-8b". Error: Operation canceled.'
GOOD = '{"a": 1}'


@pytest.fixture(params=APIS, ids=lambda api: str(api.backend))
def api(request: pytest.FixtureRequest) -> Api:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(params=[OLLAMA, OPENAI], ids=lambda api: str(api.backend))
def holding(request: pytest.FixtureRequest) -> Api:
    """Return an API that can hold a reply to a schema."""
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    with fake_ollama() as running:
        yield running


def refuses(api: Api, server: FakeOllama,
            judge: Callable[[dict[str, Any], int], Refusal | None]) -> None:
    """Let a server judge each question by its body and its number, from 1."""
    def answer(exchange: Exchange) -> None:
        refusal = judge(exchange.body, len(api.asks(server)))
        if refusal is None:
            api.said(GOOD)(exchange)
        elif refusal[0] < 0:
            api.begin(exchange)
            api.fail(exchange, refusal[1])
        else:
            exchange.send(refusal[0], api.error(refusal[1]), Content_Type='application/json')

    server.answers[api.path] = answer


def sent_with(api: Api, server: FakeOllama, field: str) -> list[bool]:
    return [field in sent for _, sent in api.asks(server)]


def notes(provider: Any) -> str:
    return '; '.join(provider.probe(threading.Event()).notes)


# Roles

#: As chat templates say it, behind sglang (892), llama.cpp (19851), opencode 5034, Ollama (18241).
OF_ROLES = (
    (400, 'System role not supported'), (500, 'System role not supported'),
    (500, 'Only user, assistant and tool roles are supported, got system. at row 58, column 122'),
    (400, 'Conversation roles must alternate user/assistant/user/assistant/...'),
    (500, '\n------------\nWhile executing CallExpression at line 47, column 32 in source:\n...== '
          "0) %}↵            {{- raise_exception('After the optional system message, con...\n"
          '         ^\nError: Jinja Exception: After the optional system message, conversation '
          'roles must alternate user and assistant roles'),
    (422, 'body.messages.0.role: Input should be user or assistant'),
    (-1, 'System messages are not supported by this model'))


def has_other_roles(body: dict[str, Any]) -> bool:
    """Tell whether a chat template of user and assistant, in turns, refuses the conversation."""
    turns = [message['role'] for message in body['messages']]
    alternating = [('user', 'assistant')[index % 2] for index in range(len(turns))]
    blocks = [block['type'] for message in body['messages']
              for block in message.get('content') or () if isinstance(block, dict)]
    return bool(body.get('system')) or turns != alternating or 'tool_result' in blocks


@pytest.mark.parametrize('refusal', OF_ROLES)
def test_a_template_without_a_system_role_is_told_the_rules_by_the_user(
        api: Api, server: FakeOllama, refusal: Refusal) -> None:
    refuses(api, server, lambda body, _: refusal if has_other_roles(body) else None)
    provider = api.provider(server.url)
    for _ in range(2):
        assert ask(provider).text == GOOD
    (_, first), (_, second), (_, third) = api.asks(server)
    assert has_other_roles(first) and second == third
    [turn] = second['messages']
    assert 'rules' in str(turn) and 'what now?' in str(turn)
    assert first | {'messages': 0, 'system': 0} == second | {'messages': 0, 'system': 0}
    assert 'the roles system and tool' in notes(provider)


@pytest.mark.parametrize('refusal', OF_ROLES[2:5])
def test_a_template_without_a_role_of_tools_is_told_in_words_what_they_gave(
        api: Api, server: FakeOllama, refusal: Refusal) -> None:
    """Of user and assistant alone, in turns: a picture after a tool's result breaks that too."""
    refuses(api, server, lambda body, _: refusal if has_other_roles(body) else None)
    messages = (*question().messages, *TOOL_TURNS)
    assert ask(api.provider(server.url), messages=messages, tools=(TOOL,)).text == GOOD
    user, called, result = api.asks(server)[-1][1]['messages']
    assert 'The JSON schema' in str(user)
    assert 'recall' in str(called) and 'mugs' in str(called) and 'tool_calls' not in called
    assert 'The result of recall' in str(result) and 'the kitchen' in str(result)
    assert 'image' in str(result), 'the picture of the tool'


# The longest reply

@pytest.mark.parametrize('words', [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
    "'max_completion_tokens' instead.",
    'Use max_completion_tokens instead of max_tokens',
    "litellm.UnsupportedParamsError: openai does not support parameters: ['max_tokens']"])
@pytest.mark.parametrize('knows_new', [True, False])
def test_a_server_that_refuses_max_tokens_is_told_by_its_new_name(
        server: FakeOllama, words: str, knows_new: bool) -> None:
    def judge(body: dict[str, Any], count: int) -> Refusal | None:
        refused = 'max_tokens' in body or ('max_completion_tokens' in body and not knows_new)
        return (400, words) if refused else None

    refuses(OPENAI, server, judge)
    provider = OPENAI.provider(server.url)
    for _ in range(2):
        ask(provider)
    (_, first), *_, (_, last) = OPENAI.asks(server)
    assert set(first) - set(last) == {'max_tokens'}, 'no other field is given up'
    assert last.get('max_completion_tokens') == (first['max_tokens'] if knows_new else None)
    assert len(OPENAI.asks(server)) == (3 if knows_new else 4)
    assert 'max_tokens' in notes(provider)


def test_a_limit_that_is_too_large_for_the_window_is_not_given_up(server: FakeOllama) -> None:
    refuses(OPENAI, server, lambda body, _: (
        400, "'max_tokens' or 'max_completion_tokens' is too large: 512"))
    with pytest.raises(ModelUnavailable, match='too large'):
        ask(OPENAI.provider(server.url))
    assert all(sent_with(OPENAI, server, 'max_tokens'))


def test_two_fields_are_refused_one_after_the_other(server: FakeOllama) -> None:
    def judge(body: dict[str, Any], count: int) -> Refusal | None:
        if 'max_tokens' in body:
            return 400, "'max_tokens' is not supported. Use 'max_completion_tokens' instead."
        if 'temperature' in body:
            return 400, "Unsupported value: 'temperature' does not support 0.2 with this model."
        return None

    refuses(OPENAI, server, judge)
    provider = OPENAI.provider(server.url)
    ask(provider)
    asked = OPENAI.asks(server)
    assert len(asked) == 3 and 'response_format' in asked[-1][1]


# Refusals that pass

@pytest.mark.parametrize('words', [CRASH, NOT_LOADED, 'Model is unloaded.', 'Something odd.',
                                   'The stream was aborted.'])
def test_one_passing_refusal_costs_the_later_questions_nothing(
        api: Api, server: FakeOllama, words: str) -> None:
    refuses(api, server, lambda _, count: (400, words) if count == 1 else None)
    provider = api.provider(server.url)
    for _ in range(3):
        assert ask(provider).text == GOOD
    (_, first), _, *later = api.asks(server)
    assert [sent for _, sent in later] == [first, first]
    assert 'refuses' not in notes(provider)


@pytest.mark.parametrize('words', [NOT_LOADED, 'Model is unloaded.', 'The stream was aborted.'])
def test_a_model_that_is_loaded_anew_for_each_question_keeps_its_schema(
        holding: Api, server: FakeOllama, words: str) -> None:
    refuses(holding, server, lambda _, count: (400, words) if count % 2 else None)
    provider = holding.provider(server.url)
    for _ in range(4):
        ask(provider)
    asked = [sent for _, sent in holding.asks(server)]
    assert len(asked) == 8 and all(sent == asked[0] for sent in asked)
    assert 'refuses' not in notes(provider)


def test_a_refusal_that_names_nothing_holds_when_it_comes_again(
        holding: Api, server: FakeOllama) -> None:
    field = HELD[holding.backend]
    refuses(holding, server, lambda body, _: (
        400, 'Unexpected field of the type object') if field in body else None)
    provider = holding.provider(server.url)
    for _ in range(3):
        assert ask(provider).text == GOOD
    assert sent_with(holding, server, field) == [True, False, True, False, False]
    assert 'The JSON schema' in str(holding.asks(server)[-1][1]['messages'])
    assert 'one of' in notes(provider) and field in notes(provider)


@pytest.mark.parametrize(('status', 'words'), [
    (400, CRASH), (500, CRASH), (-1, CRASH), (500, 'unknown error'), (-1, 'unknown error')])
def test_a_server_that_fails_over_the_schema_each_time_is_asked_without(
        holding: Api, server: FakeOllama, status: int, words: str) -> None:
    """It fails in whatever words: lmstudio-js 412."""
    field = HELD[holding.backend]
    refuses(holding, server, lambda body, _: (status, words) if field in body else None)
    provider = holding.provider(server.url)
    if status != 400:
        # With 400 it is asked again at once; else it is the next question that tells.
        with pytest.raises(ModelUnavailable):
            ask(provider)
    for _ in range(3):
        assert ask(provider).text == GOOD
    again = [True] if status == 400 else []
    assert sent_with(holding, server, field) == [True, True, False, True, *again, False, False]
    assert field in notes(provider) and words in notes(provider)


def test_a_server_that_fails_now_and_then_keeps_its_schema(
        holding: Api, server: FakeOllama) -> None:
    """At random, as Ollama does (15828)."""
    refuses(holding, server, lambda _, count: (500, 'unknown error') if count in (1, 3) else None)
    provider = holding.provider(server.url)
    for fails in (True, False, True, False):
        if fails:
            with pytest.raises(ModelUnavailable):
                ask(provider)
        else:
            ask(provider)
    assert sent_with(holding, server, HELD[holding.backend]) == [True] * 4
