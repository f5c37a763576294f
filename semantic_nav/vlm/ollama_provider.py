"""A model behind Ollama's API, through Ollama's own client."""

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from threading import Event as Flag
from typing import Any, cast

import httpcore
import httpx
import ollama
import pydantic

from semantic_nav.contracts.errors import ModelReplyError, SemanticNavError
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import (
    Message,
    Question,
    Reply,
    Role,
    ToolResult,
    with_schema_in_words,
    words_of,
)
from semantic_nav.vlm.guarded_http import Guard
from semantic_nav.vlm.guarded_httpx import GuardedTransport
from semantic_nav.vlm.provider import (
    ConnectionFailed,
    MissingField,
    ProbeResult,
    ServerRefused,
    shown,
)
from semantic_nav.vlm.reply_builder import ReplyBuilder
from semantic_nav.vlm.server import Server

_PROBE_S = 2.0


class OllamaProvider:
    """Asks a model on `/api/chat`, streamed, so that the server stops when the call is broken off.

    A server that has the model but no `/api/chat` is asked on `/api/generate`, without tools.

    Each call has its own connection: on loopback that costs little, and a broken one is of no
    consequence for the next.
    """

    def __init__(self, config: HypothesisConfig, server: Server) -> None:
        """Talk to a server; nothing is sent yet.

        Args:
            config: model and options.
            server: where it is, and the limits of a call.
        """
        self._config = config
        self._server = server
        self._chat_is_served = True

    def ask(self, question: Question, deadline_s: float, cancelled: Flag) -> Reply:
        """Return the model's reply; see `Provider.ask`.

        A stream that ends without `done` still counts when it brought text, for Ollama ends so
        where the model repeats itself; whether the text is whole is for the gate to say.
        """
        guard = self._server.guard(deadline_s, cancelled)
        with self._client(guard) as client:
            if self._chat_is_served:
                try:
                    with _named_errors():
                        return self._chat(client, question, guard)
                except ServerRefused as error:
                    if error.status != httpx.codes.NOT_FOUND or not self._has_model(client):
                        raise
                    self._chat_is_served = False
            with _named_errors():
                return self._generate(client, question, guard)

    def _chat(self, client: ollama.Client, question: Question, guard: Guard) -> Reply:
        building = ReplyBuilder()
        # A reply that is held to a schema can call no tool.
        parts = client.chat(
            self._config.model, messages(question), stream=True,
            format=None if question.tools else question.schema,
            tools=tools(question), options=_options(question),
            keep_alive=self._config.keep_alive, think=self._config.think)
        with closing(cast(Generator[ollama.ChatResponse], parts)):
            for part in parts:
                guard.check()
                building.add_text(part.message.content)
                building.add_thinking(part.message.thinking)
                for number, call in enumerate(part.message.tool_calls or ()):
                    building.add_call((id(part), number), '', call.function.name,
                                      dict(call.function.arguments))
                if _ended(part, building):
                    break
        return building.reply()

    def _generate(self, client: ollama.Client, question: Question, guard: Guard) -> Reply:
        building = ReplyBuilder()
        # Its `context`, the conversation in tokens, is neither kept nor sent back.
        parts = client.generate(
            self._config.model, **single_turn(question), stream=True, format=question.schema,
            options=_options(question), keep_alive=self._config.keep_alive,
            think=self._config.think)
        with closing(cast(Generator[ollama.GenerateResponse], parts)):
            for part in parts:
                guard.check()
                building.add_text(part.response)
                building.add_thinking(part.thinking)
                if _ended(part, building):
                    break
        return building.reply()

    def _has_model(self, client: ollama.Client) -> bool:
        """Tell whether the server lists the model, so that a 404 means the path."""
        try:
            with _named_errors():
                listed = client.list().models
        except ServerRefused:
            return False
        return any(is_same_model(one.model or '', self._config.model) for one in listed)

    def probe(self) -> ProbeResult:
        """Tell whether the server is up and the model is there and can see."""
        model, server = self._config.model, self._server.url
        guard = self._server.guard(_PROBE_S, Flag())
        try:
            with _named_errors(), self._client(guard) as client:
                capabilities = client.show(model).capabilities
        except ServerRefused as error:
            if error.status == httpx.codes.NOT_FOUND:
                return ProbeResult(False, f'{server} has no model {model}; '
                                          f'run `ollama pull {model}`')
            return ProbeResult(False, str(error))
        except SemanticNavError as error:
            return ProbeResult(False, str(error))
        if capabilities is not None and 'vision' not in capabilities:
            return ProbeResult(False, f'{model} cannot see pictures; set parameter model to a '
                                      f'vision-language model')
        return ProbeResult(True, f'{model} at {server}')

    def _client(self, guard: Guard) -> ollama.Client:
        return ollama.Client(host=self._server.url,
                             transport=GuardedTransport(guard, self._server),
                             follow_redirects=False, trust_env=False, timeout=guard.check())


