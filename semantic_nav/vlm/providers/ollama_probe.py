"""Probe of an Ollama server and its model through `/api/show`, `/api/tags` and `/api/ps`."""

from dataclasses import replace

from semantic_nav.contracts.schemas import Json
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.errors import RemoteModel
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.gate.families import family_of
from semantic_nav.vlm.http.server_json import ServerJson, count_of, entries, inside, words_of
from semantic_nav.vlm.providers.probing import (
    in_its_place,
    names_in,
    not_known,
    taken_instead,
    thinking,
)
from semantic_nav.vlm.settings.ollama_names import cloud_host, is_same_model, refusal_of_cloud

#: Most models whose abilities are asked for if none was chosen.
_MOST_ASKED = 20


def probe(server: ServerJson, config: HypothesisConfig) -> ModelProbed:
    """The findings about the model.

    Args:
        server: server to ask.
        config: model and options.

    Raises:
        RemoteModel: it runs on another machine that was not allowed.
        Errors of `ServerJson.get`.
    """
    models = entries(server.ask('/api/tags'), 'models')
    return replace(_found(server, config, models), offered=names_in(models, 'model', 'name'))


def _found(server: ServerJson, config: HypothesisConfig, models: list[Json]) -> ModelProbed:
    model, url = config.model, config.base_url
    shown = server.ask('/api/show', {'model': model})
    listed = _named(models, model)
    if shown is None and listed is None:
        seeing = _seeing(server, config, models) if config.any_model else []
        if other := in_its_place(config, seeing):
            found = _found(server, replace(config, model=other), models)
            return replace(found, notes=(taken_instead(config, other), *found.notes))
        several = f', or set parameter model to one of {", ".join(seeing)}' if seeing else ''
        return ModelProbed.failed(
            model, f'{url} has no model {model}; run `ollama pull {model}`{several}')
    remote = cloud_host(model, shown, listed)
    if remote and remote not in config.hosts:
        raise RemoteModel(refusal_of_cloud(model, remote))
    digest = words_of(inside(listed, 'digest'))
    family = family_of(*_said_of(shown), *_said_of(listed), model)
    vision, tools = _capabilities(shown or {}, config)
    if vision is False:
        return ModelProbed(
            False, f'{model} cannot see pictures; set parameter model to one that does, for '
            f'example after `ollama pull qwen2.5vl:7b`', model, digest, vision, tools, 0, None)
    window = _window(shown or {})
    running = _named(entries(server.ask('/api/ps'), 'models'), model)
    where, on_gpu, notes = _where(model, running)
    notes += not_known(config, vision, tools, family)
    notes += thinking(config, family, _listed(shown or {}, 'thinking'))
    return ModelProbed(True, f'{model} at {url}, {where}', model, digest, vision, tools, window,
                       on_gpu, tuple(notes), family=family.name if family is not None else '')


def _said_of(told: Json | None) -> list[str]:
    """The server's words on the kind of a model, the surest first."""
    info = inside(told, 'model_info')
    families = inside(told, 'details', 'families')
    return [words_of(one) for one in (
        inside(info, 'general.architecture'), inside(told, 'details', 'family'),
        *(families if isinstance(families, list) else ()),
        inside(told, 'details', 'parent_model'), inside(info, 'general.basename'),
        inside(info, 'general.base_model.0.name'), inside(info, 'general.name'))]


def _seeing(server: ServerJson, config: HypothesisConfig, models: list[Json]) -> list[str]:
    """The models of a server that see, without those that run on a machine not allowed."""
    names = names_in(models[:_MOST_ASKED], 'model', 'name')
    shown = {name: server.ask('/api/show', {'model': name}) for name in names}
    return [name for name, told in shown.items()
            if cloud_host(name, told) in ('', *config.hosts)
            and _capabilities(told or {}, replace(config, model=name))[0]]


def _listed(shown: Json, capability: str) -> bool | None:
    """True if a model has a capability; None if the server does not list capabilities."""
    listed = shown.get('capabilities')
    return capability in listed if isinstance(listed, list) else None


def _capabilities(shown: Json, config: HypothesisConfig) -> tuple[bool | None, bool | None]:
    """Vision and tool use of a model, each None if unknown; an old server lists neither."""
    if _listed(shown, 'vision') is not None:
        return _listed(shown, 'vision'), _listed(shown, 'tools')
    info = shown.get('model_info')
    has_eyes = isinstance(info, dict) and any('.vision.' in key for key in info)
    return (True if has_eyes else config.sees_by_name), config.uses_tools_by_name


def _window(shown: Json) -> int:
    info = shown.get('model_info')
    family = inside(info, 'general.architecture')
    return count_of(inside(info, f'{family}.context_length'))


def _where(model: str, running: Json | None) -> tuple[str, bool | None, list[str]]:
    """The place of a model in words, true if all of it is on the GPU, and advice."""
    if running is None:
        return 'not loaded yet', None, []
    size, on_card = count_of(running.get('size')), count_of(running.get('size_vram'))
    if size == 0:
        return 'loaded', None, []
    if on_card >= size:
        return 'on the GPU', True, []
    share = round(100 * (size - on_card) / size)
    return f'{share} % on the CPU', False, [
        f'{share} % of {model} runs on the CPU, which is slow: choose a smaller model or a '
        f'smaller num_ctx, and look at `ollama ps`']


def _named(models: list[Json], name: str) -> Json | None:
    for entry in models:
        if is_same_model(words_of(entry.get('model')) or words_of(entry.get('name')), name):
            return entry
    return None
