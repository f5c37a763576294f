"""`vlm serve`: starts Ollama's server where none answers, fetches the model, and stays with it."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event as Flag
from urllib.parse import urlsplit

import ollama

from semantic_nav.bringup.processes import ended_with_ours
from semantic_nav.contracts.errors import ConfigError, ModelReplyError, ModelUnavailable
from semantic_nav.contracts.loopback import is_loopback
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.http.guard import Guard
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.providers.ollama_client import client_of, named_errors
from semantic_nav.vlm.settings.ollama_names import is_same_model

_OLLAMA = 'ollama'
_ANSWER_S, _BYTES = 5.0, 8 << 20
#: Start, poll and stop times of the server, in s; a computer that has just booted is slow.
_UP_S, _LOOK_S, _DOWN_S = 120.0, 0.5, 10.0
#: Limits of a pull: 20 GB over a slow line, with ten progress messages a second.
_PULL_S, _PULL_BYTES = 24 * 3600.0, 1 << 30
#: Step of the progress lines, in percent of a model.
_STEP_PERCENT = 5


def serve(config: HypothesisConfig) -> int:
    """Provide a server that answers and has the model; return if it was running before.

    Raises:
        ConfigError: the backend is not Ollama, the server would be on another machine, or Ollama
            is not installed.
        ModelUnavailable: the server that was started ended, or does not answer.
        ModelReplyError: the model could not be fetched.
    """
    if config.vlm_backend != _OLLAMA:
        raise ConfigError(f'`vlm serve` starts {_OLLAMA}; start a server of {config.vlm_backend} '
                          'yourself')
    if _answers(config):
        _say(f'{_OLLAMA} answers at {config.base_url} already')
        _fetch(config)
        return 0
    with _started(config) as server:
        _wait(config, server)
        _fetch(config)
        code = server.wait()
    raise ModelUnavailable(f'{_OLLAMA} serve ended with code {code}')


@contextmanager
def _started(config: HypothesisConfig) -> Iterator[subprocess.Popen[bytes]]:
    """Start the server, and stop it at the end of the block."""
    address = urlsplit(config.base_url)
    if not is_loopback(address.hostname or ''):
        raise ConfigError(f'no {_OLLAMA} answers at {config.base_url}, and a server is started on '
                          'this machine only')
    program = shutil.which(_OLLAMA)
    if program is None:
        raise ConfigError(f'{_OLLAMA} is not installed: its page tells how, https://ollama.com')
    server = subprocess.Popen([*ended_with_ours(), program, 'serve'],
                              env={**os.environ, 'OLLAMA_HOST': address.netloc})
    try:
        yield server
    finally:
        server.terminate()
        try:
            server.wait(_DOWN_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait(config: HypothesisConfig, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _UP_S
    while not _answers(config):
        if time.monotonic() > deadline:
            raise ModelUnavailable(f'{_OLLAMA} serve does not answer at {config.base_url} after '
                                   f'{_UP_S:g} s')
        try:
            code = server.wait(_LOOK_S)
        except subprocess.TimeoutExpired:
            continue
        raise ModelUnavailable(f'{_OLLAMA} serve ended with code {code} before it answered')
    _say(f'{_OLLAMA} answers at {config.base_url}')


def _answers(config: HypothesisConfig) -> bool:
    try:
        with _client(config, _ANSWER_S, _BYTES) as client:
            client.list()
    except ModelUnavailable:
        return False
    return True


def _fetch(config: HypothesisConfig) -> None:
    """Fetch the model if it is missing, with a line for each step."""
    with _client(config, _ANSWER_S, _BYTES) as client:
        known = [one.model or '' for one in client.list().models]
    if any(is_same_model(config.model, one) for one in known):
        _say(f'{config.model} is here')
        return
    _say(f'fetching {config.model}')
    status, told, parts = '', 0, {}
    with _client(config, _PULL_S, _PULL_BYTES) as client:
        for part in client.pull(config.model, stream=True):
            status = part.status or status
            if not part.digest or not part.total:
                continue
            parts[part.digest] = part.completed or 0, part.total
            done, total = (sum(column) for column in zip(*parts.values(), strict=True))
            percent = 100 * done // total // _STEP_PERCENT * _STEP_PERCENT
            if percent > told:
                told = percent
                _say(f'fetching {config.model}: {percent} % of {total / 1e9:.1f} GB')
    if status != 'success':
        raise ModelReplyError(f'the pull of {config.model} ended early, with {status!r}')
    _say(f'{config.model} is here')


@contextmanager
def _client(config: HypothesisConfig, deadline_s: float, max_bytes: int
            ) -> Iterator[ollama.Client]:
    guard = Guard(deadline_s, max_bytes, Flag())
    with named_errors(), client_of(Server.of(config, os.environ), guard) as client:
        yield client


def _say(words: str) -> None:
    """Print a line at once, for live readers."""
    print(words, flush=True, file=sys.stdout)
