"""A model behind Ollama's API, through Ollama's own client."""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import count
from threading import Event as Flag
from typing import Any, TypeVar, cast

import httpx
import ollama

from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.conversation import Question, Reply
from semantic_nav.vlm.errors import RemoteModel, ServerRefused
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.http.guard import Guard
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.http.server_json import ServerJson
from semantic_nav.vlm.prompt.budget import window_to_ask_for
from semantic_nav.vlm.providers import ollama_probe
from semantic_nav.vlm.providers.extra_fields import ExtraFields
from semantic_nav.vlm.providers.ollama_client import client_of, named_errors
from semantic_nav.vlm.providers.ollama_messages import messages, single_turn, tools
from semantic_nav.vlm.providers.ollama_tool_calls import arguments_of
from semantic_nav.vlm.providers.probing import probed, taken_over
from semantic_nav.vlm.providers.reply_builder import ReplyBuilder
from semantic_nav.vlm.settings.ollama_names import cloud_host, is_same_model, refusal_of_cloud

T = TypeVar('T')
_NS_PER_MS = 1e6
#: Fields that some models and older servers refuse, with the words of their refusals.
_EXTRAS = {'think': ('think', 'thinking'), 'keep_alive': ('keep_alive',), 'format': ('format',)}


class OllamaProvider:
    """Provider of a model on `/api/chat`, streamed, so that a broken-off call stops the server.

    A server that has the model but no `/api/chat` is asked on `/api/generate`, without tools.

    Each call has its own connection: on loopback that costs little, and a broken one does not
    affect the next call.
    """

    def __init__(self, config: HypothesisConfig, server: Server) -> None:
        """Prepare for a server; nothing is sent yet.

        Args:
            config: model and options.
            server: server and limits of a call.
        """
        self._config = self._given = config
        self._server = server
        self._extras = ExtraFields(_EXTRAS, 'format')
        self._chat_is_served = True
        self._is_local = False
        #: Reason why a reply was not local, until the server itself calls the model remote.
        self._was_remote = ''

    def ask(self, question: Question, deadline_s: float, cancelled: Flag) -> Reply:
        """The model's reply; see `Provider.ask`.

        A stream that ends without `done` still counts if it brought text, as Ollama ends like this
        when the model repeats itself. The gate decides whether the text is complete.
        """
        guard = self._server.guard(deadline_s, cancelled)
        self._keep_here(cancelled, guard.check())
        try:
            with self._client(guard) as client:
                return self._extras.ask(question, lambda asked, without: self._either(
                    client, lambda: self._chat(client, asked, guard, without),
                    lambda: self._generate(client, asked, guard, without)))
        except RemoteModel as error:
            self._is_local, self._was_remote = False, str(error)
            raise

    def _client(self, guard: Guard) -> ollama.Client:
        return client_of(self._server, guard, self._config.model)

    def _either(self, client: ollama.Client, chat: Callable[[], T],
                generate: Callable[[], T]) -> T:
        """The result of chat, or that of generate if the server has no chat."""
        if self._chat_is_served:
            try:
                with named_errors():
                    return chat()
            except ServerRefused as error:
                if error.status != httpx.codes.NOT_FOUND or not self._has_model(client):
                    raise
                self._chat_is_served = False
        with named_errors():
            return generate()

    def _options(self, question: Question, without: frozenset[str]) -> dict[str, Any]:
        """The arguments that chat and generate share."""
        config = self._config
        extras = {'keep_alive': config.keep_alive, 'think': config.may_think}
        return {'stream': True, 'options': _options(question),
                **{name: value for name, value in extras.items() if name not in without}}

    def _chat(self, client: ollama.Client, question: Question, guard: Guard,
              without: frozenset[str]) -> Reply:
        building = ReplyBuilder(self._config.may_think)
        parts = client.chat(
            self._config.model, messages(question),
            format=question.schema if question.held else None,
            tools=tools(question), **self._options(question, without))
        with closing(cast(Generator[ollama.ChatResponse], parts)):
            calls = count()
            for part in parts:
                guard.check()
                building.add_text(part.message.content)
                building.add_thinking(part.message.thinking)
                for call in part.message.tool_calls or ():
                    # Each call comes whole, in one piece.
                    building.add_call(next(calls), '', call.function.name,
                                      arguments_of(call.function.arguments))
                if _ended(part, building):
                    break
        return building.reply()

    def _generate(self, client: ollama.Client, question: Question, guard: Guard,
                  without: frozenset[str]) -> Reply:
        building = ReplyBuilder(self._config.may_think)
        # Generate has no tools, so the schema is enforced even for a question with tools. Its
        # `context`, the conversation in tokens, is neither kept nor sent back.
        parts = client.generate(
            self._config.model, **single_turn(question),
            format=None if question.unheld else question.schema,
            **self._options(question, without))
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
            with named_errors():
                listed = client.list().models
        except ServerRefused:
            return False
        return any(is_same_model(one.model or '', self._config.model) for one in listed)

    def probe(self, cancelled: Flag) -> ModelProbed:
        """Ask about the model and its abilities; see `Provider.probe`."""
        found = probed(self._probe, self._given, self._server, cancelled)
        self._config = taken_over(self._given, found)
        found = replace(found, notes=(*found.notes, *self._extras.notes))
        # A model can be replaced under its name, so its machine is checked again.
        self._is_local = False
        if not found.ok:
            # A server that was gone can be replaced too.
            self._chat_is_served = True
            return found
        if self._was_remote:
            return ModelProbed.failed(found.model, self._distrust())
        if self._chat_is_served:
            return found
        return replace(found, tools=False, notes=(
            *found.notes, f'{self._server.url} does not serve /api/chat, so the model has no '
            f'tools; update Ollama'))

    def _probe(self, talk: ServerJson, config: HypothesisConfig) -> ModelProbed:
        try:
            return ollama_probe.probe(talk, config)
        except RemoteModel as error:
            # The server itself calls the model remote now, as its reply did.
            self._was_remote = ''
            return ModelProbed.failed(config.model, str(error))

    def warm_up(self, found: ModelProbed, cancelled: Flag) -> bool:
        """Load the model with the context window of later calls; see `Provider.warm_up`.

        With another window, Ollama would load it again for the first question.
        """
        guard = self._server.guard(self._server.timeout_s, cancelled)
        config = self._config
        options = {'num_ctx': window_to_ask_for(config, found.window_tokens)}
        with self._client(guard) as client:
            self._either(
                client,
                partial(client.chat, config.model, [], options=options,
                        keep_alive=config.keep_alive),
                partial(client.generate, config.model, '', options=options,
                        keep_alive=config.keep_alive))
        return True

    def _keep_here(self, cancelled: Flag, deadline_s: float) -> None:
        """Check once that the model runs on this machine, before a picture is sent.

        Raises:
            RemoteModel: it runs elsewhere.
            Errors of `ServerJson.get`.
        """
        if self._is_local:
            return
        model = self._config.model
        with ServerJson(self._server, self._config.vlm_backend, cancelled, deadline_s) as talk:
            shown_model = talk.ask('/api/show', {'model': model})
        remote = cloud_host(model, shown_model)
        if remote and remote not in self._config.hosts:
            self._was_remote = ''
            raise RemoteModel(refusal_of_cloud(model, remote))
        if self._was_remote:
            raise RemoteModel(self._distrust())
        self._is_local = True

    def _distrust(self) -> str:
        """The reason why the server's claim that the model runs here is no longer believed."""
        return (f'{self._was_remote}: its last reply said so, though the server lists it as one '
                f'that runs here; when it does, restart this node')


def _options(question: Question) -> dict[str, Any]:
    return {'temperature': question.temperature, 'num_predict': question.max_tokens,
            'num_ctx': question.window_tokens, 'seed': question.seed}


def _ms(duration_ns: int | None) -> float | None:
    return None if duration_ns is None else duration_ns / _NS_PER_MS


def _ended(part: ollama.ChatResponse | ollama.GenerateResponse, building: ReplyBuilder) -> bool:
    building.named(part.model)
    building.count(part.prompt_eval_count, part.eval_count)
    building.time(*(_ms(duration_ns) for duration_ns in (
        part.load_duration, part.prompt_eval_duration, part.eval_duration)))
    building.finish(part.done_reason)
    return bool(part.done) or building.endless
