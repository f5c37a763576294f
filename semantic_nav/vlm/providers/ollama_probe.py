"""What an Ollama server and its model can do, asked of `/api/show`, `/api/tags` and `/api/ps`."""

from dataclasses import replace

from semantic_nav.contracts.schemas import Json
from semantic_nav.vlm.config import HypothesisConfig
from semantic_nav.vlm.errors import RemoteModel
from semantic_nav.vlm.events import ModelProbed
from semantic_nav.vlm.http.server_json import ServerJson, count_of, entries, inside, words_of
from semantic_nav.vlm.providers.probing import names_in, not_known
from semantic_nav.vlm.settings.ollama_names import cloud_host, is_same_model, refusal_of_cloud


def probe(server: ServerJson, config: HypothesisConfig) -> ModelProbed:
    """Return what is known of the model.

    Args:
        server: the server.
        config: which model, and what is asked of it.

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
        return ModelProbed.failed(
            model, f'{url} has no model {model}; run `ollama pull {model}`')
    remote = cloud_host(model, shown, listed)
    if remote and remote not in config.hosts:
        raise RemoteModel(refusal_of_cloud(model, remote))
    digest = words_of(inside(listed, 'digest'))
    vision, tools = _capabilities(shown or {}, config)
    if vision is False:
        return ModelProbed(
            False, f'{model} cannot see pictures; set parameter model to one that does, for '
            f'example after `ollama pull qwen2.5vl:7b`', model, digest, vision, tools, 0, None)
    window = _window(shown or {})
    running = _named(entries(server.ask('/api/ps'), 'models'), model)
    where, on_gpu, notes = _where(model, running)
    notes += not_known(config, vision, tools)
    return ModelProbed(True, f'{model} at {url}, {where}', model, digest, vision, tools, window,
                       on_gpu, tuple(notes))


def _capabilities(shown: Json, config: HypothesisConfig) -> tuple[bool | None, bool | None]:
    """Return whether the model sees pictures and calls tools; None where the server is too old."""
    listed = shown.get('capabilities')
    if isinstance(listed, list):
        return 'vision' in listed, 'tools' in listed
    info = shown.get('model_info')
    has_eyes = isinstance(info, dict) and any('.vision.' in key for key in info)
    return (True if has_eyes else config.sees_by_name), config.uses_tools_by_name


def _window(shown: Json) -> int:
    info = shown.get('model_info')
    family = inside(info, 'general.architecture')
    return count_of(inside(info, f'{family}.context_length'))


def _where(model: str, running: Json | None) -> tuple[str, bool | None, list[str]]:
    """Return where a model runs in words, whether all of it is on the GPU, and what to do."""
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
