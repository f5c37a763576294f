"""Probe of a server that lists its models on `/v1/models`: OpenAI's API, or Anthropic's.

llama.cpp says more on `/props`, vLLM in the list itself; the others say little.
"""

from dataclasses import replace
from urllib.parse import quote

from semantic_nav.contracts.schemas import Json
from semantic_nav.vlm.config import HypothesisConfig
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

_SHOWN_NAMES = 5
_LLAMA_CPP, _LM_STUDIO = 'llamacpp', 'organization_owner'


def probe(server: ServerJson, config: HypothesisConfig) -> ModelProbed:
    """The findings about the model.

    Args:
        server: server to ask.
        config: model and options.

    Raises:
        Errors of `ServerJson.get`.
    """
    model, url = config.model, config.base_url
    listed = server.ask('/v1/models')
    if listed is None:
        return ModelProbed.failed(model, f'{url} does not serve /v1/models; is base_url the '
                                         f'server of the model?')
    models = entries(listed, 'data')
    return replace(_found(server, config, models), offered=names_in(models, 'id'))


def _found(server: ServerJson, config: HypothesisConfig, models: list[Json]) -> ModelProbed:
    model, url = config.model, config.base_url
    entry = next((one for one in models if _is_named(one, model)), None)
    if entry is None and config.vlm_backend == 'anthropic':
        # Its list comes in pages, and omits the short names.
        entry = server.ask(f'/v1/models/{quote(model)}')
    details = _details(server, models)
    if entry is None:
        if other := in_its_place(config, _seeing(config, models, details)):
            found = _found(server, replace(config, model=other), models)
            return replace(found, notes=(taken_instead(config, other), *found.notes))
        names = ', '.join(names_in(models[:_SHOWN_NAMES], 'id')) or 'none'
        return ModelProbed.failed(model, f'{url} has no model {model} but {names}; set parameter '
                                         f'model to the one to be asked')
    props = server.ask('/props') if entry.get('owned_by') == _LLAMA_CPP else None
    told = details.get(words_of(entry.get('id')), {})
    vision = _vision(config, told, props)
    tools = _flag(inside(props, 'chat_template_caps', 'supports_tools'))
    if tools is None:
        tools = config.uses_tools_by_name
    window = (count_of(entry.get('max_model_len'))
              or count_of(inside(props, 'default_generation_settings', 'n_ctx'))
              or count_of(told.get('loaded_context_length')))
    family = family_of(*(words_of(one) for one in (
        told.get('arch'), entry.get('root'), entry.get('parent'), inside(props, 'model_path'),
        entry.get('id'))), model)
    if vision is False:
        return ModelProbed(
            False, f'{model} at {url} cannot see pictures; start `llama-server` with '
            f'`--mmproj FILE`, the projector of the model', model, '', vision, tools, window, None)
    return ModelProbed(True, f'{model} at {url}', model, '', vision, tools, window, None,
                       (*not_known(config, vision, tools, family),
                        *thinking(config, family, None)),
                       family=family.name if family is not None else '')


def _details(server: ServerJson, models: list[Json]) -> dict[str, Json]:
    """LM Studio's further details of its models, by their names."""
    if not any(one.get('owned_by') == _LM_STUDIO for one in models):
        return {}
    return {words_of(one.get('id')): one for one in
            entries(server.ask('/api/v0/models'), 'data')}


def _vision(config: HypothesisConfig, told: Json, props: Json | None) -> bool | None:
    """True if a model sees, by the server, else by its name; None if unknown."""
    said = _flag(inside(props, 'modalities', 'vision'))
    if said is None and (kind := words_of(told.get('type'))):
        said = kind == 'vlm'
    return config.sees_by_name if said is None else said


def _seeing(config: HypothesisConfig, models: list[Json], details: dict[str, Json]) -> list[str]:
    """The models that see; the only model of a server counts in any case."""
    names = names_in(models, 'id')
    return list(names) if len(names) == 1 else [
        name for name in names
        if _vision(replace(config, model=name), details.get(name, {}), None)]


def _is_named(entry: Json, model: str) -> bool:
    aliases = entry.get('aliases')
    names = [entry.get('id'), *(aliases if isinstance(aliases, list) else ())]
    return model.lower() in [words_of(name).lower() for name in names]


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None