def messages(question: Question) -> list[dict[str, Any]]:
    """Return the conversation as Ollama's chat takes it."""
    asked = question.messages
    if question.tools:
        asked = with_schema_in_words(asked, question.schema)
    conversation: list[dict[str, Any]] = []
    for message in asked:
        if message.role is Role.TOOL:
            conversation += [sent for result in message.results for sent in _tool_result(result)]
        else:
            conversation.append(_message(message))
    return conversation


def single_turn(question: Question) -> dict[str, Any]:
    """Return the conversation as Ollama's generate takes it: rules, words and pictures."""
    system, *turns = question.messages
    prompt = turns[0].text if len(turns) == 1 else '\n\n'.join(
        f'{turn.role.value.capitalize()}: {turn.text}' for turn in turns)
    return {'system': system.text, 'prompt': prompt,
            'images': [image.jpeg for turn in turns for image in turn.images]}


def is_same_model(one: str, other: str) -> bool:
    """Tell whether two names mean the same model; without a tag a name means `latest`."""
    return _tagged(one) == _tagged(other)


def _tagged(name: str) -> str:
    tagged = name if ':' in name.rpartition('/')[2] else f'{name}:latest'
    return tagged.lower()


def tools(question: Question) -> list[dict[str, Any]] | None:
    """Return the tools as Ollama's chat takes them."""
    return [{'type': 'function', 'function': {
        'name': tool.name, 'description': tool.description, 'parameters': tool.input_schema}}
        for tool in question.tools] or None


def _message(message: Message) -> dict[str, Any]:
    sent: dict[str, Any] = {'role': message.role.value, 'content': message.text}
    if message.images:
        # As bytes: the client would take a str for the name of a file.
        sent['images'] = [image.jpeg for image in message.images]
    if message.calls:
        sent['tool_calls'] = [{'function': {'name': call.name, 'arguments': call.arguments}}
                              for call in message.calls]
    return sent


def _tool_result(result: ToolResult) -> Iterator[dict[str, Any]]:
    yield {'role': 'tool', 'tool_name': result.name, 'content': words_of(result.parts)}
    pictures = Message(Role.USER, result.parts).images
    if pictures:
        # Few templates show the model a picture that stands in a tool's message.
        yield {'role': 'user', 'content': f'The picture of {result.name}:',
               'images': [picture.jpeg for picture in pictures]}


def _options(question: Question) -> dict[str, Any]:
    return {'temperature': question.temperature, 'num_predict': question.max_tokens,
            'num_ctx': question.window_tokens, 'seed': question.seed}


def _ended(part: ollama.ChatResponse | ollama.GenerateResponse, building: ReplyBuilder) -> bool:
    building.named(part.model)
    building.count(part.prompt_eval_count, part.eval_count)
    building.finish(part.done_reason)
    return bool(part.done)


@contextmanager
def _named_errors() -> Iterator[None]:
    """Turn what the client library raises into errors of this package."""
    try:
        yield
    except ollama.ResponseError as error:
        said = shown(str(error.error)) or f'HTTP {error.status_code}'
        raise ServerRefused(said, error.status_code) from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpx.TransportError, OSError) as error:
        raise ConnectionFailed(f'the connection to the model server broke: {error}') from error
    except pydantic.ValidationError as error:
        raise MissingField(f'the model server left out {_fields(error)}') from error
    # The client trusts the server to send JSON objects.
    except (ValueError, TypeError, AttributeError, RecursionError, httpx.HTTPError) as error:
        raise ModelReplyError(
            f'the model server does not speak its protocol: {shown(str(error))}') from error


def _fields(error: pydantic.ValidationError) -> str:
    names = ['.'.join(str(part) for part in item['loc']) for item in error.errors()]
    return shown(', '.join(names))
