"""A model behind Ollama's API, through Ollama's own client."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from threading import Event as Flag
from typing import Any

import httpcore
import httpx
import ollama
import pydantic

from semantic_nav.contracts.errors import ModelReplyError, SemanticNavError
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.events import Prompt
from semantic_nav.vlm.gate import MAX_REPLY_BYTES
from semantic_nav.vlm.guarded_http import Guard, GuardedTransport
from semantic_nav.vlm.provider import (
    ConnectionFailed,
    MissingField,
    ProbeResult,
    Reply,
    ReplyTooLong,
    ServerRefused,
)

#: A streamed reply takes about 150 bytes a token on the wire.
_MAX_WIRE_BYTES = 8 << 20
_PROBE_S = 2.0
_MAX_SAID = 200


class OllamaProvider:
    """Asks a model on `/api/chat`, streamed, so that the server stops when the call is broken off.

    Each call has its own connection: on loopback that costs little, and a broken one is of no
    consequence for the next.
    """

    def __init__(self, config: HypothesisConfig, seed: int = 0) -> None:
        """Talk to the server of a configuration; nothing is sent yet.

        Args:
            config: server, model and options.
            seed: of the model's sampling.
        """
        self._config = config
        self._options = {'temperature': config.temperature, 'num_predict': config.num_predict,
                         'num_ctx': config.num_ctx, 'seed': seed}

    def ask(self, prompt: Prompt, jpeg: bytes, deadline_s: float, cancelled: Flag) -> Reply:
        """Return the model's reply; see `Provider.ask`.

        A stream that ends without `done` still counts when it brought text, for Ollama ends so
        where the model repeats itself; whether the text is whole is for the gate to say.
        """
        guard = Guard(deadline_s, _MAX_WIRE_BYTES, cancelled)
        text, size = [], 0
        with _named_errors(), self._client(guard, deadline_s) as client:
            parts = client.chat(
                self._config.model, messages(prompt, jpeg), stream=True, format=prompt.schema,
                options=self._options, keep_alive=self._config.keep_alive,
                think=self._config.think)
            last = None
            with closing(parts):
                for last in parts:
                    guard.check()
                    content = last.message.content or ''
                    size += len(content)
                    if size > MAX_REPLY_BYTES:
                        raise ReplyTooLong(f'the reply is longer than {MAX_REPLY_BYTES} bytes')
                    text.append(content)
                    if last.done:
                        break
        whole = ''.join(text)
        if last is None or not whole:
            raise MissingField('the model server sent no message.content')
        return Reply(_unicode(whole), _shown(last.done_reason or ''),
                     last.prompt_eval_count or 0, last.eval_count or 0)

    def probe(self) -> ProbeResult:
        """Tell whether the server is up and the model is there and can see."""
        model, server = self._config.model, self._config.server
        guard = Guard(_PROBE_S, _MAX_WIRE_BYTES, Flag())
        try:
            with _named_errors(), self._client(guard, _PROBE_S) as client:
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

    def _client(self, guard: Guard, timeout_s: float) -> ollama.Client:
        return ollama.Client(host=self._config.server, transport=GuardedTransport(guard),
                             follow_redirects=False, trust_env=False, timeout=timeout_s)


def messages(prompt: Prompt, jpeg: bytes) -> list[dict[str, Any]]:
    """Return the conversation as Ollama's chat takes it."""
    conversation: list[dict[str, Any]] = [
        {'role': 'system', 'content': prompt.system},
        # As bytes: the client would take a str for the name of a file.
        {'role': 'user', 'content': prompt.user, 'images': [jpeg]}]
    for repair in prompt.repairs:
        conversation += [{'role': 'assistant', 'content': repair.reply},
                         {'role': 'user', 'content': repair.complaint}]
    return conversation


@contextmanager
def _named_errors() -> Iterator[None]:
    """Turn what the client library raises into errors of this package."""
    try:
        yield
    except ollama.ResponseError as error:
        said = _shown(str(error.error)) or f'HTTP {error.status_code}'
        raise ServerRefused(said, error.status_code) from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpx.TransportError, OSError) as error:
        raise ConnectionFailed(f'the connection to the model server broke: {error}') from error
    except pydantic.ValidationError as error:
        raise MissingField(f'the model server left out {_fields(error)}') from error
    # The client trusts the server to send JSON objects.
    except (ValueError, TypeError, AttributeError, RecursionError, httpx.HTTPError) as error:
        raise ModelReplyError(
            f'the model server does not speak its protocol: {_shown(str(error))}') from error


def _fields(error: pydantic.ValidationError) -> str:
    names = ['.'.join(str(part) for part in item['loc']) for item in error.errors()]
    return _shown(', '.join(names))


def _shown(text: str) -> str:
    return ''.join(character if character.isprintable() else ' '
                   for character in _unicode(text[:_MAX_SAID])).strip()


def _unicode(text: str) -> str:
    return text.encode('utf-8', 'replace').decode()
