"""`vlm models`: the models of an Ollama server, through Ollama's own client."""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from threading import Event as Flag

import ollama
from tqdm import tqdm

from semantic_nav.cli.vlm_ask import tell
from semantic_nav.contracts.errors import ConfigError, ModelReplyError
from semantic_nav.show.table import aligned
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.http.guard import Guard
from semantic_nav.vlm.http.server import Server
from semantic_nav.vlm.providers.factory import make_provider
from semantic_nav.vlm.providers.ollama_client import client_of, named_errors
from semantic_nav.vlm.settings.ollama_names import is_same_model

_OLLAMA = 'ollama'
_GB = 1e9
_DEADLINE_S = 60.0
#: Limits of a pull: 20 GB over a slow line, with ten progress messages a second.
_PULL_S, _PULL_BYTES = 24 * 3600.0, 1 << 30
_MAX_BYTES = 8 << 20
_DIGEST = slice(7, 19)
_PULLED = 'success'


@dataclass(frozen=True)
class ModelAction:
    """An action on models.

    Attributes:
        words: its description.
        run: carries it out, with the parameters and the options.
        names_model: it concerns one model, that of --model unless another is named.
    """

    words: str
    run: Callable[[HypothesisConfig, argparse.Namespace], None]
    names_model: bool = False


def manage(config: HypothesisConfig, chosen: argparse.Namespace) -> int:
    """Carry out an action on the models of a server.

    Raises:
        ConfigError: the backend is not Ollama, or a model to be kept is not there.
        ModelUnavailable, ModelTimeout, ModelReplyError: as the server answered.
    """
    if config.vlm_backend != _OLLAMA:
        raise ConfigError(f'`vlm models` is for {_OLLAMA}; a server of {config.vlm_backend} gets '
                          f'its models when it starts, and `vlm discover` lists them')
    ACTIONS[chosen.what].run(config, chosen)
    return 0


@contextmanager
def _client(config: HypothesisConfig, deadline_s: float = _DEADLINE_S,
            max_bytes: int = _MAX_BYTES) -> Iterator[ollama.Client]:
    server = Server.of(config, os.environ)
    with named_errors(), client_of(server, Guard(deadline_s, max_bytes, Flag())) as client:
        yield client


def _name(config: HypothesisConfig, chosen: argparse.Namespace) -> str:
    name: str = chosen.name
    return name or config.model


def _listed(config: HypothesisConfig) -> list[ollama.ListResponse.Model]:
    with _client(config) as client:
        return list(client.list().models)


def _running(config: HypothesisConfig) -> list[ollama.ProcessResponse.Model]:
    with _client(config) as client:
        return list(client.ps().models)


def _list(config: HypothesisConfig, chosen: argparse.Namespace) -> None:
    del chosen
    running = {one.model: one for one in _running(config)}
    rows = [('model', 'size', 'loaded')]
    for one in _listed(config):
        loaded = running.get(one.model)
        rows.append((one.model or '', _gb(one.size), _where(loaded) if loaded else 'no'))
    print('\n'.join(aligned(rows)))


def _gb(size_bytes: int | None) -> str:
    return f'{(size_bytes or 0) / _GB:.1f} GB'


def _where(loaded: ollama.ProcessResponse.Model) -> str:
    return f'{_gb(loaded.size)}, of which {_gb(loaded.size_vram)} on the GPU'


def _pull(config: HypothesisConfig, chosen: argparse.Namespace) -> None:
    name, status = _name(config, chosen), ''
    with _client(config, _PULL_S, _PULL_BYTES) as client, ExitStack() as shown:
        bars: dict[str, tqdm[None]] = {}
        for part in client.pull(name, stream=True):
            status = part.status or status
            if not part.digest or not part.total:
                continue
            if part.digest not in bars:
                bars[part.digest] = shown.enter_context(tqdm(
                    desc=part.digest[_DIGEST], total=part.total, unit='B', unit_scale=True))
            bar = bars[part.digest]
            # It is absent as long as nothing has come.
            bar.update((part.completed or 0) - bar.n)
    if status != _PULLED:
        raise ModelReplyError(f'the pull of {name} ended early, with {status!r}; run it again')
    print(f'{name} is here')


