"""`vlm discover`: the model servers that run on this machine, and the settings to use them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Event as Flag

from semantic_nav.contracts.errors import ConfigError, ModelUnavailable, SemanticNavError
from semantic_nav.contracts.schemas import Json
from semantic_nav.show.table import aligned
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.errors import ConnectionFailed
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.http.server_json import ServerJson, entries, words_of
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav.vlm.settings.backends import backend_of

#: Ollama, llama.cpp or TGI, vLLM, LM Studio, TGI, and the port of TGI in docs/models.md.
PORTS = (11434, 8080, 8000, 1234, 3000, 8081)
#: Server kinds by the owner that a model list names.
_OWNERS = {'llamacpp': 'llama.cpp', 'vllm': 'vLLM', 'organization_owner': 'LM Studio'}
_TIMEOUT_S = 3.0


@dataclass(frozen=True)
class FoundServer:
    """A model server.

    Attributes:
        config: the parameters to ask it, but for the model.
        kind: name of the server program.
        models: abilities of each of its models.
    """

    config: HypothesisConfig
    kind: str
    models: tuple[ModelProbed, ...]


def discover(config: HypothesisConfig, ports: Sequence[int], backend: str, model: str,
             base_url: str) -> int:
    """Print the servers, the abilities of their models, and the settings for the best of each.

    Args:
        config: the other parameters.
        ports: to search on this machine.
        backend: restricts the search to servers of this backend; empty for all.
        model: preferred if it is usable; empty for none.
        base_url: searched instead of the ports; empty for none.

    Raises:
        ModelUnavailable: there is no server, or none with a usable model.
    """
    wanted = backend_of(backend).name if backend else ''
    urls = [base_url] if base_url else [f'http://localhost:{port}' for port in ports]
    found = [server for url in urls for server in _servers_at(config, url)
             if server.config.vlm_backend == wanted or not wanted]
    if not found:
        raise ModelUnavailable(f'no model server at {", ".join(urls)}; start one, or name its '
                               f'port with --ports')
    settings = []
    for server in found:
        print('\n'.join(_server_lines(server)))
        best = _best(server.models, model)
        if best is not None:
            settings += _settings(server, best)
    if not settings:
        raise ModelUnavailable('none of these models will do; see docs/models.md for some that do')
    print('\n'.join(['', 'settings of the hypothesis node (nothing was changed):', *settings]))
    return 0


def _servers_at(config: HypothesisConfig, url: str) -> Iterator[FoundServer]:
    """Yield the server at a URL, if there is one."""
    # No key, even from a file, goes to an unknown program that listens there.
    ollama, openai = (replace(config, vlm_backend=backend, base_url=url, model='',
                              api_key_file='', extra_headers_file='')
                      for backend in ('ollama', 'openai'))
    server = Server(openai.base_url, openai.hosts)
    with ServerJson(server, openai.vlm_backend, Flag(), _TIMEOUT_S) as talk:
        try:
            # llama.cpp answers on some paths of Ollama, but not on this one.
            version = words_of((talk.ask('/api/version') or {}).get('version'))
        except ConnectionFailed:
            return
        except SemanticNavError:
            version = ''
        if version:
            names = [words_of(one.get('model')) or words_of(one.get('name'))
                     for one in entries(_said(talk, '/api/tags'), 'models')]
            yield _found(ollama, f'Ollama {version}', names)
            return
        listed = _said(talk, '/v1/models')
        if listed is not None:
            models = entries(listed, 'data')
            owner = words_of(models[0].get('owned_by')) if models else ''
            yield _found(openai, _OWNERS.get(owner, "a server of OpenAI's API"),
                         [words_of(one.get('id')) for one in models])


def _said(talk: ServerJson, path: str) -> Json | None:
    """The JSON at a path; None if no model server would answer so."""
    try:
        return talk.ask(path)
    except SemanticNavError:
        return None


def _found(config: HypothesisConfig, kind: str, names: Sequence[str]) -> FoundServer:
    return FoundServer(config, kind, tuple(_probed(config, name) for name in names if name))


def _probed(config: HypothesisConfig, name: str) -> ModelProbed:
    try:
        return make_provider(replace(config, model=name)).probe(Flag())
    except ConfigError as error:  # a model that may not be asked hides none of the others
        return ModelProbed.failed(name, str(error))


def _server_lines(server: FoundServer) -> Iterator[str]:
    yield f'{server.config.base_url}: {server.kind}'
    if not server.models:
        yield '  no models'
        return
    sight = {True: 'sees', False: 'does not see', None: 'may see'}
    yield from (f'  {line}' for line in aligned([
        (one.model, sight[one.vision],
         f'{one.window_tokens} tokens' if one.window_tokens else 'window not known',
         '' if one.ok else one.message) for one in server.models]))


def _best(models: Sequence[ModelProbed], wanted: str) -> ModelProbed | None:
    """The model to use: the preferred one, else one that surely sees, if any."""
    usable = [one for one in models if one.ok]
    return max(usable, default=None, key=lambda one: (one.model == wanted, one.vision is True))


def _settings(server: FoundServer, model: ModelProbed) -> list[str]:
    return [f'  vlm_backend: {server.config.vlm_backend}', f'  model: {model.model}',
            f'  base_url: {server.config.base_url}', '']
