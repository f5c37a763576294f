"""The provider for OpenAI's API against a real llama.cpp server with a real, very small model.

The model is too small to be right about anything: what counts is what crosses the wire.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from image_projector import IMAGE_TOKENS
from llama_cpp import WINDOW, LlamaCpp, llama_cpp
from looks_under_grammar import looks
from questions import PATIENCE_S, PROMPT, SCHEMA, TOOL, ask, picture, question

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import Image, Message, Question, Reply, Role, Text, ToolCall
from semantic_nav.vlm.errors import BadPicture, CallCancelled, ServerRefused
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.gate.boxes import BoxConvention, asked_box
from semantic_nav.vlm.gate.gate import GateContext, Passed, judged
from semantic_nav.vlm.gate.wire import request_schema
from semantic_nav.vlm.look.tools import tools
from semantic_nav.vlm.prompt.prompt import Exchange
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav.vlm.providers.provider import Provider
from semantic_nav.vlm.providers.question import messages_of
from semantic_nav_sim.ports import free_port

#: Slots of the server: one is left when a call runs on that should not.
SLOTS = 2
#: One thread of a busy machine writes ten tokens a second.
LONG_S = 120.0
CONTEXT = GateContext(BoxConvention.PIXELS, (640, 480), frozenset())


@pytest.fixture(scope='module')
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaCpp]:
    with llama_cpp(tmp_path_factory.mktemp('llama'), free_port(), SLOTS) as running:
        yield running


def provider(server: LlamaCpp, **parameters: Any) -> Provider:
    return make_provider(HypothesisConfig(
        vlm_backend='openai', base_url=f'{server.url}/v1', model='smollm2', **parameters))


def short_schema() -> dict[str, Any]:
    """Return what the model is asked for, in as few tokens as a hypothesis can have."""
    schema = deepcopy(SCHEMA)
    schema['anyOf'] = [form for form in schema['anyOf'] if form['properties']['action'][
        'enum'] != ['approach']]
    for form in schema['anyOf']:
        wanted = form['properties']
        wanted['rationale']['maxLength'] = 4
        wanted['scene']['properties']['place']['maxLength'] = 0
        wanted['scene']['properties']['objects']['maxItems'] = 0
    return schema


#: Shows the model how to write without white space, of which a grammar allows plenty.
EXAMPLE = Exchange(
    '{"action":"stop","target_status":"visible","confidence_percent":90,"target_box":null,'
    '"scene":{"place":"","objects":[]},"rationale":"mug"}', 'Again.')


def test_twelve_hypotheses_pass_the_gate(server: LlamaCpp) -> None:
    asked = question(replace(PROMPT, repairs=(EXAMPLE,)), picture(size=(112, 112)),
                     max_tokens=200, temperature=0.8)
    asked = replace(asked, schema=short_schema())
    model = provider(server)
    for seed in range(12):
        reply = model.ask(replace(asked, seed=seed), LONG_S, threading.Event())
        assert reply.finish_reason == 'stop', reply.text
        found = judged(reply.text, replace(CONTEXT, place_ids=frozenset(re.findall(
            r'"node_id" *: *"([^"]*)"', reply.text))))
        assert isinstance(found, Passed), (reply.text, found)
        assert set(found.otherwise) <= {'target_box'}, reply.text


def test_looks_of_the_product_keep_what_was_asked_for(server: LlamaCpp) -> None:
    """Three of those of `make looks`, of which nine of ten must pass."""
    for one in looks(server, 3):
        assert one.held or not one.finished, one.text
        assert not one.wrong, one.text
        assert not one.refusal or not one.finished or 'encloses nothing' in one.refusal


#: What the grammar says of a schema: all of it where it is held.
HELD: list[tuple[dict[str, Any], str]] = [
    ({'type': 'integer', 'minimum': 0, 'maximum': 100},
     '([0-9] | ([1-8] [0-9] | [9] [0-9]) | "100")'),
    ({'type': 'string', 'enum': ['a', 'b']}, r'("\"a\"" | "\"b\"")'),
    ({'type': 'string', 'minLength': 1, 'maxLength': 3}, r'"\"" char{1,3} "\""'),
    ({'type': 'array', 'items': {'type': 'null'}, 'minItems': 2, 'maxItems': 3},
     '"[" space null ("," space null){1,2} space "]"'),
    ({'anyOf': [{'type': 'null'}, {'type': 'boolean'}]}, 'null | boolean'),
    ({'type': 'object', 'additionalProperties': False, 'required': ['a'],
      'properties': {'a': {'type': 'null'}}}, '"{" space response-format-schema-a-kv space "}"')]
NOT_HELD: list[tuple[dict[str, Any], str]] = [
    ({'type': 'integer', 'minimum': 0, 'maximum': 9, 'multipleOf': 5}, '([0-9])'),
    ({'type': 'string', 'pattern': '^[a-z]+$', 'maxLength': 3}, r'"\"" ([a-z]+) "\""'),
    ({'type': 'string', 'pattern': 'abc'}, 'string'),
    ({'type': 'array', 'items': {'type': 'null'}, 'maxItems': 3, 'uniqueItems': True},
     '"[" space (null ("," space null){0,2})? space "]"'),
    ({'type': 'array', 'items': {'type': 'null'}, 'maxItems': 3, 'contains': {'const': 1}},
     '"[" space (null ("," space null){0,2})? space "]"'),
    ({'type': 'object', 'additionalProperties': False, 'minProperties': 1, 'required': [],
      'properties': {'a': {'type': 'null'}}},
     '"{" space  (response-format-schema-a-kv )? space "}"')]


def grammar_of(server: LlamaCpp, schema: dict[str, Any]) -> str:
    server.post('/v1/chat/completions', {
        'model': 'smollm2', 'messages': [{'role': 'user', 'content': 'Say hello.'}],
        'max_tokens': 1, 'response_format': {'type': 'json_schema', 'json_schema': {
            'name': 'a', 'strict': True, 'schema': schema}}})
    return server.last_grammar


@pytest.mark.parametrize(('schema', 'rule'), HELD + NOT_HELD)
def test_the_grammar_is_that_of_the_documentation(server: LlamaCpp, schema: dict[str, Any],
                                                  rule: str) -> None:
    """See the table in docs/models.md."""
    assert f'\nresponse-format-schema ::= {rule}\n' in grammar_of(server, schema)


def test_no_bound_of_a_number_is_in_the_grammar(server: LlamaCpp) -> None:
    bounded, free = (grammar_of(server, {'type': 'number', **bounds})
                     for bounds in ({'minimum': 0, 'maximum': 1}, {}))
    assert bounded == free


#: Ollama keeps the grammar that it makes of a schema in as many bytes, and cut what was more
#: (llama.go, 2025); nothing else of its limits is known here.
OLLAMA_BYTES = 32 * 1024


@pytest.mark.parametrize('boxes', BoxConvention)
def test_what_is_asked_for_is_no_large_grammar(server: LlamaCpp, boxes: BoxConvention) -> None:
    schema = request_schema(boxes, (1036, 784), [f'memory-s-{n}' for n in range(3)])
    assert len(grammar_of(server, schema)) < OLLAMA_BYTES


def test_whole_numbers_leave_nothing_of_shares(server: LlamaCpp) -> None:
    """So a family that writes boxes as shares is asked for shares (`boxes.asked_box`)."""
    habit: list[dict[str, str]] = []
    for box in ('[0.12, 0.31, 0.45, 0.78]', '[0.52, 0.10, 0.81, 0.33]', ''):
        habit += [{'role': 'user', 'content': 'Where is it? In thousandths, 0 to 1000.'},
                  {'role': 'assistant', 'content': f'{{"box": {box}}}'}]
    said = []
    for boxes in (BoxConvention.PERMILLE, BoxConvention.UNIT):
        schema = {'type': 'object', 'properties': {'box': asked_box(boxes)}, 'required': ['box'],
                  'additionalProperties': False}
        reply = server.post('/v1/chat/completions', {
            'model': 'smollm2', 'messages': habit[:-1], 'max_tokens': 80, 'temperature': 0,
            'response_format': {'type': 'json_schema', 'json_schema': {
                'name': 'a', 'strict': True, 'schema': schema}}})
        said.append(json.loads(reply['choices'][0]['message']['content'])['box'])
    assert said[0] == [0, 0, 0, 0]
    assert any(0 < side < 1 for side in said[1])


def test_there_is_no_grammar_behind_the_other_ways_in(server: LlamaCpp) -> None:
    schema = {'type': 'boolean'}
    assert grammar_of(server, schema)
    said = [{'role': 'user', 'content': 'Say hello.'}]
    for path, body in (
            ('/v1/responses', {'input': 'Say hello.', 'max_output_tokens': 2, 'text': {
                'format': {'type': 'json_schema', 'name': 'a', 'strict': True,
                           'schema': schema}}}),
            ('/v1/messages', {'messages': said, 'max_tokens': 2, 'output_config': {
                'format': {'type': 'json_schema', 'schema': schema}}})):
        server.post(path, {'model': 'smollm2', **body})
        assert server.last_grammar == '', path


def test_the_whole_schema_is_taken_by_the_server(server: LlamaCpp) -> None:
    """What it says in it would take minutes: the first words must do."""
    reply = provider(server).ask(question(max_tokens=24), LONG_S, threading.Event())
    assert reply.finish_reason == 'length'
    assert reply.text.replace(' ', '').replace('\n', '').startswith('{"action":"')
    assert reply.usage.reply_tokens == 24
    assert reply.model == 'smollm2'


def test_a_schema_that_the_server_refuses_is_left_out(server: LlamaCpp) -> None:
    wrong = replace(question(), schema={'type': 'nothing'})
    asked = provider(server)
    assert asked.ask(wrong, PATIENCE_S, threading.Event()).text
    assert any('response_format' in note for note in asked.probe(threading.Event()).notes)


def calls(*places: str) -> tuple[Message, ...]:
    """Return a conversation in which the model has called a tool, and is asked to once more."""
    turns: list[Message] = [Message(Role.SYSTEM, (Text('You call tools.'),))]
    for place in places:
        turns += [Message(Role.USER, (Text(f'Recall {place}.'),)),
                  Message(Role.ASSISTANT, (ToolCall(f'id-{place}', 'recall', {'query': place}),))]
    return tuple(turns[:-1])


def test_a_tool_is_called(server: LlamaCpp) -> None:
    asked = question(tools=(TOOL,), messages=calls('cups', 'chairs', 'lamps', 'mugs'),
                     schema={}, temperature=0.0, max_tokens=60)
    reply = provider(server).ask(asked, LONG_S, threading.Event())
    [call] = reply.calls
    assert (call.name, call.arguments, call.problem) == ('recall', {'query': 'mugs'}, '')
    assert call.id
    assert (reply.text, reply.finish_reason) == ('', 'tool_calls')


def test_the_schema_of_a_tool_is_taken_by_the_server(server: LlamaCpp) -> None:
    """The one with most to it; all of them would take long to read."""
    (reach,) = (tool for tool in tools(BoxConvention.PERMILLE) if tool.name == 'check_reachable')
    asked = question(tools=(reach,), messages=calls('mugs'), schema={}, max_tokens=2)
    assert provider(server).ask(asked, LONG_S, threading.Event()).usage.reply_tokens == 2


def prompt_tokens(server: LlamaCpp, *parts: Text | Image) -> int:
    asked = replace(question(), messages=(Message(Role.USER, parts),), schema={}, max_tokens=4)
    return ask_text(server, asked).usage.prompt_tokens


def ask_text(server: LlamaCpp, asked: Question) -> Reply:
    """Ask for free text, which needs no grammar."""
    return provider(server, response_format='text').ask(asked, LONG_S, threading.Event())


@pytest.mark.parametrize('fmt', ['JPEG', 'PNG', 'BMP', 'GIF'])
def test_pictures_of_these_formats_are_seen(server: LlamaCpp, fmt: str) -> None:
    """The server goes by the bytes, whatever the URL calls them."""
    few = prompt_tokens(server, Text('what now?'))
    more = prompt_tokens(server, Text('what now?'), Image(picture(fmt)))
    assert more - few >= IMAGE_TOKENS


@pytest.mark.parametrize('image', [
    picture('WEBP'), b'no picture', picture('PNG')[:100], b''],
    ids=['WebP', 'words', 'half a PNG', 'nothing'])
def test_a_picture_that_cannot_be_read_is_refused(server: LlamaCpp, image: bytes) -> None:
    with pytest.raises(ServerRefused, match='400'):
        prompt_tokens(server, Text('what now?'), Image(image))


def test_half_a_jpeg_would_be_taken_and_is_not_sent(server: LlamaCpp) -> None:
    half = picture(size=(640, 480))
    half = half[:len(half) // 2]
    assert prompt_tokens(server, Text('what now?'), Image(half)) > IMAGE_TOKENS
    with pytest.raises(BadPicture):
        messages_of(PROMPT, half)


def test_an_oversized_prompt_is_refused_in_words(server: LlamaCpp) -> None:
    asked = replace(question(), messages=(
        Message(Role.USER, (Text('word ' * (WINDOW + 100)),)),))
    with pytest.raises(ServerRefused, match='exceeds the available context size') as caught:
        ask_text(server, asked)
    assert caught.value.status == 400


def test_the_probe_knows_the_model(server: LlamaCpp) -> None:
    found = provider(server).probe(threading.Event())
    [boxes] = found.notes
    assert 'how smollm2 writes boxes is not known' in boxes
    assert found == ModelProbed(True, f'smollm2 at {server.url}', 'smollm2', '', True, True,
                                WINDOW, None, (boxes,), offered=('smollm2',))
    other = make_provider(HypothesisConfig(
        vlm_backend='openai', base_url=server.url, model='other')).probe(threading.Event())
    assert not other.ok
    assert 'but smollm2' in other.message


def test_where_no_model_is_named_its_only_one_is_taken(server: LlamaCpp) -> None:
    unnamed = make_provider(HypothesisConfig(vlm_backend='openai', base_url=server.url))
    found = unnamed.probe(threading.Event())
    assert (found.ok, found.model, found.vision) == (True, 'smollm2', True)
    assert 'smollm2 is asked, the only one there that sees' in found.notes[0]


def test_a_model_of_another_name_answers_all_the_same(server: LlamaCpp) -> None:
    """llama.cpp serves one model, whatever it is asked for: so the probe must compare names."""
    other = make_provider(HypothesisConfig(
        vlm_backend='openai', base_url=server.url, model='other'))
    assert ask(other, max_tokens=8).model == 'smollm2'


def test_a_cancelled_call_stops_at_the_server(server: LlamaCpp) -> None:
    cancelled = threading.Event()
    caught: list[BaseException] = []
    endless = replace(question(), max_tokens=WINDOW // 2, messages=(
        Message(Role.USER, (Text('Count to a million.'),)),))

    def call() -> None:
        try:
            provider(server).ask(endless, LONG_S, cancelled)
        except CallCancelled as error:
            caught.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    until(lambda: server.busy)
    cancelled.set()
    thread.join(PATIENCE_S)
    assert len(caught) == 1
    until(lambda: not server.busy)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG_S
    while not condition():
        assert time.monotonic() < end, 'waited too long'
        threading.Event().wait(0.02)