def _show(config: HypothesisConfig, chosen: argparse.Namespace) -> None:
    name = _name(config, chosen)
    with _client(config) as client:
        said = client.show(name)
    details, info = said.details, said.modelinfo or {}
    family = info.get('general.architecture')
    rows = [('model', name), ('family', details and details.family),
            ('parameters', details and details.parameter_size),
            ('quantization', details and details.quantization_level),
            ('context window', info.get(f'{family}.context_length')),
            ('can', ', '.join(said.capabilities or ()))]
    print('\n'.join(aligned([(title, str(value or 'not told')) for title, value in rows])))


def _load(config: HypothesisConfig, chosen: argparse.Namespace) -> None:
    named = replace(config, model=_name(config, chosen))
    provider = make_provider(named, os.environ)
    found = provider.probe(Flag())
    if found.ok:
        provider.warm_up(found, Flag())
    tell(provider)


def _unload(config: HypothesisConfig, chosen: argparse.Namespace) -> None:
    _unload_all(config, [_name(config, chosen)])


def _evict(config: HypothesisConfig, chosen: argparse.Namespace) -> None:
    del chosen
    loaded = [one.model or '' for one in _running(config)]
    _unload_all(config, [name for name in loaded if not is_same_model(name, config.model)])


def _unload_all(config: HypothesisConfig, names: Sequence[str]) -> None:
    for name in names:
        with _client(config) as client:
            client.generate(name, keep_alive=0)
        print(f'{name} is unloaded')
    if not names:
        print('nothing to unload')


def _prune(config: HypothesisConfig, chosen: argparse.Namespace) -> None:
    names = [one.model or '' for one in _listed(config)]
    kept = [config.model, *chosen.keep]
    for wanted in kept:
        if not any(is_same_model(name, wanted) for name in names):
            raise ConfigError(f'{wanted} is to be kept, but is not there; nothing was deleted')
    surplus = [name for name in names if not any(is_same_model(name, one) for one in kept)]
    if chosen.yes:
        _delete_all(config, surplus)
    else:
        print('\n'.join([f'{name} would be deleted' for name in surplus]
                        + ['--yes deletes them' if surplus else 'nothing to delete']))


def _use(config: HypothesisConfig, chosen: argparse.Namespace) -> None:
    """Make one model the only one, loaded and listed; its name without a tag is enough."""
    named = replace(config, model=chosen.name)
    if any(is_same_model(one.model or '', named.model) for one in _listed(named)):
        print(f'{named.model} is here')
    else:
        _pull(named, chosen)
    _evict(named, chosen)
    _prune(named, chosen)
    _load(named, chosen)
    _list(named, chosen)
    print(f'set `model: {named.model}` of the hypothesis node')


def _delete(config: HypothesisConfig, chosen: argparse.Namespace) -> None:
    _delete_all(config, [chosen.name])


def _delete_all(config: HypothesisConfig, names: Sequence[str]) -> None:
    for name in names:
        with _client(config) as client:
            client.delete(name)
        print(f'{name} is deleted')
    if not names:
        print('nothing to delete')


ACTIONS = {
    'list': ModelAction('what is there, and what is loaded', _list),
    'pull': ModelAction('fetch a model from the library of Ollama', _pull, names_model=True),
    'show': ModelAction('what a model is and can do', _show, names_model=True),
    'load': ModelAction('load a model with the window of the node', _load, names_model=True),
    'unload': ModelAction('take a model out of the memory', _unload, names_model=True),
    'evict': ModelAction('unload all models but that of --model', _evict),
    'prune': ModelAction('delete all models but that of --model', _prune),
    'delete': ModelAction('delete a model', _delete, names_model=True),
    'use': ModelAction(
        'go over to a model: pull it where it is not there, unload the others, prune, load it, '
        'list what is there', _use, names_model=True),
}
#: Actions that need the name of a model, and those that delete unlisted models.
NAMED, PRUNING = ('delete', 'use'), ('prune', 'use')
